// Reconciles the engine of one node with the records and collects its counters: carries out the steps that domain/nodes/reconcile.ts decides, one
// round at a time.
import * as transition from '../../domain/nodes/node-state.ts';
import { type Desired, reconcile, type Step } from '../../domain/nodes/reconcile.ts';
import { type Engine, type EngineConfig, EngineError } from '../ports/engines.ts';
import { computeWanted } from './engine-check.ts';
import { createAllNodesLease } from './lease-shared.ts';
import { createLeaseSync } from './lease-sync.ts';
import { reportDown, reportUnknown } from './node-report.ts';
import { buildVersionKey, hasChanges, type NodeEnv, type NodeRun, type Round } from './node-run.ts';
import { perform, readState } from './steps.ts';
import { countUsage } from './usage.ts';

interface NodeReconciler {
  /**
   * Runs one round. `isPoll`: also reads counters. `isPollDue`: whether counters should be read before more users are pushed. Rejects with
   * EngineError after the error was recorded on the node.
   */
  round(isPoll: boolean, isPollDue?: () => boolean): Promise<void>;
  /** Whether there are changes to push. */
  hasWork(): boolean;
  /** Pause after a failure, ms. */
  pauseMs(): number;
  /** The engine exited. */
  recordExit(error: EngineError): Promise<void>;
  /** Reads the counters a last time and stops the engine, unless it is on another machine. */
  shutDown(): Promise<void>;
}

function describe({ code, message }: EngineError): transition.NodeProblem {
  return { code, message };
}

const NOTHING: EngineConfig = { inbounds: [], blocksPrivate: true };

/** Reads the wanted configuration and creates an empty round. */
function beginRound(node: NodeRun, isPoll: boolean, isPollDue: () => boolean): Round {
  const { env, nodeId, engine } = node;
  node.state = transition.beginRound(node.state, buildVersionKey(node), isPoll);
  const row = env.store.nodes.get(nodeId);
  const isEnabled = row?.enabled === true;
  const { config, unreadable } = isEnabled ? computeWanted(env, row) : { config: NOTHING, unreadable: [] };
  const fingerprint = engine.fingerprint(config);
  const desired: Desired<EngineConfig> = {
    isEnabled,
    isPoll,
    config,
    fingerprint,
    wanted: [fingerprint, ...unreadable.map(({ inboundId }) => inboundId)].join(' '),
    isComplete: unreadable.length === 0,
    // A getter, since the setting may change during a long round.
    get restartToCutOff() {
      return env.settings().restartToCutOff;
    },
  };
  const seen = { done: new Set<never>(), running: null, moved: [], batches: 0, isAdvancing: false };
  return { desired, unreadable, isPollDue, ...seen };
}

function decide(node: NodeRun, round: Round): readonly Step<EngineConfig>[] {
  return reconcile(round.desired, readState(node, round), node.state);
}

/** `allNodes`: shared by all nodes of the panel, or one of its own. */
export function createNodeReconciler(
  env: NodeEnv,
  nodeId: number,
  engine: Engine,
  allNodes = createAllNodesLease(env),
): NodeReconciler {
  const { store } = env;
  const last = store.nodes.get(nodeId)?.restart;
  const at = last?.reason === 'cut_off' ? last.at : null;
  const isWhole = last?.inboundId === null;
  const state = transition.createNodeState<EngineConfig>({
    cutOffAt: isWhole ? at : null,
    reopenedAt: isWhole ? null : at,
  });
  const node: NodeRun = { env, nodeId, engine, lease: createLeaseSync(env, nodeId, engine, allNodes), state };
  return {
    async round(isPoll, isPollDue = () => false) {
      try {
        const round = beginRound(node, isPoll, isPollDue);
        for (let steps = decide(node, round); steps.length > 0; steps = decide(node, round)) {
          for (const step of steps) await perform(node, round, step);
        }
        if (isPoll) node.state = transition.completePoll(node.state);
      } catch (error) {
        node.state = transition.disconnect(node.state, error instanceof EngineError ? describe(error) : null);
        if (error instanceof EngineError) await reportDown(node, error);
        throw error;
      }
    },
    hasWork() {
      if (buildVersionKey(node) !== node.state.memory.version) return true;
      if (!store.nodes.get(nodeId)?.enabled) return false;
      return store.sync.get(nodeId).position === null || hasChanges(node);
    },
    pauseMs: () => transition.computePauseMs(node.state),
    recordExit(error) {
      node.state = transition.disconnect(node.state, describe(error));
      return reportDown(node, error);
    },
    async shutDown() {
      const row = store.nodes.get(nodeId);
      // A remote engine keeps serving while the panel is away, and the next panel adopts it. One that did not answer before is not waited for.
      const goesOn = row?.kind === 'remote';
      const running = goesOn && row.status !== 'up' ? null : await engine.running();
      if (running !== null) await countUsage(node, running);
      if (running !== null && !goesOn) await engine.stop(false);
      await reportUnknown(node);
    },
  };
}
