// Workers with a real store and an engine in memory: whatever fails, the engine has the users who may connect, and every byte is counted
// once.
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pairAdmin } from '../../../tests/support/bot-admin.ts';
import { createTestClock, createTestTimers } from '../../../tests/support/clock.ts';
import { ADMINISTRATOR_CALL, CLI_CALL, coreParts } from '../../../tests/support/core.ts';
import { createFakeMachine, type FakeMachine, type Fault } from '../../../tests/support/fake-engine.ts';
import { sampleInbound } from '../../../tests/support/subscription-samples.ts';
import { sampleNode, sampleTariff, sampleUser, type TempStore, tempStore } from '../../../tests/support/temp-store.ts';
import { ENGINE_WARNINGS, type InboundWarning } from '../../contract/inbounds.ts';
import { canConnect } from '../../domain/users/account.ts';
import { createCore } from '../create-core.ts';
import type { Core } from '../kernel/core.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { Engine, MachineCertificate } from '../ports/engines.ts';
import type { Store, Vault } from '../ports/ports.ts';

const START = Date.UTC(2026, 10, 20);
const MINUTE = 60_000;

interface Scene {
  readonly temp: TempStore;
  readonly store: Store;
  readonly machine: FakeMachine;
  readonly nodeId: number;
  readonly inboundIds: readonly number[];
  readonly clock: ReturnType<typeof createTestClock>;
  readonly vault: { open: Vault['open'] };
  /** The core of the running panel. */
  readonly core: () => Core;
  /** Waits until everything that was started has finished. */
  waitUntilIdle(): Promise<void>;
  /** A poll and its consequences. */
  poll(): Promise<void>;
  /** Kills the panel at once; `boot` starts another. */
  kill(): void;
  boot(): void;
}

const NOT_PERIODIC = () => {};

function openScene(
  temp: TempStore,
  ports: readonly number[] = [1001, 1002],
  shapes: readonly Parameters<typeof sampleInbound>[0][] = [],
): Scene {
  const { store } = temp;
  const clock = createTestClock(START);
  const machine = createFakeMachine();
  const nodeId = store.nodes.insert(sampleNode());
  const inboundIds = ports.map((port, index) => {
    const { id: _, ...inbound } = sampleInbound({ nodeId, tag: `in-${port}`, port, ...shapes[index] });
    return store.inbounds.insert(inbound);
  });
  let timers = createTestTimers();
  let core: Core | null = null;
  let abandon = NOT_PERIODIC;
  const parts = coreParts(temp, { clock });
  const vault: { -readonly [Name in keyof Vault]: Vault[Name] } = { ...parts.vault };
  const base = { ...parts, vault };

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

  async function waitUntilIdle(): Promise<void> {
    let before = -1;
    // A worker's round takes fewer turns of the event loop than this.
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
    vault,
    core: () => {
      if (!core) throw new Error('no panel runs');
      return core;
    },
    waitUntilIdle,
    async poll() {
      timers.expire();
      timers.tick();
      await waitUntilIdle();
    },
    kill: () => abandon(),
    boot,
  };
}

/** Connection, user and credentials of all users who may connect, according to the records. */
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
  reset: (id: number) => core().call('resetUserTraffic', { id }, ADMINISTRATOR_CALL),
  reissue: (id: number) => core().call('reissueUser', { id }, ADMINISTRATOR_CALL),
  inbound: (id: number, patch: object) => core().call('updateInbound', { id, ...patch }, CLI_CALL),
  node: (id: number, patch: object) => core().call('updateNode', { id, ...patch }, CLI_CALL),
});

const listEvents = ({ store }: Scene) =>
  store.events
    .after(0, 1000, null)
    .map(({ type }) => type)
    .filter((type) => type.startsWith('node.') && type !== 'node.changed');

const servedPorts = ({ machine }: Scene) => machine.process?.config.inbounds.map(({ port }) => port);

