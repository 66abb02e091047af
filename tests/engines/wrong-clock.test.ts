// Wrong clocks, by libfaketime, of the panel's machine and of nodes' machines with real engines: users are cut off and let in by the panel's time,
// and a clock that is wrong for a while changes nothing and restarts no engine.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createAdministrator } from '../support/administrator.ts';
import { openCommandLine, PASSWORD } from '../support/cli.ts';
import { fillPanel, readClockVerdict, readWorld } from '../support/clock-world.ts';
import { createFakeTime, whyWithoutFakeTime } from '../support/fake-time.ts';
import { freePort } from '../support/free-port.ts';
import { createClient } from '../support/http-client.ts';
import { isFull } from '../support/long.ts';
import { openOwnPanel } from '../support/own-panel.ts';
import { getProgramPath, whyWithout } from './found.ts';
import {
  ANSWER,
  openMachineFolder,
  openPuller,
  POLLED,
  type Puller,
  readShareLink,
  readTwice,
  SHAPES,
} from './panel-traffic.ts';

const HOST = '127.0.0.1';
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const missing = whyWithout('xray') ?? (await whyWithoutFakeTime());
if (missing !== null) console.warn(`\n  !!! NOT TESTED: wrong clocks of nodes: ${missing}\n`);

/** Two cores carry all of it. */
const PAUSE_MS = 50;
/** An order of magnitude below the smallest error of a clock. The lateness itself is printed. */
const BOUND_MS = MINUTE;

async function pullsAll(client: Puller): Promise<boolean> {
  await pause(PAUSE_MS);
  return (await client.pull(3000)) === ANSWER.length;
}

/** Pulls until it is refused twice in a row, and says when the last success began; epoch ms. `endsAt`: when it should be. */
async function untilRefused(client: Puller, endsAt: number): Promise<number> {
  let last = Date.now();
  for (let refusals = 0; refusals < 2 && last < endsAt + BOUND_MS; ) {
    const at = Date.now();
    if (await pullsAll(client)) [last, refusals] = [at, 0];
    else refusals += 1;
  }
  return last;
}

/** When it was first served, epoch ms. */
async function untilServed(client: Puller): Promise<number> {
  const givesUpAt = Date.now() + BOUND_MS;
  while (!(await pullsAll(client)) && Date.now() < givesUpAt);
  return Date.now();
}

const NODE_CLOCKS = ['-1h', '+1h', '-30d', '+30d'] as const;
/** From the loss of contact to the end of the term. */
const ALONE_MS = isFull ? 10 * MINUTE : 15 * SECOND;
test.skipIf(missing !== null)(
  `nodes whose clocks are wrong cut users off and let them in by the panel's time ${missing ?? ''}`,
  async () => {
    const keys = mkdtempSync(join(tmpdir(), 'gatehouse-clocks-'));
    await using stack = new AsyncDisposableStack();
    stack.defer(() => rmSync(keys, { recursive: true, force: true }));
    const own = stack.use(await openOwnPanel({ keyFile: join(keys, 'master.key'), pollEveryMs: 500 }));
    const api = createClient({ baseUrl: own.panel.baseUrl, key: await own.newKey('full'), ca: own.ca });
    stack.defer(() => api.close());
    const { id: tariff_id } = (await api.call('createTariff', { name: 'Unlimited' })).body;

    const openNode = async (error: string, index: number) => {
      const time = createFakeTime(join(keys, `time-${index}`));
      stack.defer(time.close);
      time.set(error);
      const machine = stack.use(openMachineFolder(time.environment));
      const far = { name: error, address: HOST, allows_private: true, password: PASSWORD };
      const { id: nodeId } = (await own.administrator.call('createNode', far)).body;
      const inbound = { ...SHAPES.xray, node_id: nodeId, tag: `in-${index}`, name: 'In', port: await freePort() };
      const { id: inboundId } = (await api.call('createInbound', inbound)).body;
      const user = { name: error, tariff_id, inbounds: [inboundId] };
      const { id: userId } = (await api.call('createUser', user)).body;
      const invited = { id: nodeId, port: await freePort(), password: PASSWORD };
      const { token } = (await own.administrator.call('inviteNode', invited)).body;
      expect(await machine.panelNode(['join', '--host', HOST], token).ended).toEqual([0, null]);
      machine.panelNode(['run', '--host', HOST]);
      await expect.poll(async () => (await api.call('getNode', { id: nodeId })).body.status, POLLED).toBe('up');
      const client = stack.use(await openPuller('xray', await readShareLink({ api, nodeId, userId })));
      await untilServed(client);
      return { error, nodeId, userId, client };
    };
    const nodes: Awaited<ReturnType<typeof openNode>>[] = [];
    for (const [index, error] of NODE_CLOCKS.entries()) nodes.push(await openNode(error, index));
    const forEachNode = <T>(work: (node: (typeof nodes)[number]) => Promise<T>) => Promise.all(nodes.map(work));
    const print = (what: string, late: readonly number[]) =>
      console.log(`${what}: ${nodes.map(({ error }, index) => `${error} ${late[index]} ms`).join(', ')}`);

    const setTerm = async (id: number, inMs: number) => {
      const endsAt = Date.now() + inMs;
      const changed = await api.call('updateUser', { id, expires_at: new Date(endsAt).toISOString() });
      expect(changed.status).toBe(200);
      return endsAt;
    };
    const cutOff = async ({ userId, client }: (typeof nodes)[number]) => {
      const endsAt = await setTerm(userId, 6 * SECOND);
      return (await untilRefused(client, endsAt)) - endsAt;
    };
    const late = await forEachNode(cutOff);
    print('cut off in contact, last success after the end', late);
    const allowed = await forEachNode(async ({ userId, client }) => {
      const changedAt = Date.now();
      await api.call('updateUser', { id: userId, expires_at: null });
      return (await untilServed(client)) - changedAt;
    });
    print('let in, after the change', allowed);

    const ends = await forEachNode(({ userId }) => setTerm(userId, ALONE_MS));
    // With the next poll each machine has its lease.
    await forEachNode(({ nodeId, userId }) => readTwice({ api, nodeId, userId }));
    await own.panel.close();
    const alone = await forEachNode(async ({ client }) => {
      const endsAt = ends[0] ?? 0;
      await pause(Math.max(0, endsAt - Date.now() - 5 * SECOND));
      return (await untilRefused(client, endsAt)) - endsAt;
    });
    print(`cut off ${ALONE_MS / SECOND} s without contact, last success after the end`, alone);
    for (const measured of [...late, ...allowed, ...alone]) expect(Math.abs(measured)).toBeLessThan(BOUND_MS);
    expect(Math.min(...late, ...alone), 'nobody was cut off early').toBeGreaterThan(-5 * SECOND);
  },
  ALONE_MS + 10 * MINUTE,
);

