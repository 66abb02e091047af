// Connected users, with a real store and an engine in memory: what is stored of addresses, and an engine that never answers.
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTestClock, createTestTimers } from '../../../tests/support/clock.ts';
import { ADMINISTRATOR_CALL, coreParts } from '../../../tests/support/core.ts';
import { createFakeMachine } from '../../../tests/support/fake-engine.ts';
import { sampleInbound } from '../../../tests/support/subscription-samples.ts';
import { sampleNode, sampleTariff, sampleUser, type TempStore, tempStore } from '../../../tests/support/temp-store.ts';
import { createCore } from '../create-core.ts';
import type { Engine } from '../ports/engines.ts';

const START = Date.UTC(2026, 10, 20);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A panel with local nodes. */
function openScene(temp: TempStore, count = 1) {
  const { store } = temp;
  const clock = createTestClock(START);
  const timers = createTestTimers();
  const machines = Array.from({ length: count }, () => createFakeMachine());
  const nodeIds = machines.map((_, index) => {
    const nodeId = store.nodes.insert(sampleNode({ name: `Node ${index}` }));
    const { id: _id, ...inbound } = sampleInbound({ nodeId, tag: `in-${index}`, port: 1001 + index });
    store.inbounds.insert(inbound);
    return nodeId;
  });
  const engines = new Map<number, Engine>();
  for (const [index, machine] of machines.entries()) engines.set(nodeIds[index] ?? 0, machine.attach().engine);
  const core = createCore({
    ...coreParts(temp, { clock }),
    timers,
    openEngine: ({ id }) => engines.get(id) ?? null,
  });

  async function waitUntilIdle(): Promise<void> {
    for (let turn = 0; turn < 400; turn += 1) await setImmediate();
  }

  return {
    store,
    clock,
    core,
    machines,
    nodeIds,
    engines,
    start: async () => {
      core.start();
      await waitUntilIdle();
      // Polls at the start, up to the next reading of addresses.
      for (let poll = 0; poll < 2; poll += 1) {
        timers.tick();
        await waitUntilIdle();
      }
    },
    /** As many polls as there are between two readings of addresses. */
    async readAddresses(): Promise<void> {
      for (let poll = 0; poll < 3; poll += 1) {
        clock.advance(10_000);
        timers.tick();
        await waitUntilIdle();
      }
    },
    waitUntilIdle,
    tick: () => timers.tick(),
    read: (id: number) => core.call('getUserAddresses', { id }, ADMINISTRATOR_CALL).body,
    node: (id: number) => core.call('getNode', { id }, ADMINISTRATOR_CALL).body,
  };
}

const from = (...addresses: string[]) => addresses.map((address) => ({ address, openedAt: 0 }));

