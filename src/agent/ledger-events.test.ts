// Events that machines record while the panel is away: despite kills, lost replies and restored copies, the panel has each user's bytes in
// the right period, and each event once, at the time of the reading that caused it. The engines' readings are the truth.
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../tests/support/clock.ts';
import { coreParts, dying } from '../../tests/support/core.ts';
import { openLeasedMachine } from '../../tests/support/leased-machine.ts';
import { times } from '../../tests/support/long.ts';
import { sampleInbound } from '../../tests/support/subscription-samples.ts';
import { sampleNode, sampleUser, type TempStore, tempFolder, tempStore } from '../../tests/support/temp-store.ts';
import { createHeavyEnv } from '../core/create-core.ts';
import { createTransaction } from '../core/kernel/transaction.ts';
import type { Engine } from '../core/ports/engines.ts';
import type { LeasePart } from '../core/ports/lease.ts';
import { sweepDue } from '../core/sweep.ts';
import { commitUser, openUser } from '../core/users/change.ts';

const START = Date.UTC(2026, 10, 20, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const FIRST_MIDNIGHT = Date.UTC(2026, 10, 21);
const LIMIT = 1000;
/** Small, so that several pages are read. */
const PAGE = 4;
const DAILY = { resetStrategy: 'day', resetsAt: FIRST_MIDNIGHT, dueAt: FIRST_MIDNIGHT } as const;
const ON_HOLD = { hold: { months: 0, days: 1 }, termBeganAt: null, state: 'on_hold' } as const;
const KINDS = ['daily', 'limited', 'held', 'heldBefore', 'plain'] as const;
type Kind = (typeof KINDS)[number];
const FIELDS = {
  daily: { ...DAILY, trafficLimit: LIMIT },
  limited: { trafficLimit: LIMIT },
  held: ON_HOLD,
  heldBefore: { ...ON_HOLD, onlineAt: START - DAY },
  /** The administrator puts this user on hold. */
  plain: {},
} as const;
const EVENTS = ['user.first_connected', 'user.expired', 'user.limited', 'user.reset'] as const;

interface Reading {
  readonly userId: number;
  readonly at: number;
  readonly down: number;
}

/** The engine with some calls replaced. `engine` may be another one with each call. */
function withCalls(engine: Engine, calls: Partial<Engine>): Engine {
  return new Proxy(engine, { get: (target, name) => calls[name as keyof Engine] ?? target[name as keyof Engine] });
}

/** The machine with one reply lost after the request was carried out. */
function losing(engine: Engine, after: number): Engine {
  let left = after;
  return withCalls(engine, {
    async readLedgerPage(...args) {
      const page = await engine.readLedgerPage(...args);
      if (left === 0) throw new Error('lost');
      left -= 1;
      return page;
    },
  });
}

function openScene(temp: TempStore, folder: string, nodes: number) {
  const { store } = temp;
  const clock = createTestClock(START);
  const env = createHeavyEnv(coreParts(temp, { clock }));
  const ids = Object.fromEntries(KINDS.map((kind) => [kind, store.users.insert(sampleUser(FIELDS[kind]))])) as Record<
    Kind,
    number
  >;
  const readings: Reading[] = [];
  const lost: Reading[] = [];
  /** Number of readings when the hold was set, and when a machine first received it; null: not yet. */
  let holdSet: number | null = null;
  let holdHeard: number | null = null;
  const recordReading = (engine: Engine, told: Map<string, number>): Engine => ({
    ...engine,
    async counters() {
      const counters = await engine.counters();
      for (const [userId, { down }] of counters.users) {
        const key = `${counters.boot} ${userId}`;
        const before = told.get(key) ?? 0;
        if (down > before) readings.push({ userId, at: clock.now(), down: down - before });
        told.set(key, down);
      }
      return counters;
    },
  });
  const hearing = (engine: Engine): Engine => {
    const hears = (part: LeasePart | null) =>
      part?.users.some(({ id, leased }) => id === ids.plain && leased.account.hold !== null);
    return withCalls(engine, {
      async lease(part) {
        const held = (await engine.lease?.(part)) ?? null;
        if (hears(part)) holdHeard ??= readings.length;
        return held;
      },
    });
  };
  const machines = Array.from({ length: nodes }, (_, index) => {
    const nodeId = store.nodes.insert(sampleNode({ kind: 'remote' }));
    const { id: _id, ...row } = sampleInbound({ nodeId, tag: `in${index}`, port: 1000 + index });
    const inboundId = store.inbounds.insert(row);
    const told = new Map<string, number>();
    const around = (engine: Engine) => recordReading(engine, told);
    const leased = openLeasedMachine({ env, clock, folder, nodeId, inboundId, page: PAGE, around });
    leased.restartPanel(env, hearing(leased.behind));
    leased.machine.lost = ({ boot, users }) => {
      for (const [userId, { down }] of users)
        lost.push({ userId, at: clock.now(), down: down - (told.get(`${boot} ${userId}`) ?? 0) });
    };
    return { ...leased, hearing: () => hearing(leased.behind) };
  });
  const beatAll = async (ms = 0) => {
    for (const machine of machines) await machine.beat(ms);
  };
  return {
    store,
    env,
    clock,
    ids,
    machines,
    readings,
    lost,
    /**
     * The reading from which the user on hold may start the term: a machine that has not received the hold yet records only the time of a
     * first connection.
     */
    holdFrom: () => (readings.slice(0, holdSet ?? 0).some(({ userId }) => userId === ids.plain) ? holdHeard : holdSet),
    beatAll,
    /** Passes time. Machines process each midnight and each end of a term, as they do each second. */
    async pass(ms: number) {
      await beatAll();
      const end = clock.now() + ms;
      while (clock.now() < end) {
        const step = Math.min(end - clock.now(), HOUR - (clock.now() % HOUR));
        clock.advance(step);
        await beatAll(step);
      }
    },
    sweep: () => sweepDue(env),
    hold() {
      if (holdSet !== null) return;
      holdSet = readings.length;
      clock.advance(1);
      store.write(() => {
        const tx = createTransaction(env, { name: 'hold', by: 'node' }, clock.now());
        const row = store.users.get(ids.plain);
        if (!row) return;
        const current = openUser(tx, row);
        const account = { ...current.account, hold: { months: 0, days: 1 }, termBeganAt: null, heldAt: tx.now };
        commitUser(tx, current, { account, setsEnd: true });
      });
    },
    events: (kind: Kind) =>
      store.events
        .after(0, 10_000, EVENTS)
        .filter(({ data }) => (JSON.parse(data) as { user_id?: number }).user_id === ids[kind])
        .map(({ type, at }) => ({ type, at })),
  };
}

type Scene = ReturnType<typeof openScene>;
type Step =
  | { readonly type: 'move'; readonly kind: Kind; readonly node: number; readonly down: number }
  | { readonly type: 'pass'; readonly minutes: number }
  | { readonly type: 'killed' | 'lost'; readonly node: number; readonly after: number }
  | { readonly type: 'sweep' | 'hold' }
  | { readonly type: 'meet' | 'restart' | 'crash' | 'copy' | 'restore'; readonly node: number };

const node = fc.nat(1);
const common = [
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('move' as const),
      kind: fc.constantFrom(...KINDS),
      node,
      down: fc.integer({ min: 1, max: 700 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 900 }) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('sweep' as const, 'hold' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constantFrom('meet' as const, 'restart' as const, 'crash' as const), node }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constantFrom('killed' as const, 'lost' as const), node, after: fc.nat(5) }),
  },
];
const step: fc.Arbitrary<Step> = fc.oneof(...common);
const stepWithCopies: fc.Arbitrary<Step> = fc.oneof(...common, {
  weight: 2,
  arbitrary: fc.record({ type: fc.constantFrom('copy' as const, 'restore' as const), node }),
});

