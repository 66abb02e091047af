// The error for expected failures: a code of the contract and the invalid members.
import type { ErrorCode, FieldError, FieldErrorCode, InUse } from '../../contract/errors.ts';
import { MAX_ERRORS } from '../../contract/input/errors.ts';

/** Rolls back the transaction when thrown inside an operation; the doors convert it to a problem document. */
export class PanelError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[] | undefined;
  /** Retry-After in seconds (429, 503). */
  readonly retryAfter: number | undefined;

  /** The records that use the record to delete (`tariff_in_use`, `inbound_in_use`). */
  readonly inUse: InUse | undefined;

  constructor(code: ErrorCode, errors?: readonly FieldError[], retryAfter?: number, inUse?: InUse) {
    super(code);
    this.name = 'PanelError';
    this.code = code;
    this.errors = errors;
    this.retryAfter = retryAfter;
    this.inUse = inUse;
  }
}

/** Refuses to delete a record that is in use. */
export function inUseError(code: 'tariff_in_use' | 'inbound_in_use', inUse: InUse): PanelError {
  return new PanelError(code, undefined, undefined, inUse);
}

/** An error about one member of the body. */
export function bodyError(code: ErrorCode, pointer: string, reason: FieldErrorCode, message: string): PanelError {
  return new PanelError(code, [{ pointer, code: reason, message }]);
}

type Check = () => unknown;

/** Runs independent checks of one request and returns the result of the first. Throws all failures together, with the code of the first. */
export function requireAll<T>(first: () => T, ...others: readonly Check[]): T {
  let found: T;
  try {
    found = first();
  } catch (error) {
    throw joinErrors([asRefusal(error), ...collectRefusals(others)]);
  }
  const refusals = collectRefusals(others);
  if (refusals.length > 0) throw joinErrors(refusals);
  return found;
}

function collectRefusals(checks: readonly Check[]): PanelError[] {
  return checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      return [asRefusal(error)];
    }
  });
}

/** Rethrows anything other than a refusal about a field. */
function asRefusal(error: unknown): PanelError {
  if (error instanceof PanelError && error.errors !== undefined) return error;
  throw error;
}

function joinErrors(refusals: readonly PanelError[]): PanelError {
  const code = refusals[0]?.code ?? 'validation';
  const errors = refusals.flatMap((refusal) => refusal.errors ?? []);
  return new PanelError(code, errors.slice(0, MAX_ERRORS));
}
