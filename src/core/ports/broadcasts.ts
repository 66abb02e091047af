// The store's port for messages to many users.
import type { BroadcastState, PersonState } from '../../contract/bot/broadcasts.ts';
import type { UserFilter } from '../../contract/users/users.ts';
import type { Language } from '../../i18n/languages.ts';

export interface BroadcastRow {
  readonly id: number;
  /** Deduplicates repeated requests. */
  readonly key: string;
  /** The bot of the recipients' chats. */
  readonly botId: number;
  /** The first one is for users without a text in their language. */
  readonly texts: readonly { readonly language: Language; readonly text: string }[];
  readonly filter: UserFilter & { readonly all?: true | undefined };
  readonly state: BroadcastState;
  readonly total: number;
  readonly sent: number;
  readonly blocked: number;
  readonly failed: number;
  /** The last examined user; the next ones follow by id. */
  readonly lastUserId: number;
  /** The last user at the start. */
  readonly untilUserId: number;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

export interface PersonRow {
  readonly broadcastId: number;
  readonly userId: number;
  readonly state: PersonState;
  readonly error: string | null;
  readonly at: number;
}

/** The result of a message; null: the message was deleted. */
export interface PersonEnd {
  readonly userId: number;
  readonly messageId: number | null;
  readonly error: string | null;
}

export interface BroadcastStore {
  insert(broadcast: Omit<BroadcastRow, 'id'>): number;
  save(broadcast: BroadcastRow): void;
  get(id: number): BroadcastRow | undefined;
  byKey(key: string): BroadcastRow | undefined;
  /** Newest first, without drafts. */
  page(before: number | undefined, limit: number): readonly BroadcastRow[];
  /** The oldest that runs or has uncounted results. */
  active(): BroadcastRow | undefined;
  /** Whether an older one runs. */
  isBehind(id: number): boolean;
  savePerson(person: PersonRow): void;
  countQueued(id: number): number;
  /** Queued recipients whose messages have ended or were deleted. */
  ended(id: number, limit: number): readonly PersonEnd[];
  people(query: {
    readonly id: number;
    readonly state: PersonState | undefined;
    readonly after: number;
    readonly limit: number;
  }): readonly PersonRow[];
  /** The number of these users with a linked account, and of those that cannot be messaged. */
  countReachable(ids: readonly number[]): { readonly people: number; readonly blocked: number };
  /** Deletes drafts created before. */
  pruneDrafts(before: number): void;
}
