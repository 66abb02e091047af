// Cursors to anywhere in a list: as the list itself hands them out, made from rows picked at random.
import { createDice } from '../../src/demo/people.ts';
import { type Connection, openConnection } from '../../src/store/database.ts';
import { NEVER } from '../../src/store/users/row.ts';

export interface ListKind {
  /** As in `sort=`. */
  readonly sort: string;
  readonly state?: string;
  readonly tariffId?: number;
}

const COLUMN: Readonly<Record<string, string>> = {
  id: 'id',
  name: 'name_sort',
  created_at: 'created_at',
  expires_at: 'expires_at',
  used: 'used',
};

/** Places of `count` rows of each list: all over it, or among the first `most` of it. */
export function cursorsInto(
  database: string,
  users: number,
  kinds: readonly ListKind[],
  count: number,
  most?: number,
): string[][] {
  const db = openConnection(database, { readonly: true });
  try {
    return kinds.map((kind, seed) => {
      const dice = createDice(seed + 1);
      const pick = most === undefined ? anywhere(db, kind, users) : early(db, kind, most);
      const cursors: string[] = [];
      while (cursors.length < count) {
        const found = pick(dice());
        if (found) cursors.push(encodeCursor(kind.sort, ...found));
      }
      return cursors;
    });
  } finally {
    db.close();
  }
}

type Place = readonly [value: string | number, id: number];
/** A place for a chance between 0 and 1; undefined where there is none. */
type Pick = (chance: number) => Place | undefined;

const getColumn = ({ sort }: ListKind) => COLUMN[sort.replace('-', '')];
const IN_LIST = 'state = coalesce(:state, state) AND tariff_id = coalesce(:tariff, tariff_id)';
const toFilter = ({ state, tariffId }: ListKind) => ({ state: state ?? null, tariff: tariffId ?? null });

function anywhere(db: Connection, kind: ListKind, users: number): Pick {
  const sql = `SELECT ${getColumn(kind)}, id FROM users WHERE id = :id AND ${IN_LIST}`;
  const row = db.prepare<[object], Place>(sql).raw();
  return (chance) => row.get({ id: 1 + Math.floor(chance * users), ...toFilter(kind) });
}

function early(db: Connection, kind: ListKind, most: number): Pick {
  const [column, direction] = [getColumn(kind), kind.sort.startsWith('-') ? 'DESC' : 'ASC'];
  const order = `${column} ${direction}, id ${direction}`;
  const sql = `SELECT ${column}, id FROM users WHERE ${IN_LIST} ORDER BY ${order} LIMIT ${most}`;
  const places = db.prepare<[object], Place>(sql).raw().all(toFilter(kind));
  return (chance) => places[Math.floor(chance * places.length)];
}

function encodeCursor(sort: string, value: string | number, id: number): string {
  return Buffer.from(JSON.stringify([sort, value === NEVER ? null : value, id])).toString('base64url');
}
