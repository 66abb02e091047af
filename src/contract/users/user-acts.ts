// Actions on users: extend, reset, reissue and bulk; and their traffic.
import { z } from 'zod';
import { apiOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import {
  daysQuery,
  nodeTrafficReport,
  nodeTrafficReportExample,
  trafficQuery,
  trafficReport,
  trafficReportExample,
} from '../stats.ts';
import { checkGrantDays, grantCreate } from './grants.ts';
import { byId, MAX_EXTEND_DAYS, MAX_EXTEND_MONTHS, userExample, userFilter, userWithLink } from './users.ts';

const none = z.strictObject({});
const days = z.int().min(1).max(MAX_EXTEND_DAYS).meta({ description: 'Days of 86,400 seconds.' });
const months = z.int().min(1).max(MAX_EXTEND_MONTHS).meta({ description: "Calendar months in the panel's time zone." });

export const BULK_ACTIONS = [
  'extend',
  'reset',
  'disable',
  'enable',
  'delete',
  'grant',
  'set_tariff',
  'add_tags',
  'remove_tags',
  'set_inbounds',
  'move_inbounds',
] as const;
const bulkAction = z.enum(BULK_ACTIONS).meta({
  id: 'BulkAction',
  description:
    '`extend` is like POST /users/{id}/extend, `reset` like reset-traffic, `disable` and `enable` like PATCH with `enabled`, `delete` like DELETE, `grant` like POST /users/{id}/grants, `set_tariff` like PATCH with `tariff_id`, `set_inbounds` like PATCH with `inbounds`; `add_tags` and `remove_tags` change the list of tags; `move_inbounds` replaces some inbounds of users by others.',
});
export type BulkAction = z.output<typeof bulkAction>;
export const MAX_BULK_IDS = 10_000;

const targetFields = {
  action: bulkAction,
  ids: z
    .array(s.id)
    .min(1)
    .max(MAX_BULK_IDS)
    .refine((ids) => new Set(ids).size === ids.length, { message: 'must not repeat an id' })
    .meta({ uniqueItems: true, description: 'The users by their ids; instead of `filter`.' })
    .optional(),
  filter: userFilter.optional(),
};

/** Members of some actions only. */
const actionFields = {
  days: days.optional().meta({ description: 'With `extend`; with `grant` if its lifetime is `days`.' }),
  months: months.optional().meta({ description: 'With `extend`.' }),
  bytes: grantCreate.shape.bytes.optional().meta({ description: 'With `grant`: the bytes for each user.' }),
  lifetime: grantCreate.shape.lifetime.optional().meta({ description: 'With `grant`.' }),
  note: grantCreate.shape.note.meta({ description: 'With `grant`: the note of each grant.' }),
  tariff_id: s.id.optional().meta({ description: 'With `set_tariff`: the tariff. It cannot be null.' }),
  tags: s.tags.min(1).optional().meta({
    description: 'With `add_tags` and `remove_tags`. Adding a present tag or removing an absent one has no effect.',
  }),
  inbounds: s.inboundIds.optional().meta({
    description:
      'With `set_inbounds`: the inbounds that each user may use; null: all. With `move_inbounds`: the inbounds to add; may be empty.',
  }),
  from_inbounds: s.inboundIds.unwrap().min(1).optional().meta({
    description:
      'With `move_inbounds`: the inbounds to remove, such as those of a node. Users without any of them are unchanged, and so are users who may use all inbounds.',
  }),
};
type ActionMember = keyof typeof actionFields;

const modeFields = {
  dry_run: z.boolean().default(false).meta({ description: 'Only report what would happen.' }),
  expect_matched: z.int().min(0).optional().meta({
    description:
      'Refuse with `bulk_changed` if a different number of users matches. Required to `delete` by a filter; a dry run returns the number.',
  }),
  atomic: z.boolean().default(false).meta({
    description:
      'One failure rolls everything back (`bulk_failed`). The bulk is then one transaction, and other writes wait for it: a dry run returns how long (`writes_wait_ms`).',
  }),
};

/** The actions of each member. */
const ACTION_MEMBERS: { readonly [Member in ActionMember]: readonly BulkAction[] } = {
  days: ['extend', 'grant'],
  months: ['extend'],
  bytes: ['grant'],
  lifetime: ['grant'],
  note: ['grant'],
  tariff_id: ['set_tariff'],
  tags: ['add_tags', 'remove_tags'],
  inbounds: ['set_inbounds', 'move_inbounds'],
  from_inbounds: ['move_inbounds'],
};

/** The required members of each action. The core checks the amount of an extension. */
const REQUIRED_MEMBERS: { readonly [Action in BulkAction]: readonly ActionMember[] } = {
  extend: [],
  reset: [],
  disable: [],
  enable: [],
  delete: [],
  grant: ['bytes', 'lifetime'],
  set_tariff: ['tariff_id'],
  add_tags: ['tags'],
  remove_tags: ['tags'],
  set_inbounds: ['inbounds'],
  move_inbounds: ['from_inbounds', 'inbounds'],
};

function checkMembers(bulk: { readonly action: BulkAction } & { readonly [Member in ActionMember]?: unknown }) {
  const failures: { readonly path: [ActionMember]; readonly message: string }[] = [];
  for (const member of REQUIRED_MEMBERS[bulk.action]) {
    if (bulk[member] === undefined) failures.push({ path: [member], message: `is required with ${bulk.action}` });
  }
  if (bulk.action === 'move_inbounds' && bulk.inbounds === null) {
    failures.push({ path: ['inbounds'], message: 'must list the inbounds with move_inbounds' });
  }
  for (const member of Object.keys(ACTION_MEMBERS) as ActionMember[]) {
    const actions = ACTION_MEMBERS[member];
    if (bulk[member] === undefined || actions.includes(bulk.action)) continue;
    failures.push({ path: [member], message: `is possible with ${actions.join(' and ')} only` });
  }
  return failures;
}

// The core checks that there is exactly one of `days` and `months`: the specification has a separate error code for that.
export const userBulk = z
  .strictObject({ ...targetFields, ...actionFields, ...modeFields })
  .refine((bulk) => (bulk.ids === undefined) !== (bulk.filter === undefined), {
    message: 'exactly one of ids and filter is required',
  })
  .superRefine((bulk, context) => {
    for (const failure of checkMembers(bulk)) context.addIssue({ code: 'custom', ...failure, input: bulk });
    if (bulk.action === 'grant') checkGrantDays(bulk, context);
  })
  .refine((bulk) => bulk.action !== 'delete' || !bulk.filter || bulk.dry_run || bulk.expect_matched !== undefined, {
    message: 'is required to delete by a filter',
    path: ['expect_matched'],
  })
  .meta({
    id: 'UserBulk',
    description: 'One action, its users, and the members of the action.',
  });

/** Why the action failed for a user. */
export const BULK_FAILURES = ['not_found', 'term_unlimited', 'validation', 'too_many_tags'] as const;
const bulkFailure = z.enum(BULK_FAILURES).meta({
  id: 'BulkFailure',
  description:
    '`not_found`: there is no such user. `term_unlimited`: the term never ends. `validation`: the term would end after 2100-01-01, or more than 2^53-1 bytes would be left in grants. `too_many_tags`: the user would have more than 20 tags. New codes may be added.',
});
export type BulkFailure = z.output<typeof bulkFailure>;

const bulkOutcome = z.enum(['changed', 'unchanged', 'failed']).meta({
  id: 'BulkOutcome',
  description:
    '`changed`: the action had an effect. `unchanged`: it had none. `failed`: it could not be applied; `detail` is the reason.',
});

export const bulkResult = z
  .object({
    action: bulkAction,
    dry_run: z.boolean().meta({ description: 'A dry run: nothing was changed.' }),
    matched: z.int().min(0).meta({ description: 'The number of users that the ids or the filter select.' }),
    affected: z.int().min(0).meta({ description: 'The number of users changed, or to be changed.' }),
    results: z
      .array(
        z
          .object({
            id: s.id.meta({ description: 'The id of the user.' }),
            outcome: bulkOutcome,
            detail: bulkFailure.optional(),
          })
          .meta({ id: 'BulkItem', description: 'The result for one user of a bulk.' }),
      )
      .meta({ description: 'At most 10,000 results, failures first; the counts are complete.' }),
    audit_id: s.id.optional().meta({
      description:
        'The id of the entry in the audit log, by which an administrator can undo the bulk for 10 minutes; absent in a dry run.',
    }),
    writes_wait_ms: z.int().min(0).optional().meta({
      description:
        'In a dry run of an atomic bulk: the estimated milliseconds that other writes would wait for its transaction.',
    }),
  })
  .meta({ id: 'BulkResult', description: 'The result of a bulk, or of its dry run.' });
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
  output: userWithLink,
  headers: ['ETag'],
  errors: ['not_found', 'extend_amount', 'term_unlimited'],
  example: { params: { id: 7 }, body: { months: 1 }, reply: userExample },
});

