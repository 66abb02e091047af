// Restarts a crashed engine while the panel is away, so that users are served.
import {
  type Engine,
  type EngineConfig,
  EngineError,
  type EngineInbound,
  type EngineUser,
  type RunningEngine,
} from '../core/ports/engines.ts';
import type { Crypto, Log, Timers } from '../core/ports/ports.ts';
import { type EngineAssignment, type Member, openAssignment, withoutLeftOut } from './assignment.ts';
import { createOwnStarts } from './own-starts.ts';
import type { NodeLease } from './ports/lease.ts';

/** Before that a connected panel notices the end by its next poll, and starts the engine itself. */
const PAUSE_MS = 30_000;
/** Limit for a panel that has stopped the engine to start it again. Longer than sending all users takes, as that comes between. */
export const RESTART_MS = 180_000;
/** When an inbound that was left out is tried again. */
const RETRY_MS = 60_000;

interface Parts {
  readonly crypto: Pick<Crypto, 'randomBytes'>;
  readonly timers: Timers;
  readonly log: Log;
  /** The panel's lease, from which the machine also starts the engine after its own restart. */
  readonly lease: NodeLease;
  /** Lowered by tests. */
  readonly pauseMs?: number;
}

/** A failed start that the panel had requested. */
export interface FailedStart {
  readonly config: EngineConfig;
  readonly error: unknown;
}

/**
 * `stopped`: the panel wants it so. `restarting`: the panel has stopped the engine to start it again; `failed`: that start was tried.
 * `ended`: it should run, but does not.
 */
export type EngineStatus =
  | { readonly state: 'running' | 'stopped' | 'ended' }
  | { readonly state: 'restarting'; readonly failed: FailedStart | null };

export interface SupervisedEngine extends Engine {
  /** The configuration that it serves; null: none. */
  served(): EngineConfig | null;
  /** Rejects with EngineError if the engine does not answer. */
  status(): Promise<EngineStatus>;
  /**
   * Restarts the engine with its present users, which ends all connections through it. Does nothing if the engine serves nothing, or if the
   * panel is restarting it. Rejects with EngineError.
   */
  restart(): Promise<void>;
}

