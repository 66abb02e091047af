// The list of API keys: access, expiry and last use of each, and how to revoke them.
import { Button } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Key } from '../../../../../contract/access/keys.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { When } from '../../../components/figures.tsx';
import { SectionCard } from '../../../components/page.tsx';
import { EmptyState } from '../../../components/placeholder.tsx';
import { Mark, StateDot } from '../../../components/state.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { buildHash } from '../../../router/route.ts';
import { Reading } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';
import classes from './api.module.css';

export function KeysCard() {
  const { t } = useTranslation('settings');
  // There is no event for the use of a key, so poll.
  const keys = useOperation('listKeys', {}, { pollMs: 30_000 });
  return (
    <Reading title={t('api.keys')} query={keys} height={96}>
      {({ items }) => <Keys keys={items} />}
    </Reading>
  );
}

function Keys({ keys }: { readonly keys: readonly Key[] }) {
  const { t } = useTranslation('settings');
  const [revoking, setRevoking] = useState<Key | null>(null);
  const [confirming, setConfirming] = useState<Key | null>(null);
  const newest = keys.toReversed();
  const waiting = newest.filter(({ state }) => state === 'unconfirmed');
  const active = newest.filter(({ state }) => state === 'active');
  const past = newest.filter(({ state }) => state === 'expired' || state === 'revoked');
  const add = (
    <Button
      component="a"
      href={buildHash(['settings', 'security', 'api', 'new'])}
      leftSection={<IconPlus size={16} stroke={1.5} />}
    >
      {t('api.add')}
    </Button>
  );
  return (
    <SectionCard
      title={t('api.keys')}
      description={t('api.keysHint')}
      actions={active.length > 0 ? add : undefined}
      flush
    >
      {waiting.length > 0 && <KeyList keys={waiting} onConfirm={setConfirming} onRevoke={setRevoking} />}
      {active.length === 0 ? (
        <EmptyState
          size="small"
          icon={<IconKey size={20} stroke={1.5} />}
          title={t('api.none')}
          text={t('api.noneHint')}
          action={add}
        />
      ) : (
        <KeyList keys={active} onRevoke={setRevoking} />
      )}
      {past.length > 0 && (
        <details className={classes.past}>
          <summary>{t('api.past', { count: past.length })}</summary>
          <KeyList keys={past} />
        </details>
      )}
      <Question act="confirmKey" chosen={confirming} onClose={() => setConfirming(null)} />
      <Question act="revokeKey" chosen={revoking} onClose={() => setRevoking(null)} />
    </SectionCard>
  );
}

interface KeyListProps {
  readonly keys: readonly Key[];
  readonly onRevoke?: (chosen: Key) => void;
  readonly onConfirm?: (chosen: Key) => void;
}

function KeyList({ keys, onRevoke, onConfirm }: KeyListProps) {
  return (
    <ul className={rows.rows}>
      {keys.map((one) => (
        <KeyRow
          key={one.id}
          apiKey={one}
          {...(onRevoke && { onRevoke: () => onRevoke(one) })}
          {...(onConfirm && { onConfirm: () => onConfirm(one) })}
        />
      ))}
    </ul>
  );
}

/** Confirmation of each action. `confirmKey` accepts a key from a restored backup that may have been changed. */
const QUESTIONS = {
  confirmKey: {
    title: 'api.confirmTitle',
    text: 'api.confirmText',
    action: 'api.confirm',
    done: 'api.confirmed',
    isDangerous: false,
  },
  revokeKey: {
    title: 'api.revokeTitle',
    text: 'api.revokeText',
    action: 'api.revoke',
    done: 'api.revoked',
    isDangerous: true,
  },
} as const;

interface QuestionProps {
  readonly act: keyof typeof QUESTIONS;
  /** The key to ask about; null: the dialog is closed. */
  readonly chosen: Key | null;
  readonly onClose: () => void;
}

