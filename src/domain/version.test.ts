// Versions are three plain numbers; which of two is the newer.
import { expect, it } from 'vitest';
import { isNewer, isVersion } from './version.ts';

it('are three numbers without leading zeros', () => {
  for (const text of ['0.0.0', '1.2.3', '10.20.30', '999999.999999.999999'])
    expect([text, isVersion(text)]).toEqual([text, true]);
  for (const text of [
    '1.2',
    '1.2.3.4',
    '01.2.3',
    '1.02.3',
    '1.2.03',
    '1000000.0.0',
    '0.1000000.0',
    '0.0.1000000',
    'v1.2.3',
    '1.2.3-beta',
    '1.2.x',
    '1x2.3',
    '1.2x3',
    ' 1.2.3',
    '',
  ])
    expect([text, isVersion(text)]).toEqual([text, false]);
});

it('are compared as numbers, the first place first', () => {
  for (const [a, b] of [
    ['1.0.0', '0.9.9'],
    ['0.10.0', '0.9.0'],
    ['0.0.2', '0.0.1'],
    ['2.0.0', '1.5.0'],
    ['1.2.0', '1.1.9'],
  ] as const) {
    expect([a, b, isNewer(a, b)]).toEqual([a, b, true]);
    expect([b, a, isNewer(b, a)]).toEqual([b, a, false]);
  }
  expect(isNewer('1.2.3', '1.2.3')).toBe(false);
});
