// The port of checkpoints: copies SQLite's write-ahead log into the database on a separate thread.

/** `passive` copies what readers and writers allow. `truncate` also empties the log file if it is unused; no write may begin meanwhile. */
export type CheckpointMode = 'passive' | 'truncate';

export interface Checkpointer {
  /** `full`: the disk has no space; the rest stays in the log. */
  checkpoint(mode: CheckpointMode): Promise<'done' | 'full'>;
}

/** The write-ahead log of the database. */
export interface Journal {
  readonly pages: number;
  /** Pages that are not in the database file yet. */
  readonly pending: number;
  /** The size of its file, bytes. */
  readonly bytes: number;
}
