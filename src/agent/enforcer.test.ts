// What machines do by their leases while the panel is away, and after it is back. The test sets all clocks.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../tests/support/clock.ts';
import { coreParts } from '../../tests/support/core.ts';
import { openLeasedMachine } from '../../tests/support/leased-machine.ts';
import { times } from '../../tests/support/long.ts';
import { sampleInbound } from '../../tests/support/subscription-samples.ts';
import { sampleNode, sampleUser, type TempStore, tempFolder, tempStore } from '../../tests/support/temp-store.ts';
import { createHeavyEnv } from '../core/create-core.ts';
import type { Credentials } from '../core/ports/credentials.ts';
import { EngineError } from '../core/ports/engines.ts';
import type { UserRow } from '../core/ports/users.ts';
import { sweepDue } from '../core/sweep.ts';
import { computeSpare, SPARE_BYTES } from '../domain/nodes/lease.ts';

const START = Date.UTC(2026, 10, 20, 12);
const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A panel with machines, each with a node of one connection. */
function openScene(
  temp: TempStore,
  folder: string,
  nodes: number,
  fields: Partial<UserRow>,
  nodeFields: Parameters<typeof sampleNode>[0] = {},
) {
  const { store } = temp;
  const clock = createTestClock(START);
  const env = createHeavyEnv(coreParts(temp, { clock }));
  const userId = store.users.insert(sampleUser({ onlineAt: null, ...fields }));
  const places = Array.from({ length: nodes }, (_, index) => {
    const nodeId = store.nodes.insert(sampleNode({ kind: 'remote', ...nodeFields }));
    const { id: _id, ...row } = sampleInbound({ nodeId, tag: `in${index}`, port: 1000 + index });
    return { nodeId, inboundId: store.inbounds.insert(row) };
  });
  const machines = places.map((place) => {
    const leased = openLeasedMachine({ env, clock, folder, ...place });
    const { machine, inboundId } = leased;
    return {
      ...leased,
      move: (down: number) => machine.move(userId, inboundId, { up: 0, down }),
      isIn: () => leased.isIn(userId),
    };
  });
  const first = machines[0];
  if (!first) throw new Error('no machine');
  return {
    store,
    env,
    clock,
    userId,
    machines,
    first,
    row: () => store.users.get(userId),
    events: () =>
      store.events
        .after(0, 1000, ['user.first_connected', 'user.expired', 'user.limited', 'user.reset'])
        .map(({ type, at }) => [type, at]),
  };
}

