// What the running bot does in the store: updates come in and messages go out through it, each in one transaction with its effect.
import type { BotError } from '../../contract/bot.ts';
import { DAY_MS } from '../../domain/limits.ts';
import type { Call } from '../call.ts';
import { createTransaction, type Env, type Transaction } from '../context.ts';
import type { BotAccess, BotRow, BotStore, UpdateRow } from '../ports/bot.ts';
import { FRESH_STATUS, openAccess } from './settings.ts';

/** Ids of updates may begin at random after a week: those that are done must be gone by then. */
const KEPT_MS = 2 * DAY_MS;

const CALL: Call = {
  actor: { kind: 'panel', id: null, name: 'bot', access: 'full' },
  requestId: 'bot',
  address: null,
};

/** A bot that is to run: another one after each change of it. */
export interface RunningBot extends BotAccess {
  readonly row: BotRow;
}

export interface BotDesk {
  /** What is to run now; null: nothing is, or its secrets cannot be opened. */
  bot(): RunningBot | null;
  /** Calls the listener soon after what is to run, or what is to be sent, may have changed. Returns how to unsubscribe. */
  onChange(listener: () => void): () => void;
  /** Reads of the store. */
  readonly store: Omit<BotStore, 'save' | 'remove' | 'receive' | 'enqueue'>;
  /** The subscription link's token of the user with this Telegram account; null: there is none. */
  linkTokenOf(telegramId: number): string | null;
  /** Stores what came; how many of them are new. They may be confirmed at Telegram once this has resolved. */
  receive(botId: number, updates: readonly { readonly id: number; readonly body: string }[]): Promise<number>;
  /** Commits the effect of an update together with the mark that it is done. */
  finish(update: UpdateRow, effect: (tx: Transaction) => void): Promise<void>;
  /** Any other write of the bot. */
  write(work: (store: BotStore, now: number) => void): Promise<void>;
  /** Telegram answered, or why it did not; shown in the panel. */
  note(error: BotError | null): void;
  /** Stops it for good, as where its token was revoked; there is an audit row. */
  switchOff(bot: RunningBot, error: BotError): Promise<void>;
  prune(): Promise<void>;
}

export function createBotDesk(env: Env): BotDesk & { readonly wake: () => void } {
  const { store, clock, queue, vault, timers } = env;
  const listeners = new Set<() => void>();
  let isWaking = false;
  let opened: RunningBot | null = null;

  function wake(): void {
    if (isWaking || listeners.size === 0) return;
    isWaking = true;
    timers.soon(() => {
      isWaking = false;
      for (const listener of listeners) listener();
    });
  }

  const write = async <T>(work: () => T): Promise<T> => {
    const result = await queue.run(() => store.write(work));
    env.announce();
    return result;
  };

  return {
    wake,
    bot() {
      const row = store.bot.get();
      const isOpen = vault.state() === 'unlocked' || vault.state() === 'headless';
      if (!row?.enabled || row.error !== null || !isOpen) {
        opened = null;
      } else if (opened?.row.updatedAt !== row.updatedAt || opened.row.botId !== row.botId) {
        const access = openAccess(env, row);
        opened = access && { ...access, row };
        if (!access && env.botStatus.error !== 'no_token')
          env.botStatus = { ...FRESH_STATUS, error: 'no_token', errorAt: clock.now() };
      }
      return opened;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    store: store.bot,
    linkTokenOf: (telegramId) => store.users.byTelegramId(telegramId)?.token ?? null,
    receive: (botId, updates) => write(() => store.bot.receive(botId, updates, clock.now())),
    finish: (update, effect) =>
      write(() => {
        const now = clock.now();
        effect(createTransaction(env, CALL, 'bot', now));
        store.bot.finishUpdate(update.id, now);
      }),
    write: (work) => write(() => work(store.bot, clock.now())),
    note(error) {
      const now = clock.now();
      const { errorAt } = env.botStatus;
      env.botStatus =
        error === null
          ? { error: null, errorAt: null, okAt: now }
          : { ...env.botStatus, error, errorAt: errorAt ?? now };
    },
    switchOff: (bot, error) =>
      write(() => {
        const row = store.bot.get();
        // Changed meanwhile.
        if (row?.updatedAt !== bot.row.updatedAt) return;
        const now = clock.now();
        store.bot.save({ ...row, enabled: false, error, errorAt: now, updatedAt: now });
        createTransaction(env, CALL, 'enableBot', now).audit('bot', { enabled: false, error });
      }),
    async prune() {
      if (store.bot.get()) await write(() => store.bot.prune(clock.now() - KEPT_MS));
    },
  };
}
