// Users picked at random, the same in every run.
import { createDice } from '../../src/demo/people.ts';
import { openConnection } from '../../src/store/database.ts';
import { NEVER } from '../../src/store/users/row.ts';

/** Ids from 1 to `users`, `count` of them, none twice unless there are too few. */
export function sampleIds(users: number, count: number, seed: number): number[] {
  const dice = createDice(seed);
  const ids = new Set<number>();
  const most = Math.min(count, users);
  while (ids.size < most) ids.add(1 + Math.floor(dice() * users));
  return [...ids];
}

/** At most `count` users whose terms run and will end, in no order. */
export function runningUsers(database: string, count: number): number[] {
  const db = openConnection(database, { readonly: true });
  try {
    const ids = db
      .prepare<[number], number>(
        `SELECT id FROM users WHERE state = 'active' AND expires_at < ? AND hold_days IS NULL ORDER BY token`,
      )
      .pluck()
      .all(NEVER);
    return ids.slice(0, count);
  } finally {
    db.close();
  }
}
