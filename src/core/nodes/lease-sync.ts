// Sends the lease to the machine of a node, with which it acts alone: completely once, then only changes since the last acknowledged state, even
// after a restart of the panel or the engine.
import { computeShare, type Leased } from '../../domain/nodes/lease.ts';
import { PLAIN_WEIGHT } from '../../domain/nodes/weight.ts';
import type { Env } from '../kernel/context.ts';
import { toHex } from '../kernel/wire.ts';
import type { Engine } from '../ports/engines.ts';
import type { LeaseHeld, LeaseProgress, LeaseShared, LeaseUser } from '../ports/lease.ts';
import type { UserRow } from '../ports/users.ts';
import type { AllNodesLease } from './lease-shared.ts';

const PART = 500;
/** Changed users are read from a little before the last round. */
const OVERLAP_MS = 5000;
/** How often users who only moved bytes are sent; exhausted shares are sent at once. */
const SHARES_EVERY_MS = 300_000;
/** The same for users with a small limit: traffic over one node reduces the shares of the others. */
const SMALL_SHARES_EVERY_MS = 30_000;
const ID_BYTES = 16;

/** A complete lease in transfer; acknowledged parts are not sent again. */
interface Filling {
  /** The progress after the last part, except `version`. */
  readonly progress: LeaseProgress;
  readonly shared: NodeShared;
  /** The last user of each part sent. */
  readonly ends: readonly number[];
  /** Number of parts; null: the last one was not sent yet. */
  readonly length: number | null;
}

interface NodeShared {
  readonly present: LeaseShared;
  readonly nodesFor: AllNodesLease['nodesFor'];
}

interface LeaseState {
  /** Newer than the stored progress: rounds with nothing to send are not written. */
  readonly recent: LeaseProgress | null;
  readonly filling: Filling | null;
  /** Upper bound of the parts that the machine has: a reply may have been lost, or the panel stopped before writing it. */
  readonly sent: Pick<LeaseProgress, 'leaseId' | 'version'> | null;
  /** When users with small limits were last sent, epoch ms; null: not by this panel. */
  readonly smallAt: number | null;
  /** Users whose share is exhausted. */
  readonly exhausted: ReadonlySet<number>;
}

type LeaseEnv = Pick<Env, 'clock' | 'crypto' | 'queue' | 'store' | 'turn'>;

interface LeaseRun {
  readonly env: LeaseEnv;
  readonly nodeId: number;
  readonly engine: Engine;
  state: LeaseState;
}

/** One renewal: the parts it sends, and more urgent work in between. */
interface Renewal {
  readonly run: LeaseRun;
  readonly between: () => Promise<void>;
  readonly shared: NodeShared;
}

export interface LeaseSync {
  /**
   * Updates the machine to the records. Resolves with the lease it holds then; null: its engine has no lease. Rejects with EngineError. `between`:
   * called before each part for more urgent work.
   */
  renew(between?: () => Promise<void>): Promise<Pick<LeaseProgress, 'leaseId' | 'version' | 'change' | 'at'> | null>;
  /** Sends these users with the next renewal, because their share is exhausted. */
  markExhausted(userIds: readonly number[]): void;
}

function update(run: LeaseRun, changes: Partial<LeaseState>): void {
  run.state = { ...run.state, ...changes };
}

/** SHA-256 of a link's token, by which machines find users. */
function hashToken({ crypto }: LeaseEnv, token: string): string {
  return crypto.sha256(token);
}

/** Each part is read in its own turn of the event loop, so that requests are answered in between. */
async function nextTurn({ run, between }: Renewal): Promise<void> {
  await run.env.turn();
  await between();
}

function buildLeased({ env: { store, clock }, nodeId }: LeaseRun, row: UserRow, nodes: number): Leased {
  const { enabled, expiresAt, hold, trafficLimit, usedUp, usedDown, totalUp, totalDown } = row;
  const { resetStrategy, termBeganAt, resetsAt, excess } = row;
  const grants = row.extra > 0 ? store.grants.live(row.id) : [];
  const numbers = { trafficLimit, usedUp, usedDown, totalUp, totalDown };
  const account = { enabled, expiresAt, hold, ...numbers, resetStrategy, termBeganAt, resetsAt, grants };
  return {
    account,
    nodes,
    shareLeft: computeShare(account, nodes, clock.now()),
    hasConnected: row.onlineAt !== null,
    isEndNoted: row.expiredAnnounced,
    cutOffUntil: excess === null || (excess.cutOffNode ?? nodeId) !== nodeId ? null : excess.cutOffUntil,
  };
}

