// Why a database is not opened: a value that the hosts can show, instead of a guess from a message.

/**
 * `newer`: written by a later version of the panel. `diverged`: its migrations are not ours. `foreign`: not a database of the
 * panel. `damaged`: SQLite finds it inconsistent. `unfinished`: a bulk load broke off. `outdated`: opened for reading only, but
 * not migrated yet. `settings`: SQLite does not take the settings that keep data safe.
 */
export type RefusalReason = 'newer' | 'diverged' | 'foreign' | 'damaged' | 'unfinished' | 'outdated' | 'settings';

export interface Refusal extends Error {
  readonly name: 'DatabaseRefused';
  readonly reason: RefusalReason;
}

/** An error that says why a database was refused; the file is as it was. */
export function refusal(reason: RefusalReason, message: string): Refusal {
  return Object.assign(new Error(message), { name: 'DatabaseRefused' as const, reason });
}

export function isRefusal(error: unknown): error is Refusal {
  return error instanceof Error && error.name === 'DatabaseRefused';
}
