// What a demonstration sells, and where its nodes are.
import type { TariffRow } from '../../core/ports/plans.ts';
import { DAY_MS, HOUR_MS } from '../../domain/limits.ts';
import type { TermPlan } from '../../domain/users/term.ts';

const GB = 1_000_000_000;

interface Plan extends TermPlan, Pick<TariffRow, 'name' | 'trafficLimit' | 'price'> {
  readonly duration: NonNullable<TermPlan['duration']>;
}

export const PLANS: readonly Plan[] = [
  {
    name: 'Trial',
    trafficLimit: 5 * GB,
    duration: { days: 3 },
    resetStrategy: 'none',
    starts: 'on_first_use',
    price: null,
  },
  {
    name: 'Light',
    trafficLimit: 50 * GB,
    duration: { months: 1 },
    resetStrategy: 'period',
    starts: 'on_creation',
    price: { amount: 299, currency: 'EUR' },
  },
  {
    name: 'Standard',
    trafficLimit: 200 * GB,
    duration: { months: 1 },
    resetStrategy: 'month',
    starts: 'on_creation',
    price: { amount: 499, currency: 'EUR' },
  },
  {
    name: 'Standard, year',
    trafficLimit: 200 * GB,
    duration: { months: 12 },
    resetStrategy: 'month',
    starts: 'on_creation',
    price: { amount: 4900, currency: 'EUR' },
  },
  {
    name: 'Unlimited',
    trafficLimit: null,
    duration: { months: 1 },
    resetStrategy: 'none',
    starts: 'on_creation',
    price: { amount: 999, currency: 'EUR' },
  },
];
/** Where its nodes are. The last one is down. */
export const PLACES = [
  ['Frankfurt', 'de1.example.net'],
  ['Helsinki', 'fi1.example.net'],
  ['Amsterdam', 'nl1.example.net'],
  ['New York', 'us1.example.net'],
] as const;
/** For how long it has been down. */
export const SILENT_MS = 2 * HOUR_MS;

/** For how long the engine of a node has run when the demonstration begins. */
export function engineAge(nodeId: number): number {
  return (nodeId + 1) * 6 * DAY_MS;
}