/** The reason of each restart of the engine by the panel. */
const listRestartReasons = ({ store }: Scene) =>
  store.events
    .after(0, 10_000, ['node.restarted'])
    .map(({ data }): unknown => (JSON.parse(data) as { reason: unknown }).reason);

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
    await scene.waitUntilIdle();
    expect(present(scene)).toEqual(desired(scene));
    expect(present(scene)).toHaveLength(2);
    await act(scene).patch(first, { enabled: true, inbounds: [scene.inboundIds[0]] });
    await scene.waitUntilIdle();
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
    // As after a restore of this panel's backup: another start is stored, without a position.
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
    // As after a restore of another panel's backup: its users are not those that this engine counts.
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
    const said = { status: 'up', errorCode: 'config_refused', errorText: 'in-1001: unknown cipher' };
    expect(store.nodes.get(nodeId)).toMatchObject(said);
    await act(scene).patch(id, { enabled: false });
    await scene.waitUntilIdle();
    expect(present(scene)).toEqual([]);
    machine.move(id, inbound, { up: 5, down: 5 });
    await act(scene).inbound(inbound, { port: 1003 });
    await scene.poll();
    expect(machine.starts).toBe(2);
    const restart = { at: scene.clock.now(), reason: 'configuration', inboundId: null, userIds: [] };
    expect(store.nodes.get(nodeId)).toMatchObject({ status: 'up', errorCode: null, errorText: null, restart });
    await scene.core().stop();
  });

  it.each(['is taken', 'is refused', 'cannot be read'])(
    'serves the other connections where one %s at the start, names it, and serves it once it can',
    async (how) => {
      using temp = tempStore();
      const scene = openScene(temp, [1001, 1002, 1003]);
      const { store, machine, nodeId, inboundIds } = scene;
      const [, bad = 0] = inboundIds;
      const ids = [1, 2].map(() => store.users.insert(sampleUser()));
      const [first = 0] = ids;
      let isLocked = how === 'cannot be read';
      if (isLocked) {
        const row = store.inbounds.get(bad);
        if (row) store.inbounds.save({ ...row, security: 'reality' });
        store.sealed.save({
          place: `inbound:${bad}:private_key`,
          keyId: 'test',
          nonce: new Uint8Array(12),
          ciphertext: new Uint8Array(16),
        });
        scene.vault.open = () => {
          if (isLocked) throw new PanelError('vault_unavailable');
          return 'key';
        };
      } else if (how === 'is taken') machine.taken.add(1002);
      else machine.refusesConfig = ({ inbounds }) => inbounds.some(({ port }) => port === 1002);
      // The first panel has read the records already.
      scene.kill();
      scene.boot();
      await scene.poll();
      const [code, message] = {
        'is taken': ['port_taken', 'in-1002: port 1002 is taken by nginx'],
        'is refused': ['config_refused', 'in-1002: unknown cipher'],
        'cannot be read': ['config_refused', 'in-1002: its keys cannot be read: vault_unavailable'],
      }[how] as [string, string];
      const said = {
        status: 'up',
        errorCode: code,
        errorText: message,
        unserved: [{ inboundId: bad, code, message }],
      };
      expect(store.nodes.get(nodeId)).toMatchObject(said);
      expect(servedPorts(scene)).toEqual([1001, 1003]);
      const { body } = await scene.core().call('listInbounds', { limit: 10, offset: 0 }, ADMINISTRATOR_CALL);
      const pickEngineWarnings = (warnings: readonly InboundWarning[] = []) =>
        warnings.filter((one) => ENGINE_WARNINGS.some((each) => each === one));
      expect(body.items.map(({ status, warnings }) => [status, pickEngineWarnings(warnings)])).toEqual([
        ['up', []],
        ['down', [how === 'is taken' ? 'port_taken' : 'refused']],
        ['up', []],
      ]);
      // Users of the other connections are still followed, and nothing is restarted for that, nor by the next panel.
      await act(scene).patch(first, { enabled: false });
      await scene.waitUntilIdle();
      expect(present(scene).map((line) => Number(line.split(' ')[0]))).toEqual([inboundIds[0], inboundIds[2]]);
      for (let polls = 0; polls < 3; polls += 1) await scene.poll();
      scene.kill();
      scene.boot();
      for (let polls = 0; polls < 3; polls += 1) await scene.poll();
      expect([machine.starts, store.nodes.get(nodeId)]).toMatchObject([1, said]);

      isLocked = false;
      machine.taken.clear();
      machine.refusesConfig = () => false;
      for (let polls = 0; polls < 31; polls += 1) await scene.poll();
      expect(servedPorts(scene)).toEqual([1001, 1002, 1003]);
      expect(present(scene)).toEqual(desired(scene));
      expect(store.nodes.get(nodeId)).toMatchObject({ status: 'up', errorCode: null, unserved: [] });
      expect(listRestartReasons(scene)).toEqual(['configuration']);
      await scene.core().stop();
    },
  );

  it('does not serve where nothing can be served, and says why of each', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machine, nodeId } = scene;
    machine.taken.add(1001).add(1002);
    await scene.poll();
    expect(store.nodes.get(nodeId)).toMatchObject({
      status: 'down',
      errorCode: 'port_taken',
      errorText: 'in-1001: port 1001 is taken by nginx; in-1002: port 1002 is taken by nginx',
      unserved: [{ code: 'port_taken' }, { code: 'port_taken' }],
    });
    machine.taken.clear();
    await scene.poll();
    expect(servedPorts(scene)).toEqual([1001, 1002]);
    expect(store.nodes.get(nodeId)).toMatchObject({ status: 'up', errorCode: null, unserved: [] });
    await scene.core().stop();
  });

  it('goes on with a connection as it was where its change is refused, and changes the others', async () => {
    using temp = tempStore();
    const scene = openScene(temp, [1001, 1002, 1003]);
    const { store, machine, inboundIds } = scene;
    const [first = 0, second = 0, third = 0] = inboundIds;
    const id = store.users.insert(sampleUser());
    await scene.poll();
    machine.taken.add(9001);
    await act(scene).inbound(first, { port: 9001 });
    await scene.poll();
    await act(scene).inbound(second, { port: 2002 });
    await scene.poll();
    expect([servedPorts(scene), machine.starts]).toEqual([[1001, 2002, 1003], 2]);
    expect(machine.process?.members.get(first)?.has(id)).toBe(true);
    // Another connection gets the freed port.
    await act(scene).inbound(third, { port: 1001 });
    await scene.poll();
    expect([servedPorts(scene), machine.starts]).toEqual([[2002, 1001], 3]);
    machine.taken.clear();
    await scene.poll();
    expect([servedPorts(scene), machine.starts]).toEqual([[9001, 2002, 1001], 4]);
    await scene.core().stop();
  });

  it('leaves out a connection over which only the start fails, and restarts nothing to try it again', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machine, nodeId, inboundIds } = scene;
    machine.forbidden.add(1002);
    await scene.poll();
    const said = { status: 'up', errorCode: 'config_refused', errorText: 'in-1002: port 1002: permission denied' };
    for (let polls = 0; polls < 65; polls += 1) await scene.poll();
    expect(store.nodes.get(nodeId)).toMatchObject(said);
    expect([servedPorts(scene), machine.starts]).toEqual([[1001], 1]);
    // The engine itself reports that the port is taken; then it is free again.
    machine.taken.add(1002);
    for (let polls = 0; polls < 31; polls += 1) await scene.poll();
    expect(store.nodes.get(nodeId)).toMatchObject({ errorCode: 'port_taken' });
    machine.taken.clear();
    machine.forbidden.clear();
    await scene.poll();
    expect([servedPorts(scene), machine.starts]).toEqual([[1001, 1002], 2]);
    machine.forbidden.add(1003);
    await act(scene).inbound(inboundIds[0] ?? 0, { port: 1003 });
    await scene.poll();
    expect([servedPorts(scene), machine.starts]).toEqual([[1002], 3]);
    await scene.core().stop();
  });

  it('restarts the engine at once where a connection changes while many users are told, and reads counters meanwhile', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machine, inboundIds } = scene;
    await scene.poll();
    const calls: (keyof Engine)[] = [];
    let during = () => {};
    machine.fault = (method) => {
      calls.push(method);
      if (method !== 'apply') return null;
      during();
      during = () => {};
      return null;
    };
    const addUsers = () => {
      for (let count = 0; count < 1200; count += 1) store.users.insert(sampleUser());
      calls.length = 0;
    };
    addUsers();
    during = () => void scene.poll();
    await act(scene).patch(1, { note: 'wakes the worker' });
    await scene.waitUntilIdle();
    expect(present(scene)).toEqual(desired(scene));
    const read = calls.indexOf('counters');
    expect([read > 0, calls.indexOf('apply', read) > read]).toEqual([true, true]);

    addUsers();
    during = () => void act(scene).inbound(inboundIds[0] ?? 0, { port: 1003 });
    await act(scene).patch(1, { note: 'wakes it again' });
    await scene.waitUntilIdle();
    expect(present(scene)).toEqual(desired(scene));
    expect([machine.starts, listRestartReasons(scene)]).toEqual([2, ['configuration']]);
    expect(calls.filter((method) => method === 'apply').length, 'the others came with the start').toBeLessThan(6);
    await scene.core().stop();
  });

  it('does not restart the engine over another name that its machine has for the same configuration', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { machine, inboundIds } = scene;
    machine.reports = (fingerprint) => `${fingerprint} by another version`;
    for (let polls = 0; polls < 4; polls += 1) await scene.poll();
    expect(machine.starts).toBe(1);
    await act(scene).inbound(inboundIds[0] ?? 0, { port: 1003 });
    for (let polls = 0; polls < 4; polls += 1) await scene.poll();
    expect([machine.starts, listRestartReasons(scene)]).toEqual([2, ['configuration']]);
    await scene.core().stop();
  });

  it('restarts the engine for a changed connection at the next contact where the restart failed', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machine, nodeId, inboundIds } = scene;
    await scene.poll();
    for (const [port, method] of [
      [1003, 'stop'],
      [1004, 'counters'],
    ] as const) {
      machine.fault = (called) => (called === method ? 'hang' : null);
      await act(scene).inbound(inboundIds[0] ?? 0, { port });
      await scene.waitUntilIdle();
      expect(store.nodes.get(nodeId)).toMatchObject({ status: 'down', errorCode: 'engine_unreachable' });
      machine.fault = () => null;
      await scene.poll();
      expect(servedPorts(scene)).toEqual([port, 1002]);
    }
    expect([machine.starts, store.nodes.get(nodeId)?.status]).toEqual([3, 'up']);
    await scene.core().stop();
  });

  it('allows users on an engine that its machine has started again while a connection is refused', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machine, inboundIds } = scene;
    machine.refusesConfig = ({ inbounds }) => inbounds.some(({ port }) => port === 1002);
    await scene.poll();
    expect(servedPorts(scene)).toEqual([1001]);
    if (machine.process) machine.process = { ...machine.process, boot: `${machine.process.boot}r1` };
    const id = store.users.insert(sampleUser());
    await scene.poll();
    expect(machine.process?.members.get(inboundIds[0] ?? 0)?.has(id)).toBe(true);
    expect(machine.starts).toBe(1);
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
    const reportCertificate = async (certificate: MachineCertificate | null) => {
      machine.facts = { load: 1, clockOffset: 0, version: '0.1.0', certificate, waiting: null };
      await scene.poll();
      await scene.poll();
    };
    await reportCertificate({ endsAt, isLate: false, failure: null });
    expect([listEvents(scene), queued(clock.now())]).toEqual([[], []]);
    await reportCertificate({ endsAt, isLate: false, failure: 'refused' });
    await reportCertificate({ endsAt, isLate: true, failure: 'refused' });
    expect(store.nodes.get(nodeId)).toMatchObject({ linksEndsAt: endsAt, linksLate: true, linksFailure: 'refused' });
    expect(listEvents(scene)).toEqual(['node.certificate_failed', 'node.certificate_ending']);
    await reportCertificate({ endsAt: endsAt + MINUTE, isLate: false, failure: null });
    await reportCertificate({ endsAt: null, isLate: false, failure: 'unreachable' });
    await reportCertificate(null);
    expect(store.nodes.get(nodeId)).toMatchObject({ linksEndsAt: null, linksLate: null, linksFailure: null });
    expect(listEvents(scene).slice(2)).toEqual(['node.certificate_failed']);
    expect(queued(clock.now())).toEqual([
      expect.stringMatching(
        /^The certificate of node .* for links was not renewed \(refused\)\. .* until 10 December 2026/,
      ),
      expect.stringMatching(/^The certificate of node .* for links expires on 10 December 2026/),
      expect.stringMatching(/^Node .* got no certificate for links \(unreachable\)/),
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
    expect(listEvents(scene)).toEqual(['node.down', 'node.up']);
    expect(machine.starts).toBe(1);
    machine.crash();
    await scene.waitUntilIdle();
    expect(store.nodes.get(nodeId)).toMatchObject({ status: 'down', errorCode: 'engine_crashed' });
    await scene.poll();
    expect([machine.starts, store.nodes.get(nodeId)?.status]).toEqual([2, 'up']);
    // The administrator is not notified of what ended within a minute.
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
    await scene.waitUntilIdle();
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
      await scene.waitUntilIdle();
      await poll();
      await poll();
      expect(machine.starts).toBe(1);
      await poll();
      await poll();
      expect(machine.starts).toBe(restartToCutOff ? 2 : 1);
      expect(machine.process?.open.has(id)).toBe(!restartToCutOff);
      const restart = { at: scene.clock.now() - 10_000, reason: 'cut_off', inboundId: null, userIds: [id] };
      expect(store.nodes.get(scene.nodeId)?.restart).toEqual(restartToCutOff ? restart : null);
      expect(listEvents(scene)).toEqual(restartToCutOff ? ['node.restarted'] : []);
      await act(scene).patch(id, { enabled: true });
      await scene.waitUntilIdle();
      await poll();
      await act(scene).patch(id, { enabled: false });
      for (let polls = 0; polls < 5; polls += 1) await poll();
      expect(machine.starts).toBe(restartToCutOff ? 2 : 1);
      expect(store.users.get(id)?.totalDown).toBe(truth);
      await scene.core().stop();
    }
  });

  /** A user who moves bytes over Hysteria2, the second connection, and another one over VLESS. */
  async function openSessions(temp: TempStore) {
    const scene = openScene(temp, [1001, 1002], [{}, { protocol: 'hysteria2', network: 'quic' }]);
    const { store, machine, inboundIds } = scene;
    const [vless = 0, hysteria = 0] = inboundIds;
    const [id, other] = [store.users.insert(sampleUser()), store.users.insert(sampleUser())];
    const moveAll = () =>
      [machine.move(id, hysteria, { up: 0, down: 10 }), machine.move(other, vless, { up: 0, down: 10 })] as const;
    const poll = async () => {
      const moved = moveAll();
      scene.clock.advance(10_000);
      await scene.poll();
      return moved;
    };
    await scene.poll();
    await poll();
    return { ...scene, id, other, hysteria, moveAll, pollOnce: poll };
  }

  it('reopens the connection over which a user who is cut off has a session, at once, and nothing else', async () => {
    using temp = tempStore();
    const scene = await openSessions(temp);
    const { store, machine, id, other, hysteria } = scene;
    await act(scene).patch(id, { enabled: false });
    await scene.waitUntilIdle();
    expect(scene.moveAll(), 'the session has ended, the other connection goes on').toEqual([false, true]);
    expect(present(scene)).toEqual(desired(scene));
    const restart = { at: scene.clock.now(), reason: 'cut_off', inboundId: hysteria, userIds: [id] };
    expect([machine.starts, store.nodes.get(scene.nodeId)?.restart]).toEqual([1, restart]);
    expect(listEvents(scene)).toEqual(['node.restarted']);
    for (let polls = 0; polls < 4; polls += 1) await scene.pollOnce();
    expect([machine.starts, store.nodes.get(scene.nodeId)?.restart]).toEqual([1, restart]);
    expect([store.users.get(id)?.totalDown, store.users.get(other)?.totalDown]).toEqual([10, 60]);
    // A user who is blocked over VLESS only does not end sessions over Hysteria2.
    machine.move(other, hysteria, { up: 0, down: 1 });
    machine.process?.over.get(hysteria)?.delete(other);
    scene.clock.advance(600_000);
    await act(scene).patch(other, { enabled: false });
    await scene.waitUntilIdle();
    expect(store.nodes.get(scene.nodeId)?.restart).toEqual(restart);
    await scene.core().stop();
  });

  it('restarts the engine where a connection was closed and not opened again, and where it cannot be', async () => {
    using temp = tempStore();
    const scene = await openSessions(temp);
    const { store, machine, id } = scene;
    let failures = 0;
    machine.fault = (method) => {
      if (method !== 'reopen' || failures > 0) return null;
      failures += 1;
      return 'hang';
    };
    await act(scene).patch(id, { enabled: false });
    await scene.waitUntilIdle();
    await scene.pollOnce();
    expect([machine.starts, store.nodes.get(scene.nodeId)?.restart?.reason]).toEqual([2, 'unknown_state']);
    expect(present(scene)).toEqual(desired(scene));
    await act(scene).patch(id, { enabled: true });
    await scene.waitUntilIdle();
    await scene.pollOnce();
    machine.canReopen = false;
    scene.clock.advance(600_000);
    await act(scene).patch(id, { enabled: false });
    await scene.waitUntilIdle();
    for (let polls = 0; polls < 4; polls += 1) await scene.pollOnce();
    expect([machine.starts, store.nodes.get(scene.nodeId)?.restart]).toMatchObject([
      3,
      { reason: 'cut_off', inboundId: null },
    ]);
    expect(present(scene)).toEqual(desired(scene));
    await scene.core().stop();
  });

  it('does not restart the engine over a user who was allowed again after each cut', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machine, nodeId } = scene;
    const [inbound = 0] = scene.inboundIds;
    const id = store.users.insert(sampleUser({ trafficLimit: 100 }));
    await scene.poll();
    const exceedLimit = async () => {
      expect(machine.move(id, inbound, { up: 0, down: 150 })).toBe(true);
      await scene.poll();
      expect(store.users.get(id)?.state).toBe('limited');
    };
    for (let rounds = 0; rounds < 6; rounds += 1) {
      await exceedLimit();
      await act(scene).reset(id);
      await scene.waitUntilIdle();
      expect(present(scene)).toHaveLength(2);
    }
    expect([machine.starts, store.nodes.get(nodeId)?.restart]).toEqual([1, null]);
    // The user is not allowed again, and still moves bytes: that causes the restart.
    await exceedLimit();
    for (let polls = 0; polls < 2; polls += 1) await exceedLimit();
    expect([machine.starts, store.nodes.get(nodeId)?.restart?.reason]).toEqual([2, 'cut_off']);
    await scene.core().stop();
  });

  it('begins a held term only by bytes that moved after the hold was set', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machine, clock } = scene;
    const [inbound = 0] = scene.inboundIds;
    const active = { state: 'active', expiresAt: START + 30 * 24 * 60 * MINUTE } as const;
    const seasoned = store.users.insert(sampleUser({ ...active, onlineAt: START }));
    const unused = store.users.insert(sampleUser(active));
    await scene.poll();
    const held = { starts: 'on_first_use', trafficLimit: null } as const;
    const plans = [1, 2].map(() => store.tariffs.insert(sampleTariff(held)));
    const states = () => [seasoned, unused].map((id) => store.users.get(id)?.state);
    const moveAndPoll = async (isMoved = true) => {
      for (const id of isMoved ? [seasoned, unused] : []) machine.move(id, inbound, { up: 1, down: 1 });
      clock.advance(10_000);
      await scene.poll();
    };
    const holdAfterMoving = async () => {
      for (const id of [seasoned, unused]) machine.move(id, inbound, { up: 1, down: 1 });
      clock.advance(5000);
      for (const id of [seasoned, unused])
        await act(scene).patch(id, { tariff_id: plans[store.users.get(id)?.tariffId === plans[0] ? 1 : 0] });
    };
    await holdAfterMoving();
    await moveAndPoll(false);
    expect(states(), 'all of it moved before').toEqual(['on_hold', 'on_hold']);
    await moveAndPoll();
    expect(states()).toEqual(['active', 'active']);

    // A panel that was just started does not know when the counters were last read.
    await holdAfterMoving();
    scene.kill();
    scene.boot();
    await moveAndPoll(false);
    expect(states(), 'after a crash of the panel').toEqual(['on_hold', 'on_hold']);
    await moveAndPoll();
    expect(states()).toEqual(['active', 'active']);

    // Created on hold: nothing can have moved before.
    const created = store.users.insert(
      sampleUser({
        state: 'on_hold',
        expiresAt: null,
        termBeganAt: null,
        hold: { months: 0, days: 30 },
        heldAt: clock.now(),
        createdAt: clock.now(),
      }),
    );
    await scene.waitUntilIdle();
    await scene.poll();
    machine.move(created, inbound, { up: 1, down: 1 });
    await scene.poll();
    expect(store.users.get(created)?.state).toBe('active');
    await scene.core().stop();
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
    await scene.waitUntilIdle();
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
    await scene.waitUntilIdle();
    expect(afterCut()).toEqual([35, null]);
    await act(scene).patch(disabled, { enabled: false });
    await act(scene).patch(limited, { enabled: false });
    await scene.waitUntilIdle();
    expect(afterCut(), 'a cut goes on while the user may not connect').toEqual([35, 0]);
    await moveBoth(7);
    await moveBoth(3);
    expect(afterCut()).toEqual([45, 3]);
    expect(found().slice(2)).toMatchObject([{ user_id: disabled, down: 3 }]);
    await scene.core().stop();
  });

  it('ends with the panel also while its engine starts', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    scene.machine.fault = (method) => (method === 'start' ? 'late' : null);
    await scene.poll();
    await scene.core().stop();
    expect([scene.machine.process, scene.store.nodes.get(scene.nodeId)?.status]).toEqual([null, 'unknown']);
  });

  it('stops the engine of a node that is disabled, and starts it with those who may connect then', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { store, machine, nodeId, inboundIds } = scene;
    const id = store.users.insert(sampleUser());
    await scene.poll();
    machine.move(id, inboundIds[0] ?? 0, { up: 7, down: 7 });
    await act(scene).node(nodeId, { enabled: false });
    await scene.waitUntilIdle();
    expect(machine.process).toBeNull();
    expect(store.users.get(id)?.totalUp).toBe(7);
    expect(store.nodes.get(nodeId)?.status).toBe('down');
    store.users.insert(sampleUser());
    await act(scene).node(nodeId, { enabled: true });
    await scene.waitUntilIdle();
    expect(present(scene)).toEqual(desired(scene));
    expect(listEvents(scene)).toEqual(['node.up']);
    await scene.core().stop();
  });
});

