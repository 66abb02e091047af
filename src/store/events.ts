// The ordered feed of events. Ids are never used again, so a reader's place in it stays good.
import type { EventType } from '../contract/events.ts';
import type { EventRow, EventStore } from '../core/ports/records.ts';
import type { Connection } from './database.ts';
import { limitTo } from './statements.ts';

export function createEventStore(db: Connection): EventStore {
  const append = db.prepare<[EventType, number, number, string]>(
    'INSERT INTO events (type, at, written_at, data) VALUES (?, ?, ?, ?)',
  );
  const after = db.prepare<[number, number], EventRow>(
    `SELECT id, type, at, data FROM events WHERE id > ? ORDER BY id ${limitTo('?')}`,
  );
  const afterOfType = db.prepare<[EventType, number, number], EventRow>(
    `SELECT id, type, at, data FROM events INDEXED BY events_type WHERE type = ? AND id > ? ORDER BY id ${limitTo('?')}`,
  );
  const prunedUpTo = db.prepare<[], number>('SELECT up_to FROM events_pruned').pluck();
  const latestId = db.prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'events'").pluck();
  // The feed is in the order of writing: what is old is a piece at its beginning.
  const lastOld = db
    .prepare<[number], number>(
      `SELECT coalesce((SELECT id FROM events WHERE written_at >= ? ORDER BY id LIMIT 1) - 1, (SELECT max(id) FROM events))`,
    )
    .pluck();
  const drop = db.prepare<[number]>('DELETE FROM events WHERE id <= ?');
  const notePruned = db.prepare<[number]>(
    'INSERT INTO events_pruned (one, up_to) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET up_to = max(up_to, excluded.up_to)',
  );
  return {
    append: (type, at, data, writtenAt) => Number(append.run(type, at, writtenAt, data).lastInsertRowid),
    after: (id, limit, type) => (type === null ? after.all(id, limit) : afterOfType.all(type, id, limit)),
    prunedUpTo: () => prunedUpTo.get() ?? 0,
    latestId: () => latestId.get() ?? 0,
    prune: (before) => {
      const last = lastOld.get(before) ?? null;
      if (last !== null && drop.run(last).changes > 0) notePruned.run(last);
    },
  };
}
