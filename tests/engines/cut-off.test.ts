// A user who is cut off while a connection is open: what moves over it goes on being counted, apart, until a restart of the engine ends it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { openOwnPanel } from '../support/own-panel.ts';
import { whyWithout } from './found.ts';
import { openScene, openStream, POLLED, readShareLink, readTwice } from './panel-traffic.ts';

let keys = '';
beforeEach(() => {
  keys = mkdtempSync(join(tmpdir(), 'gatehouse-cut-'));
});
afterEach(() => rmSync(keys, { recursive: true, force: true }));

const SCENES = [
  ...(['xray', 'v2ray'] as const).map((program) => ({ title: program, program, shape: undefined })),
] as const;

describe.each(SCENES)('with $title', ({ program, shape }) => {
  const missing = whyWithout(program);

  test.skipIf(missing !== null)(
    `what moves after the cut is counted, to the byte, until a restart ${missing ?? ''}`,
    async () => {
      await using own = await openOwnPanel({ keyFile: join(keys, 'master.key'), pollEveryMs: 500 });
      const scene = await openScene(own, program, shape);
      const { api, nodeId, userId: id } = scene;
      await using stream = await openStream(program, await readShareLink(scene));
      const read = async () => {
        const { total_up, total_down, after_cut_up, after_cut_down } = (await api.call('getUser', { id })).body;
        return { total: [total_up, total_down], afterCut: [after_cut_up, after_cut_down] };
      };
      await stream.move(1001, 50_003);
      await expect.poll(read, POLLED).toEqual({ total: [1001, 50_003], afterCut: [0, 0] });

      await api.call('updateUser', { id, enabled: false });
      await readTwice(scene);
      await stream.move(2003, 70_001);
      await expect.poll(read, POLLED).toEqual({ total: [3004, 120_004], afterCut: [2003, 70_001] });
      const { items } = (await api.call('listEvents', { type: 'user.moved_after_cut' })).body;
      expect(items).toHaveLength(1);
      expect(items[0]?.data).toMatchObject({ user_id: id, node_id: nodeId, state: 'disabled' });

      let moved = 0;
      const moveOn = async () => {
        for (;;) {
          await stream.move(10, 100);
          moved += 100;
          // Polls find enough of them; without a pause they would keep both cores busy.
          await pause(5);
        }
      };
      await expect(moveOn()).rejects.toThrow('the connection was cut');
      await readTwice(scene);
      const [, down = 0] = (await read()).afterCut;
      expect(down).toBeGreaterThan(70_001);
      // What moves between the last reading and the end of the engine is not counted; the last move may have moved in part.
      expect(down).toBeLessThanOrEqual(70_001 + moved + 100);
      expect((await api.call('listEvents', { type: 'user.moved_after_cut' })).body.items).toHaveLength(1);
      expect((await api.call('getNode', { id: nodeId })).body).toMatchObject({
        status: 'up',
        pending_changes: 0,
        cut_off: program === 'xray' ? ['refuse', 'reopen', 'restart'] : ['refuse', 'restart'],
        last_restart: { reason: 'cut_off', user_ids: [id] },
      });
      const restarts = (await api.call('listEvents', { type: 'node.restarted' })).body.items;
      expect(restarts.at(-1)?.data).toMatchObject({ node_id: nodeId, reason: 'cut_off', user_ids: [id] });
      await api.call('updateUser', { id, enabled: true });
      expect((await read()).afterCut).toEqual([0, 0]);
      api.close();
    },
  );
});

/** How long a session may go on after the administrator's word. */
const ENDS_MS = 2000;
const OTHERS = 20;

