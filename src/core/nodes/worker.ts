// One serial worker for each node: its rounds follow commits, polls and failures, and no node waits for another.
import type { Env } from '../context.ts';
import { type Engine, EngineError, type OpenEngine } from '../ports/engines.ts';
import type { NodeRow } from '../ports/plans.ts';
import { createConcurrency } from './concurrency.ts';
import { type AddressAsker, createAddressAsker, createAddressKey } from './connected.ts';
import { type AllNodesLease, createAllNodesLease } from './lease-shared.ts';
import { createNodeSync } from './sync.ts';

/** The pause after a failure: doubled with each one more. */
const LEAST_PAUSE_MS = 1000;
const MOST_PAUSE_MS = 60_000;

interface Worker {
  /** There may be something to tell the engine. */
  wake(): void;
  /** The counters are to be read. */
  poll(): void;
  /** After the present round: reads the counters for the last time and stops the engine of this machine. */
  close(): Promise<void>;
}

function createWorker(
  env: Env,
  nodeId: number,
  engine: Engine,
  asker: AddressAsker,
  allNodes: () => AllNodesLease,
): Worker {
  const { timers, log } = env;
  const node = createNodeSync(env, nodeId, engine, allNodes);
  let round: Promise<void> | null = null;
  let asked: 'nothing' | 'round' | 'poll' = 'nothing';
  let failures = 0;
  let endPause: (() => void) | null = null;
  let isClosed = false;

  function fail(): void {
    failures += 1;
    endPause?.();
    const pause = Math.min(MOST_PAUSE_MS, LEAST_PAUSE_MS * 2 ** (failures - 1));
    endPause = timers.after(pause, () => {
      endPause = null;
      begin('poll');
    });
  }

  async function run(): Promise<void> {
    while (asked !== 'nothing' && endPause === null && !isClosed) {
      const asks = asked === 'poll';
      asked = 'nothing';
      try {
        await node.round(asks);
        if (asks) {
          failures = 0;
          asker.notePoll();
        }
      } catch (error) {
        const text = error instanceof EngineError ? `${error.code}: ${error.message}` : String(error);
        log.warn('engine', { node: nodeId, error: text });
        fail();
      }
    }
    round = null;
  }

  function begin(what: 'round' | 'poll'): void {
    if (isClosed) return;
    if (asked !== 'poll') asked = what;
    if (endPause === null) round ??= run();
  }

  engine.onExit((error) => {
    log.warn('engine ended', { node: nodeId, error: error.message });
    if (isClosed) return;
    if (endPause === null) fail();
    node.noteExit(error).catch((cause: unknown) => log.warn('engine', { node: nodeId, error: String(cause) }));
  });
  begin('poll');
  return {
    wake() {
      if (asked === 'nothing' && node.hasWork()) begin('round');
    },
    poll: () => begin('poll'),
    async close() {
      isClosed = true;
      asker.close();
      endPause?.();
      await round;
      try {
        await node.shutDown();
      } catch (error) {
        log.warn('engine not stopped', { node: nodeId, error: String(error) });
      }
      engine.close();
    },
  };
}

export interface NodeWorkers {
  /** To be called after commits. */
  wake(): void;
  /** To be called each time the counters are to be read. */
  poll(): void;
  /** Stops the engines of this machine, each after its counters were read. */
  stop(): Promise<void>;
}

export function createNodeWorkers(env: Env, openEngine: OpenEngine): NodeWorkers {
  /** Null: this host runs no engine for the node. */
  const workers = new Map<number, Worker | null>();
  const addressKey = createAddressKey(env);
  const concurrency = createConcurrency(env);
  const allNodes = createAllNodesLease(env);
  /** What there was to do when workers were last asked. */
  let seen = '';
  let isScheduled = false;
  let isStopped = false;
  const closing = new Set<Promise<void>>();

  function open(node: NodeRow): void {
    const engine = openEngine({ id: node.id, kind: node.kind });
    if (engine) env.engines.set(node.id, engine);
    const asker = engine && createAddressAsker(env, node.id, engine, addressKey, concurrency);
    workers.set(node.id, engine && asker && createWorker(env, node.id, engine, asker, allNodes));
  }

  /** Nodes that were added, joined or deleted, also by a restore. */
  function followNodes(): void {
    const ids = new Set(env.store.sync.nodeIds());
    for (const id of ids) {
      if (workers.get(id)) continue;
      const node = env.store.nodes.get(id);
      // A remote one may have been joined since.
      if (node && (!workers.has(id) || node.agentPin !== null)) open(node);
    }
    for (const [id, worker] of workers) {
      if (ids.has(id)) continue;
      workers.delete(id);
      concurrency.forget(id);
      env.engines.delete(id);
      const closed = worker?.close();
      if (closed) closing.add(closed.finally(() => closing.delete(closed)));
    }
  }

  function each(act: (worker: Worker) => void): void {
    if (isStopped) return;
    followNodes();
    for (const worker of workers.values()) if (worker) act(worker);
  }

  return {
    wake() {
      if (isScheduled || isStopped) return;
      isScheduled = true;
      env.timers.soon(() => {
        isScheduled = false;
        if (isStopped) return;
        // Nodes write to the records themselves, each in each poll: not every commit is work for all of them.
        const present = env.store.sync.workKey();
        if (present === seen) return;
        seen = present;
        each((worker) => worker.wake());
      });
    },
    poll: () => each((worker) => worker.poll()),
    async stop() {
      isStopped = true;
      await Promise.all([...closing, ...[...workers.values()].map((worker) => worker?.close())]);
      workers.clear();
    },
  };
}
