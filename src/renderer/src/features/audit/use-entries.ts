// Reads the log: the newest page is refreshed, older ones are read on demand.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { AuditEntry } from '../../../../contract/access/audit.ts';
import { type PanelCallError, toPanelCallError } from '../../../../contract/client.ts';
import { usePanel } from '../../data/panel.tsx';
import { useOperation } from '../../data/use-operation.ts';
import type { Reading } from '../../data/use-paged-rows.ts';
import type { Filter } from './filter.ts';

export interface Entries {
  readonly items: readonly AuditEntry[];
  readonly reading: Reading;
  /** Whether there are older entries that have not been read. */
  readonly hasMore: boolean;
  /** Why older entries could not be read. */
  readonly failure: PanelCallError | null;
  /** Reads the next older entries; does nothing while that is already running. */
  readMore(limit?: number): void;
}

const NOTHING: readonly AuditEntry[] = [];
const PAGE = 100;
/** Polled too, as sign-ins emit no event. */
const EVERY_MS = 15_000;

export function useEntries(filter: Filter): Entries {
  const { client } = usePanel();
  const key = JSON.stringify(filter);
  const newest = useOperation('listAudit', { ...filter, limit: PAGE }, { pollMs: EVERY_MS });
  const [loaded, setLoaded] = useState<LoadedEntries | null>(null);
  const [failure, setFailure] = useState<PanelCallError | null>(null);
  const reading = useRef('');

  useEffect(() => {
    const page = newest.data;
    if (page !== undefined) setLoaded((before) => addNewest(before, key, page));
  }, [newest.data, key]);

  const next = loaded !== null && loaded.key === key ? loaded.next : null;
  const readMore = useCallback(
    (limit = PAGE) => {
      const mark = `${key} ${next}`;
      if (next === null || reading.current === mark) return;
      reading.current = mark;
      setFailure(null);
      client.listAudit({ ...(JSON.parse(key) as Filter), before: next, limit }).then(
        (page) => setLoaded((before) => (before?.key === key ? addOlder(before, next, page) : before)),
        (reason: unknown) => {
          reading.current = '';
          setFailure(toPanelCallError(reason));
        },
      );
    },
    [client, key, next],
  );
  return {
    items: loaded?.items ?? NOTHING,
    reading: {
      isPending: loaded === null && newest.error === null,
      error: newest.error,
      isPlaceholderData: loaded !== null && loaded.key !== key,
      refetch: newest.refetch,
    },
    hasMore: next !== null,
    failure,
    readMore,
  };
}

// The loaded entries: the newest, which are refreshed, and older ones, which are read while scrolling. Entries never change.

export interface LoadedEntries {
  /** Identifies the filter that they match. */
  readonly key: string;
  /** Newest first, without gaps. */
  readonly items: readonly AuditEntry[];
  /** The cursor of the older entries; null: there are none. */
  readonly next: number | null;
}

interface Page {
  readonly items: readonly AuditEntry[];
  readonly next_before: number | null;
}

/** Adds a refreshed newest page. If more entries are new than a page has, the list starts over, as there would be a gap. */
export function addNewest(loaded: LoadedEntries | null, key: string, page: Page): LoadedEntries {
  const start: LoadedEntries = { key, items: page.items, next: page.next_before };
  const newest = loaded?.items[0]?.id;
  if (loaded === null || loaded.key !== key || newest === undefined) return start;
  const fresh = page.items.filter(({ id }) => id > newest);
  const hasGap = fresh.length === page.items.length && page.next_before !== null;
  if (hasGap) return start;
  return fresh.length === 0 ? loaded : { ...loaded, items: [...fresh, ...loaded.items] };
}

/** Adds the page that was read before the cursor `before`, if that is still `loaded.next`. */
export function addOlder(loaded: LoadedEntries, before: number, page: Page): LoadedEntries {
  if (loaded.next !== before) return loaded;
  return { ...loaded, items: [...loaded.items, ...page.items], next: page.next_before };
}
