// The ledger of a machine: despite kills, lost replies and restored copies, the panel counts once what engines have counted.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTestClock, createTestTimers } from '../../tests/support/clock.ts';
import { coreParts, dying } from '../../tests/support/core.ts';
import { createFakeMachine } from '../../tests/support/fake-engine.ts';
import { createTestLog } from '../../tests/support/log.ts';
import { times } from '../../tests/support/long.ts';
import { plainSeal } from '../../tests/support/node-lease.ts';
import { sampleInbound } from '../../tests/support/subscription-samples.ts';
import { sampleNode, sampleUser, tempFolder, tempStore } from '../../tests/support/temp-store.ts';
import { createHeavyEnv } from '../core/create-core.ts';
import type { Env } from '../core/kernel/context.ts';
import { collectLedger } from '../core/nodes/ledger.ts';
import type { Engine, EngineInbound, LedgerPage } from '../core/ports/engines.ts';
import type { UpDown } from '../core/ports/traffic.ts';
import { meterEngine } from './ledger-engine.ts';
import { openNodeLedger } from './store/ledger.ts';

const START = Date.UTC(2026, 10, 20, 12);
const USERS = 6;
/** Entries of a page: few, so that several pages are read. */
const PAGE = 4;
const BEAT = 10_000;

/** A panel, and a machine with a ledger on disk and an engine in memory. */
function openScene(temp: ReturnType<typeof tempStore>, folder: string) {
  const { store } = temp;
  const clock = createTestClock(START);
  const log = createTestLog();
  const env = { ...createHeavyEnv(coreParts(temp, { clock })), log };
  const nodeId = store.nodes.insert(sampleNode({ kind: 'remote' }));
  const { id: _, ...row } = sampleInbound({ nodeId, tag: 'in', port: 1000 });
  const secrets = { privateKey: null, certificateKey: null, decryption: null, mldsa65Seed: null, serverKey: null };
  const inbound: EngineInbound = { ...row, ...secrets, id: store.inbounds.insert(row) };
  const ids = Array.from({ length: USERS }, () => store.users.insert(sampleUser()));
  const machine = createFakeMachine();
  const file = join(folder, 'ledger.db');
  let timers = createTestTimers();
  let boots = 0;
  const open = (): Engine => {
    timers = createTestTimers();
    return meterEngine(machine.attach().engine, {
      ledger: openNodeLedger(file, plainSeal, PAGE),
      clock,
      timers,
      log,
      beatMs: BEAT,
    });
  };
  let engine = open();
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  const scene = {
    store,
    env,
    log,
    nodeId,
    ids,
    machine,
    inbound,
    engine: () => engine,
    /** Starts the engine as the panel does, or as the machine does by itself. */
    async start(isPanel: boolean) {
      boots += 1;
      const own = `a${boots}`;
      const boot = isPanel ? own : `${store.sync.get(nodeId).boot ?? own}rb${boots}`;
      if (isPanel) store.write(() => store.sync.begin(nodeId, { boot: own, position: 0, cautiousUntil: 0 }));
      const people = ids.map((userId) => ({
        userId,
        credentials: { uuid: `u${userId}`, password: '', key: '', wireguard: '' },
        inbounds: [inbound.id],
      }));
      await engine.start({ inbounds: [inbound], blocksPrivate: true }, people, boot);
    },
    async beat() {
      timers.tick();
      await settled();
    },
    /** Kills and restarts the service; its folder is first replaced by `copy`, if given. */
    restart(copy?: string) {
      engine.close();
      if (copy !== undefined) copyFileSync(copy, file);
      engine = open();
    },
    /** Copies the folder. The database file is complete without its journal once it is closed. */
    copyTo(path: string) {
      engine.close();
      copyFileSync(file, path);
      engine = open();
    },
    readLedgerPage: (parts: { env?: Env; engine?: Engine } = {}) =>
      collectLedger(parts.env ?? env, nodeId, parts.engine ?? engine),
  };
  return scene;
}

/** The engine with some replies lost after the request was carried out. */
function losing(engine: Engine, after: number): Engine {
  let left = after;
  return {
    ...engine,
    async readLedgerPage(...args) {
      const page = await engine.readLedgerPage(...args);
      if (left === 0) throw new Error('lost');
      left -= 1;
      return page;
    },
  };
}

const sumTraffic = (all: Iterable<UpDown>) => {
  const sum = { up: 0, down: 0 };
  for (const { up, down } of all) {
    sum.up += up;
    sum.down += down;
  }
  return sum;
};

type Step =
  | { readonly type: 'move'; readonly user: number; readonly moved: UpDown }
  | { readonly type: 'beat' | 'take' | 'restart' | 'copy' | 'restore' | 'stop' | 'crash' | 'start' | 'selfStart' }
  | { readonly type: 'killed' | 'lost'; readonly after: number };