describe.each(['xray', 'xray-new'] as const)('over Hysteria2 with %s', (program) => {
  const missing = whyWithout(program);

  test.skipIf(missing !== null)(
    `the session of who is disabled ends within ${ENDS_MS} ms, and ${OTHERS} users of another connection lose no byte ${missing ?? ''}`.trim(),
    async () => {
      await using own = await openOwnPanel({ keyFile: join(keys, 'master.key'), pollEveryMs: 1000 });
      const scene = await openScene(own, program, { protocol: 'hysteria2', sni: 'a.example' });
      const { api, nodeId, userId: id } = scene;
      const [quic] = (await api.call('listInbounds', {})).body.items;
      const { id: tariff_id } = (await api.call('createTariff', { name: 'VLESS' })).body;
      const fields = { protocol: 'vless', network: 'tcp', security: 'none', port: await freePort() } as const;
      const vless = (await api.call('createInbound', { ...fields, node_id: nodeId, tag: 'plain', name: 'Plain' })).body;
      await api.call('updateUser', { id, inbounds: [quic?.id ?? 0] });
      const create = async (index: number, inbounds: number[]) =>
        (await api.call('createUser', { name: `User ${index}`, tariff_id, inbounds })).body.id;
      const mateId = await create(0, [quic?.id ?? 0]);
      const others = await Promise.all(
        Array.from({ length: OTHERS }, async (_, index) => {
          const userId = await create(index + 1, [vless.id]);
          return { userId, link: await readShareLink({ ...scene, userId }) };
        }),
      );
      await expect
        .poll(async () => (await api.call('getNode', { id: nodeId })).body, POLLED)
        .toMatchObject({ status: 'up', pending_changes: 0 });
      await readTwice(scene);
      const streams = await Promise.all(others.map(({ link }) => openStream(program, link)));
      const mate = await openStream(program, await readShareLink({ ...scene, userId: mateId }));
      const before = (await api.call('getNode', { id: nodeId })).body.last_restart;
      await using stream = await openStream(program, await readShareLink(scene));
      await stream.move(1001, 50_003);
      await mate.move(11, 101);
      await readTwice(scene);

      let isOver = false;
      const downloads = streams.map(async (one) => {
        // The engine opens the other side with the first byte.
        await one.move(1, 1);
        let down = 1;
        while (!isOver) {
          await one.move(0, 100_000);
          down += 100_000;
          await pause(20);
        }
        return down;
      });
      const moved = { down: 0, lastAt: 0 };
      const moveOn = (async () => {
        for (;;) {
          const given = pause(ENDS_MS * 2, 'silent' as const);
          if ((await Promise.race([stream.move(10, 1000), given])) === 'silent') return;
          moved.down += 1000;
          moved.lastAt = performance.now();
          await pause(5);
        }
      })().catch(() => {});
      await readTwice(scene);
      const disabledAt = performance.now();
      await api.call('updateUser', { id, enabled: false });
      await moveOn;
      expect(moved.lastAt - disabledAt).toBeLessThan(ENDS_MS);
      isOver = true;
      const downloaded = await Promise.all(downloads);
      await readTwice(scene);
      for (const [index, { userId }] of others.entries()) {
        const { total_down } = (await api.call('getUser', { id: userId })).body;
        expect(total_down, `user ${index + 1}, to the byte`).toBe(downloaded[index]);
      }
      // The engine counts what it has received, also of a move that was cut.
      const { total_down } = (await api.call('getUser', { id })).body;
      expect(total_down).toBeGreaterThanOrEqual(50_003 + moved.down);
      expect(total_down).toBeLessThanOrEqual(50_003 + moved.down + 1000);
      const last = { reason: 'cut_off', inbound_id: quic?.id, user_ids: [id] };
      const node = (await api.call('getNode', { id: nodeId })).body;
      expect(node).toMatchObject({ status: 'up', pending_changes: 0, last_restart: last });
      expect(node.last_restart).not.toEqual(before);
      // Who shares the connection comes back by a session of its own, as apps do.
      await mate[Symbol.asyncDispose]();
      await using again = await openStream(program, await readShareLink({ ...scene, userId: mateId }));
      await again.move(11, 101);
      for (const one of streams) await one[Symbol.asyncDispose]();
      api.close();
    },
  );
});

const withoutNew = whyWithout('xray-new');
test.skipIf(withoutNew !== null)(
  `over WireGuard nothing moves after the cut, the engine goes on, and so does the connection of who is allowed again ${withoutNew ?? ''}`.trim(),
  async () => {
    await using own = await openOwnPanel({ keyFile: join(keys, 'master.key'), pollEveryMs: 500 });
    const scene = await openScene(own, 'xray-new');
    const { api, nodeId, userId: id } = scene;
    const read = async () => {
      const { total_up, total_down, after_cut_up, after_cut_down } = (await api.call('getUser', { id })).body;
      return { total: [total_up, total_down], afterCut: [after_cut_up, after_cut_down] };
    };
    await using stream = await openStream('xray-new', await readShareLink(scene));
    await stream.move(1001, 50_003);
    await expect.poll(read, POLLED).toEqual({ total: [1001, 50_003], afterCut: [0, 0] });

    await api.call('updateUser', { id, enabled: false });
    await readTwice(scene);
    // The packets of a peer that is gone are dropped: neither end learns of it, and what the client sends reaches nothing.
    const moved = stream.move(2003, 0);
    await readTwice(scene);
    await readTwice(scene);
    expect(await read()).toEqual({ total: [1001, 50_003], afterCut: [0, 0] });
    const node = (await api.call('getNode', { id: nodeId })).body;
    expect(node).toMatchObject({ status: 'up', last_restart: null });

    await api.call('updateUser', { id, enabled: true });
    // The client repeats what was not received. It shakes hands again 15 seconds after the first of that.
    await moved;
    await stream.move(11, 101);
    await expect.poll(read, POLLED).toEqual({ total: [3015, 50_104], afterCut: [0, 0] });
    api.close();
  },
);
