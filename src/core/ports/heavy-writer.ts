// The port of writes that would block the event loop: a thread of their own.
import type { ErrorCode, FieldError } from '../../contract/errors.ts';
import type { Call, HandledId, Reply } from '../call.ts';

/** The outcome of a write in the worker thread: the reply with its body as text, or the expected failure. Plain data, as it crosses threads. */
export type HeavyOutcome =
  | { readonly reply: Omit<Reply, 'body'> }
  /** More of it is to be done, in another transaction: the number to proceed with. */
  | { readonly unfinished: number }
  | { readonly code: ErrorCode; readonly errors?: readonly FieldError[]; readonly retryAfter?: number };

/**
 * A second thread with a connection of its own, for writes that would block the event loop too long. The core starts no other
 * write until it is done. It runs core/dispatch.ts#beginHeavy there. Rejects only on an unexpected failure.
 */
export interface HeavyWriter {
  run(operation: HandledId, input: unknown, call: Call): Promise<HeavyOutcome>;
  /** Continues an unfinished write; `unavailable` where the thread was closed since. */
  proceed(unfinished: number): Promise<HeavyOutcome>;
}
