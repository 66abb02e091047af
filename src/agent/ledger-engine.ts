// An engine whose counters its machine records in the ledger, also while the panel is away, until the panel has acknowledged them.
import { type Engine, EngineError } from '../core/ports/engines.ts';
import type { Clock, Log, Timers } from '../core/ports/ports.ts';
import type { NodeLedger } from './ports/ledger.ts';

/** An engine that crashes loses the bytes since the last reading. */
const BEAT_MS = 10_000;

interface Parts {
  readonly ledger: NodeLedger;
  readonly clock: Clock;
  /** Called with each reading: users who moved bytes although the lease does not allow them to connect. */
  readonly onRefused?: (userIds: readonly number[]) => void;
  readonly timers: Timers;
  readonly log: Log;
  /** Lowered by tests. */
  readonly beatMs?: number;
}

export function meterEngine(
  engine: Engine,
  { ledger, clock, onRefused: refused, timers, log, beatMs = BEAT_MS }: Parts,
): Engine {
  let isBeating = false;
  let isClosed = false;

  /** Records the engine's counters. Returns the error if that failed, otherwise null. */
  async function record(): Promise<EngineError | null> {
    try {
      const counters = await engine.counters();
      if (isClosed) return null;
      const outsiders = ledger.record(counters, clock.now());
      refused?.(outsiders);
      return null;
    } catch (error) {
      if (error instanceof EngineError) return error;
      log.error('ledger not written', { error: String(error) });
      return new EngineError('engine_unreachable', `what it counts cannot be written down: ${String(error)}`);
    }
  }

  const stopBeating = timers.every(beatMs, () => {
    if (isBeating) return;
    isBeating = true;
    void record().finally(() => {
      isBeating = false;
    });
  });

  return {
    ...engine,
    machine() {
      const facts = engine.machine() ?? { load: null, clockOffset: null, version: null, certificate: null };
      return { ...facts, waiting: ledger.waiting() };
    },
    async stop(isRestart) {
      await record();
      await engine.stop(isRestart);
    },
    async readLedgerPage(taken, isFresh) {
      const failure = isFresh ? await record() : null;
      const { acknowledged } = ledger.read(ledger.latest());
      // Sequence numbers of another process or another run mean nothing here: the panel is then offered all entries.
      const isOurs = taken !== null && taken.run === ledger.run && taken.taken <= ledger.latest();
      if (isOurs) ledger.acknowledge(taken.taken);
      return { ...ledger.read(isOurs ? taken.taken : 0), acknowledged, failure };
    },
    close() {
      isClosed = true;
      stopBeating();
      engine.close();
      ledger.close();
    },
  };
}