function Question({ act, chosen, onClose }: QuestionProps) {
  const { t } = useTranslation('settings');
  const { title, text, action, done, isDangerous } = QUESTIONS[act];
  const { run } = useAct(act, { message: ({ name }) => ({ text: t(done, { name }) }) });
  // Keep the content while the dialog closes.
  const [shown, setShown] = useState(chosen);
  if (chosen !== null && chosen !== shown) setShown(chosen);
  if (shown === null) return null;
  return (
    <Confirm
      isOpen={chosen !== null}
      onClose={onClose}
      title={t(title, { name: shown.name })}
      action={t(action)}
      isDangerous={isDangerous}
      onConfirm={() => run({ id: shown.id })}
    >
      <p>{t(text)}</p>
      <p>
        <KeyUse apiKey={shown} />
      </p>
    </Confirm>
  );
}

// A row of the list: name, access, first characters, expiry and last use of a key.

interface KeyRowProps {
  readonly apiKey: Key;
  readonly onRevoke?: () => void;
  readonly onConfirm?: () => void;
}

function KeyRow({ apiKey, onRevoke, onConfirm }: KeyRowProps) {
  const { t } = useTranslation('settings');
  const { name, access, prefix, created_at } = apiKey;
  return (
    <li className={rows.row}>
      <div className={rows.rowMain}>
        <span className={rows.rowName}>
          {name}
          <Mark {...(access === 'full' && { tone: 'warn' as const })}>
            {t(access === 'full' ? 'api.full' : 'api.read')}
          </Mark>
        </span>
        <span className={rows.rowFacts}>
          <KeyState apiKey={apiKey} />
          <code>{prefix}…</code>
          <Term apiKey={apiKey} />
          <KeyUse apiKey={apiKey} />
          <When at={created_at} style="date" text={(when) => t('api.made', { when })} />
        </span>
      </div>
      {onRevoke !== undefined && (
        <div className={rows.rowActs}>
          {onConfirm !== undefined && (
            <Button variant="default" aria-label={t('api.confirmTitle', { name })} onClick={onConfirm}>
              {t('api.confirm')}
            </Button>
          )}
          <Button variant="default" aria-label={t('api.revokeTitle', { name })} onClick={onRevoke}>
            {t('api.revoke')}
          </Button>
        </div>
      )}
    </li>
  );
}

const STATES = {
  active: ['active', 'api.active'],
  expired: ['expired', 'api.stateExpired'],
  revoked: ['disabled', 'api.stateRevoked'],
  unconfirmed: ['limited', 'api.stateUnconfirmed'],
} as const;

function KeyState({ apiKey: { state } }: { readonly apiKey: Key }) {
  const { t } = useTranslation('settings');
  const [dot, label] = STATES[state];
  return <StateDot state={dot} label={t(label)} />;
}

function Term({ apiKey: { state, expires_at, revoked_at } }: { readonly apiKey: Key }) {
  const { t } = useTranslation('settings');
  if (state === 'unconfirmed' && revoked_at !== null)
    return <When at={revoked_at} text={(when) => t('api.cameAt', { when })} />;
  if (revoked_at !== null) return <When at={revoked_at} text={(when) => t('api.revokedAt', { when })} />;
  if (expires_at === null) return <span>{t('api.untilRevoked')}</span>;
  return <When at={expires_at} text={(when) => t(state === 'expired' ? 'api.expired' : 'api.expires', { when })} />;
}

/** Time and address of the last use. */
function KeyUse({ apiKey: { last_used_at, last_used_from } }: { readonly apiKey: Key }) {
  const { t } = useTranslation('settings');
  if (last_used_at === null) return <span>{t('api.neverUsed')}</span>;
  return (
    <When
      at={last_used_at}
      text={(when) =>
        last_used_from === null ? t('api.used', { when }) : t('api.usedFrom', { when, address: last_used_from })
      }
    />
  );
}
