// Broadcasts: the operations, and the steps that queue recipients. Only a limited number is queued at a time, so that a pause takes effect soon and a
// restart continues where it stopped.
import type { Broadcast, BroadcastAct, BroadcastState, PersonState } from '../../contract/bot/broadcasts.ts';
import type { Input, Output } from '../../contract/table.ts';
import { isQuiet } from '../../domain/users/user-notices.ts';
import type { Context, Env, Handlers, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { isSameJson, toInstant, toInstantOrNull } from '../kernel/wire.ts';
import { findRunningBot } from '../notify/active-bot.ts';
import { messageToUser } from '../notify/user-notices.ts';
import { type NoticeUser, PRIORITIES } from '../ports/bot.ts';
import type { BroadcastRow, PersonEnd } from '../ports/broadcasts.ts';
import type { Result } from '../ports/call.ts';
import type { UserRow } from '../ports/users.ts';
import { toTargetConditions } from '../users/list.ts';

/** Queued messages of one broadcast at a time. */
const WINDOW = 100;
/** Users examined in one step. */
const SPAN = 500;
/** Steps in one transaction, if few users have an account. */
const MAX_SPANS = 20;
/** Messages that the bot sends per second. */
const PER_SECOND = 25;

/** Why a running broadcast is waiting; null: it is not. */
function findWaitReason({ store, settings, now }: Context, { id, state }: BroadcastRow): Broadcast['waits'] {
  if (state !== 'running') return null;
  if (!findRunningBot({ store })) return 'bot';
  if (isQuiet(settings.botNotices.quiet, now, settings.timeZone)) return 'quiet';
  return store.broadcasts.isBehind(id) ? 'other' : null;
}

function viewBroadcast(context: Context, row: BroadcastRow): Broadcast {
  const { id, texts, filter, state, total, sent, blocked, failed, createdAt, endedAt } = row;
  return {
    id,
    texts: texts.map((one) => ({ ...one })),
    filter,
    state,
    waits: findWaitReason(context, row),
    total,
    queued: context.store.broadcasts.countQueued(id),
    sent,
    blocked,
    failed,
    created_at: toInstant(createdAt),
    ended_at: toInstantOrNull(endedAt),
  };
}

function requireBroadcast({ store }: Context, id: number): BroadcastRow {
  const row = store.broadcasts.get(id);
  if (!row) throw new PanelError('not_found');
  return row;
}

function requireBotId({ store }: Context): number {
  const bot = store.bot.get();
  if (!bot || !findRunningBot({ store })) throw new PanelError('bot_off');
  return bot.botId;
}

function previewBroadcast(input: Input<'previewBroadcast'>, context: Context): Result<Output<'previewBroadcast'>> {
  const { store, now } = context;
  return store.read(() => {
    const ids = store.users.ids(toTargetConditions(input.filter), now);
    const { people, blocked } = store.broadcasts.countReachable(ids);
    return { body: { matched: ids.length, people, blocked, seconds: Math.ceil((people - blocked) / PER_SECOND) } };
  });
}

function testBroadcast(input: Input<'testBroadcast'>, tx: Transaction): Result<Output<'testBroadcast'>> {
  const { store, now, call } = tx;
  requireBotId(tx);
  const texts = input.id === undefined ? (input.texts ?? []) : requireBroadcast(tx, input.id).texts;
  const { actor } = call;
  const admins = store.bot.admins().filter(({ telegramId }) => actor.kind !== 'bot' || actor.id === telegramId);
  for (const { telegramId, name } of admins) {
    const own = store.users.byTelegramId(telegramId);
    const user = own ? noticeUser(own, telegramId) : { ...NO_USER, telegramId, name };
    store.bot.enqueue(messageToUser(tx, user, textFor(texts), PRIORITIES.answer, null, now), now);
  }
  tx.audit('bot', { accounts: admins.length });
  return { body: { accounts: admins.length } };
}

/** Placeholder values for an administrator's account without a user. */
const NO_USER: NoticeUser = {
  id: 0,
  telegramId: 0,
  name: '',
  expiresAt: null,
  termBeganAt: null,
  resetsAt: null,
  used: 0,
  trafficLimit: null,
  extra: 0,
};

function noticeUser(row: UserRow, telegramId: number): NoticeUser {
  const { id, name, expiresAt, termBeganAt, resetsAt, usedUp, usedDown, trafficLimit, extra } = row;
  return { id, telegramId, name, expiresAt, termBeganAt, resetsAt, used: usedUp + usedDown, trafficLimit, extra };
}

function textFor(texts: BroadcastRow['texts']): (language: string) => string {
  return (wanted) => (texts.find(({ language }) => language === wanted) ?? texts[0])?.text ?? '';
}

function createBroadcast(input: Input<'createBroadcast'>, tx: Transaction): Result<Broadcast> {
  const { store, now } = tx;
  const { key, texts, filter, start } = input;
  const before = store.broadcasts.byKey(key);
  if (before) {
    if (!isSameJson(before.texts, texts) || (before.state !== 'draft' && !isSameJson(before.filter, filter)))
      throw new PanelError('idempotency_mismatch');
    return { body: viewBroadcast(tx, before) };
  }
  const fields: Omit<BroadcastRow, 'id'> = {
    key,
    botId: requireBotId(tx),
    texts,
    filter,
    state: 'draft',
    total: 0,
    sent: 0,
    blocked: 0,
    failed: 0,
    lastUserId: 0,
    untilUserId: 0,
    createdAt: now,
    endedAt: null,
  };
  const row = { ...fields, id: store.broadcasts.insert(fields) };
  const made = start ? begin(tx, row) : row;
  tx.audit('bot', { broadcast_id: row.id, filter, people: made.total, started: start });
  return { body: viewBroadcast(tx, made) };
}

/** Fixes the recipients: users that exist now. */
function begin(tx: Transaction, row: BroadcastRow): BroadcastRow {
  const { store, now } = tx;
  const ids = store.users.ids(toTargetConditions(row.filter), now);
  const { people } = store.broadcasts.countReachable(ids);
  const running: BroadcastRow = {
    ...row,
    state: 'running',
    total: people,
    untilUserId: ids.at(-1) ?? 0,
    createdAt: now,
  };
  store.broadcasts.save(running);
  return running;
}

/** State transitions by action; other combinations are ignored. */
const STEPS: Readonly<
  Record<Exclude<BroadcastAct, 'start'>, readonly [from: readonly BroadcastState[], to: BroadcastState]>
> = {
  pause: [['running'], 'paused'],
  resume: [['paused'], 'running'],
  stop: [['running', 'paused'], 'stopped'],
};

function changeBroadcast({ id, act, filter }: Input<'changeBroadcast'>, tx: Transaction): Result<Broadcast> {
  const { store, now } = tx;
  const before = requireBroadcast(tx, id);
  if (act === 'start') {
    if (before.state !== 'draft') return { body: viewBroadcast(tx, before) };
    requireBotId(tx);
    if (filter === undefined) throw new Error('the contract requires it with start');
    const started = begin(tx, { ...before, filter });
    tx.audit('bot', { broadcast_id: id, filter: started.filter, people: started.total, act });
    return { body: viewBroadcast(tx, started) };
  }
  const [from, to] = STEPS[act];
  if (!from.includes(before.state)) return { body: viewBroadcast(tx, before) };
  const after: BroadcastRow = { ...before, state: to, endedAt: to === 'stopped' ? now : null };
  store.broadcasts.save(after);
  tx.audit('bot', { broadcast_id: id, act });
  return { body: viewBroadcast(tx, after) };
}

function listBroadcasts(input: Input<'listBroadcasts'>, context: Context): Result<Output<'listBroadcasts'>> {
  const { before, limit } = input;
  const rows = context.store.broadcasts.page(before, limit);
  const next = rows.length < limit ? null : (rows.at(-1)?.id ?? null);
  return { body: { items: rows.map((row) => viewBroadcast(context, row)), next_before: next } };
}

function listPeople(input: Input<'listBroadcastPeople'>, context: Context): Result<Output<'listBroadcastPeople'>> {
  const { store } = context;
  const { id, state, after = 0, limit } = input;
  requireBroadcast(context, id);
  const rows = store.broadcasts.people({ id, state, after, limit });
  const names = new Map(store.users.rows(rows.map(({ userId }) => userId)).map((user) => [user.id, user.name]));
  const items = rows.map(({ userId, state: own, error, at }) => ({
    user: { id: userId, name: names.get(userId) ?? '' },
    state: own,
    error,
    at: toInstant(at),
  }));
  return { body: { items, next_after: rows.length < limit ? null : (rows.at(-1)?.userId ?? null) } };
}

export const BROADCAST_HANDLERS = {
  previewBroadcast: { read: previewBroadcast, opensTransaction: true },
  testBroadcast: { write: testBroadcast },
  createBroadcast: { write: createBroadcast },
  changeBroadcast: { write: changeBroadcast },
  listBroadcasts: { read: listBroadcasts },
  listBroadcastPeople: { read: listPeople },
} satisfies Handlers<
  | 'previewBroadcast'
  | 'testBroadcast'
  | 'createBroadcast'
  | 'changeBroadcast'
  | 'listBroadcasts'
  | 'listBroadcastPeople'
>;

/** One step: counts finished messages, then queues recipients while there is room. Resolves to whether there was work. */
export async function sendBroadcasts(env: Pick<Env, 'store' | 'transact'>): Promise<boolean> {
  const { store } = env;
  if (store.diskSpace.isFull() || !store.broadcasts.active()) return false;
  return env.transact({ name: 'sendBroadcast', by: 'broadcast' }, (tx) => {
    const row = store.broadcasts.active();
    return row !== undefined && turn(tx, row);
  });
}

function turn(tx: Transaction, row: BroadcastRow): boolean {
  const { store, now } = tx;
  const ended = store.broadcasts.ended(row.id, WINDOW);
  let current = ended.reduce((sum, end) => count(tx, sum, end), row);
  const isOther = store.bot.get()?.botId !== row.botId;
  // Users of another bot have no chat with this one.
  if (isOther && current.state !== 'stopped' && current.state !== 'done')
    current = { ...current, state: 'stopped', endedAt: now };
  const isSending = current.state === 'running' && findWaitReason(tx, current) === null;
  if (isSending) current = fill(tx, current);
  if (current === row) return false;
  store.broadcasts.save(current);
  if (current.state !== row.state) tx.audit('bot', { broadcast_id: row.id, state: current.state, sent: current.sent });
  return true;
}

/** Counts the result of a message and deletes it. */
function count(tx: Transaction, row: BroadcastRow, { userId, messageId, error }: PersonEnd): BroadcastRow {
  const { store, now } = tx;
  const problem = messageId === null ? 'gone' : error;
  const state: PersonState = problem === null ? 'sent' : problem === 'blocked' ? 'blocked' : 'failed';
  store.broadcasts.savePerson({ broadcastId: row.id, userId, state, error: problem, at: now });
  if (messageId !== null) store.bot.forgetMessage(messageId);
  return { ...row, [state]: row[state] + 1 };
}

/** Queues recipients until the window is full or there are no more. */
function fill(tx: Transaction, before: BroadcastRow): BroadcastRow {
  const { store, now } = tx;
  let row = before;
  let room = WINDOW - store.broadcasts.countQueued(row.id);
  for (let spans = 0; room > 0 && spans < MAX_SPANS; spans += 1) {
    const { rows, hasMore } = store.users.page({
      conditions: toTargetConditions(row.filter),
      sort: 'id',
      descending: false,
      limit: SPAN,
      offset: 0,
      after: row.lastUserId === 0 ? null : { value: row.lastUserId, id: row.lastUserId },
      now,
    });
    for (const user of rows) {
      if (room === 0) return row;
      if (user.id > row.untilUserId) break;
      row = { ...row, lastUserId: user.id };
      if (user.telegramId === null) continue;
      if (store.bot.chat(user.telegramId)?.unreachableAt != null) {
        const at = { broadcastId: row.id, userId: user.id, at: now };
        store.broadcasts.savePerson({ ...at, state: 'blocked', error: null });
        row = { ...row, blocked: row.blocked + 1 };
        continue;
      }
      queue(tx, row, user, user.telegramId);
      room -= 1;
    }
    const last = rows.at(-1);
    if (hasMore && last && last.id < row.untilUserId) continue;
    if (store.broadcasts.countQueued(row.id) > 0) return row;
    return { ...row, state: 'done', endedAt: now };
  }
  return row;
}

function queue(tx: Transaction, { id, texts }: BroadcastRow, user: UserRow, telegramId: number): void {
  const { store, now } = tx;
  const person = noticeUser(user, telegramId);
  const key = `broadcast:${id}:${user.id}`;
  store.bot.enqueue(messageToUser(tx, person, textFor(texts), PRIORITIES.broadcast, key, now), now);
  store.broadcasts.savePerson({ broadcastId: id, userId: user.id, state: 'queued', error: null, at: now });
}
