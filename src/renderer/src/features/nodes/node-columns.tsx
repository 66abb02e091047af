// The columns of the list of nodes.
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Node } from '../../../../contract/nodes/nodes.ts';
import { RelativeTime } from '../../components/figures.tsx';
import { Identity } from '../../components/identity.tsx';
import { StateDot } from '../../components/state.tsx';
import { createColumns } from '../../components/table/columns.ts';
import type { Format } from '../../format/format.ts';
import { useFormat } from '../../format/use-format.tsx';
import { NodeMenu } from './node-menu.tsx';
import { findTrouble } from './node-trouble.tsx';
import classes from './nodes.module.css';

const column = createColumns<Node>();
const noop = () => {};

export function useNodeColumns(buildHref: (node: Node) => string) {
  const { t } = useTranslation(['nodes', 'common']);
  const format = useFormat();
  return useMemo(
    () =>
      column.columns([
        column.accessor('name', {
          meta: { label: t('nodes:columns.name'), sort: 'name', isFixed: true },
          cell: ({ row: { original } }) => (
            <Identity name={original.name} detail={<NodeDetail node={original} />} href={buildHref(original)} />
          ),
        }),
        column.accessor(({ enabled, status }) => (enabled ? status : 'disabled'), {
          id: 'state',
          meta: { label: t('nodes:columns.state'), width: 124, sort: 'state' },
          cell: ({ row: { original: node } }) => <StateDot state={node.enabled ? node.status : 'disabled'} />,
        }),
        column.accessor((node) => troubleText(t, node), {
          id: 'trouble',
          meta: { label: t('nodes:columns.trouble'), width: 196, sort: 'trouble', descFirst: true, hideBelow: 1100 },
          cell: ({ getValue }) => (
            <span className={classes.error} title={getValue()}>
              {getValue()}
            </span>
          ),
        }),
        column.accessor('users_online', {
          meta: { label: t('nodes:columns.online'), width: 76, sort: 'users_online', align: 'end', descFirst: true },
          cell: ({ getValue }) => format.number(getValue()),
        }),
        column.accessor(({ load_percent }) => load_percent ?? -1, {
          id: 'load',
          meta: {
            label: t('nodes:columns.load'),
            width: 104,
            sort: 'load',
            align: 'end',
            descFirst: true,
            hideBelow: 480,
          },
          cell: ({ row: { original } }) => <Load percent={original.load_percent} />,
        }),
        column.accessor(({ traffic: { month } }) => month.up + month.down, {
          id: 'traffic',
          meta: {
            label: t('nodes:columns.traffic'),
            width: 104,
            sort: 'traffic',
            align: 'end',
            descFirst: true,
            hideBelow: 640,
          },
          cell: ({ getValue, row: { original } }) => (
            <span title={trafficText(t, format, original)}>{format.bytes(getValue())}</span>
          ),
        }),
        column.accessor(
          ({ enabled, pending_changes, poll_age_s }) => (enabled ? computeLag(pending_changes, poll_age_s) : -1),
          {
            id: 'lag',
            meta: {
              label: t('nodes:columns.lag'),
              width: 128,
              sort: 'lag',
              align: 'end',
              descFirst: true,
              hideBelow: 860,
            },
            cell: ({ row: { original } }) => <Lag node={original} />,
          },
        ),
        column.accessor(({ core }) => (core === null ? '' : `${core.name} ${core.version}`), {
          id: 'core',
          meta: { label: t('nodes:columns.core'), width: 128, sort: 'core', hideBelow: 1100 },
          cell: ({ getValue }) => <span className={classes.quiet}>{getValue() || '—'}</span>,
        }),
        column.accessor(({ clock_offset_ms: offset }) => (offset === null ? -1 : Math.abs(offset)), {
          id: 'clock',
          meta: {
            label: t('nodes:columns.clock'),
            width: 88,
            sort: 'clock',
            align: 'end',
            descFirst: true,
            // In narrower lists the addresses need the space.
            hideBelow: 1320,
          },
          cell: ({ row: { original } }) => <ClockOffset ms={original.clock_offset_ms} />,
        }),
        column.accessor(({ uptime_s }) => uptime_s ?? -1, {
          id: 'uptime',
          meta: { label: t('nodes:columns.uptime'), width: 104, sort: 'uptime', align: 'end', hideBelow: 1320 },
          cell: ({ row: { original } }) => (original.uptime_s === null ? '—' : format.uptime(original.uptime_s)),
        }),
        column.display({
          id: 'acts',
          meta: { label: t('nodes:columns.acts'), width: 56, isBare: true, isFixed: true, hideBelow: 480 },
          cell: ({ row: { original } }) => <NodeMenu node={original} onGone={noop} />,
        }),
      ]),
    [t, format, buildHref],
  );
}

