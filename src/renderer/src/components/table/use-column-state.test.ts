// Chosen columns: hidden, shown and ordered; new columns get their default position.
import { describe, expect, it } from 'vitest';
import type { ColumnLook } from './columns.ts';
import { computeOrder, isShown } from './use-column-state.ts';

const looks = new Map<string, ColumnLook>([
  ['name', { label: 'Name', isFixed: true }],
  ['state', { label: 'State' }],
  ['note', { label: 'Note', isHidden: true }],
]);
const shown = (id: string, view: Parameters<typeof isShown>[2]) => isShown(id, looks.get(id) ?? { label: '' }, view);

describe('isShown', () => {
  it('follows the choice, else the default, and never hides what identifies the row', () => {
    expect(['name', 'state', 'note'].map((id) => shown(id, {}))).toEqual([true, true, false]);
    const view = { shown: { name: false, state: false, note: true } };
    expect(['name', 'state', 'note'].map((id) => shown(id, view))).toEqual([true, false, true]);
  });
});

describe('computeOrder', () => {
  it('is as defined until it is chosen', () => {
    expect(computeOrder(looks, {})).toEqual(['name', 'state', 'note']);
  });

  it('keeps a choice, forgets columns that are gone, and puts new ones where they belong', () => {
    expect(computeOrder(looks, { order: ['state', 'gone', 'name'] })).toEqual(['state', 'name', 'note']);
    expect(computeOrder(looks, { order: ['note', 'name'] })).toEqual(['note', 'state', 'name']);
  });
});
