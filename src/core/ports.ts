// What the core needs from the world: a store, time, chance and cryptography. Only panel/ wires the real ones.
// Everywhere: times are epoch milliseconds (UTC), traffic is bytes, ids are positive safe integers never used again.

import type { EventType } from '../contract/events.ts';
import type { Access } from '../contract/operation.ts';
import type { SortField, UserState } from '../contract/users.ts';
import type { Account, Grant } from '../domain/account.ts';
import type { Importance, Room } from './room.ts';

export interface Clock {
  now(): number;
}

/** Timers of the host; none of them keeps a process alive. */
export interface Timers {
  /** Runs `work` every `ms`; returns how to stop. */
  every(ms: number, work: () => void): () => void;
  /** Runs `work` after what is waiting now has had its turn. */
  soon(work: () => void): void;
}

export interface Crypto {
  /** `length` bytes from a CSPRNG. */
  randomBytes(length: number): Uint8Array;
  /** A random UUID, version 4. */
  uuid(): string;
  /** SHA-256, lower-case hex. */
  sha256(text: string | Uint8Array): string;
  /** A new X25519 pair, 32 bytes each in base64url. */
  newX25519(): { readonly privateKey: string; readonly publicKey: string };
  /** The public key of an X25519 private key. */
  x25519PublicKey(privateKey: string): string;
  /** Whether two strings are equal, in a time that tells nothing of where they differ. */
  isEqual(a: string, b: string): boolean;
}

export interface PasswordHasher {
  /** scrypt with its parameters written into the result. */
  hash(password: string): Promise<string>;
  /** With null it takes as long as with a real hash and answers false. At most two hashes run at once. */
  verify(password: string, stored: string | null): Promise<boolean>;
}

