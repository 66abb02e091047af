// Updating engines of several nodes: one machine after the other, stopping at the first failure.
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTestClock, createTestTimers } from '../../../tests/support/clock.ts';
import { ADMINISTRATOR_CALL, coreParts } from '../../../tests/support/core.ts';
import { createFakeMachine } from '../../../tests/support/fake-engine.ts';
import { sampleInbound } from '../../../tests/support/subscription-samples.ts';
import { sampleNode, sampleUser, type TempStore, tempStore } from '../../../tests/support/temp-store.ts';
import type { Input } from '../../contract/table.ts';
import { createCore } from '../create-core.ts';
import { EngineError, type EngineJob, type MachinePrograms } from '../ports/engines.ts';

const PASSWORD = 'correct horse battery';
const NEXT = 'xray-26.9.11';

interface Machine {
  programs: MachinePrograms;
  /** The requested engines. */
  readonly asked: (string | null)[];
  isAway: boolean;
}

const atHome = (more: Partial<MachinePrograms> = {}): MachinePrograms => ({
  current: 'xray-26.3.23',
  former: null,
  offered: [NEXT],
  hasOwnPath: false,
  job: null,
  ...more,
});

async function openScene(temp: TempStore, count: number) {
  const { store } = temp;
  const timers = createTestTimers();
  const clock = createTestClock(Date.UTC(2026, 10, 20));
  const machines = Array.from({ length: count }, (): Machine => ({ programs: atHome(), asked: [], isAway: false }));
  const pin = 'a'.repeat(64);
  const ids = machines.map(() => store.nodes.insert(sampleNode({ kind: 'remote', agentPort: 1, agentPin: pin })));
  const core = createCore({
    ...coreParts(temp, { clock }),
    timers,
    openEngine({ id }) {
      const machine = machines[ids.indexOf(id)];
      if (!machine) return null;
      return {
        ...createFakeMachine().attach().engine,
        async programs() {
          if (machine.isAway) throw new EngineError('engine_unreachable', 'no answer in 30 s');
          return machine.programs;
        },
        async changeProgram(name) {
          machine.asked.push(name);
          machine.programs = { ...machine.programs, job: { name, state: 'running', reason: '' } };
        },
      };
    },
  });
  await core.local.setUp('admin', PASSWORD);
  core.start();
  const waitUntilIdle = async () => {
    for (let turn = 0; turn < 80; turn += 1) await setImmediate();
  };
  await waitUntilIdle();
  const call = async <Id extends 'previewEngineUpdate' | 'updateEngines' | 'stopEngineUpdate'>(
    id: Id,
    input: Input<Id>,
  ) => (await core.call(id, input, ADMINISTRATOR_CALL)).body;
  return {
    ids,
    machines,
    preview: (engine: string | null) => call('previewEngineUpdate', { engine }),
    begin: (engine: string | null, nodeIds: number[] = ids) =>
      call('updateEngines', { node_ids: nodeIds, engine, password: PASSWORD }),
    stop: () => call('stopEngineUpdate', {}),
    states: () => {
      const { update } = core.call('getEngineUpdate', {}, ADMINISTRATOR_CALL).body;
      return [update?.is_running, update?.steps.map(({ state }) => state)];
    },
    /** A machine has finished, and the panel has polled it. */
    async finish(index: number, job: Omit<EngineJob, 'name'>) {
      const machine = machines[index];
      if (machine) machine.programs = { ...machine.programs, job: { name: NEXT, ...job } };
      timers.expire();
      await waitUntilIdle();
    },
    async look() {
      timers.expire();
      await waitUntilIdle();
    },
    waitUntilIdle,
    core,
  };
}

