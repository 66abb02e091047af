// The ports of the Telegram bot: what is stored of it, and the client of its API.
import type { BotError } from '../../contract/bot/bot.ts';
import type { Price, ProviderPayment } from './providers.ts';

export interface BotRow {
  /** Its id at Telegram. */
  readonly botId: number;
  readonly username: string;
  readonly name: string;
  /** null: Telegram's own. */
  readonly apiRoot: string | null;
  readonly allowPrivate: boolean;
  /** Scheme, host and port; name and password are sealed with them. null: no proxy. */
  readonly proxy: string | null;
  /** Of the Mini App below the sub path: 32 random letters, so that a scan of known paths does not find it. */
  readonly appPath: string;
  readonly enabled: boolean;
  /** Why the panel has switched it off; null: it has not. */
  readonly error: BotError | null;
  readonly errorAt: number | null;
  readonly updatedAt: number;
}

/** An update as Telegram sent it: stored before Telegram is told that it has come. */
export interface UpdateRow {
  readonly id: number;
  readonly botId: number;
  readonly updateId: number;
  /** JSON. */
  readonly body: string;
  readonly failures: number;
}

/** A person who talks to the bot: the chat has the id of the person. */
export interface ChatRow {
  readonly chatId: number;
  /** As chosen in the chat; null: as Telegram says. */
  readonly language: string | null;
  /** What Telegram said last. */
  readonly toldLanguage: string | null;
  readonly unreachableAt: number | null;
  /** The token of the order for which the next message is a promo code; null: it is none. */
  readonly promoFor: string | null;
}

/** One who has not written yet. */
export function newChat(chatId: number): ChatRow {
  return { chatId, language: null, toldLanguage: null, unreachableAt: null, promoFor: null };
}

/** A link into the bot that ties the account of who opens it to a user, or pairs it with the administrator, once. */
export interface InvitationRow {
  readonly tokenHash: string;
  /** Where it was made: the administrator may move a user to another account, who has the subscription link may not. `admin`: it pairs. */
  readonly purpose: 'record' | 'page' | 'admin';
  /** null: it pairs. */
  readonly userId: number | null;
  readonly expiresAt: number;
}

/** A Telegram account of the administrator. */
export interface AdminRow {
  readonly telegramId: number;
  readonly name: string;
  readonly pairedAt: number;
  /** When it last gave the second factor's code; null: never. */
  readonly provenAt: number | null;
}

/** What came of the second factor's code in the chat. `no_factor`: the administrator has none. */
export type ChatProof = 'proven' | 'wrong' | 'no_factor' | 'locked' | 'slow_down';

/** An account that asks for access. */
export interface RequestRow {
  readonly telegramId: number;
  readonly name: string;
  readonly askedAt: number;
  /** null: the answer is open. */
  readonly refusedAt: number | null;
}

/** What a message waits behind: answers to what somebody pressed, then payments, notices, and what is sent to many. */
export const PRIORITIES = { answer: 0, payment: 1, notice: 2, broadcast: 3 } as const;

export interface NewMessage {
  readonly chatId: number;
  /** No second message has it; null: it is sent however often it is asked for. */
  readonly dedupeKey: string | null;
  /** The method of the Bot API. */
  readonly method: string;
  /** Its parameters, without `chat_id`. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly priority: number;
  /** Left out: at once. */
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
  /** Of priorities up to this. */
  readonly most: number;
  /** Not one of these. */
  readonly ids: Iterable<number>;
  /** Not to one of these chats, other than by one of `methods`. */
  readonly chats: Iterable<number>;
  readonly methods: Iterable<string>;
}

