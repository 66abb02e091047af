// Notifies buyers of payments and users of referral rewards in the chat; stored in the transaction of the payment.
import { formatMoney } from '../../domain/sales/money.ts';
import { hostTexts } from '../../i18n/host.ts';
import { chooseLanguage, type Language, languageEntry } from '../../i18n/languages.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import { PRIORITIES } from '../ports/bot.ts';
import type { PaymentRow } from '../ports/payments.ts';
import type { OrderRow } from '../ports/sales.ts';
import type { UserRow } from '../ports/users.ts';
import { findRunningBot } from './active-bot.ts';

/** The language of a chat: chosen there, else Telegram's, else the panel's. */
export function getChatLanguage(
  { store, settings }: Pick<Transaction, 'store' | 'settings'>,
  chatId: number,
): Language {
  const chat = store.bot.chat(chatId);
  return chooseLanguage([chat?.language ?? null, chat?.toldLanguage ?? null, settings.language]);
}

/** The chat of a payer in Stars, else that of the order's user. null: no account is known. */
function findChatId(
  { store }: Pick<Env, 'store'>,
  order: OrderRow | undefined,
  { kind, buyer }: PaymentRow,
): number | null {
  if (kind === 'stars' && buyer !== null && /^\d{1,16}$/.test(buyer)) return Number(buyer);
  const user = order?.userId == null ? undefined : store.users.get(order.userId);
  return user?.telegramId ?? null;
}

export function notifyBuyer(tx: Transaction, order: OrderRow | undefined, payment: PaymentRow): void {
  const { store, now } = tx;
  if (!findRunningBot(tx)) return;
  const chatId = findChatId(tx, order, payment);
  if (chatId === null) return;
  const language = getChatLanguage(tx, chatId);
  const t = hostTexts(language, 'bot');
  const amount = formatMoney(payment, languageEntry(language).tag);
  const isGiven = payment.state === 'applied';
  const text = isGiven ? t('paid.given', { amount, offer: order?.offerName ?? '' }) : t('paid.decision', { amount });
  const buttons = [[{ text: t('buttons.home'), callback_data: 'home' }]];
  const dedupeKey = `paid:${payment.kind}:${payment.isTest ? 'test' : 'live'}:${payment.externalId}`;
  store.bot.enqueue(
    {
      chatId,
      dedupeKey: dedupeKey.slice(0, 200),
      method: 'sendMessage',
      payload: { text, reply_markup: { inline_keyboard: buttons } },
      priority: PRIORITIES.payment,
    },
    now,
  );
}

/** Notifies the inviting user of the days for a friend's purchase. */
export function notifyReferrer(tx: Transaction, { telegramId: chatId }: UserRow, days: number, orderId: number): void {
  const { store, now } = tx;
  if (!findRunningBot(tx) || chatId === null || store.bot.chat(chatId)?.unreachableAt != null) return;
  const language = getChatLanguage(tx, chatId);
  const t = hostTexts(language, 'bot');
  const format = new Intl.NumberFormat(languageEntry(language).tag, {
    style: 'unit',
    unit: 'day',
    unitDisplay: 'long',
  });
  const payload = {
    text: t('friends.rewarded', { days: format.format(days) }),
    reply_markup: { inline_keyboard: [[{ text: t('buttons.home'), callback_data: 'home' }]] },
  };
  const dedupeKey = `referral:${orderId}`;
  store.bot.enqueue({ chatId, dedupeKey, method: 'sendMessage', payload, priority: PRIORITIES.payment }, now);
}