async function run(scene: Scene, folder: string, steps: readonly Step[]) {
  const { machines, ids } = scene;
  const getCopyPath = (nodeId: number) => join(folder, `copy-${nodeId}.db`);
  const fails = { killed: 0, lost: 0 };
  for (const machine of machines) {
    await machine.connectPanel();
    await machine.copyTo(getCopyPath(machine.nodeId));
  }
  for (const one of steps) {
    const machine = machines[('node' in one ? one.node : 0) % machines.length];
    if (!machine) continue;
    if (one.type === 'move') machine.machine.move(ids[one.kind], machine.inboundId, { up: 0, down: one.down });
    else if (one.type === 'pass') await scene.pass(one.minutes * MINUTE);
    else if (one.type === 'sweep') await scene.sweep();
    else if (one.type === 'hold') scene.hold();
    else if (one.type === 'meet') await machine.connectPanel();
    else if (one.type === 'restart') await machine.restart();
    else if (one.type === 'crash') machine.machine.crash();
    else if (one.type === 'copy') await machine.copyTo(getCopyPath(machine.nodeId));
    else if (one.type === 'restore') await machine.restart(getCopyPath(machine.nodeId));
    else if (one.type === 'killed' || one.type === 'lost') {
      const engine = machine.hearing();
      if (one.type === 'killed') machine.restartPanel(dying(scene.env, one.after), engine);
      else machine.restartPanel(scene.env, losing(engine, one.after));
      await machine.connectPanel().catch((error: unknown) => {
        expect(String(error)).toMatch(/killed|lost/);
        fails[one.type] += 1;
      });
      machine.restartPanel(scene.env, engine);
    }
  }
  await scene.pass(MINUTE);
  for (let rounds = 0; rounds < 2; rounds += 1) {
    for (const machine of machines) await machine.connectPanel();
    while (await scene.sweep());
  }
  for (const machine of machines) machine.engine().close();
  return fails;
}