describe('an update of engines', () => {
  it('goes from node to node, each when the one before is well', async () => {
    using temp = tempStore();
    const scene = await openScene(temp, 3);
    const begun = await scene.begin(NEXT);
    expect(begun).toMatchObject({ engine: NEXT, is_running: true });
    await scene.waitUntilIdle();
    expect(scene.machines.map(({ asked }) => asked)).toEqual([[NEXT], [], []]);
    await scene.look();
    expect(scene.states()).toEqual([true, ['running', 'waiting', 'waiting']]);
    // A second update is not started meanwhile.
    expect(await scene.begin(null)).toMatchObject({ engine: NEXT });
    await scene.finish(0, { state: 'switched', reason: '' });
    expect(scene.machines.map(({ asked }) => asked)).toEqual([[NEXT], [NEXT], []]);
    await scene.finish(1, { state: 'same', reason: '' });
    await scene.finish(2, { state: 'switched', reason: '' });
    expect(scene.states()).toEqual([false, ['switched', 'same', 'switched']]);
    await scene.core.stop();
  });

  it.each(['refused', 'taken_back', 'failed'] as const)('ends with the first that is %s', async (state) => {
    using temp = tempStore();
    const scene = await openScene(temp, 3);
    await scene.begin(NEXT);
    await scene.waitUntilIdle();
    await scene.finish(0, { state: 'switched', reason: '' });
    await scene.finish(1, { state, reason: 'unknown cipher' });
    expect(scene.states()).toEqual([false, ['switched', state, 'skipped']]);
    expect(scene.machines[2]?.asked).toEqual([]);
    await scene.core.stop();
  });

  it('waits for a machine that does not answer in between, and gives up one that has forgotten', async () => {
    using temp = tempStore();
    const scene = await openScene(temp, 2);
    const [first, second] = scene.machines;
    if (!first || !second) throw new Error('no machines');
    await scene.begin(null);
    await scene.waitUntilIdle();
    first.isAway = true;
    for (let looks = 0; looks < 5; looks += 1) await scene.look();
    expect(scene.states()).toEqual([true, ['running', 'waiting']]);
    first.isAway = false;
    await scene.finish(0, { state: 'switched', reason: '' });
    second.programs = atHome();
    await scene.look();
    expect(scene.states()).toEqual([false, ['switched', 'failed']]);
    expect(second.asked).toEqual([null]);
    await scene.core.stop();
  });

  it('ends after the present node where it is stopped', async () => {
    using temp = tempStore();
    const scene = await openScene(temp, 2);
    await scene.begin(NEXT);
    await scene.waitUntilIdle();
    await scene.stop();
    await scene.finish(0, { state: 'switched', reason: '' });
    expect(scene.states()).toEqual([false, ['switched', 'skipped']]);
    await scene.core.stop();
  });

  it('begins at no node that is not there', async () => {
    using temp = tempStore();
    const scene = await openScene(temp, 1);
    await expect(scene.begin(NEXT, [...scene.ids, 4_000_000])).rejects.toMatchObject({ code: 'not_found' });
    expect([scene.states(), scene.machines[0]?.asked]).toEqual([[undefined, undefined], []]);
    await scene.core.stop();
  });
});

it('says before what it changes for the users of each node, and where it cannot be done', async () => {
  using temp = tempStore();
  const scene = await openScene(temp, 3);
  const [first, away, own] = scene.machines;
  if (!first || !away || !own) throw new Error('no machines');
  away.isAway = true;
  own.programs = atHome({ hasOwnPath: true });
  const nodeId = scene.ids[0] ?? 0;
  const shape = { nodeId, network: 'tcp', security: 'reality' } as const;
  const { id: _, ...reality } = sampleInbound({ ...shape, tag: 'reality', port: 1001 });
  const inboundId = temp.store.inbounds.insert(reality);
  const { store } = temp;
  const readers = [
    ['SFA/1.14.1', 'active', null],
    ['SFI/1.13.1', 'active', [inboundId]],
    ['Happ/3.1', 'on_hold', [inboundId]],
    ['SFA/1.14.1', 'disabled', null],
    [null, 'active', null],
  ] as const;
  for (const [app, state, inbounds] of readers)
    store.linkReads.recordRead(store.users.insert(sampleUser({ state, inbounds })), { at: 0, app });
  const newest = await scene.preview('xray-26.10.10');
  expect(newest.nodes.map(({ cut_off }) => cut_off)).toEqual([
    { total: 4, users: 2, unknown: 1, reasons: [{ core: 'sing-box', fingerprint: null, users: 2 }] },
    null,
    null,
  ]);
  // Users who keep a connection of another node are not counted, as long as that node is up.
  const otherId = scene.ids[1] ?? 0;
  const tls = { nodeId: otherId, protocol: 'trojan', network: 'tcp', security: 'tls' } as const;
  const { id: _other, ...other } = sampleInbound({ ...tls, tag: 'tls', port: 1002 });
  store.inbounds.insert(other);
  const countUsers = async (status: 'up' | 'down') => {
    const row = store.nodes.get(otherId);
    if (row) store.nodes.save({ ...row, enabled: true, status, coreName: 'xray', coreVersion: '26.7.28' });
    return (await scene.preview('xray-26.10.10')).nodes[0]?.cut_off?.users;
  };
  expect([await countUsers('down'), await countUsers('up')]).toEqual([2, 1]);
  const newer = await scene.preview('xray-26.6.27');
  expect(newer.nodes[0]?.cut_off).toMatchObject({ users: 0 });
  expect(newer.offered).toEqual([NEXT]);
  expect(newer.nodes.map(({ problem }) => problem)).toEqual([null, 'unreachable', 'own_path']);
  expect(newer.nodes[0]).toMatchObject({ current: 'xray-26.3.23', gained: ['wireguard'], lost: [], unserved: [] });
  const older = await scene.preview('xray-1.7.0');
  expect(older.nodes[0]?.lost).toEqual(expect.arrayContaining(['reality', 'hysteria2', 'addresses']));
  expect(older.nodes[0]?.unserved).toEqual([inboundId]);
  await scene.core.stop();
});
