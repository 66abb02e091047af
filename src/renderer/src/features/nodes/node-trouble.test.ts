// Advice is shown only for problems that have some.
import { expect, it } from 'vitest';
import { findTrouble } from './node-trouble.tsx';

const SOUND = { not_after: '2027-02-18T09:00:00.000Z', ends_soon: false, failure: null };
const LATE = { ...SOUND, ends_soon: true };
const FAILED = { ...SOUND, not_after: null, failure: 'refused' } as const;

it.each([
  [{ enabled: true, status: 'up', error_code: null, clock_offset_ms: null, links_certificate: null }, null],
  [{ enabled: true, status: 'up', error_code: null, clock_offset_ms: -9999, links_certificate: null }, null],
  [{ enabled: true, status: 'up', error_code: null, clock_offset_ms: -10_000, links_certificate: null }, 'clock'],
  [{ enabled: true, status: 'up', error_code: null, clock_offset_ms: 0, links_certificate: SOUND }, null],
  [{ enabled: true, status: 'up', error_code: null, clock_offset_ms: 0, links_certificate: FAILED }, 'certificate'],
  [{ enabled: true, status: 'up', error_code: null, clock_offset_ms: 0, links_certificate: LATE }, 'certificate'],
  [
    { enabled: true, status: 'up', error_code: 'config_refused', clock_offset_ms: 60_000, links_certificate: null },
    'config_refused',
  ],
  [{ enabled: true, status: 'down', error_code: null, clock_offset_ms: null, links_certificate: null }, 'down'],
  [
    { enabled: true, status: 'down', error_code: 'engine_missing', clock_offset_ms: 60_000, links_certificate: null },
    'engine_missing',
  ],
  [{ enabled: true, status: 'unknown', error_code: null, clock_offset_ms: null, links_certificate: null }, 'waiting'],
  [
    {
      enabled: false,
      status: 'down',
      error_code: 'engine_unreachable',
      clock_offset_ms: 60_000,
      links_certificate: null,
    },
    null,
  ],
] as const)('%o is shown as %s', (node, trouble) => {
  expect(findTrouble(node)).toBe(trouble);
});
