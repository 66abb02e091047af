// The lease in the file of the ledger: users with their terms and shares, sealed secrets, and the engine's configuration.
import type { LeaseHeld, LeaseUser } from '../../core/ports/lease.ts';
import type { UpDown } from '../../core/ports/traffic.ts';
import {
  advanceLease,
  countLeased,
  countUnread,
  findLeaseRefusal,
  type Leased,
  leaseDueAt,
} from '../../domain/nodes/lease.ts';
import { applyWeightSince } from '../../domain/nodes/weight.ts';
import type { Connection } from '../../store/database.ts';
import type { NodeLease } from '../ports/lease.ts';
import { createLeaseEngine } from './lease-engine.ts';
import { createLeaseEvents, type LeaseEvents } from './lease-events.ts';
import { createLeaseRows, isAllowed, type Secrets, type TextSeal } from './lease-rows.ts';
import { type CountedBy, prepareLease } from './lease-statements.ts';

/** Users whose due times are processed in one transaction. */
const PASSED = 500;
/** If the clock was set back by more than this, it had been wrong, and ends of terms that it caused may be premature. */
const SET_BACK_MS = 60_000;
const NOTHING: UpDown = { up: 0, down: 0 };

export interface LeaseTables extends NodeLease, Pick<LeaseEvents, 'events' | 'acknowledge'> {
  /**
   * Counts a user's traffic. `before`, `after`: the engine's counters. Returns whether the user may not connect for another reason than too
   * many addresses.
   */
  count(userId: number, moved: UpDown, before: CountedBy | null, after: CountedBy, now: number): boolean;
  /** Up to which sequence number the panel had acknowledged the ledger when it made the lease; null: there is no lease. */
  readTaken(): number | null;
}

function sumTraffic(all: readonly UpDown[]): UpDown {
  return all.reduce((sum, { up, down }) => ({ up: sum.up + up, down: sum.down + down }), NOTHING);
}

