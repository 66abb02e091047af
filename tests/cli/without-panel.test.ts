// The same commands while no panel runs, and after a panel was killed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCommandLine, PASSWORD } from '../support/cli.ts';
import { createClient } from '../support/http-client.ts';

test('commands work on the folder of a stopped panel, and take effect at the next start', async () => {
  await using cli = openCommandLine();
  const first = await cli.serve();
  await first.end('SIGTERM');

  expect(await cli.run(['setup', '--name', 'admin'], PASSWORD)).toMatchObject({ code: 0 });
  const key = (await cli.run(['key', 'add', '--name', 'bot', '--access', 'read'], PASSWORD)).stdout.trim();
  const secretPath = new URL(first.baseUrl).pathname;
  expect(new URL((await cli.run(['url', 'base_url'])).stdout.trim()).pathname).toBe(secretPath);
  const document = JSON.parse((await cli.run(['openapi'])).stdout);
  expect(new URL(document.servers[0].url).pathname).toBe(secretPath);

  const second = await cli.serve();
  expect(new URL(second.baseUrl).pathname).toBe(secretPath);
  expect(second.setupUrl).toBeNull();
  const client = createClient({ baseUrl: second.baseUrl, key, ca: readFileSync(second.caPath ?? '', 'utf8') });
  expect((await client.call('listUsers', {})).status).toBe(200);
  client.close();
});

test('a new secret path from the terminal holds at once, and for a stopped panel at the next start', async () => {
  await using cli = openCommandLine();
  const panel = await cli.serve();
  await cli.run(['setup', '--name', 'admin'], PASSWORD);
  const key = (await cli.run(['key', 'add', '--name', 'bot', '--access', 'read'], PASSWORD)).stdout.trim();
  const ca = readFileSync(panel.caPath ?? '', 'utf8');
  const reach = async (baseUrl: string) => {
    const client = createClient({ baseUrl, key, ca });
    return (await client.send({ method: 'GET', path: '/users' }).finally(() => client.close())).status;
  };
  expect(await reach(panel.baseUrl)).toBe(200);
  const rotated = JSON.parse((await cli.run(['rotate-path', '--json'])).stdout);
  expect([await reach(panel.baseUrl), await reach(rotated.base_url)]).toEqual([404, 200]);
  await panel.end('SIGTERM');

  const { code, stdout } = await cli.run(['rotate-path']);
  expect(code).toBe(0);
  const next = await cli.serve();
  expect(stdout).toContain(`${new URL(next.baseUrl).pathname}\n`);
  expect([await reach(rotated.base_url.replace(/:\d+/, `:${new URL(next.baseUrl).port}`))]).toEqual([404]);
  expect(await reach(next.baseUrl)).toBe(200);
});

test('an administrator can be created before the first start', async () => {
  await using cli = openCommandLine();
  expect(await cli.run(['setup', '--name', 'admin', '--json'], PASSWORD)).toMatchObject({ code: 0 });
  expect((await cli.serve()).setupUrl).toBeNull();
});

test('two commands at once on a stopped panel both succeed', async () => {
  await using cli = openCommandLine();
  await cli.run(['setup', '--name', 'admin'], PASSWORD);
  const add = (name: string) => cli.run(['key', 'add', '--name', name, '--access', 'read'], PASSWORD);
  const made = await Promise.all([add('one'), add('two'), add('three')]);
  expect(made.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(JSON.parse((await cli.run(['key', 'list', '--json'])).stdout)).toHaveLength(3);
});

test('after SIGKILL it starts again with everything that was acknowledged', async () => {
  await using cli = openCommandLine();
  const first = await cli.serve();
  await cli.run(['setup', '--name', 'admin'], PASSWORD);
  const key = (await cli.run(['key', 'add', '--name', 'bot', '--access', 'full'], PASSWORD)).stdout.trim();
  expect(await first.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
  if (process.platform !== 'win32') expect(existsSync(join(cli.folder, 'control.sock'))).toBe(true);

  // No process listens on the remaining socket, so the command works on the folder itself.
  expect(JSON.parse((await cli.run(['key', 'list', '--json'])).stdout)).toHaveLength(1);
  const second = await cli.serve();
  const client = createClient({ baseUrl: second.baseUrl, key, ca: readFileSync(second.caPath ?? '', 'utf8') });
  expect((await client.call('listUsers', {})).status).toBe(200);
  client.close();
  expect(await cli.run(['key', 'list'])).toMatchObject({ code: 0 });
});

test('the port of the first start is stored', async () => {
  await using cli = openCommandLine();
  const first = await cli.serve([]);
  const port = Number(new URL(first.baseUrl).port);
  expect(port).toBeGreaterThanOrEqual(8443);
  await first.end('SIGTERM');
  const url = (await cli.run(['url', 'base_url'])).stdout.trim();
  expect(Number(new URL(url).port)).toBe(port);
});
