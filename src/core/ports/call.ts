// Calls and replies as plain data, between doors and the core.
import type { Access } from '../../contract/operation.ts';
import type { OPERATIONS, OperationId } from '../../contract/table.ts';
import type { ActorKind } from './audit.ts';

/** The acting party. `access` decides what is visible: only `full` sees links and addresses. */
export interface Actor {
  readonly kind: ActorKind;
  readonly id: number | null;
  readonly name: string;
  readonly access: Access;
  /** The administrator's session, if any. */
  readonly sessionId?: number;
  /** When the session ends if unused, epoch ms. */
  readonly sessionEndsAt?: number;
}

/** One call from a door. Plain data: it may cross to a worker thread. */
export interface Call {
  readonly actor: Actor;
  readonly requestId: string;
  /** The client's address; null over IPC and the control socket. */
  readonly address: string | null;
  /** The client's program and system, from its User-Agent. */
  readonly device?: string;
  /** The browser token stored at the last sign-in. */
  readonly browserToken?: string;
  /** The call arrived at a listening address on trial. */
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

/** A handler's result. `body` undefined: no body. */
export interface Result<Body> {
  readonly body: Body;
  readonly etag?: string;
  /** 201 if the operation created something; default: the status of the table. */
  readonly status?: number;
  /** Path below base_url of the created record. */
  readonly location?: string;
  /** Session cookie of the panel door: set it, or null to clear it. */
  readonly sessionToken?: string | null;
  /** Browser cookie of the panel door, which outlives the session. */
  readonly browserToken?: string;
  /** Nothing was changed, so nothing is stored under the Idempotency-Key. */
  readonly isDryRun?: boolean;
}

/** The reply to a call. */
export interface Reply<Body = unknown> extends Result<Body> {
  /** The operation's success status. */
  readonly status: number;
  /** The body as JSON text, if it exists already. A replay must send the same bytes as the first reply. */
  readonly raw?: string;
  /** The reply of an earlier call under the same Idempotency-Key. */
  readonly replayed?: true;
}

/** Operations that the doors handle themselves: documents, and "Try it". */
export type DoorsOwnId = 'getMetrics' | 'getOpenApi' | 'tryApi';
/** The operations that the core handles. */
export type HandledId = Exclude<OperationId, DoorsOwnId>;
/** Those that change nothing. */
export type ReadId = {
  [Id in HandledId]: (typeof OPERATIONS)[Id] extends { readonly method: 'GET' } | { readonly effect: 'read' }
    ? Id
    : never;
}[HandledId];
