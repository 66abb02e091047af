// Webhooks: events sent to a URL, signed by Standard Webhooks. In the panel only.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from './access/proof.ts';
import { EVENT_TYPES, type EventType, eventType } from './event-types.ts';
import { panelOperation } from './operation.ts';
import * as s from './scalars.ts';

/** Each webhook has separate connections. */
export const MAX_WEBHOOKS = 16;
/** How long requests are also signed with the previous secret after a rotation. */
export const SECRET_OVERLAP_HOURS = 24;
/** How long a delivery is tried. */
export const DELIVERY_DAYS = 3;
/** A webhook is disabled after failing for this time. */
export const FAILING_DAYS = 5;
/** How long a delivery is stored after it ended. */
export const DELIVERIES_KEPT_DAYS = 30;
/** How many ended deliveries of a webhook are stored. */
export const DELIVERIES_KEPT = 2000;

/** The type of a test, which is not in the feed. */
export const TEST_TYPE = 'webhook.test';
export type WebhookEventType = EventType | typeof TEST_TYPE;
const WEBHOOK_EVENT_TYPES: readonly WebhookEventType[] = [...EVENT_TYPES, TEST_TYPE];

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const WEBHOOK_DISABLED_REASONS = ['administrator', 'gone', 'failing'] as const;
export type WebhookDisabledReason = (typeof WEBHOOK_DISABLED_REASONS)[number];

/** Why an attempt failed. `status`: a reply outside 200 to 299; `redirect`: 300 to 399, which is not followed. */
export const WEBHOOK_ERROR_CODES = [
  'status',
  'redirect',
  'timeout',
  'host_unknown',
  'address_refused',
  'connection',
  'certificate',
  'no_secret',
  'stopped',
] as const;
export type WebhookErrorCode = (typeof WEBHOOK_ERROR_CODES)[number];

/** Whether a text has the form of a URL for events. */
export function isWebhookUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return false;
  return url.username === '' && url.password === '' && !text.includes('#');
}

const url = s
  .text({ min: 1, max: 2000 })
  .refine(isWebhookUrl, { message: 'must be an https address without a name, a password or a fragment' })
  .meta({
    description: 'https; http only if private addresses are allowed. Without a name, a password or a fragment.',
  });

const types = z
  .array(eventType)
  .min(1)
  .refine((all) => new Set(all).size === all.length, { message: 'must not repeat a type' })
  .nullable()
  .meta({ description: 'The types of events to send; null: all, including types added later.' });

const fields = {
  url,
  description: s.text({ min: 0, max: 100 }).meta({ description: 'A description for the list.' }),
  types,
  allow_private: z.boolean().meta({
    description: 'Whether private and loopback addresses and plain HTTP are allowed. Link-local addresses never are.',
  }),
};

