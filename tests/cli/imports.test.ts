// `panel import` and `panel export` by the real command, while the panel does not run and while it does.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exportDocument } from '../../src/contract/imports/document.ts';
import { openStore } from '../../src/store/index.ts';
import { type CommandLine, openCommandLine, PASSWORD } from '../support/cli.ts';
import { OLD_UUID, writeThreeXui } from '../support/foreign-panels.ts';
import { sampleNode } from '../support/temp-store.ts';

let line: CommandLine;
let folder: string;
let database: string;

beforeEach(async () => {
  line = openCommandLine();
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-imports-'));
  database = join(folder, 'x-ui.db');
  writeThreeXui(database);
  await line.run(['setup', '--name', 'admin'], PASSWORD);
  const store = openStore(join(line.folder, 'panel.db'));
  store.nodes.insert(sampleNode({ kind: 'remote' }));
  store.close();
});

afterEach(async () => {
  await line[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function succeed(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await line.run(args);
  expect([args, code, code === 0 ? '' : stderr]).toEqual([args, 0, '']);
  return stdout;
}

test('a database is reported, imported with a backup before, and exported with its keys', async () => {
  const key = ['--key-file', join(folder, 'key')];
  const report = await succeed(['import', database, '--check', ...key]);
  expect(report).toMatch(/^Would import from 3x-ui:\n {2}users: 9 created\n {2}connections: 3 created, 1 skipped\n/);
  expect(report).toContain('1 × this panel cannot have such a connection: obfuscated');
  const imported = JSON.parse(await succeed(['import', database, '--yes', '--json', ...key]));
  expect(imported).toMatchObject({ problem: null, applied: true, users: { created: 9 } });
  expect(imported.backup).toMatch(/^gatehouse-manual-/);
  const file = join(folder, 'export.json');
  expect(await succeed(['export', file, ...key])).toBe(`${file}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { users, inbounds } = exportDocument.parse(JSON.parse(readFileSync(file, 'utf8')));
  expect(users.find(({ name }) => name === 'ann')?.credentials.uuid).toBe(OLD_UUID);
  expect(inbounds[0]?.private_key).toMatch(/^[\w-]{43}$/);
  expect(await line.run(['export', file, ...key])).toMatchObject({ code: 3 });

  await line.serve(['--port', '0', '--http', '--host', '127.0.0.1', ...key]);
  const base = await succeed(['url', 'base_url']);
  const link = (token: string) => fetch(new URL(`/sub/${token}`, base), { redirect: 'manual' });
  const answer = await link('annsub');
  expect([answer.status, Buffer.from(await answer.text(), 'base64').toString()]).toEqual([
    200,
    expect.stringContaining(OLD_UUID),
  ]);
  const page = await fetch(new URL('/sub/annsub', base), {
    headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0 Chrome/130.0 Safari/537.36' },
    redirect: 'manual',
  });
  expect([page.status, page.headers.get('location')]).toEqual([302, expect.stringMatching(/\/sub\/[\w-]{22}$/)]);
  const guesses = await Promise.all(Array.from({ length: 12 }, (_, index) => link(`guess${index}`)));
  expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([404]));
  expect((await link('annsub')).status).toBe(404);
  const again = JSON.parse(await succeed(['import', database, '--yes', '--json']));
  expect(again).toMatchObject({ applied: true, users: { created: 0, updated: 0, unchanged: 9 } });
});

test('what is no database is refused with the reason, and nothing is written', async () => {
  const junk = join(folder, 'junk.db');
  writeFileSync(junk, 'junk');
  const { code, stderr } = await line.run(['import', junk, '--yes']);
  expect([code, stderr]).toEqual([3, expect.stringContaining('This cannot be imported: ')]);
  expect(await line.run(['import', database, '--source', 'marzban', '--yes'])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('they are of another panel than --source says'),
  });
});
