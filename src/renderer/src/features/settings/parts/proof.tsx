// A form whose operation asks for the password, and for a code if the second factor is on: both are typed with the change.

import { Button, PasswordInput, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { PanelCallError } from '../../../../../contract/client.ts';
import type { OperationId, Output } from '../../../../../contract/table.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { FormFailure } from '../../../components/form/form-failure.tsx';
import {
  type OperationForm,
  type OperationFormOptions,
  useOperationForm,
} from '../../../components/form/use-operation-form.ts';
import { type CallInput, useOperation } from '../../../data/use-operation.ts';
import type { Message } from '../../../state/messages.ts';
import classes from './parts.module.css';

interface Proof extends Record<string, unknown> {
  readonly password: string;
  readonly code: string;
}

/** The operations that ask for the password. */
type ProvenId = {
  [Id in OperationId]: CallInput<Id> extends { readonly password: string; code?: unknown } ? Id : never;
}[OperationId];

/** What the operation takes besides the proof. */
type Unproven<Id extends OperationId> = Omit<CallInput<Id>, 'password' | 'code'>;

export interface ProvenFormOptions<Id extends ProvenId, Values extends Record<string, unknown>>
  extends Omit<OperationFormOptions<Id, Values>, 'toInput'> {
  toInput(values: Values): Unproven<Id>;
}

export type ProvenForm<Values extends Record<string, unknown> = Record<string, unknown>> = OperationForm<
  Values & Proof
>;

export function useProvenForm<Id extends ProvenId, Values extends Record<string, unknown>>(
  options: ProvenFormOptions<Id, Values>,
): ProvenForm<Values> {
  const { initial, toInput, check, onDone, ...rest } = options;
  const { t } = useTranslation('errors');
  const { data: state } = useOperation('panelState', {});
  const made: ProvenForm<Values> = useOperationForm<Id, Values & Proof>({
    ...rest,
    operation: options.operation,
    initial: { ...initial, password: '', code: '' },
    toInput(values) {
      const { password, code } = values;
      const proof = { password, ...(state?.two_factor && { code: code.trim() }) };
      return { ...toInput(values), ...proof } as unknown as CallInput<Id>;
    },
    check: (values) => ({
      ...(values.password === '' && { password: t('field.required') }),
      ...(state?.two_factor && values.code.trim() === '' && { code: t('field.required') }),
      ...check?.(values),
    }),
    onDone(output, input) {
      made.form.setValues({ password: '', code: '' } as unknown as Values & Proof);
      made.form.resetDirty({ ...made.form.getValues(), password: '', code: '' });
      onDone?.(output, input);
    },
  });
  return made;
}

// The password, and the code if the second factor is on: the proof that the administrator asks.

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

/** The failure to show at the foot of a form with ProofFields: a wrong password is shown at its field instead. */
export function withoutProof(failure: PanelCallError | null): PanelCallError | null {
  return failure?.code === 'wrong_password' ? null : failure;
}

// An act that needs the password: what will happen and what it breaks, then the proof, then it is done.

type ActId =
  | 'rotateSecretPath'
  | 'rotateWebhookSecret'
  | 'renewCertificate'
  | 'disableTwoFactor'
  | 'renewRecoveryCodes';

interface ProofDialogProps<Id extends ActId> {
  readonly operation: Id;
  readonly input: Unproven<Id>;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What will happen and what it breaks. */
  readonly children: ReactNode;
  /** The verb on the button. */
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly message?: (output: Output<Id>) => Message;
  readonly onDone?: (output: Output<Id>) => void;
}

export function ProofDialog<Id extends ActId>(props: ProofDialogProps<Id>) {
  const { isOpen, onClose, title } = props;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
      <Question {...props} />
    </Dialog>
  );
}

function Question<Id extends ActId>(props: ProofDialogProps<Id>) {
  const { operation, input, onClose, children, action, isDangerous = false, message, onDone } = props;
  const { t } = useTranslation('common');
  const options: ProvenFormOptions<Id, Record<string, never>> = {
    operation,
    initial: {},
    toInput: () => input,
    ...(message && { message }),
    onDone: (output) => {
      onClose();
      onDone?.(output);
    },
  };
  const form = useProvenForm<Id, Record<string, never>>(options);
  return (
    <form className={classes.dialog} noValidate onSubmit={form.submit}>
      <div className={classes.fields}>
        <div className={classes.text}>{children}</div>
        <ProofFields form={form} isFirst />
        <FormFailure failure={withoutProof(form.failure)} />
      </div>
      <div className={classes.dialogActions}>
        <Button variant="default" onClick={onClose}>
          {t('cancel')}
        </Button>
        <Button type="submit" color={isDangerous ? 'red' : 'indigo'} loading={form.isBusy}>
          {action}
        </Button>
      </div>
    </form>
  );
}