/** Runs the work of several callers one after another. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let turn: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = turn.then(work);
    turn = result.catch(() => {});
    return result;
  };
}

/** Supervises the engine by the panel's assignment. Each start has its own boot id, so that no byte is counted twice. */
export function superviseEngine(
  engine: Engine,
  { crypto, timers, log, lease, pauseMs = PAUSE_MS }: Parts,
): SupervisedEngine {
  const assignment = openAssignment(lease);
  const ownStarts = createOwnStarts({ engine, assignment, crypto, log, lease });
  const inTurn = createTurns();
  /** No user changes while an inbound is reopened: it is closed, then opened with the users read before. */
  const inChangeTurn = createTurns();
  /** Whether the panel has stopped the engine to start it again. */
  let isRestarting = false;
  let failed: FailedStart | null = null;
  let isClosed = false;
  let cancel = () => {};

  function startSoon(afterMs = pauseMs): void {
    cancel();
    if (isClosed) return;
    cancel = timers.after(afterMs, () => void inTurn(startAgain));
  }

  /** A start that the panel requested. */
  async function startRequested(
    config: EngineConfig,
    people: Iterable<EngineUser & { readonly inbounds: readonly number[] }>,
    boot: string,
  ): Promise<RunningEngine> {
    try {
      const running = await engine.start(config, people, boot);
      isRestarting = false;
      return running;
    } catch (error) {
      failed = { config, error };
      throw error;
    }
  }

  /** Starts what was planned; inbounds that are left out are tried again later. */
  async function startPlanned(next: EngineAssignment): Promise<void> {
    const { leftOut } = await ownStarts.start(next);
    if (leftOut.length > 0) startSoon(RETRY_MS);
  }

  async function startAgain(): Promise<void> {
    if (assignment.present() === null) return;
    isRestarting = false;
    try {
      const isRunning = (await engine.running()) !== null;
      const held = assignment.present();
      // The panel stopped the engine meanwhile.
      if (held === null) return;
      if (isRunning && held.leftOut.length === 0) return;
      if (!isRunning) ownStarts.forgetFailures();
      const next = await ownStarts.plan(held);
      // A restart cuts off connected users, so the engine is restarted only if it then serves more.
      if (isRunning && next.leftOut.length >= held.leftOut.length) return startSoon(RETRY_MS);
      if (isRunning) await engine.stop();
      await startPlanned(next);
      log.info('engine started again');
    } catch (error) {
      log.warn('engine not started again', { error: String(error) });
      startSoon();
    }
  }

  async function reopen({ id, tag }: EngineInbound): Promise<void> {
    const held = assignment.present();
    const served = held && withoutLeftOut(held);
    const inbound = served?.inbounds.find((one) => one.id === id);
    if (held === null || served === null || inbound === undefined) {
      throw new EngineError('engine_refused', `${tag}: not served here`);
    }
    const users = assignment.allowedUsers({ ...held, config: served }).filter(({ inbounds }) => inbounds.includes(id));
    // Saved as left out, so that the next process restores the inbound if this one is killed in between.
    assignment.save({ ...held, leftOut: [...held.leftOut, id] });
    try {
      await engine.reopen?.(inbound, async () => users);
    } catch (error) {
      const isUnchanged = error instanceof EngineError && error.code === 'engine_refused';
      if (isUnchanged) assignment.save(held);
      else startSoon(0);
      throw error;
    }
    assignment.save(held);
  }

  if (assignment.present() !== null) cancel = timers.after(0, () => void inTurn(startAgain));
  engine.onExit((error) => {
    log.warn('engine ended', { error: error.message });
    startSoon();
  });
  return {
    ...engine,
    // Waits for a running restart: in between, the panel would see no engine, and start it itself.
    running: () => inTurn(() => engine.running()),
    start: (config, users, boot) =>
      inTurn(async () => {
        const given = new Map([...users].map((user) => [user.userId, user]));
        const running = await startRequested(config, given.values(), boot);
        cancel();
        assignment.save({ config, leftOut: [], users: given, boot });
        lease.markStarted(given.keys(), 'panel');
        return running;
      }),
    startHeld: (config, { leaseId, version }, boot) =>
      inTurn(async () => {
        const now = lease.held();
        if (now === null || now.at === null || now.leaseId !== leaseId || now.version !== version) return null;
        const next = { config, leftOut: [], users: new Map<number, Member>(), boot };
        const people = assignment.allowedUsers(next);
        const running = await startRequested(config, people, boot);
        cancel();
        assignment.save(next);
        lease.markStarted(people.map(({ userId }) => userId));
        return running;
      }),
    stop: (isRestart = false) =>
      inTurn(async () => {
        cancel();
        if (isRestart) {
          // If the panel ends before it has started the engine, the machine starts it, so that users are not cut off for good.
          startSoon(RESTART_MS);
        } else assignment.drop();
        await engine.stop();
        isRestarting = isRestart;
        failed = null;
      }),
    served() {
      const held = assignment.present();
      return held && withoutLeftOut(held);
    },
    status: () =>
      inTurn(async () => {
        if ((await engine.running()) !== null) return { state: 'running' };
        if (assignment.present() === null) return { state: 'stopped' };
        return isRestarting ? { state: 'restarting', failed } : { state: 'ended' };
      }),
    restart: () =>
      inTurn(async () => {
        const held = assignment.present();
        if (held === null || isRestarting) return;
        try {
          const next = await ownStarts.plan(held);
          cancel();
          await engine.stop();
          await startPlanned(next);
        } catch (error) {
          startSoon();
          throw error;
        }
      }),
    ...(engine.reopen && { reopen: (inbound) => inTurn(() => inChangeTurn(() => reopen(inbound))) }),
    apply: (changes) =>
      inChangeTurn(async () => {
        const outcomes = await engine.apply(changes);
        changes.forEach((change, index) => {
          if (!(outcomes[index] instanceof EngineError)) assignment.recordChange(change);
        });
        return outcomes;
      }),
    close() {
      isClosed = true;
      cancel();
      assignment.release();
      engine.close();
    },
  };
}
