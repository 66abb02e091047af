// Users on the wire: the record, its filters, and all operations on it except grants.
import { z } from 'zod';
import { fieldError, problemCode } from '../errors.ts';
import { apiOperation } from '../operation.ts';
import * as s from '../scalars.ts';

export const USER_STATES = ['active', 'on_hold', 'limited', 'expired', 'disabled'] as const;
export const userState = z.enum(USER_STATES).meta({
  id: 'UserState',
  description:
    'The first that holds: `disabled`: by the administrator. `expired`: the term has ended. `limited`: the traffic is used up. `on_hold`: the term begins at the first connection, which has not happened yet. `active`: none of these. Users may connect while `active` or `on_hold`.',
});
export type UserState = z.output<typeof userState>;

export const RESET_STRATEGIES = ['none', 'day', 'week', 'month', 'period'] as const;
export const resetStrategy = z.enum(RESET_STRATEGIES).meta({
  id: 'ResetStrategy',
  description:
    "When the period counter is reset, at 00:00 in the panel's time zone: `week` on Monday, `month` on the 1st, `period` monthly on the day of the month the term began.",
});
export type ResetStrategy = z.output<typeof resetStrategy>;

export const MAX_EXTEND_DAYS = 3650;
export const MAX_EXTEND_MONTHS = 120;

export const hold = z
  .object({
    months: z.int().min(0).meta({ description: "Calendar months of the panel's time zone." }),
    days: z.int().min(0).meta({ description: 'Days of 86,400 seconds.' }),
  })
  .meta({ id: 'Hold', description: 'The term that starts at the first connection: months first, then days.' });
export type Hold = z.output<typeof hold>;

const enabled = z
  .boolean()
  .meta({ description: 'false: the user is disabled and may not connect, whatever the term.' });

const subUrl = z.url().meta({ description: 'The subscription link. The app of the user needs nothing else.' });

const AFTER_CUT =
  'over connections that were still open, since the user may no longer connect; 0 while the user may. Counted on each node from its first reading of counters that began afterwards, because an earlier reading may include previous bytes; if that reading found the limit used up, from that reading.';

const concurrentExcess = z
  .object({
    addresses: z
      .int()
      .min(2)
      .meta({ description: 'The number of addresses from which the user opened connections, at the last count.' }),
    at: s.instant.meta({ description: 'When they were counted.' }),
    cut_off_until: s.instant.nullable().meta({
      description: 'Until when the user is blocked because of it, whatever `state` is; null: not blocked.',
    }),
    cut_off_node_id: s.id.nullable().meta({
      description:
        'The only node where the user is blocked until then, because only that node has found it; null: every node.',
    }),
  })
  .meta({ id: 'ConcurrentExcess', description: 'A user is connected from too many addresses at the same time.' });

export const user = z
  .object({
    id: s.defineId('user'),
    name: z.string().meta({ description: s.ABOUT.name }),
    contact: z.string().meta({ description: s.ABOUT.contact }),
    note: z.string().meta({ description: s.ABOUT.note }),
    tags: z.array(z.string()).meta({ description: s.ABOUT.tags }),
    external_id: z
      .string()
      .nullable()
      .meta({ description: 'The id of the user in another system, such as billing; unique.' }),
    telegram_id: s.telegramId.nullable().meta({ description: 'The id of the user in Telegram; unique.' }),
    metadata: z
      .record(z.string(), z.string())
      .meta({ description: 'Texts by name, for programs; the panel does not use them.' }),
    state: userState,
    tariff_id: s.id.nullable().meta({ description: 'The tariff; null once detached.' }),
    enabled,
    expires_at: s.instant
      .nullable()
      .meta({ description: 'When the term ends; null: never, or not begun (see `hold`).' }),
    hold: hold.nullable().meta({ description: 'The term that has not begun; null unless the user is on hold.' }),
    traffic_limit: s.trafficLimitOrNone,
    used_up: s.bytes.meta({ description: 'Bytes sent this period.' }),
    used_down: s.bytes.meta({ description: 'Bytes received this period.' }),
    total_up: s.bytes.meta({ description: 'Bytes sent in total; never decreases.' }),
    total_down: s.bytes.meta({ description: 'Bytes received in total; never decreases.' }),
    traffic_extra: s.bytes.meta({ description: 'Bytes left in grants.' }),
    traffic_remaining: s.bytes
      .nullable()
      .meta({ description: 'Bytes left of the limit and in grants; null: unlimited.' }),
    reset_strategy: resetStrategy,
    resets_at: s.instant.nullable().meta({ description: 'When the period counter is reset next; null: never.' }),
    device_limit: s.deviceLimit,
    concurrent_limit: s.concurrentLimit,
    concurrent_excess: concurrentExcess.nullable().meta({
      description:
        'Set while the user is connected from more addresses than `concurrent_limit`, and 10 minutes after; else null.',
    }),
    inbounds: z.array(s.id).nullable().meta({ description: 'Allowed inbounds; null: all, []: none.' }),
    online: z.boolean().meta({ description: 'Bytes moved within the last 60 seconds.' }),
    online_at: s.instant.nullable().meta({ description: 'When bytes were last moved; null: never.' }),
    after_cut_up: s.bytes.meta({ description: `Bytes sent ${AFTER_CUT}` }),
    after_cut_down: s.bytes.meta({ description: `Bytes received ${AFTER_CUT}` }),
    sub_url: subUrl
      .optional()
      .meta({ description: 'The subscription link. Absent for a key with Read access, everywhere.' }),
    created_at: s.createdAt,
    updated_at: s.instant.meta({ description: 'Changes with requests only, not with traffic or time.' }),
  })
  .meta({
    id: 'User',
    description: 'A customer of the service. A key with Read access sees everything but the subscription link.',
  });
