// Workers over a real store and an engine in memory: whatever fails, the engine has who may connect, and every byte is counted once.
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pairAdmin } from '../../../tests/support/bot-admin.ts';
import { createTestClock, createTestTimers } from '../../../tests/support/clock.ts';
import { ADMINISTRATOR_CALL, coreParts } from '../../../tests/support/core.ts';
import { createFakeMachine, type FakeMachine, type Fault } from '../../../tests/support/fake-engine.ts';
import { inboundOf } from '../../../tests/support/subscription-samples.ts';
import { sampleNode, sampleUser, type TempStore, tempStore } from '../../../tests/support/temp-store.ts';
import { canConnect } from '../../domain/users/account.ts';
import type { Core } from '../core.ts';
import { createCore } from '../create-core.ts';
import type { MachineCertificate } from '../ports/engines.ts';
import type { Store } from '../ports/ports.ts';

const START = Date.UTC(2026, 10, 20);
const MINUTE = 60_000;

interface Scene {
  readonly temp: TempStore;
  readonly store: Store;
  readonly machine: FakeMachine;
  readonly nodeId: number;
  readonly inboundIds: readonly number[];
  readonly clock: ReturnType<typeof createTestClock>;
  /** Of the panel that runs now. */
  readonly core: () => Core;
  /** Lets everything that was begun come to rest. */
  rest(): Promise<void>;
  /** A poll, with what follows. */
  poll(): Promise<void>;
  /** The panel is gone at once; `boot` begins another. */
  kill(): void;
  boot(): void;
}

const NOT_PERIODIC = () => {};

function openScene(temp: TempStore, ports: readonly number[] = [1001, 1002]): Scene {
  const { store } = temp;
  const clock = createTestClock(START);
  const machine = createFakeMachine();
  const nodeId = store.nodes.insert(sampleNode());
  const inboundIds = ports.map((port) => {
    const { id: _, ...inbound } = inboundOf({ nodeId, tag: `in-${port}`, port });
    return store.inbounds.insert(inbound);
  });
  let timers = createTestTimers();
  let core: Core | null = null;
  let abandon = NOT_PERIODIC;
  const base = coreParts(temp, { clock });

  function boot(): void {
    let isDead = false;
    const seat = machine.attach();
    timers = createTestTimers();
    const own: Store = {
      ...store,
      write: (work, importance) => {
        if (isDead) throw new Error('killed');
        return store.write(work, importance);
      },
      writeTogether: (works) => {
        if (isDead) throw new Error('killed');
        return store.writeTogether(works);
      },
    };
    core = createCore({ ...base, store: own, timers, openEngine: ({ id }) => (id === nodeId ? seat.engine : null) });
    core.start();
    abandon = () => {
      isDead = true;
      seat.abandon();
    };
  }

  async function rest(): Promise<void> {
    let before = -1;
    // A turn of the worker takes less than so many turns of the event loop.
    while (before !== machine.calls) {
      before = machine.calls;
      for (let turn = 0; turn < 40; turn += 1) await setImmediate();
    }
  }

  boot();
  return {
    temp,
    store,
    machine,
    nodeId,
    inboundIds,
    clock,
    core: () => {
      if (!core) throw new Error('no panel runs');
      return core;
    },
    rest,
    async poll() {
      timers.expire();
      timers.tick();
      await rest();
    },
    kill: () => abandon(),
    boot,
  };
}

/** By the records: connection, user and credentials of everybody who may connect. */
function desired({ store, inboundIds, nodeId }: Scene): readonly string[] {
  const out = new Set(store.sync.quarantined(nodeId).map(({ userId, inboundId }) => `${userId} ${inboundId}`));
  const rows = store.users.rows(store.users.ids({}, 0)).filter(({ state }) => canConnect(state));
  const enabled = inboundIds.filter((id) => store.inbounds.get(id)?.enabled);
  return rows
    .flatMap(({ id, inbounds }) =>
      enabled
        .filter((inbound) => (inbounds === null || inbounds.includes(inbound)) && !out.has(`${id} ${inbound}`))
        .map((inbound) => `${inbound} ${id} ${store.users.credentials(id).uuid}`),
    )
    .sort();
}

function present({ machine }: Scene): readonly string[] {
  const members = [...(machine.process?.members ?? [])];
  return members.flatMap(([inbound, users]) => [...users].map(([id, { uuid }]) => `${inbound} ${id} ${uuid}`)).sort();
}

