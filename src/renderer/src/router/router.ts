// The address behind `#` is the only state of the router. Going somewhere is a history entry, so Back works everywhere.
import { create } from 'zustand';
import { changedQuery, hashOf, parseRoute, type Route } from './route.ts';

interface Location {
  readonly hash: string;
  readonly route: Route;
}

function readLocation(): Location {
  const hash = globalThis.location?.hash ?? '';
  return { hash, route: parseRoute(hash) };
}

const useLocation = create<Location>()(readLocation);

function followLocation(): void {
  const previous = useLocation.getState().hash;
  if (location.hash === previous) return;
  // A new history entry remembers the one before it, so that closing a drawer can go back instead of forth.
  if (history.state === null) history.replaceState({ from: previous }, '');
  useLocation.setState(readLocation());
}

if (globalThis.history?.state === null) history.replaceState({ from: null }, '');
globalThis.addEventListener?.('hashchange', followLocation);

/** The present route; the component renders again when it changes. */
export function useRoute(): Route {
  return useLocation(({ route }) => route);
}

/** The route at this moment, outside of components. */
export function currentRoute(): Route {
  return useLocation.getState().route;
}

/** Goes to a hash. `replace`: Back will not come here again, as while typing into a filter. */
export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (to === location.hash) return;
  if (replace) history.replaceState(history.state, '', to);
  else location.hash = to;
  // Without waiting for the hashchange event: the next change must start from this route.
  followLocation();
}

/** Closes what is open for the route above it: goes back if that is the previous entry, else replaces this entry. */
export function leave(to: string): void {
  const from: unknown = history.state?.from;
  if (from === to) history.back();
  else navigate(to, { replace: true });
}

/** Changes members of the query; null removes one. Replaces the entry unless `push`. */
export function setQuery(change: Record<string, string | number | boolean | null>, { push = false } = {}): void {
  const { path, query } = currentRoute();
  navigate(hashOf(path, changedQuery(query, change)), { replace: !push });
}
