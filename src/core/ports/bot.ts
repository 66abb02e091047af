// The ports of the Telegram bot: its stored data, and the client of the Bot API.
import type { BotError } from '../../contract/bot/bot.ts';
import type { Price, ProviderPayment } from './providers.ts';

export interface BotRow {
  /** Telegram's id of the bot. */
  readonly botId: number;
  readonly username: string;
  readonly name: string;
  /** null: Telegram's own Bot API. */
  readonly apiRoot: string | null;
  readonly allowPrivate: boolean;
  /** Scheme, host and port; the full URL with credentials is sealed. null: no proxy. */
  readonly proxy: string | null;
  /** Path of the Mini App below the sub path: 32 random letters, so that scanners do not find it. */
  readonly appPath: string;
  readonly enabled: boolean;
  /** Why the panel turned it off; null: it did not. */
  readonly error: BotError | null;
  readonly errorAt: number | null;
  readonly updatedAt: number;
}

/** An update from Telegram, stored before it is acknowledged. */
export interface UpdateRow {
  readonly id: number;
  readonly botId: number;
  readonly updateId: number;
  /** JSON. */
  readonly body: string;
  readonly failures: number;
}

/** A private chat; its id is the person's id. */
export interface ChatRow {
  readonly chatId: number;
  /** Chosen in the chat; null: Telegram's. */
  readonly language: string | null;
  /** The last language reported by Telegram. */
  readonly toldLanguage: string | null;
  readonly unreachableAt: number | null;
  /** The data of the button whose question the next message answers; null: nothing was asked. */
  readonly prompt: string | null;
}

/** The row of a new chat. */
export function newChat(chatId: number): ChatRow {
  return { chatId, language: null, toldLanguage: null, unreachableAt: null, prompt: null };
}

/** A one-time link that links the Telegram account opening it to a user, or pairs it with the administrator. */
export interface InvitationRow {
  readonly tokenHash: string;
  /** Where it was created: the administrator may replace a linked account, a subscription link may not. `admin`: pairs an account. */
  readonly purpose: 'record' | 'page' | 'admin';
  /** null: for pairing. */
  readonly userId: number | null;
  readonly expiresAt: number;
}

/** A Telegram account of the administrator. */
export interface AdminRow {
  readonly telegramId: number;
  readonly name: string;
  readonly pairedAt: number;
  /** When it last entered a valid second-factor code; null: never. */
  readonly provenAt: number | null;
}

/** Result of a second-factor code in the chat. `no_factor`: the second factor is off. */
export type ChatProof = 'proven' | 'wrong' | 'no_factor' | 'locked' | 'slow_down';

/** An account that requests access. */
export interface RequestRow {
  readonly telegramId: number;
  readonly name: string;
  readonly requestedAt: number;
  /** null: pending. */
  readonly refusedAt: number | null;
}

/** Priorities of messages: replies first, then payments, notices and broadcasts. */
export const PRIORITIES = { answer: 0, payment: 1, notice: 2, broadcast: 3 } as const;

export interface NewMessage {
  readonly chatId: number;
  /** A second message with the same key is dropped; null: never dropped. */
  readonly dedupeKey: string | null;
  /** The method of the Bot API. */
  readonly method: string;
  /** Its parameters, without `chat_id`. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly priority: number;
  /** Epoch ms; default: at once. */
  readonly notBefore?: number;
}

export interface MessageRow extends NewMessage {
  readonly id: number;
  readonly notBefore: number;
  readonly attempts: number;
  readonly createdAt: number;
}

export interface MessageQuery {
  readonly now: number;
  /** Maximum priority value. */
  readonly most: number;
  /** Excluded message ids. */
  readonly ids: Iterable<number>;
  /** Excluded chats, except for these `methods`. */
  readonly chats: Iterable<number>;
  readonly methods: Iterable<string>;
}

/** The facts of a user that notices depend on. */
export interface NoticeUser {
  readonly id: number;
  readonly telegramId: number;
  readonly name: string;
  readonly expiresAt: number | null;
  readonly termBeganAt: number | null;
  readonly resetsAt: number | null;
  readonly used: number;
  readonly trafficLimit: number | null;
  readonly extra: number;
}

