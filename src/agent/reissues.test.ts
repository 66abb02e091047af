// Since when a machine no longer accepts a user's former link: from the contact in which it received the new one.
import { expect, it } from 'vitest';
import { createTestClock } from '../../tests/support/clock.ts';
import { coreParts } from '../../tests/support/core.ts';
import { openLeasedMachine } from '../../tests/support/leased-machine.ts';
import { sampleInbound } from '../../tests/support/subscription-samples.ts';
import { sampleNode, sampleUser, tempFolder, tempStore } from '../../tests/support/temp-store.ts';
import { createHeavyEnv } from '../core/create-core.ts';

const START = Date.UTC(2026, 10, 20, 12);

it('is known for each node, whose machine has the next link by then', async () => {
  using temp = tempStore();
  using folder = tempFolder();
  const { store } = temp;
  const clock = createTestClock(START);
  const env = createHeavyEnv(coreParts(temp, { clock }));
  const [userId, other] = [store.users.insert(sampleUser()), store.users.insert(sampleUser())];
  const [first, second] = [1, 2].map((index) => {
    const nodeId = store.nodes.insert(sampleNode({ kind: 'remote' }));
    const { id: _id, ...row } = sampleInbound({ nodeId, tag: `in${index}`, port: 1000 + index });
    return openLeasedMachine({ env, clock, folder: folder.path, nodeId, inboundId: store.inbounds.insert(row) });
  });
  if (!first || !second) throw new Error('no machines');
  const reissue = (token: string) => {
    const before = store.users.get(userId);
    if (!before) throw new Error('no user');
    store.users.save({ ...before, token, updatedAt: clock.now() }, before);
    store.reissues.recordReissue(userId, clock.now());
  };
  for (const machine of [first, second]) await machine.connectPanel();
  expect([store.reissues.of(userId), store.reissues.of(other)]).toEqual([null, null]);

  clock.advance(1000);
  reissue('a'.repeat(22));
  clock.advance(1000);
  await first.connectPanel();
  // The second machine does not receive the lease.
  second.cut.add('lease');
  await expect(second.connectPanel()).rejects.toMatchObject({ code: 'engine_unreachable' });
  expect(store.reissues.of(userId)).toEqual({ at: START + 1000, deliveredAt: new Map([[first.nodeId, START + 2000]]) });
  expect(store.reissues.of(other)).toBeNull();
  second.cut.clear();
  clock.advance(5000);
  for (const machine of [first, second]) await machine.connectPanel();
  const met = new Map([
    [first.nodeId, START + 2000],
    [second.nodeId, START + 7000],
  ]);
  expect(store.reissues.of(userId)).toEqual({ at: START + 1000, deliveredAt: met });

  // The link is replaced again, after a restart of the panel.
  clock.advance(1000);
  reissue('b'.repeat(22));
  expect(store.reissues.of(userId)).toEqual({ at: START + 8000, deliveredAt: new Map() });
  second.restartPanel();
  await second.connectPanel();
  expect(store.reissues.of(userId)?.deliveredAt).toEqual(new Map([[second.nodeId, START + 8000]]));

  // A clock that had been wrong is set back.
  clock.set(START + 1_000_000);
  await second.connectPanel();
  clock.set(START + 20_000);
  reissue('c'.repeat(22));
  clock.advance(1000);
  await second.connectPanel();
  expect(store.reissues.of(userId)?.deliveredAt).toEqual(new Map([[second.nodeId, START + 21_000]]));
  store.inbounds.remove(second.inboundId);
  store.nodes.remove(second.nodeId);
  expect(store.reissues.of(userId)?.deliveredAt).toEqual(new Map());
  for (const machine of [first, second]) machine.engine().close();
});
