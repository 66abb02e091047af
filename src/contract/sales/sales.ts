// Offers of tariffs, orders and refunds. In the panel only; the API sees the effects as events.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { GRANT_LIFETIMES, MAX_GRANT_DAYS } from '../users/grants.ts';
import { MAX_EXTEND_DAYS, MAX_EXTEND_MONTHS } from '../users/users.ts';
import { orderPromo } from './promos.ts';
import { PROVIDER_KINDS } from './providers.ts';
import { orderReferral } from './referrals.ts';

/** Prices of one offer, each in a different currency. */
export const MAX_PRICES = 10;

/**
 * `new`: not opened at a provider yet. `opening`: an invoice is being created. `open`: it can be paid. `expired`, `failed`: the final state of its invoice, after which it can be opened again. A paid order is fulfilled.
 */
export const ORDER_STATES = ['new', 'opening', 'open', 'paid', 'refunded', 'expired', 'failed'] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/** Ways of paying that no provider reports. */
export const PAYMENT_METHODS = ['cash', 'transfer', 'other'] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

/** Why a payment that a provider reports needs attention: the first reason that applies. */
export const ATTENTION_REASONS = [
  'unknown_order',
  'held',
  'test_money',
  'currency',
  'too_little',
  'paid_twice',
  'user_deleted',
  'plan_archived',
  'plan_changed',
  'late',
  'promo_ended',
  'not_applicable',
  'too_much',
  'refunded',
  'disputed',
  'dispute_won',
  'refund_failed',
] as const;
export type AttentionReason = (typeof ATTENTION_REASONS)[number];

/**
 * `apply`: fulfills the order anyway. `days`: grants a number of days instead. `refund`: refunds the payment at the provider. `take_back`: revokes what the order granted, because it was refunded. `ignore`: leaves everything as it is.
 */
export const PAYMENT_ACTS = ['apply', 'days', 'refund', 'take_back', 'ignore'] as const;
export type PaymentAct = (typeof PAYMENT_ACTS)[number];

const amount = z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({
  description: 'In minor units (cents, kopecks); Telegram Stars are whole.',
});
const { currency } = s;
const money = z.strictObject({ amount, currency });

const prices = z
  .array(money)
  .max(MAX_PRICES)
  .refine((all) => new Set(all.map((one) => one.currency)).size === all.length, {
    message: 'must not repeat a currency',
  })
  .meta({ description: 'The first one is the price of the tariff. An offer without prices cannot be on sale.' });

const sold = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('days'), days: z.int().min(1).max(MAX_EXTEND_DAYS) }),
  z.strictObject({ kind: z.literal('months'), months: z.int().min(1).max(MAX_EXTEND_MONTHS) }),
  z.strictObject({
    kind: z.literal('traffic'),
    bytes: z.int().min(1).max(s.MAX_TRAFFIC),
    lifetime: z.enum(GRANT_LIFETIMES).exclude(['days']),
  }),
  z.strictObject({
    kind: z.literal('traffic_days'),
    bytes: z.int().min(1).max(s.MAX_TRAFFIC),
    days: z.int().min(1).max(MAX_GRANT_DAYS),
  }),
]);
/** A term in days or months; or traffic until it is used up, until the next reset, or for a number of days. */
export type Sold = z.output<typeof sold>;

/** Who can buy an offer; `link`: only users for whom the administrator creates an order. */
export const OFFER_AUDIENCES = ['all', 'new', 'existing', 'link'] as const;
export type OfferAudience = (typeof OFFER_AUDIENCES)[number];

const fields = {
  name: s.text({ min: 1, max: 100 }).meta({ description: 'The name that buyers see: “3 months”.' }),
  sold,
  prices,
  on_sale: z.boolean().meta({ description: 'Whether it can be bought.' }),
  audience: z.enum(OFFER_AUDIENCES).meta({
    description:
      '`new`: users who have not bought a term; `existing`: those who have; `link`: only users for whom the administrator creates an order.',
  }),
  trial: z.boolean().meta({
    description: 'Whether it is a free trial: without prices, once per user and Telegram account.',
  }),
};

const offer = z
  .object({
    id: s.id.meta({ description: 'Its id.' }),
    tariff_id: s.id.meta({ description: 'The tariff; its users can buy the offer.' }),
    ...fields,
    created_at: s.instant,
    updated_at: s.instant,
  })
  .meta({ id: 'Offer' });
