// The Telegram bot: its token, which is sealed and tried before it is saved, and the way to its API. Set up in the panel only.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { panelOperation } from '../operation.ts';
import { isApiRoot } from '../sales/providers.ts';
import * as s from '../scalars.ts';

/** Why the bot does not do what it should, as one can mend it. */
export const BOT_ERRORS = [
  'unauthorized',
  'conflict',
  'webhook',
  'refused',
  'rate_limited',
  'unavailable',
  'not_bot_api',
  'timeout',
  'host_unknown',
  'address_refused',
  'connection',
  'proxy',
  'certificate',
  'no_token',
  'stopped',
] as const;
export type BotError = (typeof BOT_ERRORS)[number];

/** `starting`: Telegram has not answered yet. */
const BOT_STATES = ['off', 'starting', 'running', 'failing'] as const;

export const BOT_TOKEN = /^\d{3,20}:[A-Za-z0-9_-]{10,100}$/;

/** Whether a text names a proxy, as far as its form goes: `http`, `https` or `socks5`, with a name and a password or without. */
export function isProxy(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^(https?|socks5h?):$/.test(url.protocol) || url.hostname === '') return false;
  return /^\/?$/.test(url.pathname) && url.search === '' && url.hash === '';
}

const apiRoot = s
  .text({ min: 1, max: 500 })
  .refine(isApiRoot, { message: 'must be an https address without a name, a password, a query or a fragment' })
  .nullable()
  .meta({ description: "Where the Bot API is; null: Telegram's own. The token goes there." });
const allowPrivate = z.boolean().meta({
  description:
    'Whether `api_root` may be a private or loopback address, and plain HTTP. Link-local addresses never are.',
});

export const bot = z
  .object({
    account: z
      .object({
        id: s.id.meta({ description: 'Its id at Telegram.' }),
        username: z.string().meta({ description: 'Without the @.' }),
        name: z.string().meta({ description: 'What Telegram shows as its name.' }),
      })
      .nullable()
      .meta({ description: 'The account of the bot at Telegram; null: the panel has none.' }),
    enabled: z.boolean().meta({ description: 'Whether it is to run.' }),
    state: z.enum(BOT_STATES).meta({ description: 'Whether it does.' }),
    error: z.enum(BOT_ERRORS).nullable().meta({ description: 'Why it does not; null: it does, or is off.' }),
    error_at: s.instant.nullable().meta({ description: 'Since when.' }),
    ok_at: s.instant.nullable().meta({ description: 'When Telegram last answered; null: not since the start.' }),
    waiting: z.int().meta({ description: 'Messages that are to be sent.' }),
    api_root: z.string().nullable().meta({ description: "Where the Bot API is; null: Telegram's own." }),
    allow_private: allowPrivate,
    proxy: z
      .string()
      .nullable()
      .meta({ description: 'The proxy, without its name and password; null: no proxy is used.' }),
  })
  .meta({ id: 'Bot' });
export type Bot = z.output<typeof bot>;

const example: Bot = {
  account: { id: 7654321, username: 'anna_vpn_bot', name: 'Anna VPN' },
  enabled: true,
  state: 'running',
  error: null,
  error_at: null,
  ok_at: '2026-11-20T10:00:00.000Z',
  waiting: 0,
  api_root: null,
  allow_private: false,
  proxy: null,
};
const none: Bot = { ...example, account: null, enabled: false, state: 'off', ok_at: null };

export const getBot = panelOperation({
  id: 'getBot',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read the state of the Telegram bot',
  input: z.strictObject({}),
  output: bot,
  example: { body: {}, reply: example },
});

export const saveBot = panelOperation({
  id: 'saveBot',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Set the token of the Telegram bot, and the way to its API',
  description:
    'What is left out stays as it is. The result is tried before it is saved: what Telegram does not know is not stored. The token and the proxy are sealed.',
  input: z.strictObject({
    token: s.text({ min: 1, max: 200 }).regex(BOT_TOKEN).optional().meta({ description: 'From @BotFather.' }),
    api_root: apiRoot.optional(),
    allow_private: allowPrivate.optional(),
    proxy: s
      .text({ min: 1, max: 500 })
      .refine(isProxy, { message: 'must be an http, https or socks5 address without a path' })
      .nullable()
      .optional()
      .meta({
        description:
          'A proxy to reach the Bot API by, with its name and password, as in `socks5://name:password@host:1080`; null: none.',
      }),
    ...proof,
  }),
  output: bot,
  errors: [...PROOF_ERRORS, 'bot_failed'],
  example: { body: { token: '7654321:AAthe-token-of-the-bot', password: 'correct horse battery' }, reply: example },
});

export const enableBot = panelOperation({
  id: 'enableBot',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Start or stop the Telegram bot',
  input: z.strictObject({ enabled: z.boolean().meta({ description: 'Whether it is to run.' }) }),
  output: bot,
  errors: ['not_found'],
  example: { body: { enabled: false }, reply: { ...example, enabled: false, state: 'off' } },
});

export const testBot = panelOperation({
  id: 'testBot',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Test the connection to Telegram step by step',
  input: z.strictObject({}),
  output: z.object({
    error: z.enum(BOT_ERRORS).nullable().meta({
      description:
        'null: Telegram knows the token. Else where it ends: the name (`host_unknown`), the address, the connection, the proxy, TLS (`certificate`), HTTP (`not_bot_api`, `unavailable`) or the token (`unauthorized`).',
    }),
    took_ms: z.int().meta({ description: 'How long it took.' }),
  }),
  errors: ['not_found', 'vault_unavailable'],
  example: { body: {}, reply: { error: null, took_ms: 120 } },
});

export const freeBot = panelOperation({
  id: 'freeBot',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Remove the webhook that another program set for the bot',
  description: 'That program gets no updates from then on; those that wait come here.',
  input: z.strictObject({}),
  output: bot,
  errors: ['not_found', 'bot_failed', 'vault_unavailable'],
  example: { body: {}, reply: example },
});

export const deleteBot = panelOperation({
  id: 'deleteBot',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Delete the token of the Telegram bot, and what waits to be sent',
  input: z.strictObject({}),
  output: bot,
  example: { body: {}, reply: none },
});

export const sendUserLink = panelOperation({
  id: 'sendUserLink',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Send a user the subscription link by the Telegram bot',
  description: '`not_found`: there is no such user, or no Telegram account of the user is known.',
  input: z.strictObject({ user_id: s.id.meta({ description: 'The user.' }) }),
  output: z.object({}),
  errors: ['not_found', 'bot_off'],
  example: { body: { user_id: 7 }, reply: {} },
});

export const inviteToBot = panelOperation({
  id: 'inviteToBot',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Make a link by which a user ties a Telegram account',
  description:
    'Who opens the link in Telegram becomes this user there, in place of the account that the user had. It works once, for a day, and ends the link that was made before.',
  input: z.strictObject({ user_id: s.id.meta({ description: 'The user.' }) }),
  output: z.object({
    url: z.string().meta({ description: 'The link, to be sent to the user or shown as a QR code.' }),
    expires_at: s.instant.meta({ description: 'Until when it works.' }),
  }),
  errors: ['not_found', 'bot_off'],
  example: {
    body: { user_id: 7 },
    reply: {
      url: 'https://t.me/anna_vpn_bot?start=tie_Q2hhbmdlIHRoaXMgdG9rZW4gbm93ISE',
      expires_at: '2026-11-21T10:00:00.000Z',
    },
  },
});
