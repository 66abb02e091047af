// Turns the second factor on: enter the password, scan the code, enter a code from the app, save the recovery codes.
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PanelCallError } from '../../../../contract/client.ts';
import type { Output } from '../../../../contract/table.ts';
import { useAct } from '../../data/use-act.ts';
import { CopyButton } from '../copy-button.tsx';
import { FormFailure } from '../form/form-failure.tsx';
import { QrCode } from '../qr-code.tsx';
import classes from './credentials.module.css';
import { RecoveryCodes } from './recovery-codes.tsx';

interface TwoFactorEnrolProps {
  /** As typed a moment ago, so that it is not asked for twice. */
  readonly password?: string;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

type Secret = Output<'beginTwoFactor'>;

export function TwoFactorEnrol({ password, onDone, onCancel }: TwoFactorEnrolProps) {
  const [secret, setSecret] = useState<Secret | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes !== null) return <RecoveryCodes codes={codes} onDone={onDone} />;
  if (secret !== null) return <Scan secret={secret} onConfirmed={setCodes} onCancel={onCancel} />;
  return <Proof {...(password !== undefined && { known: password })} onProven={setSecret} onCancel={onCancel} />;
}

interface ProofProps {
  readonly known?: string;
  readonly onProven: (secret: Secret) => void;
  readonly onCancel: () => void;
}

function Proof({ known, onProven, onCancel }: ProofProps) {
  const { t } = useTranslation(['access', 'common']);
  const [typed, setTyped] = useState(known ?? '');
  const [failure, setFailure] = useState<PanelCallError | null>(null);
  const { run, isRunning } = useAct('beginTwoFactor');
  const isAsked = useRef(false);
  const begin = async (password: string) => {
    setFailure(null);
    try {
      onProven(await run({ password }));
    } catch (reason) {
      if (!(reason instanceof PanelCallError)) throw reason;
      setFailure(reason);
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with what was typed before this was shown.
  useEffect(() => {
    if (known === undefined || isAsked.current) return;
    isAsked.current = true;
    void begin(known);
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void begin(typed);
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <PasswordInput
        label={t('access:signIn.password')}
        description={t('access:twoFactor.proof')}
        autoComplete="current-password"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        data-autofocus
      />
      <FormFailure failure={failure} />
      <div className={classes.buttons}>
        <Button variant="default" onClick={onCancel}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" loading={isRunning} disabled={typed === ''}>
          {t('access:twoFactor.next')}
        </Button>
      </div>
    </form>
  );
}

interface ScanProps {
  readonly secret: Secret;
  readonly onConfirmed: (codes: readonly string[]) => void;
  readonly onCancel: () => void;
}

function Scan({ secret, onConfirmed, onCancel }: ScanProps) {
  const { t } = useTranslation(['access', 'common']);
  const [code, setCode] = useState('');
  const [failure, setFailure] = useState<PanelCallError | null>(null);
  const { run, isRunning } = useAct('confirmTwoFactor');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setFailure(null);
    try {
      const { recovery_codes } = await run({ code: code.trim() });
      onConfirmed(recovery_codes);
    } catch (reason) {
      if (!(reason instanceof PanelCallError)) throw reason;
      setFailure(reason);
    }
  };
  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)}>
      <p className={classes.text}>{t('access:twoFactor.scan')}</p>
      <div className={classes.qr}>
        <QrCode value={secret.uri} label={t('access:twoFactor.qr')} size={192} />
      </div>
      <div className={classes.secret}>
        <code>{secret.secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
        <CopyButton value={secret.secret} label={t('access:twoFactor.copySecret')} />
      </div>
      <TextInput
        label={t('access:twoFactor.code')}
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={12}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        data-autofocus
      />
      <FormFailure failure={failure} />
      <div className={classes.buttons}>
        <Button variant="default" onClick={onCancel}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" loading={isRunning} disabled={code.trim() === ''}>
          {t('access:twoFactor.confirm')}
        </Button>
      </div>
    </form>
  );
}
