// An engine that its machine starts again where it ends by itself and the panel does not: users are served while the panel is away.
import {
  type Engine,
  type EngineChange,
  type EngineConfig,
  EngineError,
  type EngineUser,
} from '../../core/ports/engines.ts';
import type { Crypto, Log, Timers } from '../../core/ports/ports.ts';

/** A panel that is there finds with its next poll that the engine has ended, and starts it as the records are. */
const PAUSE_MS = 30_000;
const BOOT_BYTES = 8;

type Member = EngineUser & { readonly inbounds: readonly number[] };

interface Parts {
  readonly crypto: Pick<Crypto, 'randomBytes'>;
  readonly timers: Timers;
  readonly log: Log;
  /** For tests. */
  readonly pauseMs?: number;
}

export interface KeptEngine extends Engine {
  /** What it serves; null: nothing, or what was started by another process. */
  served(): EngineConfig | null;
  /** Starts it once more with whom it serves, as after a change of its program. Nothing where it serves nothing. */
  restart(): Promise<void>;
}

/** The engine, with what the panel gave it in memory. It has a mark of its own after each start, so that no byte is counted twice. */
export function keepEngine(engine: Engine, { crypto, timers, log, pauseMs = PAUSE_MS }: Parts): KeptEngine {
  /** What it was given by this process; null: nothing, or the panel has stopped it. */
  let held: { readonly config: EngineConfig; readonly users: Map<number, Member>; readonly boot: string } | null = null;
  let cancel = () => {};
  /** Starts and stops take turns. */
  let turn: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work);
    turn = result.catch(() => {});
    return result;
  }

  function startSoon(): void {
    cancel();
    cancel = timers.after(pauseMs, () => void inTurn(startAgain));
  }

  async function startAgain(): Promise<void> {
    if (held === null) return;
    try {
      if ((await engine.running()) !== null) return;
      await engine.start(held.config, held.users.values(), nextBoot(held.boot));
      log.info('engine started again');
    } catch (error) {
      log.warn('engine not started again', { error: String(error) });
      startSoon();
    }
  }

  /** The panel knows by what stands before the letter that its own users were let in. */
  function nextBoot(boot: string): string {
    return `${boot}r${Buffer.from(crypto.randomBytes(BOOT_BYTES)).toString('hex')}`;
  }

  function note({ inbound, user, isAllowed }: EngineChange): void {
    const before = held?.users.get(user.userId);
    const others = before?.inbounds.filter((id) => id !== inbound.id) ?? [];
    const inbounds = isAllowed ? [...others, inbound.id] : others;
    if (inbounds.length === 0) held?.users.delete(user.userId);
    else held?.users.set(user.userId, { ...(isAllowed ? user : (before ?? user)), inbounds });
  }

  engine.onExit((error) => {
    log.warn('engine ended', { error: error.message });
    startSoon();
  });
  return {
    ...engine,
    start: (config, users, boot) =>
      inTurn(async () => {
        const everybody = [...users];
        const running = await engine.start(config, everybody, boot);
        cancel();
        held = { config, users: new Map(everybody.map((user) => [user.userId, user])), boot };
        return running;
      }),
    stop: () =>
      inTurn(async () => {
        cancel();
        held = null;
        await engine.stop();
      }),
    served: () => held?.config ?? null,
    restart: () =>
      inTurn(async () => {
        if (held === null) return;
        cancel();
        await engine.stop();
        await engine.start(held.config, held.users.values(), nextBoot(held.boot));
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
