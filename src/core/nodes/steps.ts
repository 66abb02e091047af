// The steps of a node's round: what each does with the engine, the machine and the records.

import { MAX_CUT_OFF } from '../../contract/nodes/nodes.ts';
import * as transition from '../../domain/nodes/node-state.ts';
import { isPushDue, type Observed, type Step } from '../../domain/nodes/reconcile.ts';
import { findNamedByPort } from '../../domain/nodes/servable.ts';
import { toHex } from '../kernel/wire.ts';
import { type EngineConfig, EngineError, type RunningEngine } from '../ports/engines.ts';
import type { LeaseProgress } from '../ports/lease.ts';
import type { NodeRestart } from '../ports/nodes.ts';
import { buildUnserved, checkConfig, inOrder } from './engine-check.ts';
import { allowedUsers, findMembers, listReopenable, pushChanges, repairDrift, replaceUsers } from './engine-users.ts';
import { getOriginBoot } from './ingest.ts';
import { reportDisabled, reportUp } from './node-report.ts';
import { buildVersionKey, hasChanges, type NodeRun, type Round, writeTo } from './node-run.ts';
import { countUsage, findBlocked } from './usage.ts';

const BOOT_BYTES = 8;

type EngineStep = Step<EngineConfig>;
type StepOf<Type extends EngineStep['type']> = Extract<EngineStep, { readonly type: Type }>;
type Steps = {
  readonly [Type in EngineStep['type']]: (node: NodeRun, round: Round, step: StepOf<Type>) => Promise<void> | void;
};

/** The observations of the round so far. */
export function readState(node: NodeRun, { running, done, batches, isAdvancing, isPollDue }: Round): Observed {
  const { clock, store } = node.env;
  return {
    now: clock.now(),
    done,
    hasPending: hasChanges(node) && store.sync.get(node.nodeId).boot === running?.boot,
    batches,
    isAdvancing,
    isStale: buildVersionKey(node) !== node.state.memory.version,
    isPollDue: isPollDue(),
  };
}

/** The last change that the machine knew when it started its engine itself; null: unknown. */
async function findStartPosition(
  { engine, state }: NodeRun,
  position: number,
  leased: LeaseProgress | null,
): Promise<number | null> {
  const held = await engine.lease?.(null);
  // Without a lease, it was started with the users it had been sent.
  if (held === undefined) return position;
  if (held === null || held.at === null || leased === null) return null;
  if (held.leaseId !== leased.leaseId || held.version < leased.version) return null;
  return Math.min(position, state.memory.leasedChange ?? leased.change);
}

/** A machine that holds a lease serves users of these data, and obeys no other panel. The engine of this machine is another panel's, or older data's. */
async function findAdoptableAs({ engine }: NodeRun, { boot, fingerprint }: RunningEngine): Promise<string | null> {
  const held = await engine.lease?.(null);
  return boot === null || held === undefined || held === null ? null : fingerprint;
}

/**
 * Observes a running engine. Its users are known, except for changes after the position, if the panel started it, or its machine did so with the
 * users of the lease.
 */
async function observe(node: NodeRun, round: Round): Promise<void> {
  const { env, nodeId, engine } = node;
  const { sync } = env.store;
  const running = await engine.running();
  round.running = running;
  round.done.add('observed');
  if (running === null) {
    node.state = transition.observeStopped(node.state);
    return;
  }
  const { boot, fingerprint } = running;
  const { boot: before, position, cautiousUntil } = sync.get(nodeId);
  const leased = sync.leaseProgress(nodeId);
  const isOrigin = boot !== null && before !== null && getOriginBoot(boot) === getOriginBoot(before);
  if (position === null || boot === null || !isOrigin) {
    const adoptableAs = await findAdoptableAs(node, running);
    node.state = transition.observeUnknown(node.state, before !== null && !isOrigin, adoptableAs);
    return;
  }
  const from = boot === before ? position : await findStartPosition(node, position, leased);
  if (from === null || !sync.hasAfter(from)) {
    node.state = transition.observeUnknown(node.state, false, await findAdoptableAs(node, running));
    return;
  }
  if (boot !== before) {
    await writeTo(env, () => {
      if (sync.get(nodeId).boot === before) sync.begin(nodeId, { boot, position: from, cautiousUntil });
    });
  }
  node.state = transition.observeServing(node.state, fingerprint, leased?.change ?? null, boot !== before);
}

async function check(node: NodeRun, round: Round, { isRequired }: StepOf<'check'>): Promise<void> {
  try {
    await checkConfig(node, round);
  } catch (error) {
    if (isRequired || !(error instanceof EngineError)) throw error;
    node.state = transition.recordCheckProblem(node.state, { code: error.code, message: error.message });
  }
  round.done.add('checked');
}