export interface BotStore {
  get(): BotRow | undefined;
  save(bot: BotRow): void;
  /** Also deletes all updates and messages. */
  remove(): void;
  /** Adds new updates; returns their number. */
  receive(botId: number, updates: readonly { readonly id: number; readonly body: string }[], now: number): number;
  /** The first due update. */
  nextUpdate(now: number): UpdateRow | undefined;
  /** When the next waiting update is due; null: none. */
  updateDueAt(): number | null;
  finishUpdate(id: number, now: number): void;
  /** Retries it at `nextAt`. */
  failUpdate(id: number, nextAt: number): void;
  /** Deletes updates and messages that ended before. */
  prune(before: number): void;
  /** Returns whether it is new. */
  enqueue(message: NewMessage, now: number): boolean;
  /** The next message to send, by priority, then oldest first. */
  nextMessage(query: MessageQuery): MessageRow | undefined;
  /** When the next waiting message may be sent; null: none. */
  messageDueAt(): number | null;
  countMessages(): number;
  /** When a file was last sent (only backups are files); null: never. */
  lastDocumentAt(): number | null;
  message(id: number): MessageRow | undefined;
  /** Only the result of a sent message is stored, not its content. */
  finishMessage(id: number, messageId: number | null, error: string | null, now: number): void;
  /** Deletes a message and its key. */
  forgetMessage(id: number): void;
  /** Retries it at `notBefore`. */
  delayMessage(id: number, notBefore: number): void;
  changeMessage(id: number, method: string, payload: NewMessage['payload']): void;
  /** Fails all waiting messages of a chat. */
  dropMessages(chatId: number, error: string, now: number): void;
  /** Withdraws waiting messages whose key begins with `prefix`, queued at `since` or later and not due yet; returns their number. */
  withdraw(prefix: string, since: number, now: number): number;
  moveChat(from: number, to: number): void;
  chat(chatId: number): ChatRow | undefined;
  saveChat(chat: ChatRow): void;
  /** The mark of the last notice of a kind to a user; null: never. */
  noticeMark(userId: number, kind: string): number | null;
  markNotice(userId: number, kind: string, mark: number): void;
  /** Enabled users with a linked account, `after < id <= until`, for whom a notice may be due. */
  usersToNotify(after: number, until: number, now: number): readonly NoticeUser[];
  /** The highest id of a user with a linked account; 0: none. */
  lastLinkedUser(): number;
  /** In the order of pairing. */
  admins(): readonly AdminRow[];
  admin(telegramId: number): AdminRow | undefined;
  saveAdmin(admin: AdminRow): void;
  /** Whether it existed. */
  removeAdmin(telegramId: number): boolean;
  /** Deletes pending pairing links. */
  endPairing(): void;
  /** Pending requests, oldest first. */
  requests(limit: number): readonly RequestRow[];
  countRequests(): number;
  request(telegramId: number): RequestRow | undefined;
  saveRequest(request: RequestRow): void;
  removeRequest(telegramId: number): void;
  /** Replaces the user's previous one of the same purpose. */
  invite(invitation: InvitationRow): void;
  invitation(tokenHash: string): InvitationRow | undefined;
  endInvitation(tokenHash: string): void;
  /** Deletes the one created on the page of the user's link. */
  endPageInvitation(userId: number): void;
}

/** A token with API settings; in memory only. */
export interface BotAccess {
  readonly token: string;
  readonly apiRoot: string | null;
  readonly allowPrivate: boolean;
  /** With credentials. */
  readonly proxy: string | null;
}

/** A failed call of the Bot API, with Telegram's text without the token. */
export interface BotFailure {
  readonly error: BotError;
  /** Telegram's description, to tell errors apart; empty without a reply. */
  readonly description: string;
  readonly retryAfterMs: number;
  /** The new id of the chat. */
  readonly migratedTo: number | null;
}

export interface BotLink {
  /** Never rejects. */
  call(
    method: string,
    payload: Readonly<Record<string, unknown>>,
    timeoutMs: number,
  ): Promise<{ readonly result: unknown } | BotFailure>;
  /** Aborts running calls with the result `stopped`. */
  close(): void;
}

export interface BotClient {
  /** Whether the URL contains an IP address that is not allowed. */
  isRefused(url: string, allowPrivate: boolean): boolean;
  connect(access: BotAccess): BotLink;
}

/** Current status of the bot; in memory only. */
export interface BotStatus {
  readonly error: BotError | null;
  readonly errorAt: number | null;
  readonly okAt: number | null;
}

export const FRESH_STATUS: BotStatus = { error: null, errorAt: null, okAt: null };

/** A payment that is about to be made. */
export interface Checkout {
  /** Token of an invoice. */
  readonly token: string;
  readonly paid: Price;
}

/** Why it is refused: selling is off, or the order ended. */
export type CheckoutRefusal = 'selling_off' | 'ended';

/** The parameter of `/start`. Telegram allows 64 characters of A-Z, a-z, 0-9, _ and -. */
export const LINK_PREFIX = 'link_';
export const PAIR_PREFIX = 'admin_';
export const REFERRAL_PREFIX = 'ref_';

/** A user's referral link with its results. */
export interface FriendLink {
  readonly url: string;
  readonly referrerDays: number;
  readonly friendDays: number;
  /** Accounts that joined by it. */
  readonly opened: number;
  /** Number of rewards. */
  readonly rewarded: number;
}

/** A one-time link into the bot. */
export interface Invitation {
  readonly url: string;
  /** The parameter of `/start`. */
  readonly payload: string;
  readonly expiresAt: number;
}

