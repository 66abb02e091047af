// Shows that the panel is unreachable, once that is certain, and that no input is lost.
import { Button } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePanel } from '../data/panel.tsx';
import { useConnection } from '../state/connection.ts';
import { notify } from '../state/messages.ts';
import classes from './offline-banner.module.css';

/** A single failed call does not mean that the connection is lost. */
const SHOW_AFTER_MS = 1500;
const RETRY_MS = 5000;

export function OfflineBanner() {
  const { t } = useTranslation(['frame', 'common']);
  const reach = useConnection((connection) => connection.reach);
  const { client } = usePanel();
  const queries = useQueryClient();
  const [isShown, setShown] = useState(false);
  const isAway = reach !== 'reached';

  useEffect(() => {
    if (!isAway) return;
    const show = setTimeout(() => setShown(true), SHOW_AFTER_MS);
    // Any reply resets `reach`; its content does not matter.
    const retryTimer = setInterval(() => void client.panelState().catch(() => undefined), RETRY_MS);
    return () => {
      clearTimeout(show);
      clearInterval(retryTimer);
    };
  }, [isAway, client]);

  useEffect(() => {
    if (isAway || !isShown) return;
    setShown(false);
    notify({ text: t('frame:offline.back') });
    void queries.invalidateQueries();
  }, [isAway, isShown, queries, t]);

  if (!isShown || !isAway) return null;
  return (
    <div className={classes.banner} role="alert">
      <IconPlugConnectedX size={18} stroke={1.5} aria-hidden />
      <p>
        {reach === 'moved' ? (
          t('frame:offline.moved')
        ) : (
          <>
            <strong>{t('frame:offline.title')}</strong> {t('frame:offline.hint')}
          </>
        )}
      </p>
      <Button variant="default" onClick={() => void client.panelState().catch(() => undefined)}>
        {t('common:retry')}
      </Button>
    </div>
  );
}
