import { expect, it } from 'vitest';
import { type OurPayment, reconcile, type TheirPayment } from './reconcile.ts';

const ours = (id: number, more: Partial<OurPayment> = {}): OurPayment => ({
  id,
  orderId: id,
  externalId: `p${id}`,
  paidAt: id,
  state: 'applied',
  amount: 500,
  currency: 'EUR',
  ...more,
});
const theirs = (id: number, more: Partial<TheirPayment> = {}): TheirPayment => ({
  externalId: `p${id}`,
  amount: 500,
  currency: 'EUR',
  refunded: 0,
  ...more,
});

it('finds no difference where both say the same, refunds as well', () => {
  const refunded = ours(2, { state: 'refunded' });
  expect(reconcile([theirs(1), theirs(2, { refunded: 500 })], [ours(1), refunded])).toEqual({
    sums: [{ currency: 'EUR', theirs: 500, ours: 500, payments: 2 }],
    differences: [],
  });
});

it('names each difference, and the differences are the whole difference of the sums', () => {
  const there = [
    theirs(2),
    theirs(3, { refunded: 200 }),
    theirs(4),
    theirs(5, { amount: 700 }),
    theirs(6, { currency: 'USD' }),
  ];
  const here = [ours(1), ours(2, { state: 'unapplied' }), ours(3), ours(4, { state: 'refunded' }), ours(5), ours(6)];
  const { sums, differences } = reconcile(there, here);
  expect(differences.map(({ payment, reason }) => [payment.id, reason])).toEqual([
    [1, 'missing_there'],
    [2, 'unapplied'],
    [3, 'refunded_there'],
    [4, 'refunded_here'],
    [5, 'amount'],
    [6, 'amount'],
  ]);
  for (const { currency, theirs: sum, ours: own } of sums) {
    const of = (money: { readonly amount: number; readonly currency: string } | null) =>
      money?.currency === currency ? money.amount : 0;
    expect(differences.reduce((total, one) => total + of(one.theirs) - of(one.ours), 0)).toBe(sum - own);
  }
});

it('counts nothing of what was given back by hand and is listed no more', () => {
  expect(reconcile([], [ours(1, { state: 'refunded' })]).differences).toEqual([]);
});