export const shortenUser = apiOperation({
  id: 'shortenUser',
  method: 'POST',
  path: '/users/{id}/shorten',
  access: 'full',
  tag: 'Users',
  summary: "Shorten a user's term",
  description:
    'By exactly one of `days` and `months`, with the calendar of `extend`, for example after a partial refund. A term that would end in the past ends now, and the user is expired. An ended term is unchanged. In a term on hold, a month counts as 30 days if the days or months left are not enough; with nothing left, the user is expired. 409 `term_unlimited` for a user who never expires.',
  params: byId,
  query: none,
  body: z
    .strictObject({
      days: days.optional(),
      months: months.optional(),
    })
    .meta({ id: 'Reduction', description: 'Exactly one of days and months.', minProperties: 1, maxProperties: 1 }),
  status: 200,
  output: userWithLink,
  headers: ['ETag'],
  errors: ['not_found', 'extend_amount', 'term_unlimited'],
  example: {
    params: { id: 7 },
    body: { days: 10 },
    reply: { ...userExample, expires_at: '2026-12-10T21:00:00.000Z' },
  },
});

export const resetUserTraffic = apiOperation({
  id: 'resetUserTraffic',
  method: 'POST',
  path: '/users/{id}/reset-traffic',
  access: 'full',
  tag: 'Users',
  summary: "Reset a user's traffic counter",
  description: 'Resets the period counter; lifetime totals stay.',
  params: byId,
  query: none,
  body: null,
  status: 200,
  output: userWithLink,
  headers: ['ETag'],
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
  description: 'Creates a new link and new credentials; the old link and the connections made with it stop working.',
  params: byId,
  query: none,
  body: null,
  status: 200,
  output: userWithLink,
  headers: ['ETag'],
  errors: ['not_found'],
  example: {
    params: { id: 7 },
    reply: { ...userExample, sub_url: 'https://192.168.1.10:8443/sub/b1WJmY7fTn2kQxRz5uHc0A' },
  },
});

