// Which start of a panel its nodes obey.
import { expect, it } from 'vitest';
import { fakeLog } from '../../tests/support/fake-core.ts';
import { tempStore } from '../../tests/support/temp-store.ts';
import { classifyClaim } from '../domain/nodes/panel-claim.ts';
import { recordStart } from './role.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');

it.each([
  ['an hour later', 3_600_000],
  ['at the same time', 0],
  ['a second earlier, by a clock that was set back', -1000],
  ['years earlier', -NOW],
])('a panel that starts again %s is obeyed at once', (_when, byMs) => {
  using temp = tempStore();
  const claim = (now: number, run: string) => ({
    epoch: 1,
    startedAt: recordStart({ store: temp.store, log: fakeLog() }, now),
    run,
  });
  // With equal start times, the greater run id would win.
  const before = claim(NOW, 'f'.repeat(32));
  const after = claim(NOW + byMs, '0'.repeat(32));
  expect([classifyClaim(after, before, true), classifyClaim(before, after, true)]).toEqual(['obeyed', 'other_panel']);
});

it('a panel starts by its clock otherwise', () => {
  using temp = tempStore();
  expect([NOW, NOW + 5].map((now) => recordStart({ store: temp.store, log: fakeLog() }, now))).toEqual([NOW, NOW + 5]);
});
