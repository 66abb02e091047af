// What the running bot reads and writes in the store: incoming updates and outgoing messages, each in one transaction with its effect.
import { DAY_MS } from '../../domain/limits.ts';
import { readEncrypted } from '../backups/chat-backups.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import { findRunningBot } from '../notify/active-bot.ts';
import { openAccess } from '../notify/bot-credentials.ts';
import { findCheckoutRefusal, isOwnStars, openInChat, recordBotPayment } from '../payments/bot-payments.ts';
import type { BotService, RunningBot } from '../ports/bot.ts';
import { proveInChat } from '../proof/proof.ts';
import { buildFriendLink, REFERRAL_LIFE_MS, recordReferral } from '../sales/referrals.ts';
import { invite, linkAccount } from './account-linking.ts';
import { pair } from './admins.ts';
import { requestAccess } from './requests.ts';

type BotServiceEnv = Pick<
  Env,
  | 'announce'
  | 'backups'
  | 'botStatus'
  | 'clock'
  | 'crypto'
  | 'hideSecret'
  | 'passwords'
  | 'queue'
  | 'settings'
  | 'store'
  | 'tasks'
  | 'timers'
  | 'transact'
  | 'vault'
>;

/** Telegram may restart update ids at random after a week without updates: processed ids must be deleted by then. */
const KEPT_MS = 2 * DAY_MS;

export function createBotService(env: BotServiceEnv): BotService & { readonly wake: () => void } {
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
  const transact = <T>(name: string, work: (tx: Transaction) => T) => env.transact({ name, by: 'bot' }, work);

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
        if (!access && env.botStatus.get().error !== 'no_token') {
          env.botStatus.reset();
          env.botStatus.recordError('no_token', clock.now());
        }
      }
      return opened;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    start: env.tasks.start,
    store: store.bot,
    findLinkToken: (telegramId) => store.users.byTelegramId(telegramId)?.token ?? null,
    async inviteBehind(link) {
      if (!findRunningBot(env) || !store.users.behindLink(link)) return null;
      return transact('inviteToBot', (tx) => {
        const user = store.users.behindLink(link)?.row;
        if (!user || !findRunningBot(env)) return null;
        return invite(tx, user.id, 'page');
      });
    },
    linkAccount: (token, telegramId) => transact('updateUser', (tx) => linkAccount(tx, token, telegramId)),
    pair: (token, writer) => transact('pairBotAdmin', (tx) => pair(tx, token, writer)),
    prove: (telegramId, code) => proveInChat(env, telegramId, code),
    hasSecondFactor: () => store.twoFactor.get() !== null,
    async friendLink(link) {
      if (!findRunningBot(env) || !env.settings().referrals.on || !store.users.behindLink(link)) return null;
      return transact('makeFriendLink', (tx) => {
        const user = store.users.behindLink(link)?.row;
        return user && findRunningBot(env) && tx.settings.referrals.on ? buildFriendLink(tx, user) : null;
      });
    },
    requestAccess: (writer) => transact('askForAccess', (tx) => requestAccess(tx, writer)),
    encryptedBackup: (name) => readEncrypted(env, name),
    refer: (code, telegramId) => transact('noteReferral', (tx) => recordReferral(tx, code, telegramId)),
    isOwnStars: (providerId) => isOwnStars(env, providerId),
    openInChat: (orderToken) => transact('openOrder', (tx) => openInChat(tx, orderToken)),
    findCheckoutRefusal: (checkout) => findCheckoutRefusal(env, checkout),
    receive: (botId, updates) => write(() => store.bot.receive(botId, updates, clock.now())),
    finish: (update, effect) =>
      transact('takePayment', (tx) => {
        for (const message of effect.messages) store.bot.enqueue(message, tx.now);
        for (const chat of effect.chats) store.bot.saveChat(chat);
        if (effect.payment) recordBotPayment(tx, effect.payment);
        store.bot.finishUpdate(update.id, tx.now);
      }),
    write: (work) => write(() => work(store.bot, clock.now())),
    recordStatus(error) {
      if (error === null) env.botStatus.recordOk(clock.now());
      else env.botStatus.recordError(error, clock.now());
    },
    switchOff: (bot, error) =>
      transact('enableBot', (tx) => {
        const row = store.bot.get();
        // The bot was changed meanwhile.
        if (row?.updatedAt !== bot.row.updatedAt) return;
        store.bot.save({ ...row, enabled: false, error, errorAt: tx.now, updatedAt: tx.now });
        tx.audit('bot', { enabled: false, error });
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
