// The panel's own metrics: names and labels as the contract has them, values from the core's maintained counts.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Figures } from '../core/core.ts';
import type { Clock } from '../core/ports/ports.ts';
import type { UpDown } from '../core/ports/records.ts';

export interface FiguresParts {
  readonly registers: Registry[];
  readonly version: string;
  readonly clock: Clock;
}

/** Registers the metrics; the returned function fills them. No label ever names a user. */
export function createPanelFigures({ registers, version, clock }: FiguresParts): (figures: Figures) => void {
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers });
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });

  gauge('panel_info', 'The version of the panel; always 1.', 'version').set({ version }, 1);
  const users = gauge('panel_users', 'Users by state.', 'state');
  const online = gauge('panel_users_online', 'Users who moved bytes within the last 60 seconds.');
  const traffic = counter('panel_traffic_bytes_total', 'Bytes moved by all nodes together, ever.', 'direction');
  const up = gauge('panel_node_up', 'Whether the node answers.', 'node_id', 'node');
  const nodeOnline = gauge('panel_node_users_online', 'Users online on the node.', 'node_id', 'node');
  const uptime = gauge('panel_node_uptime_seconds', 'How long the engine of the node has run.', 'node_id', 'node');
  const lag = gauge('panel_node_sync_lag_seconds', 'Time since the node was last heard of.', 'node_id', 'node');
  const nodeTraffic = counter(
    'panel_node_traffic_bytes_total',
    'Bytes moved by the node, ever.',
    'node_id',
    'node',
    'direction',
  );
  const inboundTraffic = counter(
    'panel_inbound_traffic_bytes_total',
    'Bytes moved by the connection, ever.',
    'inbound_id',
    'inbound',
    'direction',
  );
  const keys = gauge('panel_keys', 'API keys that are neither revoked nor expired.', 'access');
  const diskFull = gauge('panel_disk_full', 'Whether changes are refused because the disk is full.');
  const databaseSize = gauge('panel_db_size_bytes', 'Size of the database file and its journal.');

  function fillNodes(nodes: Figures['nodes']): void {
    for (const metric of [up, nodeOnline, uptime, lag]) metric.reset();
    const now = clock.now();
    for (const { id, name, status, usersOnline, engineStartedAt, lastSeenAt } of nodes) {
      const labels = { node_id: String(id), node: name };
      up.set(labels, status === 'up' ? 1 : 0);
      nodeOnline.set(labels, usersOnline);
      if (status === 'up' && engineStartedAt !== null) uptime.set(labels, seconds(now - engineStartedAt));
      if (lastSeenAt !== null) lag.set(labels, seconds(now - lastSeenAt));
    }
  }

  return (figures) => {
    for (const [state, count] of Object.entries(figures.users)) users.set({ state }, count);
    online.set(figures.usersOnline);
    for (const metric of [traffic, nodeTraffic, inboundTraffic]) metric.reset();
    fill(traffic, {}, figures.traffic);
    for (const row of figures.nodeTraffic) fill(nodeTraffic, { node_id: String(row.nodeId), node: row.name }, row);
    for (const row of figures.inboundTraffic) {
      fill(inboundTraffic, { inbound_id: String(row.inboundId), inbound: row.name }, row);
    }
    fillNodes(figures.nodes);
    for (const [access, count] of Object.entries(figures.keys)) keys.set({ access }, count);
    databaseSize.set(figures.databaseBytes);
    diskFull.set(figures.isDiskFull ? 1 : 0);
  };
}

function fill(metric: Counter<string>, labels: Record<string, string>, moved: UpDown): void {
  metric.inc({ ...labels, direction: 'up' }, moved.up);
  metric.inc({ ...labels, direction: 'down' }, moved.down);
}

function seconds(ms: number): number {
  return Math.max(0, ms) / 1000;
}
