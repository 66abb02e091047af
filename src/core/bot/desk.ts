// What the running bot does in the store: updates come in and messages go out through it, each in one transaction with its effect.
import { DAY_MS } from '../../domain/limits.ts';
import type { Call } from '../call.ts';
import { createTransaction, type Env } from '../context.ts';
import { isOwnStars, openInChat, recordBotPayment, refusalOf } from '../payments/bot-payments.ts';
import { type BotDesk, FRESH_STATUS, type RunningBot } from '../ports/bot.ts';
import { friendLinkOf, noteReferral, REFERRAL_LIFE_MS } from '../sales/referrals.ts';
import { openAccess } from './access.ts';
import { pair } from './admins.ts';
import { readEncrypted } from './chat-backups.ts';
import { askForAccess } from './requests.ts';
import { botOf } from './running.ts';
import { invite, tie } from './tying.ts';

/** Ids of updates may begin at random after a week: those that are done must be gone by then. */
const KEPT_MS = 2 * DAY_MS;

const CALL: Call = {
  actor: { kind: 'panel', id: null, name: 'bot', access: 'full' },
  requestId: 'bot',
  address: null,
};

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
    async inviteBehind(link) {
      if (!botOf(env) || !store.users.behindLink(link)) return null;
      return write(() => {
        const tx = createTransaction(env, CALL, 'inviteToBot', clock.now());
        const user = store.users.behindLink(link)?.row;
        if (!user || !botOf(env)) return null;
        return invite(tx, user.id, 'page');
      });
    },
    tie: (token, telegramId) =>
      write(() => tie(createTransaction(env, CALL, 'updateUser', clock.now()), token, telegramId)),
    pair: (token, writer) =>
      write(() => pair(createTransaction(env, CALL, 'pairBotAdmin', clock.now()), token, writer)),
    async friendLink(link) {
      if (!botOf(env) || !env.settings().referrals.on || !store.users.behindLink(link)) return null;
      return write(() => {
        const tx = createTransaction(env, CALL, 'makeFriendLink', clock.now());
        const user = store.users.behindLink(link)?.row;
        return user && botOf(env) && tx.settings.referrals.on ? friendLinkOf(tx, user) : null;
      });
    },
    askForAccess: (writer) =>
      write(() => askForAccess(createTransaction(env, CALL, 'askForAccess', clock.now()), writer)),
    encryptedBackup: (name) => readEncrypted(env, name),
    refer: (code, telegramId) =>
      write(() => noteReferral(createTransaction(env, CALL, 'noteReferral', clock.now()), code, telegramId)),
    isOwnStars: (providerId) => isOwnStars(env, providerId),
    openInChat: (orderToken) =>
      write(() => openInChat(createTransaction(env, CALL, 'openOrder', clock.now()), orderToken)),
    refusalOf: (checkout) => refusalOf(env, checkout),
    receive: (botId, updates) => write(() => store.bot.receive(botId, updates, clock.now())),
    finish: (update, effect) =>
      write(() => {
        const now = clock.now();
        for (const message of effect.messages) store.bot.enqueue(message, now);
        for (const chat of effect.chats) store.bot.saveChat(chat);
        if (effect.payment) recordBotPayment(createTransaction(env, CALL, 'takePayment', now), effect.payment);
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
      if (!store.bot.get()) return;
      await write(() => {
        store.bot.prune(clock.now() - KEPT_MS);
        store.referrals.prune(clock.now() - REFERRAL_LIFE_MS);
        store.broadcasts.pruneDrafts(clock.now() - KEPT_MS);
      });
    },
  };
}
