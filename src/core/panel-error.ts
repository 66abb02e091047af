// The one error for expected failures: a code of the contract, and which members are at fault.
import type { ErrorCode, FieldError } from '../contract/errors.ts';

/** Thrown inside an operation it undoes the transaction; the doors turn it into a problem document. */
export class PanelError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[] | undefined;
  /** Seconds after which a new attempt makes sense (429, 503). */
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, errors?: readonly FieldError[], retryAfter?: number) {
    super(code);
    this.name = 'PanelError';
    this.code = code;
    this.errors = errors;
    this.retryAfter = retryAfter;
  }
}

/** A failure at one member of the body. */
export function bodyError(code: ErrorCode, pointer: string, reason: string, message: string): PanelError {
  return new PanelError(code, [{ pointer, code: reason, message }]);
}
