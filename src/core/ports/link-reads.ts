// The store's port for when users' links were last read, and by which app.

export interface LinkRead {
  readonly at: number;
  /** Such as `Happ/3.1`; null: it named none. */
  readonly app: string | null;
}

export interface LinkReadStore {
  /** Ignores unknown users. */
  recordRead(userId: number, read: LinkRead): void;
  get(userId: number): LinkRead | undefined;
  /** Counts users who may connect, with ids in this range, by their inbounds (null: all) and the app that last read their link. */
  countByApp(
    afterId: number,
    untilId: number,
  ): readonly { readonly inbounds: readonly number[] | null; readonly app: string | null; readonly users: number }[];
}
