// A whole panel with a real engine of its own: a user who is made over the API connects with what the link says, every byte is counted
// once, and who may not connect is refused.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { localNodeInput } from '../../src/domain/nodes/local-node.ts';
import { createClient } from '../support/http-client.ts';
import { openOwnPanel, PASSWORD } from '../support/own-panel.ts';
import { getProgramPath, whyWithout } from './found.ts';
import {
  ANSWER,
  ENGINES,
  openPuller,
  openScene,
  POLLED,
  PULLED,
  type Puller,
  readShareLink,
  readTwice,
} from './panel-traffic.ts';
import { startSite } from './real-engine.ts';

let keys = '';
beforeEach(() => {
  keys = mkdtempSync(join(tmpdir(), 'gatehouse-whole-'));
});
afterEach(() => rmSync(keys, { recursive: true, force: true }));

describe.each(ENGINES)('with %s', (program) => {
  const missing = whyWithout(program);

  test.skipIf(missing !== null)(`what a user moves is counted everywhere, to the byte ${missing ?? ''}`, async () => {
    await using own = await openOwnPanel({ keyFile: join(keys, 'master.key'), pollEveryMs: 500 });
    const scene = await openScene(own, program);
    const { api, nodeId, userId } = scene;
    {
      await using client = await openPuller(program, await readShareLink(scene));
      expect(await client.pull(60_000)).toBe(ANSWER.length);
    }
    const moved = async () => {
      const { total_up: up, total_down: down } = (await api.call('getUser', { id: userId })).body;
      return { up, down };
    };
    await expect.poll(moved, POLLED).toEqual(PULLED);
    const user = (await api.call('getUser', { id: userId })).body;
    expect(user).toMatchObject({ used_up: PULLED.up, used_down: PULLED.down, online: true });
    expect((await api.call('getUserTraffic', { id: userId, range: '24h' })).body.total).toEqual(PULLED);
    expect((await api.call('getServerTraffic', { range: '24h' })).body.total).toEqual(PULLED);
    expect((await api.call('getServerTraffic', { range: '7d', node_id: nodeId })).body.total).toEqual(PULLED);
    expect((await api.call('getOverview', {})).body.traffic.today).toEqual(PULLED);
    const metrics = (await api.send({ method: 'GET', path: '/metrics' })).text;
    for (const [direction, bytes] of Object.entries(PULLED)) {
      expect(metrics).toContain(`panel_traffic_bytes_total{direction="${direction}"} ${bytes}`);
      expect(metrics).toMatch(
        new RegExp(`^panel_inbound_traffic_bytes_total\\{[^}]*direction="${direction}"[^}]*\\} ${bytes}$`, 'm'),
      );
    }
    const { items } = (await api.call('listEvents', { after: 0, limit: 500 })).body;
    expect(items.map(({ type }) => type)).toEqual(expect.arrayContaining(['user.first_connected']));
    expect((await own.administrator.call('getNodeLog', { id: nodeId })).body.lines.length).toBeGreaterThan(0);
    api.close();
  });

  test.skipIf(missing !== null)(`who may not connect is refused within a poll ${missing ?? ''}`, async () => {
    await using own = await openOwnPanel({ keyFile: join(keys, 'master.key'), pollEveryMs: 500 });
    const scene = await openScene(own, program);
    const { api, userId: id } = scene;
    const link = await readShareLink(scene);
    // By the poll that begins after the change at the latest.
    const isTold = async () => {
      await readTwice(scene);
      const pending = async () => (await api.call('getNode', { id: scene.nodeId })).body.pending_changes;
      await expect.poll(pending, POLLED).toBe(0);
    };
    const readState = async () => (await api.call('getUser', { id })).body.state;
    /**
     * Each time with another client. Over WireGuard a client repeats for a minute what was refused, also for an application that has gone: once it is
     * allowed, that moves bytes too, which would use the limit up.
     */
    const isAllowedUntil = async (change: (client: Puller) => Promise<unknown>) => {
      await isTold();
      await using client = await openPuller(program, link);
      await expect.poll(() => client.pull(60_000), POLLED).toBe(ANSWER.length);
      await change(client);
      await isTold();
      expect(await client.pull()).toBe(0);
    };

    await isAllowedUntil(() => api.call('updateUser', { id, enabled: false }));
    await api.call('updateUser', { id, enabled: true });
    await isAllowedUntil(() => api.call('updateUser', { id, expires_at: '2020-01-01T00:00:00Z' }));
    await api.call('extendUser', { id, days: 1 });
    await isAllowedUntil(() => api.call('updateUser', { id, traffic_limit: 2 * (PULLED.up + PULLED.down) }));
    expect(await readState()).toBe('limited');
    await api.call('resetUserTraffic', { id });
    await isAllowedUntil(async (client) => {
      // A poll finds the limit to be reached.
      const pullOn = async () => {
        await client.pull();
        return readState();
      };
      await expect.poll(pullOn, POLLED).toBe('limited');
    });
    await api.call('createGrant', { id, bytes: 1_000_000_000, lifetime: 'used' });
    await isAllowedUntil(() => api.call('reissueUser', { id }));
    await using another = await openPuller(program, await readShareLink(scene));
    await expect.poll(() => another.pull(), POLLED).toBe(ANSWER.length);
    api.close();
  });
});

