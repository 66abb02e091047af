// A node on another machine, from the token to the last byte: joined, served, cut off from the panel and found again, deleted.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { joinMachine, leaveMachine, type NodeMachine, runMachine } from '../../src/agent/machine.ts';
import { openPanel } from '../../src/panel/panel.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import { createFakeMachine } from '../support/fake-engine.ts';
import { freePort } from '../support/free-port.ts';
import { createClient } from '../support/http-client.ts';
import { realLooking } from '../support/node-machine.ts';
import { type OwnPanel, openOwnPanel, PASSWORD } from '../support/own-panel.ts';

const HOST = '127.0.0.1';
const POLLED = { timeout: 90_000, interval: 50 };
const POLL_EVERY_MS = 100;
const BEAT_MS = 50;
const START_AGAIN_MS = 100;

let parent = '';
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'gatehouse-node-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const open = () => openOwnPanel({ keyFile: join(parent, 'master.key'), pollEveryMs: POLL_EVERY_MS });

/** A remote node with a connection and a user; no machine waits for the panel yet. */
async function openScene({ administrator, panel, newKey, ca }: OwnPanel) {
  const api = createClient({ baseUrl: panel.baseUrl, key: await newKey('full'), ca });
  const { id: nodeId } = (await administrator.call('createNode', { name: 'Far', address: HOST })).body;
  const inbound = { node_id: nodeId, tag: 'in', name: 'In', protocol: 'vless', port: 443 } as const;
  const { id: inboundId } = (await api.call('createInbound', inbound)).body;
  const { id: tariff_id } = (await api.call('createTariff', { name: 'Unlimited' })).body;
  const { id: userId } = (await api.call('createUser', { name: 'Anna', tariff_id })).body;
  const port = await freePort();
  return {
    api,
    nodeId,
    inboundId,
    userId,
    port,
    node: async () => (await api.call('getNode', { id: nodeId })).body,
    down: async () => (await api.call('getUser', { id: userId })).body.total_down,
    token: async () => (await administrator.call('inviteNode', { id: nodeId, port, password: PASSWORD })).body.token,
  };
}

const waiting = () => {};

it('is joined, serves users, and loses no byte while the panel is away', async () => {
  await using own = await open();
  const scene = await openScene(own);
  const { nodeId, inboundId, userId } = scene;
  expect(await scene.node()).toMatchObject({ joined: false, status: 'unknown' });
  const folder = join(parent, 'machine');
  await joinMachine({ folder, token: await scene.token(), host: HOST, waiting });
  await expect.poll(async () => (await scene.node()).joined, POLLED).toBe(true);
  expect(statSync(join(folder, 'node.json')).mode & 0o777).toBe(0o600);

  const fake = createFakeMachine();
  const run = () =>
    runMachine({ folder, host: HOST, engine: realLooking(fake), beatMs: BEAT_MS, startAgainMs: START_AGAIN_MS });
  let machine: NodeMachine = await run();
  await expect.poll(async () => (await scene.node()).status, POLLED).toBe('up');
  expect(await scene.node()).toMatchObject({ core: { name: 'xray', version: '26.3.27' }, pending_changes: 0 });
  expect([...(fake.process?.members.get(inboundId)?.keys() ?? [])]).toEqual([userId]);

  const move = (down: number) => expect(fake.move(userId, inboundId, { up: 1, down })).toBe(true);
  move(1000);
  await expect.poll(scene.down, POLLED).toBe(1000);

  // The service of the machine is away; its engine goes on.
  await machine.close();
  await expect.poll(async () => (await scene.node()).status, POLLED).toBe('down');
  move(200);
  machine = await run();
  await expect.poll(scene.down, POLLED).toBe(1200);

  // A user who is disabled meanwhile is removed at the next contact.
  await machine.close();
  await scene.api.call('updateUser', { id: userId, enabled: false });
  machine = await run();
  await expect.poll(() => fake.process?.members.get(inboundId)?.size, POLLED).toBe(0);
  await scene.api.call('updateUser', { id: userId, enabled: true });
  await expect.poll(() => fake.process?.members.get(inboundId)?.size, POLLED).toBe(1);

  expect(fake.starts, 'the engine was adopted each time').toBe(1);
  await scene.api.call('updateInbound', { id: inboundId, port: 444 });
  await expect.poll(() => fake.starts, POLLED).toBe(2);

  // The panel is away, and leaves the engine as it is. That ends by itself, and the machine that has started it does so again.
  const { keyFile, folder: data } = { keyFile: join(parent, 'master.key'), folder: own.folder };
  await own.panel.close();
  move(30);
  const isWritten = (sum: number) => expect.poll(() => fake.process?.told.get(userId)?.down, POLLED).toBe(sum);
  await isWritten(30);
  fake.crash();
  await expect.poll(() => fake.starts, POLLED).toBe(3);
  move(4);
  await isWritten(4);
  await machine.close();
  machine = await run();
  const again = await openPanel({
    folder: data,
    port: 0,
    keyFile,
    passwordCost: CHEAP_COST,
    pollEveryMs: POLL_EVERY_MS,
  });
  const call = {
    actor: { kind: 'administrator', id: 1, name: 'admin', access: 'full' },
    requestId: 't',
    address: null,
  } as const;
  const downNow = () => again.core.call('getUser', { id: userId }, call).body.total_down;
  await expect.poll(downNow, POLLED).toBe(1234);

  // Who deletes the node ends its engine.
  await again.core.call('deleteInbound', { id: inboundId }, call);
  await again.core.call('deleteNode', { id: nodeId }, call);
  await expect.poll(() => fake.process, POLLED).toBeNull();
  await again.close();
  await machine.close();
  await leaveMachine(folder);
  expect(readdirSync(folder)).not.toContain('node.json');
  scene.api.close();
});

