// Holds advice to where there is something to advise.
import { expect, it } from 'vitest';
import { troubleOf } from './node-trouble.tsx';

it.each([
  [{ enabled: true, status: 'up', error_code: null, clock_offset_ms: null }, null],
  [{ enabled: true, status: 'up', error_code: null, clock_offset_ms: -9999 }, null],
  [{ enabled: true, status: 'up', error_code: null, clock_offset_ms: -10_000 }, 'clock'],
  [{ enabled: true, status: 'up', error_code: 'config_refused', clock_offset_ms: 60_000 }, 'config_refused'],
  [{ enabled: true, status: 'down', error_code: null, clock_offset_ms: null }, 'down'],
  [{ enabled: true, status: 'down', error_code: 'engine_missing', clock_offset_ms: 60_000 }, 'engine_missing'],
  [{ enabled: true, status: 'unknown', error_code: null, clock_offset_ms: null }, 'waiting'],
  [{ enabled: false, status: 'down', error_code: 'engine_unreachable', clock_offset_ms: 60_000 }, null],
] as const)('%o is shown as %s', (node, trouble) => {
  expect(troubleOf(node)).toBe(trouble);
});
