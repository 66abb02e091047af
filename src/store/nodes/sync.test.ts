// When nodes have work; and queries about some users cost as much as these users, however many others there are.
import { expect, it } from 'vitest';
import { sampleInbound } from '../../../tests/support/subscription-samples.ts';
import { sampleNode, sampleUser, tempStore } from '../../../tests/support/temp-store.ts';
import { createSyncStore } from './sync.ts';

it('finds users by their ids', () => {
  using temp = tempStore();
  const { db } = temp;
  const prepared: string[] = [];
  const watched = new Proxy(db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name !== 'prepare') return member;
      return (sql: string) => {
        prepared.push(sql);
        return target.prepare(sql);
      };
    },
  });
  createSyncStore(watched);
  const listed = prepared.filter((sql) => /^UPDATE users|json_each.*\busers\b/s.test(sql));
  expect(listed.length).toBeGreaterThan(2);
  for (const sql of listed) {
    // The query plan does not depend on values.
    const plain = sql.replaceAll(/:\w+|\?/g, 'NULL');
    const plan = db.prepare<[], { readonly detail: string }>(`EXPLAIN QUERY PLAN ${plain}`).all();
    const steps = plan.map(({ detail }) => detail).filter((detail) => /^(SCAN|SEARCH) (users|u)\b/.test(detail));
    expect([sql, steps.filter((step) => !step.includes('INTEGER PRIMARY KEY'))]).toEqual([sql, []]);
    expect(steps.length).toBeGreaterThan(0);
  }
});

it('says by another key that there may be work for nodes, and by the same that there is none', () => {
  using temp = tempStore();
  const { sync, nodes, inbounds, users } = temp.store;
  const nodeId = nodes.insert(sampleNode({ kind: 'remote' }));
  const { id: _id, ...connection } = sampleInbound({ nodeId, tag: 'in' });
  const inboundId = inbounds.insert(connection);
  const userId = users.insert(sampleUser());
  const isOther = (act: () => void) => {
    const before = sync.workKey();
    act();
    return sync.workKey() !== before;
  };
  const node = () => nodes.get(nodeId) ?? expect.fail('it is there');
  const inbound = () => inbounds.get(inboundId) ?? expect.fail('it is there');
  expect(isOther(() => users.insert(sampleUser()))).toBe(true);
  expect(isOther(() => users.remove(userId))).toBe(true);
  expect(isOther(() => nodes.save({ ...node(), enabled: false, updatedAt: node().updatedAt + 1 }))).toBe(true);
  expect(isOther(() => nodes.save({ ...node(), agentPort: 1, agentPin: 'a'.repeat(64) }))).toBe(true);
  expect(isOther(() => inbounds.save({ ...inbound(), version: inbound().version + 1 }))).toBe(true);
  expect(isOther(() => inbounds.remove(inboundId))).toBe(true);
  expect(isOther(() => nodes.insert(sampleNode({ name: 'Second' })))).toBe(true);
  // The columns that each poll writes.
  expect(isOther(() => nodes.save({ ...node(), status: 'up', lastSeenAt: 1, load: 5, usersOnline: 3 }))).toBe(false);
  expect(isOther(() => sync.savePosition(nodeId, 1))).toBe(false);
});

it('reads the ids of users in pages', () => {
  using temp = tempStore();
  const { sync, users } = temp.store;
  const ids = Array.from({ length: 5 }, () => users.insert(sampleUser()));
  users.remove(ids[1] ?? 0);
  expect(sync.userIdsAfter(0, 2)).toEqual([ids[0], ids[2]]);
  expect(sync.userIdsAfter(ids[2] ?? 0, 9)).toEqual([ids[3], ids[4]]);
});