export type Offer = z.output<typeof offer>;

const order = z
  .object({
    id: s.id.meta({ description: 'Its number.' }),
    user: z.object({ id: s.id, name: z.string() }).nullable().meta({ description: 'null: deleted since.' }),
    user_name: z.string().meta({ description: 'The name when the order was created.' }),
    offer: z.string().meta({ description: 'The name of the offer at that time.' }),
    tariff: z.string().meta({ description: 'The name of the tariff at that time.' }),
    sold,
    amount,
    currency: z.string().meta({
      description: 'The currency of the price; once it is paid, that of the payment, as the provider names it.',
    }),
    method: z
      .enum([...PAYMENT_METHODS, ...PROVIDER_KINDS, 'trial'])
      .nullable()
      .meta({
        description:
          'How it was paid, or the provider where it was opened last; `trial`: it is free; null: not opened yet.',
      }),
    reference: z
      .string()
      .nullable()
      .meta({ description: "The number of the manual payment, or the provider's number." }),
    note: z.string(),
    state: z.enum(ORDER_STATES),
    renewal: z.boolean().meta({ description: 'Whether the user had bought a term before.' }),
    refunding: z.boolean().meta({ description: 'A refund was requested, and the provider has not completed it.' }),
    promo: orderPromo.nullable().meta({ description: 'The promo code of the order.' }),
    referral: orderReferral.nullable().meta({
      description: 'The user who sent the invitation, and the days for both; null: not invited, or rewarded already.',
    }),
    pay_url: z.string().nullable().meta({ description: 'The payment page at the provider, while it is open.' }),
    page_url: z.string().nullable().meta({ description: 'The order page for the buyer, until it is paid.' }),
    paid_at: s.instant.nullable().meta({ description: 'null: it is not paid.' }),
    created_at: s.instant,
    refunded_at: s.instant.nullable(),
    refund_note: z.string().nullable(),
  })
  .meta({ id: 'Order' });
export type Order = z.output<typeof order>;

/** The effect of a refund on a term. */
const termLeft = {
  expires_at: z
    .object({ from: s.instant.nullable(), to: s.instant.nullable() })
    .nullable()
    .meta({ description: 'The end of the term now and after the refund; null: unchanged.' }),
  hold: z
    .object({ months: z.int().min(0), days: z.int().min(0) })
    .nullable()
    .meta({ description: 'The rest of a term that has not begun; null: there is none.' }),
};

const takenBack = z
  .object({
    ...termLeft,
    bytes: s.bytes.meta({ description: 'Unused bytes, which are revoked.' }),
    bytes_used: s.bytes.meta({ description: 'Bytes that were used or have expired, which stay as they are.' }),
    referrer: z
      .object({ id: s.id, name: z.string(), ...termLeft })
      .nullable()
      .meta({
        description: 'The user who sent the invitation and loses its days; null: none.',
      }),
    nothing: z.boolean().meta({ description: 'Nothing is left to revoke.' }),
    by_provider: z
      .boolean()
      .meta({ description: 'Whether the provider refunds the payment, or it must be done by hand.' }),
  })
  .meta({ id: 'TakenBack' });
export type TakenBack = z.output<typeof takenBack>;

const offerExample: Offer = {
  id: 1,
  tariff_id: 1,
  name: '3 months',
  sold: { kind: 'months', months: 3 },
  prices: [
    { amount: 1299, currency: 'EUR' },
    { amount: 700, currency: 'XTR' },
  ],
  on_sale: true,
  audience: 'all',
  trial: false,
  created_at: '2026-11-20T09:00:00.000Z',
  updated_at: '2026-11-20T09:00:00.000Z',
};

const orderExample: Order = {
  id: 12,
  user: { id: 7, name: 'Anna Smirnova' },
  user_name: 'Anna Smirnova',
  offer: '3 months',
  tariff: 'Monthly 50 GB',
  sold: { kind: 'months', months: 3 },
  amount: 1299,
  currency: 'EUR',
  method: 'transfer',
  reference: 'RF18539007547034',
  note: '',
  state: 'paid',
  renewal: true,
  refunding: false,
  promo: null,
  referral: null,
  pay_url: null,
  page_url: null,
  paid_at: '2026-11-20T09:00:00.000Z',
  created_at: '2026-11-20T09:05:00.000Z',
  refunded_at: null,
  refund_note: null,
};

