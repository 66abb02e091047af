// Reads all users that match a filter, page by page by cursor: none is missed or read twice while others are created and deleted.

import type { QueryClient } from '@tanstack/react-query';
import type { Client } from '../../../../contract/client.ts';
import type { Sort, User } from '../../../../contract/users/users.ts';
import type { Filter } from './filter.ts';

const PAGE = 500;

interface UserPage {
  readonly users: readonly User[];
  /** The number of users on all pages. */
  readonly total: number;
}

/** Rejects with the client's error, or with the signal's reason. */
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

// Users in this window's cache: for names beside ids and known tags, without another request.

/** All users on cached pages. */
export function knownUsers(queries: QueryClient): readonly User[] {
  return queries
    .getQueriesData<{ readonly items: readonly User[] }>({ queryKey: ['listUsers'] })
    .flatMap(([, page]) => page?.items ?? []);
}

/** Their tags, sorted. */
export function knownTags(queries: QueryClient): string[] {
  return [...new Set(knownUsers(queries).flatMap(({ tags }) => tags))].sort((a, b) => a.localeCompare(b));
}
