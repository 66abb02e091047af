// The address after `#` is the router's only state. Navigation adds history entries, so Back works everywhere.
import { useEffect } from 'react';
import { create } from 'zustand';
import { buildHash, changedQuery, parseRoute, type Route } from './route.ts';

interface Location {
  readonly hash: string;
  readonly route: Route;
  /** The number of forms on screen with unsaved input. */
  readonly holds: number;
  /** The address that the browser already shows, while the question about unsaved input is open; null: none. */
  readonly waiting: { readonly hash: string; readonly isNew: boolean } | null;
}

function readLocation(): Pick<Location, 'hash' | 'route'> {
  const hash = globalThis.location?.hash ?? '';
  return { hash, route: parseRoute(hash) };
}

const useLocation = create<Location>()(() => ({ ...readLocation(), holds: 0, waiting: null }));

/** `isDecided`: skips the question about unsaved input. */
function followLocation(isDecided: boolean): void {
  const { hash: previous, route, holds, waiting } = useLocation.getState();
  if (location.hash === previous) {
    if (waiting !== null) useLocation.setState({ waiting: null });
    return;
  }
  if (location.hash === waiting?.hash && !isDecided) return;
  // A history entry stores its previous one, so that closing a drawer can go back instead of adding an entry.
  const isNew = history.state === null;
  if (isNew) history.replaceState({ from: previous }, '');
  const next = readLocation();
  const isElsewhere = next.route.path.join('/') !== route.path.join('/');
  if (holds > 0 && isElsewhere && !isDecided) useLocation.setState({ waiting: { hash: next.hash, isNew } });
  else useLocation.setState({ ...next, waiting: null });
}

/** `leave` has called history.back, and the browser has not navigated yet. */
let isLeaving = false;

if (globalThis.history?.state === null) history.replaceState({ from: null }, '');
globalThis.addEventListener?.('hashchange', () => {
  followLocation(isLeaving);
  isLeaving = false;
});

/** The present route; the component renders again when it changes. */
export function useRoute(): Route {
  return useLocation(({ route }) => route);
}

/** The present route, for use outside components. */
export function currentRoute(): Route {
  return useLocation.getState().route;
}

/** Navigates to a hash. `replace`: adds no history entry, as while typing into a filter, and skips the question about unsaved input. */
export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (to !== location.hash) {
    if (replace) history.replaceState(history.state, '', to);
    else location.hash = to;
  }
  // At once, without waiting for the hashchange event: the next change must start from this route.
  followLocation(replace);
}

/**
 * Closes the open record and navigates to its parent, without the question about unsaved input: goes back if that is the previous entry,
 * else replaces this entry.
 */
export function leave(to: string): void {
  const from: unknown = history.state?.from;
  if (from === to && to !== location.hash) {
    isLeaving = true;
    history.back();
  } else navigate(to, { replace: true });
}

/** Changes query parameters; null removes one. Replaces the history entry unless `push`. */
export function setQuery(change: Record<string, string | number | boolean | null>, { push = false } = {}): void {
  const { path, query } = currentRoute();
  navigate(buildHash(path, changedQuery(query, change)), { replace: !push });
}

/** While `isOn`, navigation to another path waits for an answer: `isWaiting` is true until `proceed` or `cancelNavigation`. */
export function useHold(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return;
    const change = (by: 1 | -1) => useLocation.setState(({ holds }) => ({ holds: holds + by }));
    change(1);
    return () => change(-1);
  }, [isOn]);
}

/** Whether a form on screen has unsaved input. */
export function isHeld(): boolean {
  return useLocation.getState().holds > 0;
}

export function useIsWaiting(): boolean {
  return useLocation(({ waiting }) => waiting !== null);
}

/** Navigates to the address that the browser already shows. */
export function proceed(): void {
  useLocation.setState({ ...readLocation(), waiting: null });
}

/** Stays on the page and restores its address. */
export function cancelNavigation(): void {
  const { hash, waiting } = useLocation.getState();
  if (waiting === null) return;
  useLocation.setState({ waiting: null });
  if (waiting.isNew) history.back();
  else history.replaceState(history.state, '', hash);
}
