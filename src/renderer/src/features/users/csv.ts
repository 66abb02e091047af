// The CSV export of users. It never contains the link.
import type { User } from '../../../../contract/users/users.ts';
import { csvHead, csvLine } from '../../format/csv.ts';

const COLUMNS: readonly (readonly [string, (user: User, plan: string) => string | number | boolean | null])[] = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['contact', ({ contact }) => contact],
  ['state', ({ state }) => state],
  ['plan', (_user, plan) => plan],
  ['tags', ({ tags }) => tags.join(', ')],
  ['note', ({ note }) => note],
  ['external_id', ({ external_id }) => external_id],
  ['telegram_id', ({ telegram_id }) => telegram_id],
  ['metadata', ({ metadata }) => (Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata))],
  ['enabled', ({ enabled }) => enabled],
  ['online', ({ online }) => online],
  ['online_at', ({ online_at }) => online_at],
  ['expires_at', ({ expires_at }) => expires_at],
  ['traffic_limit', ({ traffic_limit }) => traffic_limit],
  ['used_up', ({ used_up }) => used_up],
  ['used_down', ({ used_down }) => used_down],
  ['traffic_extra', ({ traffic_extra }) => traffic_extra],
  ['total_up', ({ total_up }) => total_up],
  ['total_down', ({ total_down }) => total_down],
  ['resets_at', ({ resets_at }) => resets_at],
  ['device_limit', ({ device_limit }) => device_limit],
  ['concurrent_limit', ({ concurrent_limit }) => concurrent_limit],
  ['created_at', ({ created_at }) => created_at],
];

export function usersCsvHead(): string {
  return csvHead(COLUMNS.map(([name]) => name));
}

/** One line for each user; `plans`: their names by id. */
export function usersCsvRows(users: readonly User[], plans: ReadonlyMap<number, string>): string {
  return users.map((user) => formatRow(user, plans)).join('');
}

function formatRow(user: User, plans: ReadonlyMap<number, string>): string {
  const plan = user.tariff_id === null ? '' : (plans.get(user.tariff_id) ?? String(user.tariff_id));
  return csvLine(COLUMNS.map(([, read]) => read(user, plan)));
}
