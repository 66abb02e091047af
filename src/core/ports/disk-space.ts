// The port of disk space: whether the disk is full, and a reserve for the writes that must succeed then.

/**
 * How much a write matters. `ordinary` ones are refused while the disk is full; `essential` ones use the reserve: sign-in,
 * revocation, and what frees space.
 */
export type Importance = 'ordinary' | 'essential';

/** Whether a store can write. Reads always work. */
export interface DiskSpace {
  /** Ordinary writes are refused at the moment. */
  isFull(): boolean;
  /** To be called where another connection to the same database met a full disk. */
  markFull(): void;
  /** Checks whether there is space again and restores the reserve; to be called every second or so. Never rejects. */
  recover(): Promise<void>;
}

/** Disk space that is allocated in advance and released when the disk is full. */
export interface Reserve {
  /** `whole`; `broken` once a part of it was released, over restarts too; `none`: it could not be allocated yet. */
  state(): 'whole' | 'broken' | 'none';
  /** Free bytes of the disk, without the reserve, as the system reports them. */
  freeBytes(): number;
  bytesLeft(): number;
  /** How many free bytes it needs to become whole. */
  missingBytes(): number;
  /** Releases a part of it; false where nothing is left. */
  release(): boolean;
  /** Allocates it in full where there is space for it and some to spare; whether it is whole. Never rejects. */
  restore(): Promise<boolean>;
}