function buildLeaseUsers({ run, shared }: Renewal, rows: readonly UserRow[]): readonly LeaseUser[] {
  const { env, nodeId } = run;
  const { store } = env;
  const leftOut = Map.groupBy(store.sync.quarantined(nodeId), ({ userId }) => userId);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    credentials: store.users.credentials(row.id),
    inbounds: row.inbounds,
    leftOut: (leftOut.get(row.id) ?? []).map(({ inboundId }) => inboundId),
    tokenHash: hashToken(env, row.token),
    deviceLimit: row.deviceLimit,
    tariffId: row.tariffId,
    tags: row.tags,
    leased: buildLeased(run, row, shared.nodesFor(row.inbounds)),
    updatedAt: row.updatedAt,
  }));
}

function randomId({ crypto }: LeaseEnv): string {
  return toHex(crypto.randomBytes(ID_BYTES));
}

/** Sends a part to a machine that has `base` parts. Returns whether it was accepted. */
async function sendPart(
  renewal: Renewal,
  { leaseId, at }: Pick<LeaseProgress, 'leaseId' | 'at'>,
  base: number,
  isNew: boolean,
  some: readonly number[],
  isLast: boolean,
): Promise<boolean> {
  const { run, shared } = renewal;
  const { store } = run.env;
  const part = store.read(() => {
    const rows = store.users.rows(some);
    const present = new Set(rows.map(({ id }) => id));
    const taken = store.sync.ledger(run.nodeId)?.taken ?? 0;
    return { taken, users: buildLeaseUsers(renewal, rows), gone: some.filter((id) => !present.has(id)) };
  });
  update(run, { sent: { leaseId, version: base + 1 } });
  const held = await run.engine.lease?.({
    leaseId,
    base,
    at,
    ...part,
    shared: isNew ? shared.present : null,
    isLast,
  });
  return held?.leaseId === leaseId && held.version === base + 1;
}

/** Stores the progress, unless a backup was restored meanwhile. */
async function save(run: LeaseRun, progress: LeaseProgress): Promise<void> {
  const { env, nodeId } = run;
  const { queue, store } = env;
  await queue.run(() =>
    store.write(() => {
      if (store.sync.leaseProgress(nodeId)?.leaseId === progress.leaseId)
        store.sync.saveLeaseProgress(nodeId, progress);
    }),
  );
  update(run, { recent: progress });
}

/** Starts a new complete lease. */
async function beginFilling(
  { run, shared }: Renewal,
  progress: Omit<LeaseProgress, 'leaseId' | 'version'>,
): Promise<Filling> {
  const { queue, store } = run.env;
  const started = { ...progress, leaseId: randomId(run.env), version: 0 };
  await queue.run(() => store.write(() => store.sync.saveLeaseProgress(run.nodeId, started)));
  const filling = { progress: started, shared, ends: [], length: null };
  update(run, { recent: null, filling });
  return filling;
}

/** Sends the parts of a complete lease from this one on. Null: a part was refused; the next round starts again. */
async function fill(renewal: Renewal, started: Filling, from: number): Promise<LeaseProgress | null> {
  const { run } = renewal;
  const { progress, shared } = started;
  let filling = started;
  for (let base = from; filling.length === null || base < filling.length; base += 1) {
    await nextTurn(renewal);
    const before = filling.ends[base - 1] ?? 0;
    const ids = run.env.store.sync.userIdsAfter(before, PART + 1);
    const part = ids.slice(0, PART);
    const isLast = part.length === ids.length;
    const ends = [...filling.ends.slice(0, base), part.at(-1) ?? before];
    filling = { ...filling, ends, ...(isLast && { length: base + 1 }) };
    update(run, { filling });
    if (!(await sendPart({ ...renewal, shared }, progress, base, base === 0, part, isLast))) {
      update(run, { filling: null });
      return null;
    }
  }
  update(run, { filling: null });
  const whole = { ...progress, version: filling.length ?? from };
  await save(run, whole);
  return whole;
}

