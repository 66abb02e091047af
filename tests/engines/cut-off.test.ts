// A user who is cut off while a connection is open: what moves over it goes on being counted, apart, until a restart of the engine ends it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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
  // A client with an open QUIC connection opens new streams in it too: only a restart ends that.
  { title: 'xray over Hysteria2', program: 'xray', shape: { protocol: 'hysteria2', sni: 'a.example' } },
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
        cut_off: ['refuse', 'restart'],
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
