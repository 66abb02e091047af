// While a new listening address is being tried: where to open it, how long there is, and what became of it.
import { Button } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../components/copy-button.tsx';
import { usePanel } from '../../../data/panel.tsx';
import { useConnection } from '../../../state/connection.ts';
import { Notice } from '../parts/notice.tsx';
import { useWaitingAddress, waitFor } from './trial-state.ts';
import { useSecondsLeft } from './use-seconds-left.ts';

const LOOK_EVERY_MS = 2000;

/** `confirmBy`: what the panel says of a trial; null: there is none. */
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