describe('a machine whose panel is away', () => {
  it('ends a term at its second, also after it was started again itself, and the panel does not end it twice', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const end = START + HOUR;
    const scene = openScene(temp, folder.path, 1, { expiresAt: end, dueAt: end });
    const { first, clock } = scene;
    await first.connectPanel();
    expect(first.isIn()).toBe(true);
    // A power failure: the engine is gone, and only what is on the machine's disk remains.
    first.machine.process = null;
    await first.restart();
    expect(first.machine.process, 'it serves again by itself').not.toBeNull();
    expect(first.isIn()).toBe(true);
    clock.set(end - 1);
    await first.beat();
    expect(first.isIn()).toBe(true);
    clock.set(end);
    await first.beat();
    expect(first.isIn()).toBe(false);
    first.machine.process = null;
    await first.restart();
    expect(first.isIn()).toBe(false);
    clock.set(end + 3 * HOUR);
    await sweepDue(scene.env);
    await first.connectPanel();
    await first.connectPanel();
    expect(scene.events()).toEqual([['user.expired', end]]);
    expect(scene.row()?.state).toBe('expired');
    first.engine().close();
  });

  it('begins a held term at the first connection, which the panel takes as its beginning', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const scene = openScene(temp, folder.path, 1, {
      hold: { months: 0, days: 1 },
      expiresAt: null,
      termBeganAt: null,
      state: 'on_hold',
    });
    const { first, clock } = scene;
    await first.connectPanel();
    const connected = clock.advance(HOUR);
    expect(first.move(100)).toBe(true);
    await first.beat();
    clock.set(connected + DAY - 1);
    await first.beat();
    expect(first.isIn()).toBe(true);
    const end = clock.set(connected + DAY);
    await first.beat();
    expect(first.isIn(), 'its end, too').toBe(false);
    clock.advance(5 * DAY);
    await first.connectPanel();
    await sweepDue(scene.env);
    await first.connectPanel();
    expect(scene.row()).toMatchObject({ termBeganAt: connected, expiresAt: end, hold: null, totalDown: 100 });
    expect(scene.events()).toEqual([
      ['user.first_connected', connected],
      ['user.expired', end],
    ]);
    first.engine().close();
  });

  it('cuts off at the limit, lets in after a reset, and each byte counts in its own period', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const midnight = Date.UTC(2026, 10, 21);
    const scene = openScene(temp, folder.path, 1, {
      trafficLimit: 1000,
      resetStrategy: 'day',
      resetsAt: midnight,
      dueAt: midnight,
      onlineAt: START - DAY,
    });
    const { first, clock } = scene;
    await first.connectPanel();
    clock.advance(HOUR);
    first.move(900);
    await first.beat();
    expect(first.isIn()).toBe(true);
    const cut = clock.advance(HOUR);
    first.move(200);
    await first.beat();
    expect(first.isIn()).toBe(false);
    clock.set(midnight);
    await first.beat();
    expect(first.isIn()).toBe(true);
    clock.advance(HOUR);
    first.move(30);
    await first.beat();
    clock.advance(HOUR);
    await first.connectPanel();
    await first.connectPanel();
    expect(scene.row()).toMatchObject({ usedDown: 30, totalDown: 1130, state: 'active', resetsAt: midnight + DAY });
    expect(scene.events()).toEqual([
      ['user.limited', cut],
      ['user.reset', midnight],
    ]);
    first.engine().close();
  });

  it('has bytes from before a reset counted in their own period, also where the panel has reset the counter first', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const midnight = Date.UTC(2026, 10, 21);
    const scene = openScene(temp, folder.path, 1, {
      trafficLimit: 1000,
      resetStrategy: 'day',
      resetsAt: midnight,
      dueAt: midnight,
      onlineAt: null,
    });
    const { first, clock, store, userId } = scene;
    await first.connectPanel();
    const connected = clock.advance(HOUR);
    first.move(1100);
    await first.beat();
    clock.set(midnight);
    await first.beat();
    clock.advance(HOUR);
    first.move(30);
    await first.beat();
    clock.advance(HOUR);
    await sweepDue(scene.env);
    expect(scene.row()?.resetsAt).toBe(midnight + DAY);
    await first.connectPanel();
    await first.connectPanel();
    expect(scene.row()).toMatchObject({ usedDown: 30, totalDown: 1130, state: 'active', resetsAt: midnight + DAY });
    expect(scene.events()).toEqual([
      ['user.reset', midnight],
      ['user.first_connected', connected],
      ['user.limited', connected],
    ]);
    const days = store.traffic.userDays(userId, '2026-11-20').map(({ day, down }) => [day, down]);
    expect(days).toEqual([
      ['2026-11-20', 1100],
      ['2026-11-21', 30],
    ]);
    first.engine().close();
  });

  it('has bytes of users who are idle since a reset counted before it, however many they are', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const midnight = Date.UTC(2026, 10, 21);
    const daily = { resetStrategy: 'day', resetsAt: midnight, dueAt: midnight, onlineAt: START - DAY } as const;
    const scene = openScene(temp, folder.path, 1, daily);
    const { first, clock, store } = scene;
    // More users than are counted in one transaction.
    const more = Array.from({ length: 300 }, () => store.users.insert({ ...sampleUser(), ...daily }));
    const ids = [scene.userId, ...more];
    await first.connectPanel();
    clock.advance(HOUR);
    for (const id of ids) first.machine.move(id, first.inboundId, { up: 0, down: 900 });
    await first.beat();
    clock.set(midnight);
    await first.beat();
    clock.advance(HOUR);
    await first.connectPanel();
    while (await sweepDue(scene.env));
    await first.connectPanel();
    const counted = ids.map((id) => store.users.get(id)).map((row) => [row?.usedDown, row?.totalDown]);
    expect(counted.filter(([used, total]) => used !== 0 || total !== 900)).toEqual([]);
    first.machine.move(scene.userId, first.inboundId, { up: 0, down: 30 });
    await first.beat();
    await first.connectPanel();
    expect(scene.row()).toMatchObject({ usedDown: 30, totalDown: 930 });
    first.engine().close();
  });

  it('begins a held term of a user who has connected before at the connection that begins it', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const hold = { months: 0, days: 1 };
    const held = { hold, expiresAt: null, termBeganAt: null, state: 'on_hold', onlineAt: START - DAY } as const;
    const scene = openScene(temp, folder.path, 1, held);
    const { first, clock } = scene;
    await first.connectPanel();
    const connected = clock.advance(HOUR);
    first.move(100);
    await first.beat();
    clock.advance(HOUR);
    first.move(50);
    await first.beat();
    clock.advance(5 * DAY);
    await first.connectPanel();
    await sweepDue(scene.env);
    await first.connectPanel();
    const end = connected + DAY;
    expect(scene.row()).toMatchObject({ termBeganAt: connected, expiresAt: end, hold: null, totalDown: 150 });
    expect(scene.events(), 'the first connection was announced long ago').toEqual([['user.expired', end]]);
    first.engine().close();
  });

  it('does not restart its engine over users who are cut off only for their addresses', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const scene = openScene(temp, folder.path, 1, { onlineAt: START - DAY });
    const { first, clock, store } = scene;
    await first.connectPanel();
    expect(first.move(1)).toBe(true);
    await first.beat();
    const row = scene.row();
    if (!row) throw new Error('no user');
    const excess = { addresses: 3, at: START, endedAt: null, cutOffUntil: START + HOUR, cutOffNode: null };
    store.users.save(row, { ...row, excess, updatedAt: clock.advance(SECOND) });
    await first.connectPanel();
    expect(first.isIn()).toBe(false);
    const { starts } = first.machine;
    clock.advance(61 * SECOND);
    for (let readings = 0; readings < 5; readings += 1) {
      clock.advance(10 * SECOND);
      expect(first.move(10)).toBe(true);
      await first.beat();
    }
    expect(first.machine.starts).toBe(starts);
    first.engine().close();
  });

  it('ends open connections of users who go on after their end, where the settings say so', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const end = START + HOUR;
    const scene = openScene(temp, folder.path, 1, { expiresAt: end, dueAt: end });
    const { first, clock } = scene;
    await first.connectPanel();
    first.move(1);
    await first.beat();
    clock.set(end);
    await first.beat();
    const { starts } = first.machine;
    for (let readings = 0; readings < 4; readings += 1) {
      clock.advance(10 * SECOND);
      first.move(10);
      await first.beat();
    }
    expect(first.machine.starts).toBe(starts + 1);
    expect(first.move(1), 'nothing is open any more').toBe(false);
    first.engine().close();
  });
});

