// Sends queued messages: at most 25 a second, one a second in a chat; messages that somebody waits for come before broadcasts.
import type { BotService } from '../core/ports/bot.ts';
import { type BotFailure, type BotLink, type MessageRow, PRIORITIES } from '../core/ports/bot.ts';
import type { Clock, Log, Timers } from '../core/ports/ports.ts';

/** Pause between two messages, in total and in one chat. */
const PACE_MS = 40;
const CHAT_PACE_MS = 1000;
const CONCURRENCY = 8;
const TIMEOUT_MS = 30_000;
/** For a backup of 50 MB over a slow line. */
const FILE_TIMEOUT_MS = 10 * 60_000;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 300_000;
/** How long a message is tried, by its priority: the answer to a button is useless after some minutes. */
const LIFETIME_MS = [120_000, 7 * 86_400_000, 86_400_000, 86_400_000];
/** Methods that need no pause in their chat, as they show no message. */
const UNPACED = new Set(['answerCallbackQuery']);

export interface SenderParts {
  readonly link: BotLink;
  readonly botService: BotService;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Called with a chat that the bot cannot write to any more. */
  unreachable(chatId: number): void;
}

export interface Sender {
  wake(): void;
  stop(): Promise<void>;
}

/** What happens to a message after an attempt. */
type Fate =
  | { readonly do: 'sent' | 'again' }
  | { readonly do: 'later'; readonly ms: number; readonly pausesBulk: boolean }
  | { readonly do: 'drop'; readonly error: string; readonly isBlocked: boolean }
  | { readonly do: 'move'; readonly to: number }
  | { readonly do: 'post' };

/** The name of the backup that a message contains; null: none. */
function getBackupName({ document }: MessageRow['payload']): string | null {
  if (typeof document !== 'object' || document === null || !('backup' in document)) return null;
  return String(document.backup);
}

function isOld({ createdAt, priority }: MessageRow, now: number): boolean {
  return now - createdAt >= (LIFETIME_MS[priority] ?? 0);
}

function decideFate(
  { error, description, retryAfterMs, migratedTo }: BotFailure,
  message: MessageRow,
  now: number,
): Fate {
  if (error === 'stopped') return { do: 'again' };
  if (error === 'rate_limited') return { do: 'later', ms: retryAfterMs, pausesBulk: true };
  if (migratedTo !== null) return { do: 'move', to: migratedTo };
  if (error === 'refused') {
    if (/message is not modified/i.test(description)) return { do: 'sent' };
    const isBlocked = /blocked by the user|user is deactivated|chat not found|bot was kicked|can't initiate/i.test(
      description,
    );
    if (isBlocked) return { do: 'drop', error: 'blocked', isBlocked: true };
    // The person has deleted the message that should be edited.
    if (message.method === 'editMessageText') return { do: 'post' };
    return { do: 'drop', error: 'refused', isBlocked: false };
  }
  if (isOld(message, now)) return { do: 'drop', error, isBlocked: false };
  const ms = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(message.attempts, 10));
  return { do: 'later', ms, pausesBulk: false };
}

