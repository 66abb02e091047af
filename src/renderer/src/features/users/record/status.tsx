// The user's state with its reason and time, and the action that most likely helps.
import { Button } from '@mantine/core';
import { IconCalendarPlus, IconCheck, IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../../../contract/users/users.ts';
import { StateBadge } from '../../../components/state.tsx';
import { useOperation, useWholeList } from '../../../data/use-operation.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { useNow } from '../../../format/use-now.ts';
import { buildHash } from '../../../router/route.ts';
import { type Restart, restartFor } from './cut-off.ts';
import { describeActor, disabledBy, useHistory } from './history.ts';
import classes from './record.module.css';
import type { RecordProps } from './record-context.tsx';
import { useUserActs } from './use-user-acts.ts';

export function Status({ user, onPart }: RecordProps) {
  const reason = useReason(user);
  const seen = useSeen(user);
  return (
    <div className={classes.standing}>
      <div className={classes.standingText}>
        <StateBadge state={user.state} />
        <p>
          {reason} <span className={classes.quiet}>{seen}</span>
        </p>
        <ExcessText user={user} />
        <AfterCut user={user} />
      </div>
      <MainAct user={user} onPart={onPart} />
    </div>
  );
}

/** The user is or was connected from too many addresses at once, and may be blocked for that. */
function ExcessText({ user: { concurrent_excess: excess, concurrent_limit: limit } }: Pick<RecordProps, 'user'>) {
  const { t } = useTranslation('users');
  const format = useFormat();
  if (excess === null) return null;
  const { addresses, at, cut_off_until: until, cut_off_node_id: nodeId } = excess;
  const cut = nodeId === null ? 'cut' : 'cutHere';
  const counts = { addresses, limit: limit ?? 0 };
  return (
    <p className={classes.afterCut} role="status">
      {until === null
        ? t('standing.excess.notice', { ...counts, at: format.moment(at, 'dateTime') })
        : t(`standing.excess.${cut}`, { ...counts, until: format.moment(until, 'dateTime') })}
    </p>
  );
}

/** Traffic since the user was blocked, and how nodes can end it. */
function AfterCut({ user }: { readonly user: User }) {
  const { t } = useTranslation(['users', 'nodes']);
  const format = useFormat();
  const bytes = user.after_cut_up + user.after_cut_down;
  const now = useNow();
  const { data } = useWholeList('listNodes', {}, { enabled: bytes > 0 });
  const settings = useOperation('getPanelSettings', {}, { enabled: bytes > 0 });
  if (bytes === 0) return null;
  const nodes = data?.items ?? [];
  const engines = new Map(nodes.map(({ core, cut_off }) => [core?.name, cut_off ?? []]));
  const restart = settings.data && data && restartFor(user, nodes, settings.data.restart_to_cut_off, now);
  return (
    <div className={classes.afterCut} role="status">
      <p>{t('users:standing.afterCut', { bytes: format.bytes(bytes) })}</p>
      {[...engines].map(
        ([name, can]) =>
          can.length > 0 && (
            <p key={name}>
              {name}: {can.map((one) => t(`nodes:cutOff.${one}`)).join(' ')}
            </p>
          ),
      )}
      {restart && <RestartText restart={restart} />}
    </div>
  );
}

function RestartText({ restart }: { readonly restart: Restart }) {
  const { t } = useTranslation('users');
  const format = useFormat();
  switch (restart.kind) {
    case 'done': {
      const { node, at, isWhole } = restart;
      const text = isWhole ? 'standing.restart.done' : 'standing.restart.reopened';
      return <p>{t(text, { node, date: format.moment(at, 'dateTime') })}</p>;
    }
    case 'off':
      return (
        <p>
          {t('standing.restart.off')} <a href={buildHash(['settings', 'general'])}>{t('standing.restart.settings')}</a>
        </p>
      );
    case 'due':
      return (
        <p>
          {t('standing.restart.due')}{' '}
          {restart.waits
            .map(({ node, until }) => t('standing.restart.waits', { node, time: format.moment(until, 'dateTime') }))
            .join(' ')}
        </p>
      );
  }
}

function MainAct({ user, onPart }: Pick<RecordProps, 'user' | 'onPart'>) {
  const { t } = useTranslation('users');
  const acts = useUserActs(user);
  if (user.state === 'disabled') {
    return (
      <Button leftSection={<IconCheck size={16} stroke={1.75} />} loading={acts.isSwitching} onClick={acts.toggle}>
        {t('act.enable')}
      </Button>
    );
  }
  if (user.state === 'limited') {
    return (
      <Button leftSection={<IconPlus size={16} stroke={1.75} />} onClick={() => onPart('grant')}>
        {t('act.addTraffic')}
      </Button>
    );
  }
  if (user.expires_at === null && user.hold === null) return null;
  return (
    <Button
      variant={user.state === 'expired' ? 'filled' : 'default'}
      leftSection={<IconCalendarPlus size={16} stroke={1.5} />}
      onClick={() => onPart('extend')}
    >
      {t('act.extend')}
    </Button>
  );
}

/** The reason of the user's state, as a sentence. */
function useReason(user: User): string {
  const { t } = useTranslation('users');
  const format = useFormat();
  const now = useNow();
  const history = useHistory(user.id, { enabled: user.state === 'disabled' });
  const formatDate = (at: string) => ({ date: format.moment(at), when: format.relative(at, now) });
  switch (user.state) {
    case 'disabled': {
      const entry = disabledBy(history.data?.items ?? []);
      if (entry === undefined) return t('standing.disabled');
      return t('standing.disabledSince', { when: format.relative(entry.at, now), who: describeActor(t, entry) });
    }
    case 'expired':
      return user.expires_at === null ? '' : t('standing.expired', formatDate(user.expires_at));
    case 'limited': {
      const limit = format.bytes(user.traffic_limit ?? 0);
      return user.resets_at === null
        ? t('standing.limited', { limit })
        : t('standing.limitedUntil', { limit, ...formatDate(user.resets_at) });
    }
    case 'on_hold':
      return t('standing.onHold', { term: format.term(user.hold ?? {}) });
    case 'active':
      return user.expires_at === null ? t('standing.neverExpires') : t('standing.until', formatDate(user.expires_at));
  }
}

function useSeen({ online, online_at: at }: User): string {
  const { t } = useTranslation('users');
  const format = useFormat();
  const now = useNow();
  if (online) return t('standing.online');
  return at === null ? t('standing.neverOnline') : t('standing.lastOnline', { when: format.relative(at, now) });
}
