// Asks for the password, and for a code if the second factor is on, before an operation that exports data or weakens security.
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PanelCallError } from '../../../../contract/client.ts';
import { useProofQuestion } from '../../data/proof.ts';
import { useOperation } from '../../data/use-operation.ts';
import { Dialog } from '../dialog.tsx';
import { FormFailure } from '../form/form-failure.tsx';
import classes from './credentials.module.css';

/** Rendered once for the whole application: any call can open it (data/proof.ts). */
export function ProofDialog() {
  const { t } = useTranslation('access');
  const question = useProofQuestion((state) => state.question);
  return (
    <Dialog isOpen={question !== null} onClose={() => question?.cancel()} title={t('proof.title')}>
      {question !== null && <Fields onProve={question.answer} onCancel={question.cancel} />}
    </Dialog>
  );
}

interface FieldsProps {
  readonly onProve: (proof: { password: string; code?: string }) => Promise<void>;
  readonly onCancel: () => void;
}

function Fields({ onProve, onCancel }: FieldsProps) {
  const { t } = useTranslation(['access', 'common', 'errors']);
  const { data: state } = useOperation('panelState', {});
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<PanelCallError | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const hasFactor = state?.two_factor === true;
  const isWrong = failure?.code === 'wrong_password';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // React events bubble to the page that rendered the dialog; its forms must not handle them.
    event.stopPropagation();
    if (isBusy) return;
    setBusy(true);
    setFailure(null);
    try {
      await onProve({ password, ...(hasFactor && { code: code.trim() }) });
    } catch (reason) {
      if (!(reason instanceof PanelCallError)) throw reason;
      setFailure(reason);
      setCode('');
      setBusy(false);
      requestAnimationFrame(() => field.current?.select());
    }
  };
  return (
    <form className={classes.form} noValidate onSubmit={(event) => void submit(event)}>
      <p className={classes.text}>{t('access:proof.text')}</p>
      {/* For password managers: whose password it is. */}
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
        ref={field}
        label={t('access:signIn.password')}
        autoComplete="current-password"
        data-autofocus
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={isWrong ? t('errors:code.wrong_password') : undefined}
      />
      {hasFactor && (
        <TextInput
          label={t('access:signIn.code')}
          description={t('access:signIn.codeHint')}
          autoComplete="one-time-code"
          spellCheck={false}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
      )}
      <FormFailure failure={isWrong ? null : failure} />
      <div className={classes.buttons}>
        <Button variant="default" onClick={onCancel}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" loading={isBusy} disabled={password === '' || (hasFactor && code.trim() === '')}>
          {t('access:proof.submit')}
        </Button>
      </div>
    </form>
  );
}