describe('a machine whose clock was wrong', () => {
  it.each(['goes on', 'was started again'])(
    'lets in again whose term had ended by it alone: its service %s',
    async (how) => {
      using temp = tempStore();
      using folder = tempFolder();
      const end = START + HOUR;
      const scene = openScene(temp, folder.path, 1, { expiresAt: end, dueAt: end });
      const { first, clock } = scene;
      await first.connectPanel();
      clock.set(START + 400 * DAY);
      await first.beat();
      expect(first.isIn()).toBe(false);
      clock.set(START + SECOND);
      if (how === 'was started again') await first.restart();
      await first.beat();
      expect(first.isIn()).toBe(true);
      clock.set(end - 1);
      await first.beat();
      expect(first.isIn()).toBe(true);
      clock.set(end);
      await first.beat();
      expect(first.isIn(), 'it ends at its second').toBe(false);
      first.engine().close();
    },
  );

  it('has by the next contact what the panel says of resets and grants that had come due by it alone', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const resetsAt = START + 10 * DAY;
    const used = { trafficLimit: 1000, usedDown: 1000, totalDown: 1000, resetStrategy: 'month', resetsAt } as const;
    const scene = openScene(temp, folder.path, 1, {
      ...used,
      state: 'limited',
      onlineAt: START - DAY,
      dueAt: resetsAt,
    });
    const { first, clock, store } = scene;
    const grant = {
      bytes: 500,
      bytesLeft: 500,
      lifetime: 'days',
      days: 5,
      endsAt: START + 5 * DAY,
      createdAt: START,
    } as const;
    const granted = store.users.insert(
      sampleUser({ ...used, usedDown: 1000, extra: 500, onlineAt: START - DAY, dueAt: grant.endsAt }),
    );
    store.grants.insert({ ...grant, userId: granted, note: '' });
    await first.connectPanel();
    const isIn = () => [first.isIn(), first.machine.process?.members.get(first.inboundId)?.has(granted)];
    expect(isIn()).toEqual([false, true]);
    clock.set(START + 6 * DAY);
    await first.beat();
    expect(isIn(), 'the grant has ended').toEqual([false, false]);
    clock.set(START + 400 * DAY);
    await first.beat();
    expect(isIn(), 'the counters were reset').toEqual([true, true]);
    clock.set(START + HOUR);
    await first.beat();
    await first.connectPanel();
    await first.beat();
    expect(isIn()).toEqual([false, true]);
    first.move(700);
    first.machine.move(granted, first.inboundId, { up: 0, down: 500 });
    await first.beat();
    expect(isIn(), 'the grant is spent').toEqual([false, false]);
    first.engine().close();
  });

  it('tries a user again whom the engine refused by the wrong one', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const excess = { addresses: 3, at: START, endedAt: null, cutOffUntil: START + HOUR, cutOffNode: null };
    const scene = openScene(temp, folder.path, 1, { onlineAt: START - DAY, excess });
    const { first, clock } = scene;
    await first.connectPanel();
    first.machine.refuses.add(scene.userId);
    clock.set(START + 400 * DAY);
    await first.beat();
    expect(first.isIn()).toBe(false);
    first.machine.refuses.clear();
    clock.set(START + 2 * HOUR);
    await first.beat();
    expect(first.isIn()).toBe(true);
    first.engine().close();
  });
});