/** Where unexpected failures and notable happenings go. Never a secret, a link or a raw path. */
export interface Log {
  info(event: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void;
  error(event: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** A user as stored: the account without its grants, which live in rows of their own. */
export interface UserRow extends Omit<Account, 'grants'> {
  readonly id: number;
  readonly name: string;
  readonly contact: string;
  readonly note: string;
  readonly tags: readonly string[];
  /** The state as of the last write; exact as long as `dueAt` lies ahead. */
  readonly state: UserState;
  readonly tariffId: number | null;
  /** Bytes left in grants as of the last write. */
  readonly extra: number;
  /** The earliest moment at which passing time alone changes this record; null: never. */
  readonly dueAt: number | null;
  readonly deviceLimit: number | null;
  readonly inbounds: readonly number[] | null;
  readonly onlineAt: number | null;
  /** The last segment of the subscription link. */
  readonly token: string;
  /** Credential of vless and vmess. */
  readonly uuid: string;
  /** Credential of trojan and shadowsocks. */
  readonly password: string;
  readonly expiringAnnounced: boolean;
  readonly expiredAnnounced: boolean;
  readonly trafficLowAnnounced: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Grows by one with each act; the ETag. */
  readonly version: number;
}
export type NewUser = Omit<UserRow, 'id'>;

/** Conditions, all of which hold. `state` is the true one at `now`, whatever is stored. */
export interface UserConditions {
  readonly state?: UserState | undefined;
  /** Substring of name, contact, note or a tag in any case and script, or an id in decimal. */
  readonly q?: string | undefined;
  readonly tariffId?: number | undefined;
  readonly tag?: string | undefined;
  readonly contact?: string | undefined;
  /** Bytes moved later than `now - 60 s`, or not. */
  readonly online?: boolean | undefined;
  /** Exclusive; users who never expire match neither bound. */
  readonly expiresBefore?: number | undefined;
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
  /** Writes what differs between the two, and no more. */
  save(before: UserRow, after: UserRow): void;
  /** With its grants and its traffic over time. */
  remove(id: number): void;
  /**
   * One page and whether there is more. `used` sorts by what is stored. Users who never expire come last under `expires_at`
   * ascending and first descending.
   */
  page(request: PageRequest): { readonly rows: readonly UserRow[]; readonly hasMore: boolean };
  /** Exact, at `now`. */
  count(conditions: UserConditions, now: number): number;
  /** Ids of all that match, ascending. */
  ids(conditions: UserConditions, now: number): readonly number[];
  /** Users by true state at `now`, from maintained counts. */
  countsByState(now: number): Readonly<Record<UserState, number>>;
  /** Users whose `onlineAt` is later than `since`. */
  countOnline(since: number): number;
  /** Users, not disabled, with `from < expiresAt <= to`. */
  countExpiring(from: number, to: number): number;
  countByTariff(tariffId: number): number;
  isInboundNamed(inboundId: number): boolean;
  /** Those with `dueAt <= now`, the earliest first. */
  due(now: number, limit: number): readonly UserRow[];
  /** Those kept as expired whose term ends after `now`: a clock that was set back since. The earliest end first. */
  endedEarly(now: number, limit: number): readonly UserRow[];
  /** The earliest `dueAt` of all. */
  nextDueAt(): number | null;
  /** Every user's row with a reset strategy, by id, for a change of time zone. */
  withResets(afterId: number, limit: number): readonly UserRow[];
}

export interface GrantRow extends Grant {
  readonly userId: number;
  readonly note: string;
}

export interface GrantStore {
  insert(grant: Omit<GrantRow, 'id'>): number;
  get(userId: number, id: number): GrantRow | undefined;
  /** Newest first. */
  page(userId: number, limit: number, offset: number): readonly GrantRow[];
  count(userId: number): number;
  /** Those with bytes left, by id. */
  live(userId: number): readonly Grant[];
  save(id: number, bytesLeft: number, endsAt: number | null): void;
  remove(id: number): void;
}

export interface TariffRow {
  readonly id: number;
  readonly name: string;
  readonly trafficLimit: number | null;
  readonly duration: { readonly days: number } | { readonly months: number } | null;
  readonly deviceLimit: number | null;
  readonly resetStrategy: Account['resetStrategy'];
  readonly starts: 'on_creation' | 'on_first_use';
  readonly inbounds: readonly number[] | null;
  readonly price: { readonly amount: number; readonly currency: string } | null;
  readonly archived: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
}

export interface TariffStore {
  insert(tariff: Omit<TariffRow, 'id'>): number;
  get(id: number): TariffRow | undefined;
  save(tariff: TariffRow): void;
  remove(id: number): void;
  /** By id. */
  page(conditions: { archived?: boolean | undefined }, limit: number, offset: number): readonly TariffRow[];
  count(conditions: { archived?: boolean | undefined }): number;
  isInboundNamed(inboundId: number): boolean;
}

export interface InboundRow {
  readonly id: number;
  readonly nodeId: number;
  readonly tag: string;
  readonly name: string;
  readonly protocol: 'vless' | 'vmess' | 'trojan' | 'shadowsocks';
  readonly network: 'tcp' | 'ws' | 'grpc' | 'httpupgrade' | 'xhttp';
  readonly security: 'none' | 'tls' | 'reality';
  readonly host: string | null;
  readonly port: number;
  readonly sni: string | null;
  readonly path: string | null;
  readonly serviceName: string | null;
  readonly flow: string | null;
  readonly fingerprint: string | null;
  readonly alpn: readonly string[] | null;
  readonly publicKey: string | null;
  readonly shortId: string | null;
  readonly method: string | null;
  readonly enabled: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
}

export interface InboundStore {
  insert(inbound: Omit<InboundRow, 'id'>): number;
  get(id: number): InboundRow | undefined;
  save(inbound: InboundRow): void;
  remove(id: number): void;
  /** By id. */
  page(conditions: { nodeId?: number | undefined }, limit: number, offset: number): readonly InboundRow[];
  count(conditions: { nodeId?: number | undefined }): number;
  byTag(nodeId: number, tag: string): InboundRow | undefined;
  /** Which of these ids do not exist. */
  missing(ids: readonly number[]): readonly number[];
}

export interface NodeRow {
  readonly id: number;
  readonly name: string;
  readonly kind: 'local' | 'remote';
  /** What links point at unless a connection names its own host. */
  readonly address: string;
  readonly enabled: boolean;
  readonly status: 'up' | 'down' | 'unknown';
  readonly coreName: string | null;
  readonly coreVersion: string | null;
  /** When the engine started, by its own uptime. */
  readonly engineStartedAt: number | null;
  readonly usersOnline: number;
  readonly lastSeenAt: number | null;
  readonly errorCode: string | null;
  /** For a Full key and the panel only. */
  readonly errorText: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NodeStore {
  insert(node: Omit<NodeRow, 'id'>): number;
  get(id: number): NodeRow | undefined;
  save(node: NodeRow): void;
  /** Its traffic stays in the totals. */
  remove(id: number): void;
  /** By id. */
  page(limit: number, offset: number): readonly NodeRow[];
  count(): number;
}

export interface UpDown {
  readonly up: number;
  readonly down: number;
}
export interface Point extends UpDown {
  /** Start of the hour, or of the local day as the caller named it. */
  readonly t: number;
}

/** Where a moment falls: the start of its UTC hour, its local day `YYYY-MM-DD` and month `YYYY-MM` in the panel's time zone. */
export interface TrafficSlot {
  readonly hour: number;
  readonly day: string;
  readonly month: string;
}

export interface TrafficStore {
  addToNode(nodeId: number, slot: TrafficSlot, moved: UpDown): void;
  addToInbound(inboundId: number, moved: UpDown): void;
  addToUser(userId: number, slot: TrafficSlot, moved: UpDown): void;
  /** Hours with traffic from `from` on, by hour; of one node or of all. */
  nodeHours(from: number, nodeId: number | null): readonly Point[];
  /** Days with traffic from `firstDay` on. */
  nodeDays(firstDay: string, nodeId: number | null): readonly (UpDown & { readonly day: string })[];
  userHours(userId: number, from: number): readonly Point[];
  userDays(userId: number, firstDay: string): readonly (UpDown & { readonly day: string })[];
  /** All nodes together; both ends included. */
  sumDays(firstDay: string, lastDay: string): UpDown;
  /** Those that moved most, most first, without a scan over all users. */
  topUsers(month: string, count: number): readonly (UpDown & { readonly id: number; readonly name: string })[];
  /** Ever, all nodes together, deleted ones included; never goes down. */
  total(): UpDown;
  nodeTotals(): readonly (UpDown & { readonly nodeId: number; readonly name: string })[];
  inboundTotals(): readonly (UpDown & { readonly inboundId: number; readonly name: string })[];
  /** Drops hours before `hour` and days before `day`. */
  prune(hour: number, day: string): void;
}

export interface EventRow {
  readonly id: number;
  readonly type: EventType;
  readonly at: number;
  /** JSON of the wire's `data`. */
  readonly data: string;
}

export interface EventStore {
  /** `at` is the true moment, `writtenAt` the transaction's: what is late must not be pruned as old. */
  append(type: EventType, at: number, data: string, writtenAt: number): number;
  /** Behind `after`, in order. */
  after(after: number, limit: number, type: EventType | null): readonly EventRow[];
  /** The highest id that was pruned; 0 if none was. */
  prunedUpTo(): number;
  latestId(): number;
  /** Drops events written before `before`. */
  prune(before: number): void;
}

export type ActorKind = 'administrator' | 'key' | 'cli' | 'panel' | 'unknown';

export interface AuditRow {
  readonly id: number;
  readonly at: number;
  readonly actorKind: ActorKind;
  readonly actorId: number | null;
  readonly actorName: string;
  readonly action: string;
  readonly outcome: 'done' | 'refused';
  readonly target: string | null;
  /** JSON object; never a secret. */
  readonly detail: string;
  readonly address: string | null;
  readonly requestId: string;
}

export interface AuditQuery {
  readonly before?: number | undefined;
  readonly limit: number;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly actorKind?: ActorKind | undefined;
  readonly keyId?: number | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export interface AuditStore {
  append(entry: Omit<AuditRow, 'id'>): number;
  /** Newest first. */
  page(query: AuditQuery): readonly AuditRow[];
  prune(before: number): void;
}

export interface KeyRow {
  readonly id: number;
  readonly name: string;
  readonly access: Access;
  readonly prefix: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
  readonly lastUsedFrom: string | null;
}

export interface KeyStore {
  insert(key: Omit<KeyRow, 'id'>, hash: string): number;
  byHash(hash: string): KeyRow | undefined;
  get(id: number): KeyRow | undefined;
  /** Newest first. */
  all(): readonly KeyRow[];
  revoke(id: number, at: number): void;
  /** Revokes all that are not revoked; how many. */
  revokeAll(at: number): number;
  touch(id: number, at: number, from: string): void;
  /** Neither revoked nor expired. */
  countByAccess(now: number): Readonly<Record<Access, number>>;
}

export interface SessionRow {
  readonly id: number;
  readonly address: string;
  readonly device: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
}

export interface SessionStore {
  insert(session: Omit<SessionRow, 'id'>, hash: string): number;
  byHash(hash: string): SessionRow | undefined;
  /** Newest first. */
  all(): readonly SessionRow[];
  touch(id: number, at: number): void;
  remove(id: number): boolean;
  /** All, or all but one; how many. */
  removeAll(exceptId: number | null): number;
  /** Those idle since before `idleBefore` or made before `madeBefore`. */
  removeOld(idleBefore: number, madeBefore: number): void;
}

export interface AdministratorRow {
  readonly name: string;
  readonly passwordHash: string;
  readonly createdAt: number;
  readonly passwordChangedAt: number;
}

export interface AdministratorStore {
  get(): AdministratorRow | undefined;
  /** There is one administrator at most: the row is made or replaced. */
  put(administrator: AdministratorRow): void;
  /** Failed attempts since the last success, and when the last was made; shared by all factors. */
  attempts(): { readonly failed: number; readonly lastAt: number };
  setAttempts(failed: number, lastAt: number): void;
  /** The one-time setup token's hash and end; null if there is none. */
  setupToken(): { readonly hash: string; readonly endsAt: number } | null;
  setSetupToken(token: { readonly hash: string; readonly endsAt: number } | null): void;
}

/** What an administrator sets. Stored as one row a setting; a missing or unreadable one has its default. */
export interface SettingValues {
  readonly timeZone: string;
  readonly language: 'en' | 'ru';
  readonly panelTitle: string;
  readonly subscriptionTitle: string;
  readonly updateIntervalHours: number;
  readonly supportUrl: string | null;
  readonly announcement: string;
  /** Requests a minute per key; 0: no limit. */
  readonly rateLimit: number;
  readonly eventsKeptDays: number;
  readonly auditKeptDays: number;
  readonly host: string;
  readonly port: number;
  readonly secretPath: string;
  readonly subPath: string;
  /** Scheme, host and port that links begin with; null: the panel's own. */
  readonly publicUrl: string | null;
  /** The address in base_url; null: the LAN address listened on. */
  readonly publicAddress: string | null;
  /** A listener of its own that serves nothing but links; null: none. */
  readonly linksPort: number | null;
  readonly linksHost: string;
  /** Names accepted in Host besides the panel's own. */
  readonly hostNames: readonly string[];
  readonly trustedProxies: readonly string[];
  /** Names the cookie: cookies do not tell ports apart. */
  readonly instanceId: string;
  readonly backupSchedule: BackupScheduleValue;
  readonly backupLast: BackupOutcomeValue;
}

export interface BackupScheduleValue {
  /** null: none are made by themselves. */
  readonly everyHours: number | null;
  /** How many scheduled ones are kept. */
  readonly keep: number;
  /** With the passphrase that the vault has. */
  readonly encrypted: boolean;
}

/** What became of the scheduled backups: when the last one was made, and why the one after it was not. */
export interface BackupOutcomeValue {
  readonly at: number | null;
  readonly error: string | null;
}

export interface SettingStore {
  get(): SettingValues;
  /** Whether the setting has a row of its own. */
  has(name: keyof SettingValues): boolean;
  set(values: Partial<SettingValues>): void;
}

export interface StoredReply {
  readonly fingerprint: string;
  readonly status: number;
  /** The reply's body as it was sent. */
  readonly body: string | null;
  readonly location: string | null;
}

export interface IdempotencyStore {
  /** `scope` is key id, method and path. Replies made before `notBefore` count as gone. */
  get(scope: string, key: string, notBefore: number): StoredReply | undefined;
  put(scope: string, key: string, at: number, reply: StoredReply): void;
  prune(before: number): void;
}

/** One SQLite file. Everything is synchronous; nothing is awaited inside a transaction. */
export interface Store {
  /** One consistent view over several reads. */
  read<T>(work: () => T): T;
  /**
   * BEGIN IMMEDIATE … COMMIT; a throw undoes all. Throws PanelError `storage_full` when the disk is full. What is essential may run more
   * than once, undone each time but the last. Inside another write it is a part of that one.
   */
  write<T>(work: () => T, importance?: Importance): T;
  readonly users: UserStore;
  readonly grants: GrantStore;
  readonly tariffs: TariffStore;
  readonly inbounds: InboundStore;
  readonly nodes: NodeStore;
  readonly traffic: TrafficStore;
  readonly events: EventStore;
  readonly audit: AuditStore;
  readonly keys: KeyStore;
  readonly sessions: SessionStore;
  readonly administrator: AdministratorStore;
  readonly settings: SettingStore;
  readonly idempotency: IdempotencyStore;
  readonly sealed: SealedStore;
  readonly twoFactor: TwoFactorStore;
  readonly room: Room;
  /** Bytes of the database file and its journal. */
  sizeBytes(): number;
  close(): void;
}

export type VaultState = 'unlocked' | 'locked' | 'absent' | 'changed' | 'deleted' | 'headless';

/** A secret as stored: useless without the master key, and at any other place than its own. */
export interface SealedRow {
  readonly place: string;
  /** Which master key sealed it. */
  readonly keyId: string;
  readonly nonce: Uint8Array;
  /** With the authentication tag behind it. */
  readonly ciphertext: Uint8Array;
}

export interface SealedStore {
  get(place: string): SealedRow | undefined;
  put(row: SealedRow): void;
  remove(place: string): void;
  /** All, by place: for a backup's passphrase. */
  all(): readonly SealedRow[];
  /** The id of the master key that this database's secrets were sealed with; null while there are none. */
  keyId(): string | null;
}

/** Why a vault is in its state: the state itself, or what of a key file stands behind it. */
export type VaultReason =
  | VaultState
  | 'key_file_missing'
  | 'key_file_changed'
  | 'key_file_unsafe'
  | 'key_file_malformed'
  | 'key_file_unusable';

/**
 * Seals secrets with the master key. `unlocked` and `headless` (a key file) work; in any other state `seal` and `open` throw
 * PanelError `vault_unavailable`, and nothing sealed is ever dropped or overwritten.
 */
export interface Vault {
  state(): VaultState;
  reason(): VaultReason;
  /** Where the master key lives: `secret-service`, `keychain`, `credential-manager`, `key-file`; null if nowhere. */
  backend(): string | null;
  /** Looks at the keychain again: after it was unlocked, or came back. */
  refresh(): Promise<VaultState>;
  /**
   * Makes the master key where there is none yet. To be awaited before a transaction that seals: a keychain takes its time, and
   * a secret must not be stored before its key is. Rejects with PanelError `vault_unavailable`.
   */
  prepare(): Promise<void>;
  /** `place` is where the row belongs, as in `administrator:totp`: a row moved elsewhere does not open. */
  seal(place: string, secret: string): SealedRow;
  open(row: SealedRow): string;
}

/** One-time codes of an authenticator app (RFC 6238: SHA-1, 6 digits, 30 s). */
export interface Totp {
  /** 160 bits from a CSPRNG, base32. */
  newSecret(): string;
  /** The otpauth URI behind the QR code. */
  uri(secret: string, account: string): string;
  /** The time step whose code this is, one step either side of now allowed; null if none. All candidates are compared. */
  stepOf(secret: string, code: string, now: number): number | null;
}

export interface TwoFactorRow {
  readonly enabledAt: number;
  /** The last time step that was accepted; no step up to it is accepted again. */
  readonly lastStep: number;
}

/** The state of the second factor; its secret is sealed, recovery codes are hashes. */
export interface TwoFactorStore {
  /** null: off. */
  get(): TwoFactorRow | null;
  /** Turns it on, or with null off, which drops the recovery codes. */
  put(row: TwoFactorRow | null): void;
  /** Moves `lastStep` on; false if it is not before `step`, which is then used already. */
  spendStep(step: number): boolean;
  /** Puts these recovery codes in place of all former ones. */
  replaceCodes(hashes: readonly string[]): void;
  /** Uses a recovery code up; false if there is no such unused one. */
  spendCode(hash: string): boolean;
  countCodes(): number;
  /** Until when an enrolment that was begun may be confirmed; null if none is. */
  pending(): { readonly sessionId: number; readonly endsAt: number } | null;
  setPending(pending: { readonly sessionId: number; readonly endsAt: number } | null): void;
}
