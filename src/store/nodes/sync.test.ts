// What is asked about some users costs as much as these users, however many others there are.
import { expect, it } from 'vitest';
import { tempStore } from '../../../tests/support/temp-store.ts';
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
    // No value matters to the plan.
    const plain = sql.replaceAll(/:\w+|\?/g, 'NULL');
    const plan = db.prepare<[], { readonly detail: string }>(`EXPLAIN QUERY PLAN ${plain}`).all();
    const steps = plan.map(({ detail }) => detail).filter((detail) => /^(SCAN|SEARCH) (users|u)\b/.test(detail));
    expect([sql, steps.filter((step) => !step.includes('INTEGER PRIMARY KEY'))]).toEqual([sql, []]);
    expect(steps.length).toBeGreaterThan(0);
  }
});