describe('addresses of users', () => {
  it('are stored as a hash and a short form, with since when and until when', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machines, nodeIds } = scene;
    const [userId, other] = [store.users.insert(sampleUser()), store.users.insert(sampleUser())];
    machines[0]?.addresses?.set(userId, from('203.0.113.7', '2001:db8:1:2::a', '2001:db8:1:2::b', 'nonsense'));
    machines[0]?.addresses?.set(other, from('203.0.113.7'));
    machines[0]?.addresses?.set(999, from('203.0.113.7'));
    await scene.start();
    const began = new Date(scene.clock.now()).toISOString();
    await scene.readAddresses();
    const later = new Date(scene.clock.now()).toISOString();
    const seen = { node_id: nodeIds[0], connected: true, first_seen_at: began, last_seen_at: later };
    expect(scene.read(userId)).toEqual({
      concurrent: 2,
      addresses: expect.arrayContaining([
        { network: '203.0.*.*', ...seen },
        { network: '2001:db8:*', ...seen },
      ]),
    });
    expect(scene.node(nodeIds[0] ?? 0).addresses_online).toBe(3);

    const rows = temp.db.prepare<[], Readonly<Record<string, unknown>>>('SELECT * FROM user_addresses').all();
    expect(rows).toHaveLength(3);
    expect(JSON.stringify(rows)).not.toMatch(/113|1:2/);
    // The stored values do not reveal that two users share an address.
    expect(new Set(rows.map(({ hash }) => hash)).size).toBe(3);

    machines[0]?.addresses?.set(userId, from('2001:db8:1:2::c'));
    await scene.readAddresses();
    const { concurrent, addresses } = scene.read(userId);
    expect(concurrent).toBe(1);
    expect(addresses.map(({ network, connected }) => [network, connected])).toEqual([
      ['2001:db8:*', true],
      ['203.0.*.*', false],
    ]);
  });

  it('are gone after 24 hours, and one that stays is never older', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, clock, machines } = scene;
    const userId = store.users.insert(sampleUser());
    machines[0]?.addresses?.set(userId, from('203.0.113.7', '198.51.100.1'));
    await scene.start();
    machines[0]?.addresses?.set(userId, from('198.51.100.1'));
    for (const hours of [13, 12]) {
      clock.advance(hours * HOUR);
      await scene.readAddresses();
    }
    expect(temp.db.prepare<[], Readonly<Record<string, unknown>>>('SELECT network FROM user_addresses').all()).toEqual([
      { network: '198.51.*.*' },
    ]);
    const [address] = scene.read(userId).addresses;
    expect(Date.parse(address?.first_seen_at ?? '')).toBe(clock.now() - DAY);
    // If engines are silent, the panel does not answer with older data either.
    clock.advance(DAY + HOUR);
    expect(scene.read(userId)).toEqual({ concurrent: null, addresses: [] });
  });

  it('count once over all nodes, and not where the node is down or cannot tell', async () => {
    using temp = tempStore();
    const scene = openScene(temp, 2);
    const { store, machines, nodeIds } = scene;
    const userId = store.users.insert(sampleUser());
    for (const machine of machines) machine.addresses?.set(userId, from('203.0.113.7'));
    await scene.start();
    expect(scene.read(userId)).toMatchObject({ concurrent: 1, addresses: [{}, {}] });
    const [first, second] = machines;
    if (!first || !second) throw new Error('no machine');
    first.addresses = null;
    second.fault = () => 'hang';
    await scene.readAddresses();
    expect(scene.node(nodeIds[0] ?? 0)).toMatchObject({ status: 'up', addresses_online: null });
    expect(scene.node(nodeIds[1] ?? 0)).toMatchObject({ status: 'down', addresses_online: null });
    const { concurrent, addresses } = scene.read(userId);
    expect([concurrent, addresses.map(({ connected }) => connected)]).toEqual([null, [false, false]]);
  });

  it('are those of the users of now: nothing is stored of an answer to a question from before a restore', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machines, nodeIds } = scene;
    const userId = store.users.insert(sampleUser());
    machines[0]?.addresses?.set(userId, from('203.0.113.7'));
    const engine = scene.engines.get(nodeIds[0] ?? 0);
    if (!engine) throw new Error('no engine');
    const answer = engine.connected;
    engine.connected = async () => {
      store.write(() => store.sync.begin(nodeIds[0] ?? 0, { boot: 'another', position: null, cautiousUntil: 0 }));
      return answer();
    };
    await scene.start();
    expect(temp.db.prepare<[], Readonly<Record<string, unknown>>>('SELECT * FROM user_addresses').all()).toEqual([]);
  });
});

