// Refused commands: each prints one sentence without a stack trace, has its own exit code, and changes nothing.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { type CommandLine, type Finished, openCommandLine, PASSWORD } from '../support/cli.ts';

function expectRefusal({ code, stdout, stderr }: Finished, exitCode: number, sentence: RegExp): void {
  expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
  expect(stderr).toMatch(sentence);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(3);
}

const serve = (cli: CommandLine, ...args: string[]) => cli.run(['serve', '--port', '0', ...args]);

test('a second panel on the same folder', async () => {
  await using cli = openCommandLine();
  const first = await cli.serve();
  const message = /^panel: Another panel \(process \d+, `npx panel serve`\) is using the data folder .*--data\.\n$/;
  expectRefusal(await serve(cli), 5, message);
  expect((await cli.run(['url', 'base_url'])).stdout.trim()).toBe(first.baseUrl);
});

test('a taken port', async () => {
  await using cli = openCommandLine();
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  expectRefusal(
    await cli.run(['serve', '--port', String(port)]),
    7,
    new RegExp(`^panel: Port ${port} on 127.0.0.1 is taken`),
  );
  other.close();
});

test('an address of another machine', async () => {
  await using cli = openCommandLine();
  expectRefusal(await serve(cli, '--host', '192.0.2.1'), 7, /192\.0\.2\.1 is not an address of this machine/);
});

test('plain HTTP beyond loopback', async () => {
  await using cli = openCommandLine();
  expectRefusal(await serve(cli, '--http', '--host', '0.0.0.0'), 7, /--http is for a reverse proxy on this machine/);
});

test('plain HTTP on loopback is served', async () => {
  await using cli = openCommandLine();
  const { baseUrl, caPath } = await cli.serve(['--port', '0', '--http']);
  expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:/);
  expect(caPath).toBeNull();
  expect((await fetch(`${baseUrl}/users`)).status).toBe(401);
});

test('a database of another program, and one of a newer version, which stay unchanged', async () => {
  await using cli = openCommandLine();
  mkdirSync(cli.folder, { mode: 0o700 });
  const file = join(cli.folder, 'panel.db');
  const db = new Database(file);
  db.exec('CREATE TABLE recipes (name TEXT)');
  expectRefusal(await serve(cli), 6, /^panel: The database .*panel\.db cannot be used/);
  expect(db.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual(['recipes']);
  db.close();

  writeFileSync(file, 'this is no database at all, but long enough to be looked at as one'.repeat(20));
  expectRefusal(await serve(cli), 6, /^panel: The database .* cannot be used: the file is not a database/);

  await using later = openCommandLine();
  await (await later.serve()).end('SIGTERM');
  const newer = new Database(join(later.folder, 'panel.db'));
  newer.pragma('user_version = 999');
  newer.close();
  expectRefusal(await serve(later), 6, /has version 999, this panel knows up to/);
});

test('a folder with other files, and a path that is not a folder', async () => {
  await using cli = openCommandLine();
  mkdirSync(cli.folder);
  writeFileSync(join(cli.folder, 'thesis.txt'), 'x');
  expectRefusal(await serve(cli), 4, /holds other files and no panel/);
  expectRefusal(await cli.run(['serve', '--data', join(cli.folder, 'thesis.txt')]), 4, /cannot be used/);
});

test('commands on a folder where no panel has run', async () => {
  await using cli = openCommandLine();
  for (const args of [['url'], ['key', 'list'], ['openapi'], ['reset-password']]) {
    expectRefusal(await cli.run(args, PASSWORD), 4, /No panel has run on .* Start one with `npx panel serve`/);
  }
});

test('what the panel refuses', async () => {
  await using cli = openCommandLine();
  await cli.serve();
  expectRefusal(await cli.run(['setup', '--name', 'admin'], 'short'), 3, /password: /);
  expectRefusal(await cli.run(['setup', '--name', 'admin'], ''), 3, /A password is needed/);
  expectRefusal(await cli.run(['reset-password'], PASSWORD), 3, /no administrator yet/);
  await cli.run(['setup', '--name', 'admin'], PASSWORD);
  expectRefusal(await cli.run(['setup', '--name', 'eve'], PASSWORD), 3, /an administrator already/);
  const key = ['key', 'add', '--name', 'bot', '--access', 'full'];
  expectRefusal(await cli.run(key, 'wrong password'), 3, /password or the code is wrong/);
  expectRefusal(await cli.run(['key', 'revoke', '7']), 3, /There is no key 7/);
});

test.each([
  [['serv']],
  [['serve', '--port', '70000']],
  [['serve', '--rate-limit', '-1']],
  [['key', 'add', '--name', 'x']],
  [['key', 'add', '--name', 'x', '--access', 'admin']],
  [['key', 'revoke', 'x']],
  [['url', 'nonsense']],
])('wrong arguments: %j', async (args) => {
  await using cli = openCommandLine();
  expectRefusal(await cli.run(args), 2, /^error: /);
});
