import { expect, it } from 'vitest';
import { DAY_MS } from '../limits.ts';
import { daysUntil, devicePrice } from './devices.ts';

it('counts a day that has begun', () => {
  const now = Date.parse('2026-11-20T10:00:00Z');
  expect(daysUntil(now + 1, now)).toBe(1);
  expect(daysUntil(now + DAY_MS, now)).toBe(1);
  expect(daysUntil(now + DAY_MS + 1, now)).toBe(2);
  expect(daysUntil(now, now)).toBe(0);
  expect(daysUntil(now - DAY_MS, now)).toBe(0);
});

it('rounds up to the smallest unit, and charges for some days at least', () => {
  const eur = { amount: 100, currency: 'EUR' };
  expect(devicePrice(eur, 30, 1).amount).toBe(100);
  expect(devicePrice(eur, 1, 1).amount).toBe(4);
  expect(devicePrice(eur, 1, 7).amount).toBe(24);
  expect(devicePrice(eur, 45, 7).amount).toBe(150);
  expect(devicePrice({ amount: 1, currency: 'XTR' }, 1, 1)).toEqual({ amount: 1, currency: 'XTR' });
  expect(devicePrice({ amount: 999_999_999_999, currency: 'IRR' }, 31, 1).amount).toBe(1_033_333_333_333);
});
