// Recomputes the next resets of all users after a change of time zone or time.

import { changeReset } from '../../domain/users/traffic.ts';
import type { Transaction } from '../kernel/context.ts';
import type { UserRow, UserStore } from '../ports/users.ts';
import { commitTraffic, openUser } from './change.ts';

const CHUNK = 500;

/** Settles every user with resets under the old settings, and computes the next reset. */
export function moveResets(tx: Transaction, zone: string): void {
  const { store, now } = tx;
  forEachRow(store.users.withResets, (row) => {
    const current = openUser(tx, row);
    const { account } = current;
    commitTraffic(tx, current, { account: changeReset(account, account.resetStrategy, now, zone) });
  });
}

/** Runs `act` for every row of a list that is read by id. */
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
