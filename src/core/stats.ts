// Statistics: the overview and traffic over time, from sums that were written when the traffic came in.

import type { Range } from '../contract/scalars.ts';
import type { Overview, TrafficReport } from '../contract/stats.ts';
import type { Input } from '../contract/table.ts';
import { addBytes } from '../domain/account.ts';
import { hoursBack, lastLocalDays, localDay } from '../domain/calendar.ts';
import { DAY_MS } from '../domain/limits.ts';
import type { Result } from './call.ts';
import type { Context, Handlers } from './context.ts';
import { PanelError } from './panel-error.ts';
import type { Point, UpDown } from './ports/records.ts';
import { ONLINE_MS, requireUser } from './users/users.ts';
import { toInstant } from './wire.ts';

const HOURS: Record<Exclude<Range, '30d'>, number> = { '24h': 24, '7d': 168 };
const TOP_USERS = 10;
const NOTHING: UpDown = { up: 0, down: 0 };

/** The sums of all nodes, one node or one user. */
interface Source {
  hours(from: number): readonly Point[];
  days(firstDay: string): readonly (UpDown & { readonly day: string })[];
}

function report(range: Range, points: readonly Point[], now: number): TrafficReport {
  const total = { up: 0, down: 0 };
  for (const { up, down } of points) {
    total.up = addBytes(total.up, up);
    total.down = addBytes(total.down, down);
  }
  return {
    range,
    step: range === '30d' ? 'day' : 'hour',
    from: toInstant(points[0]?.t ?? now),
    to: toInstant(now),
    total,
    points: points.map(({ t, up, down }) => ({ t: toInstant(t), up, down })),
  };
}

function reportOf(range: Range, source: Source, { now, settings }: Context): TrafficReport {
  if (range === '30d') {
    const days = lastLocalDays(now, 30, settings.timeZone);
    const sums = new Map(source.days(days[0]?.day ?? '').map((sum) => [sum.day, sum]));
    const points = days.map(({ day, from }) => ({ t: from, ...pick(sums.get(day)) }));
    return report(range, points, now);
  }
  const hours = hoursBack(now, HOURS[range]);
  const sums = new Map(source.hours(hours[0] ?? now).map((sum) => [sum.t, sum]));
  return report(
    range,
    hours.map((t) => ({ t, ...pick(sums.get(t)) })),
    now,
  );
}

function pick({ up, down }: UpDown = NOTHING): UpDown {
  return { up, down };
}

function getTraffic(input: Input<'getTraffic'>, context: Context): Result<TrafficReport> {
  const { traffic, nodes } = context.store;
  const nodeId = input.node_id ?? null;
  if (nodeId !== null && !nodes.get(nodeId)) {
    throw new PanelError('node_not_found', [
      { parameter: 'node_id', code: 'node_not_found', message: 'there is no such node' },
    ]);
  }
  const source: Source = {
    hours: (from) => traffic.nodeHours(from, nodeId),
    days: (firstDay) => traffic.nodeDays(firstDay, nodeId),
  };
  return { body: reportOf(input.range, source, context) };
}

function getUserTraffic(input: Input<'getUserTraffic'>, context: Context): Result<TrafficReport> {
  const { traffic } = context.store;
  const { id } = requireUser(context, input.id);
  const source: Source = {
    hours: (from) => traffic.userHours(id, from),
    days: (firstDay) => traffic.userDays(id, firstDay),
  };
  return { body: reportOf(input.range, source, context) };
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
    nodes: { total: all.length, up: all.filter(({ status }) => status === 'up').length },
    top_users: traffic.topUsers(month, TOP_USERS).map(({ id, name, up, down }) => ({ id, name, up, down })),
    generated_at: toInstant(now),
  };
  return { body };
}

export const STATS_HANDLERS = {
  getOverview: { read: getOverview },
  getTraffic: { read: getTraffic },
  getUserTraffic: { read: getUserTraffic },
} satisfies Handlers<'getOverview' | 'getTraffic' | 'getUserTraffic'>;
