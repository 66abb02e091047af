// The window of a long list: exact at both ends, continuous while scrolling, and never higher than browsers support.
import { describe, expect, it } from 'vitest';
import {
  computeScrollHeight,
  follow,
  type ListShape,
  MAX_HEIGHT,
  offsetAt,
  scrollTopAt,
  windowAt,
} from './row-window.ts';

const short: ListShape = { count: 300, rowHeight: 36, viewport: 720 };
const long: ListShape = { count: 1_000_000, rowHeight: 36, viewport: 720 };
const FULL = 1_000_000 * 36 - 720;

describe('a list that fits into the scroll range', () => {
  it('is as high as its rows and moves with the scrollbar', () => {
    expect(computeScrollHeight(short)).toBe(10_800);
    expect(offsetAt(1234, short)).toBeCloseTo(1234);
    expect(follow(0, 0, 5000, short)).toBeCloseTo(5000);
  });

  it('renders what is seen and some around it, and the space of the rest', () => {
    const { start, end, before, after } = windowAt(3600, 3600, short);
    expect(start).toBeLessThanOrEqual(100);
    expect(end).toBeGreaterThanOrEqual(120);
    expect(end - start).toBeLessThan(60);
    expect(before).toBe(start * 36);
    expect(before + (end - start) * 36 + after).toBe(10_800);
  });

  it('renders the first and the last rows at the ends', () => {
    expect(windowAt(0, 0, short).start).toBe(0);
    expect(windowAt(10_080, 10_080, short).end).toBe(300);
    expect(windowAt(0, 0, { ...short, count: 0 })).toEqual({ start: 0, end: 0, before: 0, after: 0 });
    expect(windowAt(0, 0, { ...short, count: 3 })).toEqual({ start: 0, end: 3, before: 0, after: 0 });
  });
});

describe('a list of a million rows', () => {
  it('has a scroll range that every browser can show', () => {
    expect(computeScrollHeight(long)).toBe(MAX_HEIGHT);
  });

  it('ends where the scrollbar ends', () => {
    expect(follow(1000, 900, 0, long)).toBe(0);
    expect(follow(0, 0, MAX_HEIGHT - 720, long)).toBe(FULL);
    expect(windowAt(FULL, MAX_HEIGHT - 720, long).end).toBe(1_000_000);
  });

  it('moves pixel by pixel at reading speed', () => {
    const middle = MAX_HEIGHT / 2;
    const offset = offsetAt(middle, long);
    expect(follow(offset, middle, middle + 100, long)).toBeCloseTo(offset + 100);
    expect(follow(offset, middle, middle - 53, long)).toBeCloseTo(offset - 53);
  });

  it('goes to where the scrollbar points when it jumps, and back', () => {
    const offset = follow(0, 0, 4_000_000, long);
    expect(offset / FULL).toBeCloseTo(4_000_000 / (MAX_HEIGHT - 720));
    expect(scrollTopAt(offset, long)).toBeCloseTo(4_000_000);
  });

  it('keeps rows where they are on screen while both move alike', () => {
    const middle = 3_000_000;
    const offset = offsetAt(middle, long);
    const one = windowAt(offset, middle, long);
    const two = windowAt(offset + 10, middle + 10, long);
    const onScreen = (row: number, { start, before }: typeof one, top: number) => before + (row - start) * 36 - top;
    const row = one.start + 10;
    expect(onScreen(row, two, middle + 10)).toBeCloseTo(onScreen(row, one, middle) - 10);
  });

  it('fills its range whatever is rendered', () => {
    for (const top of [0, 1, 100_000, 7_000_000, MAX_HEIGHT - 720]) {
      const { start, end, before, after } = windowAt(offsetAt(top, long), top, long);
      expect(before + (end - start) * 36 + after).toBeCloseTo(MAX_HEIGHT, -2);
    }
  });
});
