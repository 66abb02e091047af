// Why the panel does not start or a command fails, other than by a defect: one sentence and an exit code.

/** Exit codes of the `panel` command. 0: done; 1: a defect; 2: wrong arguments. */
export const EXIT_CODES = {
  /** The panel refused: a wrong password, a key that does not exist. */
  refused: 3,
  /** The data folder cannot be used: not readable, not writable, not a panel's. */
  data_folder: 4,
  /** Another process owns the data folder. */
  in_use: 5,
  /** The database is not the panel's, is newer than the panel, or is damaged. */
  database: 6,
  /** The address cannot be listened on. */
  address: 7,
} as const;

export type RefusalReason = keyof typeof EXIT_CODES;
export type Refusal = Error & { readonly refusal: RefusalReason };

/** An error whose message is meant for the person at the terminal. */
export function refusal(reason: RefusalReason, message: string): Refusal {
  return Object.assign(new Error(message), { refusal: reason });
}

export function isRefusal(error: unknown): error is Refusal {
  return error instanceof Error && 'refusal' in error;
}

/** A failed system call in words: `permission denied`, `no space left on device`; the error's own message if unknown. */
export function describeSystemError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /^E[A-Z0-9]+: ([^,]+)/.exec(message)?.[1] ?? message;
}
