// The router: the hash is the only state. Going somewhere is a history entry, so Back works everywhere.
import { useSyncExternalStore } from 'react';
import { changedQuery, hashOf, type Place, readPlace } from './place.ts';

const listeners = new Set<() => void>();
let hash = globalThis.location?.hash ?? '';
let place = readPlace(hash);

function notice(): void {
  const previous = hash;
  hash = location.hash;
  if (hash === previous) return;
  place = readPlace(hash);
  // A new entry remembers where one came from, so that closing a drawer can go back instead of forth.
  if (history.state === null) history.replaceState({ from: previous }, '');
  for (const listener of listeners) listener();
}

if (globalThis.history?.state === null) history.replaceState({ from: null }, '');
globalThis.addEventListener?.('hashchange', notice);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Where one is; the component renders anew when that changes. */
export function usePlace(): Place {
  return useSyncExternalStore(subscribe, () => place);
}

/** Where one is at this moment, for what is no component. */
export function currentPlace(): Place {
  return place;
}

/** Goes to a hash. `replace`: Back will not come here again, as while typing into a filter. */
export function go(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (to === location.hash) return;
  if (replace) {
    history.replaceState(history.state, '', to);
    notice();
  } else {
    location.hash = to;
  }
}

/** Leaves for the place above this one: back where one came from there, else in place of this entry. */
export function leave(to: string): void {
  const from: unknown = history.state?.from;
  if (from === to) history.back();
  else go(to, { replace: true });
}

/** Changes members of the query where one is; null takes one out. Replaces the entry unless `push`. */
export function setQuery(change: Record<string, string | number | boolean | null>, { push = false } = {}): void {
  go(hashOf(place.path, changedQuery(place.query, change)), { replace: !push });
}
