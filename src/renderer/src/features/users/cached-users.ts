// What this window has read of users already: names beside ids and known tags, without asking anew.
import type { QueryClient } from '@tanstack/react-query';
import type { User } from '../../../../contract/users.ts';

/** Every user of every page that is still kept. */
export function knownUsers(queries: QueryClient): readonly User[] {
  return queries
    .getQueriesData<{ readonly items: readonly User[] }>({ queryKey: ['listUsers'] })
    .flatMap(([, page]) => page?.items ?? []);
}

/** Every tag of theirs, in order. */
export function knownTags(queries: QueryClient): string[] {
  return [...new Set(knownUsers(queries).flatMap(({ tags }) => tags))].sort((a, b) => a.localeCompare(b));
}
