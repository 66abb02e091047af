// The port of checkpoints: writing the database's journal into its file on a thread of its own, beside requests.

/**
 * `passive` writes what it can beside readers and writers. `truncate` also empties the journal's file, where nothing else uses it;
 * no write may begin meanwhile.
 */
export type CheckpointMode = 'passive' | 'truncate';

export interface Checkpointer {
  /** `full`: the disk has no space for it. What was not written stays in the journal. */
  checkpoint(mode: CheckpointMode): Promise<'done' | 'full'>;
}

/** The journal of the database. */
export interface Journal {
  readonly pages: number;
  /** Pages that are not in the database file yet. */
  readonly pending: number;
  /** The size of its file, bytes. */
  readonly bytes: number;
}
