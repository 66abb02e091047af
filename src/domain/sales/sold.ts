// What an offer sells: time or traffic.
import type { Sold } from '../../contract/sales/sales.ts';

export function isTerm({ kind }: Pick<Sold, 'kind'>): boolean {
  return kind === 'days' || kind === 'months';
}

/** Whether the first price of such an offer, if it is the oldest of its tariff, is the price of the tariff. */
export function isPriceOffer({ sold, isTrial }: { readonly sold: Sold; readonly isTrial: boolean }): boolean {
  return isTerm(sold) && !isTrial;
}