/** Whether a bulk ends the access of users. */
export function takesAccess({ action, dry_run }: z.output<typeof userBulk>): boolean {
  return !dry_run && (action === 'delete' || action === 'disable');
}

export const bulkUsers = apiOperation({
  id: 'bulkUsers',
  method: 'POST',
  path: '/users/bulk',
  access: 'full',
  tag: 'Users',
  summary: 'Apply one action to many users',
  description:
    'Applies to the users in `ids`, or to all that match `filter`. Unless it is `atomic`, a large bulk runs in parts, with other writes in between; a user who no longer matches the filter at that time is skipped. An interrupted bulk continues when it is repeated with its Idempotency-Key.',
  params: none,
  query: none,
  body: userBulk,
  needsSessionProof: takesAccess,
  status: 200,
  output: bulkResult,
  errors: ['extend_amount', 'tariff_not_found', 'inbound_not_found', 'bulk_failed', 'bulk_changed'],
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
      audit_id: 9,
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
  query: trafficQuery,
  body: null,
  status: 200,
  output: trafficReport,
  errors: ['not_found'],
  example: { params: { id: 7 }, query: { range: '24h' }, reply: trafficReportExample },
});

export const getUserTrafficByNode = apiOperation({
  id: 'getUserTrafficByNode',
  method: 'GET',
  path: '/users/{id}/traffic/nodes',
  access: 'read',
  tag: 'Users',
  summary: "Read a user's traffic by node",
  params: byId,
  query: daysQuery,
  body: null,
  status: 200,
  output: nodeTrafficReport,
  errors: ['not_found'],
  example: { params: { id: 7 }, reply: nodeTrafficReportExample },
});

/** Addresses in a reply. */
export const MAX_ADDRESSES = 200;

const userAddress = z
  .object({
    network: z.string().meta({
      description:
        'The first 16 bits of an IPv4 address or the first 32 of an IPv6 one, as in `203.0.*.*` or `2001:db8:*`: never the address.',
    }),
    node_id: s.id.meta({ description: 'The id of the node that the user was connected to.' }),
    connected: z
      .boolean()
      .meta({ description: 'Whether connections from it are open, by the last reply of the engine.' }),
    first_seen_at: s.instant.meta({ description: 'When it was first seen; at most 24 hours ago.' }),
    last_seen_at: s.instant.meta({ description: 'When it was last seen.' }),
  })
  .meta({ id: 'UserAddress', description: 'An address of a user, without the address itself.' });

const userAddresses = z
  .object({
    concurrent: z.int().min(0).nullable().meta({
      description:
        'The number of addresses from which the user is connected, by the last replies of engines; null if no engine reports it. An IPv6 network of 64 bits counts once.',
    }),
    addresses: z
      .array(userAddress)
      .max(MAX_ADDRESSES)
      .meta({
        description: `Addresses of the last 24 hours, last seen first, at most ${MAX_ADDRESSES}; listed per node. After a restart of the panel every address counts as new.`,
      }),
  })
  .meta({ id: 'UserAddresses', description: 'The addresses of a user.' });

export const getUserAddresses = apiOperation({
  id: 'getUserAddresses',
  method: 'GET',
  path: '/users/{id}/addresses',
  access: 'read',
  tag: 'Users',
  summary: 'Read the addresses of a user',
  description:
    'Engines that report addresses are polled every 30 seconds. Addresses are neither stored nor returned: only a keyed hash, for 24 hours, and the first part of the network.',
  params: byId,
  query: z.strictObject({}),
  body: null,
  status: 200,
  output: userAddresses,
  errors: ['not_found'],
  example: {
    params: { id: 7 },
    reply: {
      concurrent: 1,
      addresses: [
        {
          network: '203.0.*.*',
          node_id: 1,
          connected: true,
          first_seen_at: '2026-11-20T08:30:00.000Z',
          last_seen_at: '2026-11-20T10:15:00.000Z',
        },
        {
          network: '2001:db8:*',
          node_id: 1,
          connected: false,
          first_seen_at: '2026-11-19T18:02:30.000Z',
          last_seen_at: '2026-11-19T21:40:00.000Z',
        },
      ],
    },
  },
});
