// The store's ports for users and their grants.

import type { Uses } from '../../contract/errors.ts';
import type { GrantState } from '../../contract/users/grants.ts';
import type { SortField, UserState } from '../../contract/users/users.ts';
import type { Account, Grant } from '../../domain/users/account.ts';
import type { Excess } from '../../domain/users/concurrency.ts';
import type { Credentials } from './credentials.ts';
import type { UpDown } from './traffic.ts';

/** Since when a user may not connect, and what moved nevertheless. */
export interface Cut extends UpDown {
  /** The change in the log of nodes by which it began. */
  readonly change: number;
  /** The node whose traffic used up the limit; null: it began otherwise. */
  readonly nodeId: number | null;
}

/** A user as stored: the account without its grants, which have rows of their own. */
export interface UserRow extends Omit<Account, 'grants' | 'heldAt'> {
  readonly heldAt: number | null;
  readonly id: number;
  readonly name: string;
  readonly contact: string;
  readonly note: string;
  readonly tags: readonly string[];
  /** Ids of the user in other systems, each unique. */
  readonly externalId: string | null;
  readonly telegramId: number | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** The state as of the last write; exact as long as `dueAt` is in the future. */
  readonly state: UserState;
  readonly tariffId: number | null;
  /** Bytes left in grants as of the last write. */
  readonly extra: number;
  /** The earliest moment at which passing time alone changes this record; null: never. */
  readonly dueAt: number | null;
  readonly deviceLimit: number | null;
  readonly concurrentLimit: number | null;
  /** null: not connected from more addresses than that, nor shortly before. */
  readonly excess: Excess | null;
  readonly inbounds: readonly number[] | null;
  readonly onlineAt: number | null;
  /** The last segment of the subscription link. */
  readonly token: string;
  /** Days of the shortest notice of the present end of the term that has been announced. */
  readonly noticeAnnounced: number | null;
  readonly expiredAnnounced: boolean;
  readonly trafficLowAnnounced: boolean;
  /** null: the user may connect, or never could. */
  readonly cut: Cut | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Grows by one with each act; the ETag. */
  readonly version: number;
}

export interface NewUser extends Omit<UserRow, 'id'> {
  readonly credentials: Credentials;
}

/** Conditions, all of which hold. A state is the true one at `now`, whatever is stored. */
export interface UserConditions {
  /** Any of these, which are distinct. */
  readonly states?: readonly UserState[] | undefined;
  readonly ids?: readonly number[] | undefined;
  readonly externalId?: string | undefined;
  readonly telegramId?: number | undefined;
  /** A member of the metadata. */
  readonly metadata?: { readonly key: string; readonly value: string } | undefined;
  /** Substring of name, contact, note, external id or a tag in any case and script, or an id in decimal. */
  readonly q?: string | undefined;
  readonly tariffId?: number | undefined;
  readonly tag?: string | undefined;
  readonly contact?: string | undefined;
  /** Bytes moved later than `now - 60 s`, or not. */
  readonly online?: boolean | undefined;
  /** Bytes moved at any time, or never. */
  readonly connected?: boolean | undefined;
  /** A fifth of the limit or less is left, or not, by what is stored. */
  readonly trafficLow?: boolean | undefined;
  /** May use an inbound of this node. */
  readonly nodeId?: number | undefined;
  /** Exclusive; users who never expire match neither bound. */
  readonly expiresBefore?: number | undefined;
  /** Inclusive. */
  readonly expiresAfter?: number | undefined;
  /** Inclusive. */
  readonly updatedSince?: number | undefined;
}

export interface PageRequest {
  readonly conditions: UserConditions;
  readonly sort: SortField;
  readonly descending: boolean;
  readonly limit: number;
  readonly offset: number;
  /** The sort value and id of the last row seen: the page begins behind it. Null value: never expires. */
  readonly after: { readonly value: string | number | null; readonly id: number } | null;
  readonly now: number;
}

