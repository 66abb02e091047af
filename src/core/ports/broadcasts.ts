// The store's port for messages to many users.
import type { BroadcastState, PersonState } from '../../contract/bot/broadcasts.ts';
import type { UserFilter } from '../../contract/users/users.ts';
import type { Language } from '../../i18n/languages.ts';

export interface BroadcastRow {
  readonly id: number;
  /** By which a repetition is recognized. */
  readonly key: string;
  /** The bot that its people know. */
  readonly botId: number;
  /** The first is for languages without one. */
  readonly texts: readonly { readonly language: Language; readonly text: string }[];
  readonly filter: UserFilter & { readonly all?: true | undefined };
  readonly state: BroadcastState;
  readonly total: number;
  readonly sent: number;
  readonly blocked: number;
  readonly failed: number;
  /** The last user that was looked at; those behind are looked at next. */
  readonly lastUserId: number;
  /** The last user there was when it was started. */
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

/** What came of a message: null: there is no such message any more. */
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
  /** The newest first, without drafts. */
  page(before: number | undefined, limit: number): readonly BroadcastRow[];
  /** The oldest that runs, or that has messages whose end is not counted. */
  active(): BroadcastRow | undefined;
  /** Whether an older one runs. */
  isBehind(id: number): boolean;
  savePerson(person: PersonRow): void;
  countQueued(id: number): number;
  /** Queued people whose messages have ended, or are gone. */
  ended(id: number, limit: number): readonly PersonEnd[];
  people(query: {
    readonly id: number;
    readonly state: PersonState | undefined;
    readonly after: number;
    readonly limit: number;
  }): readonly PersonRow[];
  /** Of these users those with an account, and those of them to whom nothing can be sent. */
  countReachable(ids: readonly number[]): { readonly people: number; readonly blocked: number };
  /** Removes drafts that were made before. */
  pruneDrafts(before: number): void;
}