export const webhook = z
  .object({
    id: s.id.meta({ description: 'Its id.' }),
    ...fields,
    url: z.string().meta({ description: 'The address for events.' }),
    enabled: z.boolean().meta({ description: 'Whether events are sent. While disabled, events wait in the feed.' }),
    disabled_reason: z.enum(WEBHOOK_DISABLED_REASONS).nullable().meta({
      description: '`gone`: it answered 410; `failing`: no delivery succeeded for days. null: it is enabled.',
    }),
    has_secret: z.boolean().meta({ description: 'false after a restore without secrets: create a new secret.' }),
    previous_secret_ends_at: s.instant
      .nullable()
      .meta({ description: 'Until when requests are also signed with the previous secret; null: there is none.' }),
    pending: z.int().min(0).meta({ description: 'Deliveries that are queued or will be retried.' }),
    delivered_at: s.instant.nullable().meta({ description: 'The last success; null: none yet.' }),
    failing_since: s.instant
      .nullable()
      .meta({ description: 'The first failure since the last success; null: there is none.' }),
    created_at: s.instant.meta({ description: 'When it was created.' }),
    updated_at: s.instant.meta({ description: 'When it was last changed.' }),
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.output<typeof webhook>;

const attempt = z
  .object({
    number: z.int().min(1).meta({ description: 'The number of the attempt, from 1.' }),
    at: s.instant.meta({ description: 'When it began.' }),
    duration_ms: z.int().min(0).meta({ description: 'How long it took, in milliseconds.' }),
    status: z.int().nullable().meta({ description: 'HTTP status of the reply; null: there was none.' }),
    error: z.enum(WEBHOOK_ERROR_CODES).nullable().meta({ description: 'Why it failed; null: it succeeded.' }),
  })
  .meta({ id: 'WebhookAttempt' });

export const delivery = z
  .object({
    id: s.id.meta({ description: 'Its id.' }),
    webhook_id: s.id.meta({ description: 'Its webhook.' }),
    message_id: z.string().meta({ description: 'The header webhook-id: the same with every attempt.' }),
    event_id: s.id.nullable().meta({ description: 'The event of the feed; null: a test.' }),
    type: z.enum(WEBHOOK_EVENT_TYPES).meta({ description: 'The type of the event.' }),
    state: z
      .enum(DELIVERY_STATES)
      .meta({ description: 'Whether it succeeded, failed permanently, or will be retried.' }),
    body: z.string().meta({ description: 'The JSON body.' }),
    created_at: s.instant.meta({ description: 'When it was queued.' }),
    next_at: s.instant.nullable().meta({ description: 'The next attempt; null: none.' }),
    attempts: z.array(attempt).meta({ description: 'All attempts, oldest first.' }),
  })
  .meta({ id: 'WebhookDelivery' });
export type Delivery = z.output<typeof delivery>;

const webhookExample: Webhook = {
  id: 1,
  url: 'https://shop.example/hooks/gatehouse',
  description: 'Shop',
  types: ['user.created', 'user.expired'],
  allow_private: false,
  enabled: true,
  disabled_reason: null,
  has_secret: true,
  previous_secret_ends_at: null,
  pending: 0,
  delivered_at: '2026-11-20T10:00:01.000Z',
  failing_since: null,
  created_at: '2026-11-20T09:00:00.000Z',
  updated_at: '2026-11-20T09:00:00.000Z',
};

const deliveryExample: Delivery = {
  id: 9,
  webhook_id: 1,
  message_id: 'evt_42',
  event_id: 42,
  type: 'user.created',
  state: 'delivered',
  body: '{"id":42,"type":"user.created","at":"2026-11-20T10:00:00.000Z","data":{"user_id":7},"timestamp":"2026-11-20T10:00:00.000Z"}',
  created_at: '2026-11-20T10:00:00.000Z',
  next_at: null,
  attempts: [{ number: 1, at: '2026-11-20T10:00:01.000Z', duration_ms: 84, status: 200, error: null }],
};

const withSecret = z
  .object({
    webhook,
    secret: z.string().meta({ description: '`whsec_` and base64: signs every request. Shown once.' }),
  })
  .meta({ id: 'WebhookWithSecret' });
const withSecretExample = { webhook: webhookExample, secret: 'whsec_…' };

const ofWebhook = { id: s.id.meta({ description: 'The webhook.' }) };

export const listWebhooks = panelOperation({
  id: 'listWebhooks',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'List webhooks',
  input: z.strictObject({}),
  output: z.object({ items: z.array(webhook).meta({ description: 'All webhooks, oldest first.' }) }),
  example: { body: {}, reply: { items: [webhookExample] } },
});

export const createWebhook = panelOperation({
  id: 'createWebhook',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Create a webhook',
  description: 'Events are sent from now on. Only this reply and that of a rotation contain the secret.',
  input: z.strictObject({
    ...fields,
    description: fields.description.default(''),
    allow_private: fields.allow_private.default(false),
    ...proof,
  }),
  status: 201,
  output: withSecret,
  errors: [...PROOF_ERRORS, 'webhook_limit'],
  example: {
    body: { url: webhookExample.url, types: webhookExample.types, password: 'correct horse battery' },
    reply: withSecretExample,
  },
});

export const changeWebhook = panelOperation({
  id: 'changeWebhook',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Change a webhook',
  description: 'Absent fields stay as they are.',
  input: z.strictObject({
    ...ofWebhook,
    url: fields.url.optional(),
    description: fields.description.optional(),
    types: types.optional(),
    allow_private: fields.allow_private.optional(),
    ...proof,
  }),
  output: webhook,
  errors: [...PROOF_ERRORS, 'not_found'],
  example: {
    body: { id: 1, description: 'Shop', password: 'correct horse battery' },
    reply: webhookExample,
  },
});

export const enableWebhook = panelOperation({
  id: 'enableWebhook',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Enable or disable a webhook',
  description: 'Enabled again, it continues where it stopped, as far as the events are still stored.',
  input: z.strictObject({ ...ofWebhook, enabled: z.boolean().meta({ description: 'Whether events are sent.' }) }),
  output: webhook,
  errors: ['not_found'],
  example: { body: { id: 1, enabled: true }, reply: webhookExample },
});

export const deleteWebhook = panelOperation({
  id: 'deleteWebhook',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Delete a webhook with its deliveries',
  input: z.strictObject(ofWebhook),
  status: 204,
  output: null,
  errors: ['not_found'],
  example: { body: { id: 1 } },
});

export const rotateWebhookSecret = panelOperation({
  id: 'rotateWebhookSecret',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Create a new secret for a webhook',
  description: `For ${SECRET_OVERLAP_HOURS} hours requests are also signed with the previous secret, so that the receiver can be changed.`,
  input: z.strictObject({ ...ofWebhook, ...proof }),
  output: withSecret,
  errors: [...PROOF_ERRORS, 'not_found'],
  example: { body: { id: 1, password: 'correct horse battery' }, reply: withSecretExample },
});

export const testWebhook = panelOperation({
  id: 'testWebhook',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Send a test to a webhook',
  description: `An event \`${TEST_TYPE}\`, which is not in the feed. Refused while the webhook is disabled.`,
  input: z.strictObject(ofWebhook),
  status: 201,
  output: delivery,
  errors: ['not_found', 'webhook_disabled'],
  example: {
    body: { id: 1 },
    reply: {
      ...deliveryExample,
      message_id: 'test_9',
      event_id: null,
      type: TEST_TYPE,
      state: 'pending',
      body: '{"type":"webhook.test","timestamp":"2026-11-20T10:00:00.000Z","data":{"webhook_id":1}}',
      next_at: '2026-11-20T10:00:00.000Z',
      attempts: [],
    },
  },
});

export const listWebhookDeliveries = panelOperation({
  id: 'listWebhookDeliveries',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'List the deliveries of a webhook',
  description: `Newest first; \`before\` is the id of the last one seen. Completed ones are stored for ${DELIVERIES_KEPT_DAYS} days, at most ${DELIVERIES_KEPT}.`,
  input: z.strictObject({
    webhook_id: s.id.meta({ description: 'The webhook.' }),
    before: s.id.optional().meta({ description: 'Only deliveries with a lower id.' }),
    state: z.enum(DELIVERY_STATES).optional().meta({ description: 'Only deliveries in this state.' }),
    limit: s.limit,
  }),
  output: z.object({
    items: z.array(delivery).meta({ description: 'Newest first.' }),
    next_before: s.id.nullable().meta({ description: 'The `before` of the next page; null on the last one.' }),
  }),
  errors: ['not_found'],
  example: { body: { webhook_id: 1 }, reply: { items: [deliveryExample], next_before: null } },
});

export const redeliverWebhook = panelOperation({
  id: 'redeliverWebhook',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Repeat a delivery',
  description:
    'Sends the same body with the same webhook-id at once, and retries it like a new one. Refused while the webhook is disabled.',
  input: z.strictObject({ id: s.id.meta({ description: 'The delivery.' }) }),
  output: delivery,
  errors: ['not_found', 'webhook_disabled'],
  example: {
    body: { id: 9 },
    reply: { ...deliveryExample, state: 'pending', next_at: '2026-11-20T11:00:00.000Z' },
  },
});