const act = ({ core }: Scene) => ({
  patch: (id: number, patch: object) => core().call('updateUser', { id, ...patch }, ADMINISTRATOR_CALL),
  remove: (id: number) => core().call('deleteUser', { id }, ADMINISTRATOR_CALL),
  reissue: (id: number) => core().call('reissueUser', { id }, ADMINISTRATOR_CALL),
  inbound: (id: number, patch: object) => core().call('updateInbound', { id, ...patch }, ADMINISTRATOR_CALL),
  node: (id: number, patch: object) => core().call('updateNode', { id, ...patch }, ADMINISTRATOR_CALL),
});

const eventsOf = ({ store }: Scene) =>
  store.events
    .after(0, 1000, null)
    .map(({ type }) => type)
    .filter((type) => type.startsWith('node.') && type !== 'node.changed');

describe('a worker', () => {
  it('starts the engine with everybody, and tells it of changes at once', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machine, nodeId } = scene;
    const [first, second, third] = [1, 2, 3].map(() => store.users.insert(sampleUser())) as [number, number, number];
    await scene.poll();
    expect(present(scene)).toEqual(desired(scene));
    expect(present(scene)).toHaveLength(6);
    expect(store.nodes.get(nodeId)).toMatchObject({
      status: 'up',
      coreName: 'xray',
      coreVersion: '26.3.27',
      lastSeenAt: START,
    });
    await act(scene).patch(first, { enabled: false });
    await act(scene).reissue(second);
    await act(scene).remove(third);
    await scene.rest();
    expect(present(scene)).toEqual(desired(scene));
    expect(present(scene)).toHaveLength(2);
    await act(scene).patch(first, { enabled: true, inbounds: [scene.inboundIds[0]] });
    await scene.rest();
    expect(present(scene)).toEqual(desired(scene));
    expect(machine.starts).toBe(1);
    await scene.core().stop();
    expect(machine.process).toBeNull();
    expect(store.nodes.get(nodeId)?.status).toBe('unknown');
  });

  it('counts users, the node and connections, and cuts off within the poll that reaches the limit', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machine, nodeId, inboundIds } = scene;
    const [inbound = 0] = inboundIds;
    const id = store.users.insert(sampleUser({ trafficLimit: 1000 }));
    await scene.poll();
    machine.move(id, inbound, { up: 100, down: 500 });
    await scene.poll();
    expect(store.users.get(id)).toMatchObject({ usedUp: 100, usedDown: 500, state: 'active', onlineAt: START });
    expect(store.nodes.get(nodeId)?.usersOnline).toBe(1);
    machine.move(id, inbound, { up: 0, down: 400 });
    await scene.poll();
    expect(store.users.get(id)).toMatchObject({ usedDown: 900, state: 'limited' });
    expect(present(scene)).toEqual([]);
    expect(store.traffic.total()).toEqual({ up: 100, down: 900 });
    expect(store.traffic.inboundTotals().map(({ down }) => down)).toEqual([900, 0]);
    scene.clock.advance(MINUTE + 1);
    await scene.poll();
    expect(store.nodes.get(nodeId)?.usersOnline).toBe(0);
    await scene.core().stop();
  });

  it('goes on with the engine that an earlier panel left, without a restart', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machine, inboundIds } = scene;
    const id = store.users.insert(sampleUser());
    await scene.poll();
    scene.kill();
    machine.move(id, inboundIds[0] ?? 0, { up: 1, down: 2 });
    const late = store.users.insert(sampleUser());
    scene.boot();
    await scene.poll();
    expect(machine.starts).toBe(1);
    expect(store.users.get(id)).toMatchObject({ totalUp: 1, totalDown: 2 });
    expect(present(scene)).toEqual(desired(scene));
    expect(machine.process?.members.get(inboundIds[1] ?? 0)?.has(late)).toBe(true);
    await scene.core().stop();
  });

  it('starts an engine again that it cannot bring up to date, after counting what that has counted', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machine, nodeId, inboundIds } = scene;
    const id = store.users.insert(sampleUser());
    await scene.poll();
    const move = () => machine.move(id, inboundIds[0] ?? 0, { up: 1, down: 2 });
    // As after a backup of this panel was restored: another start is known, and how far it was brought is not.
    move();
    store.sync.begin(nodeId, { boot: 'before', position: null, cautiousUntil: 0 });
    await scene.poll();
    expect([machine.starts, store.users.get(id)?.totalDown]).toEqual([2, 2]);
    expect(store.nodes.get(nodeId)?.restart).toMatchObject({ reason: 'unknown_state', userIds: [] });
    move();
    const { boot } = store.sync.get(nodeId);
    store.sync.begin(nodeId, { boot: 'before', position: store.sync.latest(), cautiousUntil: 0 });
    await scene.poll();
    expect([machine.starts, store.users.get(id)?.totalDown]).toEqual([3, 4]);
    expect(store.sync.get(nodeId).boot).not.toBe(boot);
    move();
    for (let count = 0; count < 3; count += 1) store.users.insert(sampleUser());
    store.sync.prune(1);
    await scene.poll();
    expect([machine.starts, store.users.get(id)?.totalDown]).toEqual([4, 6]);
    move();
    // As after a backup of another panel: its users are not those whom this engine counts.
    store.sync.begin(nodeId, { boot: null, position: null, cautiousUntil: 0 });
    await scene.poll();
    expect([machine.starts, store.users.get(id)?.totalDown]).toEqual([5, 6]);
    expect(present(scene)).toEqual(desired(scene));
    await scene.core().stop();
  });

  it('leaves the running engine alone where a new configuration is refused, and says so in its words', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machine, nodeId, inboundIds } = scene;
    const [inbound = 0] = inboundIds;
    const id = store.users.insert(sampleUser());
    await scene.poll();
    machine.refusesConfig = ({ inbounds }) => inbounds.some(({ port }) => port === 9999);
    await act(scene).inbound(inbound, { port: 9999 });
    await scene.poll();
    expect(machine.starts).toBe(1);
    expect(store.nodes.get(nodeId)?.restart).toBeNull();
    const said = { status: 'up', errorCode: 'config_refused', errorText: 'unknown cipher' };
    expect(store.nodes.get(nodeId)).toMatchObject(said);
    await act(scene).patch(id, { enabled: false });
    await scene.rest();
    expect(present(scene)).toEqual([]);
    machine.move(id, inbound, { up: 5, down: 5 });
    await act(scene).inbound(inbound, { port: 1003 });
    await scene.poll();
    expect(machine.starts).toBe(2);
    const restart = { at: scene.clock.now(), reason: 'configuration', userIds: [] };
    expect(store.nodes.get(nodeId)).toMatchObject({ status: 'up', errorCode: null, errorText: null, restart });
    await scene.core().stop();
  });

  it('finds users that somebody else added or removed', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machine, inboundIds } = scene;
    const ids = [1, 2].map(() => store.users.insert(sampleUser()));
    await scene.poll();
    const members = machine.process?.members.get(inboundIds[0] ?? 0);
    members?.delete(ids[0] ?? 0);
    members?.set(77, { uuid: 'x', password: 'x', key: 'x', wireguard: 'x' });
    for (let polls = 0; polls < 31; polls += 1) await scene.poll();
    expect(present(scene)).toEqual(desired(scene));
    expect(machine.starts).toBe(1);
    await scene.core().stop();
  });

  it('that cannot renew the certificate of its links says so once for each reason and certificate', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machine, nodeId, clock } = scene;
    const { queued } = pairAdmin(store);
    const endsAt = START + 20 * 24 * 60 * MINUTE;
    const say = async (certificate: MachineCertificate | null) => {
      machine.facts = { load: 1, clockOffset: 0, version: '0.1.0', certificate, waiting: null };
      await scene.poll();
      await scene.poll();
    };
    await say({ endsAt, isLate: false, failure: null });
    expect([eventsOf(scene), queued(clock.now())]).toEqual([[], []]);
    await say({ endsAt, isLate: false, failure: 'refused' });
    await say({ endsAt, isLate: true, failure: 'refused' });
    expect(store.nodes.get(nodeId)).toMatchObject({ linksEndsAt: endsAt, linksLate: true, linksFailure: 'refused' });
    expect(eventsOf(scene)).toEqual(['node.certificate_failed', 'node.certificate_ending']);
    await say({ endsAt: endsAt + MINUTE, isLate: false, failure: null });
    await say({ endsAt: null, isLate: false, failure: 'unreachable' });
    await say(null);
    expect(store.nodes.get(nodeId)).toMatchObject({ linksEndsAt: null, linksLate: null, linksFailure: null });
    expect(eventsOf(scene).slice(2)).toEqual(['node.certificate_failed']);
    expect(queued(clock.now())).toEqual([
      expect.stringMatching(/^Node .* has no new certificate for its links \(refused\)\. .* until 10 December 2026/),
      expect.stringMatching(/^The certificate of links of node .* ends on 10 December 2026/),
      expect.stringMatching(/^Node .* has no certificate for its links \(unreachable\)/),
    ]);
  });

  it('says that a node is down and up again, once each', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machine, nodeId, clock } = scene;
    const { queued } = pairAdmin(store);
    await scene.poll();
    machine.fault = () => 'hang';
    for (let polls = 0; polls < 3; polls += 1) await scene.poll();
    expect(store.nodes.get(nodeId)).toMatchObject({
      status: 'down',
      errorCode: 'engine_unreachable',
      errorText: 'no answer in 5 s',
    });
    machine.fault = () => null;
    await scene.poll();
    expect(store.nodes.get(nodeId)).toMatchObject({ status: 'up', errorCode: null });
    expect(eventsOf(scene)).toEqual(['node.down', 'node.up']);
    expect(machine.starts).toBe(1);
    machine.crash();
    await scene.rest();
    expect(store.nodes.get(nodeId)).toMatchObject({ status: 'down', errorCode: 'engine_crashed' });
    await scene.poll();
    expect([machine.starts, store.nodes.get(nodeId)?.status]).toEqual([2, 'up']);
    // The administrator is not told of what was over within a minute.
    expect(queued(clock.now() + 10 * MINUTE)).toEqual([]);
    machine.fault = () => 'hang';
    for (let polls = 0; polls < 3; polls += 1) await scene.poll();
    clock.advance(MINUTE);
    expect(queued(clock.now())).toEqual([expect.stringMatching(/^Node .* has not answered since 20 November 2026/)]);
    machine.fault = () => null;
    await scene.poll();
    expect(queued(clock.now())).toEqual([expect.stringMatching(/^Node .* answers again since/)]);
    await scene.core().stop();
  });

  it('leaves out whom the engine crashes over or refuses, and no others, until they change', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machine, nodeId, inboundIds } = scene;
    await scene.poll();
    machine.listsMembers = false;
    const users = Array.from({ length: 6 }, () => store.users.insert(sampleUser()));
    const [bad = 0, refused = 0] = [users[3], users[5]];
    machine.poison.add(`${bad} ${inboundIds[1]}`);
    machine.refuses.add(refused);
    for (let polls = 0; polls < 8; polls += 1) await scene.poll();
    const out = store.sync.quarantined(nodeId).map(({ userId, inboundId }) => `${userId} ${inboundId}`);
    expect(out).toContain(`${bad} ${inboundIds[1]}`);
    expect(out.filter((pair) => !pair.startsWith(`${refused} `))).toEqual([`${bad} ${inboundIds[1]}`]);
    expect(present(scene)).toEqual(desired(scene));
    const { starts } = machine;
    for (let polls = 0; polls < 3; polls += 1) await scene.poll();
    expect(machine.starts).toBe(starts);
    expect(store.nodes.get(nodeId)).toMatchObject({ status: 'up', errorCode: 'engine_refused' });
    machine.poison.clear();
    machine.refuses.clear();
    await act(scene).reissue(bad);
    await act(scene).reissue(refused);
    await scene.rest();
    expect(store.sync.quarantined(nodeId)).toEqual([]);
    expect(present(scene)).toHaveLength(12);
    await scene.core().stop();
  });

  it('restarts the engine over which a cut-off user goes on moving bytes, not too often, and not where that is off', async () => {
    for (const restartToCutOff of [true, false]) {
      using temp = tempStore();
      const scene = openScene(temp);
      const { store, machine, inboundIds } = scene;
      store.write(() => store.settings.set({ restartToCutOff }));
      const [inbound = 0] = inboundIds;
      const id = store.users.insert(sampleUser());
      await scene.poll();
      let truth = 0;
      const poll = async () => {
        if (machine.move(id, inbound, { up: 0, down: 10 })) truth += 10;
        scene.clock.advance(10_000);
        await scene.poll();
      };
      await poll();
      await act(scene).patch(id, { enabled: false });
      await scene.rest();
      await poll();
      await poll();
      expect(machine.starts).toBe(1);
      await poll();
      await poll();
      expect(machine.starts).toBe(restartToCutOff ? 2 : 1);
      expect(machine.process?.open.has(id)).toBe(!restartToCutOff);
      const restart = { at: scene.clock.now() - 10_000, reason: 'cut_off', userIds: [id] };
      expect(store.nodes.get(scene.nodeId)?.restart).toEqual(restartToCutOff ? restart : null);
      expect(eventsOf(scene)).toEqual(restartToCutOff ? ['node.restarted'] : []);
      await act(scene).patch(id, { enabled: true });
      await scene.rest();
      await poll();
      await act(scene).patch(id, { enabled: false });
      for (let polls = 0; polls < 5; polls += 1) await poll();
      expect(machine.starts).toBe(restartToCutOff ? 2 : 1);
      expect(store.users.get(id)?.totalDown).toBe(truth);
      await scene.core().stop();
    }
  });

  it('counts what a user moves after the cut, through a crash of the panel, with one event for each cut', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machine, nodeId } = scene;
    const [inbound = 0] = scene.inboundIds;
    store.write(() => store.settings.set({ restartToCutOff: false }));
    const limited = store.users.insert(sampleUser({ trafficLimit: 100 }));
    const disabled = store.users.insert(sampleUser());
    const moveBoth = async (down: number) => {
      for (const id of [limited, disabled]) machine.move(id, inbound, { up: 0, down });
      await scene.poll();
    };
    const afterCut = () => [limited, disabled].map((id) => store.users.get(id)?.cut?.down ?? null);
    const found = () =>
      store.events
        .after(0, 1000, null)
        .filter(({ type }) => type === 'user.moved_after_cut')
        .map(({ data }): unknown => JSON.parse(data));
    await scene.poll();
    await moveBoth(150);
    expect(afterCut(), 'the reading that finds the limit used up').toEqual([0, null]);
    await act(scene).patch(disabled, { enabled: false });
    await scene.rest();
    await moveBoth(10);
    expect(afterCut(), 'of the other, some may have moved before').toEqual([10, 0]);
    await moveBoth(20);
    expect(afterCut()).toEqual([30, 20]);
    scene.kill();
    scene.boot();
    await moveBoth(5);
    expect(afterCut()).toEqual([35, 25]);
    expect(found()).toMatchObject([
      { user_id: limited, state: 'limited', node_id: nodeId, up: 0, down: 10 },
      { user_id: disabled, state: 'disabled', node_id: nodeId, up: 0, down: 20 },
    ]);

    await act(scene).patch(disabled, { enabled: true });
    await scene.rest();
    expect(afterCut()).toEqual([35, null]);
    await act(scene).patch(disabled, { enabled: false });
    await act(scene).patch(limited, { enabled: false });
    await scene.rest();
    expect(afterCut(), 'a cut goes on while the user may not connect').toEqual([35, 0]);
    await moveBoth(7);
    await moveBoth(3);
    expect(afterCut()).toEqual([45, 3]);
    expect(found().slice(2)).toMatchObject([{ user_id: disabled, down: 3 }]);
    await scene.core().stop();
  });

  it('stops the engine of a node that is disabled, and starts it with those who may connect then', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machine, nodeId, inboundIds } = scene;
    const id = store.users.insert(sampleUser());
    await scene.poll();
    machine.move(id, inboundIds[0] ?? 0, { up: 7, down: 7 });
    await act(scene).node(nodeId, { enabled: false });
    await scene.rest();
    expect(machine.process).toBeNull();
    expect(store.users.get(id)?.totalUp).toBe(7);
    expect(store.nodes.get(nodeId)?.status).toBe('down');
    store.users.insert(sampleUser());
    await act(scene).node(nodeId, { enabled: true });
    await scene.rest();
    expect(present(scene)).toEqual(desired(scene));
    expect(eventsOf(scene)).toEqual(['node.up']);
    await scene.core().stop();
  });
});

