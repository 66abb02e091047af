// The address behind `#` is the only state of the router. Going somewhere is a history entry, so Back works everywhere.
import { useEffect } from 'react';
import { create } from 'zustand';
import { buildHash, changedQuery, parseRoute, type Route } from './route.ts';

interface Location {
  readonly hash: string;
  readonly route: Route;
  /** How many forms on screen have input that going elsewhere would discard. */
  readonly holds: number;
  /** The address that the browser has already, while the route waits for an answer; null: nothing waits. */
  readonly waiting: { readonly hash: string; readonly isNew: boolean } | null;
}

function readLocation(): Pick<Location, 'hash' | 'route'> {
  const hash = globalThis.location?.hash ?? '';
  return { hash, route: parseRoute(hash) };
}

const useLocation = create<Location>()(() => ({ ...readLocation(), holds: 0, waiting: null }));

/** `isDecided`: a form in the way has done its work, or was asked for already. */
function followLocation(isDecided: boolean): void {
  const { hash: previous, route, holds, waiting } = useLocation.getState();
  if (location.hash === previous) {
    if (waiting !== null) useLocation.setState({ waiting: null });
    return;
  }
  if (location.hash === waiting?.hash && !isDecided) return;
  // A new history entry remembers the one before it, so that closing a drawer can go back instead of forth.
  const isNew = history.state === null;
  if (isNew) history.replaceState({ from: previous }, '');
  const next = readLocation();
  const isElsewhere = next.route.path.join('/') !== route.path.join('/');
  if (holds > 0 && isElsewhere && !isDecided) useLocation.setState({ waiting: { hash: next.hash, isNew } });
  else useLocation.setState({ ...next, waiting: null });
}

/** `leave` went back, and the browser has not yet arrived. */
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

/** The route at this moment, outside of components. */
export function currentRoute(): Route {
  return useLocation.getState().route;
}

/** Goes to a hash. `replace`: Back will not come here again, as while typing into a filter, and no form is asked. */
export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (to !== location.hash) {
    if (replace) history.replaceState(history.state, '', to);
    else location.hash = to;
  }
  // Without waiting for the hashchange event: the next change must start from this route.
  followLocation(replace);
}

/** Closes what is open for the route above it, without asking its form: goes back if that is the previous entry, else replaces this entry. */
export function leave(to: string): void {
  const from: unknown = history.state?.from;
  if (from === to && to !== location.hash) {
    isLeaving = true;
    history.back();
  } else navigate(to, { replace: true });
}

/** Changes members of the query; null removes one. Replaces the entry unless `push`. */
export function setQuery(change: Record<string, string | number | boolean | null>, { push = false } = {}): void {
  const { path, query } = currentRoute();
  navigate(buildHash(path, changedQuery(query, change)), { replace: !push });
}

/** While `isOn`, going to another path waits for an answer: `isWaiting` is true until `proceed` or `cancelNavigation`. */
export function useHold(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return;
    const change = (by: 1 | -1) => useLocation.setState(({ holds }) => ({ holds: holds + by }));
    change(1);
    return () => change(-1);
  }, [isOn]);
}

/** Whether a form has input that going elsewhere would discard. */
export function isHeld(): boolean {
  return useLocation.getState().holds > 0;
}

export function useIsWaiting(): boolean {
  return useLocation(({ waiting }) => waiting !== null);
}

/** Goes where the address leads already. */
export function proceed(): void {
  useLocation.setState({ ...readLocation(), waiting: null });
}

/** Stays, and gives the address back. */
export function cancelNavigation(): void {
  const { hash, waiting } = useLocation.getState();
  if (waiting === null) return;
  useLocation.setState({ waiting: null });
  if (waiting.isNew) history.back();
  else history.replaceState(history.state, '', hash);
}
