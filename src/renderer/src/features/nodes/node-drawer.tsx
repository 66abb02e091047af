// A node's record: its state, advice if it has a problem, its traffic and its connections.
import { Button, SegmentedControl, Textarea } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Node } from '../../../../contract/nodes/nodes.ts';
import { RANGES, type Range } from '../../../../contract/scalars.ts';
import { Chart } from '../../components/chart/chart.tsx';
import { buildTrafficChart, type ChartData } from '../../components/chart/series.ts';
import { EngineNeeds, WarningCount } from '../../components/connection-facts.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { DateTime, RelativeTime } from '../../components/figures.tsx';
import { OpenedRecord } from '../../components/form/opened-record.tsx';
import { ErrorState } from '../../components/placeholder.tsx';
import { DrawerSection, Fact, Facts, RecordDrawer } from '../../components/record-drawer.tsx';
import { Mark, StateBadge, StateDot } from '../../components/state.tsx';
import { useOpening } from '../../components/use-opening.ts';
import { useOperation, useWholeList } from '../../data/use-operation.ts';
import { useFormat } from '../../format/use-format.tsx';
import { useNow } from '../../format/use-now.ts';
import { buildHash } from '../../router/route.ts';
import { ClockOffset, Load } from './node-columns.tsx';
import { EditNode, NewNode } from './node-form.tsx';
import { NodeJoin } from './node-join.tsx';
import { NodeMenu } from './node-menu.tsx';
import { NodeTrouble } from './node-trouble.tsx';
import classes from './nodes.module.css';

interface NodeDrawerProps {
  /** `new`, an id, or null: closed. */
  readonly open: 'new' | number | null;
  /** Shows the form instead of the record. */
  readonly isEdited: boolean;
  readonly onClose: () => void;
}

const RECORD_EVERY_MS = 15_000;

export function NodeDrawer({ open, isEdited, onClose }: NodeDrawerProps) {
  const { shown, count } = useOpening(open === null ? null : `${open}${isEdited ? ' edit' : ''}`);
  const isOpen = open !== null;
  if (shown === null) return null;
  if (shown === 'new') return <NewNode key={count} isOpen={isOpen} onClose={onClose} />;
  const [id, edit] = shown.split(' ');
  return (
    <OpenedRecord key={count} read="getNode" id={Number(id)} isOpen={isOpen} onClose={onClose}>
      {(node) =>
        edit === undefined ? (
          <NodeRecord first={node} isOpen={isOpen} onClose={onClose} />
        ) : (
          <EditNode node={node} isOpen={isOpen} onClose={onClose} />
        )
      }
    </OpenedRecord>
  );
}

