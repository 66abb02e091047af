// The windows of records: one for each user, staggered, and closed together.
import { describe, expect, it } from 'vitest';
import { createRecordWindows, recordPlace, steppedState, userOfPlace } from './record-windows.ts';
import type { ShellWindow } from './window.ts';

function windows() {
  const log: string[] = [];
  const closings = new Map<number, () => void>();
  const records = createRecordWindows((userId, place, onClosed) => {
    log.push(`create ${userId} at ${place}`);
    closings.set(userId, onClosed);
    return { show: () => log.push(`show ${userId}`), close: onClosed } as unknown as ShellWindow;
  });
  return { log, closings, records };
}

it('is one for each user, shown again while it is open', () => {
  const { log, closings, records } = windows();
  records.show(7);
  records.show(8);
  records.show(7);
  expect(log).toEqual(['create 7 at 0', 'show 7', 'create 8 at 1', 'show 8', 'show 7']);
  closings.get(7)?.();
  expect(records.all()).toHaveLength(1);
  records.show(7);
  expect(log.slice(-2)).toEqual(['create 7 at 1', 'show 7']);
});

it('are so many at most, and those that are open are shown still', () => {
  const { records } = windows();
  const shown = Array.from({ length: 20 }, (_, index) => records.show(index + 1));
  expect(shown.filter(Boolean)).toHaveLength(16);
  expect([records.show(20), records.show(1)]).toEqual([false, true]);
});

it('are all closed with the session', () => {
  const { records } = windows();
  records.show(7);
  records.show(8);
  records.closeAll();
  expect(records.all()).toEqual([]);
});

describe('the place of a record', () => {
  it('names its user, and nothing else does', () => {
    expect(userOfPlace(recordPlace(7))).toBe(7);
    for (const place of ['', '#/users/7', '?record#/users/0', '?record#/plans/7', '?record#/users/7/x']) {
      expect(userOfPlace(place), place).toBeNull();
    }
  });

  it('is beside the window before it, and on the screen', () => {
    const screen = { x: 0, y: 0, width: 1600, height: 900 };
    const state = { bounds: null, isMaximized: false, zoom: 0 };
    expect(steppedState(state, 0, [screen]).bounds).toEqual({ x: 440, y: 20, width: 720, height: 860 });
    expect(steppedState(state, 1, [screen]).bounds).toEqual({ x: 468, y: 40, width: 720, height: 860 });
    expect(steppedState(state, 15, [screen]).bounds).toEqual({ x: 860, y: 40, width: 720, height: 860 });
  });
});