export type User = z.output<typeof user>;

/** The reply of operations that need Full access. */
export const userWithLink = user.extend({ sub_url: subUrl }).meta({
  id: 'UserWithLink',
  description: 'A user as returned to a key with Full access: always with the subscription link.',
});
export type UserWithLink = z.output<typeof userWithLink>;

export const userExample: UserWithLink = {
  id: 7,
  name: 'Anna Smirnova',
  contact: '@anna',
  note: '',
  tags: ['family'],
  external_id: 'customer-4711',
  telegram_id: 123_456_789,
  metadata: { source: 'landing-page' },
  state: 'active',
  tariff_id: 1,
  enabled: true,
  expires_at: '2026-12-20T21:00:00.000Z',
  hold: null,
  traffic_limit: 50_000_000_000,
  used_up: 120_000_000,
  used_down: 1_380_000_000,
  total_up: 900_000_000,
  total_down: 21_300_000_000,
  traffic_extra: 0,
  traffic_remaining: 48_500_000_000,
  reset_strategy: 'month',
  resets_at: '2026-11-30T21:00:00.000Z',
  device_limit: 3,
  concurrent_limit: 4,
  concurrent_excess: null,
  inbounds: null,
  online: true,
  online_at: '2026-11-20T10:15:00.000Z',
  after_cut_up: 0,
  after_cut_down: 0,
  sub_url: 'https://192.168.1.10:8443/sub/Zp3kVn0cQm6yT1uXw8RsLg',
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
};

/** The same user as created by the example request. */
const newUserExample: UserWithLink = {
  ...userExample,
  tags: [],
  external_id: null,
  telegram_id: null,
  metadata: {},
  used_up: 0,
  used_down: 0,
  total_up: 0,
  total_down: 0,
  traffic_remaining: 50_000_000_000,
  online: false,
  online_at: null,
};

const newExternalId = s.externalId.nullable().optional().meta({
  description: 'The id of the user in another system, such as billing; unique, and not `.` or `..`. null: none.',
});
const newTelegramId = s.telegramId.nullable().optional().meta({
  description: 'The id of the user in Telegram; unique. null: none.',
});

export const userCreate = z
  .strictObject({
    name: s.name,
    tariff_id: s.id.meta({ description: 'The tariff the user is created from.' }),
    contact: s.contact.optional(),
    note: s.note.optional(),
    tags: s.tags.optional(),
    external_id: newExternalId,
    telegram_id: newTelegramId,
    metadata: s.metadata
      .optional()
      .meta({ description: 'At most 20 texts by name. A name has 1 to 40 characters, a text at most 500.' }),
    enabled: enabled.optional(),
    expires_at: s.expiresAt.nullable().optional().meta({ description: "Instead of the tariff's term; null: never." }),
    traffic_limit: s.trafficLimitOrNone.optional(),
    reset_strategy: resetStrategy.optional(),
    device_limit: s.deviceLimit.optional(),
    concurrent_limit: s.concurrentLimit.optional(),
    inbounds: s.inboundIds.optional(),
  })
  .meta({ id: 'UserCreate', description: 'Absent fields come from the tariff.' });
