// The ports of the core: store, time, randomness and cryptography. Only panel/ wires the implementations. Everywhere: times are epoch
// milliseconds (UTC), traffic is bytes, ids are positive safe integers and never reused.

import type { TargetFinding } from '../../contract/inbounds.ts';
import type { AdministratorStore, TwoFactorStore } from './administrator.ts';
import type { AuditStore } from './audit.ts';
import type { BackupPlaceStore } from './backup-places.ts';
import type { BotStore } from './bot.ts';
import type { BroadcastStore } from './broadcasts.ts';
import type { Journal } from './checkpointer.ts';
import type { ConnectedStore } from './connected.ts';
import type { DiskSpace, Importance } from './disk-space.ts';
import type { EventStore } from './events.ts';
import type { ImportFailure } from './host.ts';
import type { IdempotencyStore } from './idempotency.ts';
import type { ImportStore } from './imports.ts';
import type { InboundStore, ServedCertificate } from './inbounds.ts';
import type { KeyStore } from './keys.ts';
import type { LinkReadStore } from './link-reads.ts';
import type { NodeStore } from './nodes.ts';
import type { PaymentStore } from './payments.ts';
import type { PromoStore } from './promos.ts';
import type { ProviderStore } from './providers.ts';
import type { ReferralStore } from './referrals.ts';
import type { ReissueStore } from './reissues.ts';
import type { SalesStore } from './sales.ts';
import type { SealedRow, SealedStore } from './sealed.ts';
import type { BrowserStore, SessionStore } from './sessions.ts';
import type { SettingStore } from './settings.ts';
import type { SyncStore } from './sync.ts';
import type { TariffStore } from './tariffs.ts';
import type { TrafficStore, UserDayStore } from './traffic.ts';
import type { UndoStore } from './undo.ts';
import type { GrantStore, UserStore } from './users.ts';
import type { WebhookStore } from './webhooks.ts';

export interface Clock {
  now(): number;
}

/** Timers of the host, which do not prevent the process from exiting. */
export interface Timers {
  /** Runs `work` every `ms`; returns the function that stops it. */
  every(ms: number, work: () => void): () => void;
  /** Runs `work` once after `ms`; returns the function that cancels it. */
  after(ms: number, work: () => void): () => void;
  /** Runs `work` after the tasks that are queued now. */
  soon(work: () => void): void;
}

export interface Crypto {
  /** `length` bytes from a CSPRNG. */
  randomBytes(length: number): Uint8Array;
  /** A random UUID, version 4. */
  uuid(): string;
  /** SHA-256, lower-case hex. */
  sha256(text: string | Uint8Array): string;
  /** HMAC-SHA-256, base64. */
  hmacSha256(key: Uint8Array, text: string): string;
  /** A new X25519 pair, 32 bytes each in base64url. */
  newX25519(): { readonly privateKey: string; readonly publicKey: string };
  /** The public key of an X25519 private key. */
  x25519PublicKey(privateKey: string): string;
  /** The public keys of these seeds, each in base64url. */
  mlkem768PublicKey(seed: string): string;
  mldsa65PublicKey(seed: string): string;
  /** Compares two strings in constant time. */
  isEqual(a: string, b: string): boolean;
}

export interface PasswordHasher {
  /** Whether it is a common password, also with common additions. */
  isCommon(password: string): boolean;
  /** scrypt with its parameters written into the result. */
  hash(password: string): Promise<string>;
  /**
   * With null it takes as long as with a real hash and resolves to false. At most two hashes run at once, one of them for unknown browsers.
   * Rejects with PanelError `sign_in_busy` for an unknown browser if too many wait.
   */
  verify(password: string, stored: string | null, turn?: HashTurn): Promise<boolean>;
}

export interface HashTurn {
  /**
   * Failed attempts of this unknown browser: those with the fewest are next, and among equals a random one. null: a known browser, which
   * does not wait for the others.
   */
  readonly strangerAfter: number | null;
}

/** A certificate with its key, PEM (PKCS #8). */
export interface KeyedCertificate {
  readonly served: ServedCertificate;
  readonly key: string;
}

/** Certificates of inbounds with TLS. */
export interface CertificateMaker {
  /** A self-signed certificate for a host name or an address. */
  makeSelfSigned(host: string, now: number): Promise<KeyedCertificate>;
  /** The start of its validity, epoch ms. */
  startsAt(certificate: ServedCertificate): number;
  /** Whether a self-signed one is for this host only. */
  isFor(certificate: ServedCertificate, host: string): boolean;
  /** Checks form, chain, key and dates of an imported one. Returns all faults. */
  validateCertificate(chainPem: string, keyPem: string, now: number): KeyedCertificate | readonly ImportFailure[];
}

