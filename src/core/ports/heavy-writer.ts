// The port of writes that would block the event loop: a thread of their own.
import type { ErrorCode, FieldError } from '../../contract/errors.ts';
import type { Call, HandledId, Reply } from './call.ts';
import type { Attempted } from './webhooks.ts';

/** The outcome of a write in the worker thread: the reply with its body as text, or the expected failure. Plain data, as it crosses threads. */
export type HeavyOutcome =
  | { readonly reply: Omit<Reply, 'body'> }
  /** More of it is to be done, in another transaction: the number to proceed with. */
  | { readonly unfinished: number }
  | { readonly code: ErrorCode; readonly errors?: readonly FieldError[]; readonly retryAfter?: number };

/**
 * A second thread with a connection of its own, for writes that would block the event loop too long. The core starts no other
 * write until it is done. Operations run by core/dispatch.ts#beginHeavy there, what webhooks write by core/webhooks/sender.ts.
 */
export interface HeavyWriter {
  /** Rejects only on an unexpected failure. */
  run(operation: HandledId, input: unknown, call: Call): Promise<HeavyOutcome>;
  /** Continues an unfinished write; `unavailable` where the thread was closed since. */
  proceed(unfinished: number): Promise<HeavyOutcome>;
  /** Hands events out to webhooks; whether there are more. Rejects with PanelError `storage_full`. */
  enqueueDeliveries(now: number): Promise<boolean>;
  /** Records attempts of webhooks. Rejects with PanelError `storage_full`. */
  recordAttempts(attempts: readonly Attempted[], now: number): Promise<void>;
}
