// The shared state of a node's steps: its state machine, and the observations of the current round.
import type { NodeState } from '../../domain/nodes/node-state.ts';
import type { Desired, Milestone } from '../../domain/nodes/reconcile.ts';
import type { Env } from '../kernel/context.ts';
import type { Engine, EngineConfig, RunningEngine } from '../ports/engines.ts';
import type { UnservedInbound } from '../ports/nodes.ts';
import type { Counted } from '../ports/sync.ts';
import type { LeaseSync } from './lease-sync.ts';

/** Services that a node needs. */
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
  /** Inbounds whose keys cannot be decrypted. */
  readonly unreadable: readonly UnservedInbound[];
  /** Whether counters should be read before more users are pushed. */
  readonly isPollDue: () => boolean;
  readonly done: Set<Milestone>;
  /** The engine as observed or started in this round. */
  running: RunningEngine | null;
  /** Traffic by user since the last poll. */
  moved: readonly Counted[];
  batches: number;
  isAdvancing: boolean;
}

export function writeTo<T>({ queue, store }: Pick<Env, 'queue' | 'store'>, work: () => T): Promise<T> {
  return queue.run(() => store.write(work));
}

/** Changes with every change of the node and its inbounds. */
export function buildVersionKey({ env: { store }, nodeId }: NodeRun): string {
  return `${store.nodes.get(nodeId)?.updatedAt} ${store.sync.configKey(nodeId)}`;
}

/** Whether changes of users have not been pushed to the engine yet. */
export function hasChanges({ env: { store }, nodeId }: NodeRun): boolean {
  const { position } = store.sync.get(nodeId);
  return position !== null && position < store.sync.latest();
}
