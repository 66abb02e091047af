// Background work of a core: a stop waits for it, aborts waits for others, and nothing runs afterwards.
import { expect, it } from 'vitest';
import { createTestTimers } from '../../../tests/support/clock.ts';
import { fakeLog } from '../../../tests/support/fake-core.ts';
import { PanelError } from './panel-error.ts';
import { createTasks } from './tasks.ts';

function open() {
  const timers = createTestTimers();
  const log = fakeLog();
  return { timers, log, tasks: createTasks({ timers, log }) };
}

const unavailable = expect.objectContaining({ code: 'unavailable' });

it('a stop waits for what runs, and for what that begins', async () => {
  const { tasks } = open();
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done: string[] = [];
  void tasks.run(async () => {
    await gates[0]?.promise;
    done.push('first');
    tasks.start('second', async () => {
      await gates[1]?.promise;
      done.push('second');
    });
  });
  tasks.beginStop();
  expect(tasks.isStopping()).toBe(true);
  const idle = tasks.idle().then(() => [...done]);
  gates[0]?.resolve();
  await expect.poll(() => done).toEqual(['first']);
  gates[1]?.resolve();
  expect(await idle).toEqual(['first', 'second']);
});

it('a stop waits for what its callers wait for, and for what they do next', async () => {
  const { tasks } = open();
  const gate = Promise.withResolvers<string>();
  const done: string[] = [];
  const part = tasks.track({
    name: 'no function',
    atOnce: () => 'at once',
    later: () => gate.promise,
    next: async () => void done.push('next'),
  });
  expect([part.name, part.atOnce()]).toEqual(['no function', 'at once']);
  const caller = part.later().then(() => part.next());
  const idle = tasks.idle().then(() => [...done]);
  gate.resolve('');
  expect(await idle).toEqual(['next']);
  await caller;
  tasks.end();
  expect(part.atOnce).toThrow(unavailable);
  await expect(tasks.run(async () => {})).rejects.toEqual(unavailable);
});

it('what waits for others is cut by a stop, and their answer is worth nothing then', async () => {
  const { tasks } = open();
  expect(await tasks.untilStop(Promise.resolve('answer'))).toBe('answer');
  await expect(tasks.untilStop(Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  const answer = Promise.withResolvers<string>();
  const waiting = tasks.untilStop(answer.promise);
  tasks.beginStop();
  await expect(waiting).rejects.toEqual(unavailable);
  answer.reject(new Error('too late'));
  await expect(tasks.untilStop(new Promise(() => {}))).rejects.toEqual(unavailable);
});

it('a failure in the background is logged, unless the stop is its cause', async () => {
  const { tasks, log } = open();
  const fail = (code: 'unavailable' | 'internal') => () => Promise.reject(new PanelError(code));
  tasks.start('sweep', fail('unavailable'));
  await tasks.idle();
  tasks.beginStop();
  tasks.start('prune', fail('unavailable'));
  tasks.start('backup', fail('internal'));
  await tasks.idle();
  expect(log.lines.map(({ level, event }) => `${level}: ${event}`)).toEqual([
    'error: sweep failed',
    'error: backup failed',
  ]);
});

it('timers fire until the end, and not after it, also those that are set then', async () => {
  const { tasks, timers } = open();
  const fired: string[] = [];
  const set = (when: string) => [
    tasks.timers.every(1, () => fired.push(`every ${when}`)),
    tasks.timers.after(1, () => fired.push(`after ${when}`)),
  ];
  const fire = async () => {
    timers.tick();
    timers.expire();
    await new Promise((resolve) => setImmediate(resolve));
  };
  set('first');
  for (const cancel of set('cancelled')) cancel();
  tasks.timers.soon(() => fired.push('soon'));
  await fire();
  expect(fired.splice(0).sort()).toEqual(['after first', 'every first', 'soon']);
  set('second');
  tasks.timers.soon(() => fired.push('soon'));
  tasks.end();
  for (const cancel of set('third')) cancel();
  tasks.timers.soon(() => fired.push('soon'));
  expect(timers.pending()).toBe(0);
  await fire();
  expect(fired).toEqual([]);
});
