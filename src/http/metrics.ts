// The metrics for Prometheus: figures of the panel taken when asked for, and how long requests took.
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Core } from '../core/core.ts';
import type { Clock } from '../core/ports/ports.ts';
import { toOpenMetrics } from './open-metrics.ts';
import { createPanelFigures } from './panel-figures.ts';

export interface Metrics {
  /** Notes one reply: route template (never a raw path), method, status, seconds. */
  observe(route: string, method: string, status: number, seconds: number): void;
  /** All metrics as text 0.0.4, or as OpenMetrics 1.0.0. */
  read(isOpenMetrics: boolean): Promise<{ readonly type: string; readonly body: string }>;
}

interface Child {
  observe(seconds: number): void;
}

/** These are gauges that Node's defaults name like counters; `promtool` objects, and their parts are exported anyway. */
const MISNAMED = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total'];
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(core: Pick<Core, 'figures'>, clock: Clock, version: string): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const refresh = createPanelFigures({ registers, version, clock });
  const durations = new Histogram({
    name: 'panel_http_request_duration_seconds',
    help: 'Time from the request to its reply, by route.',
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

/** Keeps the histogram's children at hand: looking them up by their labels costs more than counting. */
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
