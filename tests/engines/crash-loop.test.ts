// A change over which the engine ends, each time that it is made: it is left out, said in words, and all others are served.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock, systemTimers } from '../../src/adapters/clock.ts';
import { nodeCrypto } from '../../src/adapters/crypto.ts';
import type { EngineChange } from '../../src/core/ports/engines.ts';
import { connectEngine } from '../../src/engines/connector.ts';
import { createLocalEngine } from '../../src/engines/local-engine.ts';
import { isFull } from '../support/long.ts';
import { openOwnPanel } from '../support/own-panel.ts';
import { getProgramPath, whyWithout } from './found.ts';
import { ANSWER, openPuller, openScene, POLLED, readShareLink, SHAPES } from './panel-traffic.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-crash-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each(isFull ? (['xray', 'xray-new'] as const) : (['xray'] as const))('with %s', (program) => {
  const missing = whyWithout(program);

  test.skipIf(missing !== null)(
    `a user over whom the engine crashes is left out until that user changes ${missing ?? ''}`.trim(),
    async () => {
      const poisoned = new Set<number>();
      let crashes = 0;
      // The account of another protocol: no panel sends it, and it ends the whole engine.
      const poison = (change: EngineChange): EngineChange => {
        if (!change.isAllowed || !poisoned.has(change.user.userId)) return change;
        crashes += 1;
        return { ...change, inbound: { ...change.inbound, protocol: 'trojan' } };
      };
      await using own = await openOwnPanel({
        keyFile: join(folder, 'master.key'),
        pollEveryMs: 500,
        openEngine: ({ id }) =>
          createLocalEngine({
            nodeId: id,
            folder,
            path: () => getProgramPath(program),
            connect: (address) => {
              const api = connectEngine(address);
              return { ...api, apply: (changes) => api.apply(changes.map(poison)) };
            },
            clock: systemClock,
            timers: systemTimers,
            crypto: nodeCrypto,
          }),
      });
      const scene = await openScene(own, program, SHAPES.xray);
      const { api, nodeId, userId } = scene;
      const tariff_id = (await api.call('getUser', { id: userId })).body.tariff_id ?? 0;
      for (const id of [userId + 1, userId + 2]) poisoned.add(id);
      for (const name of ['Boris', 'Clara', 'Dora']) await api.call('createUser', { name, tariff_id });

      const told = `u${userId + 1}: `;
      const node = async () => (await api.call('getNode', { id: nodeId })).body;
      const left = {
        status: 'up',
        pending_changes: 0,
        error_code: 'engine_refused',
        error: expect.stringContaining(told),
      };
      await expect.poll(node, POLLED).toMatchObject(left);
      const isServed = async (id: number) => {
        await using client = await openPuller(program, await readShareLink({ ...scene, userId: id }));
        await expect.poll(() => client.pull(), POLLED).toBe(ANSWER.length);
      };
      for (const id of [userId, userId + 3]) await isServed(id);
      // Told together, then each alone: no start of the engine is lost on what is known.
      const known = crashes;
      expect(known).toBeLessThanOrEqual(4);

      poisoned.clear();
      await api.call('reissueUser', { id: userId + 1 });
      await api.call('reissueUser', { id: userId + 2 });
      await expect.poll(node, POLLED).toMatchObject({ status: 'up', pending_changes: 0, error_code: null });
      await isServed(userId + 1);
      expect(crashes).toBe(known);
      api.close();
    },
  );
});