it('is joined once more on the same machine, which knows what its engine was started with then', async () => {
  await using own = await open();
  const scene = await openScene(own);
  const folder = join(parent, 'machine');
  const fake = createFakeMachine();
  const run = () =>
    runMachine({ folder, host: HOST, engine: realLooking(fake), beatMs: BEAT_MS, startAgainMs: START_AGAIN_MS });
  await joinMachine({ folder, token: await scene.token(), host: HOST, waiting });
  let machine: NodeMachine = await run();
  await expect.poll(() => fake.starts, POLLED).toBe(1);
  expect(fake.move(scene.userId, scene.inboundId, { up: 0, down: 1000 })).toBe(true);
  await machine.close();
  await joinMachine({ folder, token: await scene.token(), host: HOST, waiting });
  machine = await run();
  await expect.poll(() => fake.starts, POLLED).toBe(2);
  await expect.poll(scene.down, POLLED).toBe(1000);
  await expect.poll(async () => (await scene.node()).status, POLLED).toBe('up');
  await own.panel.close();
  fake.crash();
  await expect.poll(() => fake.starts, POLLED).toBe(3);
  expect([...(fake.process?.members.get(scene.inboundId)?.keys() ?? [])]).toEqual([scene.userId]);
  await machine.close();
  scene.api.close();
});

it('is joined once with a token, and never without the panel that made it', async () => {
  await using own = await open();
  const scene = await openScene(own);
  const token = await scene.token();
  const folder = join(parent, 'machine');
  const refused = (text: string) => joinMachine({ folder, token: text, host: HOST, waiting, limitMs: 300 });
  await expect(refused('gn1.what')).rejects.toMatchObject({ refusal: 'refused' });
  const other = `${token.slice(0, -64)}${'0'.repeat(64)}`;
  await expect(refused(other), 'another secret').rejects.toMatchObject({ refusal: 'refused' });
  expect((await scene.node()).joined).toBe(false);
  expect(readdirSync(folder)).not.toContain('node.json');

  const shown: string[] = [];
  const joined = await joinMachine({
    folder,
    token,
    host: HOST,
    waiting: (_port, fingerprint) => shown.push(fingerprint),
  });
  await expect.poll(async () => (await scene.node()).fingerprint, POLLED).toBe(joined);
  expect(shown).toEqual([joined]);
  const thief = join(parent, 'thief');
  // Whoever comes second is told who was first, at once.
  const replayed = joinMachine({ folder: thief, token, host: HOST, waiting });
  const { fingerprint } = await scene.node();
  await expect(replayed).rejects.toMatchObject({
    refusal: 'refused',
    message: expect.stringContaining(fingerprint ?? '-'),
  });
  expect(readdirSync(thief)).not.toContain('node.json');

  const audit = JSON.stringify((await own.administrator.call('listAudit', {})).body);
  const files = readdirSync(own.folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = Buffer.concat(files.map((entry) => readFileSync(join(entry.parentPath, entry.name))));
  const secret = token.slice(-64);
  expect(audit).toContain('"joined":true');
  expect(audit).not.toContain(secret);
  for (const form of [secret, Buffer.from(secret, 'hex')]) expect(bytes.includes(form)).toBe(false);
  scene.api.close();
});

it('is not offered where secrets cannot be sealed, nor for a local node', async () => {
  await using own = await openOwnPanel({ keyFile: join(parent, 'missing', 'master.key') });
  const { administrator } = own;
  const { id } = (await administrator.call('createNode', { name: 'Far', address: HOST })).body;
  const refused = await administrator.call('inviteNode', { id, password: PASSWORD });
  expect(refused.problem).toMatchObject({ status: 503, detail: 'vault_unavailable' });
  const local = (await administrator.call('createNode', { name: 'Here', kind: 'local', address: HOST })).body;
  const none = await administrator.call('inviteNode', { id: local.id, password: PASSWORD });
  expect(none.problem).toMatchObject({ status: 404 });
});
