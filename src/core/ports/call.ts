// A call and its reply as plain data: what every door hands to the core, and what it gets back.
import type { Access } from '../../contract/operation.ts';
import type { OPERATIONS, OperationId } from '../../contract/table.ts';
import type { ActorKind } from './audit.ts';

/** Who acts. `access` decides what is shown: only `full` sees links and addresses. */
export interface Actor {
  readonly kind: ActorKind;
  readonly id: number | null;
  readonly name: string;
  readonly access: Access;
  /** The administrator's session, where there is one. */
  readonly sessionId?: number;
  /** When that ends, if it is not used. */
  readonly sessionEndsAt?: number;
}

/** One call as a door brings it. Plain data: it may cross to a worker thread. */
export interface Call {
  readonly actor: Actor;
  readonly requestId: string;
  /** The client's address; null over IPC and the control socket. */
  readonly address: string | null;
  /** The client's program and system, from its User-Agent. */
  readonly device?: string;
  /** What the browser stored when the administrator last signed in there. */
  readonly browserToken?: string;
  /** It arrived at a listening address that is being tried. */
  readonly isOnTrial?: boolean;
  /** The If-Match header. */
  readonly ifMatch?: string;
  readonly idempotency?: Idempotency;
}

/** Identifies a repetition of a call. */
export interface Idempotency {
  /** The Idempotency-Key header. */
  readonly key: string;
  /** Key id, method and path. */
  readonly scope: string;
  /** SHA-256 of the body as sent. */
  readonly fingerprint: string;
}

/** What a handler returns. `body` undefined: the operation has none. */
export interface Result<Body> {
  readonly body: Body;
  readonly etag?: string;
  /** 201 where the operation may create and did; left out: the status of the table. */
  readonly status?: number;
  /** Path below base_url of the created record. */
  readonly location?: string;
  /** For the session cookie of the panel door: set it, or null to clear it. */
  readonly sessionToken?: string | null;
  /** For the browser's own cookie of the panel door, which outlives the session. */
  readonly browserToken?: string;
  /** Nothing was changed, so nothing is stored under an Idempotency-Key. */
  readonly isDryRun?: boolean;
}

/** What a call is answered with. */
export interface Reply<Body = unknown> extends Result<Body> {
  /** The operation's success status. */
  readonly status: number;
  /** The body as JSON text, where it exists already. A replay must send exactly the bytes of the first reply. */
  readonly raw?: string;
  /** The reply of an earlier call under the same Idempotency-Key. */
  readonly replayed?: true;
}

/** The operations that the doors answer themselves: documents about them, and "Try it". */
export type DoorsOwnId = 'getMetrics' | 'getOpenApi' | 'tryApi';
/** The operations that the core handles. */
export type HandledId = Exclude<OperationId, DoorsOwnId>;
/** Those that change nothing. */
export type ReadId = {
  [Id in HandledId]: (typeof OPERATIONS)[Id] extends { readonly method: 'GET' } | { readonly effect: 'read' }
    ? Id
    : never;
}[HandledId];
