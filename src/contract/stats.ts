// Statistics on the wire: the overview and traffic over time.
import { z } from 'zod';
import { apiOperation } from './operation.ts';
import * as s from './scalars.ts';

const count = z.int().min(0);

const { up, down } = s.updown.shape;

const trafficPoint = z
  .object({ t: s.instant.meta({ description: 'When the hour or the day begins.' }), up, down })
  .meta({ id: 'TrafficPoint', description: 'The traffic of an hour or of a day.' });

export const trafficReport = z
  .object({
    range: s.range,
    step: z.enum(['hour', 'day']).meta({ description: 'The length of the time of one point.' }),
    from: s.instant.meta({ description: 'When the first point begins.' }),
    to: s.instant.meta({ description: 'When the last point ends: the time of the request.' }),
    total: s.updown.meta({ description: 'The sum of all points.' }),
    points: z.array(trafficPoint).meta({
      description:
        "24 or 168 hours, or 30 days of the panel's time zone; none left out, the last one current and partial.",
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

const topUser = z
  .object({
    id: s.idOf('user'),
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
        active: count.meta({ description: 'Those in the state `active`.' }),
        on_hold: count.meta({ description: 'Those in the state `on_hold`.' }),
        limited: count.meta({ description: 'Those in the state `limited`.' }),
        expired: count.meta({ description: 'Those in the state `expired`.' }),
        disabled: count.meta({ description: 'Those in the state `disabled`.' }),
        online: count.meta({ description: 'Those who moved bytes within the last 60 seconds.' }),
        expiring_7d: count.meta({ description: 'Those who are not disabled and whose term ends within 7 days.' }),
      })
      .meta({ id: 'OverviewUsers', description: 'How many users there are, in all and by state.' }),
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
        up: count.meta({ description: 'Those that answer.' }),
      })
      .meta({ id: 'OverviewNodes', description: 'How many nodes there are.' }),
    top_users: z.array(topUser).max(10).meta({ description: 'The ten that moved most this month.' }),
    generated_at: s.instant.meta({ description: 'When the figures were read.' }),
  })
  .meta({ id: 'Overview', description: 'The figures of the first page of the panel.' });
export type Overview = z.output<typeof overview>;

const none = z.strictObject({});

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

export const getTraffic = apiOperation({
  id: 'getTraffic',
  method: 'GET',
  path: '/stats/traffic',
  access: 'read',
  tag: 'Statistics',
  summary: 'Read server traffic over time',
  params: none,
  query: z.strictObject({
    range: s.range.default('24h').meta({ description: 'The time that is reported, up to now.' }),
    node_id: s.id.optional().meta({ description: 'Of this node only.' }),
  }),
  body: null,
  status: 200,
  output: trafficReport,
  errors: ['node_not_found'],
  example: { query: { range: '24h' }, reply: trafficReportExample },
});
