// How the application ends: once, in order, with an installer or without.
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { takeCrashNote } from './crash-note.ts';
import { endInOrder } from './ending.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-ending-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function world(steps: readonly (() => unknown)[]) {
  const events = new EventEmitter();
  const codes: number[] = [];
  const app = Object.assign(events, { exit: (code: number) => void codes.push(code) });
  const defects = new EventEmitter();
  const crashPath = join(folder, 'crash.json');
  const ending = endInOrder({
    ...{ app: app as never, process: defects as never, crashPath, steps },
    now: () => 0,
    log: () => null,
  });
  /** Whether the application may end at once. */
  const quit = () => {
    const event = { preventDefault: vi.fn() };
    events.emit('before-quit', event);
    return event.preventDefault.mock.calls.length === 0;
  };
  return { ending, quit, codes, defects, crashPath };
}

it('is held up until the steps are done, however often it is asked for', async () => {
  const done: string[] = [];
  const gate = Promise.withResolvers<void>();
  const { quit, codes, ending } = world([() => gate.promise.then(() => done.push('first')), () => done.push('second')]);
  expect([ending.hasBegun(), quit(), quit(), ending.hasBegun()]).toEqual([false, false, false, true]);
  expect(codes).toEqual([]);
  gate.resolve();
  await expect.poll(() => codes).toEqual([0]);
  expect(done).toEqual(['first', 'second']);
});

it('for an installer runs the steps once, and lets the quit that follows pass', async () => {
  const done: string[] = [];
  const { quit, codes, ending } = world([() => done.push('closed')]);
  await ending.prepare();
  expect([ending.hasBegun(), quit(), quit()]).toEqual([true, true, true]);
  expect([done, codes]).toEqual([['closed'], []]);
});

it('while an installer waits for the steps, a quit waits too and begins nothing anew', async () => {
  const gate = Promise.withResolvers<void>();
  let runs = 0;
  const { quit, codes, ending } = world([
    () => {
      runs += 1;
      return gate.promise;
    },
  ]);
  const prepared = ending.prepare();
  expect(quit()).toBe(false);
  gate.resolve();
  await prepared;
  expect([quit(), runs, codes]).toEqual([true, 1, []]);
});

it('a step that fails keeps no other from running, and is told at the next start', async () => {
  const done: string[] = [];
  const { quit, codes, crashPath } = world([
    () => {
      throw new Error('a full disk');
    },
    () => done.push('second'),
  ]);
  quit();
  await expect.poll(() => codes).toEqual([1]);
  expect(done).toEqual(['second']);
  expect(takeCrashNote(crashPath)?.message).toBe('a full disk');
});

it.each(['uncaughtException', 'unhandledRejection'])('at once on %s, with a note', (event) => {
  const { defects, codes, crashPath } = world([]);
  defects.emit(event, new Error('a defect'));
  expect([codes, takeCrashNote(crashPath)]).toEqual([[1], { at: '1970-01-01T00:00:00.000Z', message: 'a defect' }]);
});
