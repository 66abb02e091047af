// Sums of traffic by hour, day and month, of users, nodes and all nodes, deleted ones included.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleInbound } from '../../tests/support/subscription-samples.ts';
import { sampleNode, sampleUser, tempStore } from '../../tests/support/temp-store.ts';
import type { InboundRow } from '../core/ports/inbounds.ts';
import type { NodeRow } from '../core/ports/nodes.ts';
import type { TrafficSlot } from '../core/ports/traffic.ts';

const HOUR = 3_600_000;
const MAX = Number.MAX_SAFE_INTEGER;

function slot(hour: number, day: string): TrafficSlot {
  return { hour: hour * HOUR, day, month: day.slice(0, 7) };
}

function node(name: string): Omit<NodeRow, 'id'> {
  return sampleNode({ name, status: 'up' });
}

function inbound(nodeId: number): Omit<InboundRow, 'id'> {
  const { id: _id, ...row } = sampleInbound({ nodeId, tag: 't', name: 'in' });
  return row;
}

describe('traffic of nodes', () => {
  it('adds up by hour and day, alone and together', () => {
    using temp = tempStore();
    const { traffic, nodes } = temp.store;
    const [a, b] = [nodes.insert(node('a')), nodes.insert(node('b'))];
    traffic.addToNode(a, slot(1, '2026-11-20'), { up: 1, down: 10 });
    traffic.addToNode(a, slot(1, '2026-11-20'), { up: 2, down: 20 });
    traffic.addToNode(b, slot(1, '2026-11-20'), { up: 4, down: 40 });
    traffic.addToNode(b, slot(30, '2026-11-21'), { up: 8, down: 80 });
    expect(traffic.nodeHours(0, a)).toEqual([{ t: HOUR, up: 3, down: 30 }]);
    expect(traffic.nodeHours(0, null)).toEqual([
      { t: HOUR, up: 7, down: 70 },
      { t: 30 * HOUR, up: 8, down: 80 },
    ]);
    expect(traffic.nodeHours(2 * HOUR, null)).toHaveLength(1);
    expect(traffic.nodeDays('2026-11-21', b)).toEqual([{ day: '2026-11-21', up: 8, down: 80 }]);
    expect(traffic.nodeDays('2026-11-01', null)).toHaveLength(2);
    expect(traffic.sumDays('2026-11-20', '2026-11-21')).toEqual({ up: 15, down: 150 });
    expect(traffic.sumDays('2026-11-22', '2026-11-30')).toEqual({ up: 0, down: 0 });
  });

  it('stays in the totals when a node and its connections go', () => {
    using temp = tempStore();
    const { traffic, nodes, inbounds } = temp.store;
    const [a, b] = [nodes.insert(node('a')), nodes.insert(node('b'))];
    const id = inbounds.insert(inbound(a));
    expect(traffic.total()).toEqual({ up: 0, down: 0 });
    for (const nodeId of [a, b]) traffic.addToNode(nodeId, slot(1, '2026-11-20'), { up: 1, down: 2 });
    traffic.addToInbound(id, { up: 5, down: 6 });
    expect(traffic.inboundTotals()).toEqual([{ inboundId: id, name: 'in', up: 5, down: 6 }]);
    inbounds.remove(id);
    nodes.remove(a);
    expect(traffic.total()).toEqual({ up: 2, down: 4 });
    expect(traffic.nodeTotals()).toEqual([{ nodeId: b, name: 'b', up: 1, down: 2 }]);
    expect(traffic.nodeHours(0, null)).toEqual([{ t: HOUR, up: 2, down: 4 }]);
    expect(traffic.inboundTotals()).toEqual([]);
  });

  it('stops at the largest exact integer', () => {
    using temp = tempStore();
    const { traffic, nodes } = temp.store;
    const id = nodes.insert(node('a'));
    for (let count = 0; count < 3; count += 1) traffic.addToNode(id, slot(1, '2026-11-20'), { up: MAX, down: MAX - 1 });
    expect(traffic.total()).toEqual({ up: MAX, down: MAX });
    expect(traffic.sumDays('2026-11-20', '2026-11-20')).toEqual({ up: MAX, down: MAX });
  });
});

