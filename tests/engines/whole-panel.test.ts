// A whole panel with a real engine of its own: a user who is made over the API connects with what the link says, every byte is counted
// once, and who may not connect is refused.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openOwnPanel } from '../support/own-panel.ts';
import { whyWithout } from './found.ts';
import { ANSWER, ENGINES, linkOf, openPuller, openScene, POLLED, PULLED } from './panel-traffic.ts';

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
      await using client = await openPuller(program, await linkOf(scene));
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
    const link = await linkOf(scene);
    await using client = await openPuller(program, link);
    const expectPulled = (bytes: number) => expect.poll(() => client.pull(), POLLED).toBe(bytes);
    const isLetIn = () => expectPulled(ANSWER.length);
    const isRefused = () => expectPulled(0);

    await isLetIn();
    await api.call('updateUser', { id, enabled: false });
    await isRefused();
    await api.call('updateUser', { id, enabled: true });
    await isLetIn();
    await api.call('updateUser', { id, expires_at: '2020-01-01T00:00:00Z' });
    await isRefused();
    await api.call('extendUser', { id, days: 1 });
    await isLetIn();
    // The limit is found to be passed by a poll.
    await api.call('updateUser', { id, traffic_limit: 1 });
    await isRefused();
    expect((await api.call('getUser', { id })).body.state).toBe('limited');
    await api.call('createGrant', { id, bytes: 1_000_000_000, lifetime: 'used' });
    await isLetIn();
    await api.call('reissueUser', { id });
    await isRefused();
    await using another = await openPuller(program, await linkOf(scene));
    await expect.poll(() => another.pull(), POLLED).toBe(ANSWER.length);
    api.close();
  });
});
