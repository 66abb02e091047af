// A child that is the fake Bot API of the tests, with people who are about to pay while it takes a broadcast and asks for patience.
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { BOT_TOKEN, type FakeBotApi, openBotApi } from '../support/bot-api.ts';
import { answerParent } from './child.ts';

/** Between two times at which it asks for a second of patience, checkouts: they take longer than that, so that messages are sent in between. */
const PATIENCE_EVERY = 100;
const PAUSE_MS = 20;
/** Telegram cancels what is not answered by then. */
const MAX_MS = 10_000;

interface Checkouts {
  readonly payload: string;
  readonly stars: number;
  readonly count: number;
}

export interface CheckedOut {
  /** From the query until its answer, ms. */
  readonly waits: readonly number[];
  readonly accepted: number;
  /** Messages of the broadcast that were sent meanwhile, and how often 429 was replied. */
  readonly sent: number;
  readonly refused: number;
}

let api: FakeBotApi | null = null;

async function start() {
  api = await openBotApi();
  return { root: api.root, token: BOT_TOKEN };
}

async function checkOut({ payload, stars, count }: Checkouts): Promise<CheckedOut> {
  if (api === null) throw new Error('it does not run');
  const before = api.messages.size;
  const waits: number[] = [];
  let accepted = 0;
  let refused = 0;
  for (let index = 0; index < count; index += 1) {
    if (index % PATIENCE_EVERY === 0) {
      api.fail('sendMessage', { retryAfter: 1 });
      refused += 1;
    }
    const began = performance.now();
    const query = api.checkOut(1_000_000 + index, payload, stars);
    // One that Telegram has cancelled counts with all the time that it had.
    while (!api.checkouts.has(query) && performance.now() - began < MAX_MS) await once(api.asked, 'call');
    waits.push(performance.now() - began);
    if (api.checkouts.get(query)) accepted += 1;
    await wait(PAUSE_MS);
  }
  return { waits, accepted, sent: api.messages.size - before, refused };
}

answerParent({
  start,
  sent: () => api?.messages.size ?? 0,
  checkOut,
  stop: () => api?.[Symbol.asyncDispose](),
});
