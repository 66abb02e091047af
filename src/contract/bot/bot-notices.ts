// Notices to users by the Telegram bot: which there are, when they are silent, and their texts. Set in the panel only.
import { z } from 'zod';
import { LANGUAGE_CODES } from '../../i18n/languages.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

export const USER_NOTICES = ['days_3', 'days_1', 'ended', 'after', 'traffic_80', 'traffic_100'] as const;
export type UserNotice = (typeof USER_NOTICES)[number];

/** What a text may name, as in `{{days}}`. */
export const NOTICE_FIELDS = ['name', 'service', 'days', 'end', 'used', 'total', 'left'] as const;
export type NoticeField = (typeof NOTICE_FIELDS)[number];

export const MOST_NOTICE = 1000;

/** The first field of a text that there is not; null: all are known. */
export function unknownField(text: string): string | null {
  for (const [, name = ''] of text.matchAll(/\{\{(.*?)\}\}/g))
    if (!NOTICE_FIELDS.some((field) => field === name)) return name;
  return null;
}

const kind = z.enum(USER_NOTICES).meta({
  description:
    '`days_3`, `days_1`: so many days before the end of the term. `ended`: at its end. `after`: a day later. `traffic_80`, `traffic_100`: so much of the traffic is used.',
});
const hour = z.int().min(0).max(23);
export const quietHours = z
  .object({
    from: hour.meta({ description: 'The first hour in which nothing is sent.' }),
    until: hour.meta({
      description: 'The first hour in which notices are sent again; earlier than `from`: of the next day.',
    }),
  })
  .nullable()
  .meta({ description: "Hours of the panel's time zone in which nothing is sent; null: there are none." });
const ownText = s
  .text({ min: 1, max: MOST_NOTICE })
  .refine((text) => unknownField(text) === null, { message: 'names a field that there is not' });

const botNotices = z
  .object({
    on: z.array(kind).meta({ description: 'The notices that are sent.' }),
    quiet: quietHours,
    texts: z
      .array(
        z.object({
          kind,
          language: z.enum(LANGUAGE_CODES),
          text: z.string().nullable().meta({ description: 'In place of the usual one; null: the usual one.' }),
          usual: z.string().meta({ description: 'The text that is sent where none was set.' }),
        }),
      )
      .meta({ description: 'The text of each notice in each language.' }),
  })
  .meta({ id: 'BotNotices' });
export type BotNotices = z.output<typeof botNotices>;

const example: BotNotices = {
  on: ['days_3', 'ended'],
  quiet: { from: 22, until: 8 },
  texts: [{ kind: 'days_3', language: 'en', text: null, usual: 'Your access ends in {{days}}, on {{end}}.' }],
};

export const getBotNotices = panelOperation({
  id: 'getBotNotices',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read the notices that the Telegram bot sends to users',
  input: z.strictObject({}),
  output: botNotices,
  example: { body: {}, reply: example },
});

export const saveBotNotices = panelOperation({
  id: 'saveBotNotices',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Set the notices that the Telegram bot sends to users',
  description: 'What is left out stays as it is.',
  input: z.strictObject({
    on: z
      .array(kind)
      .max(USER_NOTICES.length)
      .refine((kinds) => new Set(kinds).size === kinds.length, { message: 'must not repeat a notice' })
      .optional()
      .meta({ uniqueItems: true, description: 'The notices that are sent.' }),
    quiet: quietHours.optional(),
    texts: z
      .array(z.strictObject({ kind, language: z.enum(LANGUAGE_CODES), text: ownText.nullable() }))
      .max(USER_NOTICES.length * 20)
      .optional()
      .meta({ description: 'Texts to set; `text` null: the usual one.' }),
  }),
  output: botNotices,
  example: { body: { on: ['days_3', 'ended'] }, reply: example },
});