type Step =
  | { readonly type: 'move'; readonly user: number; readonly moved: { readonly up: number; readonly down: number } }
  | { readonly type: 'enable' | 'disable' | 'reissue' | 'remove' | 'create' | 'connection'; readonly user: number }
  | { readonly type: 'poll' | 'kill' | 'crash' | 'close' | 'port'; readonly user: number }
  | { readonly type: 'fault'; readonly faults: readonly (Fault | null)[] };

const user = fc.nat(9);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('move' as const),
      user,
      moved: fc.record({ up: fc.nat(99), down: fc.nat(999) }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom(
        'enable' as const,
        'disable' as const,
        'reissue' as const,
        'remove' as const,
        'create' as const,
        'connection' as const,
      ),
      user,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom(
        'poll' as const,
        'poll' as const,
        'poll' as const,
        'kill' as const,
        'crash' as const,
        'close' as const,
        'port' as const,
      ),
      user,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('fault' as const),
      faults: fc.array(fc.constantFrom(null, null, 'hang' as const, 'crash' as const, 'crash_after' as const), {
        minLength: 1,
        maxLength: 8,
      }),
    }),
  },
);

describe('any schedule of acts, traffic, hangs, crashes and kills of the panel', () => {
  it('ends with the engine as the records say, and with every byte counted once that an engine lived to tell', async () => {
    const seen = { starts: 0, bytes: 0, lost: 0 };
    const check = async (steps: readonly Step[]) => {
      using temp = tempStore();
      const scene = openScene(temp);
      const { store, machine, nodeId, inboundIds } = scene;
      const [inbound = 0, other = 0] = inboundIds;
      let bytes = 0;
      // Read by the panel and not yet written when the engine ended: counted, unless the panel was killed in between.
      let underway = 0;
      let port = 2000;
      for (let count = 0; count < 4; count += 1) store.users.insert(sampleUser());
      // What an engine had counted that the store has not seen is gone with it.
      machine.lost = ({ boot, users, told }) => {
        const known = boot === null ? new Map() : store.sync.userCounters(nodeId, boot, [...users.keys()]);
        for (const [id, { up, down }] of users) {
          const last = known.get(id) ?? { up: 0, down: 0 };
          const rest = up + down - last.up - last.down;
          const read = told.get(id) ?? last;
          bytes -= rest;
          underway += Math.max(0, read.up + read.down - last.up - last.down);
          seen.lost += rest;
        }
      };
      const faults: (Fault | null)[] = [];
      machine.fault = () => faults.shift() ?? null;
      for (const one of steps) {
        scene.clock.advance(7000);
        if (one.type === 'fault') {
          faults.push(...one.faults);
          continue;
        }
        const ids = store.users.ids({}, 0);
        const id = ids[one.user % Math.max(1, ids.length)] ?? 0;
        if (one.type === 'move') {
          if (machine.move(id, one.user % 2 === 0 ? inbound : other, one.moved)) bytes += one.moved.up + one.moved.down;
        } else if (one.type === 'poll') await scene.poll();
        else if (one.type === 'crash') machine.crash();
        else if (one.type === 'create')
          store.users.insert(sampleUser({ inbounds: one.user % 2 === 0 ? null : [other] }));
        else if (one.type === 'port') {
          port += 1;
          await act(scene).inbound(other, { port });
        } else if (one.type === 'kill' || one.type === 'close') {
          if (one.type === 'close') await scene.core().stop();
          scene.kill();
          scene.boot();
        } else if (id !== 0) {
          if (one.type === 'remove') await act(scene).remove(id);
          else if (one.type === 'reissue') await act(scene).reissue(id);
          else if (one.type === 'connection') await act(scene).patch(id, { inbounds: [inbound] });
          else await act(scene).patch(id, { enabled: one.type === 'enable' });
        }
        // Some acts come while the worker is at it, others when it rests.
        if (one.type !== 'move' && one.user % 3 > 0) await scene.rest();
      }
      faults.length = 0;
      for (let polls = 0; polls < 12; polls += 1) await scene.poll();
      expect(present(scene)).toEqual(desired(scene));
      const { up, down } = store.traffic.total();
      expect(up + down).toBeGreaterThanOrEqual(bytes);
      expect(up + down).toBeLessThanOrEqual(bytes + underway);
      expect(store.nodes.get(nodeId)?.status).toBe('up');
      seen.starts += machine.starts;
      seen.bytes += bytes;
      await scene.core().stop();
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50 }), check), { numRuns: 40 });
    expect(seen.starts).toBeGreaterThan(60);
    expect(seen.bytes).toBeGreaterThan(10_000);
  });
});
