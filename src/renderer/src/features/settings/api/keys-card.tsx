// The keys: what each may do, until when, when it was used last and from where; revoked with what that breaks.
import { Button } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Key } from '../../../../../contract/keys.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { SectionCard } from '../../../components/page.tsx';
import { EmptyState } from '../../../components/placeholder.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { hashOf } from '../../../router/route.ts';
import { Reading } from '../parts/reading.tsx';
import rows from '../parts/rows.module.css';
import classes from './api.module.css';
import { KeyRow, KeyUse } from './key-row.tsx';

export function KeysCard() {
  const { t } = useTranslation('settings');
  // When a key was used is told by no event.
  const keys = useOperation('listKeys', {}, { every: 30_000 });
  return (
    <Reading title={t('api.keys')} query={keys} height={96}>
      {({ items }) => <Keys keys={items} />}
    </Reading>
  );
}

function Keys({ keys }: { readonly keys: readonly Key[] }) {
  const { t } = useTranslation('settings');
  const [chosen, setChosen] = useState<Key | null>(null);
  const newest = keys.toReversed();
  const active = newest.filter(({ state }) => state === 'active');
  const past = newest.filter(({ state }) => state !== 'active');
  const add = (
    <Button
      component="a"
      href={hashOf(['settings', 'security', 'api', 'new'])}
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
      {active.length === 0 ? (
        <EmptyState
          size="small"
          icon={<IconKey size={20} stroke={1.5} />}
          title={t('api.none')}
          text={t('api.noneHint')}
          action={add}
        />
      ) : (
        <KeyList keys={active} onRevoke={setChosen} />
      )}
      {past.length > 0 && (
        <details className={classes.past}>
          <summary>{t('api.past', { count: past.length })}</summary>
          <KeyList keys={past} />
        </details>
      )}
      <Revoke chosen={chosen} onClose={() => setChosen(null)} />
    </SectionCard>
  );
}

interface KeyListProps {
  readonly keys: readonly Key[];
  readonly onRevoke?: (chosen: Key) => void;
}

function KeyList({ keys, onRevoke }: KeyListProps) {
  return (
    <ul className={rows.rows}>
      {keys.map((one) => (
        <KeyRow key={one.id} apiKey={one} {...(onRevoke && { onRevoke: () => onRevoke(one) })} />
      ))}
    </ul>
  );
}

function Revoke({ chosen, onClose }: { readonly chosen: Key | null; readonly onClose: () => void }) {
  const { t } = useTranslation('settings');
  const { run } = useAct('revokeKey', { message: ({ name }) => ({ text: t('api.revoked', { name }) }) });
  // Stays while the dialog goes.
  const [shown, setShown] = useState(chosen);
  if (chosen !== null && chosen !== shown) setShown(chosen);
  if (shown === null) return null;
  return (
    <Confirm
      isOpen={chosen !== null}
      onClose={onClose}
      title={t('api.revokeTitle', { name: shown.name })}
      action={t('api.revoke')}
      isDangerous
      onConfirm={() => run({ id: shown.id })}
    >
      <p>{t('api.revokeText')}</p>
      <p>
        <KeyUse apiKey={shown} />
      </p>
    </Confirm>
  );
}