/** A user as far as notices depend on it. */
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
  /** With all updates and messages. */
  remove(): void;
  /** Adds those that are not there yet; how many. */
  receive(botId: number, updates: readonly { readonly id: number; readonly body: string }[], now: number): number;
  /** The first that is due. */
  nextUpdate(now: number): UpdateRow | undefined;
  /** When the first of those that wait is due; null: none waits. */
  updateDueAt(): number | null;
  finishUpdate(id: number, now: number): void;
  /** It is tried again at `nextAt`. */
  failUpdate(id: number, nextAt: number): void;
  /** Removes updates and messages that ended before. */
  prune(before: number): void;
  /** Whether it is new. */
  enqueue(message: NewMessage, now: number): boolean;
  /** The first that may be sent, by priority, then the oldest. */
  nextMessage(query: MessageQuery): MessageRow | undefined;
  /** When the first message that waits may be sent; null: none waits. */
  messageDueAt(): number | null;
  countMessages(): number;
  /** When a file was last sent, which only backups are; null: none was. */
  lastDocumentAt(): number | null;
  message(id: number): MessageRow | undefined;
  /** Of a message that was sent nothing is stored but that it was. */
  finishMessage(id: number, messageId: number | null, error: string | null, now: number): void;
  /** Forgets a message, and the key under which nothing else is sent. */
  forgetMessage(id: number): void;
  /** It is tried again at `notBefore`. */
  delayMessage(id: number, notBefore: number): void;
  changeMessage(id: number, method: string, payload: NewMessage['payload']): void;
  /** Ends all that wait for a chat. */
  dropMessages(chatId: number, error: string, now: number): void;
  /** Removes what waits under keys that begin so, was queued at `since` or later and is not due; how many. */
  withdraw(prefix: string, since: number, now: number): number;
  moveChat(from: number, to: number): void;
  chat(chatId: number): ChatRow | undefined;
  saveChat(chat: ChatRow): void;
  /** Under which mark a user was last sent a notice of a kind; null: never. */
  noticeMark(userId: number, kind: string): number | null;
  markNotice(userId: number, kind: string, mark: number): void;
  /** Those with an account, not disabled, with `after < id <= until`, whom a notice may be due for. */
  usersToNotify(after: number, until: number, now: number): readonly NoticeUser[];
  /** The highest id of a user with an account; 0: there is none. */
  lastLinkedUser(): number;
  /** In the order of pairing. */
  admins(): readonly AdminRow[];
  admin(telegramId: number): AdminRow | undefined;
  saveAdmin(admin: AdminRow): void;
  /** Whether there was one. */
  removeAdmin(telegramId: number): boolean;
  /** Ends the link that pairs an account of the administrator. */
  endPairing(): void;
  /** Those without an answer, the first first. */
  requests(limit: number): readonly RequestRow[];
  countRequests(): number;
  request(telegramId: number): RequestRow | undefined;
  saveRequest(request: RequestRow): void;
  removeRequest(telegramId: number): void;
  /** In place of the user's one of the same purpose. */
  invite(invitation: InvitationRow): void;
  invitation(tokenHash: string): InvitationRow | undefined;
  endInvitation(tokenHash: string): void;
  /** Ends the one that was given on the page of the user's link. */
  endPageInvitation(userId: number): void;
}

/** A token and the way to its API: in memory only. */
export interface BotAccess {
  readonly token: string;
  readonly apiRoot: string | null;
  readonly allowPrivate: boolean;
  /** With name and password. */
  readonly proxy: string | null;
}

/** Why a call of the Bot API failed. Its text is Telegram's, without the token. */
export interface BotFailure {
  readonly error: BotError;
  /** Telegram's words, for telling its refusals apart; empty where it did not answer. */
  readonly description: string;
  readonly retryAfterMs: number;
  /** The chat has another id from now on. */
  readonly migratedTo: number | null;
}

export interface BotLink {
  /** Never rejects. */
  call(
    method: string,
    payload: Readonly<Record<string, unknown>>,
    timeoutMs: number,
  ): Promise<{ readonly result: unknown } | BotFailure>;
  /** Ends running calls, whose outcome is `stopped`. */
  close(): void;
}

export interface BotClient {
  /** Whether the URL names an address, rather than a host, that may not be connected to. */
  isRefused(url: string, allowPrivate: boolean): boolean;
  connect(access: BotAccess): BotLink;
}

/** What the bot does at the moment: in memory only. */
export interface BotStatus {
  readonly error: BotError | null;
  readonly errorAt: number | null;
  readonly okAt: number | null;
}

export const FRESH_STATUS: BotStatus = { error: null, errorAt: null, okAt: null };

/** What somebody is about to pay. */
export interface Checkout {
  /** Of an invoice. */
  readonly token: string;
  readonly paid: Price;
}

/** Why he may not: nothing is sold, or not this any more. */
export type CheckoutRefusal = 'selling_off' | 'ended';

/** What `/start` is followed by. Telegram allows 64 characters of A-Z, a-z, 0-9, _ and -. */
export const LINK_PREFIX = 'tie_';
export const PAIR_PREFIX = 'admin_';
export const REFERRAL_PREFIX = 'ref_';

/** A user's link for friends, and what came of it. */
export interface FriendLink {
  readonly url: string;
  readonly referrerDays: number;
  readonly friendDays: number;
  /** Accounts that came by it. */
  readonly opened: number;
  /** Of these, how often it was rewarded. */
  readonly rewarded: number;
}

/** A link into the bot that works once. */
export interface Invitation {
  readonly url: string;
  /** What `/start` is followed by. */
  readonly payload: string;
  readonly expiresAt: number;
}

