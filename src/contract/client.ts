// The typed client for the operations of both doors, derived from the table, over any transport (HTTP or IPC).
import { buildProblem, type ErrorCode, type FieldError, type Problem } from './errors.ts';
import type { Event } from './event-types.ts';
import type { CallOf, OutputOf } from './operation.ts';
import { OPERATIONS, type OperationId } from './table.ts';

/** Options of a call. */
export interface CallOptions {
  /** The entity tag that the record must still have; otherwise the call fails with `precondition_failed`. */
  readonly ifMatch?: string;
  /** Repeated with the same input within 24 hours, the call has no second effect and gets the first reply again. */
  readonly idempotencyKey?: string;
  /** Aborts the call, which then rejects with the signal's reason. The panel still completes what it has begun. */
  readonly signal?: AbortSignal;
  /** Called with the reply's entity tag, if the operation has one. */
  readonly onEtag?: (etag: string) => void;
}

/** Carries calls to a panel. */
export interface Transport {
  /**
   * Runs one operation of the panel door. `input` is the flat record of everything the operation takes. Resolves to its reply, or undefined without one; rejects with a PanelCallError if the panel answers with a problem.
   */
  call(operationId: OperationId, input: unknown, options?: CallOptions): Promise<unknown>;
  /**
   * Live events, in order, starting after the id `lastEventId` if there is one. Returns a function that ends the subscription.
   */
  subscribe?(listener: (event: Event) => void, lastEventId?: number): () => void;
}

/** A failed call: the panel's problem, or `unavailable` if the panel could not be reached. */
export class PanelCallError extends Error {
  override readonly name = 'PanelCallError';
  readonly problem: Problem;
  /** Seconds until a retry, from Retry-After. */
  readonly retryAfter: number | null;

  constructor(problem: Problem, options?: { readonly cause?: unknown; readonly retryAfter?: number | null }) {
    super(`${problem.detail}: ${problem.title}`, options);
    this.problem = problem;
    this.retryAfter = options?.retryAfter ?? null;
  }

  get code(): ErrorCode {
    return this.problem.detail;
  }

  /** The failures by field; empty if the problem is not about fields. */
  get errors(): readonly FieldError[] {
    return this.problem.errors ?? [];
  }
}

/** Whether a value has the form of a problem document, possibly with a code of a newer panel. */
export function isProblem(value: unknown): value is Problem {
  if (typeof value !== 'object' || value === null) return false;
  const { type, title, status, detail, instance } = value as Partial<Record<keyof Problem, unknown>>;
  return [type, title, detail, instance].every((member) => typeof member === 'string') && typeof status === 'number';
}

/** The error of a failed call: a problem document; anything else means that the panel could not be reached. */
export function toPanelCallError(reason: unknown): PanelCallError {
  if (reason instanceof PanelCallError) return reason;
  if (isProblem(reason)) return new PanelCallError(reason);
  return new PanelCallError(buildProblem('unavailable', 'none'), { cause: reason });
}

/** Whether a failure is a problem of this code. */
export function hasProblemCode(failure: unknown, code: ErrorCode): boolean {
  return failure instanceof PanelCallError && failure.code === code;
}

type Table = typeof OPERATIONS;
type Call<Op> =
  Record<string, never> extends CallOf<Op>
    ? (input?: CallOf<Op>, options?: CallOptions) => Promise<OutputOf<Op>>
    : (input: CallOf<Op>, options?: CallOptions) => Promise<OutputOf<Op>>;

/** One method for each operation, named by its id: `client.extendUser({ id: 7, months: 1 })`. */
export type Client = { readonly [Id in OperationId]: Call<Table[Id]> };

/** A client over a transport. A failed call rejects with a PanelCallError, an aborted one with its signal's reason. */
export function createClient(transport: Transport): Client {
  const ids = Object.keys(OPERATIONS) as OperationId[];
  const methods = ids.map(
    (id) => [id, (input: unknown = {}, options?: CallOptions) => call(transport, id, input, options)] as const,
  );
  return Object.fromEntries(methods) as unknown as Client;
}

async function call(transport: Transport, id: OperationId, input: unknown, options?: CallOptions): Promise<unknown> {
  try {
    return await transport.call(id, input, options);
  } catch (reason) {
    if (options?.signal?.aborted) throw reason;
    throw toPanelCallError(reason);
  }
}
