// Settings of the Telegram bot: a token is tested before it is sealed, and appears in no reply, log or audit row.
import type { Bot, BotError } from '../../contract/bot/bot.ts';
import type { FieldErrorCode } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/table.ts';
import { hostTexts } from '../../i18n/host.ts';
import type { AsyncContext, Context, Env, Handlers, Transaction } from '../kernel/context.ts';
import { bodyError, PanelError, requireAll } from '../kernel/panel-error.ts';
import { toInstant, toInstantOrNull, tokenOf } from '../kernel/wire.ts';
import { findRunningBot } from '../notify/active-bot.ts';
import { openAccess, PROXY_PLACE, TOKEN_PLACE } from '../notify/bot-credentials.ts';
import { getChatLanguage } from '../notify/buyer-notices.ts';
import { followBot } from '../payments/providers.ts';
import {
  type BotAccess,
  type BotClient,
  type BotFailure,
  type BotLink,
  type BotRow,
  type BotStatus,
  FRESH_STATUS,
  PRIORITIES,
} from '../ports/bot.ts';
import type { Result } from '../ports/call.ts';
import { requireUser } from '../users/users.ts';
import { invite } from './account-linking.ts';

const PROBE_MS = 10_000;
/** 192 bits: 32 letters. */
const APP_PATH_BYTES = 24;
/** Maximum length of names reported by Telegram. */
const MAX_NAME = 200;
const MAX_USERNAME = 64;

function computeBotState({ enabled, error }: BotRow, status: BotStatus): Bot['state'] {
  if (error !== null) return 'failing';
  if (!enabled) return 'off';
  if (status.error !== null) return 'failing';
  return status.okAt === null ? 'starting' : 'running';
}

function viewBot({ store, env }: Context): Bot {
  const row = store.bot.get();
  if (!row) {
    const off = { account: null, enabled: false, state: 'off', error: null, error_at: null, ok_at: null } as const;
    return { ...off, waiting: 0, api_root: null, allow_private: false, proxy: null };
  }
  const status = env.botStatus.get();
  const { botId: id, username, name, enabled } = row;
  const failing = row.error !== null ? row : enabled ? status : FRESH_STATUS;
  return {
    account: { id, username, name },
    enabled,
    state: computeBotState(row, status),
    error: failing.error,
    error_at: toInstantOrNull(failing.errorAt),
    ok_at: toInstantOrNull(status.okAt),
    waiting: store.bot.countMessages(),
    api_root: row.apiRoot,
    allow_private: row.allowPrivate,
    proxy: row.proxy,
  };
}

function requireBot({ store }: Pick<Env, 'store'>): BotRow {
  const found = store.bot.get();
  if (!found) throw new PanelError('not_found');
  return found;
}

function requireClient({ botClient }: Pick<Env, 'botClient'>): BotClient {
  if (!botClient) throw new PanelError('unavailable');
  return botClient;
}

/** A proxy URL without credentials, for display. */
function shownProxy(proxy: string): string {
  const { protocol, host } = new URL(proxy);
  return `${protocol}//${host}`;
}

async function withLink<T>(
  env: Pick<Env, 'botClient' | 'hideSecret'>,
  access: BotAccess,
  work: (link: BotLink) => Promise<T>,
): Promise<T> {
  env.hideSecret?.(access.token);
  const link = requireClient(env).connect(access);
  try {
    return await work(link);
  } finally {
    link.close();
  }
}

type Account = Pick<BotRow, 'botId' | 'username' | 'name'>;

/** Asks Telegram which account the token belongs to. */
async function probe(env: Pick<Env, 'botClient' | 'hideSecret'>, access: BotAccess): Promise<Account | BotFailure> {
  const outcome = await withLink(env, access, (link) => link.call('getMe', {}, PROBE_MS));
  if ('error' in outcome) return outcome;
  const { id, username, first_name: name, is_bot } = (outcome.result ?? {}) as Readonly<Record<string, unknown>>;
  if (!Number.isSafeInteger(id) || is_bot !== true || typeof username !== 'string')
    return { error: 'not_bot_api', description: '', retryAfterMs: 0, migratedTo: null };
  const shown = typeof name === 'string' ? name : username;
  return { botId: Number(id), username: username.slice(0, MAX_USERNAME), name: shown.slice(0, MAX_NAME) };
}

