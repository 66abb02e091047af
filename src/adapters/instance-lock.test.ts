// One owner at a time, across processes; a killed one leaves nothing behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acquireLock, lockOwner } from './instance-lock.ts';

let folder = '';
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-lock-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** A process that takes the lock, reports it and stays. */
async function startOwner(): Promise<ChildProcess> {
  const module = JSON.stringify(new URL('./instance-lock.ts', import.meta.url).href);
  // Runs the garbage collector: a lock whose object is no longer referenced must stay.
  const script = `import { acquireLock } from ${module}; acquireLock(${JSON.stringify(folder)}, 'serve');
    setImmediate(() => { gc(); setImmediate(() => { gc(); console.log('mine'); setInterval(() => {}, 1000); }); });`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

test('a second one in the same process is refused until the first is released', () => {
  const first = acquireLock(folder, 'serve');
  expect(first).not.toBeNull();
  expect(acquireLock(folder, 'setup')).toBeNull();
  first?.release();
  const second = acquireLock(folder, 'setup');
  expect(second).not.toBeNull();
  second?.release();
});

test('another process is refused and told who the owner is', async () => {
  const owner = await startOwner();
  expect(acquireLock(folder, 'setup')).toBeNull();
  expect(lockOwner(folder)).toEqual({ pid: owner.pid, command: 'serve' });
});

test('a killed owner leaves no lock behind, though its name stays', async () => {
  const owner = await startOwner();
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  expect(lockOwner(folder)?.pid).toBe(owner.pid);
  const lock = acquireLock(folder, 'serve');
  expect(lock).not.toBeNull();
  expect(lockOwner(folder)?.pid).toBe(process.pid);
  lock?.release();
  expect(lockOwner(folder)).toBeNull();
});

test('releasing twice does not take the next owner its name', () => {
  const first = acquireLock(folder, 'serve');
  first?.release();
  const second = acquireLock(folder, 'setup');
  first?.release();
  expect(lockOwner(folder)?.command).toBe('setup');
  second?.release();
});

test('a malformed owner file names no owner', () => {
  writeFileSync(join(folder, 'owner.json'), '{"pid":"x"');
  expect(lockOwner(folder)).toBeNull();
});
