// The password, and the code where the second factor is on: what proves that it is the administrator who asks.
import { PasswordInput, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { PanelCallError } from '../../../../../contract/client.ts';
import { useOperation } from '../../../data/use-operation.ts';
import classes from './parts.module.css';

export interface ProofFieldsProps {
  readonly form: {
    readonly form: { getInputProps(field: 'password' | 'code'): GetInputPropsReturnType };
    readonly failure: PanelCallError | null;
  };
  /** Takes the focus when a dialog opens. */
  readonly isFirst?: boolean;
}

export function ProofFields({ form: { form, failure }, isFirst = false }: ProofFieldsProps) {
  const { t } = useTranslation(['settings', 'errors', 'access']);
  const { data: state } = useOperation('panelState', {});
  const password = form.getInputProps('password');
  const wrong = failure?.code === 'wrong_password' ? t('errors:code.wrong_password') : undefined;
  return (
    <div className={classes.proof}>
      {/* Password managers want to know whose it is. */}
      <input
        type="text"
        autoComplete="username"
        value={state?.signed_in?.name ?? ''}
        readOnly
        hidden
        aria-hidden
        tabIndex={-1}
      />
      <PasswordInput
        label={t('settings:proof.password')}
        autoComplete="current-password"
        data-autofocus={isFirst || undefined}
        {...password}
        error={password.error ?? wrong}
      />
      {state?.two_factor && (
        <TextInput
          label={t('settings:proof.code')}
          description={t('access:signIn.codeHint')}
          autoComplete="one-time-code"
          inputMode="text"
          spellCheck={false}
          {...form.getInputProps('code')}
        />
      )}
    </div>
  );
}

/** What is to be said at the foot of a form whose password stands in ProofFields: all but that it was wrong. */
export function withoutProof(failure: PanelCallError | null): PanelCallError | null {
  return failure?.code === 'wrong_password' ? null : failure;
}
