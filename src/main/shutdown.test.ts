// The end of the application: once, in order, with an installer or without, and reported after a crash.
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fakeLog } from '../../tests/support/fake-core.ts';
import { openRunRecord } from './last-run.ts';
import { createShutdown } from './shutdown.ts';

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
  const record = openRunRecord(folder, () => 0);
  const log = fakeLog();
  record.start();
  const shutdown = createShutdown({ app: app as never, process: process as never, record, steps, log });
  /** Whether the application may quit at once. */
  const quit = () => {
    const event = { preventDefault: vi.fn() };
    events.emit('before-quit', event);
    return event.preventDefault.mock.calls.length === 0;
  };
  return { shutdown, quit, codes, process, record, log };
}

it('waits for the steps, however often it is requested', async () => {
  const done: string[] = [];
  const step = Promise.withResolvers<void>();
  const { quit, codes, shutdown, record } = setUp([
    () => step.promise.then(() => done.push('first')),
    () => done.push('second'),
  ]);
  expect([shutdown.hasStarted(), quit(), quit(), shutdown.hasStarted()]).toEqual([false, false, false, true]);
  expect(codes).toEqual([]);
  step.resolve();
  await expect.poll(() => codes).toEqual([0]);
  expect(done).toEqual(['first', 'second']);
  expect(record.consumeLastRun()).toBeNull();
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
  const { quit, codes, shutdown, record } = setUp([() => done.push('closed')]);
  await shutdown.prepare();
  expect([shutdown.resume(), shutdown.hasStarted()]).toEqual([true, false]);
  expect(record.consumeLastRun(), 'it runs again').toMatchObject({ message: null });
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

it('a step that fails does not stop the others, is logged, and is reported at the next start', async () => {
  const done: string[] = [];
  const { quit, codes, record, log } = setUp([
    () => {
      throw new Error('a full disk');
    },
    () => done.push('second'),
  ]);
  quit();
  await expect.poll(() => codes).toEqual([1]);
  expect(done).toEqual(['second']);
  expect(log.lines).toMatchObject([{ level: 'error', event: 'shutdown step failed' }]);
  expect(record.consumeLastRun()?.message).toBe('a full disk');
});

it.each(['uncaughtException', 'unhandledRejection'])('at once on %s, logged and with a report', (event) => {
  const { process, codes, record, log } = setUp([]);
  process.emit(event, new Error('a defect'));
  expect(log.lines).toMatchObject([{ level: 'error', event: 'defect' }]);
  expect([codes, record.consumeLastRun()]).toEqual([[1], { at: '1970-01-01T00:00:00.000Z', message: 'a defect' }]);
});
