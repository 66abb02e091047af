// The global shortcut is registered only while the setting is on, and a refusal is reported.
import { expect, it, vi } from 'vitest';
import { createQuickSearch } from './quick-search.ts';

it('takes the key when it is turned on, and gives it back', () => {
  const keys = { register: vi.fn((_key: string, _search: () => void) => true), unregister: vi.fn() };
  const search = vi.fn();
  const quick = createQuickSearch(keys, search);
  expect([quick.isOn(), quick.set(false), keys.register.mock.calls.length]).toEqual([false, true, 0]);
  expect([quick.set(true), quick.set(true), quick.isOn()]).toEqual([true, true, true]);
  expect(keys.register).toHaveBeenCalledOnce();
  keys.register.mock.calls[0]?.[1]();
  expect(search).toHaveBeenCalledOnce();
  expect([quick.set(false), quick.isOn()]).toEqual([true, false]);
  expect(keys.unregister).toHaveBeenCalledWith('CommandOrControl+Shift+G');
});

it('stays off where another program has the key', () => {
  const quick = createQuickSearch({ register: () => false, unregister: vi.fn() }, () => {});
  expect([quick.set(true), quick.isOn()]).toEqual([false, false]);
});
