// Access requests: someone without a user requests access in the bot, and the administrator decides in the chat or in the panel.
import { type BotRequests, MAX_REQUESTS } from '../../contract/bot/bot-requests.ts';
import type { Input, Output } from '../../contract/table.ts';
import { DAY_MS } from '../../domain/limits.ts';
import { hostTexts } from '../../i18n/host.ts';
import type { Context, Handlers, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { toInstant } from '../kernel/wire.ts';
import { findRunningBot } from '../notify/active-bot.ts';
import { getChatLanguage } from '../notify/buyer-notices.ts';
import { type AccessOutcome, PRIORITIES, type Writer } from '../ports/bot.ts';
import type { Result } from '../ports/call.ts';
import { requireUsableTariff } from '../tariffs/tariffs.ts';
import { USER_HANDLERS } from '../users/users.ts';

const MAX_NAME = 200;
const MAX_USER_NAME = 100;
/** A refused account cannot request access again for this long. */
const REFUSED_MS = 7 * DAY_MS;
/** Tariffs offered as buttons in the chat. */
const MAX_PLANS = 8;

/** Records a request and notifies the administrator's accounts once. */
export function requestAccess(tx: Transaction, { id, name }: Writer): AccessOutcome {
  const { store, settings, now } = tx;
  if (store.users.byTelegramId(id)) return 'known';
  if (!settings.botRequests.on || !findRunningBot(tx)) return 'off';
  const before = store.bot.request(id);
  if (before?.refusedAt === null) return 'waiting';
  if (before && now - before.refusedAt < REFUSED_MS) return 'refused';
  if (store.bot.countRequests() >= MAX_REQUESTS) return 'off';
  const shown = name.slice(0, MAX_NAME);
  store.bot.saveRequest({ telegramId: id, name: shown, requestedAt: now, refusedAt: null });
  tx.audit('bot', { telegram_id: id, name: shown });
  requestApproval(tx, id, shown);
  return 'waiting';
}

/** Sends each account the request with one button for each tariff. */
function requestApproval(tx: Transaction, id: number, name: string): void {
  const { store, now } = tx;
  const plans = store.tariffs.page({ archived: false }, MAX_PLANS, 0);
  for (const { telegramId: chatId } of store.bot.admins()) {
    const t = hostTexts(getChatLanguage(tx, chatId), 'bot');
    const button = (text: string, data: string) => [{ text, callback_data: data }];
    const keyboard = [
      ...plans.map((plan) => button(plan.name, `accept:${id}:${plan.id}`)),
      button(t('admin.request.refuse'), `refuse:${id}`),
    ];
    const payload = { text: t('admin.request.asks', { name, id }), reply_markup: { inline_keyboard: keyboard } };
    const dedupeKey = `request:${id}:${now}:${chatId}`;
    store.bot.enqueue({ chatId, dedupeKey, method: 'sendMessage', payload, priority: PRIORITIES.notice }, now);
  }
}

function viewRequests({ store, settings }: Pick<Context, 'store' | 'settings'>): BotRequests {
  const { on, buysFirst } = settings.botRequests;
  const items = store.bot
    .requests(MAX_REQUESTS)
    .map(({ telegramId, name, requestedAt }) => ({ telegram_id: telegramId, name, asked_at: toInstant(requestedAt) }));
  return { on, buys_first: buysFirst, items };
}

function saveBotRequests(
  { on, buys_first: buysFirst }: Input<'saveBotRequests'>,
  tx: Transaction,
): Result<BotRequests> {
  tx.saveSettings({ botRequests: { on, buysFirst } });
  tx.audit('bot', { on, buys_first: buysFirst });
  return { body: viewRequests({ store: tx.store, settings: tx.env.settings() }) };
}

function decideBotRequest(
  { telegram_id: telegramId, tariff_id: tariffId }: Input<'decideBotRequest'>,
  tx: Transaction,
): Result<Output<'decideBotRequest'>> {
  const { store, now } = tx;
  const request = store.bot.request(telegramId);
  if (!request || request.refusedAt !== null) throw new PanelError('not_found');
  if (tariffId === null) {
    store.bot.saveRequest({ ...request, refusedAt: now });
    tx.audit('bot', { telegram_id: telegramId, name: request.name, accepted: false });
    notifyRequester(tx, telegramId, false);
    return { body: { user_id: null } };
  }
  requireUsableTariff(tx, tariffId);
  store.bot.removeRequest(telegramId);
  const known = store.users.byTelegramId(telegramId);
  const userId = known?.id ?? createRequestedUser(tx, telegramId, request.name, tariffId);
  notifyRequester(tx, telegramId, true);
  return { body: { user_id: userId } };
}

function createRequestedUser(tx: Transaction, telegramId: number, name: string, tariffId: number): number {
  const { settings, now } = tx;
  const input = {
    name: [...name.trim()].slice(0, MAX_USER_NAME).join('') || String(telegramId),
    tariff_id: tariffId,
    telegram_id: telegramId,
    ...(settings.botRequests.buysFirst && { expires_at: toInstant(now) }),
  };
  return USER_HANDLERS.createUser.write(input as Input<'createUser'>, tx).body.id;
}

function notifyRequester(tx: Transaction, chatId: number, isIn: boolean): void {
  const { store, now } = tx;
  if (!findRunningBot(tx) || store.bot.chat(chatId)?.unreachableAt != null) return;
  const t = hostTexts(getChatLanguage(tx, chatId), 'bot');
  const keyboard = isIn ? [[{ text: t('buttons.home'), callback_data: 'home' }]] : [];
  const payload = { text: t(isIn ? 'access.given' : 'access.refused'), reply_markup: { inline_keyboard: keyboard } };
  const dedupeKey = `access:${chatId}:${now}`;
  store.bot.enqueue({ chatId, dedupeKey, method: 'sendMessage', payload, priority: PRIORITIES.payment }, now);
}

export const BOT_REQUEST_HANDLERS = {
  getBotRequests: { read: (_input, context) => ({ body: viewRequests(context) }) },
  saveBotRequests: { write: saveBotRequests },
  decideBotRequest: { write: decideBotRequest },
} satisfies Handlers<'getBotRequests' | 'saveBotRequests' | 'decideBotRequest'>;
