// Events that a machine recorded while the panel was away: a first connection, a reset or a cut-off is written with its own time.
import { nextReset } from '../../domain/calendar.ts';
import { addBytes } from '../../domain/users/account.ts';
import type { Action, Env, Transaction } from '../kernel/context.ts';
import type { LedgerEvent } from '../ports/lease.ts';
import type { Counted } from '../ports/sync.ts';
import type { UpDown } from '../ports/traffic.ts';
import type { UserRow } from '../ports/users.ts';
import { commitTraffic, describe, openUser } from '../users/change.ts';
import { trafficSlot } from '../users/traffic.ts';
import { atLeast, countUsers, getOriginBoot, since } from './ingest.ts';
import { boundSteps } from './line.ts';

/** Traffic before a reset belongs to the previous period. */
function getRecordedAt({ at, kind }: LedgerEvent): number {
  return kind === 'reset' ? at - 1 : at;
}

/**
 * The time at which an event is applied: its own, unless the record changed since. A record never goes back in time; a held term starts at the first
 * connection, whatever else changed meanwhile.
 */
function computeMoment(moment: number, user: UserRow, now: number): number {
  if (moment > now || user.state === 'expired') return now;
  const isUntouched = user.hold !== null || user.onlineAt === null;
  const changedAt = isUntouched ? user.createdAt : Math.max(user.updatedAt, user.onlineAt ?? 0);
  return moment < changedAt ? now : moment;
}

/** Whether the current hold was set later, so that the traffic does not start it. */
function isBeforeHold({ hold, heldAt }: UserRow, moment: number): boolean {
  return hold !== null && heldAt !== null && moment < heldAt;
}

/** The first connection of a user whose term has ended or was put on hold meanwhile. */
function recordFirstConnection(tx: Transaction, user: UserRow, at: number): void {
  const isPast = user.state === 'expired' || isBeforeHold(user, at);
  if (user.onlineAt !== null || !isPast || at > tx.now) return;
  tx.emitDue('user.first_connected', describe(user), at);
  commitTraffic(tx, openUser(tx, user), { fields: { onlineAt: at } });
}

/** Whether the panel has reset the counter since that moment. */
function isOfFormerPeriod({ hold, resetStrategy, resetsAt, termBeganAt }: UserRow, moment: number, zone: string) {
  if (hold !== null || resetsAt === null) return false;
  const next = nextReset(resetStrategy, moment, termBeganAt, zone);
  return next !== null && next < resetsAt;
}

/** Emits the missed events of a period that the panel ended without knowing about the limit: the limit, and the reset that allowed the user again. */
function emitFormerLimit(tx: Transaction, user: UserRow, at: number): void {
  const resetAt = nextReset(user.resetStrategy, at, user.termBeganAt, tx.settings.timeZone);
  tx.emitDue('user.limited', { ...describe(user), state: 'limited' }, at);
  if (resetAt !== null && user.state === 'active') tx.emitDue('user.activated', describe(user), resetAt);
}

/** Counts traffic of a past period: in statistics and totals, not against the current limit. */
function countFormer(
  tx: Transaction,
  nodeId: number,
  boot: string,
  { user, event, moment }: { readonly user: UserRow; readonly event: LedgerEvent; readonly moment: number },
): Counted[] {
  const { sync, traffic } = tx.store;
  const value: UpDown = { up: event.up, down: event.down };
  const last = sync.userCounters(nodeId, boot, [user.id]).get(user.id);
  const step = since(value, last);
  if (step.up === 0 && step.down === 0) return [];
  const [{ up, down } = step] = boundSteps(tx, nodeId, 'users', [step]);
  sync.saveUserCounters(nodeId, boot, [{ userId: user.id, ...atLeast(value, last) }]);
  const slot = trafficSlot(moment, tx.settings.timeZone);
  traffic.addToNode(nodeId, slot, { up, down });
  traffic.addToUser(user.id, nodeId, slot, { up, down });
  if (user.onlineAt === null) tx.emitDue('user.first_connected', describe(user), moment);
  if (event.kind === 'limited') emitFormerLimit(tx, user, moment);
  const current = openUser(tx, user);
  const { account } = current;
  commitTraffic(tx, current, {
    account: { ...account, totalUp: addBytes(account.totalUp, up), totalDown: addBytes(account.totalDown, down) },
    fields: { onlineAt: Math.max(moment, user.onlineAt ?? user.createdAt) },
  });
  return [{ userId: user.id, up, down }];
}

/** Counts traffic up to each event in order, in the current transaction. Traffic that was counted already is skipped. */
export function countEvents(
  env: Pick<Env, 'transactNow'>,
  tx: Transaction,
  nodeId: number,
  events: readonly LedgerEvent[],
): readonly Counted[] {
  const { sync, users } = tx.store;
  const boots = sync.boots(nodeId);
  return events.flatMap((event) => {
    const { boot, kind, userId, at } = event;
    const found = users.get(userId);
    // The panel detects ends of terms itself.
    if (!found || boot === null || kind === 'expired') return [];
    if (boots.get(boot) === 'ended' || !boots.has(getOriginBoot(boot))) return [];
    if (kind !== 'reset') recordFirstConnection(tx, found, at);
    const user = users.get(userId) ?? found;
    const moment = getRecordedAt(event);
    if (isOfFormerPeriod(user, moment, tx.settings.timeZone)) {
      return countFormer(tx, nodeId, boot, { user, event, moment });
    }
    const last = sync.userCounters(nodeId, boot, [userId]).get(userId);
    const values = [{ userId, ...atLeast(event, last) }];
    const action: Action = { name: 'traffic', by: 'node', at: computeMoment(moment, user, tx.now) };
    return env.transactNow(action, (then) =>
      countUsers(then, nodeId, boot, values, () => kind !== 'reset' && !isBeforeHold(user, moment)),
    );
  });
}
