// The administrator's Telegram accounts, paired by one-time links, and their notifications. In the panel only.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { quietHours } from './bot-notices.ts';

export const ADMIN_NOTICES = [
  'payment',
  'attention',
  'provider',
  'node',
  'certificate',
  'disk',
  'update',
  'sign_in',
  'backup',
] as const;
export type AdminNotice = (typeof ADMIN_NOTICES)[number];

/** Paired accounts. */
export const MAX_ADMINS = 20;

const kind = z.enum(ADMIN_NOTICES).meta({
  description:
    '`payment`: a payment was received. `attention`: a payment needs attention. `provider`: a payment provider refuses requests. `node`: a node is down, or up again. `certificate`: a certificate by ACME expires soon, was renewed, or could not be renewed. `disk`: the disk is full, or has space again. `update`: there is a newer version. `sign_in`: from an unknown browser. `backup`: a scheduled backup failed.',
});

const botAdmins = z
  .object({
    items: z
      .array(
        z.object({
          id: s.telegramId.meta({ description: 'The id of the account in Telegram.' }),
          name: z.string().meta({ description: 'Its name in Telegram when it was paired.' }),
          paired_at: s.instant,
        }),
      )
      .meta({ description: 'The paired accounts, in the order of pairing.' }),
    on: z.array(kind).meta({ description: 'Their notifications.' }),
    quiet: quietHours,
  })
  .meta({ id: 'BotAdmins' });
export type BotAdmins = z.output<typeof botAdmins>;

const example: BotAdmins = {
  items: [{ id: 1001, name: 'Anna', paired_at: '2026-11-20T10:00:00.000Z' }],
  on: ['payment', 'attention', 'node'],
  quiet: null,
};

export const getBotAdmins = panelOperation({
  id: 'getBotAdmins',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: "Read the administrator's Telegram accounts and their notifications",
  input: z.strictObject({}),
  output: botAdmins,
  example: { body: {}, reply: example },
});

export const inviteBotAdmin = panelOperation({
  id: 'inviteBotAdmin',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Create a link that pairs a Telegram account with the administrator',
  description:
    'The Telegram account that opens the link can find and change users in the chat and gets the notifications. The link works once, for 15 minutes, and replaces the previous link.',
  input: z.strictObject(proof),
  output: z.object({
    url: z.string().meta({ description: 'The link, to open in Telegram or show as a QR code.' }),
    command: z.string().meta({ description: 'The message to send to the bot if the link cannot be opened.' }),
    expires_at: s.instant.meta({ description: 'When it expires.' }),
  }),
  errors: [...PROOF_ERRORS, 'bot_off'],
  example: {
    body: { password: 'correct horse battery' },
    reply: {
      url: 'https://t.me/anna_vpn_bot?start=admin_Q2hhbmdlIHRoaXMgdG9rZW4gbm93ISE',
      command: '/start admin_Q2hhbmdlIHRoaXMgdG9rZW4gbm93ISE',
      expires_at: '2026-11-20T10:15:00.000Z',
    },
  },
});

export const removeBotAdmin = panelOperation({
  id: 'removeBotAdmin',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'End the pairing of a Telegram account',
  description: 'It can then change nothing and gets no notifications.',
  input: z.strictObject({ ...proof, id: s.telegramId }),
  output: botAdmins,
  errors: [...PROOF_ERRORS, 'not_found'],
  example: { body: { id: 1001 }, reply: { ...example, items: [] } },
});

export const saveAdminNotices = panelOperation({
  id: 'saveAdminNotices',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Set the notifications of the administrator by the Telegram bot',
  description: 'Absent fields stay as they are.',
  input: z.strictObject({
    ...proof,
    on: z
      .array(kind)
      .max(ADMIN_NOTICES.length)
      .refine((kinds) => new Set(kinds).size === kinds.length, { message: 'must not repeat a notification' })
      .optional()
      .meta({ uniqueItems: true, description: 'Their notifications.' }),
    quiet: quietHours.optional(),
  }),
  output: botAdmins,
  errors: PROOF_ERRORS,
  example: { body: { on: ['payment', 'attention', 'node'] }, reply: example },
});
