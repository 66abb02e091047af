// How the panel is at the moment, in one dot: whether events come in, and whether a node is down.
import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useOperation } from '../data/use-operation.ts';
import { useConnection } from '../state/connection.ts';
import classes from './top-bar.module.css';

const OVERVIEW_MS = 30_000;

export function StatusDot() {
  const { t } = useTranslation('frame');
  const reach = useConnection((connection) => connection.reach);
  const isLive = useConnection((connection) => connection.isLive);
  const { data } = useOperation('getOverview', {}, { every: OVERVIEW_MS });
  const down = data ? data.nodes.total - data.nodes.up : 0;
  const [tone, text] =
    reach !== 'reached'
      ? (['bad', t(`status.${reach}`)] as const)
      : !isLive
        ? (['idle', t('status.connecting')] as const)
        : down > 0
          ? (['warn', t('status.nodesDown', { count: down })] as const)
          : (['ok', t('status.live')] as const);
  return (
    <Tooltip label={text}>
      <span className={classes.status} role="status" aria-label={`${t('status.label')}: ${text}`} data-tone={tone}>
        <span className={classes.dot} />
      </span>
    </Tooltip>
  );
}
