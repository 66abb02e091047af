// Statistics on the wire: the overview and traffic over time.
import { z } from 'zod';
import { apiOperation } from './operation.ts';
import * as s from './scalars.ts';

const count = z.int().min(0);

const { up, down } = s.updown.shape;

const trafficPoint = z
  .object({ t: s.instant.meta({ description: 'The start of the hour or day.' }), up, down })
  .meta({ id: 'TrafficPoint', description: 'The traffic of an hour or of a day.' });

/** How long traffic is stored, in days: by the hour, and by the day. Changes of users are stored as long as days. */
export const HOURS_STORED_DAYS = 8;
export const DAYS_STORED = 400;

const from = s.time.optional().meta({ description: 'The start, instead of `range`; rounded down to its hour or day.' });
const to = s.time.optional().meta({
  description: 'The end, exclusive; its hour or day is the last one. Absent or later than now: now.',
});
const STEPS = ['hour', 'day'] as const;
const step = z
  .enum(STEPS)
  .meta({ id: 'TrafficStep', description: "`hour`: hours of UTC. `day`: days of the panel's time zone." });
const trafficWindow = {
  range: s.range.optional().meta({ description: 'Absent without `from`: `24h`.' }),
  from,
  to,
  step: step.optional().meta({
    description: `With \`from\`. Hours are stored for ${HOURS_STORED_DAYS} days, days for ${DAYS_STORED}. Absent: hours for up to 7 days, days for more.`,
  }),
};

export const trafficReport = z
  .object({
    range: s.range.nullable().meta({ description: 'null: requested by `from`.' }),
    step: step.meta({ description: 'The duration of a point.' }),
    from: s.instant.meta({ description: 'The start of the first point.' }),
    to: s.instant.meta({ description: 'The end of the counted time.' }),
    total: s.updown.meta({ description: 'The sum of all points.' }),
    points: z.array(trafficPoint).meta({
      description:
        "Every hour or day of the panel's time zone, without gaps. A range has 24 or 168 hours, or 30 days; the last one is the current, partial one.",
    }),
  })
  .meta({ id: 'TrafficReport', description: 'Traffic over time.' });
export type TrafficReport = z.output<typeof trafficReport>;

const HOUR = 3_600_000;
const LAST_HOUR = Date.parse('2026-11-20T10:00:00Z');

export const trafficReportExample: TrafficReport = {
  range: '24h',
  step: 'hour',
  from: '2026-11-19T11:00:00.000Z',
  to: '2026-11-20T10:15:00.000Z',
  total: { up: 24_000_000, down: 312_000_000 },
  points: Array.from({ length: 24 }, (_, hour) => ({
    t: new Date(LAST_HOUR - (23 - hour) * HOUR).toISOString(),
    up: 1_000_000,
    down: 13_000_000,
  })),
};

const nodeShare = z
  .object({
    node_id: s.id.meta({ description: 'The node.' }),
    name: z.string().nullable().meta({ description: 'Its name; null: it was deleted.' }),
    up,
    down,
  })
  .meta({ id: 'NodeTraffic', description: 'The traffic of a node.' });

export const nodeTrafficReport = z
  .object({
    from: s.instant.meta({ description: 'The start of the first day.' }),
    to: s.instant.meta({ description: 'The end of the counted time.' }),
    total: s.updown.meta({ description: 'The sum of all nodes.' }),
    nodes: z.array(nodeShare).meta({ description: 'Nodes with traffic, including deleted ones, most traffic first.' }),
  })
  .meta({ id: 'NodeTrafficReport', description: 'Traffic by node.' });
export type NodeTrafficReport = z.output<typeof nodeTrafficReport>;

export const nodeTrafficReportExample: NodeTrafficReport = {
  from: '2026-10-21T21:00:00.000Z',
  to: '2026-11-20T10:15:00.000Z',
  total: { up: 24_000_000, down: 312_000_000 },
  nodes: [{ node_id: 1, name: 'Frankfurt', up: 24_000_000, down: 312_000_000 }],
};

const topUser = z
  .object({
    id: s.defineId('user'),
    name: z.string().meta({ description: s.ABOUT.name }),
    up,
    down,
  })
  .meta({ id: 'TopUser', description: 'A user and the traffic of this month.' });

export const overview = z
  .object({
    users: z
      .object({
        total: count.meta({ description: 'All users.' }),
        active: count.meta({ description: 'Users in the state `active`.' }),
        on_hold: count.meta({ description: 'Users in the state `on_hold`.' }),
        limited: count.meta({ description: 'Users in the state `limited`.' }),
        expired: count.meta({ description: 'Users in the state `expired`.' }),
        disabled: count.meta({ description: 'Users in the state `disabled`.' }),
        online: count.meta({ description: 'Users who moved bytes within the last 60 seconds.' }),
        expiring_7d: count.meta({ description: 'Users who are not disabled and whose term ends within 7 days.' }),
      })
      .meta({ id: 'OverviewUsers', description: 'The number of users, in total and by state.' }),
    traffic: z
      .object({
        today: s.updown.meta({ description: 'Since 00:00 of today.' }),
        yesterday: s.updown.meta({ description: 'The whole of yesterday.' }),
        month: s.updown.meta({ description: 'Since the 1st of this month.' }),
      })
      .meta({ id: 'OverviewTraffic', description: "Days and the month of the panel's time zone." }),
    nodes: z
      .object({
        total: count.meta({ description: 'All nodes.' }),
        up: count.meta({ description: 'Nodes that answer.' }),
      })
      .meta({ id: 'OverviewNodes', description: 'The number of nodes.' }),
    top_users: z.array(topUser).max(10).meta({ description: 'The ten users with the most traffic this month.' }),
    generated_at: s.instant.meta({ description: 'When the figures were read.' }),
  })
  .meta({ id: 'Overview', description: 'The figures of the overview.' });
