// The writer thread: runs a write that would block the event loop, over a database connection of its own.
import { workerData } from 'node:worker_threads';
import { noVault } from '../../adapters/vault/vault.ts';
import { serveTasks, threadLog } from '../../adapters/worker-thread.ts';
import { createHeavyEnv } from '../../core/create-core.ts';
import { beginHeavy, type Unfinished } from '../../core/dispatch.ts';
import type { Call, HandledId } from '../../core/ports/call.ts';
import type { HeavyOutcome } from '../../core/ports/heavy-writer.ts';
import type { Attempted } from '../../core/ports/webhooks.ts';
import { enqueueAllDeliveries, recordAll } from '../../core/webhooks/sender.ts';
import { openStore } from '../../store/index.ts';
import { machineParts } from '../machine-parts.ts';

/** The thread's start parameters. */
export type WriterData = { readonly database: string };

type Write = {
  readonly operation: HandledId;
  readonly input: unknown;
  readonly call: Call;
  /** The origin of base_url at the time of the request. */
  readonly origin: string;
  /** The panel's time of the request, epoch ms. */
  readonly now: number;
};

const { database }: WriterData = workerData;
const store = openStore(database);
// In KiB: changed pages of a bulk write stay in memory until its commit, and index pages from part to part.
store.connection().pragma('cache_size = -16000');
let origin = '';
/** The panel's time minus this thread's steady clock; set by the first request. */
let timeOffset = performance.timeOrigin;
const now = () => Math.round(performance.now() + timeOffset);
const env = createHeavyEnv({
  ...machineParts(),
  clock: { now },
  store,
  vault: noVault,
  log: threadLog,
  heavy: null,
  host: () => null,
  origin: () => origin,
});

const unfinished = new Map<number, () => HeavyOutcome | Unfinished>();
/** Numbers must differ from those of an earlier thread. */
let lastNumber = now() * 1000;

function step(number: number, work: () => HeavyOutcome | Unfinished): HeavyOutcome {
  unfinished.delete(number);
  const outcome = work();
  if (outcome !== 'unfinished') return outcome;
  unfinished.set(number, work);
  return { unfinished: number };
}

const tasks = {
  write(request: Write): HeavyOutcome {
    origin = request.origin;
    timeOffset = request.now - performance.now();
    lastNumber += 1;
    // The input crossed threads as plain data; the panel's thread has validated it for this operation.
    return step(lastNumber, beginHeavy(env, request.operation, request.input as never, request.call));
  },
  proceed(number: number): HeavyOutcome {
    const work = unfinished.get(number);
    return work ? step(number, work) : { code: 'unavailable' };
  },
  enqueueDeliveries: (now: number): boolean => store.write(() => enqueueAllDeliveries(env, now)),
  recordAttempts({ attempts, now }: { readonly attempts: readonly Attempted[]; readonly now: number }): void {
    store.write(() => recordAll(env, attempts, now));
  },
};

export type WriterTasks = typeof tasks;

serveTasks(tasks, store.close);
