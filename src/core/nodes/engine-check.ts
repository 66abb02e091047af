// The configuration that the records demand, and the part of it that the engine of a node would serve: refused inbounds are left out, or stay as they
// were.
import { sharedTransports } from '../../domain/nodes/inbound-shape.ts';
import {
  beginCheck,
  getServed,
  type NodeProblem,
  recordRefused,
  recordServable,
  type Servable,
} from '../../domain/nodes/node-state.ts';
import { findServable } from '../../domain/nodes/servable.ts';
import { engineInbound } from '../inbounds/inbound-secrets.ts';
import type { Env } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { type EngineConfig, type EngineInbound, findConfigError } from '../ports/engines.ts';
import type { NodeRow, UnservedInbound } from '../ports/nodes.ts';
import type { NodeRun, Round } from './node-run.ts';

type EngineServable = Servable<EngineConfig>;

interface Wanted {
  readonly config: EngineConfig;
  /** Inbounds whose keys cannot be decrypted. */
  readonly unreadable: readonly UnservedInbound[];
}

/** The configuration that the records demand of a node. */
export function computeWanted(env: Pick<Env, 'store' | 'vault'>, node: NodeRow): Wanted {
  const { inbounds: table } = env.store;
  const rows = table.page({ nodeId: node.id }, table.count({ nodeId: node.id }), 0).filter(({ enabled }) => enabled);
  const unreadable: UnservedInbound[] = [];
  const inbounds = rows.flatMap((row): readonly EngineInbound[] => {
    try {
      return [engineInbound(env, row)];
    } catch (error) {
      if (!(error instanceof PanelError)) throw error;
      const message = `${row.tag}: its keys cannot be read: ${error.code}`;
      unreadable.push({ inboundId: row.id, code: 'config_refused', message });
      return [];
    }
  });
  return { config: { inbounds, blocksPrivate: !node.allowsPrivate }, unreadable };
}

export function buildUnserved({ id: inboundId, tag }: EngineInbound, { code, message }: NodeProblem): UnservedInbound {
  return { inboundId, code, message: message.startsWith(`${tag}: `) ? message : `${tag}: ${message}` };
}

export function inOrder(unserved: readonly UnservedInbound[]): readonly UnservedInbound[] {
  return unserved.toSorted((a, b) => a.inboundId - b.inboundId);
}

/** Whether an engine cannot serve both, because of a common port. */
function isConflicting(inbound: EngineInbound, other: EngineInbound): boolean {
  const haveOwnPorts = inbound.sharesPortOf === null && other.sharesPortOf === null;
  const isSamePort =
    haveOwnPorts && inbound.port === other.port && sharedTransports(inbound.protocol, other.protocol).length > 0;
  return inbound.id === other.id || inbound.tag === other.tag || isSamePort;
}

/**
 * Finds the configuration that the engine would serve. A refused inbound, or one whose port is taken, keeps its running configuration unless another
 * inbound needs the port; otherwise it is left out. Rejects if the engine cannot be asked.
 */
export async function checkConfig(node: NodeRun, { desired: { config, wanted }, unreadable }: Round): Promise<void> {
  const { engine } = node;
  const { state, known } = beginCheck(node.state, wanted);
  node.state = state;
  const wasFailing = new Set(state.memory.check.failedAtStart.map(({ inboundId }) => inboundId));
  const isTried = ({ inboundId, code }: UnservedInbound) => code === 'port_taken' || wasFailing.has(inboundId);
  const isWanted = ({ inboundId }: UnservedInbound) => config.inbounds.some(({ id }) => id === inboundId);
  const skipped = known.filter((one) => isWanted(one) && !isTried(one));
  const checkedInbounds = config.inbounds.filter(({ id }) => !skipped.some(({ inboundId }) => inboundId === id));
  const found = await findServable(checkedInbounds, (inbounds) => findConfigError(engine, { ...config, inbounds }));
  const refused = found.refused.map(({ item, reason }) => buildUnserved(item, reason));
  node.state = recordRefused(node.state, refused);
  const { failedAtStart } = node.state.memory.check;
  const unserved = inOrder([...unreadable, ...skipped, ...refused, ...failedAtStart]);
  const inbounds = found.served.filter(({ id }) => !failedAtStart.some(({ inboundId }) => inboundId === id));
  const own = { ...config, inbounds };
  const servable = { wanted, config: own, fingerprint: engine.fingerprint(own), unserved };
  node.state = recordServable(node.state, await retainFormer(node, servable));
}

/** Keeps the previous configuration of inbounds that cannot be served as wanted. */
async function retainFormer({ engine, state }: NodeRun, servable: EngineServable): Promise<EngineServable> {
  const served = getServed(state);
  const { config, unserved } = servable;
  const former = (served?.config.inbounds ?? []).filter(
    (one) =>
      unserved.some(({ inboundId }) => inboundId === one.id) &&
      !config.inbounds.some((inbound) => isConflicting(inbound, one)),
  );
  if (served === null || former.length === 0) return servable;
  const both = { ...config, inbounds: [...config.inbounds, ...former].toSorted((a, b) => a.id - b.id) };
  const fingerprint = engine.fingerprint(both);
  if (fingerprint === served.fingerprint || (await findConfigError(engine, both)) === null) {
    return { ...servable, config: both, fingerprint };
  }
  return { ...servable, ...served };
}