export type Overview = z.output<typeof overview>;

const none = z.strictObject({});
export const trafficQuery = z.strictObject(trafficWindow);
export type TrafficQuery = z.output<typeof trafficQuery>;

/** Whole days of the panel's time zone. */
export const daysQuery = z.strictObject({
  from: s.time.optional().meta({
    description: `The start; rounded down to its day. Absent: 30 days ago. At most ${DAYS_STORED} days ago.`,
  }),
  to,
});

const changes = {
  created: count.meta({ description: 'Users created.' }),
  expired: count.meta({ description: 'Terms that ended. A user whose term ends twice counts twice.' }),
  deleted: count.meta({ description: 'Users deleted.' }),
};

const userReport = z
  .object({
    from: s.instant.meta({ description: 'The start of the first day.' }),
    to: s.instant.meta({ description: 'The end of the counted time.' }),
    total: z.object(changes).meta({ id: 'UserChanges', description: 'The sums of the days.' }),
    days: z
      .array(
        z
          .object({ t: s.instant.meta({ description: 'The start of the day.' }), ...changes })
          .meta({ id: 'UserDay', description: "The changes on a day of the panel's time zone." }),
      )
      .meta({ description: 'Every day, without gaps.' }),
    by_tariff: z
      .array(
        z
          .object({
            tariff_id: s.id.nullable().meta({ description: 'The tariff; null: users without one.' }),
            name: z.string().nullable().meta({ description: 'Its name; null: users without a tariff.' }),
            total: count.meta({ description: 'The number of its users.' }),
            active: count.meta({ description: 'Users who are `active`.' }),
            on_hold: count.meta({ description: 'Users who are `on_hold`.' }),
            limited: count.meta({ description: 'Users who are `limited`.' }),
            expired: count.meta({ description: 'Users who are `expired`.' }),
            disabled: count.meta({ description: 'Users who are `disabled`.' }),
          })
          .meta({ id: 'TariffUsers', description: 'The present users of a tariff.' }),
      )
      .meta({ description: 'Tariffs that have users, most users first.' }),
  })
  .meta({ id: 'UserReport', description: 'Users created, expired and deleted by day, and users by tariff.' });
export type UserReport = z.output<typeof userReport>;

export const getUserStats = apiOperation({
  id: 'getUserStats',
  method: 'GET',
  path: '/stats/users',
  access: 'read',
  tag: 'Statistics',
  summary: 'Read users by tariff and by day',
  description:
    'The number of users created, expired and deleted on each day, and the present number of users of each tariff.',
  params: none,
  query: daysQuery,
  body: null,
  status: 200,
  output: userReport,
  example: {
    query: { from: '2026-11-19T00:00:00Z' },
    reply: {
      from: '2026-11-18T21:00:00.000Z',
      to: '2026-11-20T10:15:00.000Z',
      total: { created: 5, expired: 2, deleted: 0 },
      days: [
        { t: '2026-11-18T21:00:00.000Z', created: 3, expired: 2, deleted: 0 },
        { t: '2026-11-19T21:00:00.000Z', created: 2, expired: 0, deleted: 0 },
      ],
      by_tariff: [
        { tariff_id: 1, name: 'Monthly 50 GB', total: 96, active: 80, on_hold: 4, limited: 3, expired: 9, disabled: 0 },
      ],
    },
  },
});

export const getOverview = apiOperation({
  id: 'getOverview',
  method: 'GET',
  path: '/stats/overview',
  access: 'read',
  tag: 'Statistics',
  summary: 'Read the overview figures',
  params: none,
  query: none,
  body: null,
  status: 200,
  output: overview,
  example: {
    reply: {
      users: { total: 120, active: 96, on_hold: 4, limited: 6, expired: 12, disabled: 2, online: 31, expiring_7d: 9 },
      traffic: {
        today: { up: 2_100_000_000, down: 48_000_000_000 },
        yesterday: { up: 4_700_000_000, down: 91_000_000_000 },
        month: { up: 88_000_000_000, down: 1_700_000_000_000 },
      },
      nodes: { total: 3, up: 3 },
      top_users: [{ id: 7, name: 'Anna Smirnova', up: 900_000_000, down: 21_300_000_000 }],
      generated_at: '2026-11-20T10:15:00.000Z',
    },
  },
});

export const getServerTraffic = apiOperation({
  id: 'getServerTraffic',
  method: 'GET',
  path: '/stats/traffic',
  access: 'read',
  tag: 'Statistics',
  summary: 'Read server traffic over time',
  params: none,
  query: z.strictObject({
    ...trafficWindow,
    node_id: s.id.optional().meta({ description: 'Only this node.' }),
  }),
  body: null,
  status: 200,
  output: trafficReport,
  errors: ['node_not_found'],
  example: { query: { range: '24h' }, reply: trafficReportExample },
});
