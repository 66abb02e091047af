// While a new listening address is being tried: where to open it, how much time is left, and the result.
import { Button } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { create } from 'zustand';
import { CopyButton } from '../../../components/copy-button.tsx';
import { usePanel } from '../../../data/panel.tsx';
import { panelNow, useConnection } from '../../../state/connection.ts';
import { Notice } from '../parts/parts.tsx';

const LOOK_EVERY_MS = 2000;

/** `confirmBy`: the end of the trial that the panel reports; null: there is none. */
export function Trial({ confirmBy }: { readonly confirmBy: string | null }) {
  const { t } = useTranslation('settings');
  const { invalidate } = usePanel();
  const { waiting } = useWaitingAddress();
  const reach = useConnection((connection) => connection.reach);
  const endsAt = waiting?.endsAt ?? (confirmBy === null ? null : Date.parse(confirmBy));
  const left = useSecondsLeft(endsAt);
  const isOn = endsAt !== null;
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => invalidate('panel'), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isOn, invalidate]);

  if (endsAt === null) return null;
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
        href={url}
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

// The address that waits to be confirmed: only the window that changed it knows its token.

export interface WaitingAddress {
  /** Where to confirm. */
  readonly url: string;
  /** Epoch milliseconds, by the panel's clock. */
  readonly endsAt: number;
}

const useWaitingAddress = create<{ readonly waiting: WaitingAddress | null }>()(() => ({ waiting: null }));

export function waitFor(waiting: WaitingAddress | null): void {
  useWaitingAddress.setState({ waiting });
}

// Whole seconds until a moment of the panel's clock, counted down on screen.

/** `at`: epoch milliseconds; null: nothing to wait for. 0: over. */
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
