// The port of writes that would block the event loop: they run on a separate thread.
import type { ErrorCode, FieldError } from '../../contract/errors.ts';
import type { Call, HandledId, Reply } from './call.ts';
import type { Attempted } from './webhooks.ts';

/** The outcome of a write in the worker thread: the reply with its body as text, or the expected failure. Plain data, as it crosses threads. */
export type HeavyOutcome =
  | { readonly reply: Omit<Reply, 'body'> }
  /** Continues in another transaction: pass this number to `proceed`. */
  | { readonly unfinished: number }
  | { readonly code: ErrorCode; readonly errors?: readonly FieldError[]; readonly retryAfter?: number };

/**
 * A second thread with its own connection, for writes that would block the event loop too long. The core starts no other write meanwhile.
 * Operations run core/dispatch.ts#beginHeavy there, webhooks core/webhooks/sender.ts.
 */
export interface HeavyWriter {
  /** Rejects only on an unexpected failure. */
  run(operation: HandledId, input: unknown, call: Call): Promise<HeavyOutcome>;
  /** Continues an unfinished write; `unavailable` if the thread was closed since. */
  proceed(unfinished: number): Promise<HeavyOutcome>;
  /** Creates webhook deliveries from events; resolves to whether there are more. Rejects with PanelError `storage_full`. */
  enqueueDeliveries(now: number): Promise<boolean>;
  /** Records attempts of webhook deliveries. Rejects with PanelError `storage_full`. */
  recordAttempts(attempts: readonly Attempted[], now: number): Promise<void>;
}
