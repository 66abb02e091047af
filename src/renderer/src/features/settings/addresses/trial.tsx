// The trial of a new listening address: the link to confirm it, the time left, and the result.
import { Button } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { create } from 'zustand';
import type { Addresses } from '../../../../../contract/settings/addresses.ts';
import type { Output } from '../../../../../contract/table.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { usePanel } from '../../../data/panel.tsx';
import { panelNow, useConnection } from '../../../state/connection.ts';
import { withSessionSecret } from '../../../state/session-secret.ts';
import { Notice } from '../parts/parts.tsx';

const LOOK_EVERY_MS = 2000;

export function Trial({ addresses }: { readonly addresses: Addresses }) {
  const { t } = useTranslation('settings');
  const { invalidate } = usePanel();
  const { waiting } = useWaitingAddress();
  const confirmBy = addresses.confirm_by;
  const isConfirmed = waiting !== null && confirmBy === null && !isSamePlace(waiting.former, addresses);
  useEffect(() => {
    if (isConfirmed) waitFor(null);
  }, [isConfirmed]);
  const reach = useConnection((connection) => connection.reach);
  const endsAt = waiting?.endsAt ?? (confirmBy === null ? null : Date.parse(confirmBy));
  const left = useSecondsLeft(endsAt);
  const isOn = endsAt !== null;
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => invalidate('panel'), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isOn, invalidate]);

  if (endsAt === null || isConfirmed) return null;
  if (waiting !== null && reach !== 'reached') {
    return (
      <Notice tone="info" actions={<OpenNew url={waiting.url} />}>
        {t('addresses.trial.moved')}
      </Notice>
    );
  }
  if (left === 0) {
    return (
      <Notice
        tone="warn"
        actions={
          <Button variant="default" onClick={() => waitFor(null)}>
            {t('addresses.trial.understood')}
          </Button>
        }
      >
        {t('addresses.trial.over')}
      </Notice>
    );
  }
  return (
    <Notice
      tone="warn"
      title={t('addresses.trial.title')}
      actions={waiting === null ? undefined : <OpenNew url={waiting.url} />}
    >
      {waiting === null ? t('addresses.trial.elsewhere') : t('addresses.trial.text', { count: left })}
    </Notice>
  );
}

function OpenNew({ url }: { readonly url: string }) {
  const { t } = useTranslation('settings');
  return (
    <>
      <Button
        component="a"
        href={withSessionSecret(url)}
        target="_blank"
        rel="noopener"
        leftSection={<IconExternalLink size={16} stroke={1.5} />}
      >
        {t('addresses.trial.open')}
      </Button>
      <CopyButton wide value={url} label={t('addresses.trial.copy')} />
    </>
  );
}

// The address that waits for confirmation. Only the window that changed it has the token.

export interface WaitingAddress {
  /** The link that confirms it. */
  readonly url: string;
  /** Epoch milliseconds, by the panel's clock. */
  readonly endsAt: number;
  /** The former address. If the port is the same, this page can reach the new address and see the confirmation there. */
  readonly former: ListenPlace;
}

type ListenPlace = Pick<Addresses, 'host' | 'port'>;

function isSamePlace(one: ListenPlace, other: ListenPlace): boolean {
  return one.host === other.host && one.port === other.port;
}

const useWaitingAddress = create<{ readonly waiting: WaitingAddress | null }>()(() => ({ waiting: null }));

/** Starts to wait for the confirmation of a change, if it needs one. */
export function waitForConfirmation({ addresses, confirm_url: url }: Output<'changeAddresses'>): void {
  const { confirm_by: endsAt, host, port } = addresses;
  if (url !== null && endsAt !== null) waitFor({ url, endsAt: Date.parse(endsAt), former: { host, port } });
}

export function waitFor(waiting: WaitingAddress | null): void {
  useWaitingAddress.setState({ waiting });
}

// A countdown in whole seconds, by the panel's clock.

/** Seconds until `at` (epoch ms); 0 afterwards, and if `at` is null. */
export function useSecondsLeft(at: number | null): number {
  const [now, setNow] = useState(panelNow);
  useEffect(() => {
    if (at === null) return;
    setNow(panelNow());
    const timer = setInterval(() => setNow(panelNow()), 250);
    return () => clearInterval(timer);
  }, [at]);
  return at === null ? 0 : Math.max(0, Math.ceil((at - now) / 1000));
}
