// Compares the payments that a provider lists for a month with those recorded here, one by one.
import type { Money } from './money.ts';

/** A payment as the provider reports it now. */
export interface TheirPayment extends Money {
  readonly externalId: string;
  readonly refunded: number;
}

/** The same payment as recorded here. A payment that was not applied has no amount here. */
export interface OurPayment extends Money {
  readonly id: number;
  readonly orderId: number | null;
  readonly externalId: string;
  readonly paidAt: number;
  readonly state: 'applied' | 'unapplied' | 'refunded';
}

export type DifferenceReason = 'missing_there' | 'unapplied' | 'amount' | 'refunded_there' | 'refunded_here';

export interface Difference {
  readonly reason: DifferenceReason;
  readonly payment: OurPayment;
  /** The amount at the provider after refunds; null: not listed. */
  readonly theirs: Money | null;
  /** The amount that is counted here. */
  readonly ours: Money;
}

export interface CurrencySums {
  readonly currency: string;
  readonly theirs: number;
  readonly ours: number;
  readonly payments: number;
}

export interface Reconciliation {
  /** By currency, after refunds. */
  readonly sums: readonly CurrencySums[];
  readonly differences: readonly Difference[];
}

export function reconcile(theirs: readonly TheirPayment[], ours: readonly OurPayment[]): Reconciliation {
  const byId = new Map(theirs.map((payment) => [payment.externalId, payment]));
  const sums = new Map<string, CurrencySums>();
  const add = (currency: string, more: Partial<Omit<CurrencySums, 'currency'>>) => {
    const sum = sums.get(currency) ?? { currency, theirs: 0, ours: 0, payments: 0 };
    sums.set(currency, {
      currency,
      theirs: sum.theirs + (more.theirs ?? 0),
      ours: sum.ours + (more.ours ?? 0),
      payments: sum.payments + (more.payments ?? 0),
    });
  };
  const differences: Difference[] = [];
  for (const payment of ours) {
    const found = byId.get(payment.externalId);
    const here = { amount: payment.state === 'applied' ? payment.amount : 0, currency: payment.currency };
    const there = found ? { amount: Math.max(0, found.amount - found.refunded), currency: found.currency } : null;
    add(here.currency, { ours: here.amount, payments: 1 });
    if (there) add(there.currency, { theirs: there.amount });
    if (there?.amount === here.amount && there.currency === here.currency) continue;
    if (there === null && here.amount === 0) continue;
    differences.push({ reason: classifyDifference(payment, found), payment, theirs: there, ours: here });
  }
  return { sums: [...sums.values()].sort((a, b) => a.currency.localeCompare(b.currency)), differences };
}

function classifyDifference(payment: OurPayment, found: TheirPayment | undefined): DifferenceReason {
  if (found === undefined) return 'missing_there';
  if (payment.state === 'unapplied') return 'unapplied';
  if (payment.state === 'refunded') return 'refunded_here';
  return found.refunded > 0 ? 'refunded_there' : 'amount';
}