export function startSender({ link, botService, clock, timers, log, unreachable }: SenderParts): Sender {
  /** By chat: when its next message may be sent. */
  const paced = new Map<number, number>();
  const busyChats = new Set<number>();
  const running = new Set<Promise<void>>();
  /**
   * Messages being sent, and those whose outcome could not be stored, as on a full disk: without this they would be sent again and again.
   */
  const busy = new Set<number>();
  let nextAt = 0;
  let bulkHeldUntil = 0;
  let isStopped = false;
  let cancel = () => {};

  function wakeIn(ms: number): void {
    cancel();
    cancel = timers.after(Math.max(1, ms), pump);
  }

  function pump(): void {
    cancel();
    if (isStopped || running.size >= CONCURRENCY) return;
    const now = clock.now();
    // The clock was set back.
    if (nextAt > now + PACE_MS) nextAt = now;
    if (now < nextAt) {
      wakeIn(nextAt - now);
      return;
    }
    for (const [chat, at] of paced) if (at <= now || at > now + CHAT_PACE_MS) paced.delete(chat);
    const most = now < bulkHeldUntil ? PRIORITIES.payment : PRIORITIES.broadcast;
    // A chat with many messages delays no other chat.
    const chats = [...busyChats, ...paced.keys()];
    const next = botService.store.nextMessage({ now, most, ids: busy, chats, methods: UNPACED });
    if (next) {
      nextAt = now + PACE_MS;
      begin(next, now);
      wakeIn(PACE_MS);
      return;
    }
    const dueAt = botService.store.messageDueAt();
    if (dueAt === null) return;
    // A message that is already due waits for its chat, or for the end of Telegram's rate limit.
    const at = dueAt > now ? dueAt : Math.min(...paced.values(), now + CHAT_PACE_MS);
    wakeIn(at - now);
  }

  function begin(message: MessageRow, now: number): void {
    const isPaced = !UNPACED.has(message.method);
    busy.add(message.id);
    if (isPaced) {
      busyChats.add(message.chatId);
      paced.set(message.chatId, now + CHAT_PACE_MS);
    }
    const sending = send(message)
      .then(
        () => {
          busy.delete(message.id);
        },
        (error: unknown) => log.error('bot: outcome of a message not stored', { error: String(error) }),
      )
      .finally(() => {
        running.delete(sending);
        if (isPaced) busyChats.delete(message.chatId);
        pump();
      });
    running.add(sending);
  }

  async function send(message: MessageRow): Promise<void> {
    const { id, chatId, method, payload, priority } = message;
    // Notices that waited while the bot was off, or its token locked, are outdated.
    if (priority >= PRIORITIES.notice && isOld(message, clock.now()))
      return botService.write((store, now) => store.finishMessage(id, null, 'too_old', now));
    const isChat = method !== 'answerCallbackQuery';
    const file = getBackupName(payload);
    const bytes = file === null ? null : await botService.encryptedBackup(file);
    // The backup was deleted meanwhile.
    if (file !== null && bytes === null)
      return botService.write((store, now) => store.finishMessage(id, null, 'gone', now));
    const given = bytes === null ? payload : { ...payload, document: { bytes, name: file } };
    const timeout = bytes === null ? TIMEOUT_MS : FILE_TIMEOUT_MS;
    const outcome = await link.call(method, isChat ? { chat_id: chatId, ...given } : given, timeout);
    if (!('error' in outcome)) {
      const { message_id: sentId } = (outcome.result ?? {}) as Readonly<Record<string, unknown>>;
      const messageId = Number.isSafeInteger(sentId) ? Number(sentId) : null;
      await botService.write((store, now) => store.finishMessage(id, messageId, null, now));
      return;
    }
    const fate = decideFate(outcome, message, clock.now());
    if (fate.do === 'later' && fate.pausesBulk) bulkHeldUntil = Math.max(bulkHeldUntil, clock.now() + fate.ms);
    if (fate.do === 'drop') {
      log.warn('bot: message not sent', { method, error: fate.error });
      if (fate.isBlocked) unreachable(chatId);
    }
    await botService.write((store, now) => {
      switch (fate.do) {
        case 'sent':
          return store.finishMessage(id, null, null, now);
        case 'again':
          return;
        case 'later':
          return store.delayMessage(id, now + fate.ms);
        case 'drop':
          store.finishMessage(id, null, fate.error, now);
          if (fate.isBlocked) store.dropMessages(chatId, fate.error, now);
          return;
        case 'move':
          return store.moveChat(chatId, fate.to);
        case 'post': {
          const { message_id: _gone, ...rest } = payload;
          return store.changeMessage(id, 'sendMessage', { ...rest, protect_content: true });
        }
      }
    });
  }

  pump();
  return {
    wake: pump,
    async stop() {
      isStopped = true;
      cancel();
      await Promise.all(running);
    },
  };
}