/** The site that REALITY imitates. */
export interface RealityTarget {
  readonly host: string;
  readonly port: number;
  /** The server name that its certificate must be for. */
  readonly name: string;
}

/** Probes targets of REALITY. */
export interface TargetProbe {
  /**
   * Faults of the target; null: it was not contacted, as it is in a private network or the panel closes. Never rejects; takes at most 3 s.
   */
  probeTarget(target: RealityTarget): Promise<readonly TargetFinding[] | null>;
  /** Aborts running probes. */
  close(): void;
}

/** The log. Never a secret, a link or a raw path. */
export interface Log {
  info(event: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void;
  error(event: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** What a function returned or threw. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** One SQLite file. All functions are synchronous; nothing is awaited inside a transaction. */
export interface Store {
  /** One consistent view over several reads. */
  read<T>(work: () => T): T;
  /**
   * BEGIN IMMEDIATE … COMMIT; an error rolls back. Throws PanelError `storage_full` when the disk is full. An essential write may run
   * several times, rolled back each time but the last. Inside another write it joins that transaction.
   */
  write<T>(work: () => T, importance?: Importance): T;
  /**
   * Runs works that each call `write`, in order, in one transaction: a failed one is undone alone. Throws if the commit fails, which undoes
   * all. On a full disk each has a separate transaction, so a work may run twice, undone the first time.
   */
  writeTogether(works: readonly (() => unknown)[]): readonly Outcome[];
  readonly users: UserStore;
  readonly grants: GrantStore;
  readonly tariffs: TariffStore;
  readonly imports: ImportStore;
  readonly inbounds: InboundStore;
  readonly nodes: NodeStore;
  readonly sync: SyncStore;
  readonly reissues: ReissueStore;
  readonly connected: ConnectedStore;
  readonly linkReads: LinkReadStore;
  readonly traffic: TrafficStore;
  readonly userDays: UserDayStore;
  readonly events: EventStore;
  readonly audit: AuditStore;
  readonly undo: UndoStore;
  readonly keys: KeyStore;
  readonly sessions: SessionStore;
  readonly browsers: BrowserStore;
  readonly administrator: AdministratorStore;
  readonly settings: SettingStore;
  readonly idempotency: IdempotencyStore;
  readonly sealed: SealedStore;
  readonly twoFactor: TwoFactorStore;
  readonly webhooks: WebhookStore;
  readonly providers: ProviderStore;
  readonly backupPlaces: BackupPlaceStore;
  readonly sales: SalesStore;
  readonly promos: PromoStore;
  readonly referrals: ReferralStore;
  readonly broadcasts: BroadcastStore;
  readonly payments: PaymentStore;
  readonly bot: BotStore;
  readonly diskSpace: DiskSpace;
  /** The present state of the WAL. */
  journal(): Journal;
  /** Bytes of the database file and its WAL. */
  sizeBytes(): number;
  close(): void;
}

export type VaultState = 'unlocked' | 'locked' | 'absent' | 'changed' | 'deleted' | 'headless';

/** Why a vault is in its state: the state itself, or the fault of a key file. */
export type VaultReason =
  | VaultState
  | 'key_file_missing'
  | 'key_file_changed'
  | 'key_file_unsafe'
  | 'key_file_malformed'
  | 'key_file_unusable';

/**
 * Seals secrets with the master key. `unlocked` and `headless` (a key file) work; in any other state `seal` and `open` throw PanelError
 * `vault_unavailable`. Sealed secrets are never dropped or overwritten because of the state.
 */
export interface Vault {
  state(): VaultState;
  reason(): VaultReason;
  /** Where the master key is stored: `secret-service`, `keychain`, `credential-manager`, `key-file`; null: nowhere. */
  backend(): string | null;
  /** Checks the keychain again, after it was unlocked or restarted. */
  refresh(): Promise<VaultState>;
  /**
   * Creates the master key if there is none. Must be awaited before a transaction that seals: a keychain is slow, and a secret must not be
   * stored before its key. Rejects with PanelError `vault_unavailable`.
   */
  prepare(): Promise<void>;
  /** `place` names what the row belongs to, such as `administrator:totp`: a row that was moved to another place cannot be opened. */
  seal(place: string, secret: string): SealedRow;
  open(row: SealedRow): string;
}

/** One-time codes of an authenticator app (RFC 6238: SHA-1, 6 digits, 30 s). */
export interface Totp {
  /** 160 bits from a CSPRNG, base32. */
  newSecret(): string;
  /** The otpauth URI behind the QR code. */
  uri(secret: string, account: string): string;
  /** The time step of this code, at most one step before or after now; null: none. All candidates are compared. */
  findStep(secret: string, code: string, now: number): number | null;
}
