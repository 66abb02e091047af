// An engine that its machine starts again where it ends by itself and the panel does not: users are served while the panel is away.
import {
  type Engine,
  type EngineChange,
  type EngineConfig,
  EngineError,
  type EngineInbound,
  type EngineUser,
  type RunningEngine,
} from '../../core/ports/engines.ts';
import type { LeaseMember, NodeLease } from '../../core/ports/node-lease.ts';
import type { Crypto, Log, Timers } from '../../core/ports/ports.ts';

/** A panel that is there finds with its next poll that the engine has ended, and starts it as the records are. */
const PAUSE_MS = 30_000;
/** For a panel that has stopped it to start it: longer than it takes to send all users, as a start needs that none is running. */
export const RESTART_MS = 180_000;
const BOOT_BYTES = 8;

type Member = EngineUser & { readonly inbounds: readonly number[] };

interface Parts {
  readonly crypto: Pick<Crypto, 'randomBytes'>;
  readonly timers: Timers;
  readonly log: Log;
  /** The lease that the panel gave; the machine starts the engine with it also after a restart of its own. */
  readonly lease: NodeLease;
  /** For tests. */
  readonly pauseMs?: number;
}

/** On which connections of an engine a user may be. */
export function inboundsFor(
  { inbounds, leftOut }: Pick<LeaseMember, 'inbounds' | 'leftOut'>,
  config: EngineConfig,
): readonly EngineInbound[] {
  return config.inbounds.filter(({ id }) => (inbounds === null || inbounds.includes(id)) && !leftOut.includes(id));
}

interface Held {
  readonly config: EngineConfig;
  /** As the panel has told this process. */
  readonly users: Map<number, Member>;
  readonly boot: string;
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
export type EngineStanding =
  | { readonly is: 'running' | 'stopped' | 'ended' }
  | { readonly is: 'restarting'; readonly failed: FailedStart | null };

export interface KeptEngine extends Engine {
  /** What it serves; null: nothing. */
  served(): EngineConfig | null;
  /** Rejects with EngineError where it does not answer. */
  standing(): Promise<EngineStanding>;
  /**
   * Starts it once more with whom it serves, which ends all connections through it. Nothing where it serves nothing, or where the panel has stopped
   * it to start it. Rejects with EngineError.
   */
  restart(): Promise<void>;
}

/** The engine, with what the panel gave it. It has a id of its own after each start, so that no byte is counted twice. */
export function keepEngine(engine: Engine, { crypto, timers, log, lease, pauseMs = PAUSE_MS }: Parts): KeptEngine {
  /** Null: nothing was given, or the panel has stopped it. */
  let held: Held | null = heldBefore();
  /** The panel has stopped it to start it. */
  let isRestarting = false;
  let failed: FailedStart | null = null;
  let cancel = () => {};
  /** Starts and stops take turns. */
  let turn: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work);
    turn = result.catch(() => {});
    return result;
  }

  function startSoon(afterMs = pauseMs): void {
    cancel();
    cancel = timers.after(afterMs, () => void inTurn(startAgain));
  }

  /** What a process before this one was given; users are those of the lease alone. */
  function heldBefore(): Held | null {
    const before = isWhole() ? lease.engine() : null;
    return before && { ...before, users: new Map() };
  }

  function isWhole(): boolean {
    return (lease.held()?.at ?? null) !== null;
  }

  function everybody({ config, users }: Held): readonly Member[] {
    if (!isWhole()) return [...users.values()];
    return lease.members().map((member) => ({ ...member, inbounds: inboundsFor(member, config).map(({ id }) => id) }));
  }

  async function startWith(next: Held): Promise<void> {
    const id = Buffer.from(crypto.randomBytes(BOOT_BYTES)).toString('hex');
    const people = everybody(next);
    // The panel knows by what stands before the letter that its own users were let in.
    await engine.start(next.config, people, `${next.boot}r${id}`);
    lease.noteStarted(people.map(({ userId }) => userId));
  }

  /** A start that the panel asked for. */
  async function startAsked(
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

  async function startAgain(): Promise<void> {
    if (held === null) return;
    isRestarting = false;
    try {
      if ((await engine.running()) !== null) return;
      await startWith(held);
      log.info('engine started again');
    } catch (error) {
      log.warn('engine not started again', { error: String(error) });
      startSoon();
    }
  }

  function note({ inbound, user, isAllowed }: EngineChange): void {
    const before = held?.users.get(user.userId);
    const others = before?.inbounds.filter((id) => id !== inbound.id) ?? [];
    const inbounds = isAllowed ? [...others, inbound.id] : others;
    if (inbounds.length === 0) held?.users.delete(user.userId);
    else held?.users.set(user.userId, { ...(isAllowed ? user : (before ?? user)), inbounds });
  }

  if (held !== null) cancel = timers.after(0, () => void inTurn(startAgain));
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
        const given = [...users];
        const running = await startAsked(config, given, boot);
        cancel();
        held = { config, users: new Map(given.map((user) => [user.userId, user])), boot };
        lease.saveEngine({ config, boot });
        lease.noteStarted(held.users.keys(), 'panel');
        return running;
      }),
    startHeld: (config, { leaseId, version }, boot) =>
      inTurn(async () => {
        const now = lease.held();
        if (now === null || now.at === null || now.leaseId !== leaseId || now.version !== version) return null;
        const next = { config, users: new Map<number, Member>(), boot };
        const people = everybody(next);
        const running = await startAsked(config, people, boot);
        cancel();
        held = next;
        lease.saveEngine({ config, boot });
        lease.noteStarted(people.map(({ userId }) => userId));
        return running;
      }),
    stop: (isRestart = false) =>
      inTurn(async () => {
        cancel();
        if (isRestart) {
          // A panel that ends before it has started the engine leaves no user cut off.
          startSoon(RESTART_MS);
        } else {
          held = null;
          lease.saveEngine(null);
        }
        await engine.stop();
        isRestarting = isRestart;
        failed = null;
      }),
    served: () => held?.config ?? null,
    standing: () =>
      inTurn(async () => {
        if ((await engine.running()) !== null) return { is: 'running' };
        if (held === null) return { is: 'stopped' };
        return isRestarting ? { is: 'restarting', failed } : { is: 'ended' };
      }),
    restart: () =>
      inTurn(async () => {
        if (held === null || isRestarting) return;
        const next = held;
        cancel();
        await engine.stop();
        try {
          await startWith(next);
        } catch (error) {
          startSoon();
          throw error;
        }
      }),
    async apply(changes) {
      const outcomes = await engine.apply(changes);
      changes.forEach((change, index) => {
        if (!(outcomes[index] instanceof EngineError)) note(change);
      });
      return outcomes;
    },
    close() {
      cancel();
      held = null;
      engine.close();
    },
  };
}
