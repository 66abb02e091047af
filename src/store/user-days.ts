// Events of users on each local day, as counts that are written together with the events.
import type { UserDayCounts, UserDayStore } from '../core/ports/traffic.ts';
import type { Connection } from './database.ts';

const COLUMNS = ['created', 'expired', 'deleted'] as const satisfies readonly (keyof UserDayCounts)[];

export function createUserDayStore(db: Connection): UserDayStore {
  const increments = new Map(
    COLUMNS.map((column) => [
      column,
      db.prepare<[string, number]>(
        `INSERT INTO user_changes (day, ${column}) VALUES (?, ?)
         ON CONFLICT (day) DO UPDATE SET ${column} = ${column} + excluded.${column}`,
      ),
    ]),
  );
  const between = db.prepare<[string, string], UserDayCounts & { readonly day: string }>(
    `SELECT day, ${COLUMNS.join(', ')} FROM user_changes WHERE day BETWEEN ? AND ? ORDER BY day`,
  );
  const prune = db.prepare<[string]>('DELETE FROM user_changes WHERE day < ?');
  return {
    add: (day, what, count) => {
      increments.get(what)?.run(day, count);
    },
    read: (firstDay, lastDay) => between.all(firstDay, lastDay),
    prune: (day) => {
      prune.run(day);
    },
  };
}
