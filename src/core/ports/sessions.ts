// Sessions of the administrator, and the browsers that they were opened in, as the store has them.

export interface SessionRow {
  readonly id: number;
  readonly address: string;
  readonly device: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
}

export interface NewSession extends Omit<SessionRow, 'id'> {
  /** In which known browser it begins; null: in none. */
  readonly browserId: number | null;
}

export interface SessionStore {
  insert(session: NewSession, hash: string): number;
  byHash(hash: string): SessionRow | undefined;
  /** Newest first. */
  all(): readonly SessionRow[];
  touch(id: number, at: number): void;
  /** When the administrator last proved in this session who he is; null: not yet. */
  provenAt(id: number): number | null;
  /** null: a former proof no longer holds. */
  prove(id: number, at: number | null): void;
  remove(id: number): boolean;
  removeOfBrowser(browserId: number): void;
  /** All, or all but one; how many. */
  removeAll(exceptId: number | null): number;
  /** Those idle since before `idleBefore` or created before `madeBefore`. */
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
  /** All, or all but one. */
  removeAll(exceptId: number | null): void;
  /** Drops those that signed in before `before`, and the oldest beyond `most`. */
  dropOld(before: number, most: number): void;
}