/** Form field, code and message of each failure. */
const FAILURES: Readonly<Partial<Record<BotError, readonly [string, FieldErrorCode, string]>>> = {
  unauthorized: ['#/token', 'keys_refused', 'is not known to Telegram'],
  address_refused: ['#/api_root', 'address_refused', 'leads to an address that is not allowed'],
  proxy: ['#/proxy', 'no_answer', 'does not work as a proxy'],
};

function toPanelError({ error }: BotFailure, access: BotAccess): PanelError {
  const place = access.proxy !== null ? '#/proxy' : '#/api_root';
  const [pointer, code, message] = FAILURES[error] ?? [place, 'no_answer', `leads to no Bot API: ${error}`];
  return bodyError('bot_failed', pointer, code, message);
}

function requireAllowed({ botClient }: Pick<Env, 'botClient'>, { apiRoot, allowPrivate, proxy }: BotAccess): void {
  if (apiRoot === null) return;
  if (!allowPrivate && new URL(apiRoot).protocol !== 'https:')
    throw bodyError('validation', '#/api_root', 'https_required', 'must be https unless private addresses are allowed');
  // With a proxy, the proxy makes the connection.
  if (proxy === null && botClient?.isRefused(apiRoot, allowPrivate))
    throw bodyError('validation', '#/api_root', 'address_refused', 'names an address that is not allowed');
}

function getBot(_input: Input<'getBot'>, context: Context): Result<Output<'getBot'>> {
  return { body: viewBot(context) };
}

/** For the audit log: no token, and only the host of addresses. */
function buildAuditDetail({ username, apiRoot, proxy, enabled }: BotRow) {
  return {
    account: `@${username}`,
    host: apiRoot === null ? null : new URL(apiRoot).host,
    proxy: proxy === null ? null : new URL(proxy).host,
    enabled,
  };
}

async function saveBot(input: Input<'saveBot'>, context: AsyncContext<'saveBot'>) {
  const { env } = context;
  await env.vault.prepare();
  const before = env.store.bot.get();
  const stored = before ? openAccess(env, before) : null;
  const { api_root, allow_private, proxy } = input;
  const token = input.token ?? stored?.token;
  if (token === undefined) throw bodyError('validation', '#/token', 'required', 'is missing');
  const access: BotAccess = {
    token,
    apiRoot: api_root === undefined ? (before?.apiRoot ?? null) : api_root,
    allowPrivate: allow_private ?? before?.allowPrivate ?? false,
    proxy: proxy === undefined ? (stored?.proxy ?? null) : proxy,
  };
  requireAll(() => requireAllowed(env, access));
  const account = await probe(env, access);
  if ('error' in account) throw toPanelError(account, access);
  return context.commit((tx) => {
    const { store, vault, now } = tx;
    const present = store.bot.get();
    // Queued messages belong to the previous bot, whose chats the new one cannot use.
    const isSame = present?.botId === account.botId;
    if (present && !isSame) store.bot.remove();
    const row: BotRow = {
      ...account,
      apiRoot: access.apiRoot,
      allowPrivate: access.allowPrivate,
      proxy: access.proxy === null ? null : shownProxy(access.proxy),
      appPath: isSame ? present.appPath : tokenOf(tx.crypto.randomBytes(APP_PATH_BYTES)),
      enabled: present === undefined || present.enabled || present.error !== null,
      error: null,
      errorAt: null,
      updatedAt: now,
    };
    store.bot.save(row);
    followBot(tx, present, row);
    store.sealed.save(vault.seal(TOKEN_PLACE, access.token));
    if (access.proxy === null) store.sealed.remove(PROXY_PLACE);
    else store.sealed.save(vault.seal(PROXY_PLACE, access.proxy));
    env.botStatus.reset();
    tx.audit('bot', buildAuditDetail(row));
    return { body: viewBot(tx) };
  });
}

