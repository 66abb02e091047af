// Extra devices: what an offer of them is for a user at the moment, and their end.

import type { Sold } from '../../contract/sales/sales.ts';
import { MAX_DEVICES } from '../../contract/scalars.ts';
import { daysUntil, devicePrice } from '../../domain/sales/devices.ts';
import type { Money } from '../../domain/sales/money.ts';
import type { Call } from '../call.ts';
import { type Context, createTransaction, type Env, type Transaction } from '../context.ts';
import type { ExtraDevices, OfferRow } from '../ports/sales.ts';
import type { UserRow } from '../ports/users.ts';
import { type Change, commitUser, openUser } from '../users/change.ts';
import { toInstant } from '../wire.ts';

/** Ends in one transaction. */
const CHUNK = 100;

const CALL: Call = {
  actor: { kind: 'panel', id: null, name: 'panel', access: 'full' },
  requestId: 'devices',
  address: null,
};

/** Devices until a moment. */
export type SoldDevices = Extract<Sold, { readonly kind: 'devices' }>;

/** What is sold, and for how much. */
interface Sale {
  readonly sold: Sold;
  readonly prices: readonly Money[];
}

/**
 * What an offer sells to a user at the moment; null: nothing, as more devices are for the rest of a term that has begun, and there is a most of them.
 */
export function saleOf({ sold, prices }: Pick<OfferRow, 'sold' | 'prices'>, user: UserRow, now: number): Sale | null {
  if (sold.kind !== 'devices') return { sold, prices };
  const { devices, min_days: least } = sold;
  const { expiresAt, deviceLimit } = user;
  if (expiresAt === null || expiresAt <= now || !hasRoom(deviceLimit, devices)) return null;
  const days = daysUntil(expiresAt, now);
  return {
    sold: { kind: 'devices', devices, days, until: toInstant(expiresAt) },
    prices: prices.map((price) => devicePrice(price, days, least)),
  };
}

/** Whether so many devices can be added to a limit. */
export function hasRoom(limit: number | null, devices: number): limit is number {
  return limit !== null && limit + devices <= MAX_DEVICES;
}

/** The limit of a user without devices that an order gave; one that was set to any number since stays so. */
export function withoutDevices(limit: number | null, { devices }: Pick<ExtraDevices, 'devices'>): number | null {
  return limit === null ? null : Math.max(1, limit - devices);
}

/** A change of the limit of devices. */
export function changeDevices({ tariffId }: UserRow, deviceLimit: number | null): Change {
  return {
    fields: { deviceLimit },
    emit: (facts, changed, tx) => tx.emit('user.changed', { ...facts, tariff_id: tariffId }, changed),
  };
}

/** Ends the devices whose time is over. */
export async function endDevices(env: Env): Promise<void> {
  const { store, clock, queue } = env;
  if (store.diskSpace.isFull()) return;
  while (store.sales.endedDevices(clock.now(), 1).length > 0) {
    await queue.run(() =>
      store.write(() => {
        const tx = createTransaction(env, CALL, 'endDevices', clock.now());
        for (const extra of store.sales.endedDevices(tx.now, CHUNK)) end(tx, extra);
      }),
    );
    env.announce();
  }
}

function end(tx: Transaction, extra: ExtraDevices): void {
  const { store } = tx;
  store.sales.removeExtraDevices(extra.orderId);
  const user = store.users.get(extra.userId);
  if (!user) return;
  const current = openUser(tx, user);
  const { row } = current;
  const deviceLimit = withoutDevices(row.deviceLimit, extra);
  if (deviceLimit === row.deviceLimit) return;
  commitUser(tx, current, changeDevices(row, deviceLimit));
  tx.audit(`user:${user.id}`, { order_id: extra.orderId, device_limit: deviceLimit });
}

/** Whether an order of devices can be paid: its price was for what was left on the day it was made. */
export function isStillSold({ now }: Pick<Context, 'now'>, sold: Sold): boolean {
  return sold.kind !== 'devices' || daysUntil(Date.parse(sold.until), now) === sold.days;
}
