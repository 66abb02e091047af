// The administrator's own chats with the Telegram bot: paired by a link that works once, and what is sent there. Set in the panel only.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { quietHours } from './bot-notices.ts';

export const ADMIN_NOTICES = [
  'payment',
  'attention',
  'node',
  'certificate',
  'disk',
  'update',
  'sign_in',
  'backup',
] as const;
export type AdminNotice = (typeof ADMIN_NOTICES)[number];

/** More accounts are not paired. */
export const MOST_ADMINS = 20;

const kind = z.enum(ADMIN_NOTICES).meta({
  description:
    '`payment`: money came. `attention`: a payment needs a person. `node`: one went down, or is up again. `certificate`: one by ACME ends soon, was renewed or could not be. `disk`: it is full, or has space again. `update`: there is a newer version. `sign_in`: from a browser that was not known. `backup`: a scheduled one failed.',
});

const botAdmins = z
  .object({
    items: z
      .array(
        z.object({
          id: s.telegramId.meta({ description: 'The id of the account in Telegram.' }),
          name: z.string().meta({ description: 'Its name there, as it was when it was paired.' }),
          paired_at: s.instant,
        }),
      )
      .meta({ description: 'The paired accounts, in the order of pairing.' }),
    on: z.array(kind).meta({ description: 'What they are told of.' }),
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
  summary: "Read the administrator's Telegram accounts, and what they are told of",
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
  summary: 'Make a link that pairs a Telegram account with the administrator',
  description:
    'Who opens the link in Telegram can find and change users there, and gets the notices. It works once, for 15 minutes, and ends the link that was made before.',
  input: z.strictObject(proof),
  output: z.object({
    url: z.string().meta({ description: 'The link, to be opened in Telegram or shown as a QR code.' }),
    command: z.string().meta({ description: 'What to send to the bot where the link cannot be opened.' }),
    expires_at: s.instant.meta({ description: 'Until when it works.' }),
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
  tag: 'Panel',
  summary: 'End the pairing of a Telegram account',
  description: 'It can change nothing from then on, and gets no notices.',
  input: z.strictObject({ id: s.telegramId }),
  output: botAdmins,
  errors: ['not_found'],
  example: { body: { id: 1001 }, reply: { ...example, items: [] } },
});

export const saveAdminNotices = panelOperation({
  id: 'saveAdminNotices',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Set what the administrator is told of by the Telegram bot',
  description: 'What is left out stays as it is.',
  input: z.strictObject({
    on: z
      .array(kind)
      .max(ADMIN_NOTICES.length)
      .refine((kinds) => new Set(kinds).size === kinds.length, { message: 'must not repeat a notice' })
      .optional()
      .meta({ uniqueItems: true, description: 'What they are told of.' }),
    quiet: quietHours.optional(),
  }),
  output: botAdmins,
  example: { body: { on: ['payment', 'attention', 'node'] }, reply: example },
});
