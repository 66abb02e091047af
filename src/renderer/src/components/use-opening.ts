// Keeps a drawer's content while it slides out, and counts openings, so that each starts with fresh state.
import { useEffect, useState } from 'react';

/** Parses the path segment after that of a page: `new`, the id of a record, or null. */
export function parseRecordSegment(segment: string | undefined): 'new' | number | null {
  if (segment === 'new') return 'new';
  return segment !== undefined && /^[1-9]\d{0,15}$/.test(segment) ? Number(segment) : null;
}

export interface Opening<Value> {
  /** The open value, or the one that is still sliding out; null: none. */
  readonly shown: Value | null;
  /** Differs for each opening: use it as `key`. */
  readonly count: number;
}

/** Longer than a drawer takes to slide out; its input is then discarded. */
const LEAVING_MS = 400;

/** `value`: what is open; null: nothing. */
export function useOpening<Value extends string | number>(value: Value | null): Opening<Value> {
  const [state, setState] = useState({ value, shown: value, count: 0 });
  const isLeaving = value === null && state.shown !== null;
  useEffect(() => {
    if (!isLeaving) return;
    const timer = setTimeout(() => setState((now) => (now.value === null ? { ...now, shown: null } : now)), LEAVING_MS);
    return () => clearTimeout(timer);
  }, [isLeaving]);
  if (value === state.value) return state;
  const next = value === null ? { ...state, value } : { value, shown: value as Value | null, count: state.count + 1 };
  setState(next);
  return next;
}

/** `isOpen`, but false at first: a drawer that is open when it mounts would neither slide in nor return the focus. */
export function useSoonOpen(isOpen: boolean): boolean {
  const [isSoon, setSoon] = useState(false);
  useEffect(() => setSoon(isOpen), [isOpen]);
  return isSoon && isOpen;
}
