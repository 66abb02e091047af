// The columns of the list of nodes.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Node } from '../../../../contract/nodes/nodes.ts';
import { RelativeTime } from '../../components/figures.tsx';
import { Identity } from '../../components/identity.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { StateDot } from '../../components/state.tsx';
import { columnsOf } from '../../components/table/columns.ts';
import { useOperation } from '../../data/use-operation.ts';
import { useFormat } from '../../format/use-format.tsx';
import { NodeMenu } from './node-menu.tsx';
import { troubleOf } from './node-trouble.tsx';
import classes from './nodes.module.css';

const column = columnsOf<Node>();
const noop = () => {};

export function useNodeColumns(hrefOf: (node: Node) => string) {
  const { t } = useTranslation(['nodes', 'common']);
  const format = useFormat();
  return useMemo(
    () =>
      column.columns([
        column.accessor('name', {
          meta: { label: t('nodes:columns.name'), sort: 'name', isFixed: true },
          cell: ({ row: { original } }) => (
            <Identity name={original.name} detail={original.address} href={hrefOf(original)} />
          ),
        }),
        column.accessor(({ enabled, status }) => (enabled ? status : 'disabled'), {
          id: 'state',
          meta: { label: t('nodes:columns.state'), width: 132, sort: 'state' },
          cell: ({ row: { original: node } }) => <StateDot state={node.enabled ? node.status : 'disabled'} />,
        }),
        column.accessor((node) => (troubleOf(node) === null ? '' : (node.error ?? '')), {
          id: 'trouble',
          meta: { label: t('nodes:columns.trouble'), width: 220, hideBelow: 860 },
          cell: ({ getValue }) => (
            <span className={classes.error} title={getValue()}>
              {getValue()}
            </span>
          ),
        }),
        column.accessor(({ core }) => (core === null ? '' : `${core.name} ${core.version}`), {
          id: 'core',
          meta: { label: t('nodes:columns.core'), width: 116, hideBelow: 1320 },
          cell: ({ getValue }) => <span className={classes.quiet}>{getValue() || '—'}</span>,
        }),
        column.accessor(({ uptime_s }) => uptime_s ?? -1, {
          id: 'uptime',
          meta: { label: t('nodes:columns.uptime'), width: 104, sort: 'uptime', align: 'end', hideBelow: 1100 },
          cell: ({ row: { original } }) => (original.uptime_s === null ? '—' : format.uptime(original.uptime_s)),
        }),
        column.accessor('users_online', {
          meta: {
            label: t('nodes:columns.online'),
            width: 84,
            sort: 'users_online',
            align: 'end',
            descFirst: true,
            hideBelow: 480,
          },
          cell: ({ getValue }) => format.number(getValue()),
        }),
        column.display({
          id: 'traffic',
          meta: { label: t('nodes:columns.traffic'), width: 192, align: 'end', hideBelow: 640 },
          cell: ({ row: { original } }) => <DayTraffic nodeId={original.id} />,
        }),
        column.accessor('last_seen_at', {
          meta: { label: t('nodes:columns.seen'), width: 104, align: 'end', hideBelow: 1100 },
          cell: ({ getValue }) => <RelativeTime at={getValue()} none={t('common:never')} />,
        }),
        column.display({
          id: 'acts',
          meta: { label: t('nodes:columns.acts'), width: 56, isBare: true, isFixed: true, hideBelow: 480 },
          cell: ({ row: { original } }) => <NodeMenu node={original} onGone={noop} />,
        }),
      ]),
    [t, format, hrefOf],
  );
}

// A day's traffic of a node as a sparkline: a bar for each hour, its sum beside.

const WIDTH = 96;
const HEIGHT = 20;
const GAP = 1;
const EVERY_MS = 60_000;

function DayTraffic({ nodeId }: { readonly nodeId: number }) {
  const { t } = useTranslation('nodes');
  const format = useFormat();
  const { data } = useOperation('getServerTraffic', { range: '24h', node_id: nodeId }, { pollMs: EVERY_MS });
  if (data === undefined) return <Skeleton width={WIDTH} />;
  const sums = data.points.map(({ up, down }) => up + down);
  const most = Math.max(1, ...sums);
  const step = WIDTH / sums.length;
  const path = sums
    .map((sum, hour) => {
      const height = sum === 0 ? 1 : Math.max(2, (sum / most) * HEIGHT);
      return `M${(hour * step).toFixed(2)} ${HEIGHT}v${-height.toFixed(2)}h${(step - GAP).toFixed(2)}V${HEIGHT}z`;
    })
    .join('');
  const total = format.bytes(data.total.up + data.total.down);
  const text = t('dayTraffic', { down: format.bytes(data.total.down), up: format.bytes(data.total.up) });
  return (
    <span className={classes.day} title={text}>
      <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden className={classes.bars}>
        <path d={path} />
      </svg>
      <span className={classes.dayTotal}>{total}</span>
    </span>
  );
}
