// The entries that are here: the newest, read anew as things happen, and older ones, read as the list is scrolled. Entries never change.
import type { AuditEntry } from '../../../../contract/audit.ts';

export interface Known {
  /** The question they answer. */
  readonly key: string;
  /** The newest first, none left out between. */
  readonly items: readonly AuditEntry[];
  /** Older ones are read before this id; null: there are none. */
  readonly next: number | null;
}

interface Page {
  readonly items: readonly AuditEntry[];
  readonly next_before: number | null;
}

/** With the newest page read anew. Where more has happened than a page holds, what is here begins anew. */
export function withNewest(known: Known | null, key: string, page: Page): Known {
  const start: Known = { key, items: page.items, next: page.next_before };
  const newest = known?.items[0]?.id;
  if (known === null || known.key !== key || newest === undefined) return start;
  const fresh = page.items.filter(({ id }) => id > newest);
  const hasGap = fresh.length === page.items.length && page.next_before !== null;
  if (hasGap) return start;
  return fresh.length === 0 ? known : { ...known, items: [...fresh, ...known.items] };
}

/** With the page that was read before `known.next`. */
export function withOlder(known: Known, before: number, page: Page): Known {
  if (known.next !== before) return known;
  return { ...known, items: [...known.items, ...page.items], next: page.next_before };
}
