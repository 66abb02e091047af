// Brings the engine of one node to what the records say, and its counters into them; one round after another, never two at once.

import { MOST_CUT_OFF, type NodeRestartReason } from '../../contract/nodes/nodes.ts';
import { RESTART_EVERY_MS } from '../../domain/limits.ts';
import { tellOfNodeCertificate, tellOfNodeDown, tellOfNodeUp } from '../bot/admin-notices.ts';
import { createTransaction, type Env, type Transaction } from '../context.ts';
import { engineInbound } from '../inbounds/inbound-secrets.ts';
import { PanelError } from '../panel-error.ts';
import { NO_CREDENTIALS } from '../ports/credentials.ts';
import {
  type Engine,
  type EngineChange,
  type EngineConfig,
  EngineError,
  type EngineUser,
  type RunningEngine,
} from '../ports/engines.ts';
import type { NodeRow } from '../ports/plans.ts';
import type { Counted, Member, NodeChange } from '../ports/sync.ts';
import { ONLINE_MS } from '../users/users.ts';
import { toInstant, toInstantOrNull } from '../wire.ts';
import { ingest, NODE_CALL } from './ingest.ts';
import { createLeaseSync } from './lease.ts';
import { createAllNodesLease } from './lease-shared.ts';
import { takeLedger } from './ledger.ts';

/** Changes that are read together, users on connections that are sent together, users that are read together for a start. */
const CHANGES = 200;
const TOGETHER = 256;
const PAGE = 1000;
const DRIFT_EVERY_POLLS = 30;
/** A user who may not connect and moves bytes in so many polls in a row is cut off by a restart: in the first, some may be from before. */
const POLLS_TO_CUT_OFF = 3;
const BOOT_BYTES = 8;

type Problem = Pick<NodeRow, 'errorCode' | 'errorText'>;
const NO_PROBLEM: Problem = { errorCode: null, errorText: null };

interface NodeSyncer {
  /** Brings the engine to the records. `asks`: its counters are read too. Rejects with EngineError, after the node says so. */
  round(asks: boolean): Promise<void>;
  /** Whether a round has something to tell the engine. */
  hasWork(): boolean;
  /** The engine has ended by itself. */
  noteExit(error: EngineError): Promise<void>;
  /** Reads the counters for the last time and stops the engine, unless it is on another machine. */
  shutDown(): Promise<void>;
}

function chunks<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

function pairOf(userId: number, inboundId: number): string {
  return `${userId} ${inboundId}`;
}

/** What became of the certificate of links that its machine serves: in the feed, and to administrators in the chat. */
function noteLinksCertificate(
  tx: Transaction,
  before: NodeRow,
  { linksEndsAt, linksLate, linksFailure }: NodeRow,
): void {
  const data = { node_id: before.id, name: before.name };
  const isOther = linksEndsAt !== before.linksEndsAt;
  if (linksFailure !== null && (isOther || linksFailure !== before.linksFailure)) {
    tx.emit('node.certificate_failed', { ...data, code: linksFailure, not_after: toInstantOrNull(linksEndsAt) });
    tellOfNodeCertificate(tx, before, { endsAt: linksEndsAt, failure: linksFailure });
  }
  if (linksLate === true && linksEndsAt !== null && (isOther || before.linksLate !== true)) {
    tx.emit('node.certificate_ending', { ...data, not_after: toInstant(linksEndsAt) });
    tellOfNodeCertificate(tx, before, { endsAt: linksEndsAt, failure: null });
  }
}