export type UserCreate = z.output<typeof userCreate>;

export const userPatch = z
  .strictObject({
    name: s.name.optional(),
    contact: s.contact.optional(),
    note: s.note.optional(),
    tags: s.tags.optional(),
    external_id: newExternalId,
    telegram_id: newTelegramId,
    metadata: s.metadataPatch.optional().meta({
      description: 'Merged with the present members: `null` removes one, others stay. At most 20 remain.',
    }),
    enabled: enabled.optional(),
    tariff_id: s.id.nullable().optional().meta({
      description:
        'Another tariff sets its limits, starts a new term and resets the counter. null only detaches. The same tariff has no effect.',
    }),
    expires_at: s.expiresAt.nullable().optional().meta({ description: 'null: never. Ends a hold.' }),
    traffic_limit: s.trafficLimitOrNone.optional(),
    reset_strategy: resetStrategy.optional(),
    device_limit: s.deviceLimit.optional(),
    concurrent_limit: s.concurrentLimit.optional(),
    inbounds: s.inboundIds.optional(),
  })
  .meta({ id: 'UserPatch', description: 'JSON merge patch (RFC 7396): absent fields stay as they are.' });
export type UserPatch = z.output<typeof userPatch>;

export const SORTS = ['id', 'name', 'state', 'tariff_id', 'created_at', 'expires_at', 'used', 'online_at'] as const;
export type SortField = (typeof SORTS)[number];
const descending = SORTS.map((field) => `-${field}` as const);
const userSort = z.enum([...SORTS, ...descending]).meta({
  id: 'UserSort',
  description:
    '`-` in front: descending. Equal values are sorted by id. Users who never expire are last under `expires_at` and first under `-expires_at`. Users who never connected are first under `online_at` and last under `-online_at`, and so are users without a tariff under `tariff_id`. `state`: by name, as last stored.',
});
export type Sort = SortField | `-${SortField}`;

const SEARCHED = 'A substring of name, contact, note, external id or a tag, in any case; or an id.';
const search = z.string().max(100);

/** Ids in a list or a filter. */
export const MAX_FILTER_IDS = 500;

// At least one character: an empty variable of a program must not match all users.
const filterFields = {
  state: s.oneOrMore(userState, USER_STATES.length).optional().meta({
    description: 'Users in this state, or in one of these.',
  }),
  ids: s
    .listOfDistinct(s.id, MAX_FILTER_IDS)
    .optional()
    .meta({
      description: `Users with these ids, at most ${MAX_FILTER_IDS}. Ids without a user are ignored.`,
    }),
  external_id: z.string().min(1).max(100).optional().meta({ description: 'The user with exactly this id.' }),
  telegram_id: s.telegramId.optional().meta({ description: 'The user with this id in Telegram.' }),
  metadata: s.metadataFilter
    .optional()
    .meta({ description: 'Users with exactly this text under this name in their metadata.' }),
  q: search.min(1).optional().meta({ description: SEARCHED }),
  tariff_id: s.id.optional().meta({ description: 'Users of this tariff.' }),
  tag: z.string().min(1).max(32).optional().meta({ description: 'Users that have exactly this tag.' }),
  contact: z.string().min(1).max(100).optional().meta({ description: 'Users with exactly this contact.' }),
  online: z.boolean().optional().meta({ description: 'Whether bytes were moved within the last 60 seconds.' }),
  connected: z
    .boolean()
    .optional()
    .meta({ description: 'Whether bytes were ever moved: `false` for users who never connected.' }),
  traffic_low: z.boolean().optional().meta({
    description:
      'Whether at least 80 % of the traffic limit is used, that is, a fifth of it or less is left, grants included, at the last count. Never true for users without a limit.',
  }),
  node_id: s.id.optional().meta({ description: 'Users who may use an inbound of this node.' }),
  expires_before: s.time.optional().meta({
    description: 'Users whose term ends before this time, exclusive. Users who never expire do not match.',
  }),
  expires_after: s.time.optional().meta({
    description: 'Users whose term ends at this time or later. Users who never expire do not match.',
  }),
  updated_since: s.time.optional().meta({ description: 'Users whose `updated_at` is this time or later.' }),
};

