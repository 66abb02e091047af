// What is done to users besides creating, changing and deleting them: extend, reset, reissue, bulk, and their traffic.
import { z } from 'zod';
import { apiOperation } from './operation.ts';
import * as s from './scalars.ts';
import { trafficReport, trafficReportExample } from './stats.ts';
import { byId, MAX_EXTEND_DAYS, MAX_EXTEND_MONTHS, user, userExample, userFilter } from './users.ts';

const none = z.strictObject({});
const days = z.int().min(1).max(MAX_EXTEND_DAYS);
const months = z.int().min(1).max(MAX_EXTEND_MONTHS);

export const BULK_ACTIONS = ['extend', 'reset', 'disable', 'enable', 'delete'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];
export const MAX_BULK_IDS = 10_000;

// The core checks that exactly one of `days` and `months` is there: the specification has an error code of its own for that.
export const userBulk = z
  .strictObject({
    action: z.enum(BULK_ACTIONS),
    ids: z
      .array(s.id)
      .min(1)
      .max(MAX_BULK_IDS)
      .refine((ids) => new Set(ids).size === ids.length, { message: 'must not repeat an id' })
      .meta({ uniqueItems: true })
      .optional(),
    filter: userFilter.optional(),
    days: days.optional().meta({ description: 'With `extend`.' }),
    months: months.optional().meta({ description: 'With `extend`.' }),
    dry_run: z.boolean().default(false).meta({ description: 'Say what would happen and change nothing.' }),
    expect_matched: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'Refuse with `bulk_changed` if another number matches.' }),
    atomic: z.boolean().default(false).meta({ description: 'One failure undoes all (`bulk_failed`).' }),
  })
  .refine((bulk) => (bulk.ids === undefined) !== (bulk.filter === undefined), {
    message: 'exactly one of ids and filter is required',
  })
  .refine((bulk) => bulk.action === 'extend' || (bulk.days === undefined && bulk.months === undefined), {
    message: 'days and months go with extend only',
  })
  .meta({ id: 'UserBulk' });

export const bulkResult = z
  .object({
    action: z.enum(BULK_ACTIONS),
    dry_run: z.boolean(),
    matched: z.int().min(0),
    affected: z.int().min(0).meta({ description: 'How many changed, or would change.' }),
    results: z
      .array(
        z.object({
          id: s.id,
          outcome: z.enum(['changed', 'unchanged', 'failed']),
          detail: z.string().optional().meta({ description: 'Why it failed: an error code.' }),
        }),
      )
      .meta({ description: 'At most 10,000, failures first; the counts are complete.' }),
  })
  .meta({ id: 'BulkResult' });
export type BulkResult = z.output<typeof bulkResult>;

export const extendUser = apiOperation({
  id: 'extendUser',
  method: 'POST',
  path: '/users/{id}/extend',
  access: 'full',
  tag: 'Users',
  summary: "Extend a user's term",
  description:
    "By exactly one of `days` and `months`, from now or the term's end, whichever is later. Months are calendar months in the panel's time zone, clamped to the month's end.",
  params: byId,
  query: none,
  body: z
    .strictObject({ days: days.optional(), months: months.optional() })
    .meta({ id: 'Extension', description: 'Exactly one of days and months.', minProperties: 1, maxProperties: 1 }),
  status: 200,
  output: user,
  errors: ['not_found', 'extend_amount', 'term_unlimited'],
  example: { params: { id: 7 }, body: { months: 1 }, reply: userExample },
});

export const resetTraffic = apiOperation({
  id: 'resetTraffic',
  method: 'POST',
  path: '/users/{id}/reset-traffic',
  access: 'full',
  tag: 'Users',
  summary: "Reset a user's traffic counter",
  description: 'The period counter starts anew; lifetime totals stay.',
  params: byId,
  query: none,
  body: null,
  status: 200,
  output: user,
  errors: ['not_found'],
  example: {
    params: { id: 7 },
    reply: { ...userExample, used_up: 0, used_down: 0, traffic_remaining: 50_000_000_000 },
  },
});

export const reissueUser = apiOperation({
  id: 'reissueUser',
  method: 'POST',
  path: '/users/{id}/reissue',
  access: 'full',
  tag: 'Users',
  summary: "Reissue a user's subscription link",
  description: 'A new link and new credentials; the old link and the connections made with it stop working.',
  params: byId,
  query: none,
  body: null,
  status: 200,
  output: user,
  errors: ['not_found'],
  example: {
    params: { id: 7 },
    reply: { ...userExample, sub_url: 'https://192.168.1.10:8443/sub/b1WJmY7fTn2kQxRz5uHc0A' },
  },
});

export const bulkUsers = apiOperation({
  id: 'bulkUsers',
  method: 'POST',
  path: '/users/bulk',
  access: 'full',
  tag: 'Users',
  summary: 'Apply one action to many users',
  description: 'To the users named by `ids`, or to all that a `filter` matches, in one transaction.',
  params: none,
  query: none,
  body: userBulk,
  status: 200,
  output: bulkResult,
  errors: ['extend_amount', 'bulk_failed', 'bulk_changed'],
  example: {
    body: { action: 'extend', ids: [7, 8], days: 30 },
    reply: {
      action: 'extend',
      dry_run: false,
      matched: 2,
      affected: 1,
      results: [
        { id: 8, outcome: 'failed', detail: 'term_unlimited' },
        { id: 7, outcome: 'changed' },
      ],
    },
  },
});

export const getUserTraffic = apiOperation({
  id: 'getUserTraffic',
  method: 'GET',
  path: '/users/{id}/traffic',
  access: 'read',
  tag: 'Users',
  summary: "Read a user's traffic over time",
  params: byId,
  query: z.strictObject({ range: s.range.default('24h') }),
  body: null,
  status: 200,
  output: trafficReport,
  errors: ['not_found'],
  example: { params: { id: 7 }, query: { range: '24h' }, reply: trafficReportExample },
});
