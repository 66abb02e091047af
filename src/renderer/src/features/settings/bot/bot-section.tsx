// Settings, Telegram bot: its state, and the form of token and connection, which are tested before they are saved.
import { Button, PasswordInput, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BOT_TOKEN, type Bot, isProxy } from '../../../../../contract/bot/bot.ts';
import { isApiRoot } from '../../../../../contract/sales/providers.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { When } from '../../../components/figures.tsx';
import { SaveCard } from '../../../components/form/save-card.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { SectionCard } from '../../../components/page.tsx';
import { type State, StateDot } from '../../../components/state.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { Notice, Reading } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';
import { AdminNoticesCard, AdminsCard } from './admins-card.tsx';
import { BroadcastsCard } from './broadcasts-card.tsx';
import { NoticesCard } from './notices-card.tsx';
import { RequestsCard } from './requests-card.tsx';

const LOOKS: Readonly<Record<Bot['state'], State>> = {
  off: 'disabled',
  starting: 'unknown',
  running: 'enabled',
  failing: 'degraded',
};
/** There is no event for changes of the bot's state, so poll. */
const POLL_MS = 5000;

export function BotSection() {
  const { t } = useTranslation('settings');
  const bot = useOperation('getBot', {}, { pollMs: POLL_MS });
  return (
    <Reading title={t('bot.title')} query={bot} height={160}>
      {(data) => (
        <>
          {data.account !== null && <StateCard bot={data} account={data.account} />}
          <BotForm key={`${data.account?.id} ${data.api_root} ${data.proxy}`} bot={data} />
          {data.account !== null && <Admins isRunning={data.enabled} />}
          {data.account !== null && <Requests />}
          {data.account !== null && <BroadcastsCard />}
          {data.account !== null && <Notices />}
        </>
      )}
    </Reading>
  );
}

function Admins({ isRunning }: { readonly isRunning: boolean }) {
  const { t } = useTranslation('settings');
  // Poll, so that an account appears after its link was opened in Telegram.
  const admins = useOperation('getBotAdmins', {}, { pollMs: POLL_MS });
  return (
    <Reading title={t('bot.admins.title')} query={admins} height={320}>
      {(data) => (
        <>
          <AdminsCard admins={data} isRunning={isRunning} />
          <AdminNoticesCard admins={data} />
        </>
      )}
    </Reading>
  );
}

function Requests() {
  const { t } = useTranslation('settings');
  const requests = useOperation('getBotRequests', {}, { pollMs: POLL_MS });
  return (
    <Reading title={t('bot.requests.title')} query={requests} height={160}>
      {(data) => <RequestsCard requests={data} />}
    </Reading>
  );
}

function Notices() {
  const { t } = useTranslation('settings');
  const notices = useOperation('getBotNotices', {});
  return (
    <Reading title={t('bot.notices.title')} query={notices} height={320}>
      {(data) => <NoticesCard notices={data} />}
    </Reading>
  );
}

interface StateProps {
  readonly bot: Bot;
  readonly account: NonNullable<Bot['account']>;
}

function StateCard({ bot: { state, error, error_at, ok_at, waiting, enabled }, account }: StateProps) {
  const { t } = useTranslation('settings');
  const [confirming, setConfirming] = useState<'delete' | 'free' | null>(null);
  const test = useAct('testBot', {
    message: (found) => ({
      text: found.error === null ? t('bot.tested', { ms: found.took_ms }) : t(`bot.error.${found.error}`),
    }),
  });
  const enable = useAct('enableBot', {
    message: (after) => ({ text: t(after.enabled ? 'bot.started' : 'bot.stopped') }),
  });
  const free = useAct('freeBot', { message: () => ({ text: t('bot.freed') }) });
  const remove = useAct('deleteBot', { message: () => ({ text: t('bot.deleted') }) });
  const close = () => setConfirming(null);
  const { username } = account;
  const when = error !== null ? error_at : ok_at;
  return (
    <SectionCard
      title={t('bot.title')}
      description={t('bot.description')}
      footer={
        <>
          <Button variant="default" loading={test.isRunning} onClick={() => test.start({})}>
            {t('bot.test')}
          </Button>
          <Button variant="default" onClick={() => enable.start({ enabled: !enabled })}>
            {t(enabled ? 'bot.stop' : 'bot.start')}
          </Button>
          <Button variant="default" onClick={() => setConfirming('delete')}>
            {t('bot.delete')}
          </Button>
        </>
      }
    >
      <div className={rows.stack}>
        {error !== null && (
          <Notice
            tone="warn"
            actions={
              error === 'webhook' && (
                <Button variant="default" onClick={() => setConfirming('free')}>
                  {t('bot.free')}
                </Button>
              )
            }
          >
            {t(`bot.error.${error}`)}
          </Notice>
        )}
        <dl className={rows.facts}>
          <div>
            <dt>{t('bot.account')}</dt>
            <dd>
              <a href={`https://t.me/${username}`} target="_blank" rel="noreferrer">
                @{username}
              </a>
            </dd>
          </div>
          <div>
            <dt>{t('bot.stateName')}</dt>
            <dd>
              <StateDot state={LOOKS[state]} label={t(`bot.state.${state}`)} />
              {when !== null && (
                <>
                  {' · '}
                  <When at={when} text={(at) => t(error !== null ? 'bot.since' : 'bot.answered', { when: at })} />
                </>
              )}
            </dd>
          </div>
          {waiting > 0 && (
            <div>
              <dt>{t('bot.waiting')}</dt>
              <dd>{waiting}</dd>
            </div>
          )}
        </dl>
      </div>
      <Confirm
        isOpen={confirming === 'delete'}
        onClose={close}
        title={t('bot.deleteTitle')}
        action={t('bot.delete')}
        isDangerous
        onConfirm={() => remove.run({})}
      >
        <p>{t('bot.deleteText', { username })}</p>
      </Confirm>
      <Confirm
        isOpen={confirming === 'free'}
        onClose={close}
        title={t('bot.freeTitle')}
        action={t('bot.free')}
        onConfirm={() => free.run({})}
      >
        <p>{t('bot.freeText')}</p>
      </Confirm>
    </SectionCard>
  );
}

