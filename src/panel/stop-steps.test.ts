// The order in which a panel stops: its parts in reverse, whatever fails, and as documented.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fakeLog } from '../../tests/support/fake-core.ts';
import { createStopSteps, PARTS } from './stop-steps.ts';

it('stops what was started in the reverse order, each when the one before has ended', async () => {
  const steps = createStopSteps();
  const done: string[] = [];
  for (const part of PARTS) {
    steps.add(part, async () => {
      done.push(`${part} …`);
      await Promise.resolve();
      done.push(part);
    });
  }
  await steps.stopAll();
  expect(done).toEqual(PARTS.toReversed().flatMap((part) => [`${part} …`, part]));
  await steps.stopAll();
  expect(done).toHaveLength(2 * PARTS.length);
});

it('a step that fails stops no other; it is logged, and thrown at the end', async () => {
  const steps = createStopSteps();
  const log = fakeLog();
  const done: string[] = [];
  steps.add('data folder', () => done.push('data folder'));
  steps.add('core', async () => {
    throw new Error('the queue');
  });
  steps.add('bot', () => {
    throw new Error('the poller');
  });
  steps.log = log;
  await expect(steps.stopAll()).rejects.toThrow('the poller');
  expect(done).toEqual(['data folder']);
  const part = (name: string) => ({ level: 'error', event: 'part of the panel not stopped', fields: { part: name } });
  expect(log.lines).toMatchObject([part('bot'), part('core')]);
});

it('a part is started in its turn', () => {
  const steps = createStopSteps();
  steps.add('core', () => {});
  for (const part of ['core', 'data folder'] as const)
    expect(() => steps.add(part, () => {})).toThrow(`${part} is started before core`);
});

it('is the order that docs/architecture.md has', () => {
  const text = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');
  const table = text.split('## What a panel consists of')[1]?.split('\n## ')[0] ?? '';
  expect(Array.from(table.matchAll(/^\| (\d+) \| ([a-z ]+) \|/gm), ([, , part]) => part)).toEqual([...PARTS]);
});
