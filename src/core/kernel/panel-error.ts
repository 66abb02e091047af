// The one error for expected failures: a code of the contract, and which members are at fault.
import type { ErrorCode, FieldError, FieldErrorCode, InUse } from '../../contract/errors.ts';
import { MAX_ERRORS } from '../../contract/input/errors.ts';

/** Thrown inside an operation it undoes the transaction; the doors turn it into a problem document. */
export class PanelError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[] | undefined;
  /** Seconds after which a new attempt makes sense (429, 503). */
  readonly retryAfter: number | undefined;

  /** What uses the record (`tariff_in_use`, `inbound_in_use`). */
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

/** The refusal to delete a record that others use. */
export function inUseError(code: 'tariff_in_use' | 'inbound_in_use', inUse: InUse): PanelError {
  return new PanelError(code, undefined, undefined, inUse);
}

/** A failure at one member of the body. */
export function bodyError(code: ErrorCode, pointer: string, reason: FieldErrorCode, message: string): PanelError {
  return new PanelError(code, [{ pointer, code: reason, message }]);
}

type Check = () => unknown;

/**
 * Runs the checks of one request, none of which depends on another, and returns what the first one found. Refuses with everything
 * that is wrong: the code is that of the first refusal, the failures are those of all.
 */
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

/** Throws what is no refusal of a field. */
function asRefusal(error: unknown): PanelError {
  if (error instanceof PanelError && error.errors !== undefined) return error;
  throw error;
}

function joinErrors(refusals: readonly PanelError[]): PanelError {
  const code = refusals[0]?.code ?? 'validation';
  const errors = refusals.flatMap((refusal) => refusal.errors ?? []);
  return new PanelError(code, errors.slice(0, MAX_ERRORS));
}