/** Sends changes. Null: the machine refused them. */
async function sendChanged(
  renewal: Renewal,
  from: LeaseProgress,
  version: number,
  now: Omit<LeaseProgress, 'leaseId' | 'version' | 'movedAt'>,
): Promise<LeaseProgress | null> {
  const { run } = renewal;
  const isMovedDue = now.at - from.movedAt >= SHARES_EVERY_MS;
  const moved = isMovedDue ? from.movedAt - OVERLAP_MS : null;
  const { smallAt } = run.state;
  const isSmallDue = smallAt === null || now.at - smallAt >= SMALL_SHARES_EVERY_MS;
  const movedSmall = isSmallDue ? (smallAt ?? from.movedAt) - OVERLAP_MS : null;
  const changed = run.env.store.sync.changedUsers(from.change, { changed: from.at - OVERLAP_MS, moved, movedSmall });
  const ids = [...new Set([...changed, ...run.state.exhausted])];
  const isSame = from.shared === now.shared;
  const next = { ...now, leaseId: from.leaseId, movedAt: isMovedDue ? now.at : from.movedAt };
  const markSmall = () => isSmallDue && update(run, { smallAt: now.at });
  if (isSame && ids.length === 0) {
    markSmall();
    const recent = { ...next, version };
    update(run, { recent });
    // The reply to this part was lost.
    if (version !== from.version) await save(run, recent);
    return recent;
  }
  let base = version;
  const parts = chunks(ids);
  for (const [index, some] of parts.entries()) {
    const isNew = !isSame && index === 0;
    await nextTurn(renewal);
    if (!(await sendPart(renewal, next, base, isNew, some, index + 1 === parts.length))) return null;
    base += 1;
  }
  const progress = { ...next, version: base };
  await save(run, progress);
  markSmall();
  update(run, { exhausted: new Set() });
  return progress;
}

/** The stored progress that matches the lease on the machine. */
function findFollowed(
  { env: { store, clock }, nodeId, state: { recent, sent } }: LeaseRun,
  held: LeaseHeld | null,
  protocolVersion: string | null,
): LeaseProgress | null {
  const stored = store.sync.leaseProgress(nodeId);
  if (stored === null || stored.version === 0 || held === null || held.at === null) return null;
  const last = recent?.leaseId === stored.leaseId && recent.version >= stored.version ? recent : stored;
  if (held.leaseId !== last.leaseId || held.version < last.version) return null;
  const most = sent?.leaseId === last.leaseId ? Math.max(sent.version, last.version) : last.version;
  if (last.protocolVersion !== protocolVersion) return null;
  const isKnown = held.version <= most && clock.now() >= last.at && store.sync.hasAfter(last.change);
  return isKnown ? last : null;
}

/** The transfer in progress, if the machine has its first parts. */
function findOnItsWay(
  { env: { store }, nodeId, state: { filling, sent } }: LeaseRun,
  held: LeaseHeld | null,
): Filling | null {
  const isGoingOn =
    filling !== null &&
    held?.leaseId === filling.progress.leaseId &&
    store.sync.leaseProgress(nodeId)?.leaseId === held.leaseId &&
    held.version <= (sent?.version ?? 0) &&
    store.sync.hasAfter(filling.progress.change);
  return isGoingOn ? filling : null;
}

/** `allNodes`: the part that is the same for every node. */
export function createLeaseSync(
  env: LeaseEnv,
  nodeId: number,
  engine: Engine,
  allNodes: () => AllNodesLease,
): LeaseSync {
  const { store, clock, crypto } = env;
  const run: LeaseRun = {
    env,
    nodeId,
    engine,
    state: { recent: null, filling: null, sent: null, smallAt: null, exhausted: new Set() },
  };
  return {
    async renew(between = async () => {}) {
      const held = await engine.lease?.(null);
      if (held === undefined) return null;
      const { hash, nodesFor, ...common } = allNodes();
      const weight = store.nodes.get(nodeId)?.weight ?? PLAIN_WEIGHT;
      const renewal: Renewal = { run, between, shared: { present: { ...common, weight }, nodesFor } };
      const now = {
        at: clock.now(),
        change: store.sync.latest(),
        protocolVersion: engine.protocol(),
        shared: crypto.sha256(`${hash} ${weight}`),
      };
      const from = findFollowed(run, held, now.protocolVersion);
      if (from !== null && held !== null) return sendChanged(renewal, from, held.version, now);
      const filling = findOnItsWay(run, held);
      if (filling !== null) return fill(renewal, filling, held?.version ?? 0);
      update(run, { exhausted: new Set() });
      await env.turn();
      return fill(renewal, await beginFilling(renewal, { ...now, movedAt: now.at }), 0);
    },
    markExhausted(userIds) {
      update(run, { exhausted: new Set([...run.state.exhausted, ...userIds]) });
    },
  };
}

/** At least one chunk, which may be empty. */
function chunks(ids: readonly number[]): readonly (readonly number[])[] {
  return Array.from({ length: Math.max(1, Math.ceil(ids.length / PART)) }, (_, index) =>
    ids.slice(index * PART, (index + 1) * PART),
  );
}
