// Statistics: the overview and traffic over time, from sums that are maintained when traffic is counted.

import type { FieldErrorCode } from '../../contract/errors.ts';
import type { Range } from '../../contract/scalars.ts';
import {
  DAYS_STORED,
  HOURS_STORED_DAYS,
  type NodeTrafficReport,
  type Overview,
  type TrafficQuery,
  type TrafficReport,
  type UserReport,
} from '../../contract/stats.ts';
import type { Input } from '../../contract/table.ts';
import { hoursBack, type LocalDay, lastLocalDays, localDay, localDaysBetween } from '../../domain/calendar.ts';
import { DAY_MS, HOUR_MS } from '../../domain/limits.ts';
import { nodeStatusAt } from '../../domain/nodes/node-status.ts';
import { addBytes } from '../../domain/users/account.ts';
import type { Context, Handlers } from '../kernel/context.ts';
import { PanelError, requireAll } from '../kernel/panel-error.ts';
import { fromInstant, toInstant } from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import type { Point, UpDown, UserDayCounts } from '../ports/traffic.ts';
import { ONLINE_MS, requireUser } from '../users/users.ts';

const RANGES: Readonly<Record<Range, { readonly step: 'hour' | 'day'; readonly count: number }>> = {
  '24h': { step: 'hour', count: 24 },
  '7d': { step: 'hour', count: 168 },
  '30d': { step: 'day', count: 30 },
};
const USUAL_DAYS = 30;
/** Windows up to this many days are shown by the hour. */
const HOURLY_DAYS = 7;
const TOP_USERS = 10;
const NOTHING: UpDown = { up: 0, down: 0 };

/** The source of sums: all nodes, one node or one user. */
interface Source {
  hours(from: number): readonly Point[];
  days(firstDay: string): readonly (UpDown & { readonly day: string })[];
}

/** The hours or days of a report, and its end. */
type Window = { readonly range: Range | null; readonly to: number } & (
  | { readonly step: 'hour'; readonly hours: readonly number[] }
  | { readonly step: 'day'; readonly days: readonly LocalDay[] }
);

function requireThat(isRight: boolean, parameter: string, code: FieldErrorCode, message: string): void {
  if (!isRight) throw new PanelError('validation', [{ parameter, code, message }]);
}

/** `from` and `to` as moments; the end is at most now. */
function parseRange(query: { from: string; to?: string | undefined }, now: number, storedDays: number) {
  const from = fromInstant(query.from);
  const to = Math.min(now, query.to === undefined ? now : fromInstant(query.to));
  const oldest = now - storedDays * DAY_MS;
  return requireAll(
    () => ({ from, to }),
    () => requireThat(from < to, 'from', 'inconsistent', 'must be earlier than the end and than now'),
    () => requireThat(from >= oldest, 'from', 'too_small', `must lie within the last ${storedDays} days`),
  );
}

function resolveWindow(query: TrafficQuery, { now, settings: { timeZone } }: Context): Window {
  const { range, from: requestedFrom, to: end, step } = query;
  if (requestedFrom === undefined) {
    requireThat(end === undefined && step === undefined, 'from', 'required', 'is required with to and step');
    const found = RANGES[range ?? '24h'];
    const common = { range: range ?? '24h', to: now } as const;
    if (found.step === 'hour') return { ...common, step: 'hour', hours: hoursBack(now, found.count) };
    return { ...common, step: 'day', days: lastLocalDays(now, found.count, timeZone) };
  }
  const { from, to } = requireAll(
    () => parseRange({ from: requestedFrom, to: end }, now, step === 'hour' ? HOURS_STORED_DAYS : DAYS_STORED),
    () => requireThat(range === undefined, 'range', 'inconsistent', 'does not go with from'),
  );
  const isShort = to - from <= HOURLY_DAYS * DAY_MS && from >= now - HOURS_STORED_DAYS * DAY_MS;
  if (step === 'hour' || (step === undefined && isShort)) {
    const first = Math.floor(from / HOUR_MS) * HOUR_MS;
    const hours = Array.from({ length: Math.ceil((to - first) / HOUR_MS) }, (_, index) => first + index * HOUR_MS);
    return { range: null, to, step: 'hour', hours };
  }
  return { range: null, to, step: 'day', days: localDaysBetween(from, to, timeZone) };
}

function buildReport(window: Window, source: Source): TrafficReport {
  const points = window.step === 'hour' ? hourPoints(window.hours, source) : dayPoints(window.days, source);
  const total = { up: 0, down: 0 };
  for (const { up, down } of points) {
    total.up = addBytes(total.up, up);
    total.down = addBytes(total.down, down);
  }
  return {
    range: window.range,
    step: window.step,
    from: toInstant(points[0]?.t ?? window.to),
    to: toInstant(window.to),
    total,
    points: points.map(({ t, up, down }) => ({ t: toInstant(t), up, down })),
  };
}

function hourPoints(hours: readonly number[], source: Source): readonly Point[] {
  const sums = new Map(source.hours(hours[0] ?? 0).map((sum) => [sum.t, sum]));
  return hours.map((t) => ({ t, ...pick(sums.get(t)) }));
}

function dayPoints(days: readonly LocalDay[], source: Source): readonly Point[] {
  const sums = new Map(source.days(days[0]?.day ?? '').map((sum) => [sum.day, sum]));
  return days.map(({ day, from }) => ({ t: from, ...pick(sums.get(day)) }));
}

function pick({ up, down }: UpDown = NOTHING): UpDown {
  return { up, down };
}

