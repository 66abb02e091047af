// An engine that its machine starts again where it ends by itself and the panel does not: users are served while the panel is away.
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

/** A panel that is there finds with its next poll that the engine has ended, and starts it as the records are. */
const PAUSE_MS = 30_000;
/** For a panel that has stopped it to start it: longer than it takes to send all users, as a start needs that none is running. */
export const RESTART_MS = 180_000;
/** When an inbound is tried again that the machine has left out. */
const RETRY_MS = 60_000;

interface Parts {
  readonly crypto: Pick<Crypto, 'randomBytes'>;
  readonly timers: Timers;
  readonly log: Log;
  /** The lease that the panel gave; the machine starts the engine with it also after a restart of its own. */
  readonly lease: NodeLease;
  /** For tests. */
  readonly pauseMs?: number;
}

/** A start by the panel that failed. */
export interface FailedStart {
  readonly config: EngineConfig;
  readonly error: unknown;
}

/**
 * What the engine does. `stopped`: nothing, as the panel wants it. `restarting`: the panel has stopped it to start it; `failed`: such a start was
 * tried. `ended`: nothing, but it should run.
 */
export type EngineStatus =
  | { readonly state: 'running' | 'stopped' | 'ended' }
  | { readonly state: 'restarting'; readonly failed: FailedStart | null };

export interface SupervisedEngine extends Engine {
  /** What it serves; null: nothing. */
  served(): EngineConfig | null;
  /** Rejects with EngineError where it does not answer. */
  status(): Promise<EngineStatus>;
  /**
   * Starts it once more with whom it serves, which ends all connections through it. Nothing where it serves nothing, or where the panel has stopped
   * it to start it. Rejects with EngineError.
   */
  restart(): Promise<void>;
}

/** Runs work of several callers one after another. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let turn: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = turn.then(work);
    turn = result.catch(() => {});
    return result;
  };
}

/** The engine, with what the panel gave it. It has a id of its own after each start, so that no byte is counted twice. */
export function superviseEngine(
  engine: Engine,
  { crypto, timers, log, lease, pauseMs = PAUSE_MS }: Parts,
): SupervisedEngine {
  const assignment = openAssignment(lease);
  const ownStarts = createOwnStarts({ engine, assignment, crypto, log, lease });
  const inTurn = createTurns();
  /** No user changes between the moment when an inbound is closed and when it is opened again with the users of before. */
  const inChangeTurn = createTurns();
  /** The panel has stopped it to start it. */
  let isRestarting = false;
  let failed: FailedStart | null = null;
  let isClosed = false;
  let cancel = () => {};

  function startSoon(afterMs = pauseMs): void {
    cancel();
    if (isClosed) return;
    cancel = timers.after(afterMs, () => void inTurn(startAgain));
  }

  /** A start that the panel asked for. */
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

  /** Starts what was planned; what is left out of it is tried again. */
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
      // Closed meanwhile.
      if (held === null) return;
      if (isRunning && held.leftOut.length === 0) return;
      if (!isRunning) ownStarts.forgetFailures();
      const next = await ownStarts.plan(held);
      // Those who are connected are not cut off unless there is more to serve.
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
    // One that ends meanwhile is started again with this inbound by the next process.
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
    // A panel that asks between the stop and the start of a restart of the machine's own would start it itself, and then restart what it does not know.
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
          // A panel that ends before it has started the engine leaves no user cut off.
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
