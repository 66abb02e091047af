// The window opens in its last state on the present screens, if possible, and in the color of the pages.
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BACKGROUND } from './desktop-windows.ts';
import { clampBounds, createShellWindow, stateOn, type WindowStates, withStateOn } from './window.ts';

const primary = { x: 0, y: 0, width: 1600, height: 1000 };
const second = { x: 1600, y: 100, width: 1280, height: 800 };

describe('clampBounds', () => {
  it.each([
    ['none stored: in the middle', null, { x: 140, y: 70, width: 1320, height: 860 }],
    ['unchanged', { x: 40, y: 30, width: 900, height: 700 }, { x: 40, y: 30, width: 900, height: 700 }],
    [
      'on the second screen',
      { x: 1700, y: 200, width: 900, height: 600 },
      { x: 1700, y: 200, width: 900, height: 600 },
    ],
    ['half outside: moved in', { x: 1500, y: 30, width: 900, height: 700 }, { x: 700, y: 30, width: 900, height: 700 }],
    [
      'its screen is gone: in the middle',
      { x: 4000, y: 0, width: 900, height: 700 },
      { x: 140, y: 70, width: 1320, height: 860 },
    ],
    [
      'below all screens: in the middle',
      { x: 0, y: 1200, width: 900, height: 700 },
      { x: 140, y: 70, width: 1320, height: 860 },
    ],
    ['larger than the screen: as large as the screen', { x: 0, y: 0, width: 9000, height: 9000 }, primary],
    ['too small: the minimum', { x: 5, y: 5, width: 100, height: 1 }, { x: 5, y: 5, width: 480, height: 480 }],
  ])('%s', (_what, before, after) => {
    expect(clampBounds(before, [primary, second])).toEqual(after);
  });

  it('works without any screen', () => {
    expect(clampBounds(null, [])).toEqual({ x: 0, y: 0, width: 1320, height: 860 });
  });
});

describe('the state of the window', () => {
  const laptop = { bounds: { x: 0, y: 0, width: 900, height: 700 }, isMaximized: true, zoom: 0 };
  const desk = { bounds: { x: 1700, y: 120, width: 1200, height: 700 }, isMaximized: false, zoom: 1 };

  it('is remembered for each arrangement of screens', () => {
    const states = withStateOn([primary, second], withStateOn([primary], {}, laptop), desk);
    expect(stateOn([primary], states)).toEqual(laptop);
    expect(stateOn([primary, second], states)).toEqual(desk);
  });

  it('is the latest one on other screens, and the first one where there is none', () => {
    const states = withStateOn([primary, second], withStateOn([primary], {}, laptop), desk);
    expect(stateOn([second], states)).toEqual(desk);
    expect(stateOn([second], withStateOn([primary], states, laptop))).toEqual(laptop);
    expect(stateOn([primary], {})).toEqual({ bounds: null, isMaximized: false, zoom: 0 });
  });

  it('of the oldest arrangement goes where there are too many', () => {
    let states: WindowStates = {};
    for (let x = 0; x < 20; x++) states = withStateOn([{ ...primary, x }], states, { ...laptop, zoom: x });
    expect(Object.values(states).map(({ zoom }) => zoom)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
  });
});

it('has the background of the pages before they are painted', () => {
  const tokens = readFileSync(join(import.meta.dirname, '../renderer/src/theme/tokens.css'), 'utf8');
  const [light, dark] = [...tokens.matchAll(/--g-page: (#[\da-f]{6});/g)].map(([, color]) => color);
  expect(BACKGROUND).toEqual({ light, dark });
  const made: unknown[] = [];
  class FakeWindow extends EventEmitter {
    readonly webContents = Object.assign(new EventEmitter(), { id: 1 });
    constructor({ backgroundColor }: { readonly backgroundColor: string }) {
      super();
      made.push(backgroundColor);
    }
    loadURL = async () => {};
    isMinimized = () => false;
    isDestroyed = () => false;
    show() {}
    focus() {}
  }
  const parts = {
    BrowserWindow: FakeWindow,
    background: () => BACKGROUND.dark,
    state: () => ({ bounds: null, isMaximized: false, zoom: 0 }),
    workAreas: () => [primary],
    startAt: () => '',
    onFocus() {},
  };
  createShellWindow(parts as never, 'go').show();
  expect(made).toEqual([dark]);
});
