// Tariffs on the wire: templates for users.
import { z } from 'zod';
import { apiOperation } from './operation.ts';
import * as s from './scalars.ts';
import { MAX_EXTEND_DAYS, MAX_EXTEND_MONTHS, resetStrategy } from './users/users.ts';

const days = z.int().min(1).max(MAX_EXTEND_DAYS).meta({ description: 'Days of 86,400 seconds.' });
const months = z.int().min(1).max(MAX_EXTEND_MONTHS).meta({ description: 'Calendar months.' });
const duration = z
  .union([
    z.strictObject({ days }).meta({ id: 'DurationInDays', description: 'A term in days.' }),
    z.strictObject({ months }).meta({ id: 'DurationInMonths', description: 'A term in calendar months.' }),
  ])
  .meta({ id: 'Duration', description: 'The length of the term: days of 86,400 s, or calendar months.' });

const amount = z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({ description: 'In minor units (cents, kopecks).' });
const price = z
  .strictObject({ amount, currency: s.currency })
  .meta({ id: 'Price', description: 'The price of a term of the tariff.' });

const durationPatch = z
  .strictObject({
    days: days.nullable().meta({ description: 'Days of 86,400 seconds; null: the length is not in days.' }),
    months: months.nullable().meta({ description: 'Calendar months; null: the length is not in months.' }),
  })
  .partial()
  .meta({
    id: 'DurationPatch',
    description:
      'Merged with the present length. The result must have exactly one of days and months, so `{"days": 30, "months": null}` changes from months to days.',
  });
const pricePatch = z
  .strictObject({
    amount: amount.nullable().meta({ description: 'In minor units (cents, kopecks); null removes it.' }),
    currency: s.currency.nullable().meta({ description: 'Its code; null removes it.' }),
  })
  .partial()
  .meta({ id: 'PricePatch', description: 'Merged with the present price. The result must have both members.' });

export const STARTS = ['on_creation', 'on_first_use'] as const;

const fields = {
  name: s.name,
  traffic_limit: s.trafficLimitOrNone,
  duration: duration.nullable().meta({ description: 'null: the term never ends.' }),
  device_limit: s.deviceLimit,
  concurrent_limit: s.concurrentLimit,
  reset_strategy: resetStrategy,
  starts: z.enum(STARTS).meta({
    id: 'TermStart',
    description: 'When the term begins. `on_first_use` needs a `duration`: without one there is no term to begin.',
  }),
  inbounds: s.inboundIds,
  price: price.nullable().meta({ description: 'The price of a term, for shops; null: no price.' }),
  archived: z.boolean().meta({ description: 'true: its users keep it, and no new users can be created from it.' }),
};

export const tariff = z
  .object({
    id: s.defineId('tariff'),
    ...fields,
    name: z.string().meta({ description: s.ABOUT.name }),
    users: z.int().min(0).meta({ description: 'The number of its users.' }),
    created_at: s.createdAt,
    updated_at: s.updatedAt,
  })
  .meta({
    id: 'Tariff',
    description: 'A tariff: a template with the limits, the term and the price of users.',
  });
export type Tariff = z.output<typeof tariff>;

export const tariffCreate = z
  .strictObject({
    name: fields.name,
    traffic_limit: fields.traffic_limit.default(null),
    duration: fields.duration.default(null),
    device_limit: fields.device_limit.default(null),
    concurrent_limit: fields.concurrent_limit.default(null),
    reset_strategy: resetStrategy.default('none'),
    starts: fields.starts.default('on_creation'),
    inbounds: fields.inbounds.default(null),
    price: fields.price.default(null),
    archived: fields.archived.default(false),
  })
  .meta({ id: 'TariffCreate', description: 'A new tariff.' });

export const tariffPatch = z
  .strictObject({ ...fields, duration: durationPatch.nullable(), price: pricePatch.nullable() })
  .partial()
  .meta({
    id: 'TariffPatch',
    description:
      'JSON merge patch (RFC 7396): absent fields stay as they are, also inside `duration` and `price`. Existing users do not change.',
  });

/** Objects in a tariff: a patch is merged with the present value, and the result is validated. */
export const tariffTerms = z.object({ duration: fields.duration, price: fields.price });

export const tariffExample: Tariff = {
  id: 1,
  name: 'Monthly 50 GB',
  traffic_limit: 50_000_000_000,
  duration: { months: 1 },
  device_limit: 3,
  concurrent_limit: 4,
  reset_strategy: 'month',
  starts: 'on_creation',
  inbounds: null,
  price: { amount: 499, currency: 'EUR' },
  archived: false,
  users: 1,
  created_at: '2026-11-20T09:00:00.000Z',
  updated_at: '2026-11-20T09:00:00.000Z',
};

const none = z.strictObject({});
const byId = s.defineIdParams('tariff');

export const listTariffs = apiOperation({
  id: 'listTariffs',
  method: 'GET',
  path: '/tariffs',
  access: 'read',
  tag: 'Tariffs',
  summary: 'List tariffs',
  params: none,
  query: z.strictObject({
    archived: z
      .boolean()
      .optional()
      .meta({ description: 'true: archived tariffs only; false: the others only. Absent: all.' }),
    ...s.paging,
  }),
  body: null,
  status: 200,
  output: s.defineList(tariff, 'TariffList'),
  headers: ['Link'],
  example: { reply: { items: [tariffExample], total: 1, limit: 100, offset: 0, next_cursor: null } },
});

export const getTariff = apiOperation({
  id: 'getTariff',
  method: 'GET',
  path: '/tariffs/{id}',
  access: 'read',
  tag: 'Tariffs',
  summary: 'Read a tariff',
  params: byId,
  query: none,
  body: null,
  status: 200,
  output: tariff,
  headers: ['ETag'],
  errors: ['not_found'],
  example: { params: { id: 1 }, reply: tariffExample },
});

export const createTariff = apiOperation({
  id: 'createTariff',
  method: 'POST',
  path: '/tariffs',
  access: 'full',
  tag: 'Tariffs',
  summary: 'Create a tariff',
  params: none,
  query: none,
  body: tariffCreate,
  status: 201,
  output: tariff,
  headers: ['ETag', 'Location'],
  errors: ['inbound_not_found'],
  example: {
    body: { name: 'Monthly 50 GB', traffic_limit: 50_000_000_000, duration: { months: 1 }, reset_strategy: 'month' },
    reply: { ...tariffExample, device_limit: null, concurrent_limit: null, price: null, users: 0 },
  },
});

export const updateTariff = apiOperation({
  id: 'updateTariff',
  method: 'PATCH',
  path: '/tariffs/{id}',
  access: 'full',
  tag: 'Tariffs',
  summary: 'Change a tariff',
  params: byId,
  query: none,
  body: tariffPatch,
  status: 200,
  output: tariff,
  headers: ['ETag'],
  ifMatch: true,
  errors: ['not_found', 'precondition_failed', 'inbound_not_found'],
  example: { params: { id: 1 }, body: { archived: true }, reply: { ...tariffExample, archived: true } },
});

export const deleteTariff = apiOperation({
  id: 'deleteTariff',
  method: 'DELETE',
  path: '/tariffs/{id}',
  access: 'full',
  tag: 'Tariffs',
  summary: 'Delete a tariff',
  description: 'Possible only if no user has it; otherwise archive it.',
  params: byId,
  query: none,
  body: null,
  status: 204,
  output: null,
  ifMatch: true,
  errors: ['not_found', 'precondition_failed', 'tariff_in_use'],
  example: { params: { id: 1 } },
});
