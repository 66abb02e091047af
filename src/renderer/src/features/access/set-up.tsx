// Setup: a one-time link creates the administrator. Its token follows the `#`, so that no server receives it in an address.
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { SETUP_HERE } from '../../../../bridge/desktop-api.ts';
import { isWeak } from '../../../../domain/password-strength.ts';
import { StrengthMeter } from '../../components/credentials/strength-meter.tsx';
import { TwoFactorEnrol } from '../../components/credentials/two-factor-enrol.tsx';
import { useCanSeal, VaultRemedy } from '../../components/credentials/vault-remedy.tsx';
import { FormFailure } from '../../components/form/form-failure.tsx';
import { useOperationForm } from '../../components/form/use-operation-form.ts';
import { useHost, usePanelCommand } from '../../data/host.ts';
import { buildQueryKey, useOperation } from '../../data/use-operation.ts';
import { useLocale } from '../../i18n/use-locale.ts';
import { buildHash } from '../../router/route.ts';
import { navigate, useRoute } from '../../router/router.ts';
import { beginSession } from '../../state/session.ts';
import classes from './access.module.css';
import { AccessPage } from './access-page.tsx';
import { ThisComputer } from './this-computer.tsx';

export function SetUp() {
  const { path } = useRoute();
  const { shell } = useHost();
  const { data: state } = useOperation('panelState', {});
  // The password typed in the form, for the next step; never stored.
  const [password, setPassword] = useState<string>();
  const link = path[0] === 'setup' ? path[1] : undefined;
  const token = shell === null ? link : SETUP_HERE;
  if (state?.signed_in && path[1] === 'done') return <Done password={password} />;
  if (state?.set_up) return <AlreadySetUp />;
  if (token === undefined) return <Notice title="needLinkTitle" text="needLinkText" />;
  return <SetUpForm token={token} onDone={setPassword} />;
}

interface NoticeProps {
  readonly title: 'needLinkTitle' | 'deadTitle';
  readonly text: 'needLinkText' | 'deadText';
}

function Notice({ title, text }: NoticeProps) {
  const { t } = useTranslation('access');
  const values = { command: `${usePanelCommand()} setup` };
  return (
    <AccessPage title={t(`setUp.${title}`)}>
      <p className={classes.text}>
        <Trans t={t} i18nKey={`setUp.${text}`} values={values} components={{ command: <code /> }} />
      </p>
    </AccessPage>
  );
}

function AlreadySetUp() {
  const { t } = useTranslation(['errors', 'access']);
  return (
    <AccessPage title={t('access:signIn.title')}>
      <div className={classes.stack}>
        <p className={classes.text}>{t('errors:code.already_set_up')}</p>
        <Button fullWidth onClick={() => navigate(buildHash([]), { replace: true })}>
          {t('access:signIn.title')}
        </Button>
      </div>
    </AccessPage>
  );
}

interface SetUpFormProps {
  readonly token: string;
  readonly onDone: (password: string) => void;
}

function SetUpForm({ token, onDone }: SetUpFormProps) {
  const { t } = useTranslation('access');
  const queries = useQueryClient();
  const language = useLocale();
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const { form, failure, isBusy, submit } = useOperationForm({
    operation: 'setUp',
    initial: { name: '', password: '', repeat: '' },
    toInput: ({ name, password }) => ({ token, name: name.trim(), password, language }),
    check: ({ name, password, repeat }): Record<string, string> => ({
      ...(password === repeat ? {} : { repeat: t('setUp.mismatch') }),
      ...(isWeak(password, name.trim()) && { password: t('strength.weak') }),
    }),
    describeField: (_field, code) => (code === 'common_password' ? t('strength.common') : undefined),
    onDone: async (_administrator, { password: typed }) => {
      onDone(typed);
      navigate(buildHash(['setup', 'done']), { replace: true });
      beginSession();
      await queries.refetchQueries({ queryKey: buildQueryKey('panelState', {}) });
    },
  });
  const { name, password } = form.getValues();
  // The link was used, has expired, or is invalid.
  if (failure?.code === 'not_found') return <Notice title="deadTitle" text="deadText" />;
  return (
    <AccessPage title={t('setUp.title')} subtitle={t('setUp.subtitle')}>
      <form className={classes.form} noValidate onSubmit={submit}>
        <TextInput
          ref={first}
          label={t('setUp.name')}
          description={t('setUp.nameHint')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('name')}
        />
        <PasswordInput label={t('setUp.password')} autoComplete="new-password" {...form.getInputProps('password')} />
        <StrengthMeter password={password} name={name.trim()} />
        <PasswordInput label={t('setUp.repeat')} autoComplete="new-password" {...form.getInputProps('repeat')} />
        <FormFailure failure={failure} />
        <Button type="submit" fullWidth loading={isBusy}>
          {t('setUp.submit')}
        </Button>
      </form>
    </AccessPage>
  );
}

/** The administrator is created and signed in: offers the second factor if its secret can be sealed. */
function Done({ password }: { readonly password: string | undefined }) {
  const { t } = useTranslation('access');
  const [isEnrolling, setEnrolling] = useState(false);
  const [isChoosing, setChoosing] = useState(false);
  const canSeal = useCanSeal();
  const { shell } = useHost();
  const enter = () => navigate(buildHash([]), { replace: true });
  const proceed = shell === null ? enter : () => setChoosing(true);
  if (shell !== null && isChoosing) return <ThisComputer shell={shell} onDone={enter} />;
  if (isEnrolling) {
    return (
      <AccessPage title={t('twoFactor.title')}>
        <TwoFactorEnrol
          {...(password !== undefined && { password })}
          onDone={proceed}
          onCancel={() => setEnrolling(false)}
        />
      </AccessPage>
    );
  }
  return (
    <AccessPage title={t('setUp.doneTitle')} subtitle={t('setUp.doneText')}>
      <Offer canSeal={canSeal} onEnrol={() => setEnrolling(true)} onLater={proceed} />
    </AccessPage>
  );
}

interface OfferProps {
  /** null: not known yet. */
  readonly canSeal: boolean | null;
  readonly onEnrol: () => void;
  readonly onLater: () => void;
}

function Offer({ canSeal, onEnrol, onLater }: OfferProps) {
  const { t } = useTranslation('access');
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (canSeal !== null) box.current?.querySelector('button')?.focus();
  }, [canSeal]);
  return (
    <div ref={box} className={classes.stack}>
      {canSeal === false ? (
        <VaultRemedy />
      ) : (
        <Button fullWidth disabled={canSeal === null} onClick={onEnrol}>
          {t('setUp.twoFactor')}
        </Button>
      )}
      <Button fullWidth variant="default" onClick={onLater}>
        {t('setUp.later')}
      </Button>
    </div>
  );
}
