// A user as it is sent. Only Full access sees the link.

import type { User } from '../../contract/users.ts';
import { trafficRemaining } from '../../domain/user-state.ts';
import type { Context } from '../context.ts';
import type { UserRow } from '../ports/users.ts';
import { toInstant, toInstantOrNull } from '../wire.ts';
import { settledRow } from './change.ts';

/** Bytes moved within this many ms: online. */
export const ONLINE_MS = 60_000;

/** The wire's record of a user, at the context's moment. */
export function viewUser(context: Context, stored: UserRow): User {
  const { env, store, now } = context;
  const row = settledRow(store, stored, now, context.settings.timeZone);
  const { trafficLimit, extra } = row;
  const used = row.usedUp + row.usedDown;
  const view: User = {
    id: row.id,
    name: row.name,
    contact: row.contact,
    note: row.note,
    tags: row.tags as string[],
    state: row.state,
    tariff_id: row.tariffId,
    enabled: row.enabled,
    expires_at: toInstantOrNull(row.expiresAt),
    hold: row.hold,
    traffic_limit: trafficLimit,
    used_up: row.usedUp,
    used_down: row.usedDown,
    total_up: row.totalUp,
    total_down: row.totalDown,
    traffic_extra: extra,
    traffic_remaining: trafficRemaining({ trafficLimit, used, extra }),
    reset_strategy: row.resetStrategy,
    resets_at: toInstantOrNull(row.resetsAt),
    device_limit: row.deviceLimit,
    inbounds: row.inbounds as number[] | null,
    online: row.onlineAt !== null && row.onlineAt > now - ONLINE_MS,
    online_at: toInstantOrNull(row.onlineAt),
    created_at: toInstant(row.createdAt),
    updated_at: toInstant(row.updatedAt),
  };
  if (context.call.actor.access === 'full') view.sub_url = env.subUrl(row.token);
  return view;
}
