// What of the offers of a plan one user can have at the moment, at his prices: devices are for the rest of his term.
import type { Offer } from '../../../../../contract/sales/sales.ts';
import { MAX_DEVICES } from '../../../../../contract/scalars.ts';
import type { User } from '../../../../../contract/users/users.ts';
import { daysUntil, devicePrice } from '../../../../../domain/sales/devices.ts';

export function offersFor(
  offers: readonly Offer[],
  { expires_at, device_limit: limit }: Pick<User, 'expires_at' | 'device_limit'>,
  now: number,
): readonly Offer[] {
  return offers.flatMap((offer) => {
    const { on_sale, sold, prices } = offer;
    if (!on_sale) return [];
    if (sold.kind !== 'devices') return [offer];
    const days = expires_at === null ? 0 : daysUntil(Date.parse(expires_at), now);
    if (days === 0 || limit === null || limit + sold.devices > MAX_DEVICES) return [];
    return [{ ...offer, prices: prices.map((price) => devicePrice(price, days, sold.min_days)) }];
  });
}
