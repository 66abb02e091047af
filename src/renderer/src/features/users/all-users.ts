// Every user that a filter matches, page by page by cursor: nobody twice and nobody missed while others come and go.
import type { Client } from '../../../../contract/client.ts';
import type { Sort, User } from '../../../../contract/users.ts';
import type { Filter } from './filter.ts';

const PAGE = 500;

interface UserPage {
  readonly users: readonly User[];
  /** How many there are on all pages. */
  readonly total: number;
}

/** Rejects as the client does; with the signal's reason where it was given up. */
export async function* allUsers(
  client: Client,
  filter: Filter,
  sort: Sort,
  signal: AbortSignal,
): AsyncGenerator<UserPage, void, undefined> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await client.listUsers(
      { ...filter, sort, limit: PAGE, ...(cursor !== undefined && { cursor }) },
      { signal },
    );
    yield { users: page.items, total: page.total };
    cursor = page.next_cursor;
  }
}