const payment = z
  .object({
    id: s.id.meta({ description: 'Its number.' }),
    kind: z.enum(PROVIDER_KINDS).meta({ description: 'The provider that reports it.' }),
    provider: z.string().nullable().meta({ description: 'The name of the provider in the panel; null: deleted.' }),
    external_id: z.string().meta({ description: "The provider's number of the payment." }),
    order_id: s.id.nullable().meta({ description: 'null: no order matches it.' }),
    user: z.object({ id: s.id, name: z.string() }).nullable().meta({ description: 'The user of the order.' }),
    amount,
    currency: z.string(),
    expected: money.nullable().meta({ description: 'The price of the order.' }),
    days: z.int().min(1).nullable().meta({
      description: 'The number of days that the payment buys at the price of the order; null: the order sold no term.',
    }),
    refunded: amount.meta({ description: 'The amount that the provider has refunded.' }),
    test: z.boolean().meta({ description: 'Whether it is a test payment.' }),
    applied: z.boolean().meta({ description: 'Whether an order was fulfilled for it.' }),
    refunding: z.boolean().meta({ description: 'A refund was requested, and the provider has not completed it.' }),
    paid_at: s.instant,
    reason: z.enum(ATTENTION_REASONS).meta({ description: 'Why it needs attention.' }),
    acts: z.array(z.enum(PAYMENT_ACTS)).meta({ description: 'The possible actions.' }),
    act: z.enum(PAYMENT_ACTS).nullable().meta({ description: 'The action taken; null: none yet.' }),
    note: z.string(),
    resolved_at: s.instant.nullable(),
  })
  .meta({ id: 'AttentionPayment' });
export type AttentionPayment = z.output<typeof payment>;

const paymentExample: AttentionPayment = {
  id: 3,
  kind: 'crypto_pay',
  provider: 'Crypto',
  external_id: '77',
  order_id: 12,
  user: { id: 7, name: 'Anna Smirnova' },
  amount: 1000,
  currency: 'EUR',
  expected: { amount: 1299, currency: 'EUR' },
  days: 69,
  refunded: 0,
  test: false,
  applied: false,
  refunding: false,
  paid_at: '2026-11-20T09:00:00.000Z',
  reason: 'too_little',
  acts: ['apply', 'days', 'ignore'],
  act: null,
  note: '',
  resolved_at: null,
};

const ofOffer = { id: s.id.meta({ description: 'The offer.' }) };
const ofOrder = { id: s.id.meta({ description: 'The order.' }) };

export const listOffers = panelOperation({
  id: 'listOffers',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'List offers',
  input: z.strictObject({ tariff_id: s.id.optional().meta({ description: 'Offers of this tariff.' }) }),
  output: z.object({ items: z.array(offer).meta({ description: 'The oldest first.' }) }),
  example: { body: {}, reply: { items: [offerExample] } },
});

export const createOffer = panelOperation({
  id: 'createOffer',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Add an offer to a tariff',
  description: 'The first price of the first offered term is the `price` of the tariff.',
  input: z.strictObject({
    tariff_id: s.id,
    ...fields,
    prices: prices.default([]),
    on_sale: fields.on_sale.default(false),
    audience: fields.audience.default('all'),
    trial: fields.trial.default(false),
  }),
  status: 201,
  output: offer,
  errors: ['tariff_not_found'],
  example: {
    body: { tariff_id: 1, name: '3 months', sold: offerExample.sold, prices: offerExample.prices, on_sale: true },
    reply: offerExample,
  },
});

export const changeOffer = panelOperation({
  id: 'changeOffer',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Change an offer',
  description: 'Absent fields stay as they are. Existing orders do not change.',
  input: z.strictObject({
    ...ofOffer,
    name: fields.name.optional(),
    sold: sold.optional(),
    prices: prices.optional(),
    on_sale: fields.on_sale.optional(),
    audience: fields.audience.optional(),
    trial: fields.trial.optional(),
  }),
  output: offer,
  errors: ['not_found'],
  example: { body: { id: 1, on_sale: true }, reply: offerExample },
});