/** `allNodes`: the one for all nodes of the panel, or one of its own. */
export function createNodeSync(
  env: Env,
  nodeId: number,
  engine: Engine,
  allNodes = createAllNodesLease(env),
): NodeSyncer {
  const { store, queue, clock, log, timers } = env;
  const { sync } = store;
  /** What the running engine serves; null: it was started with something else than the records say now, and what is unknown. */
  let served: EngineConfig | null = null;
  /** The configuration that was refused, by its fingerprint. */
  let refused: string | null = null;
  let problem = NO_PROBLEM;
  let seen = '';
  /** Links that were replaced before are known to the machine. */
  let reissuesFrom = 0;
  let pollsToDrift = 0;
  const last = store.nodes.get(nodeId)?.restart;
  let restartedAt = last?.reason === 'cut_off' ? last.at : Number.NEGATIVE_INFINITY;
  const onlineAt = new Map<number, number>();
  /** In how many polls in a row users moved bytes who may not connect. */
  const outside = new Map<number, number>();

  const lease = createLeaseSync(env, nodeId, engine, allNodes);

  const write = <T>(work: () => T): Promise<T> => queue.run(() => store.write(work));
  const yieldTurn = () => new Promise<void>((resolve) => timers.soon(resolve));
  const keyOf = () => `${store.nodes.get(nodeId)?.updatedAt} ${sync.configKey(nodeId)}`;

  function configOf(node: NodeRow): EngineConfig {
    const rows = store.inbounds.page({ nodeId }, store.inbounds.count({ nodeId }), 0).filter(({ enabled }) => enabled);
    try {
      return { inbounds: rows.map((row) => engineInbound(env, row)), blocksPrivate: !node.allowsPrivate };
    } catch (error) {
      if (error instanceof PanelError)
        throw new EngineError('config_refused', `the keys of connections cannot be read: ${error.code}`);
      throw error;
    }
  }

  function quarantinedPairs(): ReadonlySet<string> {
    return new Set(sync.quarantined(nodeId).map(({ userId, inboundId }) => pairOf(userId, inboundId)));
  }

  /** Writes what changed of the node, and the event of a change between up and down. */
  async function report(changes: Partial<NodeRow>): Promise<void> {
    const isNew = (node: NodeRow) =>
      Object.entries(changes).some(([name, value]) => node[name as keyof NodeRow] !== value);
    const node = store.nodes.get(nodeId);
    if (!node || !isNew(node)) return;
    await write(() => {
      const before = store.nodes.get(nodeId);
      if (!before) return;
      store.nodes.save({ ...before, ...changes });
      const tx = createTransaction(env, NODE_CALL, 'node', clock.now());
      const data = { node_id: nodeId, name: before.name };
      if (changes.status === 'up' && before.status === 'down') {
        tx.emit('node.up', data);
        // One that was disabled has no problem.
        if (before.errorCode !== null) tellOfNodeUp(tx, before);
      }
      if (changes.status === 'down' && before.status !== 'down' && before.enabled) {
        tx.emit('node.down', data);
        tellOfNodeDown(tx, before);
      }
      noteLinksCertificate(tx, before, { ...before, ...changes });
    });
    env.announce();
  }

  /** What its machine has said of itself. */
  function machineNow(): Partial<NodeRow> {
    const agentProtocol = engine.protocol();
    const machine = engine.machine();
    return {
      ...(agentProtocol !== null && { agentProtocol }),
      ...(machine?.version && { agentVersion: machine.version }),
    };
  }

  function measuredNow(): Partial<NodeRow> {
    const { load = null, clockOffset = null, certificate = null, waiting = null } = engine.machine() ?? {};
    return {
      load,
      clockOffset,
      linksEndsAt: certificate?.endsAt ?? null,
      linksLate: certificate?.isLate ?? null,
      linksFailure: certificate?.failure ?? null,
      waitingEntries: waiting?.entries ?? null,
      waitingBytes: waiting?.bytes ?? null,
      // What was there had come since the contact before.
      waitingSince: waiting === null || waiting.entries === 0 ? null : (store.nodes.get(nodeId)?.lastSeenAt ?? null),
    };
  }

  async function reportUp({ name, version, startedAt }: RunningEngine, isSeen: boolean): Promise<void> {
    const now = clock.now();
    for (const [userId, at] of onlineAt) if (at <= now - ONLINE_MS) onlineAt.delete(userId);
    const [out] = sync.quarantined(nodeId);
    const left: Problem = out
      ? { errorCode: 'engine_refused', errorText: `u${out.userId}: ${out.message}` }
      : NO_PROBLEM;
    // The uptime of an engine is in whole seconds.
    const node = store.nodes.get(nodeId);
    const isSameStart = Math.abs((node?.engineStartedAt ?? 0) - startedAt) < 5000;
    await report({
      status: 'up',
      coreName: name,
      coreVersion: version,
      engineStartedAt: isSameStart ? (node?.engineStartedAt ?? startedAt) : startedAt,
      usersOnline: onlineAt.size,
      ...machineNow(),
      ...(isSeen && { lastSeenAt: now, ...measuredNow() }),
      ...(problem.errorCode === null ? left : problem),
    });
  }

  function reportDown({ code, message }: EngineError): Promise<void> {
    return report({ status: 'down', usersOnline: 0, errorCode: code, errorText: message, ...machineNow() });
  }

  /** Counts what the machine has written down, or else what the engine that runs has counted, of starts that the panel knows. */
  async function count(running: RunningEngine | null): Promise<readonly Counted[]> {
    // Of one that is deleted nothing is counted any more.
    if (!store.nodes.get(nodeId)) return [];
    const change = sync.latest();
    const taken = await takeLedger(env, nodeId, engine);
    if (taken !== null) lease.note(taken.exhausted);
    if (taken !== null && taken.failure !== null && running !== null) throw taken.failure;
    if (taken === null && (running === null || running.boot === null || sync.get(nodeId).boot === null)) return [];
    const counters = taken === null ? await engine.counters() : null;
    const moved = taken?.moved ?? (counters === null ? [] : await ingest(env, nodeId, counters));
    const boot = counters === null ? (running?.boot ?? null) : counters.boot;
    if (boot !== null && sync.countedChange(nodeId) !== change) {
      await write(() => sync.saveCountedChange(nodeId, boot, change));
    }
    const now = clock.now();
    for (const { userId } of moved) onlineAt.set(userId, now);
    return moved;
  }

  /** Everybody who may connect to one of these connections, but for those who are told one by one later. */
  async function everybody(config: EngineConfig, leftOut: ReadonlySet<number>) {
    const ids = config.inbounds.map(({ id }) => id);
    const pairs = quarantinedPairs();
    const users: (EngineUser & { readonly inbounds: readonly number[] })[] = [];
    for (
      let page = sync.membersAfter(0, PAGE);
      page.length > 0;
      page = sync.membersAfter(page.at(-1)?.userId ?? 0, PAGE)
    ) {
      for (const { userId, credentials, inbounds: own } of page) {
        if (leftOut.has(userId)) continue;
        const inbounds = ids.filter((id) => (own === null || own.includes(id)) && !pairs.has(pairOf(userId, id)));
        if (inbounds.length > 0) users.push({ userId, credentials, inbounds });
      }
      await yieldTurn();
    }
    return users;
  }

  async function start(config: EngineConfig): Promise<RunningEngine> {
    const boot = Array.from(env.crypto.randomBytes(BOOT_BYTES), (byte) => byte.toString(16).padStart(2, '0')).join('');
    const held = engine.startHeld ? await lease.renew() : null;
    // Users who change from here on are behind this position. Those over whom the engine may have crashed are told one by one.
    const leftOut = await write(() => {
      const { position, cautiousUntil } = sync.get(nodeId);
      const isCautious = position !== null && position < cautiousUntil && sync.hasAfter(position);
      const from = isCautious ? position : (held?.change ?? sync.latest());
      sync.begin(nodeId, { boot, position: from, cautiousUntil: isCautious ? cautiousUntil : 0 });
      const told = isCautious ? sync.changes(from, cautiousUntil - from).filter(({ id }) => id <= cautiousUntil) : [];
      return new Set(told.map(({ userId }) => userId));
    });
    onlineAt.clear();
    outside.clear();
    served = null;
    // A machine that holds everybody is not sent everybody again.
    const leased = held !== null && leftOut.size === 0 ? await engine.startHeld?.(config, held, boot) : null;
    const running = leased ?? (await engine.start(config, await everybody(config, leftOut), boot));
    served = config;
    return running;
  }

  async function stop(running: RunningEngine, isRestart = false): Promise<void> {
    await count(running);
    await engine.stop(isRestart);
    served = null;
  }

  /** Ends all connections through the engine; the node and an event say when and why. */
  async function restart(
    running: RunningEngine,
    config: EngineConfig,
    reason: NodeRestartReason,
    cutOff: readonly number[] = [],
  ): Promise<RunningEngine> {
    // While the engine serves, as it may take long.
    if (engine.startHeld) await lease.renew();
    await stop(running, true);
    const userIds = cutOff.toSorted((a, b) => a - b).slice(0, MOST_CUT_OFF);
    await write(() => {
      const node = store.nodes.get(nodeId);
      if (!node) return;
      const now = clock.now();
      store.nodes.save({ ...node, restart: { at: now, reason, userIds } });
      const data = { node_id: nodeId, name: node.name, reason, user_ids: userIds };
      createTransaction(env, NODE_CALL, 'node', now).emit('node.restarted', data);
    });
    env.announce();
    return start(config);
  }

  /** Whether the engine would start with another configuration; what it says is the node's problem then. */
  async function accepts(config: EngineConfig): Promise<boolean> {
    const fingerprint = engine.fingerprint(config);
    if (refused === fingerprint) return false;
    try {
      await engine.check(config);
      refused = null;
      problem = NO_PROBLEM;
      return true;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (error.code === 'config_refused') refused = fingerprint;
      problem = { errorCode: error.code, errorText: error.message };
      return false;
    }
  }

  /** The engine that runs with what the records say, or with what it had where that is refused. */
  async function settle(config: EngineConfig): Promise<RunningEngine> {
    const running = await engine.running();
    if (running === null) {
      await count(null);
      return start(config);
    }
    const { boot, position } = sync.get(nodeId);
    const isOwn = running.boot !== null && running.boot === boot;
    if (!isOwn || position === null || !sync.hasAfter(position)) return restart(running, config, 'unknown_state');
    const wanted = engine.fingerprint(config);
    if (running.fingerprint === wanted) {
      served = config;
      refused = null;
      problem = NO_PROBLEM;
      return running;
    }
    if (served !== null && engine.fingerprint(served) !== running.fingerprint) served = null;
    if (!(await accepts(config))) return running;
    return restart(running, config, 'configuration');
  }

  /** Tells the engine; who is refused is left out from then on. `until`: the change in the log that these are of. */
  async function tell(changes: readonly EngineChange[], until: number): Promise<void> {
    let outcomes: readonly (EngineError | null)[];
    try {
      outcomes = await engine.apply(changes);
    } catch (error) {
      if (error instanceof EngineError) await blame(changes, until, error);
      throw error;
    }
    const failed = changes.flatMap(({ user, inbound }, index) => {
      const outcome = outcomes[index];
      return outcome ? [{ userId: user.userId, inboundId: inbound.id, message: outcome.message }] : [];
    });
    if (failed.length > 0) await write(() => leaveOut(failed));
  }

  function leaveOut(
    entries: readonly { readonly userId: number; readonly inboundId: number; readonly message: string }[],
  ): void {
    for (const entry of entries) if (store.inbounds.get(entry.inboundId)) sync.quarantine(entry, clock.now());
  }

  /** Where the engine crashed over changes: the one alone is left out, of several each is tried alone after the next start. */
  async function blame(changes: readonly EngineChange[], until: number, error: EngineError): Promise<void> {
    const { boot } = sync.get(nodeId);
    const running = await engine.running().catch(() => undefined);
    const isCrashed =
      error.code === 'engine_crashed' || running === null || (running !== undefined && running.boot !== boot);
    if (!isCrashed) return;
    const [change] = changes;
    await write(() => {
      if (sync.get(nodeId).boot !== boot) return;
      if (changes.length > 1 || !change) sync.saveCaution(nodeId, until);
      else leaveOut([{ userId: change.user.userId, inboundId: change.inbound.id, message: error.message }]);
    });
  }

  function changesFor(rows: readonly NodeChange[], config: EngineConfig): readonly EngineChange[] {
    const ids = [...new Set(rows.map(({ userId }) => userId))];
    const members = new Map(sync.members(ids).map((member) => [member.userId, member]));
    const pairs = quarantinedPairs();
    return ids
      .flatMap((userId) => config.inbounds.map((inbound) => changeFor(userId, inbound, members.get(userId))))
      .filter(({ user, inbound }) => !pairs.has(pairOf(user.userId, inbound.id)));
  }

  /** Tells the engine of all changes behind the position. */
  async function drain({ boot }: RunningEngine, config: EngineConfig): Promise<void> {
    for (;;) {
      const { position, cautiousUntil, boot: stored } = sync.get(nodeId);
      if (position === null || stored !== boot) return;
      const isCautious = position < cautiousUntil;
      const rows = sync.changes(position, isCautious ? 1 : CHANGES);
      const last = rows.at(-1);
      if (!last) return;
      // Where it serves something else than the records say, no user is let in: an account of another kind ends some engines.
      const changes = changesFor(rows, served ?? config).filter(({ isAllowed }) => served !== null || !isAllowed);
      for (const some of chunks(changes, isCautious ? 1 : TOGETHER)) await tell(some, last.id);
      if (served === null) return;
      await write(() => {
        // A restored database has positions of its own.
        const now = sync.get(nodeId);
        if (now.boot === boot && now.position === position) sync.savePosition(nodeId, last.id);
      });
    }
  }

  /** Compares who is on each connection with who should be, where the engine can tell. */
  async function mendDrift(): Promise<void> {
    const config = served;
    if (config === null) return;
    const present = new Map<number, ReadonlySet<number>>();
    for (const inbound of config.inbounds) {
      const ids = await engine.members(inbound);
      if (ids !== null) present.set(inbound.id, new Set(ids));
    }
    if (present.size === 0) return;
    const latest = sync.latest();
    const wanted = new Map((await everybody(config, new Set())).map((user) => [user.userId, user]));
    const changes = config.inbounds.flatMap((inbound): EngineChange[] => {
      const ids = present.get(inbound.id);
      if (!ids) return [];
      const missing = [...wanted.values()].filter(
        ({ userId, inbounds }) => inbounds.includes(inbound.id) && !ids.has(userId),
      );
      const extra = [...ids].filter((userId) => !wanted.get(userId)?.inbounds.includes(inbound.id));
      return [
        ...missing.map((user) => ({ inbound, user, isAllowed: true })),
        ...extra.map((userId) => ({ inbound, user: { userId, credentials: NO_CREDENTIALS }, isAllowed: false })),
      ];
    });
    if (changes.length === 0) return;
    log.warn('engine had other users', { node: nodeId, changes: changes.length });
    for (const some of chunks(changes, TOGETHER)) await tell(some, latest);
  }

  /** Users who may not connect and have moved bytes for so long that only a restart cuts them off. Empty: there is to be none now. */
  function usersToCutOff(moved: readonly Counted[]): readonly number[] {
    const ids = moved.map(({ userId }) => userId);
    const allowed = new Set(sync.members(ids).map(({ userId }) => userId));
    // A cut for some minutes is not worth ending the connections of all the others.
    for (const id of sync.cutOffForNow(ids)) allowed.add(id);
    const outsiders = new Set(ids.filter((id) => !allowed.has(id)));
    for (const id of outside.keys()) if (!outsiders.has(id)) outside.delete(id);
    for (const id of outsiders) outside.set(id, (outside.get(id) ?? 0) + 1);
    if (!env.settings().restartToCutOff || Math.abs(clock.now() - restartedAt) < RESTART_EVERY_MS) return [];
    return [...outside].some(([, polls]) => polls >= POLLS_TO_CUT_OFF) ? [...outside.keys()] : [];
  }

  async function poll(running: RunningEngine, config: EngineConfig): Promise<RunningEngine> {
    const moved = await count(running);
    await drain(running, config);
    const cutOff = usersToCutOff(moved);
    if (cutOff.length > 0 && served !== null) {
      log.warn('engine restarted to cut users off', { node: nodeId, users: cutOff.length });
      restartedAt = clock.now();
      return restart(running, served, 'cut_off', cutOff);
    }
    pollsToDrift -= 1;
    if (pollsToDrift <= 0) {
      await mendDrift();
      pollsToDrift = DRIFT_EVERY_POLLS;
    }
    return running;
  }

  async function halt(): Promise<void> {
    const running = await engine.running();
    if (running === null) await count(null);
    else await stop(running);
    if (sync.get(nodeId).position !== null) await write(() => sync.savePosition(nodeId, null));
    await report({ status: 'down', usersOnline: 0, ...NO_PROBLEM });
  }

  /** The machine was brought to the records of a moment: links that had been replaced by then are dead there. */
  async function noteReissues(until: number | null): Promise<void> {
    if (until === null) return;
    // After a clock was set back, those of the time until now were noted behind the last one.
    const between = { from: until < reissuesFrom ? 0 : reissuesFrom, until };
    if (store.reissues.hasUnmet(nodeId, between)) {
      await write(() => {
        if (store.nodes.get(nodeId)) store.reissues.meet(nodeId, between, clock.now());
      });
      env.announce();
    }
    reissuesFrom = until;
  }

  async function bring(asks: boolean): Promise<void> {
    const node = store.nodes.get(nodeId);
    seen = keyOf();
    if (!node?.enabled) return halt();
    const config = configOf(node);
    const settled = await settle(config);
    await drain(settled, config);
    const running = asks ? await poll(settled, config) : settled;
    if (running !== settled) await drain(running, config);
    // A long lease holds up no change of a user.
    const between = async () => {
      const { position } = sync.get(nodeId);
      if (position !== null && position < sync.latest()) await drain(running, config);
    };
    await noteReissues((await lease.renew(between))?.at ?? null);
    await reportUp(running, asks);
  }

  return {
    async round(asks) {
      try {
        await bring(asks);
      } catch (error) {
        if (error instanceof EngineError) await reportDown(error);
        throw error;
      }
    },
    hasWork() {
      if (keyOf() !== seen) return true;
      if (!store.nodes.get(nodeId)?.enabled) return false;
      const { position } = sync.get(nodeId);
      return position === null || position < sync.latest();
    },
    noteExit: reportDown,
    async shutDown() {
      const node = store.nodes.get(nodeId);
      // That of another machine serves its users while the panel is away, and is adopted by the next one. One that did not answer before
      // is not waited for.
      const goesOn = node?.kind === 'remote';
      const running = goesOn && node.status !== 'up' ? null : await engine.running();
      if (running !== null) await (goesOn ? count(running) : stop(running));
      await report({ status: 'unknown', usersOnline: 0 });
    },
  };
}

function changeFor(userId: number, inbound: EngineChange['inbound'], member: Member | undefined): EngineChange {
  const isAllowed = member !== undefined && (member.inbounds === null || member.inbounds.includes(inbound.id));
  return { inbound, user: { userId, credentials: member?.credentials ?? NO_CREDENTIALS }, isAllowed };
}
