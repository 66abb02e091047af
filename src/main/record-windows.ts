// The windows of users' records beside the main one: one for each user, in front where it is open already.
import type { Rectangle } from 'electron';
import { RECORD_MARK } from '../bridge/desktop-api.ts';
import { clampBounds, type ShellWindow, type WindowState } from './window.ts';

/** For a record and nothing beside it. */
export const RECORD_SIZE = { width: 720, height: 860 } as const;

/** Each is a process with a page in it: more of them are not looked at. */
const MAX_WINDOWS = 16;
/** How far a window is from the one before it, in px: its title bar can be seen. */
const STEP = 28;

/** What the window of a user starts at, behind the address of the pages. */
export function recordPlace(userId: number): string {
  return `?${RECORD_MARK}#/users/${userId}`;
}

/** The user of such a place; null for any other. */
export function userOfPlace(place: string): number | null {
  const id = /^\?record#\/users\/([1-9]\d{0,14})$/.exec(place)?.[1];
  return id === undefined ? null : Number(id);
}

export interface RecordWindows {
  /** False: too many are open. */
  show(userId: number): boolean;
  all(): readonly ShellWindow[];
  closeAll(): void;
}

/** `create` makes the window of a user; `place` is its position among those that are open. */
export function createRecordWindows(
  create: (userId: number, place: number, onClosed: () => void) => ShellWindow,
): RecordWindows {
  const open = new Map<number, ShellWindow>();
  return {
    show(userId) {
      const existing = open.get(userId);
      if (existing === undefined && open.size >= MAX_WINDOWS) return false;
      const shown = existing ?? create(userId, open.size, () => open.delete(userId));
      open.set(userId, shown);
      shown.show();
      return true;
    },
    all: () => [...open.values()],
    closeAll() {
      for (const window of [...open.values()]) window.close();
    },
  };
}

/** The state in which the next window opens: beside the others instead of over them. */
export function steppedState(state: WindowState, place: number, areas: readonly Rectangle[]): WindowState {
  const { x, y, ...size } = clampBounds(state.bounds, areas, RECORD_SIZE);
  const bounds = { x: x + place * STEP, y: y + place * STEP, ...size };
  return { ...state, bounds: clampBounds(bounds, areas, RECORD_SIZE) };
}
