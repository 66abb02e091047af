// Requests for access in the Telegram bot, which the administrator answers. In the panel only.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

/** Requests that wait at a time. */
export const MAX_REQUESTS = 1000;

const fields = {
  on: z.boolean().meta({ description: 'Whether an account without a user can ask for access.' }),
  buys_first: z.boolean().meta({
    description: 'Whether accepted people start without a term and buy one; else with the term of the tariff.',
  }),
};

const botRequests = z
  .object({
    ...fields,
    items: z
      .array(
        z.object({
          telegram_id: s.telegramId.meta({ description: 'The id of the account in Telegram.' }),
          name: z.string().meta({ description: 'Its name in Telegram at the time of the request.' }),
          asked_at: s.instant,
        }),
      )
      .meta({ description: 'Pending requests, oldest first.' }),
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
  summary: 'Read the requests for access in the Telegram bot',
  input: z.strictObject({}),
  output: botRequests,
  example: { body: {}, reply: example },
});

export const saveBotRequests = panelOperation({
  id: 'saveBotRequests',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Set whether the Telegram bot accepts requests for access',
  input: z.strictObject(fields),
  output: botRequests,
  example: { body: { on: true, buys_first: false }, reply: example },
});

export const decideBotRequest = panelOperation({
  id: 'decideBotRequest',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Answer a request for access in the Telegram bot',
  description: 'Accepting creates a user with the tariff. The answer is sent to the chat.',
  input: z.strictObject({
    telegram_id: s.telegramId,
    tariff_id: s.id.nullable().meta({ description: 'The tariff of the new user; null: the request is refused.' }),
  }),
  output: z.object({ user_id: s.id.nullable().meta({ description: 'null: the request was refused.' }) }),
  errors: ['not_found', 'tariff_not_found'],
  example: { body: { telegram_id: 1001, tariff_id: 1 }, reply: { user_id: 7 } },
});
