// Messages from the administrator to many users by the Telegram bot. In the panel only.
import { z } from 'zod';
import { LANGUAGE_CODES } from '../../i18n/languages.ts';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { userFilter } from '../users/users.ts';
import { unknownField } from './bot-notices.ts';

export const MAX_BROADCAST = 3500;

/** `draft`: written in the chat, and not sent yet. `stopped`: permanently. */
export const BROADCAST_STATES = ['draft', 'running', 'paused', 'stopped', 'done'] as const;
export type BroadcastState = (typeof BROADCAST_STATES)[number];

/** `queued`: waiting. `blocked`: the person has blocked the bot. */
export const PERSON_STATES = ['queued', 'sent', 'blocked', 'failed'] as const;
export type PersonState = (typeof PERSON_STATES)[number];

export const BROADCAST_ACTS = ['start', 'pause', 'resume', 'stop'] as const;
export type BroadcastAct = (typeof BROADCAST_ACTS)[number];

const text = s
  .text({ min: 1, max: MAX_BROADCAST })
  .refine((given) => unknownField(given) === null, { message: 'has an unknown field' });
const texts = z
  .array(z.strictObject({ language: z.enum(LANGUAGE_CODES), text }))
  .min(1)
  .max(LANGUAGE_CODES.length)
  .refine((all) => new Set(all.map(({ language }) => language)).size === all.length, {
    message: 'must not repeat a language',
  })
  .meta({
    description: 'Plain text with the fields of notices. Users of a language without a text get the first one.',
  });

const count = z.int().min(0);
const broadcast = z
  .object({
    id: s.id.meta({ description: 'Its number.' }),
    texts,
    filter: userFilter.meta({ description: 'The recipients, by the filters of the list of users.' }),
    state: z.enum(BROADCAST_STATES),
    waits: z.enum(['quiet', 'bot', 'other']).nullable().meta({
      description: 'Why it is waiting: quiet hours, no running bot, another broadcast; null: it is not waiting.',
    }),
    total: count.meta({ description: 'The number of matching users with a Telegram account when it was started.' }),
    queued: count.meta({ description: 'Users whose message is queued.' }),
    sent: count,
    blocked: count.meta({ description: 'Users who have blocked the bot, or never wrote to it.' }),
    failed: count,
    created_at: s.instant,
    ended_at: s.instant.nullable(),
  })
  .meta({ id: 'Broadcast' });
export type Broadcast = z.output<typeof broadcast>;

const example: Broadcast = {
  id: 3,
  texts: [{ language: 'en', text: '{{service}}: there is a new server in Finland.' }],
  filter: { state: ['active'] },
  state: 'running',
  waits: null,
  total: 812,
  queued: 100,
  sent: 300,
  blocked: 12,
  failed: 0,
  created_at: '2026-11-20T09:00:00.000Z',
  ended_at: null,
};

const ofBroadcast = { id: s.id.meta({ description: 'The broadcast.' }) };

export const previewBroadcast = panelOperation({
  id: 'previewBroadcast',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Count the recipients of a broadcast',
  input: z.strictObject({ filter: userFilter }),
  output: z.object({
    matched: count.meta({ description: 'Matching users.' }),
    people: count.meta({ description: 'Matching users with a Telegram account.' }),
    blocked: count.meta({ description: 'Users with a Telegram account who cannot be messaged.' }),
    seconds: count.meta({ description: 'The duration at the rate that Telegram allows.' }),
  }),
  example: { body: { filter: { all: true } }, reply: { matched: 900, people: 812, blocked: 12, seconds: 32 } },
});

export const testBroadcast = panelOperation({
  id: 'testBroadcast',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Send a broadcast to the paired accounts as a test',
  description: 'From the chat, only to the account that asks.',
  input: z
    .strictObject({
      texts: texts.optional(),
      id: s.id.optional().meta({ description: 'The number of an existing broadcast, instead of texts.' }),
    })
    .refine(({ texts: given, id }) => (given === undefined) !== (id === undefined), {
      message: 'exactly one of texts and id is required',
    }),
  output: z.object({ accounts: count.meta({ description: 'The number of recipients; 0: no account is paired.' }) }),
  errors: ['bot_off', 'not_found'],
  example: { body: { texts: example.texts }, reply: { accounts: 1 } },
});

export const createBroadcast = panelOperation({
  id: 'createBroadcast',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Send a message to many users',
  description:
    'Repeated with the same `key`, it returns the same broadcast and sends nothing more. Broadcasts are sent one after another.',
  proof: 'fresh',
  proofFor: ({ start }) => start,
  input: z.strictObject({
    ...proof,
    key: s.text({ min: 8, max: 64 }).meta({ description: 'Unique for this broadcast, and the same on every retry.' }),
    texts,
    filter: userFilter,
    start: z.boolean().default(true).meta({ description: 'false: it stays a draft.' }),
  }),
  status: 201,
  output: broadcast,
  errors: [...PROOF_ERRORS, 'bot_off', 'idempotency_mismatch'],
  example: {
    body: { key: 'b0a4f1c2-6a1e-4d0e-9a3d-1c8e7f60a1b2', texts: example.texts, filter: { state: ['active'] } },
    reply: example,
  },
});

export const changeBroadcast = panelOperation({
  id: 'changeBroadcast',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Start, pause, resume or stop a broadcast',
  description: 'Messages that are queued already, at most 100, are still sent. A finished broadcast is unchanged.',
  proof: 'fresh',
  proofFor: ({ act }) => act === 'start',
  input: z
    .strictObject({
      ...proof,
      ...ofBroadcast,
      act: z.enum(BROADCAST_ACTS),
      filter: userFilter.optional().meta({ description: 'The recipients of a draft; required with `start`.' }),
    })
    .refine(({ act, filter }) => (act === 'start') === (filter !== undefined), {
      message: 'is required with start, and only possible then',
      path: ['filter'],
    }),
  output: broadcast,
  errors: [...PROOF_ERRORS, 'not_found', 'bot_off'],
  example: { body: { id: 3, act: 'pause' }, reply: { ...example, state: 'paused' } },
});

export const listBroadcasts = panelOperation({
  id: 'listBroadcasts',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'List broadcasts',
  description: 'Newest first; `before` is the number of the last one seen. Without drafts.',
  input: z.strictObject({ before: s.id.optional(), limit: s.limit }),
  output: z.object({ items: z.array(broadcast), next_before: s.id.nullable() }),
  example: { body: {}, reply: { items: [example], next_before: null } },
});

export const listBroadcastPeople = panelOperation({
  id: 'listBroadcastPeople',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'List the results of a broadcast by user',
  description: 'Sorted by user id; `after` is the last one seen.',
  input: z.strictObject({
    ...ofBroadcast,
    state: z.enum(PERSON_STATES).optional(),
    after: s.id.optional(),
    limit: s.limit,
  }),
  output: z.object({
    items: z.array(
      z.object({
        user: z.object({ id: s.id, name: z.string() }),
        state: z.enum(PERSON_STATES),
        error: z.string().nullable().meta({ description: 'The error code; null: none.' }),
        at: s.instant.meta({ description: 'When it was queued, or its result was known.' }),
      }),
    ),
    next_after: s.id.nullable(),
  }),
  errors: ['not_found'],
  example: {
    body: { id: 3, state: 'failed' },
    reply: {
      items: [
        { user: { id: 7, name: 'Anna Smirnova' }, state: 'failed', error: 'refused', at: '2026-11-20T09:00:10.000Z' },
      ],
      next_after: null,
    },
  },
});
