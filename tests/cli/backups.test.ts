// `panel backup` and `panel restore` by the real command, while the panel runs and while it does not, and on a new machine.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { type CommandLine, openCommandLine, PASSWORD } from '../support/cli.ts';

const PASSPHRASE = 'a passphrase for backups';

let old: CommandLine;
let fresh: CommandLine;
let backups: string;

beforeEach(async () => {
  old = openCommandLine();
  fresh = openCommandLine();
  backups = mkdtempSync(join(tmpdir(), 'gatehouse-backups-'));
  await succeed(old, ['setup', '--name', 'admin'], PASSWORD);
});

afterEach(async () => {
  await Promise.all([old[Symbol.asyncDispose](), fresh[Symbol.asyncDispose]()]);
  rmSync(backups, { recursive: true, force: true });
});

/** Runs a command that must succeed; returns its stdout. */
async function succeed(line: CommandLine, args: readonly string[], input = ''): Promise<string> {
  const { code, stdout, stderr } = await line.run(args, input);
  expect([args, code, code === 0 ? '' : stderr]).toEqual([args, 0, '']);
  return stdout;
}

test('one command restores the panel on a new machine with its address, administrator and keys', async () => {
  const key = (await succeed(old, ['key', 'add', '--name', 'bot', '--access', 'full'], PASSWORD)).trim();
  const examine = async (check: string) =>
    (await old.run(['doctor'])).stdout.match(new RegExp(`^.* ${check} .*$`, 'm'))?.[0];
  expect(await examine('backups')).toMatch(/^warning .*there is none here$/);
  expect(await examine('copy elsewhere')).toMatch(/^warning .*no backup has left this machine$/);
  const file = join(backups, 'stored.gatehouse-backup');
  expect(await succeed(old, ['backup', '--out', file, '--passphrase-stdin'], PASSPHRASE)).toBe(`${file}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file).includes('admin')).toBe(false);
  expect(existsSync(join(old.folder, 'backups')) ? readdirSync(join(old.folder, 'backups')) : []).toEqual([]);

  expect(await succeed(fresh, ['restore', '--check', file], PASSPHRASE)).toContain('can be restored: 0 users, 1 keys');
  const { stdout, stderr } = await fresh.run(['restore', file, '--json'], PASSPHRASE);
  expect(stderr).toContain('takes over its nodes as soon as it runs, and that one becomes read-only');
  const restored = JSON.parse(stdout);
  expect(restored).toMatchObject({ restored: { ok: true, keys: 1 }, set_aside: null, set_up: true });
  const path = (line: CommandLine) => succeed(line, ['url', 'base_url']).then((url) => new URL(url.trim()).pathname);
  expect(await path(fresh)).toBe(await path(old));
  const panel = await fresh.serve(['--port', '0', '--http', '--host', '127.0.0.1']);
  const answer = await fetch(`${panel.baseUrl}/users`, { headers: { authorization: `Bearer ${key}` } });
  expect(answer.status).toBe(200);
});

test('a running panel makes and restores backups without stopping', async () => {
  const panel = await old.serve(['--port', '0', '--http', '--host', '127.0.0.1']);
  const file = (await succeed(old, ['backup'])).trim();
  expect(file.startsWith(join(old.folder, 'backups', 'gatehouse-manual-'))).toBe(true);
  const key = (await succeed(old, ['key', 'add', '--name', 'since', '--access', 'read'], PASSWORD)).trim();
  const readOverview = () => fetch(`${panel.baseUrl}/stats/overview`, { headers: { authorization: `Bearer ${key}` } });
  expect((await readOverview()).status).toBe(200);
  expect((await old.run(['restore', file])).stderr, 'its own').not.toContain('takes over');
  // The key is younger than the backup.
  expect((await readOverview()).status).toBe(401);
  expect(await succeed(old, ['key', 'list', '--json'])).toBe('[]\n');
  expect(readdirSync(join(old.folder, 'backups')).some((name) => name.startsWith('gatehouse-before-restore-'))).toBe(
    true,
  );
});

test('a backup in clear is known to the panel that made it, and elsewhere asks before it is used', async () => {
  const panel = await old.serve(['--port', '0', '--http', '--host', '127.0.0.1']);
  const file = join(backups, 'clear.gatehouse-backup');
  await succeed(old, ['backup', '--out', file]);
  expect(JSON.parse(await succeed(old, ['restore', '--check', '--json', file]))).toMatchObject({ origin: 'made_here' });
  await panel.end('SIGTERM');
  expect(JSON.parse(await succeed(old, ['restore', '--check', '--json', file]))).toMatchObject({ origin: 'made_here' });
  expect(JSON.parse(await succeed(old, ['restore', '--json', file])).restored).toMatchObject({ origin: 'made_here' });

  const checked = await fresh.run(['restore', '--check', file]);
  expect([checked.code, existsSync(fresh.folder)]).toEqual([0, false]);
  expect(checked.stderr).toContain('administrator.name: 1');
  expect(checked.stderr).toMatch(/administrator\.password_hash: 1\n {4}admin: - → scry…\n/);
  const refused = await fresh.run(['restore', file]);
  expect(refused).toMatchObject({ code: 3, stdout: '' });
  expect(refused.stderr).toContain('The backup may have been changed. Restore it? Add --yes');
  expect(existsSync(fresh.folder)).toBe(false);
  const restored = JSON.parse(await succeed(fresh, ['restore', '--yes', '--json', file]));
  expect(restored.restored).toMatchObject({ ok: true, origin: 'unknown' });
});

test('a database that cannot be opened is moved aside unchanged, and replaced by the backup', async () => {
  const file = join(backups, 'stored.gatehouse-backup');
  await succeed(old, ['backup', '--out', file]);
  const garbage = 'not a database any more';
  writeFileSync(join(old.folder, 'panel.db'), garbage);
  expect((await old.run(['key', 'list'])).code).toBe(6);
  const { set_aside } = JSON.parse(await succeed(old, ['restore', '--yes', file, '--json']));
  expect(readFileSync(set_aside, 'utf8')).toBe(garbage);
  expect(JSON.parse(await succeed(old, ['url', '--json']))).toMatchObject({ set_up: true });
});

test('a file that cannot be restored is refused in one sentence, and nothing changes', async () => {
  const file = join(backups, 'stored.gatehouse-backup');
  await succeed(old, ['backup', '--out', file, '--passphrase-stdin'], PASSPHRASE);
  const damaged = join(backups, 'damaged.gatehouse-backup');
  writeFileSync(damaged, readFileSync(file).subarray(0, -100));
  const other = join(backups, 'notes.txt');
  writeFileSync(other, 'notes');
  const before = readFileSync(join(old.folder, 'panel.db'));
  const cases = [
    [['restore', file], 'another passphrase', 'the passphrase is wrong'],
    [['restore', file], '', 'A passphrase is needed'],
    [['restore', damaged], PASSPHRASE, 'it is incomplete'],
    [['restore', other], '', 'it is not a backup of a panel'],
    [['restore', join(backups, 'nowhere')], '', 'no such file'],
    [['restore', '--check', damaged], PASSPHRASE, 'it is incomplete'],
    [['backup', '--out', file], '', 'is there already'],
    [['backup', '--passphrase-stdin'], 'short', 'passphrase'],
  ] as const;
  for (const [args, input, message] of cases) {
    const { code, stdout, stderr } = await old.run(args, input);
    expect([args, code, stdout, stderr.includes(message)]).toEqual([args, 3, '', true]);
    expect(stderr).not.toMatch(/\n\s+at /);
  }
  expect(readFileSync(join(old.folder, 'panel.db')).equals(before)).toBe(true);
});

test('a place of the panel is used by its name, while the panel runs and while it does not', async () => {
  const folder = join(backups, 'disk');
  mkdirSync(folder);
  const store = openStore(join(old.folder, 'panel.db'));
  const settings = { kind: 'folder', name: 'My disk', fields: { path: folder }, allowPrivate: false } as const;
  const schedule = { encrypted: false, everyHours: null, keep: 2, lastAt: null, error: null, errorAt: null };
  store.write(() => store.backupPlaces.insert({ ...settings, ...schedule, createdAt: 1, updatedAt: 1 }));
  store.close();
  const at = ['--from', 'My disk'];
  expect((await old.run(['restore', ...at])).stderr).toContain('No backup is there.');
  const [first = ''] = (await succeed(old, ['backup', '--to', 'My disk'])).split('\n');
  expect(readdirSync(folder)).toEqual([first]);
  expect(await succeed(old, ['restore', ...at])).toContain(first);
  const panel = await old.serve(['--port', '0', '--http', '--host', '127.0.0.1']);
  const { name: second } = JSON.parse(await succeed(old, ['backup', '--json', '--to', 'My disk']));
  const { name: third, removed } = JSON.parse(await succeed(old, ['backup', '--json', '--to', 'My disk']));
  expect([removed, readdirSync(folder).sort()]).toEqual([[first], [second, third]]);
  expect(await succeed(old, ['restore', 'latest', '--check', ...at])).toContain('can be restored');
  expect(JSON.parse(await succeed(old, ['restore', second, '--json', ...at])).restored).toMatchObject({ ok: true });
  const refusals = [
    [['backup', '--to', 'Nowhere'], 'no place named Nowhere'],
    [['backup', '--to', 'My disk', '--keep', '3'], '--keep is set in the panel'],
    [['restore', 'gatehouse-none', ...at], 'There is no such backup'],
  ] as const;
  for (const [args, message] of refusals) {
    const { code, stderr } = await old.run(args);
    expect([args, code, stderr]).toEqual([args, 3, expect.stringContaining(message)]);
  }
  rmSync(folder, { recursive: true });
  const gone = await old.run(['backup', '--to', 'My disk']);
  expect([gone.code, gone.stderr]).toEqual([3, expect.stringContaining('place_not_found')]);
  expect((await old.run(['doctor'])).stdout).toMatch(/warning .*place of backups .*My disk failed: place_not_found/);
  await panel.end('SIGTERM');
});

test('what could not be restored is no backup, and the tables of Litestream are in none', async () => {
  const database = new Database(join(old.folder, 'panel.db'));
  database.exec('CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER); CREATE TABLE loot (x)');
  const refused = await old.run(['backup', '--passphrase-stdin'], PASSPHRASE);
  expect([refused.code, refused.stdout, refused.stderr]).toEqual([3, '', expect.stringContaining('table loot')]);
  expect(existsSync(join(old.folder, 'backups')) ? readdirSync(join(old.folder, 'backups')) : []).toEqual([]);
  database.exec('DROP TABLE loot');
  database.close();
  const file = (await succeed(old, ['backup', '--passphrase-stdin'], PASSPHRASE)).trim();
  expect(await succeed(fresh, ['restore', '--check', file], PASSPHRASE)).toContain('can be restored');
});

test.runIf(process.platform === 'linux')(
  'a restore while another process reads the database is refused and names it',
  async () => {
    const panel = await old.serve(['--port', '0', '--http', '--host', '127.0.0.1']);
    const file = (await succeed(old, ['backup'])).trim();
    const database = new Database(join(old.folder, 'panel.db'), { readonly: true });
    try {
      database.exec('BEGIN; SELECT count(*) FROM users');
      const { code, stderr } = await old.run(['restore', file]);
      expect([code, stderr]).toEqual([3, expect.stringContaining(`process ${process.pid} (`)]);
    } finally {
      database.close();
    }
    expect((await fetch(`${panel.baseUrl}/users`)).status).toBe(401);
    expect((await old.run(['restore', file])).stderr, 'its own').not.toContain('takes over');
  },
);

test('a reader that closes the pipe ends no command with a stack trace', async () => {
  const file = (await succeed(old, ['backup'])).trim();
  for (const args of [
    ['restore', '--check', file],
    ['doctor'],
    ['url'],
    ['backup', '--json'],
    ['openapi'],
    ['--help'],
  ]) {
    const { code, stderr } = await old.runUnread(args);
    expect([args, code, stderr.includes('EPIPE'), stderr.includes('    at ')]).toEqual([args, code, false, false]);
    expect([args, [0, 1].includes(code ?? -1)]).toEqual([args, true]);
  }
});
