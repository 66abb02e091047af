// The ledger of a node's machine: a small database of its own, apart from any panel's.
//
// It has the counters of each start of the engine as they were last read, not what was added since: whatever is offered twice, comes late or
// comes from an old copy of the file is compared by the panel with what it has counted of the same start.
import { randomBytes } from 'node:crypto';
import type { LedgerEnd, LedgerEntry } from '../core/ports/engines.ts';
import type { NodeLedger } from '../core/ports/node-ledger.ts';
import { type Connection, claimFile, databaseRefusal, openConnection } from './database.ts';

const VERSION = 1;
const ID_BYTES = 16;
/** Entries of one page. */
const PAGE = 2000;

const SCHEMA = `
  CREATE TABLE ledger (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    acknowledged INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE boots (boot TEXT PRIMARY KEY, ended INTEGER) STRICT, WITHOUT ROWID;
  CREATE TABLE counters (
    boot TEXT NOT NULL REFERENCES boots (boot),
    user_id INTEGER NOT NULL,
    tag TEXT NOT NULL,
    up INTEGER NOT NULL,
    down INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (boot, user_id, tag)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX counters_seq ON counters (seq);
  PRAGMA user_version = ${VERSION};
`;

interface Row {
  readonly seq: number;
  readonly boot: string;
  readonly userId: number;
  readonly tag: string;
  readonly up: number;
  readonly down: number;
}

function prepareFile(file: string): Connection {
  claimFile(file);
  const db = openConnection(file);
  const version = db.pragma('user_version', { simple: true });
  if (version === 0) {
    db.transaction(() => {
      db.exec(SCHEMA);
      db.prepare('INSERT INTO ledger VALUES (1, ?, 0, 0)').run(randomBytes(ID_BYTES).toString('hex'));
    })();
  } else if (version !== VERSION) {
    db.close();
    throw databaseRefusal('newer', `${file} is of another version`);
  }
  return db;
}

/** Opens the ledger, which is made where it is missing. */
export function openNodeLedger(file: string, page: number = PAGE): NodeLedger {
  const db = prepareFile(file);
  const run = randomBytes(ID_BYTES).toString('hex');
  const state = db.prepare<[], { readonly id: string; readonly seq: number; readonly acknowledged: number }>(
    'SELECT id, seq, acknowledged FROM ledger',
  );
  const addBoot = db.prepare<[string]>('INSERT INTO boots (boot) VALUES (?) ON CONFLICT DO NOTHING');
  const others = db.prepare<[string], string>('SELECT boot FROM boots WHERE ended IS NULL AND boot <> ?').pluck();
  const end = db.prepare<[number, string]>('UPDATE boots SET ended = ? WHERE boot = ?');
  const put = db.prepare<[string, number, string, number, number, number]>(
    `INSERT INTO counters (boot, user_id, tag, up, down, seq) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (boot, user_id, tag) DO UPDATE
       SET up = max(up, excluded.up), down = max(down, excluded.down), seq = excluded.seq
       WHERE excluded.up > up OR excluded.down > down`,
  );
  const saveSeq = db.prepare<[number]>('UPDATE ledger SET seq = ?');
  const saveAcknowledged = db.prepare<[number]>('UPDATE ledger SET acknowledged = ?');
  const forget = [
    'DELETE FROM counters WHERE boot IN (SELECT boot FROM boots WHERE ended <= ?)',
    'DELETE FROM boots WHERE ended <= ?',
  ].map((sql) => db.prepare<[number]>(sql));
  const rows = db.prepare<[number, number], Row>(
    'SELECT seq, boot, user_id AS userId, tag, up, down FROM counters WHERE seq > ? ORDER BY seq LIMIT ?',
  );
  const ends = db.prepare<[number, number], LedgerEnd>(
    'SELECT ended AS seq, boot FROM boots WHERE ended > ? AND ended <= ? ORDER BY ended',
  );

  function present() {
    const found = state.get();
    if (!found) throw databaseRefusal('damaged', 'the ledger has lost its own record');
    return found;
  }

  return {
    run,
    latest: () => present().seq,
    record: db.transaction(({ boot, users, inbounds }) => {
      if (boot === null) return;
      const before = present().seq;
      let seq = before;
      for (const other of others.all(boot)) {
        seq += 1;
        end.run(seq, other);
      }
      addBoot.run(boot);
      const note = (userId: number, tag: string, up: number, down: number) => {
        if (put.run(boot, userId, tag, up, down, seq + 1).changes > 0) seq += 1;
      };
      for (const [userId, { up, down }] of users) note(userId, '', up, down);
      for (const [tag, { up, down }] of inbounds) note(0, tag, up, down);
      if (seq > before) saveSeq.run(seq);
    }),
    acknowledge: db.transaction((seq) => {
      if (seq <= present().acknowledged) return;
      saveAcknowledged.run(seq);
      for (const statement of forget) statement.run(seq);
    }),
    read: db.transaction((after) => {
      const { id, seq, acknowledged } = present();
      const found = rows.all(after, page);
      const isLast = found.length < page;
      const until = isLast ? seq : (found.at(-1)?.seq ?? seq);
      const entries = found.map(
        ({ userId, tag, ...rest }): LedgerEntry => ({
          ...rest,
          userId: userId === 0 ? null : userId,
          tag: tag === '' ? null : tag,
        }),
      );
      return { ledger: id, run, acknowledged, entries, ends: ends.all(after, until), until, isLast };
    }),
    close: () => {
      db.close();
    },
  };
}