export const userQuery = z.strictObject({
  ...filterFields,
  // An empty search field is no search: this only reads.
  q: search.optional().meta({ description: `${SEARCHED} Empty: no search.` }),
  ...s.paging,
  sort: userSort.default('-id').meta({ description: 'The order of the list.' }),
});

export const userFilter = z
  .strictObject({
    all: z.literal(true).optional().meta({ description: 'All users. Cannot be combined with other conditions.' }),
    ...filterFields,
  })
  .refine((filter) => Object.values(filter).some((value) => value !== undefined), {
    message: 'must have at least one condition; {"all": true} selects all users',
  })
  .refine(
    (filter) => filter.all === undefined || Object.values(filter).filter((value) => value !== undefined).length === 1,
    {
      message: 'all cannot be combined with other conditions',
      path: ['all'],
    },
  )
  .meta({
    id: 'UserFilter',
    description:
      'The conditions of the list, which must all match; lists are arrays here. Only `{"all": true}` selects all users: an empty filter is refused, and so is an empty text or list.',
    minProperties: 1,
  });
export type UserFilter = Omit<z.output<typeof userFilter>, 'all'>;

const none = z.strictObject({});
export const byId = s.defineIdParams('user');
const example = { params: { id: 7 }, reply: userExample };

export const listUsers = apiOperation({
  id: 'listUsers',
  method: 'GET',
  path: '/users',
  access: 'read',
  tag: 'Users',
  summary: 'List users',
  description:
    'Paged by `limit` and `offset`, or by `cursor`, which neither skips nor repeats users while the list changes.',
  params: none,
  query: userQuery,
  body: null,
  status: 200,
  output: s.defineList(user, 'UserList'),
  headers: ['Link'],
  example: {
    query: { state: 'active', q: 'anna', limit: 50 },
    reply: { items: [userExample], total: 1, limit: 50, offset: 0, next_cursor: null },
  },
});

export const createUser = apiOperation({
  id: 'createUser',
  method: 'POST',
  path: '/users',
  access: 'full',
  tag: 'Users',
  summary: 'Create a user from a tariff',
  params: none,
  query: none,
  body: userCreate,
  status: 201,
  output: userWithLink,
  headers: ['ETag', 'Location'],
  errors: ['tariff_not_found', 'inbound_not_found', 'external_id_taken', 'telegram_id_taken'],
  example: { body: { name: 'Anna Smirnova', tariff_id: 1, contact: '@anna' }, reply: newUserExample },
});

export const getUser = apiOperation({
  id: 'getUser',
  method: 'GET',
  path: '/users/{id}',
  access: 'read',
  tag: 'Users',
  summary: 'Read a user',
  params: byId,
  query: none,
  body: null,
  status: 200,
  output: user,
  headers: ['ETag'],
  errors: ['not_found'],
  example,
});

export const updateUser = apiOperation({
  id: 'updateUser',
  method: 'PATCH',
  path: '/users/{id}',
  access: 'full',
  tag: 'Users',
  summary: 'Change a user',
  params: byId,
  query: none,
  body: userPatch,
  status: 200,
  output: userWithLink,
  headers: ['ETag'],
  ifMatch: true,
  errors: [
    'not_found',
    'precondition_failed',
    'tariff_not_found',
    'inbound_not_found',
    'external_id_taken',
    'telegram_id_taken',
  ],
  example: {
    params: { id: 7 },
    body: { note: 'Pays in cash', enabled: true },
    reply: { ...userExample, note: 'Pays in cash' },
  },
});

/** As for a new user; the external id is in the path. */
const userPut = userCreate.omit({ external_id: true }).meta({
  id: 'UserPut',
  description:
    'If there is no such user, like UserCreate. Otherwise like UserPatch: absent fields stay as they are, and the current tariff of the user has no effect.',
});

export const putUser = apiOperation({
  id: 'putUser',
  method: 'PUT',
  path: '/users/by-external-id/{external_id}',
  access: 'full',
  tag: 'Users',
  summary: 'Create or change the user with an external id',
  description:
    'Creates the user with this `external_id` from a tariff (201), or changes the existing one (200). It can be repeated at any time without creating a second user, which suits payment webhooks: they are repeated for longer than an Idempotency-Key is stored. The id is percent-encoded in the path.',
  params: z.strictObject({ external_id: s.externalId.meta({ description: 'The id of the user in another system.' }) }),
  query: none,
  body: userPut,
  status: 200,
  mayCreate: true,
  output: userWithLink,
  headers: ['ETag', 'Location'],
  errors: ['tariff_not_found', 'inbound_not_found', 'telegram_id_taken'],
  example: {
    params: { external_id: 'customer-4711' },
    body: { name: 'Anna Smirnova', tariff_id: 1, contact: '@anna' },
    reply: userExample,
  },
});