interface NodeRecordProps {
  /** The node when the record was opened. */
  readonly first: Node;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function NodeRecord({ first, isOpen, onClose }: NodeRecordProps) {
  const { t } = useTranslation(['nodes', 'common']);
  const format = useFormat();
  const { data } = useOperation('getNode', { id: first.id }, { enabled: isOpen, pollMs: RECORD_EVERY_MS });
  const node = data ?? first;
  // Decided once, so that the instructions stay while the record is open: they show the progress of joining.
  const [canJoin] = useState(first.kind === 'remote' && (!first.joined || first.status === 'down'));
  const {
    id,
    name,
    kind,
    enabled,
    status,
    address = '',
    draining,
    weight_percent: weight,
    note = '',
    core,
    uptime_s,
    users_online,
    addresses_online,
    pending_changes: pending,
  } = node;
  return (
    <RecordDrawer
      isOpen={isOpen}
      isOfList
      onClose={onClose}
      title={name}
      subtitle={
        <>
          <StateBadge state={enabled ? status : 'disabled'} />
          <Mark>{t(`nodes:kind.${kind}`)}</Mark>
          {draining && <Mark>{t('nodes:draining')}</Mark>}
        </>
      }
      actions={
        <>
          <Button
            component="a"
            href={buildHash(['nodes', id, 'edit'])}
            variant="default"
            leftSection={<IconPencil size={16} stroke={1.5} />}
          >
            {t('nodes:act.edit')}
          </Button>
          <NodeMenu node={node} onGone={onClose} />
        </>
      }
    >
      <NodeTrouble node={node} />
      <DrawerSection>
        <Facts>
          <Fact label={t('nodes:fields.address')}>
            <span className={classes.address}>
              <code>{address}</code>
              <CopyButton value={address} label={t('nodes:copyAddress')} />
            </span>
          </Fact>
          <Fact label={t('nodes:columns.core')}>{core === null ? '—' : `${core.name} ${core.version}`}</Fact>
          <Fact label={t('nodes:columns.uptime')}>{uptime_s === null ? '—' : format.uptime(uptime_s)}</Fact>
          <Fact label={t('nodes:columns.online')}>{format.number(users_online)}</Fact>
          {addresses_online !== null && (
            <Fact label={t('nodes:addressesOnline')}>{format.number(addresses_online)}</Fact>
          )}
          <Fact label={t('nodes:lag.poll')}>
            <RelativeTime at={node.last_seen_at} none={t('common:never')} />
          </Fact>
          {node.load_percent !== null && (
            <Fact label={t('nodes:columns.load')}>
              <Load percent={node.load_percent} />
            </Fact>
          )}
          {node.clock_offset_ms !== null && (
            <Fact label={t('nodes:columns.clock')}>
              <ClockOffset ms={node.clock_offset_ms} />
            </Fact>
          )}
          {node.links_certificate !== null && (
            <Fact label={t('nodes:linksCertificate.label')}>
              <LinksCertificate certificate={node.links_certificate} />
            </Fact>
          )}
          {node.version !== null && <Fact label={t('nodes:columns.gatehouse')}>{node.version}</Fact>}
          {node.fingerprint !== null && <Fact label={t('nodes:fingerprint')}>{node.fingerprint}</Fact>}
          {kind === 'remote' && node.joined && (
            <Fact label={t('nodes:ledger.label')}>
              <WaitingLedger node={node} />
            </Fact>
          )}
          {enabled && (
            <Fact label={t('nodes:lag.changes')}>
              {pending === null ? t('nodes:lag.unknown') : t('nodes:lag.pending', { count: pending })}
            </Fact>
          )}
          {node.cut_off !== null && (
            <Fact label={t('nodes:cutOff.label')}>{node.cut_off.map((one) => t(`nodes:cutOff.${one}`)).join(' ')}</Fact>
          )}
          {node.restored_at !== null && (
            <Fact label={t('nodes:restored.label')}>
              <DateTime at={node.restored_at} style="dateTime" /> · {t('nodes:restored.text')}
            </Fact>
          )}
          {node.implausible_traffic !== null && (
            <Fact label={t('nodes:implausible.label')}>
              <ImplausibleTraffic {...node.implausible_traffic} />
            </Fact>
          )}
          {node.last_restart !== null && (
            <Fact label={t('nodes:restart.label')}>
              <LastRestart restart={node.last_restart} />
            </Fact>
          )}
          {node.allows_private && (
            <Fact label={t('nodes:fields.allowsPrivate')}>{t('nodes:fields.allowsPrivateYes')}</Fact>
          )}
          {draining && (
            <Fact label={t('nodes:fields.draining')}>{t('nodes:drainingText', { count: users_online })}</Fact>
          )}
          {weight !== 100 && (
            <Fact label={t('nodes:fields.weight')}>{t('nodes:weight', { share: format.percent(weight / 100) })}</Fact>
          )}
          {note !== '' && (
            <Fact label={t('nodes:fields.note')}>
              <span className={classes.note}>{note}</span>
            </Fact>
          )}
          <Fact label={t('nodes:added')}>
            <DateTime at={node.created_at} />
          </Fact>
        </Facts>
      </DrawerSection>
      {canJoin && <NodeJoin node={node} isOpen={isOpen} />}
      <NodeTraffic nodeId={id} />
      <NodeConnections nodeId={id} />
      {kind === 'local' && <EngineLog nodeId={id} />}
    </RecordDrawer>
  );
}

function LinksCertificate({ certificate }: { readonly certificate: NonNullable<Node['links_certificate']> }) {
  const { t } = useTranslation(['nodes', 'settings']);
  const { not_after: endsAt, failure } = certificate;
  return (
    <>
      {endsAt === null ? t('nodes:linksCertificate.none') : <DateTime at={endsAt} />}
      {failure !== null && ` · ${t(`settings:certificates.acme.why.${failure}`, { detail: '' })}`}
    </>
  );
}

/** What the machine has counted and the panel has not acknowledged. */
function WaitingLedger({ node }: { readonly node: Node }) {
  const { t } = useTranslation('nodes');
  const format = useFormat();
  const now = useNow();
  const { ledger, status, last_seen_at: seen } = node;
  if (status !== 'up') {
    return seen === null ? t('ledger.unknown') : t('ledger.away', { when: format.relative(seen, now) });
  }
  if (ledger === null) return t('ledger.unknown');
  if (ledger.entries === 0) return t('ledger.nothing');
  const amount = format.bytes(ledger.bytes);
  return ledger.since === null
    ? t('ledger.first', { count: ledger.entries, amount })
    : t('ledger.taken', { count: ledger.entries, amount, when: format.moment(ledger.since) });
}

function ImplausibleTraffic({ up, down, last_at }: NonNullable<Node['implausible_traffic']>) {
  const { t } = useTranslation('nodes');
  const format = useFormat();
  return (
    <>
      {format.bytes(Math.min(Number.MAX_SAFE_INTEGER, up + down))} · <DateTime at={last_at} style="dateTime" /> ·{' '}
      {t('implausible.text')}
    </>
  );
}

/** Users that a restart lists by name; the others are only counted. */
const NAMED = 3;

function LastRestart({
  restart: { at, reason, inbound_id: inboundId, user_ids: ids },
}: {
  readonly restart: NonNullable<Node['last_restart']>;
}) {
  const { t } = useTranslation('nodes');
  const inbound = useOperation('getInbound', { id: inboundId ?? 0 }, { enabled: inboundId !== null });
  const more = ids.length - NAMED;
  return (
    <>
      <DateTime at={at} style="dateTime" /> ·{' '}
      {inboundId === null
        ? t(`restart.${reason}`)
        : t('restart.reopened', { name: inbound.data?.name ?? `#${inboundId}` })}
      {ids.slice(0, NAMED).map((id, index) => (
        <span key={id}>
          {index === 0 ? ' ' : ', '}
          <UserLink id={id} />
        </span>
      ))}
      {more > 0 && ` ${t('restart.more', { count: more })}`}
    </>
  );
}

/** A link to a user with the name; for a deleted user only the id. */
function UserLink({ id }: { readonly id: number }) {
  const { data } = useOperation('getUser', { id });
  return (
    <a className={classes.inText} href={buildHash(['users', id])}>
      {data?.name ?? `#${id}`}
    </a>
  );
}

// The connections of a node, each a link to its record.

function NodeConnections({ nodeId }: { readonly nodeId: number }) {
  const { t } = useTranslation(['nodes', 'connections']);
  const { data } = useWholeList('listInbounds', { node_id: nodeId });
  return (
    <DrawerSection
      title={t('connections:title')}
      actions={
        <a className={classes.more} href={buildHash(['connections', 'new'], { node: nodeId })}>
          {t('connections:create')}
        </a>
      }
    >
      {data?.items.length === 0 && <p className={classes.quiet}>{t('nodes:noConnections')}</p>}
      <ul className={classes.connections}>
        {data?.items.map((inbound) => {
          const { id, name, enabled, status, port, tag, warnings } = inbound;
          const state = enabled ? status : 'disabled';
          return (
            <li key={id}>
              <a className={classes.connection} href={buildHash(['connections', id], { node: nodeId })}>
                <StateDot state={state} label={t(`connections:state.${state}`)} bare />
                <span className={classes.connectionText}>
                  <span className={classes.connectionName}>{name}</span>
                  <span className={classes.quiet}>
                    {tag} · <EngineNeeds inbound={inbound} />
                  </span>
                </span>
                <WarningCount count={warnings?.length ?? 0} />
                <span className={classes.port}>:{port}</span>
              </a>
            </li>
          );
        })}
      </ul>
    </DrawerSection>
  );
}

// The last log lines of a local node's engine.

function EngineLog({ nodeId }: { readonly nodeId: number }) {
  const { t } = useTranslation('nodes');
  const { data } = useOperation('getNodeLog', { id: nodeId }, { pollMs: RECORD_EVERY_MS });
  if (data === undefined) return null;
  return (
    <DrawerSection title={t('log.title')}>
      {data.lines.length === 0 ? (
        <p className={classes.quiet}>{t('log.empty')}</p>
      ) : (
        <Textarea
          aria-label={t('log.title')}
          readOnly
          rows={12}
          spellCheck={false}
          classNames={{ input: classes.log ?? '' }}
          value={data.lines.join('\n')}
        />
      )}
    </DrawerSection>
  );
}

// A node's traffic over a day, a week or a month.

const TRAFFIC_EVERY_MS = 60_000;
const CHART_HEIGHT = 180;

function NodeTraffic({ nodeId }: { readonly nodeId: number }) {
  const { t } = useTranslation(['nodes', 'common']);
  const [range, setRange] = useState<Range>('24h');
  const report = useOperation(
    'getServerTraffic',
    { range, node_id: nodeId },
    { pollMs: TRAFFIC_EVERY_MS, keepPrevious: true },
  );
  const chart = useMemo<ChartData | null>(() => {
    if (report.data === undefined) return null;
    return buildTrafficChart(report.data, (direction) => t(`common:traffic.${direction}`));
  }, [report.data, t]);
  return (
    <DrawerSection
      title={t('common:traffic.label')}
      actions={
        <SegmentedControl
          aria-label={t('nodes:range')}
          value={range}
          onChange={setRange}
          data={RANGES.map((value) => ({ value, label: t(`nodes:ranges.${value}`) }))}
        />
      }
    >
      {report.error !== null && report.data === undefined ? (
        <ErrorState size="small" failure={report.error} onRetry={() => void report.refetch()} />
      ) : chart === null ? (
        <div style={{ height: CHART_HEIGHT }} aria-busy />
      ) : (
        <Chart label={t('common:traffic.label')} height={CHART_HEIGHT} {...chart} />
      )}
    </DrawerSection>
  );
}