/** `ended`: used or expired. `taken`: the account is linked to another user. `other`: the user has another account. */
export type LinkOutcome = 'linked' | 'ended' | 'taken' | 'other';

/** `waiting`: pending. `refused`: refused recently. `known`: the account has a user. */
export type AccessOutcome = 'waiting' | 'refused' | 'known' | 'off';

/** The sender of an update. */
export interface Writer {
  readonly id: number;
  readonly name: string;
}

/** An invoice sent as a chat message. */
export interface ChatInvoice {
  /** The payload by which Telegram identifies it. */
  readonly token: string;
  readonly stars: number;
}

/** The effect of an update. */
export interface UpdateEffect {
  readonly messages: readonly NewMessage[];
  readonly chats: readonly ChatRow[];
  /** null: no payment. */
  readonly payment: ProviderPayment | null;
}

/** A bot that should run; replaced after each change of its settings. */
export interface RunningBot extends BotAccess {
  readonly row: BotRow;
}

export interface BotService {
  /** The bot that should run; null: none, or its secrets cannot be opened. */
  bot(): RunningBot | null;
  /** Calls the listener soon after the bot or its queue may have changed. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
  /** Runs background work that a stop waits for. Failures are logged. */
  start(name: string, work: () => Promise<unknown>): void;
  /** Reads of the store. */
  readonly store: Omit<
    BotStore,
    | 'save'
    | 'remove'
    | 'receive'
    | 'enqueue'
    | 'invite'
    | 'endInvitation'
    | 'endPageInvitation'
    | 'markNotice'
    | 'withdraw'
    | 'forgetMessage'
    | 'saveRequest'
    | 'removeRequest'
    | 'saveAdmin'
    | 'removeAdmin'
  >;
  /** The link token of the user with this Telegram account; null: none. */
  findLinkToken(telegramId: number): string | null;
  /** Creates an invitation for the user of a subscription link and replaces the previous one; null: no such user, or no bot runs. */
  inviteBehind(link: string): Promise<Invitation | null>;
  linkAccount(token: string, telegramId: number): Promise<LinkOutcome>;
  /** Pairs an account with the administrator; false if the link was used or expired. */
  pair(token: string, writer: Writer): Promise<boolean>;
  /** Verifies a second-factor code of a paired account; operations that require proof are allowed there for some minutes. */
  prove(telegramId: number, code: string): Promise<ChatProof>;
  hasSecondFactor(): boolean;
  /** The referral link of the user of a subscription link, created on the first call; null: no such user, or referrals are off. */
  friendLink(link: string): Promise<FriendLink | null>;
  /** Requests access from the administrator; `off`: not available. */
  requestAccess(writer: Writer): Promise<AccessOutcome>;
  /** The bytes of an encrypted backup; null: none with this name. */
  encryptedBackup(name: string): Promise<Uint8Array | null>;
  /** Records that an account joined by a referral link; false if the link is unknown or the account has a user. */
  refer(code: string, telegramId: number): Promise<boolean>;
  /** Whether a provider is the bot's own Telegram Stars. */
  isOwnStars(providerId: number): boolean;
  /** The open invoice of an order in the bot's Stars; idempotent. PanelError `selling_off`, `order_ended`. */
  openInChat(orderToken: string): Promise<ChatInvoice>;
  /** Why a checkout is refused; null: allowed. Only reads, since Telegram waits at most 10 seconds. */
  findCheckoutRefusal(checkout: Checkout): CheckoutRefusal | null;
  /** Stores updates and returns the number of new ones. They may be acknowledged at Telegram after it resolves. */
  receive(botId: number, updates: readonly { readonly id: number; readonly body: string }[]): Promise<number>;
  /** Commits the effect of an update together with its completion. */
  finish(update: UpdateRow, effect: UpdateEffect): Promise<void>;
  /** Any other write of the bot. */
  write(work: (store: BotStore, now: number) => void): Promise<void>;
  /** Records the result of a Telegram call, shown in the panel. */
  recordStatus(error: BotError | null): void;
  /** Turns the bot off, for example after its token was revoked; writes an audit row. */
  switchOff(bot: RunningBot, error: BotError): Promise<void>;
  prune(): Promise<void>;
}

/** Why opening the Mini App failed. `forged`: not signed by Telegram. `unknown`: the account has no user. `wait`: too many attempts. */
export type MiniAppRefusal = 'forged' | 'ended' | 'unknown' | 'wait';

export interface MiniApp {
  /** The URL for Telegram; null: not available. */
  url(): string | null;
  /** Whether a request with this path and Host is for the Mini App. */
  isAt(path: string, host: string | undefined): boolean;
  /** The link token of the user, verified by Telegram's signature. */
  signIn(initData: string): { readonly link: string } | MiniAppRefusal;
}
