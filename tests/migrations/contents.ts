// Databases of a version, and what one holds: as bytes of its file, and as rows whatever the bytes.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { nodeCrypto } from '../../src/adapters/crypto.ts';
import { ensureFirstSettings } from '../../src/panel/owned-folder.ts';
import { createStore, openDatabase } from '../../src/store/index.ts';
import type { Migration } from '../../src/store/migrate.ts';
import { sampleEventRow } from '../support/sample-events.ts';
import { sampleTariff, sampleUser } from '../support/temp-store.ts';

const USERS = 300;

/**
 * Makes the file with the migrations up to `version`, and with people in it where that has the schema of this version, `own`, or a
 * later one. Leaves nothing beside the file.
 */
export function makeDatabase(file: string, migrations: readonly Migration[], version: number, own: number): void {
  if (version === 0) return;
  const db = openDatabase(file, { migrations: migrations.slice(0, Math.min(version, own || version)) });
  try {
    if (own > 0 && version >= own) fill(createStore(db, file));
  } finally {
    db.close();
  }
  if (own === 0 || version <= own) return;
  openDatabase(file, { migrations: migrations.slice(0, version) }).close();
  rmSync(join(dirname(file), 'backups'), { recursive: true });
}

function fill(store: ReturnType<typeof createStore>): void {
  ensureFirstSettings(store, nodeCrypto, 'Europe/Berlin');
  store.write(() => {
    const tariffId = store.tariffs.insert(sampleTariff());
    for (let index = 0; index < USERS; index += 1) {
      const userId = store.users.insert(
        sampleUser({ name: `Kept ${index}`, tariffId, tags: ['vip'], note: 'x'.repeat(200) }),
      );
      store.events.append(sampleEventRow('user.created', 1, { data: JSON.stringify({ user_id: userId }) }), 1);
    }
    store.audit.append({
      at: 1,
      actorKind: 'panel',
      actorId: null,
      actorName: 'panel',
      action: 'x',
      outcome: 'done',
      target: null,
      detail: '{}',
      address: null,
      requestId: 'x',
    });
  });
}

const digest = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

/** SHA-256 of the file's bytes; null where there is none. */
export function hashFile(file: string): string | null {
  return readdirSync(dirname(file)).includes(file.slice(dirname(file).length + 1)) ? digest(readFileSync(file)) : null;
}

/**
 * Every file in the folder with the digest of its bytes. The journal that a look at a database leaves is not counted as long as it is
 * empty, nor is its index.
 */
export function hashFolder(file: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(dirname(file), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('-shm')) continue;
    const bytes = readFileSync(join(entry.parentPath, entry.name));
    if (bytes.length > 0 || !entry.name.endsWith('-wal')) found[join(entry.parentPath, entry.name)] = digest(bytes);
  }
  return found;
}

export interface Contents {
  readonly version: number;
  /** SHA-256 over the schema and every row of every table. */
  readonly rows: string;
}

/** Everything that is in a database, after SQLite has played the journal back. Throws where it is not whole. */
export function readContents(file: string): Contents {
  const db = new Database(file, { fileMustExist: true });
  try {
    const found = db.pragma('integrity_check', { simple: true });
    if (found !== 'ok') throw new Error(`${file} is not whole: ${found}`);
    if ((db.pragma('foreign_key_check') as unknown[]).length > 0) throw new Error(`${file} has broken references`);
    const schema = db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').raw().all();
    const version = Number(db.pragma('user_version', { simple: true }));
    const tables = db
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%' ORDER BY name",
      )
      .pluck()
      .all();
    const rows = tables.map((name) => [name, readRows(db, name)]);
    return { version, rows: digest(JSON.stringify([schema, version, db.pragma('application_id'), rows])) };
  } finally {
    db.close();
  }
}

function readRows(db: Database.Database, table: string): readonly string[] {
  const columns = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
  const quoted = columns.map((name) => `quote("${name}")`).join(" || ',' || ");
  return db.prepare<[], string>(`SELECT ${quoted} FROM "${table}"`).pluck().all().sort();
}