/** The engine counts for this panel from the beginning. One that crashes meanwhile is known, and is started in the next round. */
async function adoptUnknown(
  node: NodeRun,
  { running, done }: Round,
  { servable: next }: StepOf<'adoptUnknown'>,
): Promise<void> {
  const { env, nodeId } = node;
  const { sync } = env.store;
  const boot = running?.boot ?? null;
  const members = await findMembers(node, next.config);
  if (members === null) {
    node.state = transition.refuseAdoption(node.state);
    return;
  }
  // A restore meanwhile resets all three.
  const begun = await writeTo(env, () => {
    const begun = { boot, position: null, cautiousUntil: sync.latest() };
    sync.begin(nodeId, begun);
    return begun;
  });
  await replaceUsers(node, members);
  const isSame = await writeTo(env, () => {
    const { position, cautiousUntil } = sync.get(nodeId);
    const isSame = sync.get(nodeId).boot === boot && position === null && cautiousUntil === begun.cautiousUntil;
    if (isSame) sync.begin(nodeId, { boot, position: begun.cautiousUntil, cautiousUntil: 0 });
    return isSame;
  });
  if (!isSame) throw new EngineError('engine_unreachable', 'the records were replaced meanwhile');
  node.state = transition.completeAdoption(node.state, next);
  done.add('drift_repaired');
}

async function startEngine(node: NodeRun, config: EngineConfig): Promise<RunningEngine> {
  const { env, nodeId, engine, lease } = node;
  const { sync } = env.store;
  const boot = toHex(env.crypto.randomBytes(BOOT_BYTES));
  const held = engine.startHeld ? await lease.renew() : null;
  // Changes from here on are after this position. Users that may have crashed the engine are pushed one by one.
  const leftOut = await writeTo(env, () => {
    const { position, cautiousUntil } = sync.get(nodeId);
    const isCautious = position !== null && position < cautiousUntil && sync.hasAfter(position);
    const from = isCautious ? position : (held?.change ?? sync.latest());
    sync.begin(nodeId, { boot, position: from, cautiousUntil: isCautious ? cautiousUntil : 0 });
    const pushed = isCautious ? sync.changes(from, cautiousUntil - from).filter(({ id }) => id <= cautiousUntil) : [];
    return new Set(pushed.map(({ userId }) => userId));
  });
  node.state = transition.beginCounting(node.state, env.clock.now());
  // A machine with a current lease starts with its users and is not sent all users again.
  const leased = held !== null && leftOut.size === 0 ? await engine.startHeld?.(config, held, boot) : null;
  return leased ?? engine.start(config, await allowedUsers(node, config, leftOut), boot);
}

/** Starts the servable configuration. If an inbound makes the start fail, for example because its port is taken, it is left out of the next start. */
async function start(node: NodeRun, round: Round, { servable: next }: StepOf<'start'>): Promise<void> {
  const { config, unserved } = next;
  node.state = transition.beginStarting(node.state, next);
  try {
    round.running = await startEngine(node, config);
    round.batches = 0;
    node.state = transition.completeStart(node.state, next, round.running.fingerprint);
  } catch (error) {
    const culprit = error instanceof EngineError ? findNamedByPort(config.inbounds, error) : undefined;
    if (!culprit || !(error instanceof EngineError)) throw error;
    const rest = { ...config, inbounds: config.inbounds.filter((inbound) => inbound !== culprit) };
    const failed = buildUnserved(culprit, error);
    const fingerprint = node.engine.fingerprint(rest);
    const without = { ...next, config: rest, fingerprint, unserved: inOrder([...unserved, failed]) };
    node.state = transition.leaveOutAtStart(node.state, failed, without);
  }
}

/** Records and emits a restart of the engine or of a connection, with its reason and users. */
async function recordRestart({ env, nodeId }: NodeRun, { reason, inboundId, userIds }: Omit<NodeRestart, 'at'>) {
  const { nodes } = env.store;
  const named = userIds.toSorted((a, b) => a - b).slice(0, MAX_CUT_OFF);
  await env.transact({ name: 'node', by: 'node' }, (tx) => {
    const row = nodes.get(nodeId);
    if (!row) return;
    nodes.save({ ...row, restart: { at: tx.now, reason, inboundId, userIds: named } });
    const data = { node_id: nodeId, name: row.name, reason, inbound_id: inboundId, user_ids: named };
    tx.emit('node.restarted', data);
  });
}

async function findSessions(node: NodeRun, _round: Round, { served, userIds }: StepOf<'findSessions'>): Promise<void> {
  const inbounds = listReopenable(node, served);
  const suspects = new Set(userIds);
  const named = (await node.engine.findSessions?.(inbounds, userIds)) ?? [];
  const ids = inbounds.map(({ id }) => id);
  // A machine may name others.
  const found = named.filter(({ inboundId, userId }) => ids.includes(inboundId) && suspects.has(userId));
  const sessions = ids
    .map((inboundId) => ({
      inboundId,
      userIds: found.filter((one) => one.inboundId === inboundId).map(({ userId }) => userId),
    }))
    .filter((one) => one.userIds.length > 0);
  node.state = transition.recordSessions(node.state, sessions);
}

