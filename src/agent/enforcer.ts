// Enforces the lease that the panel left on this machine: allows and blocks users as it says, whether the panel is connected or not.
import { type EngineChange, EngineError } from '../core/ports/engines.ts';
import type { Clock, Log, Timers } from '../core/ports/ports.ts';
import { REOPEN_EVERY_MS, RESTART_EVERY_MS } from '../domain/limits.ts';
import { endsWhenReopened } from '../domain/nodes/engine-facts.ts';
import { inboundsFor, withoutLeftOut } from './assignment.ts';
import type { LeaseMember, NodeLease } from './ports/lease.ts';
import type { SupervisedEngine } from './supervised-engine.ts';

/** How exactly the end of a term is enforced. */
const TICK_MS = 1000;
/** Users that are sent to the engine together. */
const BATCH = 200;
/** When the engine is sent a user again whom it has refused. */
const RETRY_MS = 60_000;
/**
 * A panel that sent no request for this long counts as away. Only then does this machine cut off other users' connections to block someone.
 */
const AWAY_MS = 60_000;
/** As in domain/nodes/reconcile.ts: the first readings can include bytes from before the block. */
const READINGS_TO_CUT_OFF = 3;

interface Parts {
  readonly lease: NodeLease;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Lowered by tests. */
  readonly tickMs?: number;
}

export interface EnforcedEngine extends SupervisedEngine {
  /** Called with each reading of the counters: users who moved bytes although they may not connect. */
  recordRefused(userIds: readonly number[]): void;
}

/** Users whose changes all succeeded, with whether the engine now allows them on some inbound. */
function listAppliedUsers(changes: readonly EngineChange[], outcomes: readonly (EngineError | null)[]) {
  const allowed = new Map<number, boolean>();
  changes.forEach(({ user, isAllowed }) => {
    allowed.set(user.userId, isAllowed || allowed.get(user.userId) === true);
  });
  changes.forEach(({ user }, index) => {
    if (outcomes[index] instanceof EngineError) allowed.delete(user.userId);
  });
  return [...allowed].map(([userId, isAllowed]) => ({ userId, isAllowed }));
}

