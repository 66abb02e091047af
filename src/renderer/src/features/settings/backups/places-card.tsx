// The list of backup places outside this machine, with state and form of each.
import { Button } from '@mantine/core';
import { IconCloudUpload, IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { BackupPlaceView } from '../../../../../contract/backup-places.ts';
import { placeErrorText } from '../../../components/failure.ts';
import { When } from '../../../components/figures.tsx';
import { SectionCard } from '../../../components/page.tsx';
import { EmptyState } from '../../../components/placeholder.tsx';
import { RecordDrawer } from '../../../components/record-drawer.tsx';
import { Mark, StateDot } from '../../../components/state.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { buildHash } from '../../../router/route.ts';
import { leave, useRoute } from '../../../router/router.ts';
import { Reading } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';
import { EditPlace, NewPlace } from './place-form.tsx';
import { describePlace, findPlaceTarget, PLACES_PATH } from './place-texts.ts';
import classes from './places.module.css';
import { usePeriod } from './schedule-card.tsx';

const IDLE_POLL_MS = 60_000;
const RUNNING_POLL_MS = 1500;

export function PlacesCard() {
  const { t } = useTranslation('settings');
  const { path } = useRoute();
  const places = useOperation('listBackupPlaces', {}, { pollMs: IDLE_POLL_MS });
  // Poll while a place is running: if the same failure is repeated, no event reports the end.
  const isRunning = places.data?.items.some(({ running }) => running) ?? false;
  useOperation('listBackupPlaces', {}, { enabled: isRunning, pollMs: RUNNING_POLL_MS });
  const opened = path[2] === 'places' ? path[3] : undefined;
  return (
    <>
      <Reading title={t('backups.places.title')} query={places} height={96}>
        {({ items }) => <Places places={items} />}
      </Reading>
      {opened === 'new' && <NewPlace />}
      {opened !== undefined && opened !== 'new' && places.data !== undefined && (
        <OpenedPlace place={places.data.items.find(({ id }) => String(id) === opened)} />
      )}
    </>
  );
}

function OpenedPlace({ place }: { readonly place: BackupPlaceView | undefined }) {
  const { t } = useTranslation('settings');
  // The key resets the form to saved values that arrive after it was opened.
  if (place !== undefined) return <EditPlace key={`${place.id} ${place.updated_at}`} place={place} />;
  return (
    <RecordDrawer isOpen onClose={() => leave(buildHash(['settings', 'backups']))} title={t('backups.places.title')}>
      <EmptyState size="small" title={t('backups.places.gone')} text={t('backups.places.goneHint')} />
    </RecordDrawer>
  );
}

function Places({ places }: { readonly places: readonly BackupPlaceView[] }) {
  const { t } = useTranslation('settings');
  const add = (
    <Button component="a" href={buildHash([...PLACES_PATH, 'new'])} leftSection={<IconPlus size={16} stroke={1.5} />}>
      {t('backups.places.add')}
    </Button>
  );
  return (
    <SectionCard
      title={t('backups.places.title')}
      description={t('backups.places.description')}
      actions={places.length > 0 ? add : undefined}
      flush
    >
      {places.length === 0 ? (
        <EmptyState
          size="small"
          icon={<IconCloudUpload size={20} stroke={1.5} />}
          title={t('backups.places.none')}
          text={t('backups.places.noneText')}
          action={add}
        />
      ) : (
        <ul className={rows.rows}>
          {places.map((place) => (
            <PlaceRow key={place.id} place={place} />
          ))}
        </ul>
      )}
    </SectionCard>
  );
}

function PlaceRow({ place }: { readonly place: BackupPlaceView }) {
  const { t } = useTranslation('settings');
  const { t: errors } = useTranslation('errors');
  const period = usePeriod();
  const { id, kind, name, encrypted, every_hours, running, last_at, error, error_at } = place;
  const look = describePlace(place);
  const begin = useAct('backUpToPlace', { message: () => ({ text: t('backups.places.begun', { name }) }) });
  return (
    <li className={rows.row}>
      <div className={rows.rowMain}>
        <span className={rows.rowName}>
          <a className={classes.name} href={buildHash([...PLACES_PATH, id])}>
            {name}
          </a>
          {!encrypted && <Mark tone="warn">{t('backups.places.clear')}</Mark>}
        </span>
        <span className={rows.rowFacts}>
          <StateDot state={look.state} label={t(look.text)} />
          <span>{t(`backups.places.kind.${kind}`)}</span>
          <span>{findPlaceTarget(place) ?? t('backups.places.accounts')}</span>
          <span>{every_hours === null ? t('backups.places.onRequest') : period(every_hours)}</span>
          {last_at !== null && (
            <When
              at={last_at}
              text={(when) => t(kind === 'chat' ? 'backups.places.sent' : 'backups.places.stored', { when })}
            />
          )}
        </span>
        {error !== null && !running && (
          <span className={classes.failure}>
            {placeErrorText(errors, error)}{' '}
            {error_at !== null && <When at={error_at} text={(when) => t('backups.places.failed', { when })} />}
          </span>
        )}
      </div>
      <div className={rows.rowActs}>
        <Button
          variant="default"
          loading={running || begin.isRunning}
          onClick={() => begin.start({ id })}
          aria-label={t('backups.places.nowOf', { name })}
        >
          {t('backups.places.now')}
        </Button>
      </div>
    </li>
  );
}
