// Polls Telegram for updates. Each is stored before the next request confirms it, so that none is lost, whenever the panel ends.
import type { PreCheckoutQuery, Update } from 'grammy/types';
import type { BotLink, BotService, RunningBot } from '../core/ports/bot.ts';
import type { Clock, Log, Timers } from '../core/ports/ports.ts';
import { createRateLimiter, type RateRule } from '../domain/rate-limiter.ts';
import { parsePayment } from './payments.ts';

const LONG_POLL_S = 50;
const POLL_TIMEOUT_MS = 65_000;
/** A page of the longest messages stays within the bounds of a reply (fetch.ts). */
const PAGE = 25;
/** Telegram remembers the last list, so every request sends it. */
const ALLOWED = ['message', 'callback_query', 'pre_checkout_query', 'my_chat_member', 'subscription'];
/** After a week without updates their ids restart at random: the former offset could hide them. */
const SILENCE_MS = 6 * 86_400_000;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;
/** Another program polls with the same token: competing would end its requests as well. */
const CONFLICT_PAUSE_MS = 30_000;
/**
 * Limit of one person: more than anybody presses and types. Each update is stored and answered, and Telegram limits the answers of a bot in
 * total.
 */
const PERSON: RateRule = { perMinute: 60, burst: 20 };
/** Telegram does not accept the answer to a pre-checkout query after 10 s. */
const CHECKOUT_MS = 8000;

export interface PollerParts {
  readonly bot: RunningBot;
  readonly link: BotLink;
  readonly botService: BotService;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** The answer to a pre-checkout query, from the database alone, as it is due within 10 s. */
  checkout(query: PreCheckoutQuery): Readonly<Record<string, unknown>>;
  /** Called when updates have been stored. */
  onReceived(): void;
}

export interface Poller {
  stop(): Promise<void>;
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** The id of the person who caused an update; null: unknown. */
function getSenderId({ message, callback_query: pressed, my_chat_member: member }: Update): number | null {
  return (message ?? pressed ?? member)?.from?.id ?? null;
}

export function startPoller({
  bot,
  link,
  botService,
  clock,
  timers,
  log,
  checkout,
  onReceived: received,
}: PollerParts): Poller {
  let isStopped = false;
  let endPause = () => {};
  const persons = createRateLimiter<number>();

  /** Drops updates beyond a person's limit, except payments. */
  function isWelcome(update: Update): boolean {
    const person = getSenderId(update);
    if (person === null || parsePayment(update) !== null) return true;
    return persons.consumeRequest(person, PERSON, clock.now()).isAllowed;
  }

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      if (isStopped) return resolve();
      const cancel = timers.after(ms, resolve);
      endPause = () => {
        cancel();
        resolve();
      };
    });

  async function answer(query: PreCheckoutQuery): Promise<void> {
    const reply = { pre_checkout_query_id: query.id, ...checkout(query) };
    const outcome = await link.call('answerPreCheckoutQuery', reply, CHECKOUT_MS);
    if ('error' in outcome) log.warn('pre-checkout not answered', { error: outcome.error });
  }

  async function run(): Promise<void> {
    // Without an offset Telegram starts with the first unconfirmed update.
    let offset: number | null = null;
    let lastAt = clock.now();
    let failures = 0;
    // The first request, and the first after a failure, does not wait for updates, so that its result is known at once.
    let isKnown = false;
    while (!isStopped) {
      if (clock.now() - lastAt > SILENCE_MS) offset = null;
      const parameters = {
        timeout: isKnown ? LONG_POLL_S : 0,
        limit: PAGE,
        allowed_updates: ALLOWED,
        ...(offset !== null && { offset }),
      };
      const outcome = await link.call('getUpdates', parameters, POLL_TIMEOUT_MS);
      if (isStopped) return;
      if ('error' in outcome) {
        botService.recordStatus(outcome.error);
        isKnown = false;
        if (failures === 0) log.warn('bot: no updates', { error: outcome.error });
        failures += 1;
        if (outcome.error === 'unauthorized') return botService.switchOff(bot, 'unauthorized');
        const backOff = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 10));
        const isTaken = outcome.error === 'conflict' || outcome.error === 'webhook';
        await pause(isTaken ? CONFLICT_PAUSE_MS : Math.max(backOff, outcome.retryAfterMs));
        continue;
      }
      if (failures > 0) log.info('bot: updates again');
      failures = 0;
      isKnown = true;
      botService.recordStatus(null);
      const updates = Array.isArray(outcome.result) ? outcome.result : [];
      const known = updates.flatMap((update: unknown) => {
        const id = readMember(update, 'update_id');
        return Number.isSafeInteger(id) ? [{ id: Number(id), update }] : [];
      });
      const last = known.at(-1);
      if (!last) continue;
      for (const { update } of known) {
        const query = readMember(update, 'pre_checkout_query');
        // Runs beside the queue and is not awaited: a slow answer must not delay the next.
        if (!query) continue;
        botService.start('bot: answer to a pre-checkout', () => answer(query as PreCheckoutQuery));
      }
      const others = known.filter(({ update }) => readMember(update, 'pre_checkout_query') === undefined);
      // Stored as Telegram sends them.
      const stored = others.filter(({ update }) => isWelcome(update as Update));
      const bodies = stored.map(({ id, update }) => ({ id, body: JSON.stringify(update) }));
      try {
        const fresh = bodies.length > 0 ? await botService.receive(bot.row.botId, bodies) : 0;
        // The last id, not the highest: ids may restart lower.
        offset = last.id + 1;
        lastAt = clock.now();
        if (fresh > 0) received();
        else if (bodies.length > 0) await pause(FIRST_PAUSE_MS);
      } catch (error) {
        // Not confirmed, as on a full disk, so Telegram sends them again.
        log.error('bot: updates not stored', { error: String(error) });
        await pause(CONFLICT_PAUSE_MS);
      }
    }
  }

  const running = run().catch((error: unknown) => log.error('bot: poller failed', { error: String(error) }));
  return {
    async stop() {
      isStopped = true;
      endPause();
      await running;
    },
  };
}
