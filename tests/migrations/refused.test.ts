// Databases that this version must not touch: each refused by its name, with every byte of the folder as it was.
import { closeSync, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { isDatabaseRefusal } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/index.ts';
import { loadMigrations } from '../../src/store/migrate.ts';
import { tempFolder } from '../support/temp-store.ts';
import { hashFolder, makeDatabase } from './contents.ts';
import { laterMigrations } from './statements.ts';

const own = loadMigrations();
const later = laterMigrations();
const PAGE = 4096;

function catchReason(open: () => unknown): string {
  try {
    open();
  } catch (error) {
    if (isDatabaseRefusal(error)) return error.reason;
    throw error;
  }
  return 'opened';
}

function changed(file: string, sql: string): void {
  const db = new Database(file);
  db.exec(sql);
  db.close();
}

function overwrite(file: string, at: number, bytes: Buffer): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, bytes, 0, bytes.length, at);
  closeSync(handle);
}

const CASES: readonly (readonly [string, string, (file: string) => void])[] = [
  ['newer', 'of a later version', (file) => openDatabase(file, { migrations: later }).close()],
  ['newer', 'whose number alone is later', (file) => changed(file, 'PRAGMA user_version = 999')],
  ['diverged', 'whose migrations were others', (file) => changed(file, "UPDATE schema_migrations SET checksum = 'x'")],
  ['diverged', 'that lacks the record of a migration', (file) => changed(file, 'DELETE FROM schema_migrations')],
  ['foreign', 'of another application', (file) => changed(file, 'PRAGMA application_id = 42')],
  ['foreign', 'that is none', (file) => writeFileSync(file, 'a recipe for apple pie'.repeat(400))],
  ['foreign', 'that begins as one', (file) => overwrite(file, 20, Buffer.from('not the header that it was'))],
  ['unfinished', 'that a bulk load left half filled', (file) => changed(file, 'PRAGMA user_version = -1')],
];

it.each(CASES)('%s: a database %s', (reason, _, damage) => {
  using folder = tempFolder();
  makeDatabase(folder.file, own, own.length, own.length);
  damage(folder.file);
  const before = hashFolder(folder.file);
  for (const migrations of [own, reason === 'newer' ? own : later]) {
    expect(catchReason(() => openDatabase(folder.file, { migrations }))).toBe(reason);
    expect(catchReason(() => openDatabase(folder.file, { migrations, readonly: true }))).toBe(reason);
    expect(hashFolder(folder.file)).toEqual(before);
  }
});

/** The page on which the users' rows begin. */
function pageOfUsers(file: string): number {
  const db = new Database(file, { readonly: true });
  const page = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'users'").pluck().get());
  db.close();
  return page;
}

const DAMAGES: readonly (readonly [string, (file: string) => void])[] = [
  ['with a page of noise', (file) => overwrite(file, (pageOfUsers(file) - 1) * PAGE, Buffer.alloc(PAGE, 0xa5))],
  ['whose end is missing', (file) => truncateSync(file, 40 * PAGE)],
];

it.each(DAMAGES)('damaged: a database %s is not upgraded', (_, damage) => {
  using folder = tempFolder();
  makeDatabase(folder.file, own, own.length, own.length);
  damage(folder.file);
  const before = hashFolder(folder.file);
  expect(catchReason(() => openDatabase(folder.file, { migrations: later }))).toBe('damaged');
  expect(hashFolder(folder.file)).toEqual(before);
});