describe('a limit of addresses at once', () => {
  /** Two addresses of a user with a limit of one; each reading finds connections opened from the named ones. */
  async function openLimited(temp: TempStore, count = 1) {
    const scene = openScene(temp, count);
    const { store, machines } = scene;
    const userId = store.users.insert(sampleUser({ concurrentLimit: 1 }));
    const opened = new Map<string, number>();
    const open = async (...addresses: string[]) => {
      for (const address of addresses) opened.set(address, scene.clock.now());
      const all = [...opened].map(([address, openedAt]) => ({ address, openedAt }));
      for (const machine of machines) machine.addresses?.set(userId, all);
      await scene.readAddresses();
    };
    await scene.start();
    const user = () => scene.core.call('getUser', { id: userId }, ADMINISTRATOR_CALL).body;
    const events = () =>
      store.events
        .after(0, 1000, null)
        .filter(({ type }) => type === 'user.concurrent_exceeded')
        .map(({ data }): unknown => JSON.parse(data));
    return { ...scene, userId, open, user, events };
  }

  const TWO = ['203.0.113.7', '198.51.100.1'] as const;

  it('is exceeded by addresses that open connections in two askings in a row, and announced once', async () => {
    using temp = tempStore();
    const scene = await openLimited(temp, 2);
    const { open, events, user, clock } = scene;
    await open(...TWO);
    await open();
    await open(...TWO);
    await open(TWO[0]);
    await open(TWO[0]);
    await open(...TWO);
    expect(scene.read(scene.userId).concurrent, 'all have connections open').toBe(2);
    expect([events(), user().concurrent_excess]).toEqual([[], null]);
    for (let asking = 0; asking < 4; asking += 1) await open(...TWO);
    const at = new Date(clock.now()).toISOString();
    expect(user().concurrent_excess).toEqual({ addresses: 2, at, cut_off_until: null, cut_off_node_id: null });
    const event = { user_id: scene.userId, addresses: 2, concurrent_limit: 1, cut_off_until: null };
    expect(events()).toMatchObject([event]);
    expect(scene.machines[0]?.process?.members.get(1)?.has(scene.userId)).toBe(true);
    clock.advance(600_000);
    await open(TWO[0]);
    expect(user().concurrent_excess).toBeNull();
    for (let asking = 0; asking < 3; asking += 1) await open(...TWO);
    expect(events()).toMatchObject([event, event]);
  });

  it('counts an address once over all nodes, and those of all nodes together', async () => {
    using temp = tempStore();
    const scene = await openLimited(temp, 2);
    const { machines, userId, readAddresses, events } = scene;
    const at = (machine: number, address: string, openedAt: number) =>
      machines[machine]?.addresses?.set(userId, [{ address, openedAt }]);
    for (let asking = 1; asking < 5; asking += 1) {
      for (const machine of [0, 1]) at(machine, TWO[0], asking);
      await readAddresses();
    }
    expect(events()).toEqual([]);
    for (let asking = 5; asking < 9; asking += 1) {
      for (const machine of [0, 1]) at(machine, TWO[machine] ?? '', asking);
      await readAddresses();
    }
    expect(events()).toMatchObject([{ addresses: 2 }]);
  });

  it('cuts off for 5 minutes where the settings say so, without a restart over open connections', async () => {
    using temp = tempStore();
    const scene = await openLimited(temp);
    const { open, events, user, clock, userId } = scene;
    await scene.core.call('updateSettings', { cut_off_concurrent: true }, ADMINISTRATOR_CALL);
    const machine = scene.machines[0];
    const isIn = () => machine?.process?.members.get(1)?.has(userId) === true;
    machine?.move(userId, 1, { up: 1, down: 1 });
    await open(...TWO);
    expect(isIn()).toBe(true);
    await open(...TWO);
    await scene.waitUntilIdle();
    expect([isIn(), user().state]).toEqual([false, 'active']);
    const until = new Date(clock.now() + 300_000).toISOString();
    const cut = { addresses: 2, cut_off_until: until, cut_off_node_id: scene.nodeIds[0] };
    expect(user().concurrent_excess).toMatchObject(cut);
    for (let asking = 0; asking < 3; asking += 1) {
      machine?.move(userId, 1, { up: 1, down: 1 });
      await open(...TWO);
    }
    expect(machine?.starts).toBe(1);
    expect(events()).toMatchObject([{ cut_off_until: until }]);
    clock.advance(300_000);
    await open();
    await scene.waitUntilIdle();
    expect([isIn(), user().concurrent_excess?.cut_off_until]).toEqual([true, null]);
    await open(...TWO);
    await open(...TWO);
    await scene.waitUntilIdle();
    expect([isIn(), events().length]).toEqual([false, 2]);
  });

  it('is cut off at the node alone that names too many addresses, until a second node finds it too', async () => {
    using temp = tempStore();
    const scene = await openLimited(temp, 2);
    const { machines, userId, readAddresses, events, user } = scene;
    await scene.core.call('updateSettings', { cut_off_concurrent: true }, ADMINISTRATOR_CALL);
    const isIn = () => machines.map(({ process }) => process?.members.get(1)?.has(userId) === true);
    let openedAt = 0;
    const name = async (...byNode: readonly (readonly string[])[]) => {
      openedAt += 1;
      for (const [index, addresses] of byNode.entries())
        machines[index]?.addresses?.set(
          userId,
          addresses.map((address) => ({ address, openedAt })),
        );
      await readAddresses();
      await scene.waitUntilIdle();
    };
    for (let asking = 0; asking < 5; asking += 1) await name([TWO[0]], ['192.0.2.1', '192.0.2.2', '192.0.2.3']);
    expect([isIn(), user().concurrent_excess?.cut_off_node_id]).toEqual([[true, false], scene.nodeIds[1]]);
    for (let asking = 0; asking < 5; asking += 1) await name(TWO, ['192.0.2.1', '192.0.2.2', '192.0.2.3']);
    expect([isIn(), user().concurrent_excess?.cut_off_node_id]).toEqual([[false, false], null]);
    expect(events()).toMatchObject([{ cut_off_node_id: scene.nodeIds[1] }, { cut_off_node_id: null }]);
  });

  it.each(['another limit', 'another tariff', 'the settings'] as const)(
    'cuts no user off any more after %s',
    async (by) => {
      using temp = tempStore();
      const scene = await openLimited(temp);
      const { open, store, userId: id, core } = scene;
      await scene.core.call('updateSettings', { cut_off_concurrent: true }, ADMINISTRATOR_CALL);
      const isIn = () => scene.machines[0]?.process?.members.get(1)?.has(id) === true;
      for (let asking = 0; asking < 3; asking += 1) await open(...TWO);
      await scene.waitUntilIdle();
      expect(isIn()).toBe(false);
      const tariff_id = store.tariffs.insert(sampleTariff());
      if (by === 'another limit') await core.call('updateUser', { id, concurrent_limit: null }, ADMINISTRATOR_CALL);
      if (by === 'another tariff') await core.call('updateUser', { id, tariff_id }, ADMINISTRATOR_CALL);
      if (by === 'the settings') await core.call('updateSettings', { cut_off_concurrent: false }, ADMINISTRATOR_CALL);
      await scene.waitUntilIdle();
      expect([isIn(), store.users.get(id)?.excess?.cutOffUntil ?? null]).toEqual([true, null]);
    },
  );
});

it('an answer that never comes holds up neither polls nor the end of the panel, and is waited for once', async () => {
  using temp = tempStore();
  const scene = openScene(temp);
  const { store, machines, nodeIds } = scene;
  const userId = store.users.insert(sampleUser());
  const engine = scene.engines.get(nodeIds[0] ?? 0);
  if (!engine) throw new Error('no engine');
  let asked = 0;
  engine.connected = () => {
    asked += 1;
    return new Promise(() => {});
  };
  await scene.start();
  const [machine] = machines;
  machine?.move(userId, store.inbounds.listOffered()[0]?.inbound.id ?? 0, { up: 3, down: 5 });
  await scene.readAddresses();
  expect(store.users.get(userId)).toMatchObject({ totalUp: 3, totalDown: 5 });
  await scene.readAddresses();
  expect(asked).toBe(1);
  await scene.core.stop();
  expect(machine?.process).toBeNull();
});
