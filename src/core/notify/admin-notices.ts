// Notifications to the administrator in the chat: queued in the transaction of their cause, each once by its key, delayed during quiet hours.
import type { AdminNotice } from '../../contract/bot/bot-admins.ts';
import { permissionNames } from '../../contract/sales/providers.ts';
import { formatMoney } from '../../domain/sales/money.ts';
import type { ProviderRefusal } from '../../domain/sales/provider-health.ts';
import { shorten } from '../../domain/shorten.ts';
import { quietUntil } from '../../domain/users/user-notices.ts';
import { withoutYearMark } from '../../i18n/dates.ts';
import { hostTexts } from '../../i18n/host.ts';
import { type Language, languageEntry } from '../../i18n/languages.ts';
import type { Transaction } from '../kernel/context.ts';
import { PRIORITIES } from '../ports/bot.ts';
import type { MachineCertificate } from '../ports/engines.ts';
import type { PaymentRow } from '../ports/payments.ts';
import type { ProviderRow } from '../ports/providers.ts';
import type { OrderRow } from '../ports/sales.ts';
import { findRunningBot } from './active-bot.ts';
import { getChatLanguage } from './buyer-notices.ts';

type NoticeContext = Pick<Transaction, 'store' | 'settings' | 'now'>;

/** No notification for a node that is up again within this time. */
const NODE_GRACE_MS = 60_000;
const MAX_KEY = 200;
const MAX_TEXT = 1000;

interface Formatters {
  readonly t: ReturnType<typeof hostTexts<'bot'>>;
  /** Language tag for dates and numbers. */
  readonly tag: string;
  /** Formats a moment in the time zone of the panel. */
  readonly when: (at: number) => string;
}

function createFormatters(language: Language, { settings }: NoticeContext): Formatters {
  const { tag } = languageEntry(language);
  const format = new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeStyle: 'short', timeZone: settings.timeZone });
  return { t: hostTexts(language, 'bot'), tag, when: (at) => withoutYearMark(format.format(at)) };
}

export type Render = (formatters: Formatters) => string;

interface AdminNotification {
  readonly kind: AdminNotice;
  /** Unique for the event; a key is sent only once. */
  readonly key: string;
  /** Plain text. */
  readonly render: Render;
  /** The notification can be withdrawn until then. */
  readonly graceMs?: number;
}

/** Notifies every account of the administrator. Does nothing if the kind is off or no bot runs. */
export function notifyAdmins(context: NoticeContext, { kind, key, render, graceMs = 0 }: AdminNotification): void {
  const { store, settings, now } = context;
  const { on, quiet } = settings.adminNotices;
  if (!on.includes(kind) || !findRunningBot(context)) return;
  const notBefore = quietUntil(quiet, now + graceMs, settings.timeZone);
  for (const { telegramId: chatId } of store.bot.admins()) {
    const text = shorten(render(createFormatters(getChatLanguage(context, chatId), context)), MAX_TEXT);
    const dedupeKey = `${buildNoticeKey(kind, key)}${chatId}`.slice(0, MAX_KEY);
    const payload = { text, link_preview_options: { is_disabled: true } };
    const message = { chatId, dedupeKey, method: 'sendMessage', payload, priority: PRIORITIES.notice, notBefore };
    store.bot.enqueue(message, now);
  }
}

function buildNoticeKey(kind: AdminNotice, key: string): string {
  return `admin:${kind}:${key}:`;
}

/** A payment arrived or needs a decision. */
export function notifyPayment(context: NoticeContext, order: OrderRow | undefined, payment: PaymentRow): void {
  const { id, reason, isTest } = payment;
  const name = order?.userName ?? '';
  const offer = order?.offerName ?? '';
  const amount = (tag: string) => formatMoney(payment, tag);
  if (reason === null) {
    const render: Render = ({ t, tag }) =>
      t(isTest ? 'admin.notice.testPayment' : 'admin.notice.payment', { amount: amount(tag), name, offer });
    notifyAdmins(context, { kind: 'payment', key: String(id), render });
    return;
  }
  const render: Render = ({ t, tag }) =>
    t(order ? 'admin.notice.attention' : 'admin.notice.attentionUnknown', {
      amount: amount(tag),
      name,
      reason: t(`admin.reason.${reason}`),
    });
  notifyAdmins(context, { kind: 'attention', key: `${id}:${reason}:${payment.refunded}:${context.now}`, render });
}

/** A payment provider refuses requests: purchases fail or are not detected until the administrator acts. At most once a `day` per reason. */
export function notifyProviderRefusal(
  context: NoticeContext,
  { id, name, missing, codes }: Pick<ProviderRow, 'id' | 'name' | 'missing' | 'codes'>,
  error: ProviderRefusal,
  day: number,
) {
  const permissions = permissionNames(missing);
  const reason = (t: Formatters['t']) => {
    const text = t(`admin.providerError.${error}`);
    return codes.length === 0 ? text : `${text} (${codes.join(', ')})`;
  };
  const render: Render = ({ t }) =>
    permissions === ''
      ? t('admin.notice.provider', { name, reason: reason(t) })
      : t('admin.notice.providerLacks', { name, permissions });
  notifyAdmins(context, { kind: 'provider', key: `${id}:${error}:${[...missing, ...codes].join()}:${day}`, render });
}

/** A node went down; sent after a delay, unless it is up again. */
export function notifyNodeDown(context: NoticeContext, { id, name }: { readonly id: number; readonly name: string }) {
  const { now } = context;
  const render: Render = ({ t, when }) => t('admin.notice.nodeDown', { name, when: when(now) });
  notifyAdmins(context, { kind: 'node', key: `${id}:down:${now}`, render, graceMs: NODE_GRACE_MS });
}

export function notifyNodeUp(context: NoticeContext, { id, name }: { readonly id: number; readonly name: string }) {
  const { store, now } = context;
  if (store.bot.withdraw(`admin:node:${id}:down:`, now - NODE_GRACE_MS, now) > 0) return;
  const render: Render = ({ t, when }) => t('admin.notice.nodeUp', { name, when: when(now) });
  notifyAdmins(context, { kind: 'node', key: `${id}:up:${now}`, render });
}

/** A node reported more traffic than its line can carry. */
export function notifyImplausibleTraffic(
  context: NoticeContext,
  { id, name }: { readonly id: number; readonly name: string },
) {
  const render: Render = ({ t }) => t('admin.notice.nodeTrafficImplausible', { name });
  notifyAdmins(context, { kind: 'node', key: `${id}:implausible:${context.now}`, render });
}

/** The machine of a node could not renew its certificate for links; `failure` null: it expires soon. */
export function notifyNodeCertificate(
  context: NoticeContext,
  { id, name }: { readonly id: number; readonly name: string },
  { endsAt, failure: code }: Pick<MachineCertificate, 'endsAt' | 'failure'>,
) {
  const render: Render = ({ t, when }) => {
    if (endsAt === null) return t('admin.notice.nodeCertificateNone', { name, code: code ?? '' });
    const facts = { name, when: when(endsAt) };
    return code === null
      ? t('admin.notice.nodeCertificateEnding', facts)
      : t('admin.notice.nodeCertificateFailed', { ...facts, code });
  };
  // Once per served certificate, regardless of the number of attempts.
  notifyAdmins(context, { kind: 'certificate', key: `node:${id}:${code ?? 'ending'}:${endsAt ?? 0}`, render });
}
