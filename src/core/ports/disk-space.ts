// The port of disk space: whether the disk is full, and a reserve for writes that must succeed then.

/** `ordinary` writes are refused on a full disk; `essential` ones use the reserve: sign-in, revocation, and freeing space. */
export type Importance = 'ordinary' | 'essential';

/** Whether the store can write. Reads always work. */
export interface DiskSpace {
  /** Ordinary writes are refused at the moment. */
  isFull(): boolean;
  /** Called when another connection to the database met a full disk. */
  markFull(): void;
  /** Checks for free space and restores the reserve; called about every second. Never rejects. */
  recover(): Promise<void>;
}

/** Preallocated disk space that is released when the disk is full. */
export interface Reserve {
  /** `whole`; `broken` after a part was released, also across restarts; `none`: not allocated yet. */
  state(): 'whole' | 'broken' | 'none';
  /** Free bytes of the disk, without the reserve. */
  freeBytes(): number;
  bytesLeft(): number;
  /** Free bytes needed to complete it. */
  missingBytes(): number;
  /** Releases a part; false if nothing is left. */
  release(): boolean;
  /** Reallocates it if there is enough space; resolves to whether it is whole. Never rejects. */
  restore(): Promise<boolean>;
}
