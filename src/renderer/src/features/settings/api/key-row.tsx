// One key as a row: its name and access, how it begins, until when it is good, and its last use.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Key } from '../../../../../contract/keys.ts';
import { Mark, StateDot } from '../../../components/state.tsx';
import rows from '../parts/rows.module.css';
import { When } from '../parts/when.tsx';

interface KeyRowProps {
  readonly apiKey: Key;
  readonly onRevoke?: () => void;
}

export function KeyRow({ apiKey, onRevoke }: KeyRowProps) {
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
} as const;

function KeyState({ apiKey: { state } }: { readonly apiKey: Key }) {
  const { t } = useTranslation('settings');
  const [dot, label] = STATES[state];
  return <StateDot state={dot} label={t(label)} />;
}

function Term({ apiKey: { state, expires_at, revoked_at } }: { readonly apiKey: Key }) {
  const { t } = useTranslation('settings');
  if (revoked_at !== null) return <When at={revoked_at} text={(when) => t('api.revokedAt', { when })} />;
  if (expires_at === null) return <span>{t('api.untilRevoked')}</span>;
  return <When at={expires_at} text={(when) => t(state === 'expired' ? 'api.expired' : 'api.expires', { when })} />;
}

/** When it was used last and from where. */
export function KeyUse({ apiKey: { last_used_at, last_used_from } }: { readonly apiKey: Key }) {
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
