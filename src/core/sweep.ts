// Writes due changes soon after their time, in small transactions, and deletes old rows.

import { DAYS_STORED, HOURS_STORED_DAYS } from '../contract/stats.ts';
import { localDay } from '../domain/calendar.ts';
import { DAY_MS, HOUR_MS, IDEMPOTENCY_HOURS } from '../domain/limits.ts';
import { settleExcess } from '../domain/users/concurrency.ts';
import { pruneSessions } from './access/session.ts';
import type { Action, Env, Transaction } from './kernel/context.ts';
import type { UserRow } from './ports/users.ts';
import { pruneAttempts } from './proof/attempts.ts';
import { pruneBrowsers } from './proof/browsers.ts';
import { commitTime, commitTraffic, openUser } from './users/change.ts';
import { undoBefore } from './users/undo.ts';

type SweepEnv = Pick<Env, 'clock' | 'queue' | 'settings' | 'store' | 'transact'>;

const CHUNK = 100;
/** A node that misses more changes than this is restarted with all users. */
const CHANGES_KEPT = 100_000;

const SWEEP: Action = { name: 'sweep', by: 'sweep' };

/** Settles due users, and those that ended by a clock set back since, one chunk per transaction. Returns whether more are due. */
export async function sweepDue(env: SweepEnv): Promise<boolean> {
  const { store } = env;
  if (!isAnyUnsettled(env) || store.diskSpace.isFull()) return false;
  const count = await env.transact(SWEEP, (tx) => {
    const due = store.users.due(tx.now, CHUNK);
    for (const row of due) commitTime(tx, openUser(tx, row));
    const early = store.users.endedEarly(tx.now, CHUNK - due.length);
    for (const row of early) commitTime(tx, openUser(tx, row));
    return due.length + early.length;
  });
  return count === CHUNK;
}

/** Ends blocks and excesses of addresses whose time has passed. There are few at any time. */
export async function sweepExcesses(env: SweepEnv): Promise<void> {
  const { store, clock } = env;
  if (!store.users.hasExcess() || store.diskSpace.isFull()) return;
  const isOver = ({ excess }: UserRow) => settleExcess(excess, clock.now()) !== excess;
  let afterId = 0;
  for (;;) {
    const rows = store.users.withExcess(afterId, CHUNK);
    if (rows.some(isOver)) await env.transact(SWEEP, (tx) => endExcesses(tx, afterId));
    const last = rows.at(-1);
    if (!last || rows.length < CHUNK) return;
    afterId = last.id;
  }
}

function endExcesses(tx: Transaction, afterId: number): void {
  for (const row of tx.store.users.withExcess(afterId, CHUNK)) {
    const excess = settleExcess(row.excess, tx.now);
    if (excess !== row.excess) commitTraffic(tx, openUser(tx, row), { fields: { excess } });
  }
}

/** Costs two index look-ups. */
function isAnyUnsettled({ store, clock }: Pick<Env, 'clock' | 'store'>): boolean {
  const now = clock.now();
  const due = store.users.nextDueAt();
  return (due !== null && due <= now) || store.users.endedEarly(now, 1).length > 0;
}

/**
 * Deletes expired rows: events, audit rows, undo steps, stored replies, ended sessions, failed attempts, browsers, fine-grained traffic, addresses of
 * users.
 */
export async function prune(env: SweepEnv): Promise<void> {
  const { store, clock, queue } = env;
  if (store.diskSpace.isFull()) return;
  const now = clock.now();
  const { eventsKeptDays, auditKeptDays, timeZone } = env.settings();
  const oldest = localDay(now - DAYS_STORED * DAY_MS, timeZone);
  const steps = [
    () => store.events.prune(now - eventsKeptDays * DAY_MS),
    () => store.audit.prune(now - auditKeptDays * DAY_MS),
    () => store.undo.prune(undoBefore(now)),
    () => store.idempotency.prune(now - IDEMPOTENCY_HOURS * HOUR_MS),
    () => pruneSessions(store, now),
    () => pruneAttempts(store, now),
    () => pruneBrowsers(store, now),
    () => store.traffic.prune(now - HOURS_STORED_DAYS * DAY_MS, oldest),
    () => store.userDays.prune(oldest),
    () => store.sync.prune(CHANGES_KEPT),
    () => store.connected.prune(now - DAY_MS),
  ];
  for (const step of steps) await queue.run(() => store.write(step));
}
