// Every migration failed at every statement: the old database stays byte for byte, with its copy beside it, or the new one is complete.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/store/index.ts';
import { inspect, loadMigrations } from '../../src/store/migrate.ts';
import { times } from '../support/long.ts';
import { tempFolder } from '../support/temp-store.ts';
import { hashFile, makeDatabase, readContents } from './contents.ts';
import { broken, FAULTS, laterMigrations, splitStatements } from './statements.ts';

const migrations = laterMigrations();
const own = loadMigrations().length;

const getBackupPath = (folder: string, version: number) =>
  join(folder, 'backups', `pre-migration-${String(version).padStart(4, '0')}.sqlite`);

describe.each(migrations)('$name', ({ version, sql }) => {
  const statements = splitStatements(sql);

  it('is the same taken apart', () => {
    using whole = tempFolder();
    using parts = tempFolder();
    for (const folder of [whole, parts]) makeDatabase(folder.file, migrations, version - 1, 0);
    openDatabase(whole.file, { migrations: migrations.slice(0, version) }).close();
    const db = openDatabase(parts.file, { migrations: migrations.slice(0, version - 1) });
    db.pragma('foreign_keys = OFF');
    // The driver prepares one statement alone: two that were taken for one would throw.
    for (const statement of statements) db.prepare(statement).run();
    db.close();
    const readSchema = (file: string) => {
      const opened = new Database(file, { readonly: true });
      const found = opened
        .prepare("SELECT type, name, tbl_name FROM sqlite_schema WHERE name <> 'schema_migrations' ORDER BY name")
        .raw()
        .all();
      opened.close();
      return found;
    };
    expect(readSchema(parts.file)).toEqual(readSchema(whole.file));
    expect(statements.length).toBeGreaterThan(0);
  });

  // In the short form each statement fails once, by one of the faults in turn; in the long form by each of them.
  const step = times(FAULTS.length, 1);
  it.each(FAULTS)(
    `leaves the old database at ${step === 1 ? 'each' : 'every second'} of its ${statements.length} statements by %s`,
    (fault) => {
      using folder = tempFolder();
      makeDatabase(folder.file, migrations, version - 1, own);
      const before = version > 1 ? { bytes: hashFile(folder.file), contents: readContents(folder.file) } : null;
      for (let at = FAULTS.indexOf(fault) % step; at <= statements.length; at += step) {
        const attempt = () => openDatabase(folder.file, { migrations: broken(migrations, version, at, fault) });
        expect(attempt, `statement ${at}`).toThrow(/no such table|malformed JSON/);
        if (before === null) {
          expect(inspect(folder.file, migrations), `statement ${at}`).toBe(0);
          continue;
        }
        expect(hashFile(folder.file), `statement ${at}`).toBe(before.bytes);
        expect(existsSync(`${folder.file}-wal`)).toBe(false);
        expect(readContents(getBackupPath(folder.path, version - 1)), `statement ${at}`).toEqual(before.contents);
      }
      openDatabase(folder.file, { migrations: migrations.slice(0, version) }).close();
      using untroubled = tempFolder();
      makeDatabase(untroubled.file, migrations, version - 1, own);
      openDatabase(untroubled.file, { migrations: migrations.slice(0, version) }).close();
      expect(readContents(folder.file).version).toBe(version);
      expect(schemaDigest(folder.file)).toEqual(schemaDigest(untroubled.file));
    },
  );

  it('leaves the old database when the disk is full at any page of the new one', () => {
    using folder = tempFolder();
    makeDatabase(folder.file, migrations, version - 1, own);
    const before = version > 1 ? hashFile(folder.file) : null;
    const pages = version > 1 ? countPages(folder.file) : 1;
    let failures = 0;
    for (let room = 0; ; room += 1) {
      const limit = `PRAGMA max_page_count = ${pages + room};`;
      const isDone = hasOpened(() => openDatabase(folder.file, { migrations: broken(migrations, version, 0, limit) }));
      if (isDone) break;
      failures += 1;
      if (before === null) expect(inspect(folder.file, migrations)).toBe(0);
      else expect(hashFile(folder.file), `room for ${room} pages`).toBe(before);
    }
    // Each page by which the file grew was missing once.
    expect(failures).toBeGreaterThanOrEqual(countPages(folder.file) - pages);
    expect(readContents(folder.file).version).toBe(version);
  });
});

const PAGE = 4096;
const countPages = (file: string) => statSync(file).size / PAGE;

/** Whether it opens; false where the disk is full. */
function hasOpened(open: () => { close(): unknown }): boolean {
  try {
    open().close();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_FULL') return false;
    throw error;
  }
}

/** What two databases have in common that were filled with other chance. */
function schemaDigest(file: string): unknown {
  const db = openDatabase(file, { readonly: true, migrations: migrations.slice(0, readContents(file).version) });
  try {
    const schema = db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').raw().all();
    return [schema, db.prepare('SELECT count(*) FROM users').pluck().get()];
  } finally {
    db.close();
  }
}
