// Search in any case and script, of any length, with any characters.
import { afterAll, describe, expect, it } from 'vitest';
import { sampleUser, tempStore } from '../../../tests/support/temp-store.ts';
import type { Store } from '../../core/ports/ports.ts';
import { createUserLists } from './list.ts';
import { createUserStates } from './states.ts';

const PEOPLE = [
  { name: 'Привет Мир' },
  { name: 'İstanbul', contact: '@user_100%' },
  { name: 'Straße', note: 'say "hi" — \'ok\'\nsecond line' },
  { name: '💡 lamp 👩‍👩‍👧' },
  { name: 'Anna', contact: '+7 912 345', tags: ['VIP', 'друзья'] },
  { name: 'ОДОΣ ΟΔΟΣ', note: `${'x'.repeat(1990)}needle` },
  { name: 'a' },
] as const;

function filled() {
  const temp = tempStore();
  for (const fields of PEOPLE) temp.store.users.insert(sampleUser(fields));
  return temp;
}

function found(store: Store, q: string): number[] {
  const { rows } = store.users.page({
    conditions: { q },
    sort: 'id',
    descending: false,
    limit: 100,
    offset: 0,
    after: null,
    now: 0,
  });
  const ids = rows.map(({ id }) => id);
  expect(store.users.count({ q }, 0)).toBe(ids.length);
  expect(store.users.ids({ q }, 0)).toEqual(ids);
  return ids;
}

describe('search', () => {
  const people = filled();
  afterAll(() => people[Symbol.dispose]());

  it.each([
    ['ПРИВ', [1]],
    ['вет м', [1]],
    ['ISTANBUL', [2]],
    ['stras', [3]],
    ['STRASSE', [3]],
    ['STRAẞE', [3]],
    ['"hi"', [3]],
    ["'ok'", [3]],
    ['_100%', [2]],
    ['100', [2]],
    ['%', [2]],
    ['_', [2]],
    ['"', [3]],
    ['💡', [4]],
    ['💡 l', [4]],
    ['👩‍👩‍👧', [4]],
    ['lamp', [4]],
    ['vip', [5]],
    ['ДРУЗ', [5]],
    ['рУ', [5]],
    ['912', [5]],
    ['НЕТ', []],
    ['щ', []],
    ['οδος', [6]],
    ['ΟΔΟ', [6]],
    ['needle', [6]],
    ['*', []],
    ['an*', []],
    ['anna OR lamp', []],
    ['NEAR(', []],
    ['text:a', []],
    ['-', []],
    ['^', []],
  ])('for %s finds its users', (q, expected) => {
    expect(found(people.store, q)).toEqual(expected);
  });

  it('finds one character wherever it is', () => {
    expect(found(people.store, 'A')).toEqual([2, 3, 4, 5, 7]);
    expect(found(people.store, 'nn')).toEqual([5]);
    expect(found(people.store, ' ')).toEqual([1, 3, 4, 5, 6]);
  });

  it.each(['\u0000', 'a\u0000', '\n', 'i"\n', 'l\u001f+', '\ud83d', 'lamp\udca1'])('finds no user by %j', (q) => {
    expect(found(people.store, q)).toEqual([]);
  });

  it('does not reach from one field into the next', () => {
    using temp = tempStore();
    temp.store.users.insert(sampleUser({ name: 'ab', contact: 'cd', note: 'ef', tags: ['gh', 'ij'] }));
    for (const q of ['bc', 'abcd', 'de', 'fg', 'hi', 'bcd']) expect(found(temp.store, q)).toEqual([]);
    for (const q of ['ab', 'cd', 'ef', 'gh', 'ij', 'j']) expect(found(temp.store, q)).toEqual([1]);
  });

  it('tells the parts of a text from the text, for few and for many', () => {
    using temp = tempStore();
    const { store, db } = temp;
    const names = ['abc bcd', 'xabcdx', 'bcd abc', 'ABCD'];
    for (const name of names) store.users.insert(sampleUser({ name }));
    for (const few of [-1, 0, 1, 2, 5000]) {
      const pages = createUserLists(db, createUserStates(db), few);
      expect(pages.ids({ q: 'abcd' }, 0)).toEqual([2, 4]);
      expect(pages.ids({ q: 'abcde' }, 0)).toEqual([]);
    }
  });

  it('finds the user with an id, once', () => {
    using temp = tempStore();
    const { store, db } = temp;
    for (let index = 0; index < 12; index += 1)
      store.users.insert(sampleUser({ name: index === 3 ? 'call 12' : 'nobody' }));
    store.users.insert(sampleUser({ name: '13' }));
    expect(found(store, '12')).toEqual([4, 12]);
    expect(found(store, '4')).toEqual([4]);
    expect(found(store, '13')).toEqual([13]);
    expect(found(store, '012')).toEqual([]);
    expect(found(store, '9007199254740993')).toEqual([]);
    const asked = {
      conditions: { q: '12' },
      sort: 'name',
      descending: true,
      limit: 5,
      offset: 0,
      after: null,
      now: 0,
    } as const;
    for (const few of [0, 1, 5000]) {
      const { rows } = createUserLists(db, createUserStates(db), few).page(asked);
      expect(rows.map(({ id }) => id)).toEqual([12, 4]);
    }
  });

  it('follows a change of each field', () => {
    using temp = tempStore();
    const { store } = temp;
    let row = store.users.get(store.users.insert(sampleUser({ name: 'first' })));
    const change = (fields: object) => {
      if (!row) return;
      const after = { ...row, ...fields };
      store.users.save(row, after);
      row = after;
    };
    for (const fields of [{ name: 'zwei' }, { contact: 'drei' }, { note: 'vier' }, { tags: ['fünf'] }]) {
      change(fields);
      expect(found(store, String(Object.values(fields).flat()))).toEqual([1]);
    }
    change({ contact: '', note: '', tags: [] });
    for (const q of ['first', 'drei', 'vier', 'fünf', 'ü', 'dr']) expect(found(store, q)).toEqual([]);
    expect(found(store, 'zwei')).toEqual([1]);
  });
});
