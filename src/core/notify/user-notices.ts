// Notices to users by the bot before and at the end of their term or traffic: queued together with the record that they were sent.
import {
  type BotNotices,
  NOTICE_FIELDS,
  type NoticeField,
  USER_NOTICES,
  type UserNotice,
} from '../../contract/bot/bot-notices.ts';
import type { Input } from '../../contract/table.ts';
import { DAY_MS } from '../../domain/limits.ts';
import { dropVariables } from '../../domain/subscription/variables.ts';
import { trafficRemaining } from '../../domain/users/account.ts';
import { type DueNotice, fillNotice, isQuiet, noticesDue } from '../../domain/users/user-notices.ts';
import { withoutYearMark } from '../../i18n/dates.ts';
import { hostTexts } from '../../i18n/host.ts';
import { LANGUAGE_CODES, type Language, languageEntry } from '../../i18n/languages.ts';
import type { Context, Env, Handlers, Transaction } from '../kernel/context.ts';
import { type NewMessage, type NoticeUser, PRIORITIES } from '../ports/bot.ts';
import type { Result } from '../ports/call.ts';
import type { SettingValues } from '../ports/settings.ts';
import { findRunningBot } from './active-bot.ts';
import { getChatLanguage } from './buyer-notices.ts';

type UserNoticeEnv = Pick<Env, 'announce' | 'clock' | 'queue' | 'settings' | 'store' | 'timers'>;

/** Users examined per statement, by id. */
const SPAN = 5000;
/** Users per transaction. */
const CHUNK = 100;

/** Placeholders by name, for showing a text as it was written. */
const NAMES = Object.fromEntries(NOTICE_FIELDS.map((field) => [field, `{{${field}}}`])) as Record<NoticeField, string>;

function usualText(language: Language, kind: UserNotice): string {
  return hostTexts(language, 'bot')(`notice.${kind}`, NAMES);
}

function listDueNotices(user: NoticeUser, now: number): readonly DueNotice[] {
  const remaining = trafficRemaining(user);
  return noticesDue({ ...user, total: remaining === null ? null : user.used + remaining }, now);
}

/** Queues due notices. Resolves to their number. */
export async function sendNotices(env: UserNoticeEnv): Promise<number> {
  const { store, clock, queue } = env;
  const { botNotices, timeZone } = env.settings();
  const isSilent =
    !findRunningBot(env) || botNotices.on.length === 0 || isQuiet(botNotices.quiet, clock.now(), timeZone);
  if (isSilent || store.diskSpace.isFull()) return 0;
  let sent = 0;
  const last = store.bot.lastLinkedUser();
  for (let after = 0; after < last; after += SPAN) {
    const now = clock.now();
    const due = store.bot
      .usersToNotify(after, after + SPAN, now)
      .filter((user) => notYetSent(env, user, now).length > 0);
    for (let at = 0; at < due.length; at += CHUNK) {
      const users = due.slice(at, at + CHUNK);
      sent += await queue.run(() => store.write(() => users.reduce((sum, user) => sum + notify(env, user.id), 0)));
    }
    await new Promise<void>((resolve) => env.timers.soon(resolve));
  }
  if (sent > 0) env.announce();
  return sent;
}

/** Due notices that were not sent for the same term or period yet. */
function notYetSent(
  { store, settings }: Pick<Env, 'settings' | 'store'>,
  user: NoticeUser,
  now: number,
): readonly DueNotice[] {
  const { on } = settings().botNotices;
  const due = listDueNotices(user, now).filter(({ kind }) => on.includes(kind));
  if (due.length === 0 || store.bot.chat(user.telegramId)?.unreachableAt != null) return [];
  return due.filter(({ kind, mark }) => store.bot.noticeMark(user.id, kind) !== mark);
}

/** Uses the state of the user at the time of the transaction. */
function notify(env: UserNoticeEnv, userId: number): number {
  const { store, clock } = env;
  const now = clock.now();
  const [user] = store.bot.usersToNotify(userId - 1, userId, now);
  if (!user) return 0;
  const due = notYetSent(env, user, now);
  for (const { kind, mark } of due) {
    store.bot.markNotice(user.id, kind, mark);
    store.bot.enqueue(messageFor(env, user, kind, now), now);
  }
  return due.length;
}