const sum = (readings: readonly Reading[]) => readings.reduce((total, { down }) => total + down, 0);
/** A user's readings, without those of zero bytes. */
const of = ({ readings, ids }: Scene, kind: Kind) => readings.filter(({ userId }) => userId === ids[kind]);
const computeDay = (at: number) => Math.floor(at / DAY);

/** When the sum of readings reached the limit, in each of these periods. */
function listLimitTimes(readings: readonly Reading[], computePeriod: (at: number) => number): readonly number[] {
  return [...Map.groupBy(readings, ({ at }) => computePeriod(at)).values()].flatMap((some) => {
    let total = 0;
    const last = some.find(({ down }) => {
      total += down;
      return total >= LIMIT;
    });
    return last ? [last.at] : [];
  });
}

const listMoments = (scene: Scene, kind: Kind, type: (typeof EVENTS)[number]) =>
  scene
    .events(kind)
    .filter((event) => event.type === type)
    .map(({ at }) => at)
    .sort((a, b) => a - b);

describe('what machines have written down', () => {
  it('is counted by the panel in its period and announced once at its moment, whatever is killed or lost', async () => {
    const seen = { killed: 0, lost: 0, limits: 0, resets: 0, begun: 0, heldLater: 0, ended: 0 };
    const check = async (steps: readonly Step[]) => {
      using temp = tempStore();
      using folder = tempFolder();
      const scene = openScene(temp, folder.path, 1);
      const { store, ids, clock } = scene;
      const fails = await run(scene, folder.path, steps);
      const now = clock.now();
      for (const kind of KINDS) {
        const readings = of(scene, kind);
        const row = store.users.get(ids[kind]);
        expect(row?.totalDown, kind).toBe(sum(readings));
        const first = kind === 'heldBefore' ? [] : readings.slice(0, 1).map(({ at }) => at);
        expect(listMoments(scene, kind, 'user.first_connected'), kind).toEqual(first);
      }
      const days = [...Map.groupBy(of(scene, 'daily'), ({ at }) => computeDay(at))];
      expect(store.users.get(ids.daily)?.usedDown).toBe(
        sum(of(scene, 'daily').filter(({ at }) => computeDay(at) === computeDay(now))),
      );
      expect(
        store.traffic.userDays(ids.daily, '2026-11-01').map(({ day, down }) => [Date.parse(day) / DAY, down]),
      ).toEqual(days.map(([day, some]) => [day, sum(some)]));
      const limits = {
        daily: listLimitTimes(of(scene, 'daily'), computeDay),
        limited: listLimitTimes(of(scene, 'limited'), () => 0),
      };
      for (const kind of ['daily', 'limited'] as const)
        expect(listMoments(scene, kind, 'user.limited'), kind).toEqual(limits[kind]);
      const midnights = Array.from(
        { length: computeDay(now) - computeDay(START) },
        (_, index) => FIRST_MIDNIGHT + index * DAY,
      );
      const resets = listMoments(scene, 'daily', 'user.reset');
      // Missed resets become one.
      expect(midnights).toEqual(expect.arrayContaining(resets));
      expect(new Set(resets).size).toBe(resets.length);
      expect(resets.at(-1)).toBe(midnights.at(-1));
      const from = scene.holdFrom();
      const begins = {
        held: of(scene, 'held')[0]?.at,
        heldBefore: of(scene, 'heldBefore')[0]?.at,
        plain: from === null ? undefined : scene.readings.slice(from).find(({ userId }) => userId === ids.plain)?.at,
      };
      for (const kind of ['held', 'heldBefore', 'plain'] as const) {
        const beganAt = begins[kind];
        const row = store.users.get(ids[kind]);
        if (kind === 'plain' && from === null && row?.hold === null) continue;
        const end = beganAt === undefined ? undefined : beganAt + DAY;
        expect([kind, row?.hold === null, row?.expiresAt]).toEqual([kind, beganAt !== undefined, end ?? null]);
        expect(listMoments(scene, kind, 'user.expired'), kind).toEqual(end !== undefined && end <= now ? [end] : []);
        if (end !== undefined) seen.begun += 1;
        if (end !== undefined && end <= now) seen.ended += 1;
        if (kind === 'plain' && from !== null && of(scene, 'plain').length > 0) seen.heldLater += 1;
      }
      seen.killed += fails.killed;
      seen.lost += fails.lost;
      seen.limits += limits.daily.length + limits.limited.length;
      seen.resets += resets.length;
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50 }), check), {
      numRuns: times(30, 2000),
    });
    for (const [what, count] of Object.entries(seen)) expect([what, count > 0]).toEqual([what, true]);
  });

  it('is never more and never announced twice, over two machines and with old copies of their disks', async () => {
    const check = async (steps: readonly Step[]) => {
      using temp = tempStore();
      using folder = tempFolder();
      const scene = openScene(temp, folder.path, 2);
      const { store, ids } = scene;
      await run(scene, folder.path, steps);
      const hasCopies = steps.some(({ type }) => type === 'restore');
      for (const kind of KINDS) {
        const total = store.users.get(ids[kind])?.totalDown;
        if (hasCopies) expect(total, kind).toBeLessThanOrEqual(sum(of(scene, kind)));
        else expect(total, kind).toBe(sum(of(scene, kind)));
        for (const type of EVENTS) {
          const moments = listMoments(scene, kind, type);
          expect(new Set(moments).size, `${kind} ${type}`).toBe(moments.length);
        }
        expect(listMoments(scene, kind, 'user.first_connected').length).toBeLessThanOrEqual(1);
      }
      if (!hasCopies)
        expect(store.users.get(ids.daily)?.usedDown).toBe(
          sum(of(scene, 'daily').filter(({ at }) => computeDay(at) === computeDay(scene.clock.now()))),
        );
    };
    await fc.assert(fc.asyncProperty(fc.array(stepWithCopies, { minLength: 10, maxLength: 50 }), check), {
      numRuns: times(10, 2000),
    });
  });
});