export const deleteOffer = panelOperation({
  id: 'deleteOffer',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Delete an offer',
  description: 'Existing orders do not change.',
  input: z.strictObject(ofOffer),
  status: 204,
  output: null,
  errors: ['not_found'],
  example: { body: { id: 1 } },
});

export const recordPayment = panelOperation({
  id: 'recordPayment',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Record a manual payment',
  description:
    'The order, the payment and their effect are one transaction. Repeated with the same `key`, it returns the same order and has no further effect.',
  input: z.strictObject({
    ...proof,
    key: s.text({ min: 8, max: 64 }).meta({ description: 'Unique for this payment, and the same on every retry.' }),
    user_id: s.id,
    offer_id: s.id.meta({ description: 'An offer of the tariff of the user that is on sale.' }),
    amount,
    currency,
    method: z.enum(PAYMENT_METHODS),
    reference: s
      .text({ min: 1, max: 100 })
      .optional()
      .meta({ description: 'The number of the transfer or receipt, unique per method.' }),
    note: s.text({ min: 0, max: 200 }).default(''),
    paid_at: s.time.optional().meta({ description: 'When it was paid. Absent: now.' }),
  }),
  status: 201,
  output: order,
  errors: [...PROOF_ERRORS, 'not_found', 'term_unlimited', 'payment_recorded', 'idempotency_mismatch'],
  example: {
    body: {
      key: 'b0a4f1c2-6a1e-4d0e-9a3d-1c8e7f60a1b2',
      user_id: 7,
      offer_id: 1,
      amount: 1299,
      currency: 'EUR',
      method: 'transfer',
      reference: 'RF18539007547034',
      password: 'correct horse battery',
    },
    reply: orderExample,
  },
});

export const createOrder = panelOperation({
  id: 'createOrder',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Create an order that a user pays at a provider',
  description:
    'Returns an unpaid order with the same content instead of creating another one. A free trial is fulfilled at once.',
  input: z.strictObject({
    user_id: s.id,
    offer_id: s.id.meta({ description: 'An offer of the tariff of the user that is on sale.' }),
    promo_code: s.text({ min: 1, max: 64 }).optional(),
  }),
  status: 201,
  output: order,
  errors: ['not_found', 'selling_off', 'order_limit', 'promo_refused', 'trial_taken', 'term_unlimited'],
  example: {
    body: { user_id: 7, offer_id: 1 },
    reply: {
      ...orderExample,
      state: 'new',
      method: null,
      reference: null,
      paid_at: null,
      page_url: 'https://panel.example/sub/pay/gh_Zp3kVn0cQm6yT1uXw8RsLgZp3kVn0cQm',
    },
  },
});

export const openOrder = panelOperation({
  id: 'openOrder',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Open an order at a provider',
  description:
    'Creates an invoice. Its idempotency key is stored before the request. An order has one invoice at a time at each provider.',
  input: z.strictObject({
    ...ofOrder,
    provider_id: s.id,
    currency: currency.optional(),
    email: s.email.optional().meta({
      description: 'The e-mail address of the buyer, required if the provider issues receipts for a new invoice.',
    }),
  }),
  output: order,
  errors: ['not_found', 'selling_off', 'order_ended', 'promo_refused', 'provider_failed'],
  example: {
    body: { id: 12, provider_id: 1 },
    reply: {
      ...orderExample,
      state: 'open',
      method: 'stripe',
      reference: 'cs_1',
      paid_at: null,
      pay_url: 'https://checkout.stripe.com/c/pay/cs_1',
      page_url: 'https://panel.example/sub/pay/gh_Zp3kVn0cQm6yT1uXw8RsLgZp3kVn0cQm',
    },
  },
});

export const askOrder = panelOperation({
  id: 'askOrder',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Poll the provider for an order now',
  description: 'At most as often as the provider allows; in between it returns the known state.',
  input: z.strictObject(ofOrder),
  output: order,
  errors: ['not_found'],
  example: { body: { id: 12 }, reply: orderExample },
});

export const listAttention = panelOperation({
  id: 'listAttention',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'List payments that need attention',
  description: 'Newest first; `before` is the number of the last one seen.',
  input: z.strictObject({
    before: s.id.optional(),
    limit: s.limit,
    open: z.boolean().default(true).meta({ description: 'Only those without a decision.' }),
  }),
  output: z.object({
    items: z.array(payment),
    total: z.int().min(0).meta({ description: 'The number of records on all pages.' }),
    next_before: s.id.nullable(),
  }),
  example: { body: {}, reply: { items: [paymentExample], total: 1, next_before: null } },
});

