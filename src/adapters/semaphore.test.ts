// How many run at once, and that a failure gives its place back.
import { expect, test } from 'vitest';
import { createGate } from './semaphore.ts';

test('at most two run at once, in the order they came', async () => {
  const passThrough = createGate(2);
  let running = 0;
  let most = 0;
  const order: number[] = [];
  const work = (name: number) => async () => {
    running += 1;
    most = Math.max(most, running);
    order.push(name);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  await Promise.all([1, 2, 3, 4, 5].map((name) => passThrough(work(name))));
  expect(most).toBe(2);
  expect(order).toEqual([1, 2, 3, 4, 5]);
});

test('work that fails makes room for the next', async () => {
  const passThrough = createGate(1);
  const failing = passThrough(() => Promise.reject(new Error('no')));
  const next = passThrough(() => Promise.resolve('done'));
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});
