// A database is migrated completely or not at all, and a file that this version does not know stays unchanged.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { sampleTariff, sampleUser, type TempFolder, tempFolder } from '../../tests/support/temp-store.ts';
import { openConnection } from './database.ts';
import { openDatabase, openStore } from './index.ts';
import { APPLICATION_ID, loadMigrations, type Migration, UNFINISHED } from './migrate.ts';

function migration(version: number, sql: string): Migration {
  return {
    version,
    name: `${String(version).padStart(4, '0')}_test.sql`,
    sql,
    checksum: createHash('sha256').update(sql).digest('hex'),
  };
}

/** The migrations of this version, followed by invented ones. */
function withMore(...sqls: readonly string[]): readonly Migration[] {
  const own = loadMigrations();
  return [...own, ...sqls.map((sql, index) => migration(own.length + index + 1, sql))];
}

function digest(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** A closed database of this version with one user. */
function existing(folder: TempFolder): string {
  const store = openStore(folder.file);
  store.write(() => store.users.insert(sampleUser({ name: 'Kept' })));
  store.close();
  return digest(folder.file);
}

function readSchemaVersion(file: string): unknown {
  const db = openConnection(file, { readonly: true });
  try {
    return db.pragma('user_version', { simple: true });
  } finally {
    db.close();
  }
}

const refused = (reason: string) => expect.objectContaining({ name: 'DatabaseRefused', reason });

describe('migrations', () => {
  it('are numbered without a gap and make a database of their version', () => {
    using folder = tempFolder();
    const own = loadMigrations();
    expect(own.map(({ version }) => version)).toEqual(own.map((_, index) => index + 1));
    const db = openDatabase(folder.file);
    expect(db.pragma('user_version', { simple: true })).toBe(own.length);
    expect(db.pragma('application_id', { simple: true })).toBe(APPLICATION_ID);
    expect(db.prepare('SELECT version, name, checksum FROM schema_migrations').all()).toEqual(
      own.map(({ version, name, checksum }) => ({ version, name, checksum })),
    );
    db.close();
    expect(existsSync(join(folder.path, 'backups'))).toBe(false);
  });

  it('do nothing to a database that is up to date', () => {
    using folder = tempFolder();
    const before = existing(folder);
    openStore(folder.file).close();
    expect(digest(folder.file)).toBe(before);
  });

  it('keep what is there, with a verified copy from before', () => {
    using folder = tempFolder();
    existing(folder);
    const from = loadMigrations().length;
    const store = openStore(folder.file, { migrations: withMore('CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT') });
    expect(store.users.get(1)?.name).toBe('Kept');
    store.close();
    expect(readSchemaVersion(folder.file)).toBe(from + 1);
    const backups = join(folder.path, 'backups');
    const [name = ''] = readdirSync(backups);
    expect(name).toBe(`pre-migration-${String(from).padStart(4, '0')}.sqlite`);
    expect(statSync(join(backups, name)).mode & 0o777).toBe(0o600);
    const copy = openStore(join(backups, name));
    expect(copy.users.get(1)?.name).toBe('Kept');
    expect(copy.users.count({ q: 'kep' }, 0)).toBe(1);
    copy.close();
  });

  it('may rebuild a table that others refer to', () => {
    using folder = tempFolder();
    const made = openStore(folder.file);
    const user = sampleUser({ tariffId: made.tariffs.insert(sampleTariff({ name: 'Kept' })), tags: ['kept'] });
    made.users.insert(user);
    made.close();
    const rebuild = `CREATE TABLE copy AS SELECT * FROM user_tags; DROP TABLE user_tags;
      CREATE TABLE user_tags (tag TEXT NOT NULL, user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        PRIMARY KEY (tag, user_id)) STRICT, WITHOUT ROWID;
      INSERT INTO user_tags SELECT * FROM copy; DROP TABLE copy;
      CREATE TABLE other AS SELECT * FROM tariffs; DELETE FROM tariffs; INSERT INTO tariffs SELECT * FROM other;
      DROP TABLE other`;
    const store = openStore(folder.file, { migrations: withMore(rebuild) });
    expect([store.users.ids({ tag: 'kept' }, 0), store.users.get(1)?.tariffId, store.tariffs.get(1)?.name]).toEqual([
      [1],
      1,
      'Kept',
    ]);
    expect(store.connection().pragma('foreign_keys', { simple: true })).toBe(1);
    store.close();
  });

  it('keep the newest three copies', () => {
    using folder = tempFolder();
    existing(folder);
    const steps = ['a', 'b', 'c', 'd', 'e'].map((name) => `CREATE TABLE ${name} (id INTEGER PRIMARY KEY) STRICT`);
    for (let count = 1; count <= steps.length; count += 1) {
      openStore(folder.file, { migrations: withMore(...steps.slice(0, count)) }).close();
    }
    const own = loadMigrations().length;
    expect(readdirSync(join(folder.path, 'backups')).sort()).toEqual(
      [2, 3, 4].map((step) => `pre-migration-${String(own + step).padStart(4, '0')}.sqlite`),
    );
  });
});

describe('a failing migration', () => {
  it.each([
    ['a wrong statement', "CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT; INSERT INTO users (id) VALUES ('x')"],
    [
      'a broken reference',
      'CREATE TABLE more (id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES users (id)) STRICT; INSERT INTO more VALUES (1, 77)',
    ],
  ])('leaves the old database: %s', (_, sql) => {
    using folder = tempFolder();
    const before = existing(folder);
    expect(() => openStore(folder.file, { migrations: withMore(sql) })).toThrow();
    expect(digest(folder.file)).toBe(before);
    const store = openStore(folder.file);
    expect(store.users.get(1)?.name).toBe('Kept');
    store.close();
  });

  it('leaves those before it', () => {
    using folder = tempFolder();
    existing(folder);
    const own = loadMigrations().length;
    const good = 'CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT';
    expect(() => openStore(folder.file, { migrations: withMore(good, 'no SQL') })).toThrow();
    expect(readSchemaVersion(folder.file)).toBe(own + 1);
    openStore(folder.file, { migrations: withMore(good) }).close();
  });

  it('leaves nothing of a new database', () => {
    using folder = tempFolder();
    const own = loadMigrations()[0];
    const broken = own ? [{ ...own, sql: `${own.sql}; no SQL` }] : [];
    expect(() => openStore(folder.file, { migrations: broken })).toThrow();
    const store = openStore(folder.file);
    expect(store.users.count({}, 0)).toBe(0);
    store.close();
  });
});

describe('refused and untouched is', () => {
  it('a newer database', () => {
    using folder = tempFolder();
    openStore(folder.file, { migrations: withMore('CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT') }).close();
    const before = digest(folder.file);
    expect(() => openStore(folder.file)).toThrow(refused('newer'));
    expect(() => openStore(folder.file, { readonly: true })).toThrow(refused('newer'));
    expect(digest(folder.file)).toBe(before);
  });

  it('one made by other migrations', () => {
    using folder = tempFolder();
    openStore(folder.file, { migrations: withMore('CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT') }).close();
    const before = digest(folder.file);
    const other = withMore('CREATE TABLE other (id INTEGER PRIMARY KEY) STRICT');
    expect(() => openStore(folder.file, { migrations: other })).toThrow(refused('diverged'));
    expect(digest(folder.file)).toBe(before);
  });

  it.each([
    ['with an id of its own', 'PRAGMA application_id = 42; CREATE TABLE t (x)'],
    ['without one', 'CREATE TABLE t (x)'],
    ['that claims our version', 'PRAGMA user_version = 1; CREATE TABLE schema_migrations (version, name, checksum)'],
  ])("another application's database %s", (_, sql) => {
    using folder = tempFolder();
    const foreign = new Database(folder.file);
    foreign.exec(sql);
    foreign.close();
    const before = digest(folder.file);
    expect(() => openStore(folder.file)).toThrow(refused('foreign'));
    expect(digest(folder.file)).toBe(before);
  });

  it('one that a bulk load left half filled', () => {
    using folder = tempFolder();
    const db = openDatabase(folder.file);
    db.pragma(`user_version = ${UNFINISHED}`);
    db.close();
    expect(() => openStore(folder.file)).toThrow(refused('unfinished'));
  });

  it('one to be read that is not migrated yet', () => {
    using folder = tempFolder();
    existing(folder);
    const migrations = withMore('CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT');
    expect(() => openStore(folder.file, { readonly: true, migrations })).toThrow(refused('outdated'));
  });
});
