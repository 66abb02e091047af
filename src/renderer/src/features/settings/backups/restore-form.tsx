// Restores a backup that has been checked: what happens, what stays, the proof; and afterwards what has come of it.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../../../contract/table.ts';
import { FormFailure } from '../../../components/form/form-failure.tsx';
import { DrawerSection } from '../../../components/record-drawer.tsx';
import { Notice } from '../parts/notice.tsx';
import { ProofFields, withoutProof } from '../parts/proof-fields.tsx';
import rows from '../parts/rows.module.css';
import { useProvenForm } from '../parts/use-proven-form.ts';

interface RestoreFormProps {
  readonly name: string;
  readonly passphrase: string;
  readonly verdict: Output<'checkBackup'>;
  readonly onDone: (restored: Output<'restoreBackup'>) => void;
}

export function RestoreForm({ name, passphrase, verdict, onDone }: RestoreFormProps) {
  const { t } = useTranslation('settings');
  const form = useProvenForm({
    operation: 'restoreBackup',
    initial: {},
    toInput: () => ({ name, ...(passphrase !== '' && { passphrase }) }),
    onDone,
  });
  return (
    <DrawerSection title={t('backups.restore.whatTitle')}>
      <form className={rows.stack} noValidate onSubmit={form.submit}>
        <ul className={rows.points}>
          <li>{t('backups.restore.replaced')}</li>
          <li>{t('backups.restore.stays')}</li>
          <li>{t('backups.restore.links')}</li>
          <li>{t('backups.restore.sessions')}</li>
          <li>{t('backups.restore.former')}</li>
        </ul>
        {verdict.secrets === 'left_out' && <Notice tone="warn">{t('backups.restore.leftOut')}</Notice>}
        <ProofFields form={form} />
        <FormFailure failure={withoutProof(form.failure)} />
        <div>
          <Button type="submit" color="red" loading={form.isBusy}>
            {t('backups.restore.submit')}
          </Button>
        </div>
      </form>
    </DrawerSection>
  );
}

interface RestoredProps {
  readonly restored: Output<'restoreBackup'>;
  readonly onClose: () => void;
}

export function Restored({ restored: { restored, former, links_url }, onClose }: RestoredProps) {
  const { t } = useTranslation('settings');
  return (
    <DrawerSection>
      <Notice
        tone="ok"
        title={t('backups.restore.done')}
        actions={<Button onClick={onClose}>{t('backups.restore.close')}</Button>}
      >
        <div className={rows.stack}>
          {restored.users !== null && <p>{t('backups.restore.doneText', { count: restored.users })}</p>}
          <p>{t('backups.restore.formerIs', { name: former })}</p>
          <p>{t('backups.restore.linksAre', { url: links_url })}</p>
        </div>
      </Notice>
    </DrawerSection>
  );
}
