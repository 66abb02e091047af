// Migrations whose process is killed at any moment: what is found afterwards is the old database or the new one, each complete.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/store/index.ts';
import { inspect, loadMigrations } from '../../src/store/migrate.ts';
import { times } from '../support/long.ts';
import { type TempFolder, tempFolder } from '../support/temp-store.ts';
import { type Contents, makeDatabase, readContents } from './contents.ts';
import { laterMigrations } from './statements.ts';

const KILLS = times(8, 20);
const MAX_ATTEMPTS = 60;
const migrations = laterMigrations();
const own = loadMigrations().length;

/** Upgrades in a process of its own, killed so many ms after it began; how long it took where it was faster. */
async function upgrade(file: string, version: number, killAfterMs: number | null): Promise<number | null> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'upgrade.ts'), file, String(version)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let took: number | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'begun' && killAfterMs !== null) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    if (line.startsWith('done ')) took = Number(line.slice(5));
  }
  await exited;
  return took;
}

/** A folder with the old database, which is none for the first migration. */
function oldDatabase(origin: TempFolder): TempFolder {
  const folder = tempFolder();
  if (existsSync(origin.file)) copyFileSync(origin.file, folder.file);
  return folder;
}

function backupsIn(folder: TempFolder): string[] {
  const path = join(folder.path, 'backups');
  return existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.sqlite')) : [];
}

it.each(migrations)(`$name, killed at ${KILLS} moments`, async ({ version }) => {
  using origin = tempFolder();
  makeDatabase(origin.file, migrations, version - 1, own);
  const before: Contents | null = version > 1 ? readContents(origin.file) : null;
  using untroubled = oldDatabase(origin);
  let span = (await upgrade(untroubled.file, version, null)) ?? 0;
  const after = readContents(untroubled.file);
  expect(after.version).toBe(version);

  const found = { old: 0, new: 0 };
  for (let kills = 0, attempts = 0; kills < KILLS; attempts += 1) {
    expect(attempts, 'the upgrade is always faster than the kill').toBeLessThan(MAX_ATTEMPTS);
    using folder = oldDatabase(origin);
    const took = await upgrade(folder.file, version, (span * (kills + 0.5)) / KILLS);
    if (took === null) kills += 1;
    else span = Math.min(span, took);

    const isNew = inspect(folder.file, migrations) === version;
    found[isNew ? 'new' : 'old'] += 1;
    if (isNew) expect(readContents(folder.file)).toEqual(after);
    else if (before) expect(readContents(folder.file)).toEqual(before);
    const backups = backupsIn(folder);
    if (isNew && before) expect(backups).toHaveLength(1);
    for (const name of backups) expect(readContents(join(folder.path, 'backups', name))).toEqual(before);

    openDatabase(folder.file, { migrations: migrations.slice(0, version) }).close();
    expect(readContents(folder.file)).toEqual(after);
  }
  expect(found.old).toBeGreaterThan(0);
});

it('a journal that was left before the file was in WAL mode is played back first', () => {
  using origin = tempFolder();
  makeDatabase(origin.file, migrations, own, own);
  const before = readContents(origin.file);
  using killed = tempFolder();
  const db = new Database(origin.file);
  db.pragma('journal_mode = DELETE');
  db.pragma('cache_size = 1');
  db.exec("BEGIN; UPDATE users SET note = 'never committed'");
  for (const end of ['', '-journal']) copyFileSync(origin.file + end, killed.file + end);
  db.exec('ROLLBACK');
  db.close();
  expect(() => new Database(killed.file, { readonly: true }).pragma('user_version')).toThrow(/readonly/);
  expect(inspect(killed.file, migrations)).toBe(own);
  expect(readContents(killed.file)).toEqual(before);
});
