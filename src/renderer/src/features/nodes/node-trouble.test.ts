// Holds advice to where there is something to advise.
import { expect, it } from 'vitest';
import { troubleOf } from './node-trouble.tsx';

it.each([
  [{ enabled: true, status: 'up', error_code: null }, null],
  [{ enabled: true, status: 'up', error_code: 'config_refused' }, 'config_refused'],
  [{ enabled: true, status: 'down', error_code: null }, 'down'],
  [{ enabled: true, status: 'down', error_code: 'engine_missing' }, 'engine_missing'],
  [{ enabled: true, status: 'unknown', error_code: null }, 'waiting'],
  [{ enabled: false, status: 'down', error_code: 'engine_unreachable' }, null],
] as const)('%o is shown as %s', (node, trouble) => {
  expect(troubleOf(node)).toBe(trouble);
});
