// Makes a backup now, with a passphrase or without.
import { Button, PasswordInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { FormFailure } from '../../../components/form/form-failure.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { SectionCard } from '../../../components/page.tsx';
import { useFormat } from '../../../format/use-format.tsx';
import parts from '../parts/parts.module.css';

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
        <div className={parts.fields}>
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