/** The sort value: the longer a change is pending, the further the engine is behind. */
function computeLag(pending: number | null, ageS: number | null): number {
  return (pending ?? Number.MAX_SAFE_INTEGER / 2) * 1000 + (ageS ?? 999);
}

type T = TFunction<['nodes', 'common']>;

/** The engine's or the system's own message if there is one. */
function troubleText(t: T, node: Node): string {
  const trouble = findTrouble(node);
  return trouble === null ? '' : (node.error ?? t(`nodes:trouble.${trouble}`));
}

function trafficText(t: T, format: Format, { traffic: { today, month } }: Node): string {
  const [up, down] = [format.bytes(month.up), format.bytes(month.down)];
  return t('nodes:monthTraffic', { up, down, today: format.bytes(today.up + today.down) });
}

/** The node's address, or its problem in a list too narrow for a column of that. */
function NodeDetail({ node }: { readonly node: Node }) {
  const { t } = useTranslation(['nodes', 'common']);
  const trouble = troubleText(t, node);
  if (trouble === '') return node.address;
  return (
    <>
      <span className={classes.wide}>{node.address}</span>
      <span className={classes.narrow}>{trouble}</span>
    </>
  );
}

interface MeasuredProps {
  readonly isHigh: boolean;
  readonly text: string;
  readonly title: string;
}

function Measured({ isHigh, text, title }: MeasuredProps) {
  return (
    <span data-tone={isHigh ? 'warn' : undefined} className={classes.measured} title={title}>
      {text}
    </span>
  );
}

const HIGH_PERCENT = 90;

/** Load of the processor cores; a dash if the machine does not report it. */
export function Load({ percent }: { readonly percent: number | null }) {
  const { t } = useTranslation('nodes');
  const format = useFormat();
  if (percent === null) return '—';
  const share = format.percent(percent / 100);
  return <Measured isHigh={percent >= HIGH_PERCENT} text={share} title={t('load', { share })} />;
}

const SECOND_MS = 1000;
const MINUTE_S = 60;
const HIGH_MS = 2000;

/** The difference of the machine's clock to the panel's, such as `+12 ms`; a dash if the machine does not report it. */
export function ClockOffset({ ms }: { readonly ms: number | null }) {
  const { t } = useTranslation('nodes');
  const format = useFormat();
  if (ms === null) return '—';
  const [sign, size] = [ms < 0 ? '−' : '+', Math.abs(ms)];
  const seconds = Math.round(size / SECOND_MS);
  const length = format.uptime(seconds);
  const offset =
    size < SECOND_MS
      ? t('clock.ms', { sign, count: size })
      : seconds < 2 * MINUTE_S
        ? t('clock.seconds', { sign, count: seconds })
        : t('clock.more', { sign, length });
  return <Measured isHigh={size >= HIGH_MS} text={offset} title={t('clock.ahead', { offset })} />;
}

/** When the node was last read, and the number of user changes that its engine lacks. */
function Lag({ node }: { readonly node: Node }) {
  const { t } = useTranslation(['nodes', 'common']);
  const { enabled, pending_changes: pending } = node;
  if (!enabled) return '—';
  const waiting = pending === null ? t('nodes:waitingStart') : t('nodes:waitingChanges', { count: pending });
  const isBehind = pending === null || pending > 0;
  return (
    <span className={classes.lag}>
      <RelativeTime at={node.last_seen_at} none={t('common:never')} />
      {isBehind && <span className={classes.waits}>{waiting}</span>}
    </span>
  );
}
