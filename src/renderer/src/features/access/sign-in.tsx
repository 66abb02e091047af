// Sign-in: name, password, and a code if the panel asks for one. Also shown over a page whose session has ended, which stays mounted.
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { PanelCallError } from '../../../../contract/client.ts';
import { useFailureText } from '../../components/failure.ts';
import { useHost, usePanelCommand } from '../../data/host.ts';
import { usePanel } from '../../data/panel.tsx';
import { buildQueryKey, useOperation } from '../../data/use-operation.ts';
import { PRODUCT } from '../../router/title.ts';
import { beginSession } from '../../state/session.ts';
import classes from './access.module.css';
import { AccessPage } from './access-page.tsx';
import { useCountdown } from './use-countdown.ts';

interface SignInProps {
  /** Shown over the page, whose input stays. */
  readonly isOverlay?: boolean;
}

export function SignIn({ isOverlay = false }: SignInProps) {
  const { t } = useTranslation(['access', 'frame']);
  const title = useOperation('panelState', {}).data?.panel_title ?? PRODUCT;
  const { kind } = useHost();
  const command = usePanelCommand();
  if (!isOverlay) {
    return (
      <AccessPage
        title={t('access:signIn.title')}
        subtitle={t(kind === 'desktop' ? 'access:signIn.here' : 'access:signIn.subtitle', {
          title,
          host: location.host,
        })}
        foot={
          <Trans
            t={t}
            i18nKey="access:signIn.forgot"
            values={{ command: `${command} reset-password` }}
            components={{ command: <code /> }}
          />
        }
      >
        <SignInForm />
      </AccessPage>
    );
  }
  return (
    <div className={classes.over} role="dialog" aria-modal="true" aria-label={t('frame:ended.title')}>
      <AccessPage title={t('frame:ended.title')} subtitle={t('frame:ended.hint')} isOverlay>
        <SignInForm />
      </AccessPage>
    </div>
  );
}

function SignInForm() {
  const { t } = useTranslation(['access', 'errors']);
  const describeFailure = useFailureText();
  const command = usePanelCommand();
  const { client } = usePanel();
  const queries = useQueryClient();
  const { data: state } = useOperation('panelState', {});
  const [failure, setFailure] = useState<PanelCallError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const wait = useCountdown();
  const isBusyPanel = failure?.code === 'sign_in_busy';
  const password = useRef<HTMLInputElement>(null);
  const first = useRef<HTMLInputElement>(null);

  useEffect(() => first.current?.focus(), []);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const code = String(fields.get('code') ?? '').trim();
    setBusy(true);
    setFailure(null);
    try {
      await client.signIn({
        name: String(fields.get('name') ?? ''),
        password: String(fields.get('password') ?? ''),
        ...(code !== '' && { code }),
      });
      beginSession();
      await queries.refetchQueries({ queryKey: buildQueryKey('panelState', {}) });
      void queries.invalidateQueries();
    } catch (reason) {
      if (!(reason instanceof PanelCallError)) throw reason;
      setFailure(reason);
      if (reason.retryAfter !== null) wait.begin(reason.retryAfter);
      password.current?.select();
    } finally {
      setBusy(false);
    }
  };

  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)}>
      <TextInput
        ref={first}
        name="name"
        label={t('signIn.name')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        withAsterisk={false}
        defaultValue={state?.signed_in?.name ?? ''}
      />
      <PasswordInput
        ref={password}
        name="password"
        label={t('signIn.password')}
        autoComplete="current-password"
        required
        withAsterisk={false}
      />
      {/* An unknown browser is not told whether a code is needed, so the field is always shown. */}
      {state?.two_factor !== false && (
        <TextInput
          name="code"
          label={t('signIn.code')}
          description={t(state?.two_factor ? 'signIn.codeHint' : 'signIn.codeIfOn')}
          autoComplete="one-time-code"
          inputMode="text"
          required={state?.two_factor === true}
          withAsterisk={false}
        />
      )}
      <div role="alert">
        {failure !== null && (
          <p className={classes.failure}>
            {wait.left > 0
              ? `${t(`errors:code.${isBusyPanel ? 'sign_in_busy' : 'slow_down'}`)} ${t('signIn.wait', { count: wait.left })}`
              : describeFailure(failure).text}
          </p>
        )}
        {isBusyPanel && (
          <p>
            <Trans
              t={t}
              i18nKey="signIn.busy"
              values={{ command: `${command} rotate-path` }}
              components={{ command: <code /> }}
            />
          </p>
        )}
      </div>
      <Button type="submit" fullWidth loading={isBusy} disabled={wait.left > 0}>
        {t('signIn.submit')}
      </Button>
    </form>
  );
}
