// Orders by ACME stay within the limits of certificate authorities, whatever fails.
import { describe, expect, it } from 'vitest';
import {
  computeRenewalTime,
  isNearEnd,
  MAX_ORDERS_AN_HOUR,
  nextFreeMoment,
  pauseAfter,
  pauseEnd,
  pickRenewalTime,
  recentOrders,
} from './acme-schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-11-20T10:00:00Z');

describe('the pause after failures', () => {
  it('grows to half a day', () => {
    expect([1, 2, 3, 4, 5, 6, 50].map((failures) => pauseAfter(failures, null) / MINUTE)).toEqual([
      10, 30, 90, 270, 720, 720, 720,
    ]);
  });

  it('is as long as the authority asks for, within a week', () => {
    expect(pauseAfter(1, 2 * HOUR)).toBe(2 * HOUR);
    expect(pauseAfter(1, 1000)).toBe(10 * MINUTE);
    expect(pauseAfter(1, 365 * DAY)).toBe(7 * DAY);
  });

  it('is over where it is longer than any: the clock was ahead when it began', () => {
    expect(pauseEnd(NOW + 7 * DAY, NOW)).toBe(NOW + 7 * DAY);
    expect(pauseEnd(NOW + 3650 * DAY, NOW)).toBe(NOW);
    expect(pauseEnd(NOW - DAY, NOW)).toBe(NOW - DAY);
  });

  it('leaves no hour with more orders than the limit, also where each is asked for by hand', () => {
    const orders: number[] = [];
    let now = NOW;
    for (let round = 0; round < 50; round += 1) {
      now = Math.max(now + MINUTE, nextFreeMoment(orders, now + MINUTE));
      orders.push(now);
    }
    for (const at of orders) {
      expect(orders.filter((other) => other > at - HOUR && other <= at).length).toBeLessThanOrEqual(MAX_ORDERS_AN_HOUR);
    }
  });

  it('is not avoided by setting the clock back', () => {
    const orders = [NOW, NOW + MINUTE, NOW + 2 * MINUTE, NOW + 3 * MINUTE];
    const back = NOW - DAY;
    expect(recentOrders(orders, back)).toEqual([back, back, back, back]);
    expect(nextFreeMoment(orders, back)).toBe(back + HOUR);
  });
});

describe('renewal', () => {
  const lifetime = { from: NOW, to: NOW + 90 * DAY };

  it('is due after two thirds of the lifetime, or in the window that the authority advises', () => {
    expect(computeRenewalTime(lifetime)).toBe(NOW + 60 * DAY);
    const window = { from: NOW + 50 * DAY, to: NOW + 52 * DAY };
    expect([0, 0.5, 1].map((share) => pickRenewalTime(window, share))).toEqual([
      window.from,
      NOW + 51 * DAY,
      window.to,
    ]);
    expect(pickRenewalTime({ from: NOW, to: NOW - DAY }, 0.7)).toBe(NOW);
  });

  it('is warned of in the last quarter, however short the lifetime is', () => {
    expect(isNearEnd(lifetime, NOW + 67 * DAY)).toBe(false);
    expect(isNearEnd(lifetime, NOW + 68 * DAY)).toBe(true);
    expect(isNearEnd({ from: NOW, to: NOW + 6 * DAY }, NOW + 4 * DAY)).toBe(false);
  });
});
