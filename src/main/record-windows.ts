// The windows of users' records: one for each user, brought to the front if it is open.
import type { Rectangle } from 'electron';
import { RECORD_MARK } from '../bridge/desktop-api.ts';
import { clampBounds, type ShellWindow, type WindowState } from './window.ts';

/** Default size, for a record without a list. */
export const RECORD_SIZE = { width: 720, height: 860 } as const;

/** Each window is a process with a page, and nobody needs more of them. */
const MAX_WINDOWS = 16;
/** Offset of a window from the previous one in px, so that title bars are visible. */
const STEP = 28;

/** Query and hash at which the window of a user starts. */
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

/** `create` creates the window of a user; `place` is its position among the open ones. */
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

/** The state in which the next window opens, offset from the others. */
export function steppedState(state: WindowState, place: number, areas: readonly Rectangle[]): WindowState {
  const { x, y, ...size } = clampBounds(state.bounds, areas, RECORD_SIZE);
  const bounds = { x: x + place * STEP, y: y + place * STEP, ...size };
  return { ...state, bounds: clampBounds(bounds, areas, RECORD_SIZE) };
}
