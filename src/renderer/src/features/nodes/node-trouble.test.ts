// Holds advice to where there is something to advise.
import { expect, it } from 'vitest';
import { troubleOf } from './node-trouble.tsx';

it.each([
  [{ enabled: true, status: 'up', error: null }, null],
  [{ enabled: true, status: 'up', error: 'certificate of the engine expired' }, 'engine'],
  [{ enabled: true, status: 'down', error: null }, 'unreachable'],
  [{ enabled: true, status: 'unknown', error: null }, 'waiting'],
  [{ enabled: false, status: 'down', error: 'No answer' }, null],
] as const)('%o is shown as %s', (node, trouble) => {
  expect(troubleOf(node)).toBe(trouble);
});
