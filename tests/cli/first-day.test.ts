// The first day with the commands that the panel itself prints: start, administrator, key, a call, stop.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCommandLine, PASSWORD, type Serving } from '../support/cli.ts';
import { type Client, createClient } from '../support/http-client.ts';

const isPosix = process.platform !== 'win32';

function openClient({ baseUrl, caPath }: Serving, key: string | null) {
  return createClient({ baseUrl, key, ...(caPath && { ca: readFileSync(caPath, 'utf8') }) });
}

test('start, administrator in the terminal, key, call, revoke, new password, stop', async () => {
  await using cli = openCommandLine({}, { hashing: 'real' });
  const panel = await cli.serve();
  expect(panel.baseUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/api\/v1$/);
  expect(panel.setupUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/setup\/[\w-]{43}$/);

  expect(await cli.run(['setup', '--name', 'admin'], `${PASSWORD}\n`)).toMatchObject({ code: 0 });
  const made = await cli.run(
    ['key', 'add', '--name', 'my bot', '--access', 'full', '--expires', '90'],
    `${PASSWORD}\n`,
  );
  expect(made.code).toBe(0);
  const key = made.stdout.trim();
  expect(key).toMatch(/^pnl_[0-9A-Za-z]{42}$/);

  const client = openClient(panel, key);
  const tariff = await client.call('createTariff', { name: 'Monthly', duration: { months: 1 } });
  expect(tariff.status).toBe(201);
  const user = await client.call('createUser', { name: 'Ann', tariff_id: tariff.body.id });
  expect(user.body.sub_url?.startsWith(new URL(panel.baseUrl).origin)).toBe(true);

  // On the same connection, a revoked key is refused at the next request.
  expect(await cli.run(['key', 'revoke', '1'])).toMatchObject({ code: 0 });
  expect((await client.call('listUsers', {})).status).toBe(401);

  await cli.run(['key', 'add', '--name', 'second', '--access', 'read'], PASSWORD);
  const reset = await cli.run(['reset-password', '--json'], 'another password');
  expect(JSON.parse(reset.stdout)).toEqual({ keys: 1, sessions: 0, telegram: 0 });
  const keys = JSON.parse((await cli.run(['key', 'list', '--json'])).stdout);
  expect(keys.map((each: { state: string }) => each.state)).toEqual(['revoked', 'revoked']);
  expect(await cli.run(['key', 'add', '--name', 'third', '--access', 'read'], PASSWORD)).toMatchObject({ code: 3 });

  client.close();
  expect(await panel.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(existsSync(join(cli.folder, 'control.sock'))).toBe(false);
  expect(existsSync(join(cli.folder, 'panel.db-wal'))).toBe(false);
});

/** Creates the administrator with the token of a link, as the setup page does. */
function setUpWithLink(client: Client, { panelUrl }: Serving, link: string) {
  return client.send({
    method: 'POST',
    path: `${panelUrl}panel/setUp`,
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    body: JSON.stringify({ token: link.split('/').at(-1), name: 'admin', password: PASSWORD }),
  });
}

test('the printed link creates the administrator, once', async () => {
  await using cli = openCommandLine();
  const panel = await cli.serve();
  const client = openClient(panel, null);
  const link = panel.setupUrl ?? '';
  // The pages take over where they are built; without them the panel has a page of its own.
  expect([200, 302]).toContain((await client.send({ method: 'GET', path: link })).status);
  expect((await setUpWithLink(client, panel, link)).status).toBe(201);
  expect((await setUpWithLink(client, panel, link)).problem.detail).toBe('already_set_up');
  expect(await cli.run(['setup'])).toMatchObject({ code: 3, stdout: '' });
  client.close();
});

test('a link of `panel setup` replaces the one printed at the start', async () => {
  await using cli = openCommandLine();
  const panel = await cli.serve();
  const client = openClient(panel, null);
  const { link } = JSON.parse((await cli.run(['setup', '--json'])).stdout);
  expect((await setUpWithLink(client, panel, panel.setupUrl ?? '')).problem.detail).toBe('not_found');
  expect((await setUpWithLink(client, panel, link)).status).toBe(201);
  client.close();
});

test.runIf(isPosix)('all its files are readable by their owner only, and its log has no secret', async () => {
  await using cli = openCommandLine();
  const panel = await cli.serve();
  await cli.run(['setup', '--name', 'admin'], PASSWORD);
  const key = (await cli.run(['key', 'add', '--name', 'bot', '--access', 'full'], PASSWORD)).stdout.trim();
  const client = openClient(panel, key);
  await client.call('listUsers', {});
  client.close();
  const modes = [
    '.',
    'panel.db',
    'control.sock',
    'lock',
    'tls',
    // A server has a key file, on other systems a keychain may be missing.
    existsSync(join(cli.folder, 'tls/ca-key.sealed')) ? 'tls/ca-key.sealed' : 'tls/ca-key.pem',
    'tls/server-key.pem',
    'logs/panel.log',
  ];
  const readable = modes.filter((name) => (statSync(join(cli.folder, name)).mode & 0o077) !== 0);
  expect(readable).toEqual([]);

  await panel.end('SIGINT');
  const log = readFileSync(join(cli.folder, 'logs/panel.log'), 'utf8');
  const secrets = [
    PASSWORD,
    key,
    new URL(panel.baseUrl).pathname.split('/')[1] ?? '-',
    panel.setupUrl?.split('/').at(-1) ?? '-',
  ];
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
  expect(log).toContain('panel started');
});
