// The history of a demonstration's users: events, and the audit log of what the administrator did.
import type { Store } from '../../core/ports/ports.ts';
import { toInstantOrNull } from '../../core/wire.ts';
import { DAY_MS } from '../../domain/limits.ts';
import { stateOf } from '../../domain/users/account.ts';
import { isActType } from './lives.ts';
import { PLACES, SILENT_MS } from './offer.ts';
import type { Happened } from './sums.ts';

/** As a panel stores them that nothing was set for. */
const EVENTS_KEPT_DAYS = 30;
const AUDIT_KEPT_DAYS = 365;
const ADMINISTRATOR = 'demo';

/** What was changed by an act, and how the audit log names it. */
const ACTS = {
  'user.created': { action: 'createUser', changed: [] },
  'user.extended': { action: 'extendUser', changed: ['expires_at'] },
  'user.disabled': { action: 'updateUser', changed: ['enabled', 'state'] },
} as const;

/** Writes what happened, in the order of time. */
export function addHistory(
  store: Store,
  happened: readonly Happened[],
  { now, randomBytes }: { readonly now: number; randomBytes(length: number): Uint8Array },
): void {
  const ordered = [...happened].sort((a, b) => a.moment.at - b.moment.at);
  for (const one of ordered) {
    const { at, type } = one.moment;
    if (at <= now - AUDIT_KEPT_DAYS * DAY_MS) continue;
    const requestId = isActType(type) ? Buffer.from(randomBytes(16)).toString('hex') : null;
    if (requestId !== null) addAct(store, one, requestId);
    if (at > now - EVENTS_KEPT_DAYS * DAY_MS) addEvent(store, one, requestId);
  }
  const silent = { node_id: PLACES.length, name: PLACES[PLACES.length - 1]?.[0] };
  const data = JSON.stringify(silent);
  store.events.append({ type: 'node.down', at: now - SILENT_MS, ...BY_SYSTEM, changed: '[]', data }, now);
}

const BY_SYSTEM = { actorKind: 'system', keyId: null, requestId: null } as const;

function addAct(store: Store, { moment, userId, user }: Happened, requestId: string): void {
  const { type, at, months } = moment;
  if (!isActType(type)) return;
  const detail = {
    'user.created': { name: user.name, tariff_id: user.tariffId },
    'user.extended': { months },
    'user.disabled': { enabled: false },
  }[type];
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

function addEvent(store: Store, { moment, userId, user }: Happened, requestId: string | null): void {
  const { type, at, account, days, months } = moment;
  const facts = {
    user_id: userId,
    contact: user.contact,
    external_id: user.externalId,
    state: stateOf(account, at),
    expires_at: toInstantOrNull(account.expiresAt),
  };
  const more = {
    ...(type === 'user.created' && { name: user.name, tariff_id: user.tariffId }),
    ...(days !== undefined && { days }),
    ...(months !== undefined && { months }),
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