/** A panel under a clock of its own, with 1,000 users, a node of its machine and a remote one, each with a client that pulls. */
async function openWorld() {
  const stack = new AsyncDisposableStack();
  const place = mkdtempSync(join(tmpdir(), 'gatehouse-clocks-'));
  stack.defer(() => rmSync(place, { recursive: true, force: true }));
  const [time, farTime] = [createFakeTime(join(place, 'time')), createFakeTime(join(place, 'far-time'))];
  stack.defer(time.close);
  const cli = stack.use(openCommandLine(time.environment));
  const port = String(await freePort());
  const serve = () => cli.serve(['--port', port]);
  const panel = await serve();
  await cli.run(['setup', '--name', 'admin'], PASSWORD);
  const key = (await cli.run(['key', 'add', '--name', 'all', '--access', 'full'], PASSWORD)).stdout.trim();
  const api = createClient({ baseUrl: panel.baseUrl, key, ca: readFileSync(panel.caPath ?? '', 'utf8') });
  stack.defer(() => api.close());
  const administrator = createAdministrator(panel.panelUrl, '', { acceptsAnyCertificate: true });
  stack.defer(() => administrator.close());
  expect((await administrator.call('signIn', { name: 'admin', password: PASSWORD })).status).toBe(200);
  const program = { engine_path: getProgramPath('xray'), password: PASSWORD };
  expect((await administrator.call('updateSettings', program)).status).toBe(200);

  const common = { address: HOST, allows_private: true, password: PASSWORD } as const;
  const here = (await administrator.call('createNode', { ...common, name: 'Here', kind: 'local' })).body.id;
  const far = (await administrator.call('createNode', { ...common, name: 'Far' })).body.id;
  const machine = stack.use(openMachineFolder(farTime.environment));
  const { token } = (await administrator.call('inviteNode', { id: far, port: await freePort(), password: PASSWORD }))
    .body;
  expect(await machine.panelNode(['join', '--host', HOST], token).ended).toEqual([0, null]);
  machine.panelNode(['run', '--host', HOST]);
  const { id: tariff_id } = (await api.call('createTariff', { name: 'Unlimited' })).body;
  const clients: Puller[] = [];
  for (const nodeId of [here, far]) {
    const inbound = { ...SHAPES.xray, node_id: nodeId, tag: `in-${nodeId}`, name: 'In', port: await freePort() };
    const { id: inboundId } = (await api.call('createInbound', inbound)).body;
    const user = { name: `Anna ${nodeId}`, tariff_id, inbounds: [inboundId] };
    const { id: userId } = (await api.call('createUser', user)).body;
    clients.push(stack.use(await openPuller('xray', await readShareLink({ api, nodeId, userId }))));
  }
  for (const id of [here, far])
    await expect.poll(async () => (await api.call('getNode', { id })).body.status, POLLED).toBe('up');
  for (const client of clients) await untilServed(client);
  await fillPanel(api);
  const isServed = async () => [await pullsAll(clients[0] as Puller), await pullsAll(clients[1] as Puller)];
  const restarts = async () => {
    const nodes = await Promise.all([here, far].map((id) => api.call('getNode', { id })));
    return nodes.map(({ body }) => body.last_restart);
  };
  return { stack, cli, time, farTime, panel, serve, api, isServed, restarts, far };
}

