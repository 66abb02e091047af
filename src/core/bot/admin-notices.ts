// Notices to the administrator in the chat: queued in the transaction of what they are about, each once by its key, held over quiet hours.
import type { AdminNotice } from '../../contract/bot/bot-admins.ts';
import { formatMoney } from '../../domain/sales/money.ts';
import { quietUntil } from '../../domain/users/user-notices.ts';
import { withoutYearMark } from '../../i18n/dates.ts';
import { hostTexts } from '../../i18n/host.ts';
import { type Language, languageEntry } from '../../i18n/languages.ts';
import type { Transaction } from '../context.ts';
import { PRIORITIES } from '../ports/bot.ts';
import type { MachineCertificate } from '../ports/engines.ts';
import type { PaymentRow } from '../ports/payments.ts';
import type { OrderRow } from '../ports/sales.ts';
import { languageOf } from './buyer-notice.ts';
import { botOf } from './running.ts';

type NoticeContext = Pick<Transaction, 'store' | 'settings' | 'now'>;

/** A node that is up again so soon is not spoken of. */
const NODE_GRACE_MS = 60_000;
const MOST_KEY = 200;
const MOST_TEXT = 1000;

interface Words {
  readonly t: ReturnType<typeof hostTexts<'bot'>>;
  /** Of dates and numbers. */
  readonly tag: string;
  /** A moment, in the time zone of the panel. */
  readonly when: (at: number) => string;
}

function wordsOf(language: Language, { settings }: NoticeContext): Words {
  const { tag } = languageEntry(language);
  const format = new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeStyle: 'short', timeZone: settings.timeZone });
  return { t: hostTexts(language, 'bot'), tag, when: (at) => withoutYearMark(format.format(at)) };
}

export type Say = (words: Words) => string;

interface Told {
  readonly kind: AdminNotice;
  /** Of this event alone: under it nothing is said twice. */
  readonly key: string;
  /** Plain text. */
  readonly say: Say;
  /** It may be taken back until then. */
  readonly graceMs?: number;
}

/** Tells every account of the administrator. Nothing where that is switched off, or no bot runs. */
export function tellAdmins(context: NoticeContext, { kind, key, say, graceMs = 0 }: Told): void {
  const { store, settings, now } = context;
  const { on, quiet } = settings.adminNotices;
  if (!on.includes(kind) || !botOf(context)) return;
  const notBefore = quietUntil(quiet, now + graceMs, settings.timeZone);
  for (const { telegramId: chatId } of store.bot.admins()) {
    const text = say(wordsOf(languageOf(context, chatId), context)).slice(0, MOST_TEXT);
    const dedupeKey = `${keyOf(kind, key)}${chatId}`.slice(0, MOST_KEY);
    const payload = { text, link_preview_options: { is_disabled: true } };
    const message = { chatId, dedupeKey, method: 'sendMessage', payload, priority: PRIORITIES.notice, notBefore };
    store.bot.enqueue(message, now);
  }
}

function keyOf(kind: AdminNotice, key: string): string {
  return `admin:${kind}:${key}:`;
}

/** Money came, or a payment needs a person. */
export function tellOfPayment(context: NoticeContext, order: OrderRow | undefined, payment: PaymentRow): void {
  const { id, reason, isTest } = payment;
  const name = order?.userName ?? '';
  const offer = order?.offerName ?? '';
  const amount = (tag: string) => formatMoney(payment, tag);
  if (reason === null) {
    const say: Say = ({ t, tag }) =>
      t(isTest ? 'admin.notice.testPayment' : 'admin.notice.payment', { amount: amount(tag), name, offer });
    tellAdmins(context, { kind: 'payment', key: String(id), say });
    return;
  }
  const say: Say = ({ t, tag }) =>
    t(order ? 'admin.notice.attention' : 'admin.notice.attentionUnknown', {
      amount: amount(tag),
      name,
      reason: t(`admin.reason.${reason}`),
    });
  tellAdmins(context, { kind: 'attention', key: `${id}:${reason}:${payment.refunded}:${context.now}`, say });
}

/** A node went down: said after a while, unless it is up again. */
export function tellOfNodeDown(context: NoticeContext, { id, name }: { readonly id: number; readonly name: string }) {
  const { now } = context;
  const say: Say = ({ t, when }) => t('admin.notice.nodeDown', { name, when: when(now) });
  tellAdmins(context, { kind: 'node', key: `${id}:down:${now}`, say, graceMs: NODE_GRACE_MS });
}

export function tellOfNodeUp(context: NoticeContext, { id, name }: { readonly id: number; readonly name: string }) {
  const { store, now } = context;
  if (store.bot.withdraw(`admin:node:${id}:down:`, now - NODE_GRACE_MS, now) > 0) return;
  const say: Say = ({ t, when }) => t('admin.notice.nodeUp', { name, when: when(now) });
  tellAdmins(context, { kind: 'node', key: `${id}:up:${now}`, say });
}

/** The machine of a node got no new certificate for its links; `failure` null: it only ends soon. */
export function tellOfNodeCertificate(
  context: NoticeContext,
  { id, name }: { readonly id: number; readonly name: string },
  { endsAt, failure: code }: Pick<MachineCertificate, 'endsAt' | 'failure'>,
) {
  const say: Say = ({ t, when }) => {
    if (endsAt === null) return t('admin.notice.nodeCertificateNone', { name, code: code ?? '' });
    const facts = { name, when: when(endsAt) };
    return code === null
      ? t('admin.notice.nodeCertificateEnding', facts)
      : t('admin.notice.nodeCertificateFailed', { ...facts, code });
  };
  // Once for what is served meanwhile, however often it is tried.
  tellAdmins(context, { kind: 'certificate', key: `node:${id}:${code ?? 'ending'}:${endsAt ?? 0}`, say });
}
