// The nodes with their state, since when, and their online users.
import { useTranslation } from 'react-i18next';
import type { PanelCallError } from '../../../../contract/client.ts';
import type { Node } from '../../../../contract/nodes/nodes.ts';
import { SectionCard } from '../../components/page.tsx';
import { EmptyState, ErrorState } from '../../components/placeholder.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { StateDot } from '../../components/state.tsx';
import { useFormat } from '../../format/use-format.tsx';
import { useNow } from '../../format/use-now.ts';
import { buildHash } from '../../router/route.ts';
import classes from './overview.module.css';

interface NodeHealthProps {
  readonly nodes: readonly Node[] | undefined;
  readonly failure: PanelCallError | null;
  readonly onRetry: () => void;
}

const ROWS = [0, 1, 2];

export function NodeHealth({ nodes, failure, onRetry }: NodeHealthProps) {
  const { t } = useTranslation('overview');
  return (
    <SectionCard
      title={t('nodes.title')}
      flush
      actions={
        <a className={classes.more} href={buildHash(['nodes'])}>
          {t('nodes.all')}
        </a>
      }
    >
      {failure !== null && nodes === undefined ? (
        <ErrorState size="small" failure={failure} onRetry={onRetry} />
      ) : nodes?.length === 0 ? (
        <EmptyState size="small" title={t('nodes.empty')} text={t('nodes.emptyHint')} />
      ) : (
        <ul className={classes.rows}>
          {nodes === undefined
            ? ROWS.map((row) => (
                <li key={row} className={classes.nodeRow}>
                  <Skeleton width="50%" />
                </li>
              ))
            : nodes.map((node) => <NodeRow key={node.id} node={node} />)}
        </ul>
      )}
    </SectionCard>
  );
}

function NodeRow({ node }: { readonly node: Node }) {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const now = useNow();
  const { id, name, enabled, status, core, uptime_s, users_online, last_seen_at } = node;
  const since = !enabled
    ? t('nodes.disabled')
    : status === 'up' && uptime_s !== null
      ? t('nodes.upFor', { time: format.uptime(uptime_s) })
      : last_seen_at === null
        ? t('nodes.neverSeen')
        : t('nodes.lastSeen', { when: format.relative(last_seen_at, now) });
  return (
    <li>
      <a className={classes.nodeRow} href={buildHash(['nodes', id])}>
        <StateDot state={enabled ? status : 'disabled'} bare />
        <span className={classes.nodeName}>
          <span className={classes.topName}>{name}</span>
          <span className={classes.quiet}>
            {since}
            {core !== null && ` · ${core.name} ${core.version}`}
          </span>
        </span>
        <span className={classes.topValue}>{t('nodes.online', { count: users_online })}</span>
      </a>
    </li>
  );
}
