// The store's ports for users and their grants.

import type { Uses } from '../../contract/errors.ts';
import type { GrantState } from '../../contract/users/grants.ts';
import type { SortField, UserState } from '../../contract/users/users.ts';
import type { Account, Grant } from '../../domain/users/account.ts';
import type { Excess } from '../../domain/users/concurrency.ts';
import type { Credentials } from './credentials.ts';
import type { UpDown } from './traffic.ts';

/** Since when a user is blocked, and the bytes moved despite that. */
export interface Cut extends UpDown {
  /** The change in the log of nodes that blocked the user. */
  readonly change: number;
  /** The node whose traffic used up the limit; null: another reason. */
  readonly nodeId: number | null;
}

/** A stored user: the account without its grants, which are separate rows. */
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
  /** The earliest time at which this record changes by itself; null: never. */
  readonly dueAt: number | null;
  readonly deviceLimit: number | null;
  readonly concurrentLimit: number | null;
  /** null: not connected from too many addresses, now or shortly before. */
  readonly excess: Excess | null;
  readonly inbounds: readonly number[] | null;
  readonly onlineAt: number | null;
  /** The last segment of the subscription link. */
  readonly token: string;
  /** The shortest notice of the present term's end that was announced, in days. */
  readonly noticeAnnounced: number | null;
  readonly expiredAnnounced: boolean;
  readonly trafficLowAnnounced: boolean;
  /** null: the user may connect, or never could. */
  readonly cut: Cut | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Incremented by each operation; the ETag. */
  readonly version: number;
}

export interface NewUser extends Omit<UserRow, 'id'> {
  readonly credentials: Credentials;
}

/** Conditions, all of which must hold. States are those at `now`, whatever is stored. */
export interface UserConditions {
  /** Any of these, without duplicates. */
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
  /** Whether a fifth of the limit or less is left, by stored values. */
  readonly trafficLow?: boolean | undefined;
  /** May use an inbound of this node. */
  readonly nodeId?: number | undefined;
  /** Exclusive; users who never expire match neither of the two. */
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
  /** The sort value and id of the last row on the page before. Null value: never expires. */
  readonly after: { readonly value: string | number | null; readonly id: number } | null;
  readonly now: number;
}

export interface UserStore {
  insert(user: NewUser): number;
  get(id: number): UserRow | undefined;
  byToken(token: string): UserRow | undefined;
  /** The user of a link together with the credentials, in one statement. */
  behindLink(token: string): { readonly row: UserRow; readonly credentials: Credentials } | undefined;
  byExternalId(externalId: string): UserRow | undefined;
  byTelegramId(telegramId: number): UserRow | undefined;
  /** The user's credentials. Read only when needed, unlike the row. */
  credentials(id: number): Credentials;
  /** The highest id; 0: there are no users. */
  lastId(): number;
  /** The user with this credential; `isBeginning`: one that begins with it. */
  findOwnerId(family: keyof Omit<Credentials, 'byInbound'>, value: string, isBeginning: boolean): number | undefined;
  /** Replaces all credentials. */
  saveCredentials(id: number, credentials: Credentials): void;
  /** Copies users' credentials of one inbound to another. */
  copyInboundCredentials(from: number, to: number): void;
  /** Whether any user has this link, or one of these credentials. */
  isTaken(token: string, credentials: Credentials): boolean;
  /** Writes only the differences. */
  save(before: UserRow, after: UserRow): void;
  /** Also deletes grants and traffic. */
  remove(id: number): void;
  /**
   * One page and whether there is more. `used` and `state` sort by stored values. Users who never expire come last under `expires_at`
   * ascending and first descending.
   */
  page(request: PageRequest): { readonly rows: readonly UserRow[]; readonly hasMore: boolean };
  /** Exact, at `now`. */
  count(conditions: UserConditions, now: number): number;
  /** Ids of all matching users, ascending. */
  ids(conditions: UserConditions, now: number): readonly number[];
  /** Those of `ids` that match, in the given order. */
  matching(ids: readonly number[], conditions: UserConditions, now: number): readonly number[];
  /** Those of `ids` that exist, in the given order. */
  rows(ids: readonly number[]): readonly UserRow[];
  /** Users by their state at `now`, from maintained counts. */
  countsByState(now: number): Readonly<Record<UserState, number>>;
  /** Users of each tariff by their state at `now`; tariffs without users may be missing. null: without a tariff. */
  countsByTariff(
    now: number,
  ): readonly { readonly tariffId: number | null; readonly states: Readonly<Record<UserState, number>> }[];
  /** Users whose `onlineAt` is later than `since`. */
  countOnline(since: number): number;
  /** Users that are not disabled, with `from < expiresAt <= to`. */
  countExpiring(from: number, to: number): number;
  countByTariff(tariffId: number): number;
  /** Users of a tariff, and users that list an inbound. */
  usesOfTariff(tariffId: number): Uses;
  usesOfInbound(inboundId: number): Uses;
  /** Ids of users who list an inbound and, by `hasOther`, at least one or none of the others; at most `limit`. */
  namingInbound(inboundId: number, others: readonly number[], hasOther: boolean, limit: number): readonly number[];
  /** Users with `dueAt <= now`, the earliest first. */
  due(now: number, limit: number): readonly UserRow[];
  /** Users stored as expired whose term ends after `now`, as after a clock was set back. The earliest end first. */
  endedEarly(now: number, limit: number): readonly UserRow[];
  /** The earliest `dueAt` of all. */
  nextDueAt(): number | null;
  /** Every user's row with a reset strategy, by id, for a change of time zone. */
  withResets(afterId: number, limit: number): readonly UserRow[];
  /** Rows with an excess of addresses, by id. */
  withExcess(afterId: number, limit: number): readonly UserRow[];
  /** Whether any user has one. */
  hasExcess(): boolean;
  /** Those of `ids` with an address limit who may connect, apart from an excess. */
  withConcurrentLimit(ids: readonly number[]): readonly UserRow[];
  /** Rows whose term has an end, by id, for a change of the notice days. */
  withEnds(afterId: number, limit: number): readonly UserRow[];
}

export interface GrantRow extends Grant {
  readonly userId: number;
  readonly note: string;
}

/** A grant as stored. */
export interface StoredGrant extends GrantRow {
  /** Bytes left when it ended. */
  readonly bytesLost: number;
}

/** A user's grants in a state at `now`; undefined: in any. */
export interface GrantConditions {
  readonly userId: number;
  readonly state: GrantState | undefined;
  readonly now: number;
  /** Whether the reset that ends `period` grants is due but not written yet. */
  readonly isPeriodOver: boolean;
}

export interface GrantStore {
  insert(grant: Omit<GrantRow, 'id'>): number;
  get(userId: number, id: number): StoredGrant | undefined;
  /** Newest first. `after`: only those after this id, which are older. */
  page(conditions: GrantConditions, limit: number, offset: number, after?: number): readonly StoredGrant[];
  count(conditions: GrantConditions): number;
  latest(userId: number): StoredGrant | undefined;
  /** Grants with bytes left, by id. */
  live(userId: number): readonly Grant[];
  save(
    id: number,
    rest: { readonly bytesLeft: number; readonly bytesLost: number; readonly endsAt: number | null },
  ): void;
  remove(id: number): void;
}
