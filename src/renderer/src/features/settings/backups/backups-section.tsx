// Backups: what there is, one made now, when they are made by themselves, and the way back from one.
import { useTranslation } from 'react-i18next';
import { useOperation } from '../../../data/use-operation.ts';
import { Reading } from '../parts/reading.tsx';
import { ListCard } from './list-card.tsx';
import { MakeCard } from './make-card.tsx';
import { RestoreDrawer } from './restore-drawer.tsx';
import { ScheduleCard } from './schedule-card.tsx';

export function BackupsSection() {
  const { t } = useTranslation('settings');
  const backups = useOperation('listBackups', {}, { every: 60_000 });
  return (
    <Reading title={t('backups.list.title')} query={backups} height={200}>
      {({ items, folder, schedule }) => (
        <>
          <ListCard backups={items} folder={folder} />
          <MakeCard />
          <ScheduleCard schedule={schedule} />
          <RestoreDrawer backups={items} />
        </>
      )}
    </Reading>
  );
}