/** `nextSeq`: returns the next sequence number of the ledger. `offered`: returns the number up to which entries were offered. */
export function createNodeLease(
  db: Connection,
  seal: TextSeal,
  nextSeq: () => number,
  offered: () => number,
): LeaseTables {
  const sql = prepareLease(db);
  const rows = createLeaseRows(sql, seal);
  const history = createLeaseEvents(sql, nextSeq, offered);
  /** The `now` of the last `advance`; null: not called by this process yet. */
  let passedAt: number | null = null;

  function save(userId: number, leased: Leased, now: number): void {
    sql.update.run(JSON.stringify(leased), leaseDueAt(leased, now), isAllowed(leased, now), userId);
  }

  function held(): LeaseHeld | null {
    const row = sql.lease.get();
    if (!row) return null;
    const { leaseId, version, at } = row;
    return {
      leaseId,
      version,
      at,
      // A getter, because counting needs a scan and few callers read it.
      get users() {
        return sql.count.get() ?? 0;
      },
    };
  }

  /** Allows users again whose term had ended only because the clock was wrong. */
  function allowAgain(now: number): void {
    for (const row of sql.refused.all()) {
      const leased = rows.decode(row, now);
      if (findLeaseRefusal(leased, now) === null) save(row.userId, leased, now);
    }
  }

  function saveUser(user: LeaseUser, part: { leaseId: string; taken: number }, now: number): void {
    sql.learn.run({ userId: user.id, taken: part.taken });
    const grown = sql.unknown.all(user.id).map(({ up, down, knownUp, knownDown }) => {
      const charged = applyWeightSince({ up, down }, { up: knownUp, down: knownDown }, rows.weight());
      return { moved: { up: up - knownUp, down: down - knownDown }, charged };
    });
    const moved = sumTraffic(grown.map((each) => each.moved));
    const charged = sumTraffic(grown.map((each) => each.charged));
    const passed = advanceLease(user.leased, now, rows.zone()).leased;
    const isMoved = moved.up > 0 || moved.down > 0;
    const leased = isMoved ? countUnread(passed, moved, now, rows.zone(), charged) : passed;
    const { name, credentials, deviceLimit, tariffId, tags } = user;
    sql.upsert.run({
      userId: user.id,
      leaseId: part.leaseId,
      tokenHash: user.tokenHash,
      secrets: seal.seal(JSON.stringify({ name, credentials, deviceLimit, tariffId, tags } satisfies Secrets)),
      inbounds: user.inbounds && JSON.stringify(user.inbounds),
      leftOut: JSON.stringify(user.leftOut),
      leased: JSON.stringify(leased),
      updatedAt: user.updatedAt,
      dueAt: leaseDueAt(leased, now),
      allowed: isAllowed(leased, now),
    });
  }

  return {
    held,
    shared: rows.shared,
    ...createLeaseEngine(db, seal, sql, rows),
    events: history.events,
    acknowledge: history.acknowledge,
    readTaken: () => (sql.lease.get() ? (sql.taken.get() ?? 0) : null),
    acceptPart: db.transaction((part, now) => {
      const before = sql.lease.get();
      const follows =
        part.base === 0 || (before !== undefined && before.leaseId === part.leaseId && before.version === part.base);
      if (!follows) return held();
      sql.saveLease.run(part.leaseId, part.base + 1);
      if (part.shared !== null) {
        sql.setShared.run(seal.seal(JSON.stringify(part.shared)));
        rows.setShared(part.shared);
      }
      for (const user of part.users) saveUser(user, part, now);
      for (const id of part.gone) sql.remove.run(id);
      if (part.isLast) {
        sql.removeOthers.run(part.leaseId);
        sql.setAt.run(part.at);
        sql.saveTaken.run(part.taken);
      }
      return held();
    }),
    count(userId, moved, before, after, now) {
      const row = sql.get.get(userId);
      if (!row) {
        // An unknown user: either one on hold whose term starts with this connection, or a deleted one.
        if (before === null) history.append('first', now, userId, after);
        return (sql.lease.get()?.at ?? null) !== null && sql.isInEngine.get(userId) === undefined;
      }
      const charged = applyWeightSince(after, before ?? NOTHING, rows.weight());
      const { leased, happened } = countLeased(rows.decode(row, now), moved, now, rows.zone(), charged);
      const cut = happened.some(({ kind }) => kind === 'limited' || kind === 'share');
      for (const { kind, at } of happened) {
        if (kind === 'reset') history.recordUncounted('reset', at, userId, null);
        else if (kind === 'expired') history.append(kind, at, userId, before);
        // A limit that is reached at the first connection implies the start of the term.
        else if (kind !== 'first' || !cut) {
          history.recordUncounted('share', at, userId, after.boot);
          history.append(kind, at, userId, after);
        }
      }
      const refusal = findLeaseRefusal(advanceLease(rows.decode(row, now), now, rows.zone()).leased, now);
      save(userId, leased, now);
      return refusal !== null && refusal !== 'addresses';
    },
    advance: db.transaction((now) => {
      const isSetBack = passedAt !== null && now < passedAt - SET_BACK_MS;
      // null: the clock may have been wrong in an earlier process too.
      if (passedAt === null || isSetBack) allowAgain(now);
      // Resets and ends of grants cannot be undone here, so the panel is made to send the whole lease again.
      if (isSetBack) sql.forgetVersion.run();
      passedAt = now;
      for (;;) {
        const due = sql.due.all(now, PASSED);
        for (const row of due) {
          const { leased, happened } = advanceLease(rows.decode(row, now), now, rows.zone());
          for (const { kind, at } of happened) {
            if (kind === 'reset') history.recordUncounted('reset', at, row.userId, null);
            else history.append(kind, at, row.userId, null);
          }
          save(row.userId, leased, now);
        }
        if (due.length < PASSED) return;
      }
    }),
    findLink(tokenHash, now) {
      const row = sql.byToken.get(tokenHash);
      if (!row) return null;
      const { leased } = advanceLease(rows.decode(row, now), now, rows.zone());
      return { user: rows.toLeaseUser(row, leased), refusal: findLeaseRefusal(leased, now) };
    },
    forget: db.transaction(() => {
      for (const table of ['lease', 'started', 'leased', 'engine_users', 'lease_events'])
        db.exec(`DELETE FROM ${table}`);
      rows.setShared(undefined);
    }),
  };
}