/** Ends all sessions over one connection; those of the others go on. */
async function reopen(node: NodeRun, round: Round, { served, inboundId, userIds }: StepOf<'reopen'>): Promise<void> {
  const { env, nodeId, engine } = node;
  const { sync } = env.store;
  const inbound = served.inbounds.find(({ id }) => id === inboundId);
  const { position } = sync.get(nodeId);
  node.state = transition.recordReopened(node.state, inboundId, env.clock.now());
  if (inbound === undefined || engine.reopen === undefined || round.running === null) return;
  const users = () => allowedUsers(node, { ...served, inbounds: [inbound] }, new Set());
  // A panel that ends meanwhile leaves an engine of which it is not known what it serves.
  await writeTo(env, () => sync.savePosition(nodeId, null));
  try {
    await engine.reopen(inbound, users);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'engine_refused') throw error;
    await writeTo(env, () => sync.savePosition(nodeId, position));
    env.log.warn('connection not reopened', { node: nodeId, inbound: inbound.tag, error: error.message });
    node.state = transition.recordReopenRefused(node.state);
    return;
  }
  await writeTo(env, () => sync.savePosition(nodeId, position));
  env.log.info('connection reopened to cut users off', {
    node: nodeId,
    inbound: inbound.tag,
    users: userIds.length,
  });
  await recordRestart(node, { reason: 'cut_off', inboundId, userIds });
}

/** Closes all connections through the engine; the node and an event record when and why. */
async function restart(node: NodeRun, round: Round, { servable: next, reason, userIds }: StepOf<'restart'>) {
  const { env, nodeId, engine, lease } = node;
  const { clock, log } = env;
  if (reason === 'cut_off') log.warn('engine restarted to cut users off', { node: nodeId, users: userIds.length });
  node.state = transition.beginRestart(node.state, next, reason, clock.now());
  // Done while the engine still serves, since it may take long.
  if (engine.startHeld) await lease.renew();
  await countUsage(node, round.running);
  await engine.stop(true);
  await recordRestart(node, { reason, inboundId: null, userIds });
  if (reason === 'cut_off') round.done.add('drift_repaired');
}

async function stopEngine(node: NodeRun, round: Round): Promise<void> {
  const { env, nodeId, engine } = node;
  const { sync } = env.store;
  const running = await engine.running();
  await countUsage(node, running);
  if (running !== null) await engine.stop(false);
  if (sync.get(nodeId).position !== null) await writeTo(env, () => sync.savePosition(nodeId, null));
  node.state = transition.disable(node.state);
  await reportDisabled(node);
  round.done.add('reported');
}

/** Records that the machine knows all links replaced up to a moment. */
async function markReissuesDelivered(node: NodeRun, until: number): Promise<void> {
  const { env, nodeId } = node;
  const { store, clock } = env;
  const { reissuesUntil } = node.state.memory;
  // After a clock was set back, replacements since then are recorded after the last one.
  const between = { from: until < reissuesUntil ? 0 : reissuesUntil, until };
  if (store.reissues.hasUndelivered(nodeId, between)) {
    await writeTo(env, () => {
      if (store.nodes.get(nodeId)) store.reissues.markDelivered(nodeId, between, clock.now());
    });
    env.announce();
  }
  node.state = transition.remember(node.state, { reissuesUntil: until });
}

async function push(node: NodeRun, round: Round, { canAllow }: StepOf<'push'>): Promise<void> {
  round.isAdvancing = await pushChanges(node, round, canAllow);
  round.batches += 1;
}

async function renewLease(node: NodeRun, round: Round): Promise<void> {
  // A long lease must not delay changes of users.
  const pushPending = async () => {
    round.batches = 0;
    const canAllow = transition.getServed(node.state) !== null;
    while (isPushDue(round.desired, readState(node, round))) await push(node, round, { type: 'push', canAllow });
  };
  const renewed = await node.lease.renew(pushPending);
  if (renewed !== null) await markReissuesDelivered(node, renewed.at);
  round.done.add('lease_renewed');
}

const STEPS: Steps = {
  observe,
  check,
  adopt: (node, _round, step) => {
    node.state = transition.adopt(node.state, step.servable);
  },
  adoptUnknown,
  start,
  restart,
  halt: stopEngine,
  push,
  count: async (node, round, { isPoll }) => {
    const moved = await countUsage(node, round.running);
    if (!isPoll) return;
    round.moved = moved;
    round.batches = 0;
    round.done.add('counted');
  },
  findBlocked: (node, round) => {
    findBlocked(node, round.moved);
    round.done.add('blocked_found');
  },
  findSessions,
  reopen,
  repairDrift: async (node, round, { served }) => {
    await repairDrift(node, served);
    node.state = transition.recordDriftRepaired(node.state);
    round.done.add('drift_repaired');
  },
  renewLease,
  reportUp: async (node, round) => {
    if (round.running !== null) await reportUp(node, round.running, round.desired.isPoll);
    round.done.add('reported');
  },
  fail: (_node, _round, { code, message }) => {
    throw new EngineError(code, message);
  },
};

export async function perform<Type extends EngineStep['type']>(
  node: NodeRun,
  round: Round,
  step: StepOf<Type>,
): Promise<void> {
  const type: Type = step.type;
  await STEPS[type](node, round, step);
}