/** `ended`: it was used, or is too old. `taken`: the account is another user's. `other`: the user has another account. */
export type LinkOutcome = 'tied' | 'ended' | 'taken' | 'other';

/** `waiting`: the administrator has yet to answer. `refused`: not long ago. `known`: the account has a user. */
export type AccessOutcome = 'waiting' | 'refused' | 'known' | 'off';

/** Who writes, as Telegram says. */
export interface Writer {
  readonly id: number;
  readonly name: string;
}

/** An invoice as a message of the chat. */
export interface ChatInvoice {
  /** By which Telegram names it. */
  readonly token: string;
  readonly stars: number;
}

/** What an update leads to. */
export interface UpdateEffect {
  readonly messages: readonly NewMessage[];
  readonly chats: readonly ChatRow[];
  /** null: there is no money in it. */
  readonly payment: ProviderPayment | null;
}

/** A bot that is to run: another one after each change of it. */
export interface RunningBot extends BotAccess {
  readonly row: BotRow;
}

export interface BotService {
  /** What is to run now; null: nothing is, or its secrets cannot be opened. */
  bot(): RunningBot | null;
  /** Calls the listener soon after what is to run, or what is to be sent, may have changed. Returns how to unsubscribe. */
  onChange(listener: () => void): () => void;
  /** Runs work whose outcome nobody waits for, but a stop of the panel. A failure is logged. */
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
  /** The subscription link's token of the user with this Telegram account; null: there is none. */
  findLinkToken(telegramId: number): string | null;
  /** Makes the link for the user behind a subscription link, in place of the one before; null: no user is, or no bot runs. */
  inviteBehind(link: string): Promise<Invitation | null>;
  linkAccount(token: string, telegramId: number): Promise<LinkOutcome>;
  /** Makes the account one of the administrator's; false where the link was used, or is too old. */
  pair(token: string, writer: Writer): Promise<boolean>;
  /** Checks the second factor's code of one of the administrator's accounts; what needs proof of identity can be done there for some minutes. */
  prove(telegramId: number, code: string): Promise<ChatProof>;
  hasSecondFactor(): boolean;
  /** The link for friends of the user behind a subscription link, made with the first call; null: no user is, or no one is rewarded. */
  friendLink(link: string): Promise<FriendLink | null>;
  /** Asks the administrator for access; `off`: not possible. */
  requestAccess(writer: Writer): Promise<AccessOutcome>;
  /** The bytes of a backup with a passphrase; null: there is none of this name. */
  encryptedBackup(name: string): Promise<Uint8Array | null>;
  /** Notes that an account came by a link for friends; false where no user has the link, or the account has a user already. */
  refer(code: string, telegramId: number): Promise<boolean>;
  /** Whether a provider is the Stars of the bot itself. */
  isOwnStars(providerId: number): boolean;
  /** The open invoice of an order in Stars of the bot, the same one each time. PanelError `selling_off`, `order_ended`. */
  openInChat(orderToken: string): Promise<ChatInvoice>;
  /** Why somebody who is about to pay may not; null: he may. By reads alone, as Telegram waits for 10 seconds. */
  findCheckoutRefusal(checkout: Checkout): CheckoutRefusal | null;
  /** Stores what came; how many of them are new. They may be confirmed at Telegram once this has resolved. */
  receive(botId: number, updates: readonly { readonly id: number; readonly body: string }[]): Promise<number>;
  /** Commits the effect of an update together with the mark that it is done. */
  finish(update: UpdateRow, effect: UpdateEffect): Promise<void>;
  /** Any other write of the bot. */
  write(work: (store: BotStore, now: number) => void): Promise<void>;
  /** Telegram answered, or why it did not; shown in the panel. */
  recordStatus(error: BotError | null): void;
  /** Stops it for good, as where its token was revoked; there is an audit row. */
  switchOff(bot: RunningBot, error: BotError): Promise<void>;
  prune(): Promise<void>;
}

/** Why who opened the Mini App is not signed in. `forged`: Telegram did not sign it. `unknown`: the account has no user. `wait`: too often. */
export type MiniAppRefusal = 'forged' | 'ended' | 'unknown' | 'wait';

export interface MiniApp {
  /** Where Telegram opens it; null: it cannot. */
  url(): string | null;
  /** Whether a request for a raw path below the sub path, with this Host header, is for it. */
  isAt(path: string, host: string | undefined): boolean;
  /** The token of the subscription link of who opened it, by what Telegram has signed. */
  signIn(initData: string): { readonly link: string } | MiniAppRefusal;
}
