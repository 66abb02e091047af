// Messages from the administrator to many users by the Telegram bot. In the panel only.
import { z } from 'zod';
import { LANGUAGE_CODES } from '../../i18n/languages.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { userFilter } from '../users/users.ts';
import { unknownField } from './bot-notices.ts';

export const MOST_BROADCAST = 3500;

/** `draft`: written in the chat, and not sent yet. `stopped`: for good. */
export const BROADCAST_STATES = ['draft', 'running', 'paused', 'stopped', 'done'] as const;
export type BroadcastState = (typeof BROADCAST_STATES)[number];

/** `queued`: it waits for its turn. `blocked`: the person has blocked the bot. */
export const PERSON_STATES = ['queued', 'sent', 'blocked', 'failed'] as const;
export type PersonState = (typeof PERSON_STATES)[number];

export const BROADCAST_ACTS = ['start', 'pause', 'resume', 'stop'] as const;
export type BroadcastAct = (typeof BROADCAST_ACTS)[number];

const text = s
  .text({ min: 1, max: MOST_BROADCAST })
  .refine((given) => unknownField(given) === null, { message: 'names a field that there is not' });
const texts = z
  .array(z.strictObject({ language: z.enum(LANGUAGE_CODES), text }))
  .min(1)
  .max(LANGUAGE_CODES.length)
  .refine((all) => new Set(all.map(({ language }) => language)).size === all.length, {
    message: 'must not repeat a language',
  })
  .meta({
    description:
      'Plain text, which may name the fields of notices. Who speaks a language without a text gets the first one.',
  });

const count = z.int().min(0);
const broadcast = z
  .object({
    id: s.id.meta({ description: 'Its number.' }),
    texts,
    filter: userFilter.meta({ description: 'To whom: as the list of users is filtered.' }),
    state: z.enum(BROADCAST_STATES),
    waits: z.enum(['quiet', 'bot', 'other']).nullable().meta({
      description:
        'Why nothing is sent: quiet hours, no running bot, another broadcast; null: nothing stands in its way.',
    }),
    total: count.meta({ description: 'How many had a Telegram account and matched when it was started.' }),
    queued: count.meta({ description: 'Those whose message waits for its turn.' }),
    sent: count,
    blocked: count.meta({ description: 'Those who have blocked the bot, or never wrote to it.' }),
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
  summary: 'To how many a broadcast would go',
  input: z.strictObject({ filter: userFilter }),
  output: z.object({
    matched: count.meta({ description: 'Users who match.' }),
    people: count.meta({ description: 'Those of them with a Telegram account.' }),
    blocked: count.meta({ description: 'Those of these to whom nothing can be sent.' }),
    seconds: count.meta({ description: 'How long it takes at the pace that Telegram allows.' }),
  }),
  example: { body: { filter: { all: true } }, reply: { matched: 900, people: 812, blocked: 12, seconds: 32 } },
});

export const testBroadcast = panelOperation({
  id: 'testBroadcast',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Send a broadcast to the paired accounts alone',
  description: 'In the chat, to the account alone that asks for it.',
  input: z
    .strictObject({
      texts: texts.optional(),
      id: s.id.optional().meta({ description: 'Of a broadcast that there is, in place of texts.' }),
    })
    .refine(({ texts: given, id }) => (given === undefined) !== (id === undefined), {
      message: 'exactly one of texts and id is required',
    }),
  output: z.object({ accounts: count.meta({ description: 'To how many; 0: none is paired.' }) }),
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
    'The same `key` again answers with the same broadcast and sends nothing more. One is sent after the other.',
  input: z.strictObject({
    key: s.text({ min: 8, max: 64 }).meta({ description: 'Unique to this broadcast, and the same on every retry.' }),
    texts,
    filter: userFilter,
    start: z.boolean().default(true).meta({ description: 'false: it stays a draft.' }),
  }),
  status: 201,
  output: broadcast,
  errors: ['bot_off', 'idempotency_mismatch'],
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
  description:
    'What waits for its turn at that moment, at most 100 messages, is still sent. One that has ended stays so.',
  input: z.strictObject({
    ...ofBroadcast,
    act: z.enum(BROADCAST_ACTS),
    filter: userFilter.optional().meta({ description: 'To whom, of a draft that is started.' }),
  }),
  output: broadcast,
  errors: ['not_found', 'bot_off'],
  example: { body: { id: 3, act: 'pause' }, reply: { ...example, state: 'paused' } },
});

export const listBroadcasts = panelOperation({
  id: 'listBroadcasts',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'List broadcasts',
  description: 'The newest first; `before` is the number of the last one seen. Drafts are left out.',
  input: z.strictObject({ before: s.id.optional(), limit: s.limit }),
  output: z.object({ items: z.array(broadcast), next_before: s.id.nullable() }),
  example: { body: {}, reply: { items: [example], next_before: null } },
});

export const listBroadcastPeople = panelOperation({
  id: 'listBroadcastPeople',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'What became of a broadcast for each user',
  description: 'By the id of the user; `after` is the last one seen.',
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
        error: z.string().nullable().meta({ description: 'A code; null: there is none.' }),
        at: s.instant.meta({ description: 'When it was queued, or its outcome was known.' }),
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