describe('the engine', () => {
  it.each([true, false])(
    'ends sessions over Hysteria2 while the panel is away, without a restart if it can (%s)',
    async (canReopen) => {
      using temp = tempStore();
      using folder = tempFolder();
      const end = START + HOUR;
      const scene = openScene(temp, folder.path, 1, { expiresAt: end, dueAt: end, onlineAt: START - DAY });
      const { first, clock, store } = scene;
      store.write(() => {
        const row = store.inbounds.get(first.inboundId);
        if (row) store.inbounds.save({ ...row, protocol: 'hysteria2', network: 'quic' });
      });
      const otherId = store.users.insert(sampleUser());
      await first.connectPanel();
      expect(first.move(100)).toBe(true);
      await first.beat();
      first.machine.canReopen = canReopen;
      const { starts } = first.machine;
      clock.set(end);
      await first.beat();
      for (let readings = 0; readings < 4; readings += 1) {
        clock.advance(10 * SECOND);
        first.move(10);
        await first.beat();
      }
      expect(first.machine.starts).toBe(canReopen ? starts : starts + 1);
      expect(first.move(1), 'nothing is open any more').toBe(false);
      expect([first.isIn(), first.machine.process?.members.get(first.inboundId)?.has(otherId)]).toEqual([false, true]);
      first.engine().close();
    },
  );

  it('is restarted over a deleted user who goes on while the panel is away', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const scene = openScene(temp, folder.path, 1, { onlineAt: START - DAY });
    const { first, clock, store } = scene;
    await first.connectPanel();
    expect(first.move(100)).toBe(true);
    await first.beat();
    store.users.remove(scene.userId);
    await first.connectPanel();
    const node = () => store.traffic.total().down;
    expect([first.isIn(), node()]).toEqual([false, 100]);
    const { starts } = first.machine;
    clock.advance(61 * SECOND);
    let moved = 100;
    for (let readings = 0; readings < 4; readings += 1) {
      clock.advance(10 * SECOND);
      if (first.move(10)) moved += 10;
      await first.beat();
    }
    expect(first.machine.starts).toBe(starts + 1);
    expect(first.move(1), 'nothing is open any more').toBe(false);
    await first.connectPanel();
    expect(node(), 'what moved counts for the node').toBe(moved);
    first.engine().close();
  });

  it.each(['while the panel is away', 'before the lease of a change arrives'])(
    'that its machine has started again %s is not restarted by the panel, and is told what has changed',
    async (when) => {
      using temp = tempStore();
      using folder = tempFolder();
      const scene = openScene(temp, folder.path, 1, { onlineAt: START - DAY });
      const { first, store, clock, userId } = scene;
      const others = [1, 2, 3].map(() => store.users.insert(sampleUser()));
      const [disabled = 0] = others;
      const members = () => first.machine.process?.members.get(first.inboundId);
      await first.connectPanel();
      const disable = (id: number) => {
        const row = store.users.get(id);
        if (row) store.users.save(row, { ...row, enabled: false, state: 'disabled', updatedAt: clock.now() });
      };
      const change = () => {
        store.users.saveCredentials(userId, { ...store.users.credentials(userId), uuid: 'another' });
        disable(disabled);
        others.push(store.users.insert(sampleUser()));
      };
      const isAway = when === 'while the panel is away';
      if (!isAway) {
        change();
        first.cut.add('lease');
        await expect(first.connectPanel()).rejects.toThrow('no answer');
      }
      // The engine ends, and the machine restarts it from its own records; the panel may be restarted meanwhile.
      first.machine.process = null;
      await first.restart();
      if (isAway) {
        change();
        first.restartPanel();
      }
      expect(first.machine.starts).toBe(2);
      first.cut.clear();
      await first.connectPanel();
      await first.beat();
      await first.connectPanel();
      const allowed = [userId, ...others.filter((id) => id !== disabled)].map((id) => [
        id,
        store.users.credentials(id),
      ]);
      expect(members()).toEqual(new Map(allowed as [number, Credentials][]));
      expect([first.machine.starts, store.nodes.get(first.nodeId)?.restart]).toEqual([2, null]);
      // Traffic after that is counted too.
      expect(first.move(100)).toBe(true);
      await first.connectPanel();
      expect(scene.row()?.totalDown).toBe(100);
      first.engine().close();
    },
  );

  it('that its machine has started without a connection whose port is taken goes on by the lease, and is not restarted for nothing', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const end = START + HOUR;
    const scene = openScene(temp, folder.path, 1, { onlineAt: START - DAY, expiresAt: end, dueAt: end });
    const { first, store, clock } = scene;
    const { id: _id, ...row } = sampleInbound({ nodeId: first.nodeId, tag: 'other', port: 2000 });
    const other = store.inbounds.insert(row);
    const lasting = store.users.insert(sampleUser());
    await first.connectPanel();
    first.machine.process = null;
    first.machine.taken.add(2000);
    await first.restart();
    const getEngine = () => first.machine.process ?? expect.fail('no engine runs');
    const served = () => getEngine().config.inbounds.map(({ id }) => id);
    expect([served(), first.isIn()]).toEqual([[first.inboundId], true]);
    // The process after that knows what its engine serves as well.
    await first.restart();
    clock.set(end);
    await first.beat();
    expect(getEngine().members).toEqual(
      new Map([[first.inboundId, new Map([[lasting, store.users.credentials(lasting)]])]]),
    );
    for (let polls = 0; polls < 3; polls += 1) await first.connectPanel();
    expect([served(), first.machine.starts, store.nodes.get(first.nodeId)?.restart]).toEqual([
      [first.inboundId],
      2,
      null,
    ]);
    expect(store.nodes.get(first.nodeId)).toMatchObject({
      status: 'up',
      errorCode: 'port_taken',
      unserved: [{ inboundId: other, code: 'port_taken' }],
    });
    first.machine.taken.clear();
    await first.connectPanel();
    expect([served(), first.machine.starts]).toEqual([[first.inboundId, other], 3]);
    expect(store.nodes.get(first.nodeId)).toMatchObject({ errorCode: null, unserved: [] });
    first.engine().close();
  });

  it('that refuses a user is asked once more after a minute, also where the panel has asked', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const cutOffUntil = START + HOUR;
    const excess = { addresses: 3, at: START, endedAt: null, cutOffUntil, cutOffNode: null };
    const scene = openScene(temp, folder.path, 1, { onlineAt: START - DAY, excess });
    const { first, clock } = scene;
    await first.connectPanel();
    expect(first.isIn()).toBe(false);
    first.machine.refuses.add(scene.userId);
    clock.set(cutOffUntil);
    await first.beat();
    expect(first.isIn()).toBe(false);
    first.machine.refuses.clear();
    await first.beat();
    expect(first.isIn(), 'not in each second').toBe(false);
    clock.advance(60 * SECOND);
    await first.beat();
    expect(first.isIn()).toBe(true);
    first.machine.process?.members.get(first.inboundId)?.clear();
    first.machine.refuses.add(scene.userId);
    const user = { userId: scene.userId, credentials: { uuid: 'u', password: '', key: '', wireguard: '' } };
    const inbound = first.machine.process?.config.inbounds[0];
    if (!inbound) throw new Error('no connection');
    await first.engine().apply([{ inbound, user, isAllowed: false }]);
    expect(await first.engine().apply([{ inbound, user, isAllowed: true }])).toEqual([expect.any(EngineError)]);
    first.engine().close();
  });

  it('leaves out whom the panel has removed, also where the lease that says so did not arrive', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const scene = openScene(temp, folder.path, 1, { onlineAt: START - DAY });
    const { first, clock } = scene;
    await first.connectPanel();
    const set = (enabled: boolean) => {
      const row = scene.row();
      if (!row) throw new Error('no user');
      const state = enabled ? 'active' : 'disabled';
      scene.store.users.save(row, { ...row, enabled, state, updatedAt: clock.now() });
    };
    set(false);
    first.cut.add('lease');
    await expect(first.connectPanel()).rejects.toThrow('no answer');
    expect(first.isIn()).toBe(false);
    clock.advance(HOUR);
    await first.beat();
    expect(first.isIn()).toBe(false);
    await first.restart();
    expect(first.isIn()).toBe(false);
    set(true);
    first.cut.clear();
    await first.connectPanel();
    await first.beat();
    expect(first.isIn()).toBe(true);
    first.engine().close();
  });
});

