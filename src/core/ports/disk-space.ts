// DiskSpace on the disk: what is kept back for the time when there is none, and whether that time is now.

/**
 * How much a write matters. `ordinary` ones are refused while the disk is full; `essential` ones are made of the reserve: what lets the
 * administrator in, what takes access away, and what frees room.
 */
export type Importance = 'ordinary' | 'essential';

/** Whether a store can write. It goes on reading in any case. */
export interface DiskSpace {
  /** Ordinary writes are refused at the moment. */
  isFull(): boolean;
  /** To be told where another connection to the same database met a full disk. */
  markFull(): void;
  /** Looks whether there is room again and keeps a reserve of it; to be called every second or so. Rejects on no account. */
  recover(): Promise<void>;
}

/** Bytes on the disk that nothing is written to as long as there are others. */
export interface Reserve {
  /** `whole`; `broken` once a piece of it was given back, over restarts too; `none`: it could not be made yet. */
  state(): 'whole' | 'broken' | 'none';
  /** Free bytes of the disk, without the reserve, as far as the system tells. */
  freeBytes(): number;
  bytesLeft(): number;
  /** How many free bytes it needs to become whole. */
  missingBytes(): number;
  /** Gives a piece of it back to the disk; false where nothing is left. */
  release(): boolean;
  /** Makes it whole where there is room for it and some to spare; whether it is. Never rejects. */
  restore(): Promise<boolean>;
}