function messageFor(env: Pick<Env, 'settings' | 'store'>, user: NoticeUser, kind: UserNotice, now: number): NewMessage {
  const context = { store: env.store, settings: env.settings() };
  const { texts } = context.settings.botNotices;
  const getText = (language: Language) => texts[language]?.[kind] ?? usualText(language, kind);
  return messageToUser(context, user, getText, PRIORITIES.notice, null, now);
}

/** Fills in a text, with the usual buttons, in the language of the user. */
export function messageToUser(
  context: Pick<Context, 'store' | 'settings'>,
  user: NoticeUser,
  getText: (language: Language) => string,
  priority: number,
  dedupeKey: string | null,
  now: number,
): NewMessage {
  const { settings } = context;
  const language = getChatLanguage(context, user.telegramId);
  const t = hostTexts(language, 'bot');
  const text = fillNotice(getText(language), buildTemplateValues(user, settings, language, now));
  const button = (name: string, data: string) => [{ text: name, callback_data: data }];
  const buttons = [button(t('buttons.home'), 'home')];
  if (settings.selling) buttons.push(button(t('buttons.buy'), 'shop'));
  const payload = { text, reply_markup: { inline_keyboard: buttons }, link_preview_options: { is_disabled: true } };
  return { chatId: user.telegramId, dedupeKey, method: 'sendMessage', payload, priority };
}

function buildTemplateValues(user: NoticeUser, settings: SettingValues, language: Language, now: number) {
  const { tag } = languageEntry(language);
  const remaining = trafficRemaining(user) ?? 0;
  const gigabytes = (bytes: number) =>
    new Intl.NumberFormat(tag, { style: 'unit', unit: 'gigabyte', maximumFractionDigits: 1 }).format(bytes / 1e9);
  const days = user.expiresAt === null ? 0 : Math.max(0, Math.ceil((user.expiresAt - now) / DAY_MS));
  const end = new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: settings.timeZone });
  return {
    name: user.name,
    service: dropVariables(settings.subscriptionTitle),
    days: new Intl.NumberFormat(tag, { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(days),
    end: user.expiresAt === null ? '' : withoutYearMark(end.format(user.expiresAt)),
    used: gigabytes(user.used),
    total: gigabytes(user.used + remaining),
    left: gigabytes(remaining),
  };
}

function viewNotices({ settings }: Context): BotNotices {
  const { on, quiet, texts } = settings.botNotices;
  return {
    on: [...on],
    quiet,
    texts: USER_NOTICES.flatMap((kind) =>
      LANGUAGE_CODES.map((language) => ({
        kind,
        language,
        text: texts[language]?.[kind] ?? null,
        usual: usualText(language, kind),
      })),
    ),
  };
}

function saveBotNotices(input: Input<'saveBotNotices'>, tx: Transaction): Result<BotNotices> {
  const before = tx.settings.botNotices;
  const texts: Record<string, Record<string, string>> = structuredClone(before.texts) as Record<
    string,
    Record<string, string>
  >;
  for (const { kind, language, text } of input.texts ?? []) {
    const own = texts[language] ?? {};
    if (text === null) delete own[kind];
    else own[kind] = text;
    texts[language] = own;
  }
  const on = input.on === undefined ? before.on : USER_NOTICES.filter((kind) => input.on?.includes(kind));
  const botNotices = { on, quiet: input.quiet === undefined ? before.quiet : input.quiet, texts };
  tx.saveSettings({ botNotices });
  const changed = (input.texts ?? []).map(({ kind, language }) => `${kind} ${language}`);
  tx.audit('bot', { on: botNotices.on, quiet: botNotices.quiet, texts: changed });
  return { body: viewNotices({ ...tx, settings: tx.env.settings() }) };
}

export const BOT_NOTICE_HANDLERS = {
  getBotNotices: { read: (_input, context) => ({ body: viewNotices(context) }) },
  saveBotNotices: { write: saveBotNotices },
} satisfies Handlers<'getBotNotices' | 'saveBotNotices'>;
