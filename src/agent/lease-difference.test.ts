// What is sent to a machine: everything once, then only changes, despite restarts, cut connections and new users.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../tests/support/clock.ts';
import { coreParts } from '../../tests/support/core.ts';
import { openLeasedMachine } from '../../tests/support/leased-machine.ts';
import { sampleInbound } from '../../tests/support/subscription-samples.ts';
import { sampleNode, sampleUser, type TempStore, tempFolder, tempStore } from '../../tests/support/temp-store.ts';
import { createHeavyEnv } from '../core/create-core.ts';
import { type Engine, EngineError } from '../core/ports/engines.ts';
import type { UserRow } from '../core/ports/users.ts';
import { SPARE_BYTES } from '../domain/nodes/lease.ts';

const START = Date.UTC(2026, 10, 20, 12);
const SECOND = 1000;
/** Enough for more than two parts. */
const USERS = 1200;
const LIMIT = 32 * SPARE_BYTES;

/** A panel with a machine and its users; records what is sent to the machine. */
function openScene(temp: TempStore, folder: string) {
  const { store } = temp;
  const clock = createTestClock(START);
  const env = createHeavyEnv(coreParts(temp, { clock }));
  const ids = store.write(() =>
    Array.from({ length: USERS }, () => store.users.insert(sampleUser({ onlineAt: START, trafficLimit: LIMIT }))),
  );
  const nodeId = store.nodes.insert(sampleNode({ kind: 'remote' }));
  const addInbound = (tag: string, on: number) => {
    const { id: _id, ...row } = sampleInbound({ nodeId: on, tag, port: 1000 + store.inbounds.count({}) });
    return store.inbounds.insert(row);
  };
  const inboundId = addInbound('in', nodeId);
  const leased = openLeasedMachine({ env, clock, folder, nodeId, inboundId });
  const sent = { parts: 0, users: 0, starts: 0, heldStarts: 0 };
  /** Parts that arrive before the connection is cut, and whether the reply to the last of them is lost. */
  let line = { parts: Number.POSITIVE_INFINITY, losesAnswer: false };
  const cutOff = () => new EngineError('engine_unreachable', 'no answer');
  const connector = new Proxy(leased.behind, {
    get(target, name: keyof Engine) {
      if (name === 'lease') {
        const lease: Engine['lease'] = async (part) => {
          if (part === null) return (await target.lease?.(null)) ?? null;
          if (line.parts === 0) throw cutOff();
          sent.parts += 1;
          sent.users += part.users.length;
          const held = (await target.lease?.(part)) ?? null;
          line = { ...line, parts: line.parts - 1 };
          if (line.parts === 0 && line.losesAnswer) throw cutOff();
          return held;
        };
        return lease;
      }
      if (name === 'start') sent.starts += 1;
      if (name === 'startHeld') {
        const startHeld: Engine['startHeld'] = async (...args) => {
          const running = (await target.startHeld?.(...args)) ?? null;
          if (running !== null) sent.heldStarts += 1;
          return running;
        };
        return startHeld;
      }
      return target[name];
    },
  });
  const restartPanel = () => leased.restartPanel(env, connector);
  restartPanel();
  return {
    ...leased,
    store,
    clock,
    ids,
    addInbound,
    restartPanel,
    setLine(parts: number, losesAnswer = false) {
      line = { parts, losesAnswer };
    },
    /** What was sent since the last call. */
    sent() {
      const now = { ...sent };
      Object.assign(sent, { parts: 0, users: 0, starts: 0, heldStarts: 0 });
      return now;
    },
    disable(id: number) {
      const row = store.users.get(id);
      if (row) store.users.save(row, { ...row, enabled: false, state: 'disabled', updatedAt: clock.now() });
      clock.advance(10 * SECOND);
    },
    serves: () => leased.machine.process?.members.get(inboundId)?.size,
    end: () => leased.engine().close(),
  };
}

const WHOLE = { parts: 3, users: USERS, starts: 0, heldStarts: 1 };
const NOTHING = { parts: 0, users: 0, starts: 0, heldStarts: 0 };