describe('what is held', () => {
  it('says how many users there are, who are counted only when that is read', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const { first, store } = openScene(temp, folder.path, 1, {});
    await first.connectPanel();
    const before = await first.engine().lease?.(null);
    store.users.insert(sampleUser());
    await first.connectPanel();
    const after = await first.engine().lease?.(null);
    expect(JSON.parse(JSON.stringify(after))).toEqual({ ...after, users: 2 });
    expect(before?.users).toBe(2);
    first.engine().close();
  });
});

type Step =
  | { readonly type: 'move'; readonly node: number; readonly down: number }
  | { readonly type: 'meet' | 'cut' | 'back' | 'restart'; readonly node: number };
const NODES = 3;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('move' as const),
      node: fc.nat(NODES - 1),
      down: fc.nat(SPARE_BYTES),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom('meet' as const, 'cut' as const, 'back' as const, 'restart' as const),
      node: fc.nat(NODES - 1),
    }),
  },
);

/** Moves bytes over a node until it blocks the user. Returns how many bytes that took. */
async function exhaust(machine: ReturnType<typeof openScene>['first'], down: number): Promise<number> {
  let moved = 0;
  while (machine.isIn()) {
    machine.move(down);
    await machine.beat();
    moved += down;
  }
  return moved;
}

it('counts by the weight of its node while the panel is away, as the panel does afterwards', async () => {
  using temp = tempStore();
  using folder = tempFolder();
  const row = { trafficLimit: 1001, onlineAt: START - DAY };
  const scene = openScene(temp, folder.path, 1, row, { weight: 150 });
  const { first } = scene;
  await first.connectPanel();
  for (const [moved, isIn] of [
    [333, true],
    [333, true],
    [1, true],
    [1, false],
  ] as const) {
    first.move(moved);
    await first.beat();
    expect([moved, first.isIn()]).toEqual([moved, isIn]);
    // From here on the machine has the panel's counters, and does not apply its weight to them again.
    if (moved === 333) await first.connectPanel();
  }
  await first.connectPanel();
  expect(scene.row()).toMatchObject({ usedDown: 1002, totalDown: 668, state: 'limited' });
  expect(scene.events()).toEqual([['user.limited', START]]);
  expect(temp.store.traffic.total().down).toBe(668);
  first.engine().close();
});