export function enforceLease(
  engine: SupervisedEngine,
  { lease, clock, timers, log, tickMs = TICK_MS }: Parts,
): EnforcedEngine {
  let contactAt = Number.NEGATIVE_INFINITY;
  let restartedAt = Number.NEGATIVE_INFINITY;
  let reopenedAt = Number.NEGATIVE_INFINITY;
  /** False: the engine's program lacks the commands for it. */
  let canReopen = engine.reopen !== undefined;
  let isCutting = false;
  const readings = new Map<number, number>();
  /** When the engine refused a user, by user id. */
  const refusedAt = new Map<number, number>();
  let isApplying = false;
  /** Whether the lease may have changed while changes were applied. */
  let isStale = false;
  let isClosed = false;

  function isDue({ userId, isAllowed }: LeaseMember): boolean {
    const at = refusedAt.get(userId);
    return !isAllowed || at === undefined || Math.abs(clock.now() - at) >= RETRY_MS;
  }

  /** Applies to the engine what the lease says now. If the engine does not answer, the next tick tries again. */
  async function apply(): Promise<void> {
    const started = lease.engine();
    if (started === null) return;
    const config = withoutLeftOut(started);
    let after = 0;
    for (;;) {
      const members = lease.unapplied(after, BATCH);
      const last = members.at(-1);
      if (last === undefined) return;
      after = last.userId;
      const due = members.filter(isDue);
      const changes = due.flatMap((user) =>
        inboundsFor(user, config).map((inbound): EngineChange => ({ inbound, user, isAllowed: user.isAllowed })),
      );
      const outcomes = changes.length > 0 ? await engine.apply(changes) : [];
      if (isClosed) return;
      const applied = new Set(listAppliedUsers(changes, outcomes).map(({ userId }) => userId));
      const isRefused = ({ userId }: LeaseMember) =>
        !applied.has(userId) && changes.some(({ user }) => user.userId === userId);
      lease.markApplied(due.filter((member) => !isRefused(member)));
      for (const { userId } of due) refusedAt.delete(userId);
      const refused = due.filter(isRefused);
      for (const { userId } of refused) refusedAt.set(userId, clock.now());
      if (refused.length > 0) log.warn('users refused by the engine', { users: refused.length });
    }
  }

  function tick(): void {
    if (isClosed || lease.held() === null) return;
    try {
      lease.advance(clock.now());
    } catch (error) {
      log.error('lease not enforced', { error: String(error) });
    }
    isStale = true;
    if (!isApplying) void applyWhileStale();
  }

  async function applyWhileStale(): Promise<void> {
    isApplying = true;
    try {
      while (isStale && !isClosed) {
        isStale = false;
        await apply();
      }
    } catch (error) {
      log.warn('engine not brought to the lease', { error: String(error) });
    } finally {
      isApplying = false;
    }
  }

  /** Ends sessions of users who may not connect by reopening their inbounds. Returns whether that was done, or is only delayed. */
  async function endSessions(userIds: readonly number[]): Promise<boolean> {
    const inbounds = canReopen ? (engine.served()?.inbounds.filter(endsWhenReopened) ?? []) : [];
    if (inbounds.length === 0) return false;
    if (Math.abs(clock.now() - reopenedAt) < REOPEN_EVERY_MS) return true;
    const sessions = (await engine.findSessions?.(inbounds, userIds)) ?? [];
    const open = inbounds.filter(({ id }) => sessions.some(({ inboundId }) => inboundId === id));
    for (const inbound of open) {
      reopenedAt = clock.now();
      const ended = sessions.filter(({ inboundId }) => inboundId === inbound.id);
      log.warn('connection reopened to cut users off', { inbound: inbound.tag, users: ended.length });
      await engine.reopen?.(inbound, async () => []);
      for (const { userId } of ended) readings.delete(userId);
    }
    return open.length > 0;
  }

  async function cutOff(userIds: readonly number[]): Promise<void> {
    isCutting = true;
    try {
      if (await endSessions(userIds)) return;
    } catch (error) {
      if (error instanceof EngineError && error.code === 'engine_refused') canReopen = false;
      log.warn('connection not reopened', { error: String(error) });
      return;
    } finally {
      isCutting = false;
    }
    if (Math.abs(clock.now() - restartedAt) < RESTART_EVERY_MS) return;
    const unresponsive = [...readings.values()].filter((count) => count >= READINGS_TO_CUT_OFF).length;
    if (unresponsive > 0) await restart(unresponsive);
  }

  async function restart(users: number): Promise<void> {
    restartedAt = clock.now();
    readings.clear();
    log.warn('engine restarted to cut users off', { users });
    try {
      await engine.restart();
      canReopen = engine.reopen !== undefined;
    } catch (error) {
      log.warn('engine not restarted', { error: String(error) });
    }
  }

  const stopTicking = timers.every(tickMs, tick);
  return {
    ...engine,
    async readLedgerPage(...args) {
      contactAt = clock.now();
      return engine.readLedgerPage(...args);
    },
    async lease(part) {
      if (part === null) return lease.held();
      const held = lease.acceptPart(part, clock.now());
      tick();
      return held;
    },
    async apply(changes) {
      const outcomes = await engine.apply(changes);
      lease.markApplied(listAppliedUsers(changes, outcomes), 'panel');
      return outcomes;
    },
    recordRefused(userIds) {
      // The reading may have used up a user's traffic.
      tick();
      const present = new Set(userIds);
      for (const id of readings.keys()) if (!present.has(id)) readings.delete(id);
      for (const id of present) readings.set(id, (readings.get(id) ?? 0) + 1);
      if (!lease.shared()?.settings.restartToCutOff || Math.abs(clock.now() - contactAt) < AWAY_MS) return;
      if (present.size > 0 && !isCutting && !isClosed) void cutOff(userIds);
    },
    close() {
      isClosed = true;
      stopTicking();
      engine.close();
    },
  };
}