describe('a machine', () => {
  it('is sent everybody once, with which its engine starts, and then who has changed, also by another start of the panel', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const scene = openScene(temp, folder.path);
    const [first = 0] = scene.ids;
    await scene.connectPanel();
    expect(scene.sent()).toEqual(WHOLE);
    expect(scene.serves()).toBe(USERS);
    scene.clock.advance(10 * SECOND);
    await scene.connectPanel();
    // The engine's version, known since the round before.
    expect(scene.sent()).toEqual({ ...NOTHING, parts: 1 });
    scene.clock.advance(10 * SECOND);
    await scene.connectPanel();
    expect(scene.sent()).toEqual(NOTHING);
    scene.disable(first);
    scene.restartPanel();
    await scene.connectPanel();
    expect(scene.sent()).toEqual({ ...NOTHING, parts: 1, users: 1 });
    expect(scene.serves()).toBe(USERS - 1);
    scene.clock.advance(10 * SECOND);
    scene.restartPanel();
    await scene.connectPanel();
    expect(scene.sent()).toEqual(NOTHING);
    scene.end();
  });

  it('is not sent its users again when a connection is added, with which it starts, and shares what is left by itself', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const scene = openScene(temp, folder.path);
    const [first = 0] = scene.ids;
    await scene.connectPanel();
    scene.sent();
    scene.clock.advance(10 * SECOND);
    const added = scene.addInbound('more', scene.nodeId);
    await scene.connectPanel();
    expect(scene.sent()).toEqual({ ...NOTHING, parts: 1, heldStarts: 1 });
    expect(scene.machine.process?.members.get(added)?.size).toBe(USERS);
    // The other node's use changes this node's share.
    scene.clock.advance(10 * SECOND);
    const other = scene.store.nodes.insert(sampleNode({ kind: 'remote', name: 'Helsinki' }));
    scene.addInbound('other', other);
    await scene.connectPanel();
    expect(scene.sent()).toEqual({ ...NOTHING, parts: 1 });
    let moved = 0;
    while (scene.isIn(first)) {
      scene.machine.move(first, scene.inboundId, { up: 0, down: SPARE_BYTES });
      await scene.beat();
      moved += SPARE_BYTES;
    }
    expect(moved).toBe(17 * SPARE_BYTES);
    scene.end();
  });

  it('is sent who has moved bytes over any node, after 30 seconds where the limit is small', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const scene = openScene(temp, folder.path);
    const { store, clock } = scene;
    const [small = 0, large = 0] = scene.ids;
    const save = (id: number, changes: Partial<UserRow>) => {
      const row = store.users.get(id);
      if (row) store.users.save(row, { ...row, ...changes });
    };
    save(small, { trafficLimit: 30_000_000, updatedAt: clock.now() });
    for (let round = 0; round < 3; round += 1) {
      await scene.connectPanel();
      clock.advance(10 * SECOND);
    }
    scene.sent();
    for (const id of [small, large]) save(id, { onlineAt: clock.now() });
    clock.advance(31 * SECOND);
    await scene.connectPanel();
    expect(scene.sent()).toEqual({ ...NOTHING, parts: 1, users: 1 });
    scene.end();
  });

  it('that was cut off while everybody was sent is sent the rest, and who has changed meanwhile', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const scene = openScene(temp, folder.path);
    const [first = 0] = scene.ids;
    scene.setLine(1);
    await expect(scene.connectPanel()).rejects.toThrow('no answer');
    scene.setLine(1, true);
    await expect(scene.connectPanel()).rejects.toThrow('no answer');
    expect(scene.sent()).toEqual({ ...NOTHING, parts: 2, users: 1000 });
    scene.disable(first);
    scene.setLine(Number.POSITIVE_INFINITY);
    await scene.connectPanel();
    expect(scene.sent()).toEqual({ ...NOTHING, parts: 2, users: USERS - 1000 + 1, heldStarts: 1 });
    expect(scene.serves()).toBe(USERS - 1);
    scene.end();
  });

  it('that holds something else than it has answered is sent everybody', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const scene = openScene(temp, folder.path);
    const [first = 0, second = 0] = scene.ids;
    const copy = join(folder.path, 'copy.db');
    await scene.connectPanel();
    await scene.copyTo(copy);
    scene.disable(first);
    await scene.connectPanel();
    scene.sent();
    // Its disk is replaced by a copy from before the change.
    await scene.restart(copy);
    await scene.connectPanel();
    expect(scene.sent()).toEqual({ ...NOTHING, parts: 3, users: USERS });
    // The panel is killed before it stores the reply.
    scene.disable(second);
    scene.setLine(1, true);
    await expect(scene.connectPanel()).rejects.toThrow('no answer');
    scene.sent();
    scene.setLine(Number.POSITIVE_INFINITY);
    scene.restartPanel();
    await scene.connectPanel();
    expect(scene.sent()).toEqual({ ...NOTHING, parts: 3, users: USERS });
    await scene.beat();
    expect(scene.serves()).toBe(USERS - 2);
    scene.end();
  });
});