export const resolvePayment = panelOperation({
  id: 'resolvePayment',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Resolve a payment that needs attention',
  input: z.strictObject({
    ...proof,
    id: s.id.meta({ description: 'The payment.' }),
    act: z.enum(PAYMENT_ACTS),
    days: z
      .int()
      .min(1)
      .max(MAX_EXTEND_DAYS)
      .optional()
      .meta({ description: 'The number of days, for the action `days`.' }),
    user_id: s.id.optional().meta({ description: 'The user, if the payment has none, for the action `days`.' }),
    note: s.text({ min: 0, max: 200 }).default(''),
  }),
  output: payment,
  errors: [...PROOF_ERRORS, 'not_found', 'payment_resolved', 'order_refunded', 'term_unlimited', 'provider_failed'],
  example: {
    body: { id: 3, act: 'days', days: 60, password: 'correct horse battery' },
    reply: { ...paymentExample, act: 'days', acts: [], applied: true, resolved_at: '2026-11-21T09:00:00.000Z' },
  },
});

/** Why a provider and the panel count a payment differently. */
const DIFFERENCE_REASONS = ['missing_there', 'unapplied', 'amount', 'refunded_there', 'refunded_here'] as const;

const difference = z
  .object({
    reason: z.enum(DIFFERENCE_REASONS).meta({ description: 'Why the amounts differ.' }),
    payment_id: s.id,
    external_id: z.string().meta({ description: "The provider's number of the payment." }),
    order_id: s.id.nullable(),
    order_state: z.enum(ORDER_STATES).nullable().meta({ description: 'null: without an order.' }),
    user: z.object({ id: s.id, name: z.string() }).nullable(),
    paid_at: s.instant,
    theirs: money
      .nullable()
      .meta({ description: 'The amount after refunds in the list of the provider; null: not listed.' }),
    ours: money.meta({ description: 'The amount recorded in the panel.' }),
  })
  .meta({ id: 'PaymentDifference' });
export type PaymentDifference = z.output<typeof difference>;

export const reconcilePayments = panelOperation({
  id: 'reconcilePayments',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: "Compare a month with a provider's own list",
  description:
    "Reads the provider's list, records new payments, and returns both sums and each payment that differs. Months are of the panel's time zone.",
  input: z.strictObject({
    provider_id: s.id,
    month: z
      .string()
      .regex(/^20\d\d-(0[1-9]|1[0-2])$/)
      .meta({ description: 'As `2026-11`.' }),
  }),
  output: z.object({
    asked_at: s.instant,
    whole: z.boolean().meta({ description: "Whether the provider's list covers the whole month." }),
    sums: z.array(
      z.object({
        currency: z.string(),
        theirs: s.bytes.meta({ description: 'After refunds, in minor units.' }),
        ours: s.bytes.meta({ description: 'Fulfilled and not refunded.' }),
        payments: z.int().min(0).meta({ description: 'The number of payments recorded in the panel.' }),
      }),
    ),
    differences: z.array(difference).meta({ description: 'The oldest first.' }),
    foreign: z
      .array(z.object({ currency: z.string(), amount: s.bytes, payments: z.int().min(0) }))
      .meta({ description: 'Payments in the account without an order of this panel; in neither sum.' }),
  }),
  errors: ['not_found', 'provider_failed'],
  example: {
    body: { provider_id: 1, month: '2026-11' },
    reply: {
      asked_at: '2026-11-21T09:00:00.000Z',
      whole: true,
      sums: [{ currency: 'EUR', theirs: 2598, ours: 1299, payments: 2 }],
      differences: [
        {
          reason: 'unapplied',
          payment_id: 3,
          external_id: '77',
          order_id: 12,
          order_state: 'open',
          user: { id: 7, name: 'Anna Smirnova' },
          paid_at: '2026-11-20T09:00:00.000Z',
          theirs: { amount: 1299, currency: 'EUR' },
          ours: { amount: 0, currency: 'EUR' },
        },
      ],
      foreign: [],
    },
  },
});