function enableBot({ enabled }: Input<'enableBot'>, tx: Transaction): Result<Bot> {
  const before = requireBot(tx);
  if (before.enabled === enabled && before.error === null) return { body: viewBot(tx) };
  const after = { ...before, enabled, error: null, errorAt: null, updatedAt: tx.now };
  tx.store.bot.save(after);
  tx.env.botStatus.reset();
  tx.audit('bot', buildAuditDetail(after));
  return { body: viewBot(tx) };
}

async function testBot(_input: Input<'testBot'>, { env, commit }: AsyncContext<'testBot'>) {
  const began = env.clock.now();
  const access = openAccess(env, requireBot(env));
  const outcome: Account | Pick<BotFailure, 'error'> = access ? await probe(env, access) : { error: 'no_token' };
  const tookMs = Math.max(0, env.clock.now() - began);
  return commit((tx) => {
    const error = 'error' in outcome ? outcome.error : null;
    tx.audit('bot', { error });
    return { body: { error, took_ms: tookMs } };
  });
}

async function freeBot(_input: Input<'freeBot'>, { env, commit }: AsyncContext<'freeBot'>) {
  const access = openAccess(env, requireBot(env));
  if (!access) throw new PanelError('vault_unavailable');
  const freed = await withLink(env, access, (link) =>
    link.call('deleteWebhook', { drop_pending_updates: false }, PROBE_MS),
  );
  if ('error' in freed) throw toPanelError(freed, access);
  return commit((tx) => {
    const row = { ...requireBot(tx), updatedAt: tx.now };
    tx.store.bot.save(row);
    env.botStatus.reset();
    tx.audit('bot', buildAuditDetail(row));
    return { body: viewBot(tx) };
  });
}

function deleteBot(_input: Input<'deleteBot'>, tx: Transaction): Result<Bot> {
  const row = tx.store.bot.get();
  if (row) {
    tx.store.bot.remove();
    tx.store.sealed.remove(TOKEN_PLACE);
    tx.store.sealed.remove(PROXY_PLACE);
    tx.env.botStatus.reset();
    tx.audit('bot', buildAuditDetail(row));
  }
  return { body: viewBot(tx) };
}

function inviteToBot({ user_id: userId }: Input<'inviteToBot'>, tx: Transaction): Result<Output<'inviteToBot'>> {
  const user = requireUser(tx, userId);
  const { url, expiresAt } = invite(tx, user.id, 'record');
  tx.audit(`user:${user.id}`, {});
  return { body: { url, expires_at: toInstant(expiresAt) } };
}

function sendUserLink({ user_id: userId }: Input<'sendUserLink'>, tx: Transaction): Result<Output<'sendUserLink'>> {
  const { store, env, now } = tx;
  const { id, token, telegramId: chatId } = requireUser(tx, userId);
  if (!findRunningBot(tx)) throw new PanelError('bot_off');
  if (chatId === null) throw new PanelError('not_found');
  const t = hostTexts(getChatLanguage(tx, chatId), 'bot');
  const payload = {
    text: `<b>${t('link')}</b>\n<code>${env.subUrl(token).replaceAll('&', '&amp;')}</code>\n\n${t('linkHint')}`,
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
    protect_content: true,
    reply_markup: { inline_keyboard: [[{ text: t('buttons.home'), callback_data: 'mine' }]] },
  };
  store.bot.enqueue({ chatId, dedupeKey: null, method: 'sendMessage', payload, priority: PRIORITIES.notice }, now);
  tx.audit(`user:${id}`, {});
  return { body: {} };
}

export const BOT_HANDLERS = {
  getBot: { read: getBot },
  saveBot: { run: saveBot },
  enableBot: { write: enableBot, isEssential: true },
  testBot: { run: testBot },
  freeBot: { run: freeBot },
  deleteBot: { write: deleteBot, isEssential: true },
  inviteToBot: { write: inviteToBot },
  sendUserLink: { write: sendUserLink },
} satisfies Handlers<
  'getBot' | 'saveBot' | 'enableBot' | 'testBot' | 'freeBot' | 'deleteBot' | 'inviteToBot' | 'sendUserLink'
>;
