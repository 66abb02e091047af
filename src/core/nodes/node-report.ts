// Writes the state of a node's engine and machine to its record, with events and notifications when it goes up or down.

import { forgetOnline, type NodeProblem } from '../../domain/nodes/node-state.ts';
import type { Transaction } from '../kernel/context.ts';
import { isSameJson, toInstant, toInstantOrNull } from '../kernel/wire.ts';
import { notifyNodeCertificate, notifyNodeDown, notifyNodeUp } from '../notify/admin-notices.ts';
import type { RunningEngine } from '../ports/engines.ts';
import type { NodeRow } from '../ports/nodes.ts';
import { ONLINE_MS } from '../users/users.ts';
import type { NodeRun } from './node-run.ts';

type Problem = Pick<NodeRow, 'errorCode' | 'errorText'>;
const NO_PROBLEM: Problem = { errorCode: null, errorText: null };
/** The uptime of an engine has whole seconds. */
const SAME_START_MS = 5000;

/** Reports the result of a certificate order of the machine: as an event, and to administrators in the chat. */
function recordLinksCertificate(
  tx: Transaction,
  before: NodeRow,
  { linksEndsAt, linksLate, linksFailure }: NodeRow,
): void {
  const data = { node_id: before.id, name: before.name };
  const isOther = linksEndsAt !== before.linksEndsAt;
  if (linksFailure !== null && (isOther || linksFailure !== before.linksFailure)) {
    tx.emit('node.certificate_failed', { ...data, code: linksFailure, not_after: toInstantOrNull(linksEndsAt) });
    notifyNodeCertificate(tx, before, { endsAt: linksEndsAt, failure: linksFailure });
  }
  if (linksLate === true && linksEndsAt !== null && (isOther || before.linksLate !== true)) {
    tx.emit('node.certificate_ending', { ...data, not_after: toInstant(linksEndsAt) });
    notifyNodeCertificate(tx, before, { endsAt: linksEndsAt, failure: null });
  }
}

/** Writes changed fields of the node, and the event of a change between up and down. */
async function report({ env, nodeId }: NodeRun, changes: Partial<NodeRow>): Promise<void> {
  const { store } = env;
  const isNew = (node: NodeRow) =>
    Object.entries(changes).some(([name, value]) => !isSameJson(node[name as keyof NodeRow], value));
  const node = store.nodes.get(nodeId);
  if (!node || !isNew(node)) return;
  await env.transact({ name: 'node', by: 'node' }, (tx) => {
    const before = store.nodes.get(nodeId);
    if (!before) return;
    store.nodes.save({ ...before, ...changes });
    const data = { node_id: nodeId, name: before.name };
    if (changes.status === 'up' && before.status === 'down') {
      tx.emit('node.up', data);
      // A disabled node has no problem.
      if (before.errorCode !== null) notifyNodeUp(tx, before);
    }
    if (changes.status === 'down' && before.status !== 'down' && before.enabled) {
      tx.emit('node.down', data);
      notifyNodeDown(tx, before);
    }
    recordLinksCertificate(tx, before, { ...before, ...changes });
  });
}

/** Facts that its machine reports about itself. */
function describeMachine({ engine }: NodeRun): Partial<NodeRow> {
  const agentProtocol = engine.protocol();
  const machine = engine.machine();
  return {
    ...(agentProtocol !== null && { agentProtocol }),
    ...(machine?.version && { agentVersion: machine.version }),
  };
}

/** Measurements of its machine. */
function describeMeasured({ env: { store }, nodeId, engine }: NodeRun): Partial<NodeRow> {
  const { load = null, clockOffset = null, certificate = null, waiting = null } = engine.machine() ?? {};
  return {
    load,
    clockOffset,
    linksEndsAt: certificate?.endsAt ?? null,
    linksLate: certificate?.isLate ?? null,
    linksFailure: certificate?.failure ?? null,
    waitingEntries: waiting?.entries ?? null,
    waitingBytes: waiting?.bytes ?? null,
    // The entries arrived before the previous contact.
    waitingSince: waiting === null || waiting.entries === 0 ? null : (store.nodes.get(nodeId)?.lastSeenAt ?? null),
  };
}

/** The problem of a running engine. */
function findProblem({ env: { store }, nodeId, state }: NodeRun): Problem {
  const { problem, servable } = state.memory.check;
  if (problem !== null) return { errorCode: problem.code, errorText: problem.message };
  const [first] = servable?.unserved ?? [];
  if (servable !== null && first) {
    return { errorCode: first.code, errorText: servable.unserved.map(({ message }) => message).join('; ') };
  }
  const [out] = store.sync.quarantined(nodeId);
  return out ? { errorCode: 'engine_refused', errorText: `u${out.userId}: ${out.message}` } : NO_PROBLEM;
}

export async function reportUp(node: NodeRun, { name, version, startedAt }: RunningEngine, isSeen: boolean) {
  const { env, nodeId } = node;
  const now = env.clock.now();
  const offset = node.engine.machine()?.clockOffset ?? null;
  if (offset !== null) env.panelClock?.addEvidence(now + offset);
  node.state = forgetOnline(node.state, now - ONLINE_MS);
  const { usage, check } = node.state.memory;
  const before = env.store.nodes.get(nodeId)?.engineStartedAt ?? null;
  await report(node, {
    status: 'up',
    coreName: name,
    coreVersion: version,
    engineStartedAt: before !== null && Math.abs(before - startedAt) < SAME_START_MS ? before : startedAt,
    usersOnline: usage.onlineAt.size,
    ...describeMachine(node),
    ...(isSeen && { lastSeenAt: now, ...describeMeasured(node) }),
    ...findProblem(node),
    unserved: check.servable?.unserved ?? [],
  });
}

export function reportDown(node: NodeRun, { code, message }: NodeProblem): Promise<void> {
  const unserved = node.state.memory.check.servable?.unserved ?? [];
  const problem = { errorCode: code, errorText: message, unserved };
  return report(node, { status: 'down', usersOnline: 0, ...problem, ...describeMachine(node) });
}

export function reportDisabled(node: NodeRun): Promise<void> {
  return report(node, { status: 'down', usersOnline: 0, unserved: [], ...NO_PROBLEM });
}

/** When the panel stops, the state of the node becomes unknown. */
export function reportUnknown(node: NodeRun): Promise<void> {
  return report(node, { status: 'unknown', usersOnline: 0 });
}
