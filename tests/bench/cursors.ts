// Cursors to anywhere in a list: as the list itself hands them out, made from rows picked at random.
import { createDice } from '../../src/panel/demo-people.ts';
import { openConnection } from '../../src/store/database.ts';
import { NEVER } from '../../src/store/user-row.ts';

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

/** Places of `count` rows of each list, all over it. */
export function cursorsInto(database: string, users: number, kinds: readonly ListKind[], count: number): string[][] {
  const db = openConnection(database, { readonly: true });
  try {
    return kinds.map((kind, seed) => {
      const column = COLUMN[kind.sort.replace('-', '')];
      const row = db
        .prepare<[number, string | null, number | null], [value: string | number, id: number]>(
          `SELECT ${column}, id FROM users WHERE id = ? AND state = coalesce(?, state) AND tariff_id = coalesce(?, tariff_id)`,
        )
        .raw();
      const dice = createDice(seed + 1);
      const cursors: string[] = [];
      while (cursors.length < count) {
        const found = row.get(1 + Math.floor(dice() * users), kind.state ?? null, kind.tariffId ?? null);
        if (found) cursors.push(cursorOf(kind.sort, ...found));
      }
      return cursors;
    });
  } finally {
    db.close();
  }
}

function cursorOf(sort: string, value: string | number, id: number): string {
  return Buffer.from(JSON.stringify([sort, value === NEVER ? null : value, id])).toString('base64url');
}
