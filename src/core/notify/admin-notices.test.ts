// Notifications of a node that goes up and down in quiet hours: every state that lasted, in order.
import { expect, it } from 'vitest';
import { pairAdmin } from '../../../tests/support/bot-admin.ts';
import { tempStore } from '../../../tests/support/temp-store.ts';
import { notifyNodeDown, notifyNodeUp } from './admin-notices.ts';

const NIGHT = Date.parse('2026-12-01T02:00:00Z');
const MORNING = Date.parse('2026-12-01T09:00:00Z');

it('takes back only that a node is down, in quiet hours too', () => {
  using temp = tempStore();
  const { store } = temp;
  const { queued } = pairAdmin(store);
  const settings = {
    ...store.settings.get(),
    timeZone: 'UTC',
    adminNotices: { on: ['node'] as const, quiet: { from: 22, until: 8 } },
  };
  const at = (seconds: number) => ({ store, settings, now: NIGHT + seconds * 1000 });
  const node = { id: 1, name: 'Frankfurt' };
  store.write(() => {
    notifyNodeDown(at(0), node);
    notifyNodeUp(at(90), node);
    notifyNodeDown(at(100), node);
    notifyNodeUp(at(110), node);
  });
  expect(queued(NIGHT + 120_000)).toEqual([]);
  expect(queued(MORNING)).toEqual([
    expect.stringContaining('has not answered since'),
    expect.stringContaining('answers again since'),
  ]);
});
