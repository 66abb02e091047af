// A program's output goes to the log, bounded in size and work, and the program continues if nobody reads it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestTimers } from '../../tests/support/clock.ts';
import { createEngineLog } from './engine-log.ts';
import { createEngineOutput, type EngineOutput } from './engine-output.ts';

const MIB = 2 ** 20;
const MAX = 100_000;
const PIPE = 65_536;

let folder = '';
const children: ChildProcess[] = [];
const outputs: EngineOutput[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-output-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const output of outputs.splice(0)) output.close();
  rmSync(folder, { recursive: true, force: true });
});

function open() {
  const timers = createTestTimers();
  const file = join(folder, 'node-1.log');
  const log = createEngineLog(file, MAX);
  let written = 0;
  const counted = {
    ...log,
    append(part: Buffer) {
      written += part.length;
      log.append(part);
      expect(statSync(file).size).toBeLessThanOrEqual(MAX);
    },
  };
  const output = createEngineOutput({ path: join(folder, 'node-1.pipe'), log: counted, timers });
  outputs.push(output);
  return { timers, log, output, written: () => written };
}

function run(output: EngineOutput, script: string): ChildProcess {
  const said = output.open();
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', said, said] });
  if (typeof said === 'number') closeSync(said);
  children.push(child);
  output.follow(child);
  return child;
}

const FOR_EVER = 'exec yes "a line that is said again and again"';

describe.skipIf(process.platform === 'win32')('the output of a program', () => {
  test('is in the log, and the last of it is known when the program has ended', async () => {
    const { log, output } = open();
    run(output, 'echo before');
    await expect.poll(() => log.lines()).toEqual(['before']);
    const child = run(output, 'echo said; echo wrong >&2; exit 3');
    await once(child, 'exit');
    expect(output.recent()).toBe('said\nwrong\n');
    expect(log.lines()).toEqual(['before', 'said', 'wrong']);
    expect(statSync(join(folder, 'node-1.pipe')).mode & 0o777).toBe(0o600);
  });

  test('is read in bursts, however much there is, and the log never grows beyond its size', async () => {
    const { timers, log, output, written } = open();
    const child = run(output, FOR_EVER);
    for (let bursts = 1; bursts <= 3; bursts += 1) {
      await expect.poll(() => timers.pending()).toBe(1);
      expect(written()).toBeGreaterThanOrEqual(bursts * MIB);
      expect(written()).toBeLessThan(bursts * (MIB + PIPE));
      timers.pass(1000);
    }
    expect(log.lines().at(-1)).toContain('again');
    expect(output.recent().length).toBeLessThanOrEqual(PIPE);
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  });

  test('ends no program where its reader is gone, and the next reader goes on', async () => {
    const first = open();
    const child = run(first.output, FOR_EVER);
    await expect.poll(first.written).toBeGreaterThan(0);
    first.output.close();
    const before = first.written();
    const next = open();
    next.output.follow();
    await expect.poll(next.written).toBeGreaterThanOrEqual(MIB);
    expect(first.written()).toBe(before);
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  });

  test('is lost where no pipe can be made, which the log says', async () => {
    const { log, output } = open();
    const path = process.env.PATH;
    process.env.PATH = folder;
    try {
      expect(output.open()).toBe('ignore');
    } finally {
      process.env.PATH = path;
    }
    expect(log.lines()[0]).toMatch(/^no named pipe can be made at /);
    expect(output.recent()).toBe('');
  });

  test('is not read from what is no pipe', async () => {
    const { log, output } = open();
    writeFileSync(join(folder, 'node-1.pipe'), 'a file');
    output.follow();
    expect(output.recent()).toBe('');
    const child = run(output, 'echo said');
    await once(child, 'exit');
    expect([output.recent(), log.lines()]).toEqual(['said\n', ['said']]);
    expect(existsSync(join(folder, 'node-1.pipe'))).toBe(true);
  });
});
