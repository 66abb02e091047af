// Changes the password. Shows the strength of the new one, and can revoke all API keys too.
import { Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../../../contract/table.ts';
import { isWeak } from '../../../../../domain/password-strength.ts';
import { StrengthMeter } from '../../../components/credentials/strength-meter.tsx';
import { SaveCard } from '../../../components/form/save-card.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { useOperation } from '../../../data/use-operation.ts';

export function PasswordCard() {
  const { t } = useTranslation(['settings', 'access']);
  const { data: state } = useOperation('panelState', {});
  const hasFactor = state?.two_factor === true;
  const initial = { password: '', code: '', new_password: '', repeat: '', revoke_keys: false };
  const form = useOperationForm({
    operation: 'changePassword',
    initial,
    toInput: ({ password, code, new_password, revoke_keys }) => ({
      password,
      ...(hasFactor && { code: code.trim() }),
      new_password,
      revoke_keys,
    }),
    check: ({ new_password, repeat }): Record<string, string> => ({
      ...(new_password === repeat ? {} : { repeat: t('access:setUp.mismatch') }),
      ...(isWeak(new_password, state?.signed_in?.name ?? '') && { new_password: t('access:strength.weak') }),
    }),
    describeField: (_field, code) => (code === 'common_password' ? t('access:strength.common') : undefined),
    message: (output) => ({ text: describeResult(output) }),
    onDone() {
      form.form.setValues(initial);
      form.form.resetDirty({ ...form.form.getValues(), ...initial });
    },
  });
  const { getInputProps, getValues } = form.form;
  return (
    <SaveCard
      title={t('settings:security.password.title')}
      description={t('settings:security.password.description')}
      action={t('settings:security.password.submit')}
      form={form}
    >
      <PasswordInput
        label={t('settings:security.password.new')}
        autoComplete="new-password"
        {...getInputProps('new_password')}
      />
      {getValues().new_password !== '' && (
        <>
          <PasswordInput
            label={t('settings:security.password.present')}
            autoComplete="current-password"
            {...getInputProps('password')}
          />
          {hasFactor && (
            <TextInput
              label={t('access:signIn.code')}
              description={t('access:signIn.codeHint')}
              autoComplete="one-time-code"
              spellCheck={false}
              {...getInputProps('code')}
            />
          )}
          <StrengthMeter password={getValues().new_password} name={state?.signed_in?.name ?? ''} />
          <PasswordInput
            label={t('settings:security.password.repeat')}
            autoComplete="new-password"
            {...getInputProps('repeat')}
          />
          <Checkbox
            label={t('settings:security.password.revoke')}
            description={t('settings:security.password.revokeHint')}
            {...getInputProps('revoke_keys', { type: 'checkbox' })}
          />
        </>
      )}
    </SaveCard>
  );

  function describeResult({ sessions_ended, keys_revoked }: Output<'changePassword'>): string {
    const parts: string[] = [t('settings:security.password.done')];
    if (sessions_ended > 0) parts.push(t('settings:security.password.ended', { count: sessions_ended }));
    if (keys_revoked > 0) parts.push(t('settings:security.password.revoked', { count: keys_revoked }));
    return parts.join(' · ');
  }
}