export interface UserStore {
  insert(user: NewUser): number;
  get(id: number): UserRow | undefined;
  byToken(token: string): UserRow | undefined;
  /** The same with what the user presents to connect, in one statement. */
  behindLink(token: string): { readonly row: UserRow; readonly credentials: Credentials } | undefined;
  byExternalId(externalId: string): UserRow | undefined;
  byTelegramId(telegramId: number): UserRow | undefined;
  /** What the user presents to connect. Read where it is needed only, unlike the row. */
  credentials(id: number): Credentials;
  /** The highest id; 0: there are no users. */
  lastId(): number;
  /** Who presents this; `isBeginning`: something that begins with it. */
  findOwnerId(family: keyof Omit<Credentials, 'byInbound'>, value: string, isBeginning: boolean): number | undefined;
  /** Replaces all of them. */
  saveCredentials(id: number, credentials: Credentials): void;
  /** Users have the same credentials on an inbound as on another one. */
  copyInboundCredentials(from: number, to: number): void;
  /** Whether some user has this link, or one of these credentials. */
  isTaken(token: string, credentials: Credentials): boolean;
  /** Writes what differs between the two, and no more. */
  save(before: UserRow, after: UserRow): void;
  /** With its grants and its traffic over time. */
  remove(id: number): void;
  /**
   * One page and whether there is more. `used` and `state` sort by what is stored. Users who never expire come last under `expires_at`
   * ascending and first descending.
   */
  page(request: PageRequest): { readonly rows: readonly UserRow[]; readonly hasMore: boolean };
  /** Exact, at `now`. */
  count(conditions: UserConditions, now: number): number;
  /** Ids of all that match, ascending. */
  ids(conditions: UserConditions, now: number): readonly number[];
  /** Those of `ids` that match, in the order given. */
  matching(ids: readonly number[], conditions: UserConditions, now: number): readonly number[];
  /** Those of `ids` that exist, in the order given. */
  rows(ids: readonly number[]): readonly UserRow[];
  /** Users by true state at `now`, from maintained counts. */
  countsByState(now: number): Readonly<Record<UserState, number>>;
  /** Users of each tariff by true state at `now`; a tariff without users may be left out. Null: without a tariff. */
  countsByTariff(
    now: number,
  ): readonly { readonly tariffId: number | null; readonly states: Readonly<Record<UserState, number>> }[];
  /** Users whose `onlineAt` is later than `since`. */
  countOnline(since: number): number;
  /** Users, not disabled, with `from < expiresAt <= to`. */
  countExpiring(from: number, to: number): number;
  countByTariff(tariffId: number): number;
  /** Users of a tariff, and users that name an inbound. */
  usesOfTariff(tariffId: number): Uses;
  usesOfInbound(inboundId: number): Uses;
  /** Ids of the users who name an inbound, and (`hasOther`) any of the others beside it, or none of them; at most `limit`. */
  namingInbound(inboundId: number, others: readonly number[], hasOther: boolean, limit: number): readonly number[];
  /** Those with `dueAt <= now`, the earliest first. */
  due(now: number, limit: number): readonly UserRow[];
  /** Those stored as expired whose term ends after `now`, as after a clock was set back. The earliest end first. */
  endedEarly(now: number, limit: number): readonly UserRow[];
  /** The earliest `dueAt` of all. */
  nextDueAt(): number | null;
  /** Every user's row with a reset strategy, by id, for a change of time zone. */
  withResets(afterId: number, limit: number): readonly UserRow[];
  /** Every user's row with an excess of addresses, by id. */
  withExcess(afterId: number, limit: number): readonly UserRow[];
  /** Whether there is any. */
  hasExcess(): boolean;
  /** Those of `ids` with a limit of addresses who may connect but for an excess. */
  withConcurrentLimit(ids: readonly number[]): readonly UserRow[];
  /** Every user's row whose term has an end, by id, for a change of the notices before it. */
  withEnds(afterId: number, limit: number): readonly UserRow[];
}

export interface GrantRow extends Grant {
  readonly userId: number;
  readonly note: string;
}

/** A grant as stored. */
export interface StoredGrant extends GrantRow {
  /** Bytes that were left when it ended. */
  readonly bytesLost: number;
}

/** Grants of a user in a state at `now`; undefined: in any. */
export interface GrantConditions {
  readonly userId: number;
  readonly state: GrantState | undefined;
  readonly now: number;
  /** Whether the reset that ends `period` grants is due and not written yet. */
  readonly isPeriodOver: boolean;
}

export interface GrantStore {
  insert(grant: Omit<GrantRow, 'id'>): number;
  get(userId: number, id: number): StoredGrant | undefined;
  /** Newest first. `after`: only those behind this id, which are older. */
  page(conditions: GrantConditions, limit: number, offset: number, after?: number): readonly StoredGrant[];
  count(conditions: GrantConditions): number;
  latest(userId: number): StoredGrant | undefined;
  /** Those with bytes left, by id. */
  live(userId: number): readonly Grant[];
  save(
    id: number,
    rest: { readonly bytesLeft: number; readonly bytesLost: number; readonly endsAt: number | null },
  ): void;
  remove(id: number): void;
}