describe('traffic of users', () => {
  it('adds up by hour and day', () => {
    using temp = tempStore();
    const { traffic, users } = temp.store;
    const [a, b] = [users.insert(sampleUser()), users.insert(sampleUser())];
    for (const hour of [1, 1, 5]) traffic.addToUser(a, 1, slot(hour, '2026-11-20'), { up: 1, down: 2 });
    traffic.addToUser(a, 1, slot(30, '2026-11-21'), { up: 7, down: 0 });
    traffic.addToUser(b, 1, slot(6, '2026-11-20'), { up: 100, down: 100 });
    expect(traffic.userHours(a, 0)).toEqual([
      { t: HOUR, up: 2, down: 4 },
      { t: 5 * HOUR, up: 1, down: 2 },
      { t: 30 * HOUR, up: 7, down: 0 },
    ]);
    expect(traffic.userHours(a, 2 * HOUR)).toHaveLength(2);
    expect(traffic.userDays(a, '2026-11-20')).toEqual([
      { day: '2026-11-20', up: 3, down: 6 },
      { day: '2026-11-21', up: 7, down: 0 },
    ]);
    expect(traffic.userDays(b, '2026-11-21')).toEqual([]);
    expect(traffic.userHours(77, 0)).toEqual([]);
  });

  it('adds up by node and day, and over all nodes', () => {
    using temp = tempStore();
    const { traffic, users } = temp.store;
    const [a, b] = [users.insert(sampleUser()), users.insert(sampleUser())];
    for (const [day, nodeId, up] of [
      ['2026-11-19', 1, 1],
      ['2026-11-20', 2, 10],
      ['2026-11-20', 1, 100],
      ['2026-11-20', 2, 1000],
      ['2026-11-21', 3, MAX],
      ['2026-11-21', 4, MAX],
    ] as const) {
      traffic.addToUser(a, nodeId, slot(1, day), { up, down: 2 });
      traffic.addToUser(b, nodeId, slot(1, day), { up: 7, down: 7 });
    }
    expect(traffic.userNodeDays(a, '2026-11-20')).toEqual([
      { day: '2026-11-20', nodeId: 1, up: 100, down: 2 },
      { day: '2026-11-20', nodeId: 2, up: 1010, down: 4 },
      { day: '2026-11-21', nodeId: 3, up: MAX, down: 2 },
      { day: '2026-11-21', nodeId: 4, up: MAX, down: 2 },
    ]);
    expect(traffic.userDays(a, '2026-11-20')).toEqual([
      { day: '2026-11-20', up: 1110, down: 6 },
      { day: '2026-11-21', up: MAX, down: 4 },
    ]);
  });

  it('knows who moved most in a month', () => {
    using temp = tempStore();
    const { traffic, users } = temp.store;
    const ids = [5, 50, 20].map((down, index) => {
      const id = users.insert(sampleUser({ name: `u${index}` }));
      traffic.addToUser(id, 1, slot(1, '2026-11-20'), { up: 1, down });
      return id;
    });
    traffic.addToUser(ids[0] ?? 0, 1, slot(1, '2026-10-20'), { up: MAX, down: MAX });
    traffic.addToUser(ids[0] ?? 0, 1, slot(1, '2026-11-21'), { up: 0, down: 20 });
    expect(traffic.topUsers('2026-11', 2)).toEqual([
      { id: ids[1], name: 'u1', up: 1, down: 50 },
      { id: ids[0], name: 'u0', up: 1, down: 25 },
    ]);
    users.remove(ids[1] ?? 0);
    expect(traffic.topUsers('2026-11', 9).map(({ id }) => id)).toEqual([ids[0], ids[2]]);
  });

  it('finds them by magnitudes, whatever they moved', () => {
    const moved = fc.oneof(fc.nat(2000), fc.maxSafeNat(), fc.constantFrom(9, 10, 99, 100, 109, 110, MAX));
    const amounts = fc.array(fc.record({ user: fc.nat(15), up: moved, down: moved }), { minLength: 1, maxLength: 60 });
    using temp = tempStore();
    const { traffic, users } = temp.store;
    const ids = Array.from({ length: 16 }, () => users.insert(sampleUser()));
    let year = 2100;
    const check = (all: readonly { user: number; up: number; down: number }[], most: number) => {
      year += 1;
      const totals = new Map<number, number>();
      temp.store.write(() => {
        for (const { user, up, down } of all) {
          const id = ids[user] ?? 0;
          traffic.addToUser(id, 1, slot(1, `${year}-11-20`), { up, down });
          totals.set(id, Math.min(MAX, (totals.get(id) ?? 0) + up + down));
        }
      });
      const byTotal = [...totals].sort(([a, x], [b, y]) => y - x || b - a).map(([id]) => id);
      expect(traffic.topUsers(`${year}-11`, most).map(({ id }) => id)).toEqual(byTotal.slice(0, most));
    };
    fc.assert(fc.property(amounts, fc.integer({ min: 1, max: 12 }), check), { numRuns: 60 });
  });

  it('writes no index for a user who moves a little more', () => {
    using temp = tempStore();
    const { traffic, users } = temp.store;
    const id = users.insert(sampleUser());
    const magnitude = temp.db.prepare<[], number>('SELECT magnitude FROM user_months').pluck();
    const magnitudeWith = (down: number) => {
      traffic.addToUser(id, 1, slot(1, '2026-11-20'), { up: 0, down });
      return magnitude.get();
    };
    expect([magnitudeWith(5_100_000), magnitudeWith(90_000), magnitudeWith(20_000)]).toEqual([751, 751, 752]);
    const plan = temp.db
      .prepare<[], { readonly detail: string }>(
        "EXPLAIN QUERY PLAN SELECT * FROM user_months WHERE month = '2026-11' AND magnitude >= 751",
      )
      .all();
    expect(plan.map(({ detail }) => detail).join()).toMatch(/^SEARCH user_months USING INDEX user_months_magnitude/);
  });
});

describe('prune', () => {
  it('drops what is older and nothing else', () => {
    using temp = tempStore();
    const { traffic, nodes, users } = temp.store;
    const [nodeId, userId] = [nodes.insert(node('a')), users.insert(sampleUser())];
    for (const [hour, day] of [
      [1, '2026-09-30'],
      [2, '2026-10-01'],
      [3, '2026-10-02'],
    ] as const) {
      traffic.addToNode(nodeId, slot(hour, day), { up: 1, down: 1 });
      traffic.addToUser(userId, 1, slot(hour, day), { up: 1, down: 1 });
    }
    traffic.prune(2 * HOUR, '2026-10-02');
    for (const hours of [traffic.nodeHours(0, null), traffic.nodeHours(0, nodeId), traffic.userHours(userId, 0)]) {
      expect(hours.map(({ t }) => t)).toEqual([2 * HOUR, 3 * HOUR]);
    }
    for (const days of [traffic.nodeDays('', null), traffic.nodeDays('', nodeId), traffic.userDays(userId, '')]) {
      expect(days.map(({ day }) => day)).toEqual(['2026-10-02']);
    }
    expect([traffic.topUsers('2026-09', 1), traffic.topUsers('2026-10', 1).length]).toEqual([[], 1]);
    expect(traffic.total()).toEqual({ up: 3, down: 3 });
  });
});
