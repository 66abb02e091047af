// Converts the filter between the address and requests. Invalid parts of the address are ignored.
import { SORTS, type Sort, USER_STATES, type UserFilter, type UserState } from '../../../../contract/users/users.ts';
import { DAY_MS, HOUR_MS } from '../../../../domain/limits.ts';

/** One state, as the tabs choose, or several. */
export type Filter = Omit<UserFilter, 'state'> & { readonly state?: UserState | UserState[] };

const parseId = (text: string) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined);
const parseText = (max: number) => (text: string) => text.slice(0, max) || undefined;
const parseBoolean = (text: string) => (text === 'true' ? true : text === 'false' ? false : undefined);

type Readers = {
  readonly [Member in keyof UserFilter]-?: ((text: string) => Filter[Member]) | null;
};

/** Reads each member of the filter from the address; null: the pages have no such filter. */
const READERS = {
  state: parseState,
  q: (text) => parseText(100)(text.trim()),
  tariff_id: parseId,
  tag: parseText(32),
  contact: parseText(100),
  online: parseBoolean,
  connected: parseBoolean,
  traffic_low: parseBoolean,
  node_id: parseId,
  expires_after: parseInstant,
  expires_before: parseInstant,
  ids: null,
  external_id: null,
  telegram_id: null,
  metadata: null,
  updated_since: null,
} as const satisfies Readers;

/** A member of the filter that the pages have. */
type Member = { [Name in keyof Readers]: (typeof READERS)[Name] extends null ? never : Name }[keyof Readers];
export type FilterName = Exclude<Member, 'expires_after' | 'expires_before'> | 'expires';

const MEMBERS = (Object.keys(READERS) as (keyof Readers)[]).filter((name): name is Member => READERS[name] !== null);

/** The filter of a member: both ends of a range are one filter. */
function getFilterName(member: Member): FilterName {
  return member === 'expires_after' || member === 'expires_before' ? 'expires' : member;
}

/** The filter in an address. */
export function parseFilter(query: URLSearchParams): Filter {
  const read = MEMBERS.map((name) => [name, READERS[name](query.get(name) ?? '')] as const);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

/** States separated by commas; all states mean no filter. */
function parseState(text: string): Filter['state'] {
  const named = text.split(',');
  const states = USER_STATES.filter((state) => named.includes(state));
  return states.length === USER_STATES.length ? undefined : states.length > 1 ? states : states[0];
}

/** The states of a filter, one by one. */
export function listStates({ state }: Filter): UserState[] {
  return state === undefined ? [] : [state].flat();
}

function parseInstant(text: string): string | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

/** The order in the address; the newest first by default. */
export function parseSort(query: URLSearchParams): Sort {
  const text = query.get('sort');
  const field = SORTS.find((one) => one === text?.replace(/^-/, ''));
  if (field === undefined) return '-id';
  return text?.startsWith('-') ? `-${field}` : field;
}

/** The names of the filters that are set. */
export function listFilterNames(filter: Filter): readonly FilterName[] {
  return [...new Set(MEMBERS.filter((member) => filter[member] !== undefined).map(getFilterName))];
}

/** Changes of the address that remove filters. */
export function without(names: readonly FilterName[]): Record<string, null> {
  return Object.fromEntries(
    MEMBERS.filter((member) => names.includes(getFilterName(member))).map((member) => [member, null]),
  );
}

/** A filter without one of its parts. */
export function withoutFilter(filter: Filter, name: FilterName): Filter {
  const members: readonly string[] = MEMBERS.filter((member) => getFilterName(member) === name);
  return Object.fromEntries(Object.entries(filter).filter(([member]) => !members.includes(member)));
}

/** Changes of the address for users whose term ends within `days` from now (epoch ms), rounded to the hour. */
export function expiringWithin(days: number, now: number): Record<string, string> {
  const from = Math.floor(now / HOUR_MS) * HOUR_MS;
  return {
    expires_after: new Date(from).toISOString(),
    expires_before: new Date(from + days * DAY_MS).toISOString(),
  };
}

/** The day ranges that the pages offer. */
export const RANGE_DAYS = [1, 3, 7, 30] as const;

/**
 * The range of terms in a filter: a number of days, `over`, '' for none, `own` for any other. Rounded to the hour; a range that was chosen
 * within the last day is still recognized.
 */
export function findExpiryRange({ expires_after: after, expires_before: before }: Filter, now: number): string {
  if (before === undefined) return after === undefined ? '' : 'own';
  if (after === undefined) return Date.parse(before) < now + HOUR_MS ? 'over' : 'own';
  const since = now - Date.parse(after);
  const length = Date.parse(before) - Date.parse(after);
  const days = since > -HOUR_MS && since < DAY_MS ? RANGE_DAYS.find((one) => one * DAY_MS === length) : undefined;
  return days === undefined ? 'own' : String(days);
}

/** Changes of the address for an offered range, or for none. */
export function buildExpiryFilter(range: string, now: number): Record<string, string | null> {
  const days = RANGE_DAYS.find((one) => String(one) === range);
  if (days !== undefined) return expiringWithin(days, now);
  return { expires_after: null, expires_before: range === 'over' ? new Date(now).toISOString() : null };
}

/** The filter of a bulk action; without conditions it must state `all`. */
export function buildBulkFilter(filter: Filter): Filter | { readonly all: true } {
  return Object.values(filter).every((value) => value === undefined) ? { all: true } : filter;
}
