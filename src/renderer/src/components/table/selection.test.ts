// Selecting rows: one by one, several at once, and out of "all".
import { describe, expect, it } from 'vitest';
import { toggled, withRows } from './selection.ts';

const some = { ids: new Set([1, 2]), isAll: false };

describe('selection', () => {
  it('adds and takes out single rows', () => {
    expect([...toggled(some, 3).ids]).toEqual([1, 2, 3]);
    expect([...toggled(some, 2).ids]).toEqual([1]);
    expect([...some.ids]).toEqual([1, 2]);
  });

  it('adds and takes out several at once', () => {
    expect([...withRows(some, [2, 3, 4], true).ids]).toEqual([1, 2, 3, 4]);
    expect([...withRows(some, [1, 2, 9], false).ids]).toEqual([]);
  });

  it('leaves "all" for the named rows when one is taken out', () => {
    const next = toggled({ ids: new Set([1, 2]), isAll: true }, 2);
    expect(next.isAll).toBe(false);
    expect([...next.ids]).toEqual([1]);
  });
});
