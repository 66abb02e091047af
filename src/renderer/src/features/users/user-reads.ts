// Every user that a filter matches, page by page by cursor: none twice and none missed while others are created and deleted.

import type { QueryClient } from '@tanstack/react-query';
import type { Client } from '../../../../contract/client.ts';
import type { Sort, User } from '../../../../contract/users/users.ts';
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

// What this window has cached of users: names beside ids and known tags, without another request.

/** Every user of every cached page. */
export function knownUsers(queries: QueryClient): readonly User[] {
  return queries
    .getQueriesData<{ readonly items: readonly User[] }>({ queryKey: ['listUsers'] })
    .flatMap(([, page]) => page?.items ?? []);
}

/** Every tag of theirs, in order. */
export function knownTags(queries: QueryClient): string[] {
  return [...new Set(knownUsers(queries).flatMap(({ tags }) => tags))].sort((a, b) => a.localeCompare(b));
}
