// An act that needs the password: what will happen and what it breaks, then the proof, then it is done.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../../../contract/table.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { FormFailure } from '../../../components/form/form-failure.tsx';
import type { Message } from '../../../state/messages.ts';
import classes from './parts.module.css';
import { ProofFields, withoutProof } from './proof-fields.tsx';
import { type ProvenFormOptions, type Unproven, useProvenForm } from './use-proven-form.ts';

type ActId = 'rotateSecretPath' | 'renewCertificate' | 'disableTwoFactor' | 'renewRecoveryCodes';

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