const plain = (...types: ('beat' | 'take' | 'restart' | 'stop' | 'crash' | 'start' | 'selfStart')[]) =>
  fc.record({ type: fc.constantFrom(...types) });
const common = [
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('move' as const),
      user: fc.nat(USERS - 1),
      moved: fc.record({ up: fc.nat(5000), down: fc.nat(50_000) }),
    }),
  },
  { weight: 3, arbitrary: plain('beat', 'take') },
  { weight: 3, arbitrary: plain('restart', 'stop', 'crash', 'start', 'selfStart') },
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom('killed' as const, 'lost' as const), after: fc.nat(3) }) },
];
const step: fc.Arbitrary<Step> = fc.oneof(...common);
const stepWithCopies: fc.Arbitrary<Step> = fc.oneof(...common, {
  weight: 2,
  arbitrary: fc.record({ type: fc.constantFrom('copy' as const, 'restore' as const) }),
});

/** Runs the steps. Returns what the engines counted, and how much of that no ledger had recorded before they ended. */
async function run(temp: ReturnType<typeof tempStore>, folder: string, steps: readonly Step[]) {
  const scene = openScene(temp, folder);
  const { machine, ids, inbound } = scene;
  const copy = join(folder, 'copy.db');
  const moved: UpDown[] = [];
  const died: UpDown[] = [];
  machine.lost = ({ users, told }) => {
    for (const [id, { up, down }] of users) {
      const last = told.get(id) ?? { up: 0, down: 0 };
      died.push({ up: up - last.up, down: down - last.down });
    }
  };
  const fails = { killed: 0, lost: 0 };
  const failing = (work: Promise<unknown>, what: 'killed' | 'lost') =>
    work.catch((error: unknown) => {
      expect(String(error)).toContain(what);
      fails[what] += 1;
    });
  scene.copyTo(copy);
  // As a panel does before each start.
  await scene.readLedgerPage();
  await scene.start(true);
  for (const one of steps) {
    if (one.type === 'move') {
      if (machine.move(ids[one.user] ?? 0, inbound.id, one.moved)) moved.push(one.moved);
    } else if (one.type === 'beat') await scene.beat();
    else if (one.type === 'take') await scene.readLedgerPage();
    else if (one.type === 'killed') await failing(scene.readLedgerPage({ env: dying(scene.env, one.after) }), 'killed');
    else if (one.type === 'lost')
      await failing(scene.readLedgerPage({ engine: losing(scene.engine(), one.after) }), 'lost');
    else if (one.type === 'restart') scene.restart();
    else if (one.type === 'copy') scene.copyTo(copy);
    else if (one.type === 'restore') scene.restart(copy);
    else if (one.type === 'stop') await scene.engine().stop();
    else if (one.type === 'crash') machine.crash();
    else if (machine.process === null) await scene.start(one.type === 'start');
  }
  await scene.readLedgerPage();
  await scene.readLedgerPage();
  scene.engine().close();
  return { scene, moved: sumTraffic(moved), died: sumTraffic(died), fails };
}

describe('what the panel has counted', () => {
  it('is what engines have counted but for what died in them, to the byte', async () => {
    const seen = { killed: 0, lost: 0, bytes: 0, died: 0 };
    const check = async (steps: readonly Step[]) => {
      using temp = tempStore();
      using folder = tempFolder();
      const { scene, moved, died, fails } = await run(temp, folder.path, steps);
      const expected = { up: moved.up - died.up, down: moved.down - died.down };
      const { store, ids } = scene;
      expect(store.traffic.total()).toEqual(expected);
      const rows = ids.map((id) => store.users.get(id));
      expect(sumTraffic(rows.map((row) => ({ up: row?.totalUp ?? 0, down: row?.totalDown ?? 0 })))).toEqual(expected);
      expect(sumTraffic(store.traffic.inboundTotals())).toEqual(expected);
      seen.killed += fails.killed;
      seen.lost += fails.lost;
      seen.bytes += expected.down;
      seen.died += died.down;
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), check), {
      numRuns: times(20, 1000),
    });
    for (const each of Object.values(seen)) expect(each).toBeGreaterThan(0);
  });

  it('is never more, whichever old copies of the ledger come back', async () => {
    const check = async (steps: readonly Step[]) => {
      using temp = tempStore();
      using folder = tempFolder();
      const { scene, moved } = await run(temp, folder.path, steps);
      const { up, down } = scene.store.traffic.total();
      expect(up).toBeLessThanOrEqual(moved.up);
      expect(down).toBeLessThanOrEqual(moved.down);
    };
    await fc.assert(fc.asyncProperty(fc.array(stepWithCopies, { minLength: 10, maxLength: 40 }), check), {
      numRuns: times(20, 1000),
    });
  });
});

