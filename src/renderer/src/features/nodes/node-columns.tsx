// The columns of the list of nodes.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Node } from '../../../../contract/nodes.ts';
import { RelativeTime } from '../../components/figures.tsx';
import { Identity } from '../../components/identity.tsx';
import { StateDot } from '../../components/state.tsx';
import { columnsOf } from '../../components/table/columns.ts';
import { useFormat } from '../../format/use-format.tsx';
import { NodeMenu } from './node-menu.tsx';
import { troubleOf } from './node-trouble.tsx';
import classes from './nodes.module.css';
import { DayTraffic } from './sparkline.tsx';

const column = columnsOf<Node>();
const stay = () => {};

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
          meta: { label: t('nodes:columns.state'), width: 120, sort: 'state' },
          cell: ({ row: { original: node } }) => <StateDot state={node.enabled ? node.status : 'disabled'} />,
        }),
        column.accessor((node) => (troubleOf(node) === null ? '' : (node.error ?? '')), {
          id: 'trouble',
          meta: { label: t('nodes:columns.trouble'), width: 180, hideBelow: 860 },
          cell: ({ getValue }) => (
            <span className={classes.error} title={getValue()}>
              {getValue()}
            </span>
          ),
        }),
        column.accessor(({ core }) => (core === null ? '' : `${core.name} ${core.version}`), {
          id: 'core',
          meta: { label: t('nodes:columns.core'), width: 116, hideBelow: 1100 },
          cell: ({ getValue }) => <span className={classes.quiet}>{getValue() || '—'}</span>,
        }),
        column.accessor(({ uptime_s }) => uptime_s ?? -1, {
          id: 'uptime',
          meta: { label: t('nodes:columns.uptime'), width: 92, sort: 'uptime', align: 'end', hideBelow: 860 },
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
          meta: { label: t('nodes:columns.traffic'), width: 200, align: 'end', hideBelow: 640 },
          cell: ({ row: { original } }) => <DayTraffic nodeId={original.id} />,
        }),
        column.accessor('last_seen_at', {
          meta: { label: t('nodes:columns.seen'), width: 104, align: 'end', hideBelow: 1100 },
          cell: ({ getValue }) => <RelativeTime at={getValue()} none={t('common:never')} />,
        }),
        column.display({
          id: 'acts',
          meta: { label: t('nodes:columns.acts'), width: 52, isBare: true, isFixed: true, hideBelow: 480 },
          cell: ({ row: { original } }) => <NodeMenu node={original} onGone={stay} />,
        }),
      ]),
    [t, format, hrefOf],
  );
}
