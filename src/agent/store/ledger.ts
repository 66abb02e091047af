// The ledger of a node's machine: a small database, apart from any panel's.
//
// It stores the counters of each start of the engine as they were last read, not increments: the panel compares them with what it has
// counted of the same start, so entries that arrive twice, late or from an old copy of the file are harmless.
import { randomBytes } from 'node:crypto';
import type { LedgerEnd, LedgerEntry, LedgerWaiting } from '../../core/ports/engines.ts';
import type { UpDown } from '../../core/ports/traffic.ts';
import { type Connection, claimFile, databaseRefusal, openConnection } from '../../store/database.ts';
import type { NodeLedger } from '../ports/ledger.ts';
import { createNodeLease } from './lease.ts';
import type { TextSeal } from './lease-rows.ts';
import { KEEP_OFFERED, LEASE_SCHEMA } from './lease-statements.ts';

const VERSION = 1;
const ID_BYTES = 16;
/** Entries of one page, the limit of one message (engines/remote/wire.ts). */
const PAGE = 500;

/** Columns `offered…`: what the panel last read. `known…`: what the panel had counted when it sent the user's terms. */
const SCHEMA = `
  CREATE TABLE ledger (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    acknowledged INTEGER NOT NULL,
    taken INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE panel (one INTEGER PRIMARY KEY CHECK (one = 1), claim TEXT NOT NULL) STRICT;
  CREATE TABLE boots (boot TEXT PRIMARY KEY, ended INTEGER) STRICT, WITHOUT ROWID;
  CREATE TABLE counters (
    boot TEXT NOT NULL REFERENCES boots (boot),
    user_id INTEGER NOT NULL,
    tag TEXT NOT NULL,
    up INTEGER NOT NULL,
    down INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    offered_up INTEGER NOT NULL DEFAULT 0,
    offered_down INTEGER NOT NULL DEFAULT 0,
    offered_seq INTEGER NOT NULL DEFAULT 0,
    known_up INTEGER NOT NULL DEFAULT 0,
    known_down INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (boot, user_id, tag)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX counters_seq ON counters (seq);
  CREATE INDEX counters_user ON counters (user_id) WHERE tag = '';
  ${LEASE_SCHEMA}
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
      db.prepare('INSERT INTO ledger (one, id, seq, acknowledged) VALUES (1, ?, 0, 0)').run(
        randomBytes(ID_BYTES).toString('hex'),
      );
    })();
  } else if (version !== VERSION) {
    db.close();
    throw databaseRefusal('newer', `${file} is of another version`);
  }
  return db;
}

/** Opens the ledger and the lease in it; creates the file if it is missing. `seal` protects the secrets of the lease. */
export function openNodeLedger(file: string, seal: TextSeal, page: number = PAGE): NodeLedger {
  const db = prepareFile(file);
  const run = randomBytes(ID_BYTES).toString('hex');
  const state = db.prepare<[], { readonly id: string; readonly seq: number; readonly acknowledged: number }>(
    'SELECT id, seq, acknowledged FROM ledger',
  );
  const addBoot = db.prepare<[string]>('INSERT INTO boots (boot) VALUES (?) ON CONFLICT DO NOTHING');
  const others = db.prepare<[string], string>('SELECT boot FROM boots WHERE ended IS NULL AND boot <> ?').pluck();
  const end = db.prepare<[number, string]>('UPDATE boots SET ended = ? WHERE boot = ?');
  const counted = db.prepare<[string, number, string], UpDown>(
    'SELECT up, down FROM counters WHERE boot = ? AND user_id = ? AND tag = ?',
  );
  const upsert = db.prepare<[Row & { readonly offered: number }]>(
    `INSERT INTO counters (boot, user_id, tag, up, down, seq) VALUES (:boot, :userId, :tag, :up, :down, :seq)
     ON CONFLICT (boot, user_id, tag) DO UPDATE
       SET ${KEEP_OFFERED},
         up = max(up, excluded.up), down = max(down, excluded.down), seq = excluded.seq`,
  );
  const nextSeq = db.prepare<[], number>('UPDATE ledger SET seq = seq + 1 RETURNING seq').pluck();
  const saveAcknowledged = db.prepare<[number]>('UPDATE ledger SET acknowledged = ?');
  const forget = [
    'DELETE FROM counters WHERE boot IN (SELECT boot FROM boots WHERE ended <= ?)',
    'DELETE FROM boots WHERE ended <= ?',
  ].map((sql) => db.prepare<[number]>(sql));
  const rows = db.prepare<[number, number], Row>(
    'SELECT seq, boot, user_id AS userId, tag, up, down FROM counters WHERE seq > ? ORDER BY seq LIMIT ?',
  );
  const waiting = db.prepare<[], LedgerWaiting>(
    `SELECT count(*) AS entries, CAST(total(up - offered_up + down - offered_down) AS INTEGER) AS bytes
     FROM counters WHERE tag = '' AND seq > (SELECT acknowledged FROM ledger)`,
  );
  const ends = db.prepare<[number, number], LedgerEnd>(
    'SELECT ended AS seq, boot FROM boots WHERE ended > ? AND ended <= ? ORDER BY ended',
  );

  function present() {
    const found = state.get();
    if (!found) throw databaseRefusal('damaged', 'the ledger has lost its own record');
    return found;
  }

  const next = () => nextSeq.get() ?? 0;
  /** Up to which sequence number this process has offered entries. */
  let offered = 0;
  const lease = createNodeLease(db, seal, next, () => offered);
  const panel = db.prepare<[], string>('SELECT claim FROM panel').pluck();
  const savePanel = db.prepare<[string]>(
    'INSERT INTO panel (one, claim) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET claim = excluded.claim',
  );

  return {
    run,
    lease,
    latest: () => present().seq,
    panel: () => panel.get() ?? null,
    savePanel(claim) {
      if (claim === null) db.exec('DELETE FROM panel');
      else savePanel.run(claim);
    },
    record: db.transaction(({ boot, users, inbounds }, now) => {
      const refused: number[] = [];
      if (boot === null) return refused;
      for (const other of others.all(boot)) end.run(next(), other);
      addBoot.run(boot);
      const recordBytes = (userId: number, tag: string, { up, down }: UpDown) => {
        const before = counted.get(boot, userId, tag);
        if (before && up <= before.up && down <= before.down) return;
        // Events get lower numbers than their counters, so that the panel processes them first.
        const isMoved = up > (before?.up ?? 0) || down > (before?.down ?? 0);
        if (tag === '' && isMoved) {
          const value = { boot, up: Math.max(up, before?.up ?? 0), down: Math.max(down, before?.down ?? 0) };
          const moved = { up: value.up - (before?.up ?? 0), down: value.down - (before?.down ?? 0) };
          if (lease.count(userId, moved, before ? { boot, ...before } : null, value, now)) refused.push(userId);
        }
        upsert.run({ boot, userId, tag, up, down, seq: next(), offered });
      };
      for (const [userId, value] of users) recordBytes(userId, '', value);
      for (const [tag, value] of inbounds) recordBytes(0, tag, value);
      return refused;
    }),
    acknowledge: db.transaction((seq) => {
      if (seq <= present().acknowledged) return;
      saveAcknowledged.run(seq);
      lease.acknowledge(seq);
      // Entries that the lease's terms do not include yet are kept until they do.
      for (const statement of forget) statement.run(Math.min(seq, lease.readTaken() ?? seq));
    }),
    waiting: () => waiting.get() ?? { entries: 0, bytes: 0 },
    read: db.transaction((after) => {
      const { id, seq, acknowledged } = present();
      const found = rows.all(after, page);
      const happened = lease.events(after, page);
      const full = [found, happened].flatMap((all) => (all.length < page ? [] : [all.at(-1)?.seq ?? seq]));
      const until = Math.min(seq, ...full);
      const isLast = full.length === 0;
      const events = happened.filter(({ seq: number }) => number <= until);
      const isIn = (row: Row) => row.seq <= until;
      const entries = found.filter(isIn).map(
        ({ userId, tag, ...rest }): LedgerEntry => ({
          ...rest,
          userId: userId === 0 ? null : userId,
          tag: tag === '' ? null : tag,
        }),
      );
      offered = Math.max(offered, until);
      return { ledger: id, run, acknowledged, entries, ends: ends.all(after, until), events, until, isLast };
    }),
    close: () => {
      db.close();
    },
  };
}
