// What can be undone, as the store has it.

/** How an act on some users is undone, of whom no other row of the act has any. */
export interface UndoRow {
  /** The audit row of the act. */
  readonly auditId: number;
  /** The first of these users. */
  readonly firstId: number;
  /** How many they are. */
  readonly users: number;
  /** JSON array. */
  readonly steps: string;
}

/** What is in here may still be undone, unless its act is too old. */
export interface UndoStore {
  append(row: UndoRow): void;
  /** Those of acts that began at `since` or later, by act and user: the first ones, until they have `users` together or more. */
  of(auditIds: readonly number[], since: number, users: number): readonly UndoRow[];
  /** When the act began; null where nothing of it is here. */
  begunAt(auditId: number): number | null;
  remove(auditId: number, firstId: number): void;
  /** Drops those of acts that began before `before`. */
  prune(before: number): void;
}