export const listOrders = panelOperation({
  id: 'listOrders',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'List orders',
  description: 'Newest first; `before` is the number of the last one seen.',
  input: z.strictObject({
    before: s.id.optional(),
    limit: s.limit,
    user_id: s.id.optional(),
    state: z.enum(ORDER_STATES).optional(),
  }),
  output: z.object({
    items: z.array(order),
    total: z.int().min(0).meta({ description: 'The number of matching records on all pages.' }),
    next_before: s.id.nullable(),
  }),
  example: { body: {}, reply: { items: [orderExample], total: 1, next_before: null } },
});

export const previewRefund = panelOperation({
  id: 'previewRefund',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Preview a refund',
  input: z.strictObject(ofOrder),
  output: takenBack,
  errors: ['not_found', 'order_unpaid', 'order_refunded'],
  example: {
    body: { id: 12 },
    reply: {
      expires_at: { from: '2027-02-20T09:00:00.000Z', to: '2026-11-20T09:00:00.000Z' },
      hold: null,
      bytes: 0,
      bytes_used: 0,
      referrer: null,
      nothing: false,
      by_provider: false,
    },
  },
});

export const refundOrder = panelOperation({
  id: 'refundOrder',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Refund an order',
  description:
    'The provider refunds the payment if it can; otherwise it must be refunded by hand. What the order granted is revoked: exactly that, whatever came after it.',
  input: z.strictObject({ ...proof, ...ofOrder, note: s.text({ min: 0, max: 200 }).default('') }),
  output: order,
  errors: [...PROOF_ERRORS, 'not_found', 'order_unpaid', 'order_refunded', 'provider_failed'],
  example: {
    body: { id: 12, note: 'Paid twice', password: 'correct horse battery' },
    reply: {
      ...orderExample,
      state: 'refunded',
      refunded_at: '2026-11-21T09:00:00.000Z',
      refund_note: 'Paid twice',
    },
  },
});

/** How far back the sums of sales reach. */
export const SALES_DAYS = [7, 30, 90, 365] as const;

const paidBy = z.enum([...PAYMENT_METHODS, ...PROVIDER_KINDS]);

const income = z.object({
  currency: z.string(),
  amount: s.bytes.meta({ description: 'Received and not refunded, in minor units.' }),
  refunded: s.bytes.meta({ description: 'Received and refunded since.' }),
  orders: z.int().min(0),
});

export const getSales = panelOperation({
  id: 'getSales',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read sales figures',
  description: "By the day of the payment, in the panel's time zone.",
  input: z.strictObject({ days: z.literal(SALES_DAYS).default(30) }),
  output: z.object({
    since: z.string().meta({ description: 'The first day, `YYYY-MM-DD`.' }),
    orders: z.int().min(0).meta({ description: 'Those not refunded.' }),
    renewals: z.int().min(0).meta({ description: 'Orders of users who had bought a term before.' }),
    income: z.array(income).meta({ description: 'By currency; nothing is converted.' }),
    methods: z
      .array(
        z.object({
          method: paidBy,
          currency: z.string(),
          amount: s.bytes,
          orders: z.int().min(0),
        }),
      )
      .meta({ description: 'By provider or manual method, and currency, without refunds.' }),
    trials: z.object({
      taken: z.int().min(0).meta({ description: 'Free trials used.' }),
      bought: z.int().min(0).meta({ description: 'Trials whose users have bought a term since.' }),
    }),
    churn: z.object({
      lost: z.int().min(0).meta({ description: 'Users who had bought a term that has ended by now.' }),
      kept: z.int().min(0).meta({ description: 'Users who bought a term again.' }),
    }),
    days: z
      .array(z.object({ day: z.string(), currency: z.string(), method: paidBy, amount: s.bytes }))
      .meta({ description: 'Days with income, in order, by how it was paid.' }),
  }),
  example: {
    body: {},
    reply: {
      since: '2026-10-22',
      orders: 1,
      renewals: 1,
      income: [{ currency: 'EUR', amount: 1299, refunded: 0, orders: 1 }],
      methods: [{ method: 'transfer', currency: 'EUR', amount: 1299, orders: 1 }],
      trials: { taken: 4, bought: 1 },
      churn: { lost: 1, kept: 3 },
      days: [{ day: '2026-11-20', currency: 'EUR', method: 'transfer', amount: 1299 }],
    },
  },
});
