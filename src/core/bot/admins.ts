// The administrator's Telegram accounts: paired by a link that the panel shows, never by a typed id; and their notification settings.
import { ADMIN_NOTICES, type BotAdmins, MAX_ADMINS } from '../../contract/bot/bot-admins.ts';
import type { Input, Output } from '../../contract/table.ts';
import { hostTexts } from '../../i18n/host.ts';
import type { Context, Handlers, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { toInstant } from '../kernel/wire.ts';
import { getChatLanguage } from '../notify/buyer-notices.ts';
import { PAIR_PREFIX, PRIORITIES, type Writer } from '../ports/bot.ts';
import type { Result } from '../ports/call.ts';
import { invite } from './account-linking.ts';

const MAX_NAME = 200;

/** Pairs an account and notifies the other ones. False if the link was used or has expired. */
export function pair(tx: Transaction, token: string, { id, name }: Writer): boolean {
  const { store, crypto, now } = tx;
  const found = store.bot.invitation(crypto.sha256(token));
  if (found?.purpose !== 'admin' || found.expiresAt <= now) return false;
  const others = store.bot.admins().filter(({ telegramId }) => telegramId !== id);
  store.bot.endInvitation(found.tokenHash);
  if (others.length >= MAX_ADMINS) return false;
  const shown = name.slice(0, MAX_NAME);
  store.bot.saveAdmin({ telegramId: id, name: shown, pairedAt: now, provenAt: null });
  tx.audit('bot', { telegram_id: id }, 'done', { kind: 'bot', id, name: shown, access: 'full' });
  for (const { telegramId } of others) {
    const text = hostTexts(getChatLanguage(tx, telegramId), 'bot')('admin.pairedOther', { name: shown, id });
    const message = { chatId: telegramId, dedupeKey: null, method: 'sendMessage', payload: { text } };
    store.bot.enqueue({ ...message, priority: PRIORITIES.notice }, now);
  }
  return true;
}

/** Unpairs all Telegram accounts and ends pending pairing links; returns the number of accounts. */
export function unpairAll({ store, now }: Transaction): number {
  const all = store.bot.admins();
  for (const { telegramId } of all) {
    store.bot.removeAdmin(telegramId);
    store.bot.dropMessages(telegramId, 'removed', now);
  }
  store.bot.endPairing();
  return all.length;
}

function view({ store, settings }: Pick<Context, 'store' | 'settings'>): BotAdmins {
  const { on, quiet } = settings.adminNotices;
  const items = store.bot
    .admins()
    .map(({ telegramId: id, name, pairedAt }) => ({ id, name, paired_at: toInstant(pairedAt) }));
  return { items, on: [...on], quiet };
}

function inviteBotAdmin(_input: Input<'inviteBotAdmin'>, tx: Transaction): Result<Output<'inviteBotAdmin'>> {
  const { url, payload, expiresAt } = invite(tx, null, 'admin', PAIR_PREFIX);
  tx.audit('bot', {});
  return { body: { url, command: `/start ${payload}`, expires_at: toInstant(expiresAt) } };
}

function removeBotAdmin({ id }: Input<'removeBotAdmin'>, tx: Transaction): Result<BotAdmins> {
  const { store, now } = tx;
  if (!store.bot.removeAdmin(id)) throw new PanelError('not_found');
  store.bot.dropMessages(id, 'removed', now);
  tx.audit('bot', { telegram_id: id });
  return { body: view(tx) };
}

function saveAdminNotices(input: Input<'saveAdminNotices'>, tx: Transaction): Result<BotAdmins> {
  const before = tx.settings.adminNotices;
  const on = input.on === undefined ? before.on : ADMIN_NOTICES.filter((kind) => input.on?.includes(kind));
  const adminNotices = { on, quiet: input.quiet === undefined ? before.quiet : input.quiet };
  tx.saveSettings({ adminNotices });
  tx.audit('bot', adminNotices);
  return { body: view({ store: tx.store, settings: tx.env.settings() }) };
}

export const BOT_ADMIN_HANDLERS = {
  getBotAdmins: { read: (_input: Input<'getBotAdmins'>, context: Context) => ({ body: view(context) }) },
  inviteBotAdmin: { write: inviteBotAdmin },
  removeBotAdmin: { write: removeBotAdmin, isEssential: true },
  saveAdminNotices: { write: saveAdminNotices },
} satisfies Handlers<'getBotAdmins' | 'inviteBotAdmin' | 'removeBotAdmin' | 'saveAdminNotices'>;
