// Two panels of one database with the machines of two nodes: one is obeyed, the other can only be read, and no engine is restarted over it.
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { promotePanel } from '../../src/panel/promote.ts';
import { freePort } from '../support/free-port.ts';
import { times } from '../support/long.ts';
import { readSeed } from '../support/seed.ts';
import { openTwoPanels, Place, POLLED } from '../support/two-panels.ts';

/** mulberry32. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const seed = readSeed('TWO_PANELS_SEED');

test(`restored elsewhere, in ${times(20, 100)} random orders of starts and stops (TWO_PANELS_SEED=${seed})`, async () => {
  await using stack = new AsyncDisposableStack();
  const { parent, first, tariffId, starts } = await openTwoPanels(stack);
  const backup = await first.backUp();
  // Written after the backup, and so on this machine only.
  await first.write('Late', tariffId);

  const second = new Place(parent, 'second', await freePort());
  stack.defer(() => second.stop());
  await second.start();
  await second.restore(backup);
  await expect.poll(() => second.statuses(), POLLED).toEqual(['up', 'up']);
  await expect.poll(() => first.role(), POLLED).toBe('superseded');
  const adopted = [1, 1];
  expect(starts(), 'no engine was restarted').toEqual(adopted);

  const random = createRandom(seed);
  for (let order = 0; order < times(20, 100); order += 1) {
    const place = [first, second][random(2)] ?? first;
    if (place.panel === null) await place.start();
    else await place.stop();
    await first.write(`first ${order}`, tariffId);
    await second.write(`second ${order}`, tariffId);
    if (first.panel !== null) expect([order, first.role()]).toEqual([order, 'superseded']);
    if (second.panel !== null) await expect.poll(() => second.statuses(), POLLED).toEqual(['up', 'up']);
    expect([order, second.role() ?? 'active', starts()]).toEqual([order, 'active', adopted]);
  }
  expect(first.given, 'nothing was written after the other panel was heard of').toEqual(['user 1', 'user 2']);
  expect(new Set([...first.given, ...second.given]).size).toBe(first.given.length + second.given.length);
  expect(existsSync(join(first.folder, 'superseded.json'))).toBe(true);

  // A person decides for the first one again.
  await first.stop();
  await second.start();
  expect(promotePanel(first.folder)).toBe(3);
  await first.start();
  await expect.poll(() => second.role(), POLLED).toBe('superseded');
  await expect.poll(() => first.statuses(), POLLED).toEqual(['up', 'up']);
  expect(first.role()).toBe('active');
  expect(await first.write('Back', tariffId)).toBe(3);
});

test('copied byte for byte, the one that was started later is obeyed for as long as it runs', async () => {
  await using stack = new AsyncDisposableStack();
  const { parent, first, tariffId, starts } = await openTwoPanels(stack);
  await first.stop();
  cpSync(join(parent, 'first'), join(parent, 'copy'), { recursive: true });
  await first.start();
  await expect.poll(() => first.statuses(), POLLED).toEqual(['up', 'up']);

  const copy = new Place(parent, 'copy', await freePort());
  stack.defer(() => copy.stop());
  await copy.start();
  await expect.poll(() => copy.statuses(), POLLED).toEqual(['up', 'up']);
  await expect.poll(() => first.statuses(), POLLED).toEqual(['other_panel', 'other_panel']);
  expect([first.role(), copy.role()]).toEqual(['other_panel', 'active']);
  expect(await first.write('Refused', tariffId)).toBeNull();
  expect(await copy.write('Written', tariffId)).toBe(2);

  // Its lease ends.
  await copy.stop();
  await expect.poll(() => first.role(), POLLED).toBe('active');
  await expect.poll(() => first.statuses(), POLLED).toEqual(['up', 'up']);
  expect(starts(), 'no engine was restarted over it').toEqual([1, 1]);
});