it('counts by another weight what was moved before it was known there, as the panel does', async () => {
  using temp = tempStore();
  using folder = tempFolder();
  const row = { trafficLimit: 1000, onlineAt: START - DAY };
  const scene = openScene(temp, folder.path, 1, row, { weight: 100 });
  const { first, store, clock } = scene;
  await first.connectPanel();
  first.move(100);
  await first.beat();
  await first.connectPanel();
  first.move(200);
  await first.beat();
  const node = store.nodes.get(first.nodeId);
  if (!node) throw new Error('no node');
  store.nodes.save({ ...node, weight: 200 });
  // The counters are read, but the lease with the new weight does not arrive.
  first.cut.add('lease');
  await expect(first.connectPanel()).rejects.toThrow('no answer');
  expect(scene.row()).toMatchObject({ usedDown: 500, totalDown: 300 });
  first.move(100);
  await first.beat();
  first.cut.clear();
  // Then the users who moved bytes are sent once more.
  clock.advance(6 * 60 * SECOND);
  await first.connectPanel();
  expect(scene.row()).toMatchObject({ usedDown: 700, totalDown: 400 });
  first.move(149);
  await first.beat();
  expect(first.isIn()).toBe(true);
  first.move(1);
  await first.beat();
  expect(first.isIn(), 'the machine has counted the same').toBe(false);
  await first.connectPanel();
  expect(scene.row()).toMatchObject({ usedDown: 1000, totalDown: 550, state: 'limited' });
  first.engine().close();
});

