// The panel's own write transactions: their name in the audit log, their time, and the notified subscribers.
import { expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/clock.ts';
import { ADMINISTRATOR_CALL, coreParts } from '../../../tests/support/core.ts';
import { tempStore } from '../../../tests/support/temp-store.ts';
import type { Transaction } from './context.ts';
import { createEnv } from './env.ts';

const START = Date.UTC(2026, 10, 20);

function openEnv() {
  const temp = tempStore();
  const counts = { announced: 0 };
  const env = createEnv(coreParts(temp, { clock: createTestClock(START) }), () => {
    counts.announced += 1;
  });
  const rows = () => temp.store.audit.page({ limit: 10 });
  return { env, counts, rows, [Symbol.dispose]: temp[Symbol.dispose] };
}

it('names a job of the panel, or the call that a transaction is of', async () => {
  using opened = openEnv();
  const { env, rows } = opened;
  const audit = (tx: Transaction) => tx.audit('bot');
  await env.transact({ name: 'sweep', by: 'sweep' }, audit);
  await env.transact({ name: 'sendBroadcast', by: 'broadcast' }, audit);
  await env.transact({ name: 'enableBot', by: ADMINISTRATOR_CALL }, audit);
  expect(
    rows().map(({ action, actorKind, actorName, requestId }) => [action, actorKind, actorName, requestId]),
  ).toEqual([
    ['enableBot', 'administrator', 'admin', 'test'],
    ['sendBroadcast', 'panel', 'bot', 'broadcast'],
    ['sweep', 'panel', 'panel', 'sweep'],
  ]);
});

it('writes at its moment, and notifies subscribers after each turn', async () => {
  using opened = openEnv();
  const { env, counts, rows } = opened;
  env.transactNow({ name: 'traffic', by: 'node', at: START - 5 }, (tx) => tx.audit(null));
  expect(counts.announced).toBe(0);
  await env.transact({ name: 'traffic', by: 'node' }, (tx) => tx.audit(null));
  expect(counts.announced).toBe(1);
  expect(rows().map(({ at }) => at)).toEqual([START, START - 5]);
});

it('undoes what a throw wrote, and forgets its settings', async () => {
  using opened = openEnv();
  const { env, rows } = opened;
  const before = env.settings().timeZone;
  const failing = env.transact({ name: 'acmeOrder', by: 'acme' }, (tx) => {
    tx.saveSettings({ timeZone: 'Asia/Tokyo' });
    tx.audit('certificate');
    throw new Error('not this time');
  });
  await expect(failing).rejects.toThrow('not this time');
  expect(env.settings().timeZone).toBe(before);
  expect(rows()).toEqual([]);
});
