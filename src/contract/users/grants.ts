// Traffic grants on the wire: bytes in addition to the tariff's limit.
import { z } from 'zod';
import { apiOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { byId } from './users.ts';

export const GRANT_LIFETIMES = ['used', 'period', 'days'] as const;
const lifetime = z.enum(GRANT_LIFETIMES).meta({
  id: 'Lifetime',
  description: '`used`: until used up. `period`: until the next reset. `days`: for that many days.',
});
export type GrantLifetime = z.output<typeof lifetime>;
export const MAX_GRANT_DAYS = 3650;

const grantState = z.enum(['open', 'used_up', 'ended']).meta({
  id: 'GrantState',
  description:
    '`open`: bytes are left. `used_up`: all bytes are used. `ended`: its days or its period ended before all bytes were used.',
});
export type GrantState = z.output<typeof grantState>;

const NOTE = 'A remark, such as a payment number.';

export const grant = z
  .object({
    id: s.defineId('grant'),
    bytes: s.bytes.meta({ description: 'The bytes of the grant.' }),
    bytes_left: s.bytes.meta({ description: 'The bytes left; 0 once it has ended.' }),
    state: grantState,
    lifetime,
    days: z
      .int()
      .min(1)
      .max(MAX_GRANT_DAYS)
      .nullable()
      .meta({ description: 'With the lifetime `days`: the number of days from its creation; else null.' }),
    ends_at: s.instant.nullable().meta({ description: 'When the rest expires; null: at the reset, or never.' }),
    note: z.string().meta({ description: NOTE }),
    created_at: s.createdAt,
  })
  .meta({ id: 'Grant', description: "Traffic of a user in addition to the tariff's limit." });
export type Grant = z.output<typeof grant>;

/** `days` and the lifetime `days` need each other. */
export function checkGrantDays(
  value: { readonly lifetime?: GrantLifetime | undefined; readonly days?: number | undefined },
  context: z.RefinementCtx,
): void {
  const { lifetime: given, days } = value;
  if (given === undefined || (given === 'days') === (days !== undefined)) return;
  const message = given === 'days' ? 'is required with the lifetime days' : 'is possible with the lifetime days only';
  context.addIssue({ code: 'custom', path: ['days'], message, input: days });
}

export const grantCreate = z
  .strictObject({
    bytes: z.int().min(1).max(s.MAX_TRAFFIC).meta({ description: 'The bytes granted; at most 1 PiB.' }),
    lifetime,
    days: z
      .int()
      .min(1)
      .max(MAX_GRANT_DAYS)
      .optional()
      .meta({ description: 'The number of days; required with the lifetime `days`, and not allowed otherwise.' }),
    note: s.text({ min: 0, max: 200 }).optional().meta({ description: NOTE }),
  })
  .superRefine(checkGrantDays)
  .meta({ id: 'GrantCreate', description: 'A new grant.' });
export type GrantCreate = z.output<typeof grantCreate>;

const grantExample: Grant = {
  id: 3,
  bytes: 10_000_000_000,
  bytes_left: 10_000_000_000,
  state: 'open',
  lifetime: 'used',
  days: null,
  ends_at: null,
  note: 'Top-up 4411',
  created_at: '2026-11-20T10:00:00.000Z',
};

const byBoth = z.strictObject({ id: s.defineId('user'), grant_id: s.defineId('grant') });
const none = z.strictObject({});

export const createGrant = apiOperation({
  id: 'createGrant',
  method: 'POST',
  path: '/users/{id}/grants',
  access: 'full',
  tag: 'Grants',
  summary: 'Add a traffic grant',
  params: byId,
  query: none,
  body: grantCreate,
  status: 201,
  output: grant,
  headers: ['Location'],
  errors: ['not_found'],
  example: {
    params: { id: 7 },
    body: { bytes: 10_000_000_000, lifetime: 'used', note: 'Top-up 4411' },
    reply: grantExample,
  },
});

export const listGrants = apiOperation({
  id: 'listGrants',
  method: 'GET',
  path: '/users/{id}/grants',
  access: 'read',
  tag: 'Grants',
  summary: "List a user's grants",
  description: 'Newest first, including those used up and ended.',
  params: byId,
  query: z.strictObject({
    state: grantState.optional().meta({ description: 'Only grants in this state.' }),
    ...s.paging,
  }),
  body: null,
  status: 200,
  output: s.defineList(grant, 'GrantList'),
  headers: ['Link'],
  errors: ['not_found'],
  example: {
    params: { id: 7 },
    reply: { items: [grantExample], total: 1, limit: 100, offset: 0, next_cursor: null },
  },
});

export const getGrant = apiOperation({
  id: 'getGrant',
  method: 'GET',
  path: '/users/{id}/grants/{grant_id}',
  access: 'read',
  tag: 'Grants',
  summary: 'Read a grant',
  params: byBoth,
  query: none,
  body: null,
  status: 200,
  output: grant,
  errors: ['not_found'],
  example: { params: { id: 7, grant_id: 3 }, reply: grantExample },
});

export const deleteGrant = apiOperation({
  id: 'deleteGrant',
  method: 'DELETE',
  path: '/users/{id}/grants/{grant_id}',
  access: 'full',
  tag: 'Grants',
  summary: 'Revoke a grant',
  description: 'The bytes left are removed; used bytes stay counted.',
  params: byBoth,
  query: none,
  body: null,
  status: 204,
  output: null,
  errors: ['not_found'],
  example: { params: { id: 7, grant_id: 3 } },
});
