// A connection that its engine does not serve at the start keeps no other from being served: on this machine and on another one.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { joinMachine, leaveMachine, runMachine } from '../../src/agent/machine.ts';
import type { InboundCreate } from '../../src/contract/inbounds.ts';
import { readIdentity } from '../../src/engines/system-process.ts';
import { freePort } from '../support/free-port.ts';
import { type Client, createClient } from '../support/http-client.ts';
import { type OwnPanel, openOwnPanel, PASSWORD } from '../support/own-panel.ts';
import { getProgramPath, whyWithout } from './found.ts';
import { ANSWER, type EngineUnderTest, openPuller, POLLED, readShareLink, SHAPES } from './panel-traffic.ts';

const HOST = '127.0.0.1';
let parent = '';
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'gatehouse-unserved-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

type Shape = Partial<InboundCreate> & Pick<InboundCreate, 'protocol'>;

const openApi = async ({ panel, newKey, ca }: OwnPanel): Promise<Client> =>
  createClient({ baseUrl: panel.baseUrl, key: await newKey('full'), ca });

/** Two connections, before the engine of their node has ever answered, and a user of both. */
async function addConnections(api: Client, nodeId: number, good: Shape, other: Shape) {
  const add = async (tag: string, shape: Shape) => {
    const { body } = await api.call('createInbound', {
      port: await freePort(),
      ...shape,
      node_id: nodeId,
      tag,
      name: tag,
    });
    return body;
  };
  const [served, bad] = [await add('served', good), await add('other', other)];
  const { id: tariff_id } = (await api.call('createTariff', { name: 'Unlimited' })).body;
  const { id: userId } = (await api.call('createUser', { name: 'Anna', tariff_id })).body;
  const inbound = async (id: number) => {
    const { status, warnings } = (await api.call('getInbound', { id })).body;
    return { status, warnings };
  };
  return {
    served: () => inbound(served.id),
    other: () => inbound(bad.id),
    node: async () => (await api.call('getNode', { id: nodeId })).body,
    async linkTo(which: 'served' | 'other') {
      const { port } = which === 'served' ? served : bad;
      const links = (await readShareLink({ api, nodeId, userId })).split('\n');
      return links.find((link) => link.includes(`:${port}?`)) ?? expect.fail(`no link to ${port}`);
    },
  };
}

async function pull(program: EngineUnderTest, link: string): Promise<void> {
  await using client = await openPuller(program, link);
  expect(await client.pull(60_000)).toBe(ANSWER.length);
}

/** Another program. */
async function occupyPort() {
  const server = createServer();
  await once(server.listen(0, HOST), 'listening');
  const { port } = server.address() as { port: number };
  return { port, free: () => new Promise((resolve) => server.close(resolve)) };
}

const TAKEN = { status: 'up', error_code: 'port_taken', error: expect.stringMatching(/^other: port \d+ is taken by /) };

const noXray = whyWithout('xray');
test.skipIf(noXray !== null)(`the port of one is taken when a local node starts ${noXray ?? ''}`.trim(), async () => {
  const taken = await occupyPort();
  await using own = await openOwnPanel({ keyFile: join(parent, 'master.key'), pollEveryMs: 500 });
  const { administrator } = own;
  const api = await openApi(own);
  await administrator.call('updateSettings', { engine_path: getProgramPath('xray'), password: PASSWORD });
  const made = {
    name: 'Here',
    kind: 'local',
    address: HOST,
    allows_private: true,
    enabled: false,
    password: PASSWORD,
  } as const;
  const { id } = (await administrator.call('createNode', made)).body;
  const scene = await addConnections(api, id, SHAPES.xray, { ...SHAPES.xray, port: taken.port });
  await administrator.call('updateNode', { id, enabled: true });
  await expect.poll(scene.node, POLLED).toMatchObject(TAKEN);
  await pull('xray', await scene.linkTo('served'));
  expect([await scene.served(), await scene.other()]).toEqual([
    { status: 'up', warnings: [] },
    { status: 'down', warnings: ['port_taken'] },
  ]);
  await taken.free();
  await expect.poll(scene.node, POLLED).toMatchObject({ status: 'up', error_code: null });
  for (const which of ['served', 'other'] as const) await pull('xray', await scene.linkTo(which));
  expect(await scene.other()).toEqual({ status: 'up', warnings: [] });
  api.close();
});