interface Values extends Record<string, unknown> {
  readonly token: string;
  readonly api_root: string;
  readonly allow_private: boolean;
  readonly proxy: string;
}

const WRONG = ['keys_refused', 'no_answer', 'https_required', 'address_refused'] as const;

/** The input of the operation; an empty token or proxy is left out, which keeps the stored one. */
function buildInput({ token, api_root, allow_private, proxy }: Values, before: Bot) {
  const apiRoot = api_root.trim();
  const typed = proxy.trim();
  return {
    ...(token.trim() !== '' && { token: token.trim() }),
    api_root: apiRoot === '' ? null : apiRoot,
    allow_private,
    ...(typed !== (before.proxy ?? '') && { proxy: typed === '' ? null : typed }),
  };
}

function BotForm({ bot }: { readonly bot: Bot }) {
  const { t } = useTranslation('settings');
  const isNew = bot.account === null;
  const form = useOperationForm<'saveBot', Values>({
    operation: 'saveBot',
    initial: {
      token: '',
      api_root: bot.api_root ?? '',
      allow_private: bot.allow_private,
      proxy: bot.proxy ?? '',
    },
    toInput: (values) => buildInput(values, bot),
    check: ({ token, api_root, proxy }): Record<string, string> => ({
      ...(token.trim() === '' && isNew && { token: t('bot.form.required') }),
      ...(token.trim() !== '' && !BOT_TOKEN.test(token.trim()) && { token: t('bot.form.format') }),
      ...(api_root.trim() !== '' && !isApiRoot(api_root.trim()) && { api_root: t('bot.form.https_required') }),
      ...(proxy.trim() !== '' && !isProxy(proxy.trim()) && { proxy: t('bot.form.proxyFormat') }),
    }),
    describeField: (_field, code) => {
      const wrong = WRONG.find((one) => one === code);
      return wrong && t(`bot.form.${wrong}`);
    },
    message: ({ account }) => ({ text: t('bot.form.saved', { username: account?.username ?? '' }) }),
  });
  const { getInputProps } = form.form;
  const typed = { autoComplete: 'off', spellCheck: false } as const;
  return (
    <SaveCard
      title={t(isNew ? 'bot.title' : 'bot.form.title')}
      {...(isNew && { description: t('bot.none') })}
      form={form}
      action={t('bot.form.save')}
    >
      <PasswordInput
        label={t('bot.form.token')}
        description={t('bot.form.tokenHint')}
        {...(!isNew && { placeholder: t('bot.form.keep') })}
        {...typed}
        {...getInputProps('token')}
      />
      <TextInput
        label={t('bot.form.proxy')}
        description={t('bot.form.proxyHint')}
        {...typed}
        {...getInputProps('proxy')}
      />
      <TextInput
        label={t('bot.form.apiRoot')}
        description={t('bot.form.apiRootHint')}
        type="url"
        {...typed}
        {...getInputProps('api_root')}
      />
      <Switch
        label={t('bot.form.private')}
        description={t('bot.form.privateHint')}
        {...getInputProps('allow_private', { type: 'checkbox' })}
      />
    </SaveCard>
  );
}
