// Notices to users by the Telegram bot: kinds, quiet hours and texts. In the panel only.
import { z } from 'zod';
import { LANGUAGE_CODES } from '../../i18n/languages.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

export const USER_NOTICES = ['days_3', 'days_1', 'ended', 'after', 'traffic_80', 'traffic_100'] as const;
export type UserNotice = (typeof USER_NOTICES)[number];

/** The fields of a text, as in `{{days}}`. */
export const NOTICE_FIELDS = ['name', 'service', 'days', 'end', 'used', 'total', 'left'] as const;
export type NoticeField = (typeof NOTICE_FIELDS)[number];

export const MAX_NOTICE = 1000;

/** The first unknown field of a text; null: all are known. */
export function unknownField(text: string): string | null {
  for (const [, name = ''] of text.matchAll(/\{\{(.*?)\}\}/g))
    if (!NOTICE_FIELDS.some((field) => field === name)) return name;
  return null;
}

const kind = z.enum(USER_NOTICES).meta({
  description:
    '`days_3`, `days_1`: 3 days and 1 day before the end of the term. `ended`: at its end. `after`: a day later. `traffic_80`, `traffic_100`: 80 % and 100 % of the traffic is used.',
});
const hour = z.int().min(0).max(23);
export const quietHours = z
  .object({
    from: hour.meta({ description: 'The first quiet hour.' }),
    until: hour.meta({
      description: 'The hour in which the quiet hours end; if earlier than `from`, on the next day.',
    }),
  })
  .nullable()
  .meta({ description: "Quiet hours, in the panel's time zone; null: none." });
const ownText = s
  .text({ min: 1, max: MAX_NOTICE })
  .refine((text) => unknownField(text) === null, { message: 'has an unknown field' });

const botNotices = z
  .object({
    on: z.array(kind).meta({ description: 'The enabled notices.' }),
    quiet: quietHours,
    texts: z
      .array(
        z.object({
          kind,
          language: z.enum(LANGUAGE_CODES),
          text: z.string().nullable().meta({ description: 'The custom text; null: the default one.' }),
          usual: z.string().meta({ description: 'The default text.' }),
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
  summary: 'Read the notices of the Telegram bot to users',
  input: z.strictObject({}),
  output: botNotices,
  example: { body: {}, reply: example },
});

export const saveBotNotices = panelOperation({
  id: 'saveBotNotices',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Set the notices of the Telegram bot to users',
  description: 'Absent fields stay as they are.',
  input: z.strictObject({
    on: z
      .array(kind)
      .max(USER_NOTICES.length)
      .refine((kinds) => new Set(kinds).size === kinds.length, { message: 'must not repeat a notice' })
      .optional()
      .meta({ uniqueItems: true, description: 'The enabled notices.' }),
    quiet: quietHours.optional(),
    texts: z
      .array(z.strictObject({ kind, language: z.enum(LANGUAGE_CODES), text: ownText.nullable() }))
      .max(USER_NOTICES.length * 20)
      .optional()
      .meta({ description: 'Texts to set; `text` null: the default one.' }),
  }),
  output: botNotices,
  example: { body: { on: ['days_3', 'ended'] }, reply: example },
});
