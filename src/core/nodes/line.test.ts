// A node that reports too much traffic: no more than its line can carry is counted anywhere, and its record and an event report it.
import { expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/clock.ts';
import { coreParts } from '../../../tests/support/core.ts';
import { sampleInbound } from '../../../tests/support/subscription-samples.ts';
import { sampleNode, sampleUser, tempStore } from '../../../tests/support/temp-store.ts';
import { createHeavyEnv } from '../create-core.ts';
import type { Engine, LedgerEntry, LedgerPage } from '../ports/engines.ts';
import type { LedgerEvent } from '../ports/lease.ts';
import { collectLedger } from './ledger.ts';

const START = Date.UTC(2026, 10, 20, 12);
const DAY = 86_400_000;
const MAX = Number.MAX_SAFE_INTEGER;
/** 100 Gbit/s, and the allowance beyond the time between two readings. */
const PER_SECOND = 12_500_000_000;
const SPARE = 60 * PER_SECOND;

function openScene(temp: ReturnType<typeof tempStore>) {
  const { store } = temp;
  const clock = createTestClock(START);
  const env = createHeavyEnv(coreParts(temp, { clock }));
  const nodeId = store.nodes.insert(sampleNode({ kind: 'remote', createdAt: START }));
  const { id: _, ...inbound } = sampleInbound({ nodeId, tag: 'in', port: 1000 });
  const inboundId = store.inbounds.insert(inbound);
  const userId = store.users.insert(sampleUser({ createdAt: START }));
  store.sync.begin(nodeId, { boot: 'a', position: 0, cautiousUntil: 0 });
  let seq = 0;
  return {
    clock,
    store,
    nodeId,
    inboundId,
    userId,
    next: () => ++seq,
    /** Lets the panel read this page. */
    async read(page: { entries?: readonly LedgerEntry[]; events?: readonly LedgerEvent[]; isLast?: boolean }) {
      const { entries = [], events = [], isLast = true } = page;
      const numbers = { ledger: 'l', run: 'r', acknowledged: 0, until: seq };
      const pages: LedgerPage[] = [{ ...numbers, entries, events, ends: [], isLast, failure: null }];
      if (!isLast) pages.push({ ...numbers, entries: [], events: [], ends: [], isLast: true, failure: null });
      const engine = { readLedgerPage: async () => pages.shift() ?? null } as unknown as Engine;
      await collectLedger(env, nodeId, engine);
      const node = store.nodes.get(nodeId);
      if (node) store.nodes.save({ ...node, lastSeenAt: clock.now() });
    },
    entry: (of: { userId: number } | { tag: string }, up: number, down: number): LedgerEntry => ({
      seq: ++seq,
      boot: 'a',
      userId: 'userId' in of ? of.userId : null,
      tag: 'tag' in of ? of.tag : null,
      up,
      down,
    }),
    recorded: () => store.sync.line(nodeId),
    announced: () => store.events.after(0, 100, ['node.traffic_implausible']).map(({ data }) => JSON.parse(data)),
  };
}

it('counts one lying counter of each kind for no more than the line carries, and says so once a day', async () => {
  using temp = tempStore();
  const scene = openScene(temp);
  const { store, clock, nodeId, inboundId, userId } = scene;
  clock.advance(10_000);
  await scene.read({ entries: [scene.entry({ userId }, 0, MAX), scene.entry({ tag: 'in' }, MAX, 0)] });
  const most = 10 * PER_SECOND + SPARE;
  expect(store.users.get(userId)).toMatchObject({ totalUp: 0, totalDown: most, usedDown: most });
  expect(store.traffic.total()).toEqual({ up: 0, down: most });
  expect(store.traffic.sumDays('2026-01-01', '2030-01-01')).toEqual({ up: 0, down: most });
  expect(store.traffic.inboundTotals()).toMatchObject([{ inboundId, up: most, down: 0 }]);
  expect(scene.recorded()).toMatchObject({
    implausible: { up: MAX - most, down: MAX - most },
    implausibleAt: START + 10_000,
  });
  // Two kinds of counters, of which the first emitted the event.
  expect(scene.announced()).toHaveLength(1);
  expect(scene.announced()[0]).toMatchObject({ node_id: nodeId });
  // Other users of the same node.
  clock.advance(10_000);
  const other = store.users.insert(sampleUser({ createdAt: START }));
  await scene.read({ entries: [scene.entry({ userId: other }, MAX, MAX)] });
  expect(store.traffic.total().down).toBeLessThanOrEqual(20 * PER_SECOND + 2 * SPARE);
  expect(scene.announced()).toHaveLength(1);
  clock.advance(DAY);
  await scene.read({ entries: [scene.entry({ userId: store.users.insert(sampleUser()) }, MAX, MAX)] });
  expect(scene.announced()).toHaveLength(2);
});

it('bounds what comes with events too, also of a former period, at whatever moment they are said to be', async () => {
  using temp = tempStore();
  const scene = openScene(temp);
  const { store, clock } = scene;
  const userId = store.users.insert(
    sampleUser({ createdAt: START - 90 * DAY, resetStrategy: 'day', resetsAt: START + DAY, trafficLimit: 1000 }),
  );
  clock.advance(10_000);
  const event = (kind: LedgerEvent['kind'], at: number, down: number): LedgerEvent => {
    return { seq: scene.next(), kind, at, userId, boot: 'a', up: 0, down };
  };
  await scene.read({ events: [event('limited', START - 60 * DAY, MAX - 1), event('first', START - DAY, MAX)] });
  await scene.read({ entries: [scene.entry({ userId: scene.userId }, 0, MAX)] });
  expect(store.traffic.total().down).toBeLessThanOrEqual(10 * PER_SECOND + SPARE);
});

it('counts what an honest node has moved at the full speed of its line while it was away, in parts, exactly', async () => {
  using temp = tempStore();
  const scene = openScene(temp);
  const { store, clock, userId } = scene;
  let down = 0;
  for (const seconds of [10, 5 * 86_400, 10, 3600, 10]) {
    clock.advance(seconds * 1000);
    down += seconds * PER_SECOND;
    await scene.read({
      entries: [scene.entry({ userId }, 0, down), scene.entry({ tag: 'in' }, 0, down)],
      isLast: seconds < 100,
    });
  }
  expect(store.users.get(userId)?.totalDown).toBe(down);
  expect(store.traffic.inboundTotals()).toMatchObject([{ down }]);
  expect(scene.recorded()?.implausibleAt).toBeNull();
  expect(scene.announced()).toEqual([]);
});
