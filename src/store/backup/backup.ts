// A verified copy of the database from before a migration, so that a new version can never cost anybody their data.
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Connection, claimFile, openConnection } from '../database.ts';
import { refusal } from '../refusal.ts';

const KEPT = 3;
const NAME = /^pre-migration-(\d{4})\.sqlite$/;

/** Writes `backups/pre-migration-<version>.sqlite` beside the file, checks it, and drops all but the newest three. Returns its path. */
export function backUp(db: Connection, file: string, version: number): string {
  const folder = join(dirname(file), 'backups');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `pre-migration-${String(version).padStart(4, '0')}.sqlite`);
  const unfinished = `${path}.unfinished`;
  rmSync(unfinished, { force: true });
  claimFile(unfinished);
  db.prepare('VACUUM INTO ?').run(unfinished);
  verify(db, unfinished);
  sync(unfinished);
  renameSync(unfinished, path);
  syncFolder(folder);
  dropOld(folder);
  return path;
}

function verify(original: Connection, path: string): void {
  const copy = openConnection(path, { readonly: true });
  try {
    const found = copy.pragma('integrity_check(1)', { simple: true });
    if (found !== 'ok') throw refusal('damaged', 'the backup before the migration is damaged');
    if (JSON.stringify(contents(copy)) !== JSON.stringify(contents(original))) {
      throw refusal('damaged', 'the backup before the migration is incomplete');
    }
  } finally {
    copy.close();
  }
}

/** The version and how many rows each table has. */
function contents(db: Connection): unknown {
  const tables = db
    .prepare<[], string>("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name")
    .pluck()
    .all();
  const counts = tables.map((name) => [name, db.prepare(`SELECT count(*) FROM "${name}"`).pluck().get()]);
  return [db.pragma('user_version', { simple: true }), db.pragma('application_id', { simple: true }), counts];
}

function sync(path: string): void {
  const handle = openSync(path, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}

// Windows cannot open a folder; there a rename is durable with its file.
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

function dropOld(folder: string): void {
  const names = readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort();
  for (const name of names.slice(0, -KEPT)) rmSync(join(folder, name), { force: true });
}
