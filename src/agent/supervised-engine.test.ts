// A crashed engine is restarted as the panel left it; one that the panel stops is not.
import { expect, it } from 'vitest';
import { createTestTimers } from '../../tests/support/clock.ts';
import { createCountingCrypto, createFakeMachine } from '../../tests/support/fake-engine.ts';
import { createTestLog } from '../../tests/support/log.ts';
import { noLease } from '../../tests/support/node-lease.ts';
import type { EngineInbound } from '../core/ports/engines.ts';
import { RESTART_MS, superviseEngine } from './supervised-engine.ts';

const PAUSE = 30_000;
const INBOUND = { id: 1, tag: 'in', port: 443, protocol: 'vless' } as EngineInbound;
const OTHER = { ...INBOUND, id: 2, tag: 'other', port: 444 };
const CONFIG = { inbounds: [INBOUND, OTHER], blocksPrivate: true };
const user = (userId: number) => ({
  userId,
  credentials: { uuid: `u${userId}`, password: 'p', key: 'k', wireguard: 'w' },
});
/** Waits for the work that a timer has started. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

function open() {
  const machine = createFakeMachine();
  const timers = createTestTimers();
  const crypto = createCountingCrypto();
  const engine = superviseEngine(machine.attach().engine, { crypto, timers, log: createTestLog(), lease: noLease });
  const members = () => [1, 2].map((id) => [...(machine.process?.members.get(id)?.keys() ?? [])].sort());
  return { machine, timers, engine, members };
}

it('starts an engine again that ended by itself, with whom it served last and a mark of its own', async () => {
  const { machine, timers, engine, members } = open();
  await engine.start(
    CONFIG,
    [1, 2].map((id) => ({ ...user(id), inbounds: [1, 2] })),
    'a1',
  );
  machine.refuses.add(4);
  const changes = [
    { inbound: OTHER, user: user(1), isAllowed: false },
    { inbound: INBOUND, user: user(2), isAllowed: false },
    { inbound: OTHER, user: user(2), isAllowed: false },
    { inbound: INBOUND, user: user(3), isAllowed: true },
    { inbound: INBOUND, user: user(4), isAllowed: true },
  ];
  expect((await engine.apply(changes)).map((outcome) => outcome === null)).toEqual([true, true, true, true, false]);
  machine.crash();
  timers.pass(PAUSE - 1);
  await settled();
  expect(machine.process, 'a panel that is there comes first').toBeNull();
  timers.pass(1);
  await settled();
  expect(members()).toEqual([[1, 3], []]);
  expect(machine.process?.boot).toBe('a1r01');

  machine.refusesConfig = () => true;
  machine.crash();
  timers.pass(PAUSE);
  await settled();
  expect(machine.process).toBeNull();
  machine.refusesConfig = () => false;
  timers.pass(PAUSE);
  await settled();
  expect(machine.process?.boot, 'it is tried again').toBe('a1r02');
  engine.close();
});

it('reopens a connection with whom it serves by now, and is started again where that fails', async () => {
  const { machine, timers, engine, members } = open();
  await engine.start(
    CONFIG,
    [1, 2].map((id) => ({ ...user(id), inbounds: [1, 2] })),
    'a1',
  );
  machine.move(1, 1, { up: 1, down: 1 });
  // Each change comes before or after the reopening, none in between.
  const change = (userId: number, isAllowed: boolean) =>
    engine.apply([{ inbound: INBOUND, user: user(userId), isAllowed }]);
  await Promise.all([change(1, false), engine.reopen?.(INBOUND, async () => []), change(2, false), change(3, true)]);
  expect([members(), machine.process?.open.size]).toEqual([[[3], [1, 2]], 0]);
  await expect(engine.reopen?.({ ...INBOUND, id: 9 }, async () => [])).rejects.toMatchObject({
    code: 'engine_refused',
  });
  machine.canReopen = false;
  await expect(engine.reopen?.(INBOUND, async () => [])).rejects.toMatchObject({ code: 'engine_refused' });
  timers.pass(PAUSE);
  await settled();
  expect(machine.starts, 'nothing was changed').toBe(1);
  machine.fault = (method) => (method === 'reopen' ? 'hang' : null);
  await expect(engine.reopen?.(INBOUND, async () => [])).rejects.toMatchObject({ code: 'engine_unreachable' });
  timers.pass(0);
  await settled();
  expect([machine.starts, members()]).toEqual([2, [[3], [1, 2]]]);
  engine.close();
});

it('leaves alone what the panel has started or stopped since, and a user over whom the engine ended', async () => {
  const { machine, timers, engine, members } = open();
  await engine.start(CONFIG, [{ ...user(1), inbounds: [1] }], 'first');
  machine.poison.add('2 1');
  await expect(engine.apply([{ inbound: INBOUND, user: user(2), isAllowed: true }])).rejects.toMatchObject({
    code: 'engine_crashed',
  });
  timers.pass(PAUSE);
  await settled();
  expect(members()).toEqual([[1], []]);

  machine.crash();
  await engine.start(CONFIG, [], 'second');
  timers.pass(PAUSE);
  await settled();
  expect(machine.process?.boot).toBe('second');

  machine.crash();
  await engine.stop();
  timers.pass(PAUSE);
  await settled();
  expect(machine.process).toBeNull();
  expect(timers.pending()).toBe(0);
  engine.close();
});

it('starts an engine again that the panel stopped to start it, where the panel does not', async () => {
  const { machine, timers, engine, members } = open();
  await engine.start(CONFIG, [{ ...user(1), inbounds: [1] }], 'first');
  await engine.stop(true);
  await engine.start(CONFIG, [{ ...user(2), inbounds: [1] }], 'second');
  timers.pass(RESTART_MS);
  await settled();
  expect(machine.process?.boot, 'the panel has').toBe('second');

  await engine.stop(true);
  timers.pass(RESTART_MS - 1);
  await settled();
  expect(machine.process).toBeNull();
  timers.pass(1);
  await settled();
  expect(machine.process?.boot).toBe('secondr01');
  expect(members()).toEqual([[2], []]);
  engine.close();
});

it('starts again what can be served where a port is taken meanwhile, and the others when that is free', async () => {
  const { machine, timers, engine, members } = open();
  await engine.start(CONFIG, [{ ...user(1), inbounds: [1, 2] }], 'first');
  machine.taken.add(OTHER.port);
  machine.crash();
  timers.pass(PAUSE);
  await settled();
  expect(members()).toEqual([[1], []]);
  expect(machine.process?.boot).toBe('firstr01');
  expect(engine.served()?.inbounds).toEqual([INBOUND]);
  for (let minutes = 0; minutes < 3; minutes += 1) {
    timers.pass(60_000);
    await settled();
  }
  expect(machine.starts, 'no user is cut off for nothing').toBe(2);
  machine.taken.clear();
  timers.pass(60_000);
  await settled();
  expect(members()).toEqual([[1], [1]]);
  expect([machine.starts, engine.served()]).toEqual([3, CONFIG]);

  // A fault that only a start reveals does not cost the other inbounds.
  machine.forbidden.add(OTHER.port);
  await engine.restart();
  for (let minutes = 0; minutes < 3; minutes += 1) {
    timers.pass(60_000);
    await settled();
  }
  expect([machine.starts, members()]).toEqual([4, [[1], []]]);
  // If nothing can be served, the start is tried again.
  machine.forbidden.clear();
  machine.taken.add(INBOUND.port).add(OTHER.port);
  machine.crash();
  timers.pass(PAUSE);
  await settled();
  expect(machine.process).toBeNull();
  machine.taken.clear();
  timers.pass(PAUSE);
  await settled();
  expect(members()).toEqual([[1], [1]]);
  engine.close();
});

it('answers what runs after its own restart, not in the middle of it', async () => {
  const { machine, engine } = open();
  await engine.start(CONFIG, [{ ...user(1), inbounds: [1] }], 'first');
  const restarted = engine.restart();
  expect((await engine.running())?.boot).toBe('firstr01');
  await restarted;
  machine.crash();
  expect(await engine.running()).toBeNull();
  engine.close();
});

it('tries no start again that fails while it is closed', async () => {
  const { machine, timers, engine } = open();
  await engine.start(CONFIG, [{ ...user(1), inbounds: [1] }], 'first');
  machine.crash();
  machine.fault = (method) => {
    if (method === 'check') engine.close();
    return method === 'check' ? 'hang' : null;
  };
  timers.pass(PAUSE);
  await settled();
  expect([machine.process, timers.pending()]).toEqual([null, 0]);
});
