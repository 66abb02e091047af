// The store's port for data that undoes operations.

/** The undo data of an operation for some of its users; no two rows of an operation have a user in common. */
export interface UndoRow {
  /** The audit row of the operation. */
  readonly auditId: number;
  /** The first of these users. */
  readonly firstId: number;
  /** Number of these users. */
  readonly users: number;
  /** JSON array. */
  readonly steps: string;
}

/** Contains only what can still be undone, unless the operation is too old. */
export interface UndoStore {
  append(row: UndoRow): void;
  /** Rows of operations that began at `since` or later, by operation and user: as many as it takes to cover `users` users. */
  of(auditIds: readonly number[], since: number, users: number): readonly UndoRow[];
  /** When the operation began; null: it has no rows. */
  begunAt(auditId: number): number | null;
  remove(auditId: number, firstId: number): void;
  /** Deletes rows of operations that began before `before`. */
  prune(before: number): void;
}
