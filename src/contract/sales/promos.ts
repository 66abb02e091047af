// Promo codes: a discount, more days or more traffic for a buyer. In the panel only.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { GRANT_LIFETIMES, MAX_GRANT_DAYS } from '../users/grants.ts';
import { MAX_EXTEND_DAYS } from '../users/users.ts';

/** Tariffs and offers that a code can be limited to. */
const MAX_PLACES = 100;
const MAX_USES = 1_000_000;

const bytes = z.int().min(1).max(s.MAX_TRAFFIC);

const effect = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('percent'), percent: z.int().min(1).max(99) }),
    z.strictObject({ kind: z.literal('days'), days: z.int().min(1).max(MAX_EXTEND_DAYS) }),
    z.strictObject({ kind: z.literal('traffic'), bytes, lifetime: z.enum(GRANT_LIFETIMES).exclude(['days']) }),
    z.strictObject({ kind: z.literal('traffic_days'), bytes, days: z.int().min(1).max(MAX_GRANT_DAYS) }),
  ])
  .meta({
    description: 'A discount, additional days with a term, or additional traffic with any offer.',
  });
/** Exactly one: a discount, additional days, or additional traffic. */
export type PromoEffect = z.output<typeof effect>;

/** The code of an order and its effect. */
export const orderPromo = z.object({ code: z.string(), effect });

const code = s
  .text({ min: 3, max: 32 })
  .regex(/^[\p{L}\p{N}_-]+$/u)
  .meta({ description: 'Letters, digits, `-` and `_`; upper and lower case are the same.' });

const uses = z.int().min(1).max(MAX_USES);
// At least one id: a list that a program left empty must not mean all.
const places = z.array(s.id).min(1).max(MAX_PLACES).nullable();
const fields = {
  effect,
  valid_from: s.time.nullable().meta({ description: 'null: at once.' }),
  valid_until: s.time.nullable().meta({ description: 'null: never.' }),
  max_uses: uses.nullable().meta({ description: 'Uses by all users; null: unlimited.' }),
  max_uses_per_user: uses.nullable().meta({ description: 'Uses by one user; null: unlimited.' }),
  tariff_ids: places.meta({ description: 'The tariffs that it applies to; null: all.' }),
  offer_ids: places.meta({ description: 'The offers that it applies to; null: all.' }),
  enabled: z.boolean().meta({ description: 'Whether it can be used.' }),
  note: s.text({ min: 0, max: 200 }),
};

const promo = z
  .object({
    id: s.id.meta({ description: 'Its id.' }),
    code: z.string(),
    ...fields,
    valid_from: s.instant.nullable(),
    valid_until: s.instant.nullable(),
    note: z.string(),
    used: z.int().min(0).meta({ description: 'Paid orders with it.' }),
    reserved: z.int().min(0).meta({ description: 'Open orders with it.' }),
    created_at: s.instant,
    updated_at: s.instant,
  })
  .meta({ id: 'Promo' });
export type Promo = z.output<typeof promo>;

const example: Promo = {
  id: 1,
  code: 'AUTUMN',
  effect: { kind: 'percent', percent: 20 },
  valid_from: null,
  valid_until: '2026-12-01T00:00:00.000Z',
  max_uses: 100,
  max_uses_per_user: 1,
  tariff_ids: null,
  offer_ids: null,
  enabled: true,
  note: '',
  used: 12,
  reserved: 1,
  created_at: '2026-11-20T09:00:00.000Z',
  updated_at: '2026-11-20T09:00:00.000Z',
};

const ofPromo = { id: s.id.meta({ description: 'The promo code.' }) };

export const listPromos = panelOperation({
  id: 'listPromos',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'List promo codes',
  description: 'Newest first; `before` is the id of the last one seen.',
  input: z.strictObject({ before: s.id.optional(), limit: s.limit }),
  output: z.object({
    items: z.array(promo),
    total: z.int().min(0).meta({ description: 'The number of records on all pages.' }),
    next_before: s.id.nullable(),
  }),
  example: { body: {}, reply: { items: [example], total: 1, next_before: null } },
});

export const createPromo = panelOperation({
  id: 'createPromo',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Add a promo code',
  input: z.strictObject({
    ...fields,
    code,
    valid_from: fields.valid_from.default(null),
    valid_until: fields.valid_until.default(null),
    max_uses: fields.max_uses.default(null),
    max_uses_per_user: fields.max_uses_per_user.default(1),
    tariff_ids: fields.tariff_ids.default(null),
    offer_ids: fields.offer_ids.default(null),
    enabled: fields.enabled.default(true),
    note: fields.note.default(''),
  }),
  status: 201,
  output: promo,
  errors: ['promo_exists'],
  example: { body: { code: 'AUTUMN', effect: example.effect, max_uses: 100 }, reply: example },
});

export const changePromo = panelOperation({
  id: 'changePromo',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Change a promo code',
  description: 'Absent fields stay as they are. Existing orders keep their effect.',
  input: z.strictObject({
    ...ofPromo,
    effect: effect.optional(),
    valid_from: fields.valid_from.optional(),
    valid_until: fields.valid_until.optional(),
    max_uses: fields.max_uses.optional(),
    max_uses_per_user: fields.max_uses_per_user.optional(),
    tariff_ids: fields.tariff_ids.optional(),
    offer_ids: fields.offer_ids.optional(),
    enabled: fields.enabled.optional(),
    note: fields.note.optional(),
  }),
  output: promo,
  errors: ['not_found'],
  example: { body: { id: 1, enabled: false }, reply: { ...example, enabled: false } },
});

export const deletePromo = panelOperation({
  id: 'deletePromo',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Delete a promo code',
  description: 'Existing orders keep their effect.',
  input: z.strictObject(ofPromo),
  status: 204,
  output: null,
  errors: ['not_found'],
  example: { body: { id: 1 } },
});