describe('a ledger', () => {
  it('that comes back from an old copy is found, and what its engine counts from then on is counted', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const scene = openScene(temp, folder.path);
    const { machine, ids, inbound, store } = scene;
    const move = (down: number) => expect(machine.move(ids[0] ?? 0, inbound.id, { up: 0, down })).toBe(true);
    await scene.start(true);
    move(100);
    await scene.readLedgerPage();
    const copy = join(folder.path, 'copy.db');
    scene.copyTo(copy);
    for (const down of [20, 3]) {
      move(down);
      await scene.readLedgerPage();
    }
    await scene.engine().stop();
    await scene.start(true);
    move(4000);
    await scene.readLedgerPage();
    expect(scene.log.lines.join('\n')).not.toContain('old copy');

    // The machine was reset to the copy: another start of the engine, with at least as many sequence numbers as the panel had acknowledged.
    machine.crash();
    scene.restart(copy);
    await scene.start(false);
    for (let beats = 0; beats < 10; beats += 1) {
      move(50_000);
      await scene.beat();
    }
    await scene.readLedgerPage();
    expect(store.traffic.total().down).toBe(504_123);
    const restored = () => store.events.after(0, 100, ['node.restored']);
    expect(scene.log.lines.join('\n')).toContain('restored from an old copy');
    expect(restored()).toHaveLength(1);
    expect(store.nodes.get(scene.nodeId)?.restoredAt).toBe(START);
    move(600_000);
    await scene.readLedgerPage();
    expect(store.traffic.total().down).toBe(1_104_123);
    expect(restored(), 'it is said once').toHaveLength(1);
    scene.engine().close();
  });

  it('says how much waits for the panel', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const scene = openScene(temp, folder.path);
    const { machine, ids, inbound } = scene;
    const move = (index: number, down: number) => machine.move(ids[index] ?? 0, inbound.id, { up: 1, down });
    const waiting = () => scene.engine().machine()?.waiting;
    await scene.readLedgerPage();
    await scene.start(true);
    expect(waiting()).toEqual({ entries: 0, bytes: 0 });
    move(0, 99);
    move(1, 199);
    await scene.beat();
    expect(waiting()).toEqual({ entries: 2, bytes: 300 });
    await scene.readLedgerPage();
    await scene.readLedgerPage();
    expect(waiting()).toEqual({ entries: 0, bytes: 0 });
    // Of an acknowledged start only the new bytes count.
    move(0, 9);
    await scene.beat();
    scene.restart();
    expect(waiting()).toEqual({ entries: 1, bytes: 10 });
    scene.engine().close();
  });

  it('is forgotten as far as the panel has acknowledged it, and no further', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const scene = openScene(temp, folder.path);
    const { machine, ids, inbound } = scene;
    await scene.readLedgerPage();
    await scene.start(true);
    machine.move(ids[0] ?? 0, inbound.id, { up: 1, down: 2 });
    await scene.engine().stop();
    await scene.start(true);
    await scene.beat();
    const offered = async () => {
      const page = (await scene.engine().readLedgerPage(null, false)) as LedgerPage;
      return page.entries.map(({ boot }) => boot);
    };
    expect(await offered()).toEqual(['a1', 'a1']);
    await expect(scene.readLedgerPage({ env: dying(scene.env, 0) })).rejects.toThrow('killed');
    expect(await offered(), 'the panel did not store it').toEqual(['a1', 'a1']);
    await scene.readLedgerPage();
    expect(await offered(), 'the panel has not said so').toEqual(['a1', 'a1']);
    await scene.readLedgerPage();
    expect(await offered()).toEqual([]);
    expect(scene.store.sync.countedBoots(scene.nodeId)).toEqual([]);
    scene.engine().close();
  });

  it('that never ends is left off after a while, and gone on with in the next round', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const scene = openScene(temp, folder.path);
    let asked = 0;
    const endless: Engine = {
      ...scene.engine(),
      async readLedgerPage() {
        asked += 1;
        const page = { ledger: '1'.repeat(32), run: '2'.repeat(32), acknowledged: 0, failure: null };
        return { ...page, entries: [], ends: [], events: [], until: asked, isLast: false };
      },
    };
    expect(await scene.readLedgerPage({ engine: endless })).toEqual({ moved: [], exhausted: [], failure: null });
    expect(asked).toBe(100);
    expect(scene.store.sync.ledger(scene.nodeId)?.taken).toBe(100);
    await scene.readLedgerPage({ engine: endless });
    expect(scene.store.sync.ledger(scene.nodeId)?.taken).toBe(200);
    scene.engine().close();
  });

  it('of users of another panel is not counted', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const scene = openScene(temp, folder.path);
    await scene.start(false);
    scene.machine.move(scene.ids[0] ?? 0, scene.inbound.id, { up: 1, down: 2 });
    expect(await scene.readLedgerPage()).toEqual({ moved: [], exhausted: [], failure: null });
    expect(scene.store.traffic.total()).toEqual({ up: 0, down: 0 });
    scene.engine().close();
  });
});
