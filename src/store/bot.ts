// Tables of the Telegram bot: its account, received updates and queued messages. Its token is in the table of sealed secrets.

import type {
  AdminRow,
  BotRow,
  BotStore,
  ChatRow,
  InvitationRow,
  MessageRow,
  NoticeUser,
  RequestRow,
  UpdateRow,
} from '../core/ports/bot.ts';
import { DAY_MS } from '../domain/limits.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import type { Connection } from './database.ts';
import { limitTo } from './statements.ts';
import { NEVER } from './users/row.ts';

type Flag = 'allowPrivate' | 'enabled';
type BotCells = Omit<BotRow, Flag> & { readonly [Name in Flag]: number };
type MessageCells = Omit<MessageRow, 'payload'> & { readonly payload: string };

const MESSAGE_COLUMNS = `id, chat_id AS chatId, dedupe_key AS dedupeKey, method, payload, priority, attempts, not_before AS notBefore,
  created_at AS createdAt`;

function decodeMessage(cells: MessageCells): MessageRow {
  return { ...cells, payload: parseOwnJson(cells.payload) };
}

/** Received updates. */
function createUpdates(
  db: Connection,
): Pick<BotStore, 'receive' | 'nextUpdate' | 'updateDueAt' | 'finishUpdate' | 'failUpdate'> {
  const receive = db.prepare<[number, number, string, number, number]>(
    `INSERT INTO bot_updates (bot_id, update_id, body, failures, received_at, next_at) VALUES (?, ?, ?, 0, ?, ?)
     ON CONFLICT (bot_id, update_id) DO NOTHING`,
  );
  const nextUpdate = db.prepare<[number], UpdateRow>(
    `SELECT id, bot_id AS botId, update_id AS updateId, body, failures FROM bot_updates
     WHERE next_at <= ? ORDER BY next_at, id LIMIT 1`,
  );
  const updateDueAt = db
    .prepare<[], [number | null]>('SELECT min(next_at) FROM bot_updates WHERE next_at IS NOT NULL')
    .raw();
  // Deletes what a person wrote as soon as it is handled; that the update was received is still stored.
  const finishUpdate = db.prepare<[number, number]>(
    "UPDATE bot_updates SET body = 'null', next_at = NULL, done_at = ? WHERE id = ?",
  );
  const failUpdate = db.prepare<[number, number]>(
    'UPDATE bot_updates SET failures = failures + 1, next_at = ? WHERE id = ?',
  );

  return {
    receive: (botId, updates, now) =>
      updates.reduce((sum, { id, body }) => sum + receive.run(botId, id, body, now, now).changes, 0),
    nextUpdate: (now) => nextUpdate.get(now),
    updateDueAt: () => updateDueAt.get()?.[0] ?? null,
    finishUpdate: (id, now) => {
      finishUpdate.run(now, id);
    },
    failUpdate: (id, nextAt) => {
      failUpdate.run(nextAt, id);
    },
  };
}

/** Queued and sent messages. */
function createMessages(
  db: Connection,
): Pick<
  BotStore,
  | 'enqueue'
  | 'nextMessage'
  | 'messageDueAt'
  | 'countMessages'
  | 'lastDocumentAt'
  | 'message'
  | 'finishMessage'
  | 'forgetMessage'
  | 'delayMessage'
  | 'changeMessage'
  | 'dropMessages'
  | 'withdraw'
  | 'moveChat'
