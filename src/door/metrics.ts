// Prometheus metrics: values of the panel read on request, and request durations.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Core, Figures } from '../core/kernel/core.ts';
import type { Clock } from '../core/ports/ports.ts';
import type { UpDown } from '../core/ports/traffic.ts';

export interface Metrics {
  /** Records one reply: route template (never a raw path), method, status, seconds. */
  observe(route: string, method: string, status: number, seconds: number): void;
  /** All metrics as text 0.0.4, or as OpenMetrics 1.0.0. */
  read(isOpenMetrics: boolean): Promise<{ readonly type: string; readonly body: string }>;
}

interface Child {
  observe(seconds: number): void;
}

/** Gauges that Node's defaults name like counters; `promtool` rejects them, and their parts are exported anyway. */
const MISNAMED = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total'];
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(core: Pick<Core, 'figures'>, clock: Clock, version: string): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const refresh = createPanelFigures({ registers, version, clock });
  const durations = new Histogram({
    name: 'panel_http_request_duration_seconds',
    help: 'Time from the request to its reply, by route, without requests that waited for an event.',
    labelNames: ['route', 'method', 'status'],
    buckets: BUCKETS,
    registers,
  });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return {
    observe: createObserver(durations),
    async read(isOpenMetrics) {
      refresh(core.figures());
      const text = await registry.metrics();
      return isOpenMetrics
        ? { type: Registry.OPENMETRICS_CONTENT_TYPE, body: toOpenMetrics(text) }
        : { type: Registry.PROMETHEUS_CONTENT_TYPE, body: text };
    },
  };
}

/** Caches the histogram's children, since label look-ups are slower than counting. */
function createObserver(durations: Histogram<'route' | 'method' | 'status'>): Metrics['observe'] {
  const children = new Map<string, Map<string, Map<number, Child>>>();
  return (route, method, status, seconds) => {
    const child = children.get(route)?.get(method)?.get(status);
    if (child !== undefined) {
      child.observe(seconds);
      return;
    }
    const methods = children.get(route) ?? new Map<string, Map<number, Child>>();
    const statuses = methods.get(method) ?? new Map<number, Child>();
    const made = durations.labels(route, method, String(status));
    children.set(route, methods.set(method, statuses.set(status, made)));
    made.observe(seconds);
  };
}

const COUNTER = /^# (HELP|TYPE) (\S+)_total /gm;

/**
 * The same samples as OpenMetrics 1.0.0: counter families without `_total`, no empty lines, an end marker. prom-client can write it too, but renames
 * the counters permanently.
 */
export function toOpenMetrics(text: string): string {
  const body = text.replace(COUNTER, '# $1 $2 ').replace(/\n{2,}/g, '\n');
  return `${body.endsWith('\n') ? body : `${body}\n`}# EOF\n`;
}

interface FiguresParts {
  readonly registers: Registry[];
  readonly version: string;
  readonly clock: Clock;
}

/** Registers the metrics and returns the function that updates them. No label contains a user. */
function createPanelFigures({ registers, version, clock }: FiguresParts): (figures: Figures) => void {
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
  const epoch = gauge('panel_epoch', 'How often the data were restored on another machine, plus one.');
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
    epoch.set(figures.epoch);
  };
}

function fill(metric: Counter<string>, labels: Record<string, string>, moved: UpDown): void {
  metric.inc({ ...labels, direction: 'up' }, moved.up);
  metric.inc({ ...labels, direction: 'down' }, moved.down);
}

function seconds(ms: number): number {
  return Math.max(0, ms) / 1000;
}
