// The next resets of all users, computed again where another time zone or another time holds.

import { changeReset } from '../../domain/users/traffic.ts';
import type { Transaction } from '../kernel/context.ts';
import type { UserRow, UserStore } from '../ports/users.ts';
import { commitTraffic, openUser } from './change.ts';

const CHUNK = 500;

/** Settles every user that resets by what held until now, and computes the next reset from now on. */
export function moveResets(tx: Transaction, zone: string): void {
  const { store, now } = tx;
  forEachRow(store.users.withResets, (row) => {
    const current = openUser(tx, row);
    const { account } = current;
    commitTraffic(tx, current, { account: changeReset(account, account.resetStrategy, now, zone) });
  });
}

/** Runs `act` for every row of a list that is read in the order of ids. */
export function forEachRow(read: UserStore['withEnds'], act: (row: UserRow) => void): void {
  let afterId = 0;
  for (;;) {
    const rows = read(afterId, CHUNK);
    for (const row of rows) act(row);
    const last = rows.at(-1);
    if (rows.length < CHUNK || !last) return;
    afterId = last.id;
  }
}