test.skipIf(noXray !== null)(
  `the port of one is taken when the engine of another machine starts, by its panel or by itself ${noXray ?? ''}`.trim(),
  async () => {
    const taken = await occupyPort();
    const folder = join(parent, 'machine');
    await using own = await openOwnPanel({ keyFile: join(parent, 'master.key'), pollEveryMs: 500 });
    const { administrator } = own;
    const api = await openApi(own);
    const made = { name: 'Far', address: HOST, allows_private: true, password: PASSWORD };
    const { id } = (await administrator.call('createNode', made)).body;
    const scene = await addConnections(api, id, SHAPES.xray, { ...SHAPES.xray, port: taken.port });
    const { token } = (await administrator.call('inviteNode', { id, port: await freePort(), password: PASSWORD })).body;
    await joinMachine({ folder, token, host: HOST, waiting: () => {} });
    const machine = await runMachine({ folder, host: HOST, enginePath: getProgramPath('xray'), beatMs: 200 });
    await expect.poll(scene.node, POLLED).toMatchObject(TAKEN);
    await pull('xray', await scene.linkTo('served'));
    await taken.free();
    await expect.poll(scene.node, POLLED).toMatchObject({ status: 'up', error_code: null });
    await pull('xray', await scene.linkTo('other'));
    const links = { served: await scene.linkTo('served'), other: await scene.linkTo('other') };

    // The machine is started again while the panel is away, and the port is taken once more.
    await own.panel.close();
    await machine.close();
    const { pid } = JSON.parse(readFileSync(join(folder, 'engines', 'node-1.json'), 'utf8'));
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => readIdentity(pid), POLLED).toBeNull();
    const again = createServer();
    await once(again.listen(taken.port, HOST), 'listening');
    const alone = await runMachine({ folder, host: HOST, enginePath: getProgramPath('xray'), beatMs: 200 });
    await pull('xray', links.served);
    await new Promise((resolve) => again.close(resolve));
    await alone.close();
    await leaveMachine(folder);
    api.close();
  },
);

const noV2ray = whyWithout('v2ray');
test.skipIf(noV2ray !== null)(`one needs another engine than that of the node ${noV2ray ?? ''}`.trim(), async () => {
  await using own = await openOwnPanel({ keyFile: join(parent, 'master.key'), pollEveryMs: 500 });
  const { administrator } = own;
  const api = await openApi(own);
  await administrator.call('updateSettings', { engine_path: getProgramPath('v2ray'), password: PASSWORD });
  const made = {
    name: 'Here',
    kind: 'local',
    address: HOST,
    allows_private: true,
    enabled: false,
    password: PASSWORD,
  } as const;
  const { id } = (await administrator.call('createNode', made)).body;
  const scene = await addConnections(api, id, SHAPES.xray, { protocol: 'hysteria2', sni: 'a.example' });
  await administrator.call('updateNode', { id, enabled: true });
  const lacking = {
    status: 'up',
    core: { name: 'v2ray' },
    error_code: 'config_refused',
    error: 'other: v2ray does not know Hysteria2; use Xray',
  };
  await expect.poll(scene.node, POLLED).toMatchObject(lacking);
  await pull('v2ray', await scene.linkTo('served'));
  expect([await scene.served(), await scene.other()]).toEqual([
    { status: 'up', warnings: [] },
    { status: 'down', warnings: ['not_served'] },
  ]);
  api.close();
});
