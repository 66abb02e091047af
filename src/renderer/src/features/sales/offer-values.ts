// Converts an offer to the values of its form and back. In the form, prices are decimal text, and the sold part has one field for each member.
import type { Offer, OfferAudience, Sold } from '../../../../contract/sales/sales.ts';
import { isTerm } from '../../../../domain/sales/sold.ts';
import type { Duration } from '../../../../domain/users/term.ts';
import type { CallInput } from '../../data/use-operation.ts';
import { type Price, parsePrice, type TypedPrice, toTypedPrice } from '../../format/price.ts';
import { randomHex } from '../../state/random.ts';
import { type TrafficValue, toTraffic } from './traffic-value.ts';

/** A price in the form; `id` is the key of its row. */
export interface PriceValue extends TypedPrice {
  readonly id: string;
}

/** Fields have the names of the contract, so that its errors appear at the fields. */
export type OfferValues = {
  tariff_id: string | null;
  name: string;
  sold: TrafficValue & {
    readonly kind: 'term' | 'traffic';
    readonly term: Duration | null;
  };
  prices: readonly PriceValue[];
  on_sale: boolean;
  audience: OfferAudience;
  trial: boolean;
};

export function newPrice(currency: string, price: Price | null = null): PriceValue {
  return { id: randomHex(4), ...toTypedPrice(price, currency) };
}

/** Initial values of a new offer. `price`: the initial price; null: empty. */
export function blankOffer(tariffId: number | null, currency: string, price: Price | null = null): OfferValues {
  return {
    tariff_id: tariffId === null ? null : String(tariffId),
    name: '',
    sold: { kind: 'term', term: { months: 1 }, bytes: null, lifetime: 'used', days: 30 },
    prices: [newPrice(currency, price)],
    on_sale: true,
    audience: 'all',
    trial: false,
  };
}

export function toFormValues({ tariff_id, name, sold, prices, on_sale, audience, trial }: Offer): OfferValues {
  const { sold: blank } = blankOffer(null, '');
  return {
    tariff_id: String(tariff_id),
    name,
    sold: {
      kind: isTerm(sold) ? 'term' : 'traffic',
      term: sold.kind === 'days' ? { days: sold.days } : sold.kind === 'months' ? { months: sold.months } : blank.term,
      bytes: 'bytes' in sold ? sold.bytes : null,
      lifetime: sold.kind === 'traffic' ? sold.lifetime : sold.kind === 'traffic_days' ? 'days' : blank.lifetime,
      days: sold.kind === 'traffic_days' ? sold.days : blank.days,
    },
    prices: prices.map((price) => newPrice(price.currency, price)),
    on_sale,
    audience,
    trial,
  };
}

/** The sold part; null: not filled in. */
function parseSold({ kind, term, ...traffic }: OfferValues['sold']): Sold | null {
  if (kind === 'traffic') return toTraffic(traffic);
  if (term === null) return null;
  return 'days' in term ? { kind: 'days', days: term.days } : { kind: 'months', months: term.months };
}

type OfferInput = Omit<CallInput<'createOffer'>, 'tariff_id'>;

export function buildInput({ name, sold, prices, on_sale, audience, trial }: OfferValues): OfferInput {
  const values = parseSold(sold);
  return {
    name,
    // Left out if empty, so that validation reports it as missing.
    ...((values === null ? {} : { sold: values }) as { sold: Sold }),
    prices: trial ? [] : prices.flatMap((price) => parsePrice(price) ?? []),
    on_sale,
    audience,
    trial,
  };
}
