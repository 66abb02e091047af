// Turns the second factor on: scan the code, enter a code from the app, save the recovery codes.
import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PanelCallError } from '../../../../contract/client.ts';
import type { Output } from '../../../../contract/table.ts';
import { useAct } from '../../data/use-act.ts';
import { CopyButton } from '../copy-button.tsx';
import { FormFailure } from '../form/form-failure.tsx';
import { QrCode } from '../qr-code.tsx';
import { Skeleton } from '../skeleton.tsx';
import classes from './credentials.module.css';
import { RecoveryCodes } from './recovery-codes.tsx';
import { VaultRemedy } from './vault-remedy.tsx';

interface TwoFactorEnrolProps {
  /** A password that was just typed, so that it is not asked for again. */
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
  return <Begin {...(password !== undefined && { password })} onBegun={setSecret} onCancel={onCancel} />;
}

interface BeginProps {
  readonly password?: string;
  readonly onBegun: (secret: Secret) => void;
  readonly onCancel: () => void;
}

/** Requests the secret at once; asks for proof if no password was passed. */
function Begin({ password, onBegun, onCancel }: BeginProps) {
  const { t } = useTranslation(['access', 'common']);
  const [failure, setFailure] = useState<PanelCallError | null>(null);
  const { run } = useAct('beginTwoFactor');
  const isAsked = useRef(false);
  const begin = async () => {
    setFailure(null);
    try {
      onBegun(await run(password === undefined ? {} : { password }));
    } catch (reason) {
      if (!(reason instanceof PanelCallError)) throw reason;
      if (reason.code === 'proof_required') onCancel();
      else setFailure(reason);
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when this is shown.
  useEffect(() => {
    if (isAsked.current) return;
    isAsked.current = true;
    void begin();
  }, []);
  return (
    <div className={classes.form}>
      {failure === null && <Skeleton height={192} />}
      {failure?.code === 'vault_unavailable' ? <VaultRemedy /> : <FormFailure failure={failure} />}
      <div className={classes.buttons}>
        <Button variant="default" onClick={onCancel}>
          {t('common:cancel')}
        </Button>
        {failure !== null && <Button onClick={() => void begin()}>{t('access:twoFactor.next')}</Button>}
      </div>
    </div>
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
  const field = useRef<HTMLInputElement>(null);
  // The element that had the focus has been removed; the code is typed next.
  useEffect(() => field.current?.focus(), []);
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
        ref={field}
        label={t('access:twoFactor.code')}
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={12}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
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