function getServerTraffic(input: Input<'getServerTraffic'>, context: Context): Result<TrafficReport> {
  const { traffic, nodes } = context.store;
  const nodeId = input.node_id ?? null;
  const requireNode = () => {
    if (nodeId === null || nodes.get(nodeId)) return;
    const failure = { parameter: 'node_id', code: 'node_not_found', message: 'there is no such node' } as const;
    throw new PanelError('node_not_found', [failure]);
  };
  const window = requireAll(() => resolveWindow(input, context), requireNode);
  const source: Source = {
    hours: (from) => traffic.nodeHours(from, nodeId),
    days: (firstDay) => traffic.nodeDays(firstDay, nodeId),
  };
  return { body: buildReport(window, source) };
}

function getUserTraffic(input: Input<'getUserTraffic'>, context: Context): Result<TrafficReport> {
  const { traffic } = context.store;
  const { id } = requireUser(context, input.id);
  const source: Source = {
    hours: (from) => traffic.userHours(id, from),
    days: (firstDay) => traffic.userDays(id, firstDay),
  };
  return { body: buildReport(resolveWindow(input, context), source) };
}

const NO_CHANGES: UserDayCounts = { created: 0, expired: 0, deleted: 0 };

/** The requested days, 30 by default. */
function listDays(query: Input<'getUserStats'>, { now, settings }: Context) {
  const usual = lastLocalDays(now, USUAL_DAYS, settings.timeZone)[0]?.from ?? now;
  const { from, to } = parseRange({ from: query.from ?? toInstant(usual), to: query.to }, now, DAYS_STORED);
  const days = localDaysBetween(from, to, settings.timeZone);
  return { from: toInstant(days[0]?.from ?? from), to: toInstant(to), days };
}

function getUserTrafficByNode(input: Input<'getUserTrafficByNode'>, context: Context): Result<NodeTrafficReport> {
  const { traffic, nodes } = context.store;
  const { id } = requireUser(context, input.id);
  const { from, to, days } = listDays(input, context);
  const sums = new Map<number, UpDown>();
  let total = NOTHING;
  const last = days.at(-1)?.day ?? '';
  for (const { day, nodeId, ...moved } of traffic.userNodeDays(id, days[0]?.day ?? '')) {
    if (day > last) continue;
    sums.set(nodeId, addTo(sums.get(nodeId), moved));
    total = addTo(total, moved);
  }
  const shares = [...sums]
    .map(([nodeId, { up, down }]) => ({ node_id: nodeId, name: nodes.get(nodeId)?.name ?? null, up, down }))
    .sort((a, b) => b.up + b.down - a.up - a.down || a.node_id - b.node_id);
  return { body: { from, to, total, nodes: shares } };
}

function addTo(sum: UpDown = NOTHING, { up, down }: UpDown): UpDown {
  return { up: addBytes(sum.up, up), down: addBytes(sum.down, down) };
}

function getUserStats(input: Input<'getUserStats'>, context: Context): Result<UserReport> {
  const { store } = context;
  const { from, to, days: span } = listDays(input, context);
  const counts = new Map(store.userDays.read(span[0]?.day ?? '', span.at(-1)?.day ?? '').map((sum) => [sum.day, sum]));
  const total = { ...NO_CHANGES };
  const days = span.map(({ day, from: start }) => {
    const { created, expired, deleted } = counts.get(day) ?? NO_CHANGES;
    total.created += created;
    total.expired += expired;
    total.deleted += deleted;
    return { t: toInstant(start), created, expired, deleted };
  });
  return { body: { from, to, total, days, by_tariff: usersByTariff(context) } };
}

function usersByTariff({ store, now }: Context): UserReport['by_tariff'] {
  return store.users
    .countsByTariff(now)
    .map(({ tariffId, states }) => ({
      tariff_id: tariffId,
      name: tariffId === null ? null : (store.tariffs.get(tariffId)?.name ?? null),
      total: Object.values(states).reduce((sum, count) => sum + count, 0),
      ...states,
    }))
    .filter(({ total }) => total > 0)
    .sort((a, b) => b.total - a.total || (a.tariff_id ?? 0) - (b.tariff_id ?? 0));
}

function getOverview(_input: Input<'getOverview'>, { store, now, settings }: Context): Result<Overview> {
  const { users, traffic, nodes } = store;
  const states = users.countsByState(now);
  const [yesterday, today] = lastLocalDays(now, 2, settings.timeZone).map(({ day }) => day);
  const day = today ?? localDay(now, settings.timeZone);
  const month = day.slice(0, 7);
  const all = nodes.page(nodes.count(), 0);
  const body: Overview = {
    users: {
      total: Object.values(states).reduce((sum, count) => sum + count, 0),
      ...states,
      online: users.countOnline(now - ONLINE_MS),
      expiring_7d: users.countExpiring(now, now + 7 * DAY_MS),
    },
    traffic: {
      today: traffic.sumDays(day, day),
      yesterday: yesterday === undefined ? NOTHING : traffic.sumDays(yesterday, yesterday),
      month: traffic.sumDays(`${month}-01`, day),
    },
    nodes: { total: all.length, up: all.filter((node) => nodeStatusAt(node, now) === 'up').length },
    top_users: traffic.topUsers(month, TOP_USERS).map(({ id, name, up, down }) => ({ id, name, up, down })),
    generated_at: toInstant(now),
  };
  return { body };
}

export const STATS_HANDLERS = {
  getOverview: { read: getOverview },
  getServerTraffic: { read: getServerTraffic },
  getUserTraffic: { read: getUserTraffic },
  getUserTrafficByNode: { read: getUserTrafficByNode },
  getUserStats: { read: getUserStats },
} satisfies Handlers<'getOverview' | 'getServerTraffic' | 'getUserTraffic' | 'getUserTrafficByNode' | 'getUserStats'>;
