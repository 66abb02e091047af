// Providers' answers are bounded before they are stored.
import { describe, expect, it } from 'vitest';
import type { ProviderPayment } from '../ports/providers.ts';
import { isCursor, isId, isUsable, sanitizePayment } from './sanitize-payment.ts';

const NOW = Date.UTC(2026, 10, 20);
const DAY = 86_400_000;
const PAYMENT: ProviderPayment = {
  externalId: '7',
  token: null,
  state: 'paid',
  paid: { amount: 499, currency: 'EUR' },
  refunded: 0,
  isTest: false,
  paidAt: NOW - 1000,
  buyer: '1001',
  raw: '{}',
};

describe('where an invoice is paid', () => {
  const open = { allowPrivate: true };
  const isGood = (payUrl: string, access = { allowPrivate: false }) => isUsable({ externalId: '7', payUrl }, access);

  it('is a web address, with TLS but in a network of its own', () => {
    expect(isGood('https://t.me/CryptoBot?start=h7')).toBe(true);
    expect([isGood('http://127.0.0.1/'), isGood('http://127.0.0.1/', open)]).toEqual([false, true]);
  });

  it.each([
    '',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://a.b/\r\nSet-Cookie: a=b',
    'https://a.b/ c',
    'https://',
    `https://a.b/${'x'.repeat(4000)}`,
  ])('is not %j', (url) => {
    expect(isGood(url, open)).toBe(false);
  });

  it('has a number that can be stored, or none', () => {
    const payUrl = 'https://a.b/';
    const isNumber = (externalId: string | null) => isUsable({ externalId, payUrl }, open);
    expect([null, '7', 'x'.repeat(300)].map(isNumber)).toEqual([true, true, true]);
    expect(['', 'x'.repeat(301), '\0'].map(isNumber)).toEqual([false, false, false]);
  });
});

describe('a payment', () => {
  it('stays as it was said where that can be stored', () => {
    expect(sanitizePayment(PAYMENT, NOW)).toEqual(PAYMENT);
    // The provider's clock may be some hours ahead.
    expect(sanitizePayment({ ...PAYMENT, paidAt: NOW + DAY }, NOW)?.paidAt).toBe(NOW + DAY);
  });

  it('is nothing without a number', () => {
    for (const externalId of ['', '\0', 'x'.repeat(301)]) {
      expect(isId(externalId)).toBe(false);
      expect(sanitizePayment({ ...PAYMENT, externalId }, NOW)).toBeNull();
    }
  });

  it('has no amount in a currency whose minor unit is unknown', () => {
    const coins = { ...PAYMENT, paid: { amount: 499, currency: 'USDT' }, refunded: 499 };
    expect(sanitizePayment(coins, NOW)).toEqual({ ...coins, paid: { amount: 0, currency: 'USDT' }, refunded: 0 });
  });

  it('has amounts, a currency and a time that can be stored', () => {
    const odd = { paid: { amount: 1.5, currency: 'X'.repeat(40) }, refunded: -1, paidAt: NOW + DAY + 1, buyer: '\0' };
    expect(sanitizePayment({ ...PAYMENT, ...odd }, NOW)).toEqual({
      ...PAYMENT,
      paid: { amount: 0, currency: 'X'.repeat(20) },
      refunded: 0,
      paidAt: null,
      buyer: null,
    });
    expect(sanitizePayment({ ...PAYMENT, paid: { amount: 2 ** 53, currency: '' }, paidAt: -5 }, NOW)).toMatchObject({
      paid: { amount: 0, currency: '?' },
      paidAt: 0,
    });
  });
});

it('the place in a list is no longer than its column', () => {
  expect([isCursor('x'.repeat(2000)), isCursor('x'.repeat(2001))]).toEqual([true, false]);
});
