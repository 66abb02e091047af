// A machine rolls a new engine back for the engine's own faults, and not because of what the panel does meanwhile.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, type TestOptions, vi } from 'vitest';
import { createTestTimers } from '../../tests/support/clock.ts';
import { createCountingCrypto, createFakeMachine } from '../../tests/support/fake-engine.ts';
import { createTestLog } from '../../tests/support/log.ts';
import { noLease } from '../../tests/support/node-lease.ts';
import { type EngineConfig, EngineError, type EngineInbound } from '../core/ports/engines.ts';
import { programPath, readProgramsInUse, writeProgramsInUse } from './programs.ts';
import { RESTART_MS, superviseEngine } from './supervised-engine.ts';
import { nodeCommand } from './switch-engine.ts';

const FORMER = 'xray-26.3.28';
const NEXT = 'xray-26.3.29';
const INBOUND = { id: 1, tag: 'in', port: 443, protocol: 'vless' } as EngineInbound;
const CONFIG: EngineConfig = { inbounds: [INBOUND], blocksPrivate: true };
const EDITED: EngineConfig = { ...CONFIG, inbounds: [{ ...INBOUND, port: 8443 }] };
const OPTIONS: TestOptions = { skip: process.platform === 'win32' };

const LOOK_MS = 1000;
const WATCH_MS = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A machine whose engine was switched to the next version and is being watched. */
async function openWatched() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-engine-'));
  for (const name of [FORMER, NEXT]) {
    const path = programPath(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\necho "Xray ${name.slice('xray-'.length)} (a test)"\n`);
    chmodSync(path, 0o755);
  }
  writeProgramsInUse(folder, { current: FORMER, former: null });
  const machine = createFakeMachine();
  const timers = createTestTimers();
  const crypto = createCountingCrypto();
  const log = createTestLog();
  const engine = superviseEngine(machine.attach().engine, { crypto, timers, log, lease: noLease });
  await engine.start(CONFIG, [], 'a');
  /** By the path of the program: configurations that it has refused. */
  const refused = new Map<string, EngineConfig>();
  const checked: string[] = [];
  const check = async (path: string, config: EngineConfig) => {
    checked.push(path);
    if (refused.get(path) === config) throw new EngineError('config_refused', 'unknown cipher');
  };
  const parts = { folder, engine, check, log, hasOwnPath: false };
  const switched = nodeCommand(parts, 'engine-switch', { name: NEXT });
  await expect.poll(() => machine.starts).toBe(2);
  const look = () => vi.advanceTimersByTimeAsync(LOOK_MS);
  await look();
  expect(readProgramsInUse(folder).current).toBe(NEXT);
  return {
    machine,
    engine,
    timers,
    look,
    /** The outcome after the watch. */
    async outcome() {
      await vi.advanceTimersByTimeAsync(WATCH_MS);
      return switched;
    },
    checked,
    refuse: (name: string, config: EngineConfig) => refused.set(programPath(folder, name), config),
    again: (name: string) => nodeCommand(parts, 'engine-switch', { name }),
    current: () => readProgramsInUse(folder).current,
    close() {
      engine.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

it('is not taken back where the panel restarts it for another configuration', OPTIONS, async () => {
  const { engine, machine, look, outcome, current, close } = await openWatched();
  await engine.stop(true);
  await look();
  await engine.start(EDITED, [], 'b');
  expect(await outcome()).toEqual({ outcome: 'switched', reason: '' });
  expect([current(), machine.process?.boot]).toEqual([NEXT, 'b']);
  close();
});

it('is not taken back where the panel stops it', OPTIONS, async () => {
  const { engine, machine, look, outcome, current, close } = await openWatched();
  await engine.stop();
  await look();
  expect(await outcome()).toEqual({ outcome: 'switched', reason: '' });
  expect([current(), machine.process]).toEqual([NEXT, null]);
  close();
});

it('is taken back where it does not start with what the former one takes', OPTIONS, async () => {
  const { engine, machine, outcome, current, close } = await openWatched();
  await engine.stop(true);
  machine.refusesConfig = (config) => config === EDITED;
  await expect(engine.start(EDITED, [], 'b')).rejects.toThrow('unknown cipher');
  expect(await outcome()).toEqual({ outcome: 'taken_back', reason: 'unknown cipher' });
  expect(current()).toBe(FORMER);
  // The panel tries again.
  machine.refusesConfig = () => false;
  await engine.start(EDITED, [], 'c');
  expect(machine.process?.boot).toBe('c');
  close();
});

it('is not taken back for a configuration that the former one refuses too', OPTIONS, async () => {
  const { engine, machine, refuse, look, checked, outcome, current, close } = await openWatched();
  refuse(FORMER, EDITED);
  const before = checked.length;
  await engine.stop(true);
  machine.refusesConfig = (config) => config === EDITED;
  for (const boot of ['b', 'c']) {
    await expect(engine.start(EDITED, [], boot)).rejects.toThrow('unknown cipher');
    await look();
  }
  await engine.start(CONFIG, [], 'd');
  expect(await outcome()).toEqual({ outcome: 'switched', reason: '' });
  expect([current(), machine.process?.boot, checked.length - before]).toEqual([NEXT, 'd', 2]);
  close();
});

it('is taken back where it ends by itself, or does not start when the panel stays away', OPTIONS, async () => {
  const crashed = await openWatched();
  crashed.machine.crash();
  expect(await crashed.outcome()).toEqual({ outcome: 'taken_back', reason: 'panic: nil pointer' });
  expect([crashed.current(), crashed.machine.process?.config]).toEqual([FORMER, CONFIG]);
  crashed.close();

  const left = await openWatched();
  await left.engine.stop(true);
  await left.look();
  left.machine.refusesConfig = () => true;
  left.timers.pass(RESTART_MS);
  expect(await left.outcome()).toMatchObject({ outcome: 'taken_back' });
  expect(left.current()).toBe(FORMER);
  left.close();
});

it('is switched alone', OPTIONS, async () => {
  const { again, outcome, current, close } = await openWatched();
  expect(await again(FORMER)).toMatchObject({ outcome: 'refused' });
  expect(await outcome()).toMatchObject({ outcome: 'switched' });
  expect(current()).toBe(NEXT);
  close();
});