> {
  const enqueue = db.prepare<
    [Omit<MessageRow, 'id' | 'payload' | 'attempts' | 'createdAt'> & { readonly payload: string; readonly now: number }]
  >(
    `INSERT INTO bot_messages (chat_id, dedupe_key, method, payload, priority, attempts, not_before, created_at)
     VALUES (:chatId, :dedupeKey, :method, :payload, :priority, 0, :notBefore, :now)
     ON CONFLICT DO NOTHING`,
  );
  const nextMessage = db.prepare<
    [Readonly<Record<'now' | 'most', number>> & Readonly<Record<'ids' | 'chats' | 'methods', string>>],
    MessageCells
  >(
    `SELECT ${MESSAGE_COLUMNS} FROM bot_messages INDEXED BY bot_messages_waiting
     WHERE ended_at IS NULL AND not_before <= :now AND priority <= :most AND id NOT IN (SELECT value FROM json_each(:ids))
       AND (chat_id NOT IN (SELECT value FROM json_each(:chats)) OR method IN (SELECT value FROM json_each(:methods)))
     ORDER BY priority, id LIMIT 1`,
  );
  const messageDueAt = db
    .prepare<[], [number | null]>('SELECT min(not_before) FROM bot_messages WHERE ended_at IS NULL')
    .raw();
  const countMessages = db.prepare<[], [number]>('SELECT count(*) FROM bot_messages WHERE ended_at IS NULL').raw();
  const message = db.prepare<[number], MessageCells>(
    `SELECT ${MESSAGE_COLUMNS} FROM bot_messages WHERE id = ? AND ended_at IS NULL`,
  );
  const finishMessage = db.prepare<[number, number | null, string | null, number]>(
    'UPDATE bot_messages SET payload = NULL, ended_at = ?, message_id = ?, error = ?, attempts = attempts + 1 WHERE id = ?',
  );
  const lastDocument = db
    .prepare<[], number | null>(
      "SELECT max(ended_at) FROM bot_messages WHERE method = 'sendDocument' AND error IS NULL",
    )
    .pluck();
  const forgetMessage = db.prepare<[number]>('DELETE FROM bot_messages WHERE id = ?');
  const delayMessage = db.prepare<[number, number]>(
    'UPDATE bot_messages SET not_before = ?, attempts = attempts + 1 WHERE id = ?',
  );
  const changeMessage = db.prepare<[string, string, number]>(
    'UPDATE bot_messages SET method = ?, payload = ? WHERE id = ?',
  );
  const dropMessages = db.prepare<[number, string, number]>(
    'UPDATE bot_messages SET payload = NULL, ended_at = ?, error = ? WHERE chat_id = ? AND ended_at IS NULL',
  );
  const withdraw = db.prepare<[string, string, number, number]>(
    `DELETE FROM bot_messages
     WHERE substr(dedupe_key, 1, length(?)) = ? AND ended_at IS NULL AND attempts = 0 AND created_at >= ? AND not_before > ?`,
  );
  const moveChat = db.prepare<[number, number]>(
    'UPDATE bot_messages SET chat_id = ? WHERE chat_id = ? AND ended_at IS NULL',
  );

  return {
    enqueue: ({ payload, notBefore = 0, ...given }, now) =>
      enqueue.run({ ...given, payload: JSON.stringify(payload), notBefore: Math.max(now, notBefore), now }).changes > 0,
    nextMessage: ({ now, most, ids, chats, methods }) => {
      const [left, held, unpaced] = [ids, chats, methods].map((all) => JSON.stringify([...all]));
      const cells = nextMessage.get({ now, most, ids: left ?? '', chats: held ?? '', methods: unpaced ?? '' });
      return cells && decodeMessage(cells);
    },
    messageDueAt: () => messageDueAt.get()?.[0] ?? null,
    countMessages: () => countMessages.get()?.[0] ?? 0,
    lastDocumentAt: () => lastDocument.get() ?? null,
    message: (id) => {
      const cells = message.get(id);
      return cells && decodeMessage(cells);
    },
    finishMessage: (id, messageId, error, now) => {
      finishMessage.run(now, messageId, error, id);
    },
    forgetMessage: (id) => {
      forgetMessage.run(id);
    },
    delayMessage: (id, notBefore) => {
      delayMessage.run(notBefore, id);
    },
    changeMessage: (id, method, payload) => {
      changeMessage.run(method, JSON.stringify(payload), id);
    },
    dropMessages: (chatId, error, now) => {
      dropMessages.run(now, error, chatId);
    },
    withdraw: (prefix, since, now) => withdraw.run(prefix, prefix, since, now).changes,
    moveChat: (from, to) => {
      moveChat.run(to, from);
    },
  };
}

