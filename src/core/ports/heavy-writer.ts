// The port of writes that would hold the event loop: a thread of their own.
import type { ErrorCode, FieldError } from '../../contract/errors.ts';
import type { OperationId } from '../../contract/table.ts';
import type { Call, Reply } from '../context.ts';

/** What came of a write in the worker thread: the reply, or the expected failure. Plain data, as it crosses threads. */
export type HeavyOutcome =
  | { readonly reply: Reply }
  | { readonly code: ErrorCode; readonly errors?: readonly FieldError[]; readonly retryAfter?: number };

/**
 * A second thread with a connection of its own, for writes that would hold the event loop too long. The core lets no other
 * write begin until it is done. It runs core/dispatch.ts#runHeavy over there. Rejects only on an unexpected failure.
 */
export interface HeavyWriter {
  run(operation: OperationId, input: unknown, call: Call): Promise<HeavyOutcome>;
}
