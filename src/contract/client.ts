// The typed client of both doors' operations, made from the table over whatever carries the calls: HTTP or IPC.
import { type ErrorCode, type FieldError, type Problem, problemOf } from './errors.ts';
import type { Event } from './event-types.ts';
import type { CallOf, OutputOf } from './operation.ts';
import { OPERATIONS, type OperationId } from './table.ts';

/** What a call may carry besides its input. */
export interface CallOptions {
  /** The entity tag that the record must still have; where it has another, the call fails with `precondition_failed`. */
  readonly ifMatch?: string;
  /** Repeated with the same input, the call has no second effect and gets the first reply again; for 24 hours. */
  readonly idempotencyKey?: string;
  /** Gives the call up; it then rejects with the signal's reason. What the panel has begun it still ends. */
  readonly signal?: AbortSignal;
  /** Called with the reply's entity tag, where the operation has one. */
  readonly onEtag?: (etag: string) => void;
}

/** Carries calls to a panel. */
export interface Transport {
  /**
   * Runs one operation of the panel door. `input` is the flat record of everything the operation takes. Resolves to its
   * reply, to undefined where there is none; rejects with a PanelCallError where the panel answered with a problem.
   */
  call(operationId: OperationId, input: unknown, options?: CallOptions): Promise<unknown>;
  /**
   * Live events, in order, beginning after the one with the id `lastEventId` where it is given.
   * Returns what ends the subscription.
   */
  subscribe?(listener: (event: Event) => void, lastEventId?: number): () => void;
}

/** A call that failed: the panel's problem, or `unavailable` where the panel was not reached. */
export class PanelCallError extends Error {
  override readonly name = 'PanelCallError';
  readonly problem: Problem;
  /** Seconds after which it may be tried again, from Retry-After. */
  readonly retryAfter: number | null;

  constructor(problem: Problem, options?: { readonly cause?: unknown; readonly retryAfter?: number | null }) {
    super(`${problem.detail}: ${problem.title}`, options);
    this.problem = problem;
    this.retryAfter = options?.retryAfter ?? null;
  }

  get code(): ErrorCode {
    return this.problem.detail;
  }

  /** What is wrong and where; empty where the problem is not one of single fields. */
  get errors(): readonly FieldError[] {
    return this.problem.errors ?? [];
  }
}

/** Whether a value has the form of a problem document; its code may be one that a newer panel has. */
export function isProblem(value: unknown): value is Problem {
  if (typeof value !== 'object' || value === null) return false;
  const { type, title, status, detail, instance } = value as Partial<Record<keyof Problem, unknown>>;
  return [type, title, detail, instance].every((member) => typeof member === 'string') && typeof status === 'number';
}

/** The error of a failed call: from a problem document as it is; anything else means that the panel was not reached. */
export function toPanelCallError(reason: unknown): PanelCallError {
  if (reason instanceof PanelCallError) return reason;
  if (isProblem(reason)) return new PanelCallError(reason);
  return new PanelCallError(problemOf('unavailable', 'none'), { cause: reason });
}

/** Whether a failure is a problem of this code. */
export function isProblemOf(failure: unknown, code: ErrorCode): boolean {
  return failure instanceof PanelCallError && failure.code === code;
}

type Table = typeof OPERATIONS;
type Call<Op> =
  Record<string, never> extends CallOf<Op>
    ? (input?: CallOf<Op>, options?: CallOptions) => Promise<OutputOf<Op>>
    : (input: CallOf<Op>, options?: CallOptions) => Promise<OutputOf<Op>>;

/** One method for each operation, named by its id: `client.extendUser({ id: 7, months: 1 })`. */
export type Client = { readonly [Id in OperationId]: Call<Table[Id]> };

/** A client over a transport. Every failed call rejects with a PanelCallError; one that was given up, with its signal's reason. */
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
