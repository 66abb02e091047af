// The store's port for the administrator's sessions, and the browsers in which they were opened.

export interface SessionRow {
  readonly id: number;
  readonly address: string;
  readonly device: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
}

export interface NewSession extends Omit<SessionRow, 'id'> {
  /** The known browser in which it began; null: none. */
  readonly browserId: number | null;
}

export interface SessionStore {
  insert(session: NewSession, hash: string): number;
  byHash(hash: string): SessionRow | undefined;
  /** Newest first. */
  all(): readonly SessionRow[];
  touch(id: number, at: number): void;
  /** When the administrator last gave proof of identity in this session; null: never. */
  provenAt(id: number): number | null;
  /** null: invalidates an earlier proof. */
  prove(id: number, at: number | null): void;
  remove(id: number): boolean;
  removeOfBrowser(browserId: number): void;
  /** Removes all, or all but one; returns how many. */
  removeAll(exceptId: number | null): number;
  /** Removes those idle since before `idleBefore` or created before `madeBefore`. */
  removeOld(idleBefore: number, madeBefore: number): void;
}

/** A browser in which the administrator has signed in. */
export interface BrowserRow {
  readonly id: number;
  readonly signedInAt: number;
}

export interface BrowserStore {
  /** Returns its id. */
  insert(hash: string, signedInAt: number): number;
  byHash(hash: string): BrowserRow | undefined;
  touch(id: number, signedInAt: number): void;
  /** Removes all, or all but one. */
  removeAll(exceptId: number | null): void;
  /** Removes those that last signed in before `before`, and the oldest beyond `most`. */
  dropOld(before: number, most: number): void;
}
