// The way back from a backup: it is checked first, then said what will happen, then proven and done.
import { Button, PasswordInput } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Backup } from '../../../../../contract/backups.ts';
import type { PanelCallError } from '../../../../../contract/client.ts';
import type { Output } from '../../../../../contract/table.ts';
import { FormFailure } from '../../../components/form/form-failure.tsx';
import { DrawerSection, RecordDrawer } from '../../../components/record-drawer.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { hashOf } from '../../../router/route.ts';
import { leave, useRoute } from '../../../router/router.ts';
import { Notice } from '../parts/notice.tsx';
import rows from '../parts/rows.module.css';
import { CheckFacts } from './check-facts.tsx';
import { Restored, RestoreForm } from './restore-form.tsx';

/** At `#/settings/backups/<name>`. */
export function RestoreDrawer({ backups }: { readonly backups: readonly Backup[] }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const name = useRoute().path[2];
  const backup = backups.find((one) => one.name === name);
  const close = () => leave(hashOf(['settings', 'backups']));
  if (backup === undefined) return null;
  return (
    <RecordDrawer
      isOpen
      onClose={close}
      title={t('backups.restore.title')}
      subtitle={t('backups.restore.of', { when: format.moment(backup.created_at, 'dateTime') })}
      width={560}
    >
      <Steps key={backup.name} backup={backup} onClose={close} />
    </RecordDrawer>
  );
}

interface StepsProps {
  readonly backup: Backup;
  readonly onClose: () => void;
}

function Steps({ backup: { name, encrypted }, onClose }: StepsProps) {
  const { t } = useTranslation('settings');
  const [passphrase, setPassphrase] = useState('');
  const [verdict, setVerdict] = useState<Output<'checkBackup'> | null>(null);
  const [failure, setFailure] = useState<PanelCallError | null>(null);
  const [restored, setRestored] = useState<Output<'restoreBackup'> | null>(null);
  const { start, isRunning } = useAct('checkBackup', { onDone: setVerdict, onFailure: setFailure });
  const check = () => {
    setFailure(null);
    setVerdict(null);
    start({ name, ...(passphrase !== '' && { passphrase }) });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for a backup that opens without a passphrase.
  useEffect(() => {
    if (!encrypted) check();
  }, []);
  if (restored !== null) return <Restored restored={restored} onClose={onClose} />;
  return (
    <>
      {encrypted && (
        <DrawerSection>
          <form
            className={rows.stack}
            noValidate
            onSubmit={(event: FormEvent) => {
              event.preventDefault();
              check();
            }}
          >
            <p>{t('backups.restore.needsPassphrase')}</p>
            <PasswordInput
              label={t('backups.restore.passphrase')}
              autoComplete="off"
              value={passphrase}
              onChange={(event) => setPassphrase(event.currentTarget.value)}
              data-autofocus
            />
            <div>
              <Button type="submit" variant="default" loading={isRunning} disabled={passphrase === ''}>
                {t('backups.restore.check')}
              </Button>
            </div>
          </form>
        </DrawerSection>
      )}
      {isRunning && (
        <DrawerSection>
          <p role="status">{t('backups.restore.checking')}</p>
          <Skeleton height={72} />
        </DrawerSection>
      )}
      {failure !== null && (
        <DrawerSection>
          <FormFailure failure={failure} />
        </DrawerSection>
      )}
      {verdict !== null && verdict.problem !== null && (
        <DrawerSection>
          <Notice tone="bad">{t(`backups.restore.problem.${verdict.problem}`)}</Notice>
        </DrawerSection>
      )}
      {verdict?.ok && (
        <>
          <DrawerSection>
            <Notice tone="ok">{t('backups.restore.good')}</Notice>
            <CheckFacts verdict={verdict} />
          </DrawerSection>
          <RestoreForm name={name} passphrase={passphrase} verdict={verdict} onDone={setRestored} />
        </>
      )}
    </>
  );
}
