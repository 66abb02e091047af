// Who calls, and what a handler has at hand while its transaction is open.
import type { EventData, EventType } from '../contract/events.ts';
import type { Access } from '../contract/operation.ts';
import type { Crypto, Store, Totp, Vault } from './ports/ports.ts';
import type { ActorKind } from './ports/records.ts';
import type { SettingValues } from './ports/settings.ts';

/** Who acts. `access` decides what is shown: only `full` sees links and addresses. */
export interface Actor {
  readonly kind: ActorKind;
  readonly id: number | null;
  readonly name: string;
  readonly access: Access;
  /** The administrator's session, where there is one. */
  readonly sessionId?: number;
}

/** One call as a door brings it. Plain data: it may cross to a worker thread. */
export interface Call {
  readonly actor: Actor;
  readonly requestId: string;
  /** The client's address; null over IPC and the control socket. */
  readonly address: string | null;
  /** What the browser says it is. */
  readonly device?: string;
  /** It came by a listening place that is being tried. */
  readonly isOnTrial?: boolean;
  /** The If-Match header. */
  readonly ifMatch?: string;
  readonly idempotency?: {
    /** The Idempotency-Key header. */
    readonly key: string;
    /** Key id, method and path. */
    readonly scope: string;
    /** SHA-256 of the body as sent. */
    readonly fingerprint: string;
  };
}

/** What answers a call. `body` undefined: none. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  /** The body as it was sent the first time, for a replay. */
  readonly raw?: string;
  readonly replayed?: true;
  /** A dry run: nothing to remember under an Idempotency-Key. */
  readonly isEffectless?: boolean;
  readonly etag?: string;
  /** Path below base_url of what was made. */
  readonly location?: string;
  /** For the session cookie of the panel door: set it, or null to clear it. */
  readonly sessionToken?: string | null;
}

/** An event as subscribers hear of it, after its commit, in order. */
export interface LiveEvent {
  readonly id: number;
  readonly type: EventType;
  readonly at: number;
  readonly data: EventData;
}

/** What one operation has done, gathered while its transaction is open. */
export interface Scope {
  readonly call: Call;
  /** One moment for the whole transaction. */
  readonly now: number;
  readonly store: Store;
  readonly settings: SettingValues;
  readonly crypto: Crypto;
  readonly vault: Vault;
  readonly totp: Totp;
  /** Writes settings, in this transaction. */
  saveSettings(values: Partial<SettingValues>): void;
  /** Makes a subscription link of a token. */
  subUrl(token: string): string;
  /** Writes an event into the feed, in this transaction; subscribers hear of it after the commit. */
  emit(type: EventType, data: EventData, at?: number): void;
  /** Writes the audit row of this operation. Detail must not hold a secret. */
  audit(target: string | null, detail?: Readonly<Record<string, unknown>>, outcome?: 'done' | 'refused'): void;
}