describe.each(['xray', 'v2ray'] as const)('with %s', (program) => {
  const missing = whyWithout(program);

  test.skipIf(missing !== null)(
    `users reach the networks of the node only where it allows that ${missing ?? ''}`.trim(),
    async () => {
      await using own = await openOwnPanel({ keyFile: join(keys, 'master.key'), pollEveryMs: 500 });
      const scene = await openScene(own, program);
      // What is behind it is on loopback.
      await using client = await openPuller(program, await readShareLink(scene));
      expect(await client.pull(60_000)).toBe(ANSWER.length);
      await own.administrator.call('updateNode', { id: scene.nodeId, allows_private: false });
      // While it restarts nothing comes through either.
      const readNode = async () => (await scene.api.call('getNode', { id: scene.nodeId })).body;
      await expect.poll(readNode, POLLED).toMatchObject({ status: 'up', last_restart: { reason: 'configuration' } });
      await expect.poll(() => client.pull(), POLLED).toBe(0);
      scene.api.close();
    },
  );
});

const withoutXray = whyWithout('xray');
test.skipIf(withoutXray !== null)(
  `an empty panel serves its first user by what it suggests ${withoutXray ?? ''}`,
  async () => {
    await using own = await openOwnPanel({ keyFile: join(keys, 'master.key'), pollEveryMs: 500 });
    await using site = await startSite();
    const { administrator } = own;
    const api = createClient({ baseUrl: own.panel.baseUrl, key: await own.newKey('full'), ca: own.ca });
    await administrator.call('updateSettings', { engine_path: '/nowhere/xray', password: PASSWORD });
    const missing = (await administrator.call('suggestLocalNode', {})).body;
    expect(missing).toMatchObject({ engine: null, connection: null });
    await administrator.call('updateSettings', { engine_path: getProgramPath('xray'), password: PASSWORD });
    const { connection, ...machine } = (await administrator.call('suggestLocalNode', {})).body;
    expect(machine).toMatchObject({ engine: { name: 'xray' } });
    if (connection === null) throw new Error('nothing is suggested');
    expect(connection).toMatchObject({ protocol: 'vless', security: 'reality', sni_findings: null });
    expect(connection.port).not.toBe(Number(new URL(own.panel.baseUrl).port));

    // The test's target is on this machine, which users may otherwise not reach, and so is the site.
    const input = localNodeInput(
      { ...machine, connection },
      { address: '127.0.0.1', port: connection.port, sni: 'a.example' },
      { node: 'This machine', connection: 'Main' },
    );
    const made = await administrator.call('setUpLocalNode', input);
    expect(made).toMatchObject({
      status: 201,
      body: { has_private_key: true, short_id: expect.stringMatching(/^\w{16}$/) },
    });
    const nodeId = made.body.node_id;
    await administrator.call('updateNode', { id: nodeId, allows_private: true });
    await api.call('updateInbound', { id: made.body.id, target: `127.0.0.1:${site.port}` });
    // Another suggestion does not take the port that is used now.
    expect((await administrator.call('suggestLocalNode', {})).body.connection?.port).not.toBe(connection.port);
    const tariff_id = (await api.call('createTariff', { name: 'Monthly', duration: { months: 1 } })).body.id;
    const userId = (await api.call('createUser', { name: 'First', tariff_id })).body.id;
    await expect.poll(async () => (await api.call('getNode', { id: nodeId })).body.status, POLLED).toBe('up');

    const link = await readShareLink({ api, nodeId, userId });
    expect(link).toMatch(/^vless:\/\//);
    await using client = await openPuller('xray', link);
    await expect.poll(() => client.pull(), POLLED).toBe(ANSWER.length);
    api.close();
  },
);