type Step =
  | { readonly type: 'move'; readonly user: number; readonly moved: { readonly up: number; readonly down: number } }
  | { readonly type: 'enable' | 'disable' | 'reissue' | 'remove' | 'create' | 'connection'; readonly user: number }
  | { readonly type: 'poll' | 'kill' | 'crash' | 'close' | 'port' | 'taken'; readonly user: number }
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
        'taken' as const,
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
    const seen = { starts: 0, restarts: 0, bytes: 0, lost: 0 };
    const check = async (steps: readonly Step[]) => {
      using temp = tempStore();
      const scene = openScene(temp);
      const { store, machine, nodeId, inboundIds } = scene;
      const [inbound = 0, other = 0] = inboundIds;
      let bytes = 0;
      // Read by the panel but not stored when the engine ended: counted, unless the panel was killed in between.
      let underway = 0;
      let port = 2000;
      for (let count = 0; count < 4; count += 1) store.users.insert(sampleUser());
      // Counts that an engine had and the store has not are lost with it.
      machine.lost = ({ boot, users, told }) => {
        const known = boot === null ? new Map() : store.sync.userCounters(nodeId, boot, [...users.keys()]);
        for (const [id, { up, down }] of users) {
          const last = known.get(id) ?? { up: 0, down: 0 };
          const waitUntilIdle = up + down - last.up - last.down;
          const read = told.get(id) ?? last;
          bytes -= waitUntilIdle;
          underway += Math.max(0, read.up + read.down - last.up - last.down);
          seen.lost += waitUntilIdle;
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
        } else if (one.type === 'taken') {
          // No other program can have a port that an engine uses.
          const taken = store.inbounds.get(other)?.port ?? 0;
          if (!machine.taken.delete(taken) && !servedPorts(scene)?.includes(taken)) machine.taken.add(taken);
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
        // Some changes come during a round, others between rounds.
        if (one.type !== 'move' && one.user % 3 > 0) await scene.waitUntilIdle();
      }
      faults.length = 0;
      machine.taken.clear();
      for (let polls = 0; polls < 12; polls += 1) await scene.poll();
      expect(present(scene)).toEqual(desired(scene));
      expect(servedPorts(scene)).toEqual(inboundIds.map((id) => store.inbounds.get(id)?.port));
      const { up, down } = store.traffic.total();
      expect(up + down).toBeGreaterThanOrEqual(bytes);
      expect(up + down).toBeLessThanOrEqual(bytes + underway);
      expect(store.nodes.get(nodeId)?.status).toBe('up');
      // Each restart has a cause: a changed connection, a port that is free again, or a panel that does not know a connection's former
      // settings.
      const reasons = listRestartReasons(scene);
      const causes = steps.some(({ type }) => type === 'taken') ? ['port', 'taken', 'kill'] : ['port'];
      const changes = steps.filter(({ type }) => causes.includes(type)).length;
      expect(reasons.filter((reason) => reason === 'configuration').length).toBeLessThanOrEqual(changes);
      expect(reasons).not.toContain('unknown_state');
      seen.restarts += reasons.length;
      seen.starts += machine.starts;
      seen.bytes += bytes;
      await scene.core().stop();
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50 }), check), { numRuns: 40 });
    expect(seen.starts).toBeGreaterThan(60);
    expect(seen.restarts).toBeGreaterThan(3);
    expect(seen.bytes).toBeGreaterThan(10_000);
  });
});
