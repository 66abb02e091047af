// One serial worker for each node: rounds follow commits, polls and failures, and nodes do not wait for each other.
import type { Env } from '../kernel/context.ts';
import { type Engine, EngineError, type OpenEngine } from '../ports/engines.ts';
import type { NodeRow } from '../ports/nodes.ts';
import { createConcurrency } from './concurrency.ts';
import { type AddressReader, createAddressKey, createAddressReader } from './connected.ts';
import { type AllNodesLease, createAllNodesLease } from './lease-shared.ts';
import { createNodeReconciler } from './reconciler.ts';

interface Worker {
  /** Changes may be pending. */
  wake(): void;
  /** Counters must be read. */
  poll(): void;
  /** After the current round: reads the counters a last time and stops a local engine. */
  close(): Promise<void>;
}

function createWorker(
  env: Env,
  nodeId: number,
  engine: Engine,
  addresses: AddressReader,
  allNodes: () => AllNodesLease,
): Worker {
  const { timers, log } = env;
  const node = createNodeReconciler(env, nodeId, engine, allNodes);
  let requested: 'nothing' | 'round' | 'poll' | 'close' = 'nothing';
  let rounds: Promise<void> | null = null;
  let cancelPause: (() => void) | null = null;

  function pause(): void {
    cancelPause?.();
    cancelPause = timers.after(node.pauseMs(), () => {
      cancelPause = null;
      request('poll');
    });
  }

  async function run(): Promise<void> {
    while ((requested === 'round' || requested === 'poll') && cancelPause === null) {
      const isPoll = requested === 'poll';
      requested = 'nothing';
      try {
        await node.round(isPoll, () => requested === 'poll');
        if (isPoll) addresses.countPoll();
      } catch (error) {
        const text = error instanceof EngineError ? `${error.code}: ${error.message}` : String(error);
        log.warn('engine', { node: nodeId, error: text });
        pause();
      }
    }
    rounds = null;
  }

  function request(what: 'round' | 'poll'): void {
    if (requested === 'close') return;
    if (requested !== 'poll') requested = what;
    if (cancelPause === null) rounds ??= run();
  }

  engine.onExit((error) => {
    log.warn('engine ended', { node: nodeId, error: error.message });
    if (requested === 'close') return;
    env.tasks
      .run(() => node.recordExit(error))
      .catch((cause: unknown) => log.warn('engine', { node: nodeId, error: String(cause) }));
    if (cancelPause === null) pause();
  });
  request('poll');
  return {
    wake() {
      if (requested === 'nothing' && node.hasWork()) request('round');
    },
    poll: () => request('poll'),
    async close() {
      requested = 'close';
      addresses.close();
      cancelPause?.();
      engine.abandonStart?.();
      await rounds;
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
  /** Must be called after commits. */
  wake(): void;
  /** Must be called at each poll interval. */
  poll(): void;
  /** Reads the counters and stops all local engines. */
  stop(): Promise<void>;
}

export function createNodeWorkers(env: Env, openEngine: OpenEngine): NodeWorkers {
  /** Null: this host runs no engine for the node. */
  const workers = new Map<number, Worker | null>();
  const addressKey = createAddressKey(env);
  const concurrency = createConcurrency(env);
  const allNodes = createAllNodesLease(env);
  /** The work key of the last call. */
  let seen = '';
  let isScheduled = false;
  let isStopped = false;
  const closing = new Set<Promise<void>>();

  function open(node: NodeRow): void {
    const engine = openEngine({ id: node.id, kind: node.kind });
    if (engine) env.engines.set(node.id, engine);
    const addresses = engine && createAddressReader(env, node.id, engine, addressKey, concurrency);
    workers.set(node.id, engine && addresses && createWorker(env, node.id, engine, addresses, allNodes));
  }

  /** Follows nodes that were added, joined or deleted, also by a restore. */
  function followNodes(): void {
    const ids = new Set(env.store.sync.nodeIds());
    for (const id of ids) {
      if (workers.get(id)) continue;
      const node = env.store.nodes.get(id);
      // A remote node may have been joined since.
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

  function forEachWorker(act: (worker: Worker) => void): void {
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
        // Nodes write their own records in each poll, so not every commit is work for all of them.
        const present = env.store.sync.workKey();
        if (present === seen) return;
        seen = present;
        forEachWorker((worker) => worker.wake());
      });
    },
    poll: () => forEachWorker((worker) => worker.poll()),
    async stop() {
      isStopped = true;
      await Promise.all([...closing, ...[...workers.values()].map((worker) => worker?.close())]);
      workers.clear();
    },
  };
}
