// Reads the counters of a node's engine or machine, and finds blocked users who moved bytes.
import { recordBlocked, recordCounted } from '../../domain/nodes/node-state.ts';
import type { RunningEngine } from '../ports/engines.ts';
import type { Counted } from '../ports/sync.ts';
import { suspect } from './engine-users.ts';
import { ingest } from './ingest.ts';
import { collectLedger } from './ledger.ts';
import { type NodeRun, writeTo } from './node-run.ts';

/** Collects the ledger of the machine, or the counters of the running engine, for starts that the panel knows. */
export async function countUsage(node: NodeRun, running: RunningEngine | null): Promise<readonly Counted[]> {
  const { env, nodeId, engine, lease } = node;
  const { store, clock } = env;
  const { sync } = store;
  // Nothing is counted for a deleted node.
  if (!store.nodes.get(nodeId)) return [];
  const change = sync.latest();
  const readAt = clock.now();
  const taken = await collectLedger(env, nodeId, engine);
  if (taken !== null) lease.markExhausted(taken.exhausted);
  if (taken !== null && taken.failure !== null && running !== null) throw taken.failure;
  if (taken === null && (running === null || running.boot === null || sync.get(nodeId).boot === null)) return [];
  const counters = taken === null ? await engine.counters() : null;
  const { countedAt } = node.state.memory.usage;
  const moved = taken?.moved ?? (counters === null ? [] : await ingest(env, nodeId, counters, countedAt));
  const ids = moved.map(({ userId }) => userId);
  node.state = recordCounted(node.state, ids, readAt, clock.now());
  const boot = counters === null ? (running?.boot ?? null) : counters.boot;
  if (boot !== null && sync.countedChange(nodeId) !== change) {
    await writeTo(env, () => sync.saveCountedChange(nodeId, boot, change));
  }
  return moved;
}

/** Counts the consecutive polls in which blocked users moved bytes. */
export function findBlocked(node: NodeRun, moved: readonly Counted[]): void {
  const { sync } = node.env.store;
  const ids = moved.map(({ userId }) => userId);
  const allowed = new Set(sync.members(node.nodeId, ids).map(({ userId }) => userId));
  // A block of a few minutes does not justify closing the connections of all users.
  for (const id of sync.cutOffForNow(ids)) allowed.add(id);
  const blocked = ids.filter((id) => !allowed.has(id));
  node.state = recordBlocked(node.state, new Set(blocked));
  suspect(node, blocked);
}