const findByLink = apiOperation({
  id: 'findUserByLink',
  method: 'POST',
  path: '/users/find-link',
  access: 'full',
  tag: 'Users',
  summary: 'Find the user of a subscription link',
  description:
    'For example for a leaked link. The link is in the body, because it is a secret and paths are logged. `not_found` for an unknown link, and for one that was reissued since.',
  params: none,
  query: none,
  body: z
    .strictObject({
      link: z.string().min(1).max(2000).meta({
        description: 'A subscription link, or its last segment. Its host, query and fragment are ignored.',
      }),
    })
    .meta({ id: 'FindLink', description: 'A link whose user is requested.' }),
  status: 200,
  output: userWithLink,
  headers: ['ETag'],
  errors: ['read_only_key', 'not_found'],
  example: { body: { link: userExample.sub_url }, reply: userExample },
});
export const findUserByLink = { ...findByLink, effect: 'read' } as const;

/** Users that a batch creates. */
export const MAX_BATCH = 500;

const batchOutcome = z
  .enum(['created', 'failed'])
  .meta({ id: 'BatchOutcome', description: 'Whether the user was created, or would be in a dry run.' });

const batchResult = z
  .object({
    dry_run: z.boolean().meta({ description: 'A dry run: nothing was created.' }),
    created: z.int().min(0).meta({ description: 'The number of users created, or to be created.' }),
    failed: z.int().min(0).meta({ description: 'The number of failures.' }),
    results: z
      .array(
        z
          .object({
            outcome: batchOutcome,
            user: userWithLink
              .optional()
              .meta({ description: 'The new user; absent in a dry run and after a failure.' }),
            code: problemCode.optional().meta({ description: 'After a failure: the error code, as of POST /users.' }),
            errors: z
              .array(fieldError)
              .optional()
              .meta({ description: 'After a failure: the errors. Pointers lead into the body of the batch.' }),
          })
          .meta({ id: 'UserBatchItem', description: 'The result for one user of a batch.' }),
      )
      .meta({ description: 'One for each user of the request, in the same order.' }),
  })
  .meta({ id: 'UserBatchResult', description: 'The results for the users of a batch.' });

export const createUsers = apiOperation({
  id: 'createUsers',
  method: 'POST',
  path: '/users/batch',
  access: 'full',
  tag: 'Users',
  summary: 'Create many users',
  description:
    'Each like POST /users, in one transaction. If one cannot be created, its result has the reason, and the others are created. An invalid body is refused as a whole.',
  params: none,
  query: none,
  body: z
    .strictObject({
      users: z.array(userCreate).min(1).max(MAX_BATCH).meta({ description: 'The new users.' }),
      dry_run: z.boolean().default(false).meta({ description: 'Only report what would happen.' }),
    })
    .meta({ id: 'UserBatch', description: 'Users to create in one transaction.' }),
  status: 200,
  output: batchResult,
  example: {
    body: {
      users: [
        { name: 'Anna Smirnova', tariff_id: 1, contact: '@anna' },
        { name: 'Boris', tariff_id: 99 },
      ],
    },
    reply: {
      dry_run: false,
      created: 1,
      failed: 1,
      results: [
        { outcome: 'created', user: newUserExample },
        {
          outcome: 'failed',
          code: 'tariff_not_found',
          errors: [{ pointer: '#/users/1/tariff_id', code: 'tariff_not_found', message: 'there is no such tariff' }],
        },
      ],
    },
  },
});

export const deleteUser = apiOperation({
  id: 'deleteUser',
  method: 'DELETE',
  path: '/users/{id}',
  access: 'full',
  tag: 'Users',
  summary: 'Delete a user',
  description: 'Permanently, with the link, the grants and the traffic of the user. Totals of nodes and inbounds stay.',
  params: byId,
  query: none,
  body: null,
  status: 204,
  output: null,
  ifMatch: true,
  errors: ['not_found', 'precondition_failed'],
  example: { params: { id: 7 } },
});