/** Chats, and the notices that their users were sent. */
function createChats(
  db: Connection,
): Pick<BotStore, 'chat' | 'saveChat' | 'noticeMark' | 'markNotice' | 'usersToNotify' | 'lastLinkedUser'> {
  const chat = db.prepare<[number], ChatRow>(
    'SELECT chat_id AS chatId, language, told_language AS toldLanguage, unreachable_at AS unreachableAt, prompt FROM bot_chats WHERE chat_id = ?',
  );
  const saveChat = db.prepare<[ChatRow]>(
    `INSERT INTO bot_chats (chat_id, language, told_language, unreachable_at, prompt)
     VALUES (:chatId, :language, :toldLanguage, :unreachableAt, :prompt)
     ON CONFLICT (chat_id) DO UPDATE SET
       language = excluded.language, told_language = excluded.told_language, unreachable_at = excluded.unreachable_at,
       prompt = excluded.prompt`,
  );
  const noticeMark = db
    .prepare<[number, string], number>('SELECT mark FROM bot_notices WHERE user_id = ? AND kind = ?')
    .pluck();
  const markNotice = db.prepare<[number, string, number]>(
    'INSERT OR REPLACE INTO bot_notices (user_id, kind, mark) VALUES (?, ?, ?)',
  );
  // Selects slightly more users than the notices are for: the domain decides.
  const usersToNotify = db.prepare<[Readonly<Record<'after' | 'until' | 'ended' | 'ends', number>>], NoticeUser>(
    `SELECT id, telegram_id AS telegramId, name, nullif(expires_at, ${NEVER}) AS expiresAt, term_began_at AS termBeganAt, resets_at AS resetsAt,
       used, traffic_limit AS trafficLimit, extra FROM users
     WHERE id > :after AND id <= :until AND telegram_id IS NOT NULL AND enabled = 1
       AND (expires_at BETWEEN :ended AND :ends OR used * 5 >= (max(traffic_limit, used) + extra) * 4)`,
  );
  const lastLinkedUser = db
    .prepare<[], number | null>('SELECT max(id) FROM users WHERE telegram_id IS NOT NULL')
    .pluck();

  return {
    chat: (chatId) => chat.get(chatId),
    saveChat: (row) => {
      saveChat.run(row);
    },
    noticeMark: (userId, kind) => noticeMark.get(userId, kind) ?? null,
    markNotice: (userId, kind, mark) => {
      markNotice.run(userId, kind, mark);
    },
    usersToNotify: (after, until, now) =>
      usersToNotify.all({ after, until, ended: now - 3 * DAY_MS, ends: now + 4 * DAY_MS }),
    lastLinkedUser: () => lastLinkedUser.get() ?? 0,
  };
}

/** The administrator's accounts, and requests for access. */
function createAdmins(
  db: Connection,
): Pick<
  BotStore,
  | 'admins'
  | 'admin'
  | 'saveAdmin'
  | 'removeAdmin'
  | 'requests'
  | 'countRequests'
  | 'request'
  | 'saveRequest'
  | 'removeRequest'
> {
  const ADMIN = 'SELECT telegram_id AS telegramId, name, paired_at AS pairedAt, proven_at AS provenAt FROM bot_admins';
  const admins = db.prepare<[], AdminRow>(`${ADMIN} ORDER BY paired_at, telegram_id`);
  const admin = db.prepare<[number], AdminRow>(`${ADMIN} WHERE telegram_id = ?`);
  const saveAdmin = db.prepare<[AdminRow]>(
    'INSERT OR REPLACE INTO bot_admins (telegram_id, name, paired_at, proven_at) VALUES (:telegramId, :name, :pairedAt, :provenAt)',
  );
  const removeAdmin = db.prepare<[number]>('DELETE FROM bot_admins WHERE telegram_id = ?');
  const REQUEST =
    'SELECT telegram_id AS telegramId, name, requested_at AS requestedAt, refused_at AS refusedAt FROM bot_requests';
  const requests = db.prepare<[number], RequestRow>(
    `${REQUEST} WHERE refused_at IS NULL ORDER BY requested_at, telegram_id ${limitTo('?')}`,
  );
  const countRequests = db.prepare<[], number>('SELECT count(*) FROM bot_requests WHERE refused_at IS NULL').pluck();
  const request = db.prepare<[number], RequestRow>(`${REQUEST} WHERE telegram_id = ?`);
  const saveRequest = db.prepare<[RequestRow]>(
    'INSERT OR REPLACE INTO bot_requests (telegram_id, name, requested_at, refused_at) VALUES (:telegramId, :name, :requestedAt, :refusedAt)',
  );
  const removeRequest = db.prepare<[number]>('DELETE FROM bot_requests WHERE telegram_id = ?');

  return {
    admins: () => admins.all(),
    admin: (telegramId) => admin.get(telegramId),
    saveAdmin: (row) => {
      saveAdmin.run(row);
    },
    removeAdmin: (telegramId) => removeAdmin.run(telegramId).changes > 0,
    requests: (limit) => requests.all(limit),
    countRequests: () => countRequests.get() ?? 0,
    request: (telegramId) => request.get(telegramId),
    saveRequest: (row) => {
      saveRequest.run(row);
    },
    removeRequest: (telegramId) => {
      removeRequest.run(telegramId);
    },
  };
}