const WRONG_CLOCKS = ['@2020-01-01 00:00:00', '+40d', '+3650d', '-400d', '+3d'] as const;

test.skipIf(missing !== null)(
  `a clock that is wrong for a while moves nothing and restarts no engine, with a local and a remote node ${missing ?? ''}`,
  async () => {
    const world = await openWorld();
    await using _ = world.stack;
    const { cli, time, api, isServed } = world;
    const firstSeen = async () => (await readWorld(api)).events.filter((event) => String(event).includes('connected'));
    await expect.poll(async () => (await firstSeen()).length, POLLED).toBe(2);
    const before = await readWorld(api);
    const restarts = await world.restarts();
    for (const clock of WRONG_CLOCKS) {
      time.set(clock);
      await expect.poll(() => readClockVerdict(cli), { timeout: MINUTE }).toBe('problem');
      expect([clock, await isServed(), await readWorld(api)]).toEqual([clock, [true, true], before]);
      time.set('+0');
      await expect.poll(() => readClockVerdict(cli), { timeout: MINUTE }).toBe('ok');
      expect([clock, await isServed(), await readWorld(api)]).toEqual([clock, [true, true], before]);
    }
    expect(await world.restarts()).toEqual(restarts);
    let { panel } = world;
    const lastSeen = async () => (await api.call('getNode', { id: world.far })).body.last_seen_at;
    /** Starts the panel under a clock, and waits for its first poll of the remote node. */
    const startAt = async (clock: string) => {
      const seen = await lastSeen();
      await panel.end('SIGTERM');
      time.set(clock);
      panel = await world.serve();
      await expect.poll(lastSeen, POLLED).not.toBe(seen);
    };
    for (const clock of WRONG_CLOCKS.filter((name) => name !== '+3d')) {
      await startAt(clock);
      expect([clock, await readClockVerdict(cli)]).toEqual([clock, 'problem']);
      await expect.poll(isServed, POLLED).toEqual([true, true]);
      expect([clock, await readWorld(api)]).toEqual([clock, before]);
      await startAt('+0');
      await expect.poll(isServed, POLLED).toEqual([true, true]);
      expect([clock, await readClockVerdict(cli), await readWorld(api)]).toEqual([clock, 'ok', before]);
    }
    await panel.end('SIGTERM');
  },
);

test.skipIf(missing !== null)(
  `a machine that resumes after three days does what came due once its node agrees ${missing ?? ''}`,
  async () => {
    const world = await openWorld();
    await using _ = world.stack;
    const { cli, time, farTime, api, isServed } = world;
    farTime.set('+3d');
    time.set('+3d');
    await expect.poll(() => readClockVerdict(cli), { timeout: MINUTE }).toBe('problem');
    await expect.poll(() => readClockVerdict(cli), { timeout: 5 * MINUTE, interval: 5 * SECOND }).toBe('ok');
    const now = Date.now() + 3 * DAY;
    const listDue = async () => {
      const { users } = await readWorld(api);
      const due = (users as [number, string, string | null][]).filter(
        ([, , at]) => at !== null && Date.parse(at) < now,
      );
      return due.map(([, state]) => state);
    };
    await expect.poll(listDue, { timeout: MINUTE }).not.toContain('active');
    expect((await listDue()).length).toBeGreaterThan(0);
    const expired = (await listDue()).filter((state) => state === 'expired').length;
    expect(expired).toBeGreaterThan(0);
    // A state is computed when it is read; its event comes with the next sweep. Two polls of the node later there is still one for each.
    const countEvents = async () => {
      const { events } = (await readWorld(api)) as { events: [number, string, string][] };
      return events.filter(([, type]) => type === 'user.expired').length;
    };
    await expect.poll(countEvents, { timeout: MINUTE }).toBe(expired);
    await readTwice({ api, nodeId: world.far, userId: 0 });
    expect(await countEvents()).toBe(expired);
    expect(await isServed()).toEqual([true, true]);
    await world.panel.end('SIGTERM');
  },
);
