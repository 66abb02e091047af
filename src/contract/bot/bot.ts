// The Telegram bot: its token, which is tested before it is saved and sealed, and the address of its API. In the panel only.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { panelOperation } from '../operation.ts';
import { isApiRoot } from '../sales/providers.ts';
import * as s from '../scalars.ts';

/** Why the bot fails, by what fixes it. */
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

/** Whether a text has the form of a proxy's address: `http`, `https` or `socks5`, with or without name and password. */
export function isProxy(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^(https?|socks5h?):$/.test(url.protocol) || url.hostname === '') return false;
  return /^\/?$/.test(url.pathname) && url.search === '' && url.hash === '';
}

const apiRoot = s
  .text({ min: 1, max: 500 })
  .refine(isApiRoot, { message: 'must be an https address without a name, a password, a query or a fragment' })
  .nullable()
  .meta({ description: "The address of the Bot API; null: Telegram's own. The token is sent there." });
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
        name: z.string().meta({ description: 'Its display name in Telegram.' }),
      })
      .nullable()
      .meta({ description: 'The account of the bot at Telegram; null: the panel has no bot.' }),
    enabled: z.boolean().meta({ description: 'Whether it is enabled.' }),
    state: z.enum(BOT_STATES).meta({ description: 'Whether it runs.' }),
    error: z.enum(BOT_ERRORS).nullable().meta({ description: 'Why it fails; null: it runs, or is off.' }),
    error_at: s.instant.nullable().meta({ description: 'When it first failed.' }),
    ok_at: s.instant.nullable().meta({ description: 'The last reply of Telegram; null: none since the start.' }),
    waiting: z.int().meta({ description: 'Queued messages.' }),
    api_root: z.string().nullable().meta({ description: "The address of the Bot API; null: Telegram's own." }),
    allow_private: allowPrivate,
    proxy: z.string().nullable().meta({ description: 'The proxy, without name and password; null: none.' }),
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
  summary: 'Set the token of the Telegram bot and the address of its API',
  description:
    'Absent fields stay as they are. The result is tested first, and not stored if Telegram does not accept it. The token and the proxy are sealed.',
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
          'A proxy to the Bot API, with name and password, as in `socks5://name:password@host:1080`; null: none.',
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
  input: z.strictObject({ enabled: z.boolean().meta({ description: 'Whether it is enabled.' }) }),
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
        'null: Telegram accepts the token. Else the step that failed: the name (`host_unknown`), the address, the connection, the proxy, TLS (`certificate`), HTTP (`not_bot_api`, `unavailable`) or the token (`unauthorized`).',
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
  description: 'That program then gets no more updates; pending ones come to the panel.',
  input: z.strictObject({}),
  output: bot,
  errors: ['not_found', 'bot_failed', 'vault_unavailable'],
  example: { body: {}, reply: example },
});

export const deleteBot = panelOperation({
  id: 'deleteBot',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Delete the token of the Telegram bot and its queued messages',
  input: z.strictObject(proof),
  output: bot,
  errors: PROOF_ERRORS,
  example: { body: {}, reply: none },
});

export const sendUserLink = panelOperation({
  id: 'sendUserLink',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Send a user the subscription link through the Telegram bot',
  description: '`not_found`: there is no such user, or the user has no linked Telegram account.',
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
  summary: 'Create a link for linking a Telegram account to a user',
  description:
    'The Telegram account that opens the link is linked to this user and replaces the previous account. The link works once, for a day, and replaces the previous link.',
  input: z.strictObject({ user_id: s.id.meta({ description: 'The user.' }) }),
  output: z.object({
    url: z.string().meta({ description: 'The link, to send to the user or show as a QR code.' }),
    expires_at: s.instant.meta({ description: 'When it expires.' }),
  }),
  errors: ['not_found', 'bot_off'],
  example: {
    body: { user_id: 7 },
    reply: {
      url: 'https://t.me/anna_vpn_bot?start=link_Q2hhbmdlIHRoaXMgdG9rZW4gbm93ISE',
      expires_at: '2026-11-21T10:00:00.000Z',
    },
  },
});
