// A clock that is wrong when the panel starts, or while it runs: clients go on trusting the authority that they were given.
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAdministrator } from '../support/administrator.ts';
import { type CommandLine, openCommandLine, PASSWORD, type Serving } from '../support/cli.ts';
import { fillPanel, readClockVerdict, readWorld, USERS } from '../support/clock-world.ts';
import { createFakeTime, whyWithoutFakeTime } from '../support/fake-time.ts';
import { freePort } from '../support/free-port.ts';
import { createClient } from '../support/http-client.ts';

const CLOCKS = ['@2020-01-01 00:00:00', '+3650d', '-400d'] as const;
const missing = await whyWithoutFakeTime();
if (missing !== null) console.warn(`\n  !!! NOT TESTED: wrong clocks: ${missing}\n`);

/** A panel that an administrator has set up, with an API key for what its clients do, under a clock of its own. */
async function openScene() {
  const place = mkdtempSync(join(tmpdir(), 'gatehouse-clock-'));
  const time = createFakeTime(join(place, 'time'));
  const cli = openCommandLine(time.environment);
  const port = String(await freePort());
  const serve = () => cli.serve(['--port', port]);
  const panel = await serve();
  await cli.run(['setup', '--name', 'admin'], PASSWORD);
  const key = (await cli.run(['key', 'add', '--name', 'bot', '--access', 'read'], PASSWORD)).stdout.trim();
  const ca = readFileSync(panel.caPath ?? '', 'utf8');
  return {
    ...{ cli, time, serve, panel, ca },
    /** As a bot that was given the CA file once. */
    async read() {
      const client = createClient({ baseUrl: panel.baseUrl, key, ca });
      const { status } = await client.call('listUsers', {}).finally(() => client.close());
      return status;
    },
    async events() {
      const client = createClient({ baseUrl: panel.baseUrl, key, ca });
      const { body } = await client.call('listEvents', { limit: 500 }).finally(() => client.close());
      return body.items.map(({ type }: { readonly type: string }) => type);
    },
    async [Symbol.asyncDispose]() {
      await cli[Symbol.asyncDispose]();
      time.close();
      rmSync(place, { recursive: true, force: true });
    },
  };
}

const readAuthority = ({ folder }: CommandLine) => readFileSync(join(folder, 'tls', 'ca.pem'), 'utf8');
const readLeaf = ({ folder }: CommandLine) => new X509Certificate(readFileSync(join(folder, 'tls', 'server.pem')));

/** Has the panel make another leaf now. */
async function nameHost({ panelUrl }: Serving, name: string): Promise<void> {
  const administrator = createAdministrator(panelUrl, '', { acceptsAnyCertificate: true });
  const signedIn = await administrator.call('signIn', { name: 'admin', password: PASSWORD });
  expect(signedIn.status).toBe(200);
  const changed = await administrator.call('changeAddresses', { password: PASSWORD, host_names: [name] });
  expect(changed.status).toBe(200);
  administrator.close();
}

test.skipIf(missing !== null).each(CLOCKS)('at the start it is %s: the authority stays', async (clock) => {
  await using scene = await openScene();
  const { cli, time, serve, ca } = scene;
  await scene.panel.end('SIGTERM');
  time.set(clock);
  const wrong = await serve();
  expect(readAuthority(cli)).toBe(ca);
  await wrong.end('SIGTERM');
  time.set('+0');
  const right = await serve();
  expect([readAuthority(cli), await scene.read()]).toEqual([ca, 200]);
  expect(await scene.events()).not.toContain('certificate.authority_replaced');
  expect(readdirSync(join(cli.folder, 'tls')).filter((name) => name.startsWith('set-aside-'))).toEqual([]);
  await right.end('SIGTERM');
});

test.skipIf(missing !== null)('while it runs it is wrong: the authority stays, and leaves can be made', async () => {
  await using scene = await openScene();
  const { cli, time, panel, ca } = scene;
  for (const [index, clock] of CLOCKS.entries()) {
    time.set(clock);
    await nameHost(panel, `wrong-${index}.example.org`);
    const leaf = readLeaf(cli);
    expect([clock, readAuthority(cli)]).toEqual([clock, ca]);
    expect(leaf.checkHost(`wrong-${index}.example.org`)).toBeDefined();
    expect(leaf.verify(new X509Certificate(ca).publicKey)).toBe(true);
    time.set('+0');
    await nameHost(panel, `right-${index}.example.org`);
    expect([clock, readAuthority(cli), await scene.read()]).toEqual([clock, ca, 200]);
  }
  expect(await scene.events()).not.toContain('certificate.authority_replaced');
});

/** A panel with a key for everything. */
async function openWorld() {
  const scene = await openScene();
  const full = (await scene.cli.run(['key', 'add', '--name', 'all', '--access', 'full'], PASSWORD)).stdout.trim();
  const client = createClient({ baseUrl: scene.panel.baseUrl, key: full, ca: scene.ca });
  return { ...scene, client };
}

test.skipIf(missing !== null)(
  'a clock that is wrong for a while moves no reset, ends nothing and removes nothing, of 1,000 users',
  async () => {
    await using scene = await openWorld();
    const { cli, time, serve, client } = scene;
    await fillPanel(client);
    const before = await readWorld(client);
    for (const clock of ['@2020-01-01 00:00:00', '+40d', '+3650d', '-400d']) {
      time.set(clock);
      // Sweeps run each second: one of them has seen the wrong clock once its doubt is told.
      await expect.poll(() => readClockVerdict(cli), { timeout: 60_000 }).toBe('problem');
      expect([clock, await readWorld(client)]).toEqual([clock, before]);
      time.set('+0');
      await expect.poll(() => readClockVerdict(cli), { timeout: 60_000 }).toBe('ok');
      expect([clock, await readWorld(client)]).toEqual([clock, before]);
    }
    await scene.panel.end('SIGTERM');
    for (const clock of ['@2020-01-01 00:00:00', '+40d', '+3650d', '-400d']) {
      time.set(clock);
      const wrong = await serve();
      expect([clock, await readClockVerdict(cli)]).toEqual([clock, 'problem']);
      expect([clock, await readWorld(client)]).toEqual([clock, before]);
      await wrong.end('SIGTERM');
      time.set('+0');
      const right = await serve();
      expect([clock, await readClockVerdict(cli), await readWorld(client)]).toEqual([clock, 'ok', before]);
      await right.end('SIGTERM');
    }
    client.close();
  },
);

test.skipIf(missing !== null)('a machine that was off for 40 days waits for its clock to be confirmed', async () => {
  await using scene = await openWorld();
  const { cli, time, serve, client } = scene;
  await fillPanel(client);
  await scene.panel.end('SIGTERM');
  time.set('+40d');
  const resumed = await serve();
  expect(await readClockVerdict(cli)).toBe('problem');
  expect((await cli.run(['doctor', '--confirm-time'])).code).toBe(0);
  expect(await readClockVerdict(cli)).toBe('ok');
  const count = ({ users }: Awaited<ReturnType<typeof readWorld>>) =>
    users.filter((user) => (user as unknown[])[1] === 'expired').length;
  await expect.poll(async () => count(await readWorld(client)), { timeout: 60_000 }).toBeGreaterThan(USERS / 2);
  client.close();
  await resumed.end('SIGTERM');
});