describe('all nodes together', () => {
  it('let a user move the rest of the limit, 1 GiB a node and one reading each, while the panel is away; drained ones count', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const limit = 20 * SPARE_BYTES;
    const reading = SPARE_BYTES / 8;
    const row = { trafficLimit: limit, onlineAt: START - DAY };
    const scene = openScene(temp, folder.path, NODES, row, { draining: true });
    for (const machine of scene.machines) await machine.connectPanel();
    let moved = 0;
    for (const machine of scene.machines) moved += await exhaust(machine, reading);
    expect(moved).toBeGreaterThan(limit);
    expect(moved).toBeLessThanOrEqual(limit + NODES * (SPARE_BYTES + reading));
    for (const machine of scene.machines) await machine.connectPanel();
    expect(scene.row()).toMatchObject({ totalDown: moved, state: 'limited' });
    expect(scene.events()).toEqual([['user.limited', START]]);
    for (const machine of scene.machines) machine.engine().close();
  });

  it('share what is left with a node that is added, and give more to one whose share is used up', async () => {
    using temp = tempStore();
    using folder = tempFolder();
    const limit = 32 * SPARE_BYTES;
    const scene = openScene(temp, folder.path, 1, { trafficLimit: limit, onlineAt: START - DAY });
    const { first, clock, store } = scene;
    await first.connectPanel();
    const other = store.nodes.insert(sampleNode({ kind: 'remote', name: 'Helsinki' }));
    const { id: _id, ...inbound } = sampleInbound({ nodeId: other, tag: 'other', port: 2000 });
    store.inbounds.insert(inbound);
    clock.advance(10 * SECOND);
    await first.connectPanel();
    expect(await exhaust(first, SPARE_BYTES)).toBe(17 * SPARE_BYTES);
    clock.advance(10 * SECOND);
    await first.connectPanel();
    await first.beat();
    expect(first.isIn(), 'half of the other 15 GiB, and 1 GiB').toBe(true);
    expect(await exhaust(first, SPARE_BYTES / 2)).toBe(8.5 * SPARE_BYTES);
    first.engine().close();
  });

  it('let a user exceed the limit by no more than a share of each node and one reading, and agree with the panel afterwards', async () => {
    let exceeded = 0;
    const check = async (limit: number, steps: readonly Step[]) => {
      using temp = tempStore();
      using folder = tempFolder();
      const scene = openScene(temp, folder.path, NODES, { trafficLimit: limit, onlineAt: START - DAY });
      const { machines, clock } = scene;
      for (const machine of machines) await machine.connectPanel();
      for (const machine of machines) await machine.connectPanel();
      const away = new Set<number>();
      let moved = 0;
      /** The most bytes between two readings, for each node: no share accounts for those. */
      const readings = machines.map(() => 0);
      for (const { type, node, ...rest } of steps) {
        const machine = machines[node];
        if (!machine) continue;
        clock.advance(10 * SECOND);
        if (type === 'cut') away.add(node);
        else if (type === 'back') away.delete(node);
        else if (type === 'restart') await machine.restart();
        else if (type === 'meet' && !away.has(node)) await machine.connectPanel();
        else if (type === 'move' && 'down' in rest && machine.isIn() && machine.move(rest.down)) {
          moved += rest.down;
          readings[node] = Math.max(readings[node] ?? 0, rest.down);
          await machine.beat();
        }
      }
      const overshoot = moved - limit;
      const bound =
        NODES * (Math.ceil(limit / NODES) + computeSpare(limit)) + readings.reduce((sum, one) => sum + one, 0);
      expect(overshoot).toBeLessThanOrEqual(bound);
      if (steps.every(({ type }) => type !== 'meet')) {
        // No node was reached meanwhile, so all shares were computed at the same time.
        expect(overshoot).toBeLessThanOrEqual(
          NODES * (computeSpare(limit) + 1) + readings.reduce((sum, one) => sum + one, 0),
        );
      }
      if (overshoot > 0) exceeded += 1;
      for (const machine of machines) await machine.connectPanel();
      for (const machine of machines) await machine.connectPanel();
      expect(scene.row()?.totalDown).toBe(moved);
      expect(scene.store.traffic.total().down).toBe(moved);
      const isAllowed = scene.row()?.state === 'active';
      expect(machines.map((machine) => machine.isIn())).toEqual(machines.map(() => isAllowed));
      for (const machine of machines) machine.engine().close();
    };
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 * SPARE_BYTES }),
        fc.array(step, { minLength: 5, maxLength: 40 }),
        check,
      ),
      { numRuns: times(15, 500) },
    );
    expect(exceeded).toBeGreaterThan(0);
  });
});
