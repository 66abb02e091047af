// The end of the application: once, in order, with an installer or without, and reported after a crash.
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createShutdown, takeCrashReport, writeCrashReport } from './shutdown.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-shutdown-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function setUp(steps: readonly (() => unknown)[]) {
  const events = new EventEmitter();
  const codes: number[] = [];
  const app = Object.assign(events, { exit: (code: number) => void codes.push(code) });
  const process = new EventEmitter();
  const crashPath = join(folder, 'crash.json');
  const shutdown = createShutdown({
    app: app as never,
    process: process as never,
    crashPath,
    steps,
    now: () => 0,
    log: () => null,
  });
  /** Whether the application may quit at once. */
  const quit = () => {
    const event = { preventDefault: vi.fn() };
    events.emit('before-quit', event);
    return event.preventDefault.mock.calls.length === 0;
  };
  return { shutdown, quit, codes, process, crashPath };
}

it('waits for the steps, however often it is requested', async () => {
  const done: string[] = [];
  const step = Promise.withResolvers<void>();
  const { quit, codes, shutdown } = setUp([
    () => step.promise.then(() => done.push('first')),
    () => done.push('second'),
  ]);
  expect([shutdown.hasStarted(), quit(), quit(), shutdown.hasStarted()]).toEqual([false, false, false, true]);
  expect(codes).toEqual([]);
  step.resolve();
  await expect.poll(() => codes).toEqual([0]);
  expect(done).toEqual(['first', 'second']);
});

it('runs the steps once for an installer, and does not delay the quit that follows', async () => {
  const done: string[] = [];
  const { quit, codes, shutdown } = setUp([() => done.push('closed')]);
  await shutdown.prepare();
  expect([shutdown.hasStarted(), quit(), quit()]).toEqual([true, true, true]);
  expect([done, codes]).toEqual([['closed'], []]);
});

it('runs the steps again after an installer that did not start, and does not resume while it quits', async () => {
  const done: string[] = [];
  const { quit, codes, shutdown } = setUp([() => done.push('closed')]);
  await shutdown.prepare();
  expect([shutdown.resume(), shutdown.hasStarted()]).toEqual([true, false]);
  expect(quit()).toBe(false);
  await expect.poll(() => codes).toEqual([0]);
  expect(done).toEqual(['closed', 'closed']);

  const other = setUp([]);
  await other.shutdown.prepare();
  expect([other.quit(), other.shutdown.resume()]).toEqual([true, false]);
});

it('while an installer waits for the steps, a quit waits too and runs no step again', async () => {
  const step = Promise.withResolvers<void>();
  let runs = 0;
  const { quit, codes, shutdown } = setUp([
    () => {
      runs += 1;
      return step.promise;
    },
  ]);
  const prepared = shutdown.prepare();
  expect(quit()).toBe(false);
  step.resolve();
  await prepared;
  expect([quit(), runs, codes]).toEqual([true, 1, []]);
});

it('a step that fails does not stop the others, and is reported at the next start', async () => {
  const done: string[] = [];
  const { quit, codes, crashPath } = setUp([
    () => {
      throw new Error('a full disk');
    },
    () => done.push('second'),
  ]);
  quit();
  await expect.poll(() => codes).toEqual([1]);
  expect(done).toEqual(['second']);
  expect(takeCrashReport(crashPath)?.message).toBe('a full disk');
});

it.each(['uncaughtException', 'unhandledRejection'])('at once on %s, with a report', (event) => {
  const { process, codes, crashPath } = setUp([]);
  process.emit(event, new Error('a defect'));
  expect([codes, takeCrashReport(crashPath)]).toEqual([[1], { at: '1970-01-01T00:00:00.000Z', message: 'a defect' }]);
});

it('a crash is reported once', () => {
  const path = join(folder, 'deep', 'crash.json');
  writeCrashReport(path, new Error('first line\nsecond'), '2026-11-20T10:00:00.000Z');
  expect(takeCrashReport(path)).toEqual({ at: '2026-11-20T10:00:00.000Z', message: 'first line' });
  expect(takeCrashReport(path)).toBeNull();
});