/** Links that pair accounts, by the hash of their token. */
function createInvitations(
  db: Connection,
): Pick<BotStore, 'invite' | 'invitation' | 'endInvitation' | 'endPageInvitation' | 'endPairing'> {
  const invite = db.prepare<[InvitationRow]>(
    'INSERT OR REPLACE INTO bot_invitations (token_hash, purpose, user_id, expires_at) VALUES (:tokenHash, :purpose, :userId, :expiresAt)',
  );
  const invitation = db.prepare<[string], InvitationRow>(
    'SELECT token_hash AS tokenHash, purpose, user_id AS userId, expires_at AS expiresAt FROM bot_invitations WHERE token_hash = ?',
  );
  const endInvitation = db.prepare<[string]>('DELETE FROM bot_invitations WHERE token_hash = ?');
  const endPageInvitation = db.prepare<[number]>("DELETE FROM bot_invitations WHERE user_id = ? AND purpose = 'page'");
  const endPairing = db.prepare("DELETE FROM bot_invitations WHERE purpose = 'admin'");

  return {
    invite: (row) => {
      invite.run(row);
    },
    invitation: (tokenHash) => invitation.get(tokenHash),
    endInvitation: (tokenHash) => {
      endInvitation.run(tokenHash);
    },
    endPageInvitation: (userId) => {
      endPageInvitation.run(userId);
    },
    endPairing: () => {
      endPairing.run();
    },
  };
}

export function createBotStore(db: Connection): BotStore {
  const get = db.prepare<[], BotCells>(
    `SELECT bot_id AS botId, username, name, api_root AS apiRoot, allow_private AS allowPrivate, proxy, app_path AS appPath, enabled,
       error, error_at AS errorAt, updated_at AS updatedAt FROM bot`,
  );
  const save = db.prepare<[BotCells]>(
    `INSERT OR REPLACE INTO bot (one, bot_id, username, name, api_root, allow_private, proxy, app_path, enabled, error, error_at,
       updated_at)
     VALUES (1, :botId, :username, :name, :apiRoot, :allowPrivate, :proxy, :appPath, :enabled, :error, :errorAt, :updatedAt)`,
  );
  const removals = [
    'bot',
    'bot_updates',
    'bot_messages',
    'bot_chats',
    'bot_invitations',
    'bot_admins',
    'bot_requests',
  ].map((table) => db.prepare(`DELETE FROM ${table}`));
  const pruneUpdates = db.prepare<[number]>('DELETE FROM bot_updates WHERE done_at < ?');
  // Messages with a key stay for good, so that they are never sent again.
  const pruneMessages = db.prepare<[number]>('DELETE FROM bot_messages WHERE ended_at < ? AND dedupe_key IS NULL');
  const pruneInvitations = db.prepare<[number]>('DELETE FROM bot_invitations WHERE expires_at < ?');

  return {
    ...createUpdates(db),
    ...createMessages(db),
    ...createChats(db),
    ...createAdmins(db),
    ...createInvitations(db),
    get() {
      const cells = get.get();
      return cells && { ...cells, allowPrivate: cells.allowPrivate === 1, enabled: cells.enabled === 1 };
    },
    save: (bot) => {
      save.run({ ...bot, allowPrivate: bot.allowPrivate ? 1 : 0, enabled: bot.enabled ? 1 : 0 });
    },
    remove: () => {
      for (const removal of removals) removal.run();
    },
    prune: (before) => {
      pruneUpdates.run(before);
      pruneMessages.run(before);
      pruneInvitations.run(before);
    },
  };
}
