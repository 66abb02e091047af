// The offers of a demonstration, and the locations of its nodes.
import type { PromoEffect } from '../contract/sales/promos.ts';
import type { OfferRow } from '../core/ports/sales.ts';
import type { TariffRow } from '../core/ports/tariffs.ts';
import { DAY_MS, HOUR_MS } from '../domain/limits.ts';
import type { TermPlan } from '../domain/users/term.ts';

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

type DemoOffer = Pick<OfferRow, 'name' | 'sold' | 'prices' | 'isTrial'> & { readonly plan: string };

/** The offers at the test provider. The first price of a plan's first term is the plan's own price. */
export const OFFERS: readonly DemoOffer[] = [
  { plan: 'Light', name: '1 month', sold: { kind: 'months', months: 1 }, prices: prices(299), isTrial: false },
  {
    plan: 'Light',
    name: '10 GB more',
    sold: { kind: 'traffic', bytes: 10 * GB, lifetime: 'period' },
    prices: prices(150),
    isTrial: false,
  },
  { plan: 'Standard', name: '3 days to try', sold: { kind: 'days', days: 3 }, prices: [], isTrial: true },
  { plan: 'Standard', name: '1 month', sold: { kind: 'months', months: 1 }, prices: prices(499), isTrial: false },
  { plan: 'Standard', name: '3 months', sold: { kind: 'months', months: 3 }, prices: prices(1299), isTrial: false },
  {
    plan: 'Standard',
    name: '50 GB more',
    sold: { kind: 'traffic', bytes: 50 * GB, lifetime: 'used' },
    prices: prices(299),
    isTrial: false,
  },
  {
    plan: 'Standard, year',
    name: '12 months',
    sold: { kind: 'months', months: 12 },
    prices: prices(4900),
    isTrial: false,
  },
  { plan: 'Unlimited', name: '1 month', sold: { kind: 'months', months: 1 }, prices: prices(999), isTrial: false },
];

/** In euros and in dollars. */
function prices(cents: number): OfferRow['prices'] {
  return [
    { amount: cents, currency: 'EUR' },
    { amount: cents + 50, currency: 'USD' },
  ];
}

/** A promo code to try. */
export const PROMO: { readonly code: string; readonly effect: PromoEffect } = {
  code: 'DEMO20',
  effect: { kind: 'percent', percent: 20 },
};

/** Locations of the nodes. The last node is down. */
export const PLACES = [
  ['Frankfurt', 'de1.example.net'],
  ['Helsinki', 'fi1.example.net'],
  ['Amsterdam', 'nl1.example.net'],
  ['New York', 'us1.example.net'],
] as const;
/** The operating system's error for the node that is down. */
export const UNREACHABLE = `connect ETIMEDOUT ${PLACES[3][1]}`;
/** How long it has been down, in ms. */
export const SILENT_MS = 2 * HOUR_MS;

/** Milliseconds that a node's engine has run when the demonstration begins. */
export function engineAge(nodeId: number): number {
  return (nodeId + 1) * 6 * DAY_MS;
}
