// The history of a demonstration's users: events, payments, and the administrator's actions in the audit log.

import { toInstantOrNull } from '../core/kernel/wire.ts';
import type { Store } from '../core/ports/ports.ts';
import { localDay } from '../domain/calendar.ts';
import { DAY_MS } from '../domain/limits.ts';
import { computeUserState } from '../domain/users/account.ts';
import { PLACES, SILENT_MS } from './offer.ts';
import { createDice } from './people.ts';
import type { Happened } from './traffic-totals.ts';
import { isActType } from './user-history.ts';

/** The panel's default. */
const EVENTS_KEPT_DAYS = 30;
const AUDIT_KEPT_DAYS = 365;
const ADMINISTRATOR = 'demo';
/** Share of the paying users who pay by bank transfer; the others pay in cash. */
const TRANSFERRED = 0.8;

/** What an action changed, and its name in the audit log. */
const ACTS = {
  'user.created': { action: 'createUser', changed: [] },
  'user.extended': { action: 'recordPayment', changed: ['expires_at'] },
  'user.disabled': { action: 'updateUser', changed: ['enabled', 'state'] },
} as const;

/** Writes the history in the order of time. */
export function addHistory(
  store: Store,
  happened: readonly Happened[],
  parts: { readonly now: number; readonly timeZone: string; randomBytes(length: number): Uint8Array },
): void {
  const { now, randomBytes } = parts;
  const ordered = [...happened].sort((a, b) => a.moment.at - b.moment.at);
  for (const one of ordered) {
    const { at, type } = one.moment;
    if (at <= now - AUDIT_KEPT_DAYS * DAY_MS) continue;
    const requestId = isActType(type) ? Buffer.from(randomBytes(16)).toString('hex') : null;
    if (requestId !== null) addAct(store, one, requestId, parts);
    if (at > now - EVENTS_KEPT_DAYS * DAY_MS) addEvent(store, one, requestId);
  }
  const silent = { node_id: PLACES.length, name: PLACES[PLACES.length - 1]?.[0] };
  const data = JSON.stringify(silent);
  store.events.append({ type: 'node.down', at: now - SILENT_MS, ...BY_SYSTEM, changed: '[]', data }, now);
}

const BY_SYSTEM = { actorKind: 'system', keyId: null, requestId: null } as const;

interface ActParts {
  readonly timeZone: string;
  randomBytes(length: number): Uint8Array;
}

function addAct(store: Store, one: Happened, requestId: string, parts: ActParts): void {
  const { moment, userId, user } = one;
  const { type, at } = moment;
  if (!isActType(type)) return;
  const detail = {
    'user.created': () => ({ name: user.name, tariff_id: user.tariffId }),
    'user.extended': () => addOrder(store, one, parts),
    'user.disabled': () => ({ enabled: false }),
  }[type]();
  store.audit.append({
    at,
    actorKind: 'administrator',
    actorId: null,
    actorName: ADMINISTRATOR,
    action: ACTS[type].action,
    outcome: 'done',
    target: `user:${userId}`,
    detail: JSON.stringify(detail),
    address: null,
    requestId,
  });
}

/** Stores a renewal as paid by hand, so that no payment provider is polled; returns its data for the audit log. */
function addOrder(
  store: Store,
  { moment: { at, given }, userId, user }: Happened,
  { timeZone, randomBytes }: ActParts,
) {
  const tariff = user.tariffId === null ? undefined : store.tariffs.get(user.tariffId);
  if (given === undefined || !tariff?.price || !('months' in given.duration))
    throw new Error('a renewal without a price');
  const { months } = given.duration;
  const id = store.sales.nextOrderId();
  const method = createDice(userId)() < TRANSFERRED ? 'transfer' : 'cash';
  const { amount, currency } = tariff.price;
  const offerName = months === 1 ? '1 month' : `${months} months`;
  const secret = (bytes: number) => Buffer.from(randomBytes(bytes)).toString('base64url');
  store.sales.insertOrder({
    id,
    key: secret(16),
    token: secret(16),
    userId,
    userName: user.name,
    offerId: store.sales.offers(tariff.id)[0]?.id ?? null,
    offerName,
    tariffId: tariff.id,
    tariffName: tariff.name,
    sold: { kind: 'months', months },
    prices: [tariff.price],
    amount,
    currency,
    method,
    providerId: null,
    reference: method === 'transfer' ? `T-${10_000 + id}` : null,
    note: '',
    state: 'paid',
    isRenewal: store.sales.hasBoughtTerm(userId),
    given: [{ kind: 'term', term: given }],
    paidAt: at,
    day: localDay(at, timeZone),
    createdAt: at,
    refundedAt: null,
    refundNote: null,
    promo: null,
    referral: null,
  });
  return { order_id: id, offer: offerName, amount, currency, method };
}

function addEvent(store: Store, { moment, userId, user }: Happened, requestId: string | null): void {
  const { type, at, account, days, given } = moment;
  const facts = {
    user_id: userId,
    contact: user.contact,
    external_id: user.externalId,
    state: computeUserState(account, at),
    expires_at: toInstantOrNull(account.expiresAt),
  };
  const more = {
    ...(type === 'user.created' && { name: user.name, tariff_id: user.tariffId }),
    ...(days !== undefined && { days }),
    ...given?.duration,
  };
  const changed = isActType(type) ? ACTS[type].changed : [];
  store.events.append(
    {
      type,
      at,
      ...BY_SYSTEM,
      ...(requestId !== null && { actorKind: 'administrator', requestId }),
      changed: JSON.stringify(changed),
      data: JSON.stringify({ ...facts, ...more }),
    },
    at,
  );
}
