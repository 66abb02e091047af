// Pins the order of the states and who may connect.
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import type { UserState } from '../../contract/users/users.ts';
import { canConnect, type StateFacts, trafficRemaining, userState } from './account.ts';

const NOW = 1_000_000;
const active: StateFacts = { enabled: true, expiresAt: NOW + 1, hold: null, trafficLimit: 100, used: 99, extra: 0 };
const hold = { months: 1, days: 0 };

const facts = fc.record<StateFacts>({
  enabled: fc.boolean(),
  expiresAt: fc.option(fc.integer({ min: NOW - 2, max: NOW + 2 })),
  hold: fc.option(fc.constant(hold)),
  trafficLimit: fc.option(fc.integer({ min: 1, max: 5 })),
  used: fc.integer({ min: 0, max: 6 }),
  extra: fc.integer({ min: 0, max: 2 }),
});

describe('userState', () => {
  test.each<[string, Partial<StateFacts>, UserState]>([
    ['is active with a byte and a millisecond to go', {}, 'active'],
    ['is disabled before all else', { enabled: false, expiresAt: NOW, used: 100, hold }, 'disabled'],
    ['is expired from the very moment on', { expiresAt: NOW, used: 100, hold }, 'expired'],
    ['is limited from the last byte on, also on hold', { used: 100, hold }, 'limited'],
    ['is not limited while a grant has a byte left', { used: 100, extra: 1 }, 'active'],
    ['is on hold before its term', { expiresAt: null, hold }, 'on_hold'],
    ['is active without end and limit', { expiresAt: null, trafficLimit: null, used: 10 ** 15 }, 'active'],
  ])('%s', (_, change, expected) => {
    expect(userState({ ...active, ...change }, NOW)).toBe(expected);
  });

  test.prop([facts])('only who is neither disabled, expired nor limited may connect', (given) => {
    const isExpired = given.expiresAt !== null && given.expiresAt <= NOW;
    const remaining = trafficRemaining(given);
    expect(canConnect(userState(given, NOW))).toBe(given.enabled && !isExpired && remaining !== 0);
  });
});

describe('trafficRemaining', () => {
  test.each<[number | null, number, number, number | null]>([
    [100, 30, 5, 75],
    [100, 130, 5, 5],
    [null, 130, 5, null],
    [2 ** 50, 0, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])('limit %s, used %i, extra %i: %s', (trafficLimit, used, extra, expected) => {
    expect(trafficRemaining({ trafficLimit, used, extra })).toBe(expected);
  });
});
