// Settings, Backups: places for copies, the list of backups on this machine, the schedule, and restoring.

import { Button, PasswordInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { FormFailure } from '../../../components/form/form-failure.tsx';
import card from '../../../components/form/save-card.module.css';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { SectionCard } from '../../../components/page.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { Reading } from '../parts/parts.tsx';
import { ListCard } from './list-card.tsx';
import { PlacesCard } from './places-card.tsx';
import { RestoreDrawer } from './restore-drawer.tsx';
import { ScheduleCard } from './schedule-card.tsx';

export function BackupsSection() {
  const { t } = useTranslation('settings');
  const backups = useOperation('listBackups', {}, { pollMs: 60_000 });
  const admins = useOperation('getBotAdmins', {});
  const hasChats = (admins.data?.items.length ?? 0) > 0;
  return (
    <Reading title={t('backups.list.title')} query={backups} height={200}>
      {({ items, folder, schedule }) => (
        <>
          <PlacesCard />
          <ListCard backups={items} folder={folder} hasChats={hasChats} />
          <MakeCard />
          <ScheduleCard schedule={schedule} />
          <RestoreDrawer backups={items} />
        </>
      )}
    </Reading>
  );
}

// Creates a backup now, with or without a passphrase.

export function MakeCard() {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const form = useOperationForm({
    operation: 'createBackup',
    initial: { passphrase: '' },
    toInput: ({ passphrase }) => (passphrase === '' ? {} : { passphrase }),
    message: ({ size_bytes }) => ({ text: t('backups.make.done', { size: format.bytes(size_bytes) }) }),
    onDone: () => form.form.reset(),
  });
  return (
    <form noValidate onSubmit={form.submit}>
      <SectionCard
        title={t('backups.make.title')}
        description={t('backups.make.description')}
        footer={
          <Button type="submit" loading={form.isBusy}>
            {t('backups.make.submit')}
          </Button>
        }
      >
        <div className={card.fields}>
          <PasswordInput
            label={t('backups.make.passphrase')}
            description={t('backups.make.passphraseHint')}
            autoComplete="new-password"
            {...form.form.getInputProps('passphrase')}
          />
          <FormFailure failure={form.failure} />
        </div>
      </SectionCard>
    </form>
  );
}
