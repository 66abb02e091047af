// The fields of a user's record that an operation changed, by their API names.
import type { User } from '../../contract/users/users.ts';
import { trafficRemaining, usedBytes } from '../../domain/users/account.ts';
import { isSameJson } from '../kernel/wire.ts';
import type { UserRow } from '../ports/users.ts';

/** Fields that no operation sets, and `updated_at`, which every operation sets. */
type Unnamed =
  | 'id'
  | 'online'
  | 'online_at'
  | 'total_up'
  | 'total_down'
  | 'after_cut_up'
  | 'after_cut_down'
  | 'concurrent_excess'
  | 'created_at'
  | 'updated_at';

/** The source of each field, in the order of the names. */
const FIELDS: { readonly [Field in Exclude<keyof User, Unnamed>]-?: (row: UserRow) => unknown } = {
  concurrent_limit: (row) => row.concurrentLimit,
  contact: (row) => row.contact,
  device_limit: (row) => row.deviceLimit,
  enabled: (row) => row.enabled,
  expires_at: (row) => row.expiresAt,
  external_id: (row) => row.externalId,
  hold: (row) => row.hold,
  inbounds: (row) => row.inbounds,
  metadata: (row) => row.metadata,
  name: (row) => row.name,
  note: (row) => row.note,
  reset_strategy: (row) => row.resetStrategy,
  resets_at: (row) => row.resetsAt,
  state: (row) => row.state,
  sub_url: (row) => row.token,
  tags: (row) => row.tags,
  tariff_id: (row) => row.tariffId,
  telegram_id: (row) => row.telegramId,
  traffic_extra: (row) => row.extra,
  traffic_limit: (row) => row.trafficLimit,
  traffic_remaining: (row) =>
    trafficRemaining({ trafficLimit: row.trafficLimit, used: usedBytes(row), extra: row.extra }),
  used_down: (row) => row.usedDown,
  used_up: (row) => row.usedUp,
};
const PAIRS = Object.entries(FIELDS).sort(([a], [b]) => (a < b ? -1 : 1));

/** Sorted. */
export function changedFields(before: UserRow, after: UserRow): readonly string[] {
  return PAIRS.filter(([, read]) => !isSameJson(read(before), read(after))).map(([name]) => name);
}
