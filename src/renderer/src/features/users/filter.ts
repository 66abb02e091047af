// The filter of the list, as the address stores it and as the panel is asked. Invalid parts of the address are ignored.
import { SORTS, type Sort, USER_STATES, type UserFilter, type UserState } from '../../../../contract/users/users.ts';
import { DAY_MS, HOUR_MS } from '../../../../domain/limits.ts';

/** The list is of one state, as its tabs choose, or of any of several. */
export type Filter = Omit<UserFilter, 'state'> & { readonly state?: UserState | UserState[] };
export type FilterName =
  | 'state'
  | 'q'
  | 'tariff_id'
  | 'tag'
  | 'contact'
  | 'online'
  | 'connected'
  | 'traffic_low'
  | 'node_id'
  | 'expires';

/** The query members of each condition. */
const MEMBERS: Readonly<Record<FilterName, readonly string[]>> = {
  state: ['state'],
  q: ['q'],
  tariff_id: ['tariff_id'],
  tag: ['tag'],
  contact: ['contact'],
  online: ['online'],
  connected: ['connected'],
  traffic_low: ['traffic_low'],
  node_id: ['node_id'],
  expires: ['expires_after', 'expires_before'],
};

const NAMES = Object.keys(MEMBERS) as readonly FilterName[];

/** Reads the conditions of an address. */
export function filterOf(query: URLSearchParams): Filter {
  const q = query.get('q')?.trim().slice(0, 100);
  const tag = query.get('tag')?.slice(0, 32);
  const contact = query.get('contact')?.slice(0, 100);
  const state = stateOf(query.get('state'));
  const plan = Number(query.get('tariff_id'));
  const node = Number(query.get('node_id'));
  const after = instantOf(query.get('expires_after'));
  const before = instantOf(query.get('expires_before'));
  return {
    ...(state && { state }),
    ...(q && { q }),
    ...(Number.isSafeInteger(plan) && plan > 0 && { tariff_id: plan }),
    ...(tag && { tag }),
    ...(contact && { contact }),
    ...truthOf(query, 'online'),
    ...truthOf(query, 'connected'),
    ...truthOf(query, 'traffic_low'),
    ...(Number.isSafeInteger(node) && node > 0 && { node_id: node }),
    ...(after && { expires_after: after }),
    ...(before && { expires_before: before }),
  };
}

function truthOf<Name extends 'online' | 'connected' | 'traffic_low'>(
  query: URLSearchParams,
  name: Name,
): Partial<Record<Name, boolean>> {
  const text = query.get(name);
  if (text !== 'true' && text !== 'false') return {};
  return { [name]: text === 'true' } as Partial<Record<Name, boolean>>;
}

/** States with commas between them; all of them are no condition. */
function stateOf(text: string | null): Filter['state'] {
  const named = text?.split(',') ?? [];
  const states = USER_STATES.filter((state) => named.includes(state));
  return states.length === USER_STATES.length ? undefined : states.length > 1 ? states : states[0];
}

/** The states of a filter, one by one. */
export function statesOf({ state }: Filter): UserState[] {
  return state === undefined ? [] : [state].flat();
}

function instantOf(text: string | null): string | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

/** The order in the address; the newest first by default. */
export function sortOf(query: URLSearchParams): Sort {
  const text = query.get('sort');
  const field = SORTS.find((one) => one === text?.replace(/^-/, ''));
  if (field === undefined) return '-id';
  return text?.startsWith('-') ? `-${field}` : field;
}

/** The conditions that are set, by name. */
export function namesIn(filter: Filter): readonly FilterName[] {
  return NAMES.filter((name) => MEMBERS[name].some((member) => filter[member as keyof Filter] !== undefined));
}

/** A change of the address that removes conditions. */
export function without(names: readonly FilterName[]): Record<string, null> {
  return Object.fromEntries(names.flatMap((name) => MEMBERS[name].map((member) => [member, null])));
}

/** A filter without one of its conditions. */
export function dropped(filter: Filter, name: FilterName): Filter {
  const members = MEMBERS[name];
  return Object.fromEntries(Object.entries(filter).filter(([member]) => !members.includes(member)));
}

/** A change of the address: users whose term ends within so many days from now (epoch ms), to the hour. */
export function expiringWithin(days: number, now: number): Record<string, string> {
  const from = Math.floor(now / HOUR_MS) * HOUR_MS;
  return {
    expires_after: new Date(from).toISOString(),
    expires_before: new Date(from + days * DAY_MS).toISOString(),
  };
}

/** The days of the ranges that can be chosen. */
export const RANGE_DAYS = [1, 3, 7, 30] as const;

/** Which range of terms a filter asks for: so many days, `over`, '' for none, `own` for another one. To the hour, and one that was chosen within a day is still the same. */
export function rangeOf({ expires_after: after, expires_before: before }: Filter, now: number): string {
  if (before === undefined) return after === undefined ? '' : 'own';
  if (after === undefined) return Date.parse(before) < now + HOUR_MS ? 'over' : 'own';
  const since = now - Date.parse(after);
  const length = Date.parse(before) - Date.parse(after);
  const days = since > -HOUR_MS && since < DAY_MS ? RANGE_DAYS.find((one) => one * DAY_MS === length) : undefined;
  return days === undefined ? 'own' : String(days);
}

/** A change of the address: to a range that can be chosen, or to none. */
export function expiryOf(range: string, now: number): Record<string, string | null> {
  const days = RANGE_DAYS.find((one) => String(one) === range);
  if (days !== undefined) return expiringWithin(days, now);
  return { expires_after: null, expires_before: range === 'over' ? new Date(now).toISOString() : null };
}

/** The filter of a bulk act; without conditions it has to state that it means all users. */
export function bulkFilterOf(filter: Filter): Filter | { readonly all: true } {
  return namesIn(filter).length === 0 ? { all: true } : filter;
}
