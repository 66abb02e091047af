// Settings, Telegram bot: broadcasts, their progress, and the result for each user.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type Broadcast,
  type BroadcastAct,
  PERSON_STATES,
  type PersonState,
} from '../../../../../contract/bot/broadcasts.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { When } from '../../../components/figures.tsx';
import { FilterTabs } from '../../../components/filters.tsx';
import { SectionCard } from '../../../components/page.tsx';
import { RecordDrawer } from '../../../components/record-drawer.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { type State, StateDot } from '../../../components/state.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { buildHash } from '../../../router/route.ts';
import rows from '../parts/rows.module.css';
import classes from './notices.module.css';

const SHOWN = 5;
const POLL_MS = 2000;
const PAGE = 100;
const MAX = 500;

const LOOKS: Readonly<Record<Broadcast['state'], State>> = {
  draft: 'unknown',
  running: 'on_hold',
  paused: 'limited',
  stopped: 'disabled',
  done: 'active',
};
const PERSON_LOOKS: Readonly<Record<PersonState, State>> = {
  queued: 'on_hold',
  sent: 'active',
  blocked: 'disabled',
  failed: 'expired',
};

export function BroadcastsCard() {
  const { t } = useTranslation('settings');
  const list = useOperation('listBroadcasts', { limit: SHOWN }, { pollMs: POLL_MS });
  const [opened, setOpened] = useState<Broadcast | null>(null);
  const items = list.data?.items ?? [];
  return (
    <SectionCard
      title={t('bot.broadcasts.title')}
      description={t('bot.broadcasts.description')}
      flush={items.length > 0}
      footer={
        <Button component="a" variant="default" href={buildHash(['users', 'broadcast'])}>
          {t('bot.broadcasts.create')}
        </Button>
      }
    >
      {items.length === 0 ? (
        <p className={classes.hint}>{t('bot.broadcasts.none')}</p>
      ) : (
        <ul className={rows.rows}>
          {items.map((one) => (
            <Row key={one.id} broadcast={one} onOpen={() => setOpened(one)} />
          ))}
        </ul>
      )}
      <People broadcast={opened} onClose={() => setOpened(null)} />
    </SectionCard>
  );
}

function Row({ broadcast, onOpen }: { readonly broadcast: Broadcast; readonly onOpen: () => void }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const { id, texts, state, waits, total, sent, blocked, failed, created_at } = broadcast;
  const [isAsking, setAsking] = useState(false);
  const change = useAct('changeBroadcast');
  const done = sent + blocked + failed;
  const act = (name: BroadcastAct) => (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={t(`bot.broadcasts.${name}Name`, { id })}
      onClick={() => (name === 'stop' ? setAsking(true) : change.start({ id, act: name }))}
    >
      {t(`bot.broadcasts.${name}`)}
    </Button>
  );
  const isOpen = state === 'running' || state === 'paused';
  return (
    <li className={rows.row}>
      <div className={rows.rowMain}>
        <span className={rows.rowName}>
          <StateDot state={LOOKS[state]} label={t(`bot.broadcasts.state.${state}`)} />
          <span className={classes.broadcastText}>{texts[0]?.text}</span>
        </span>
        <span className={rows.rowFacts}>
          <span>{t('bot.broadcasts.done', { done: format.number(done), total: format.number(total) })}</span>
          <span>{t('bot.broadcasts.figures', { sent, blocked, failed })}</span>
          {waits !== null && <span>{t(`bot.broadcasts.waits.${waits}`)}</span>}
          <When at={created_at} text={(when) => t('bot.broadcasts.since', { when })} />
        </span>
        {isOpen && (
          <progress
            className={classes.progress}
            aria-label={t('bot.broadcasts.progress', { id })}
            value={done}
            max={Math.max(1, total)}
          />
        )}
      </div>
      <span className={rows.rowActs}>
        {state === 'running' && act('pause')}
        {state === 'paused' && act('resume')}
        {isOpen && act('stop')}
        <Button
          variant="default"
          size="compact-sm"
          aria-label={t('bot.broadcasts.resultsName', { id })}
          onClick={onOpen}
        >
          {t('bot.broadcasts.results')}
        </Button>
      </span>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('bot.broadcasts.stopTitle')}
        action={t('bot.broadcasts.stop')}
        isDangerous
        onConfirm={() => change.run({ id, act: 'stop' })}
      >
        <p>{t('bot.broadcasts.stopText')}</p>
      </Confirm>
    </li>
  );
}

/** The result of a broadcast for each user. */
function People({ broadcast, onClose }: { readonly broadcast: Broadcast | null; readonly onClose: () => void }) {
  const { t } = useTranslation('settings');
  const [state, setState] = useState<PersonState | 'all'>('all');
  const [limit, setLimit] = useState(PAGE);
  const id = broadcast?.id ?? 0;
  const people = useOperation(
    'listBroadcastPeople',
    { id, limit, ...(state !== 'all' && { state }) },
    { enabled: broadcast !== null, keepPrevious: true },
  );
  return (
    <RecordDrawer isOpen={broadcast !== null} onClose={onClose} title={t('bot.broadcasts.resultsName', { id })}>
      <FilterTabs
        label={t('bot.broadcasts.filter')}
        value={state}
        items={(['all', ...PERSON_STATES] as const).map((value) => ({
          value,
          label: t(`bot.broadcasts.person.${value}`),
        }))}
        onChange={(value) => setState(PERSON_STATES.find((one) => one === value) ?? 'all')}
      />
      {people.data === undefined ? (
        <Skeleton height={120} />
      ) : people.data.items.length === 0 ? (
        <p className={classes.hint}>{t('bot.broadcasts.nobodyYet')}</p>
      ) : (
        <ul className={rows.rows}>
          {people.data.items.map(({ user, state: own, error }) => (
            <li key={user.id} className={rows.row}>
              <a href={buildHash(['users', user.id])}>{user.name}</a>
              <span className={rows.rowFacts}>
                {error !== null && own === 'failed' && <span>{error}</span>}
                <StateDot state={PERSON_LOOKS[own]} label={t(`bot.broadcasts.person.${own}`)} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {people.data?.next_after != null && limit < MAX && (
        <Button variant="default" onClick={() => setLimit(MAX)}>
          {t('bot.broadcasts.more')}
        </Button>
      )}
    </RecordDrawer>
  );
}
