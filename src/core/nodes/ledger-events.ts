// Events that a machine has written down while the panel was away: a first connection, a reset or a cut-off counts at its true moment.
import { createTransaction, type Env, type Transaction } from '../context.ts';
import type { LedgerEvent } from '../ports/lease.ts';
import type { Counted } from '../ports/sync.ts';
import type { UserRow } from '../ports/users.ts';
import { commitTraffic, describe, openUser } from '../users/change.ts';
import { atLeast, countUsers, NODE_CALL, originOf } from './ingest.ts';

/**
 * The moment at which an event is counted: its own, unless the record has become another one since. A record never goes back in time; a held term
 * begins at the first connection, whatever else was changed meanwhile.
 */
function momentOf({ at, kind }: LedgerEvent, user: UserRow, now: number): number {
  // What moved before a reset belongs to the period before.
  const moment = kind === 'reset' ? at - 1 : at;
  if (moment > now || user.state === 'expired') return now;
  const isUntouched = user.hold !== null || user.onlineAt === null;
  const since = isUntouched ? user.createdAt : Math.max(user.updatedAt, user.onlineAt ?? 0);
  return moment < since ? now : moment;
}

/** The first connection of a user whose term has ended meanwhile. */
function noteFirst(tx: Transaction, user: UserRow, at: number): void {
  if (user.onlineAt !== null || user.state !== 'expired' || at > tx.now) return;
  tx.emitDue('user.first_connected', describe(user), at);
  commitTraffic(tx, openUser(tx, user), { fields: { onlineAt: at } });
}

/** Counts up to each event, in their order, in the present transaction. What was counted further already counts nothing. */
export function countEvents(
  env: Env,
  tx: Transaction,
  nodeId: number,
  events: readonly LedgerEvent[],
): readonly Counted[] {
  const { sync, users } = tx.store;
  const boots = sync.boots(nodeId);
  return events.flatMap((event) => {
    const { boot, kind, userId, at } = event;
    const user = users.get(userId);
    // The panel knows by itself when terms end.
    if (!user || boot === null || kind === 'expired') return [];
    if (boots.get(boot) === 'ended' || !boots.has(originOf(boot))) return [];
    if (kind === 'first') noteFirst(tx, user, at);
    const last = sync.userCounters(nodeId, boot, [userId]).get(userId);
    const then = createTransaction(env, NODE_CALL, 'traffic', momentOf(event, user, tx.now));
    return countUsers(then, nodeId, boot, [{ userId, ...atLeast(event, last) }]);
  });
}
