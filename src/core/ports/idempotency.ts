// The store's port for replies stored under an Idempotency-Key.

export interface StoredReply {
  readonly fingerprint: string;
  readonly status: number;
  /** The reply's body, byte for byte. */
  readonly body: string | null;
  readonly location: string | null;
}

/** A part of a write that takes several transactions. */
export interface StoredPart {
  readonly fingerprint: string;
  /** JSON. */
  readonly data: string;
}

export interface IdempotencyStore {
  /** `scope` is key id, method and path. Replies stored before `notBefore` have expired. */
  get(scope: string, key: string, notBefore: number): StoredReply | undefined;
  saveReply(scope: string, key: string, at: number, reply: StoredReply): void;
  /** The parts of a write that was interrupted before its reply, in order. */
  parts(scope: string, key: string, notBefore: number): readonly StoredPart[];
  /** Adds a part; storing the reply deletes all parts. */
  addPart(scope: string, key: string, at: number, part: StoredPart): void;
  prune(before: number): void;
}
