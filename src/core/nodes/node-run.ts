// One node at work: what its steps share. All that changes of it is its state, and what the present round has seen.
import type { NodeState } from '../../domain/nodes/node-state.ts';
import type { Desired, Milestone } from '../../domain/nodes/reconcile.ts';
import type { Env } from '../kernel/context.ts';
import type { Engine, EngineConfig, RunningEngine } from '../ports/engines.ts';
import type { UnservedInbound } from '../ports/nodes.ts';
import type { Counted } from '../ports/sync.ts';
import type { LeaseSync } from './lease-sync.ts';

/** What one node needs of the environment. */
export type NodeEnv = Pick<
  Env,
  | 'announce'
  | 'clock'
  | 'crypto'
  | 'log'
  | 'panelClock'
  | 'queue'
  | 'settings'
  | 'store'
  | 'subUrl'
  | 'timers'
  | 'transact'
  | 'transactNow'
  | 'turn'
  | 'vault'
>;

export interface NodeRun {
  readonly env: NodeEnv;
  readonly nodeId: number;
  readonly engine: Engine;
  readonly lease: LeaseSync;
  state: NodeState<EngineConfig>;
}

export interface Round {
  readonly desired: Desired<EngineConfig>;
  /** Inbounds whose keys cannot be read. */
  readonly unreadable: readonly UnservedInbound[];
  /** Whether counters should be read before more users are pushed. */
  readonly isPollDue: () => boolean;
  readonly done: Set<Milestone>;
  /** The engine as it was observed or started. */
  running: RunningEngine | null;
  /** Who moved how much since the last poll. */
  moved: readonly Counted[];
  batches: number;
  isAdvancing: boolean;
}

export function writeTo<T>({ queue, store }: Pick<Env, 'queue' | 'store'>, work: () => T): Promise<T> {
  return queue.run(() => store.write(work));
}

/** Another one after any change of the node and its inbounds. */
export function buildVersionKey({ env: { store }, nodeId }: NodeRun): string {
  return `${store.nodes.get(nodeId)?.updatedAt} ${store.sync.configKey(nodeId)}`;
}

/** Whether there are users of whom the engine was not told yet. */
export function hasChanges({ env: { store }, nodeId }: NodeRun): boolean {
  const { position } = store.sync.get(nodeId);
  return position !== null && position < store.sync.latest();
}
