// The store's port for when users' links were last read, and by which application.

export interface LinkRead {
  readonly at: number;
  /** As in `Happ/3.1`; null: it named none. */
  readonly app: string | null;
}

export interface LinkReadStore {
  /** A user who does not exist is left out. */
  recordRead(userId: number, read: LinkRead): void;
  get(userId: number): LinkRead | undefined;
  /** Users who may connect, with ids in this range: how many have these inbounds (null: all) and read their link last with this application. */
  countByApp(
    afterId: number,
    untilId: number,
  ): readonly { readonly inbounds: readonly number[] | null; readonly app: string | null; readonly users: number }[];
}
