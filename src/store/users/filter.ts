// The conditions of a list as SQL: one text for each, and which of them an index can begin with.
import type { UserConditions } from '../../core/ports/users.ts';
import type { Cell } from '../database.ts';
import { equals } from '../statements.ts';
import type { Finder } from './finder.ts';
import { NEVER } from './row.ts';
import { type Search, toSearch } from './search.ts';
import { TRUE_STATE } from './states.ts';

/** Bytes moved within this many ms: online. */
const ONLINE_MS = 60_000;

/** A way into the users that need not see them all. */
export interface Entry {
  readonly kind: 'contact' | 'tag' | 'text' | 'online' | 'updated' | 'expires';
  readonly table: string;
  readonly where: string;
  /** The user's id in that table. */
  readonly id: string;
  /** How users are joined to it; '' where they are the table. */
  readonly join: string;
  /** Whether it gives users by id, however many there are. */
  readonly isOrdered: boolean;
}

export interface Filter {
  /** Each condition as a test of `u`, by what it is about. */
  readonly tests: ReadonlyMap<string, string>;
  readonly entries: readonly Entry[];
  readonly params: Record<string, Cell>;
  /** What is searched in the text index; null where there is no search, or it was found already. */
  readonly search: Search | null;
  /** The test for the search by a set made once from the index, instead of reading each row's text; null without a search. */
  readonly textBySet: string | null;
}

/**
 * The filter for these conditions; null where nothing can match. With `isAnyStale` the state is computed row by row. `find` is
 * asked whether those that a search is for are few.
 */
export function toFilter(conditions: UserConditions, now: number, isAnyStale: boolean, find: Finder): Filter | null {
  const { state, q, tariffId, tag, contact, online, expiresBefore, expiresAfter, updatedSince } = conditions;
  const asked = q === undefined || q === '' ? null : toSearch(q);
  if (asked === 'nothing') return null;
  const found = asked === null ? null : find(asked);
  const search = found === null ? asked : null;
  const tests = new Map<string, string>();
  const entries: Entry[] = [];
  const params: Record<string, Cell> = {};
  const add = (about: string, test: string, values: Record<string, Cell>) => {
    tests.set(about, test);
    Object.assign(params, values);
  };

  if (state !== undefined)
    add('state', isAnyStale ? `${TRUE_STATE} = :state` : equals('u.state', ':state'), { state, now });
  if (tariffId !== undefined) add('tariff', equals('u.tariff_id', ':tariff'), { tariff: tariffId });
  if (contact !== undefined) {
    const test = equals('u.contact', ':contact');
    add('contact', test, { contact });
    entries.push(ofUsers('contact', test));
  }
  if (tag !== undefined) {
    add('tag', 'EXISTS (SELECT 1 FROM user_tags WHERE tag = :tag AND user_id = u.id)', { tag });
    entries.push(joined('tag', 'user_tags AS t', 't.tag = :tag', 't.user_id'));
  }
  if (asked !== null && found !== null) {
    const isFound = 'u.id IN (SELECT value FROM json_each(:found))';
    add('text', isFound, { found: JSON.stringify(asked.id === null ? found : [...found, asked.id]) });
    entries.push({
      kind: 'text',
      table: 'users AS u NOT INDEXED',
      where: isFound,
      id: 'u.id',
      join: '',
      isOrdered: true,
    });
  }
  if (search !== null) {
    const { table, match, folded, id } = search;
    add('text', id === null ? HOLDS : `(u.id = :sought OR ${HOLDS})`, { folded, match, sought: id });
    entries.push(joined('text', `${table} AS t`, `t.${table} MATCH :match`, 't.rowid'));
  }
  if (online !== undefined) {
    add('online', online ? 'u.online_at > :online' : '(u.online_at IS NULL OR u.online_at <= :online)', {
      online: now - ONLINE_MS,
    });
    if (online) entries.push(ofUsers('online', 'u.online_at > :online'));
  }
  if (updatedSince !== undefined) {
    add('updated', 'u.updated_at >= :updated', { updated: updatedSince });
    entries.push(ofUsers('updated', 'u.updated_at >= :updated'));
  }
  if (expiresBefore !== undefined || expiresAfter !== undefined) {
    const test = 'u.expires_at > :expiresAfter AND u.expires_at < :expiresBefore';
    add('expires', test, { expiresAfter: expiresAfter ?? -1, expiresBefore: Math.min(expiresBefore ?? NEVER, NEVER) });
    entries.push(ofUsers('expires', test));
  }
  return { tests, entries, params, search, textBySet: search === null ? null : bySet(search) };
}

/** Whether `u` holds the search, read from the row. */
export const HOLDS = 'text_holds(u.name, u.contact, u.note, u.tags, :folded)';

function bySet({ table, id }: Search): string {
  const isFound = `u.id IN (SELECT rowid FROM ${table} WHERE ${table} MATCH :match)`;
  return id === null ? isFound : `(u.id = :sought OR ${isFound})`;
}

function ofUsers(kind: Entry['kind'], where: string): Entry {
  const table = `users AS u INDEXED BY users_${kind}`;
  return { kind, table, where, id: 'u.id', join: '', isOrdered: kind === 'contact' };
}

function joined(kind: Entry['kind'], table: string, where: string, id: string): Entry {
  return { kind, table, where, id, join: ` CROSS JOIN users AS u ON u.id = ${id}`, isOrdered: true };
}

/** All tests but the one about this. */
export function testsBut(tests: ReadonlyMap<string, string>, about: string): string[] {
  return [...tests].filter(([name]) => name !== about).map(([, test]) => test);
}
