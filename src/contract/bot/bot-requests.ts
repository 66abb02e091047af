// People who ask for access in the Telegram bot, and wait for the administrator's yes. Set in the panel only.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

/** More do not wait at the same time. */
export const MOST_REQUESTS = 1000;

const fields = {
  on: z.boolean().meta({ description: 'Whether an account without a user can ask for access.' }),
  buys_first: z
    .boolean()
    .meta({ description: 'Whether who is let in begins without a term, and buys one; else with that of the plan.' }),
};

const botRequests = z
  .object({
    ...fields,
    items: z
      .array(
        z.object({
          telegram_id: s.telegramId.meta({ description: 'The id of the account in Telegram.' }),
          name: z.string().meta({ description: 'Its name there, as it was when it asked.' }),
          asked_at: s.instant,
        }),
      )
      .meta({ description: 'Who waits for an answer, the first first.' }),
  })
  .meta({ id: 'BotRequests' });
export type BotRequests = z.output<typeof botRequests>;

const example: BotRequests = {
  on: true,
  buys_first: false,
  items: [{ telegram_id: 1001, name: 'Anna (@anna)', asked_at: '2026-11-20T10:00:00.000Z' }],
};

export const getBotRequests = panelOperation({
  id: 'getBotRequests',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read who asks for access in the Telegram bot',
  input: z.strictObject({}),
  output: botRequests,
  example: { body: {}, reply: example },
});

export const saveBotRequests = panelOperation({
  id: 'saveBotRequests',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Set whether access can be asked for in the Telegram bot',
  input: z.strictObject(fields),
  output: botRequests,
  example: { body: { on: true, buys_first: false }, reply: example },
});

export const decideBotRequest = panelOperation({
  id: 'decideBotRequest',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Let somebody in who asks in the Telegram bot, or not',
  description: 'A user with the plan is made for who is let in. Both are told in the chat.',
  input: z.strictObject({
    telegram_id: s.telegramId,
    tariff_id: s.id.nullable().meta({ description: 'The plan of who is let in; null: no one is.' }),
  }),
  output: z.object({ user_id: s.id.nullable().meta({ description: 'null: no one was let in.' }) }),
  errors: ['not_found', 'tariff_not_found'],
  example: { body: { telegram_id: 1001, tariff_id: 1 }, reply: { user_id: 7 } },
});
