// Sends the machine of a node its lease, with which it acts alone: the whole once, and from then on what has changed since what it has answered to,
// also after a start of the panel or of the engine.
import { type Leased, shareOf } from '../../domain/nodes/lease.ts';
import { PLAIN_WEIGHT } from '../../domain/nodes/weight.ts';
import type { Env } from '../context.ts';
import type { Engine } from '../ports/engines.ts';
import type { LeaseHeld, LeaseProgress, LeaseShared, LeaseUser } from '../ports/lease.ts';
import type { UserRow } from '../ports/users.ts';
import type { AllNodesLease } from './lease-shared.ts';

const PART = 500;
/** Changed users are looked for from a little before the last round on. */
const OVERLAP_MS = 5000;
/** How often users who have only moved bytes are sent; one whose share is used up is sent at once. */
const SHARES_EVERY_MS = 300_000;
const ID_BYTES = 16;

/** A whole lease on its way: what of it has arrived is not sent again. */
interface Filling {
  /** As it will be when the last part has arrived, but for `version`. */
  readonly progress: LeaseProgress;
  readonly shared: NodeShared;
  /** The last user of each part that was sent. */
  readonly ends: number[];
  /** How many parts it has; null: the last one was not sent yet. */
  length: number | null;
}

interface NodeShared {
  readonly present: LeaseShared;
  readonly nodesFor: AllNodesLease['nodesFor'];
}

export interface LeaseSync {
  /**
   * Brings the machine to the records. Resolves with what it holds then; null: its version takes none. Rejects with EngineError. `between`: what is
   * more urgent than the next part.
   */
  renew(between?: () => Promise<void>): Promise<Pick<LeaseProgress, 'leaseId' | 'version' | 'change' | 'at'> | null>;
  /** These users are sent with the next renewal: their share is used up. */
  note(userIds: readonly number[]): void;
}

/** SHA-256 of a link's token, as machines find users by. */
function hashOf({ crypto }: Env, token: string): string {
  return crypto.sha256(token);
}

/** `allNodes`: what is the same for every node. */
export function createLeaseSync(env: Env, nodeId: number, engine: Engine, allNodes: () => AllNodesLease): LeaseSync {
  const { store, clock, crypto, queue } = env;
  /** The stored one, later: rounds with nothing to send are not written. */
  let recent: LeaseProgress | null = null;
  let filling: Filling | null = null;
  /** How many parts the machine may have at most: a reply may have been lost, or the panel ended before it was written. */
  let sent: Pick<LeaseProgress, 'leaseId' | 'version'> | null = null;
  const noted = new Set<number>();
  let urgent = async () => {};

  /** Parts for many nodes are read one in each turn of the event loop, so that requests are answered in between. */
  async function nextTurn(): Promise<void> {
    await env.turn();
    await urgent();
  }

  function leasedOf(row: UserRow, nodes: number): Leased {
    const { enabled, expiresAt, hold, trafficLimit, usedUp, usedDown, totalUp, totalDown } = row;
    const { resetStrategy, termBeganAt, resetsAt } = row;
    const grants = row.extra > 0 ? store.grants.live(row.id) : [];
    const numbers = { trafficLimit, usedUp, usedDown, totalUp, totalDown };
    const account = { enabled, expiresAt, hold, ...numbers, resetStrategy, termBeganAt, resetsAt, grants };
    return {
      account,
      nodes,
      shareLeft: shareOf(account, nodes, clock.now()),
      hasConnected: row.onlineAt !== null,
      isEndNoted: row.expiredAnnounced,
      cutOffUntil: row.excess?.cutOffUntil ?? null,
    };
  }

  function usersOf(rows: readonly UserRow[], { nodesFor }: NodeShared): readonly LeaseUser[] {
    const leftOut = Map.groupBy(store.sync.quarantined(nodeId), ({ userId }) => userId);
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      credentials: store.users.credentials(row.id),
      inbounds: row.inbounds,
      leftOut: (leftOut.get(row.id) ?? []).map(({ inboundId }) => inboundId),
      tokenHash: hashOf(env, row.token),
      deviceLimit: row.deviceLimit,
      leased: leasedOf(row, nodesFor(row.inbounds)),
      updatedAt: row.updatedAt,
    }));
  }

  function randomId(): string {
    return Array.from(crypto.randomBytes(ID_BYTES), (byte) => byte.toString(16).padStart(2, '0')).join('');
  }

  /** Sends a part to a machine that has `base` of them. Returns whether it has taken it. */
  async function sendPart(
    { leaseId, at }: Pick<LeaseProgress, 'leaseId' | 'at'>,
    base: number,
    shared: NodeShared,
    isNew: boolean,
    some: readonly number[],
    isLast: boolean,
  ): Promise<boolean> {
    const part = store.read(() => {
      const rows = store.users.rows(some);
      const present = new Set(rows.map(({ id }) => id));
      const taken = store.sync.ledger(nodeId)?.taken ?? 0;
      return { taken, users: usersOf(rows, shared), gone: some.filter((id) => !present.has(id)) };
    });
    sent = { leaseId, version: base + 1 };
    const held = await engine.lease({
      leaseId,
      base,
      at,
      ...part,
      shared: isNew ? shared.present : null,
      isLast,
    });
    return held?.leaseId === leaseId && held.version === base + 1;
  }

  /** Writes how far the machine was brought, unless the records were replaced by those of a backup meanwhile. */
  async function save(progress: LeaseProgress): Promise<void> {
    await queue.run(() =>
      store.write(() => {
        if (store.sync.leaseProgress(nodeId)?.leaseId === progress.leaseId)
          store.sync.saveLeaseProgress(nodeId, progress);
      }),
    );
    recent = progress;
  }

  /** A lease that everything begins with. */
  async function beginFilling(
    progress: Omit<LeaseProgress, 'leaseId' | 'version'>,
    shared: NodeShared,
  ): Promise<Filling> {
    const begun = { ...progress, leaseId: randomId(), version: 0 };
    await queue.run(() => store.write(() => store.sync.saveLeaseProgress(nodeId, begun)));
    recent = null;
    return { progress: begun, shared, ends: [], length: null };
  }

  /** Sends parts of a whole lease from this one on. Null: the machine has not taken them; all of it is sent in the next round. */
  async function fill(some: Filling, from: number): Promise<LeaseProgress | null> {
    const { progress, shared, ends } = some;
    for (let base = from; some.length === null || base < some.length; base += 1) {
      await nextTurn();
      const ids = store.sync.userIdsAfter(ends[base - 1] ?? 0, PART + 1);
      const part = ids.slice(0, PART);
      const isLast = part.length === ids.length;
      if (isLast) some.length = base + 1;
      ends[base] = part.at(-1) ?? ends[base - 1] ?? 0;
      if (!(await sendPart(progress, base, shared, base === 0, part, isLast))) {
        filling = null;
        return null;
      }
    }
    filling = null;
    const whole = { ...progress, version: some.length ?? from };
    await save(whole);
    return whole;
  }

  /** Sends what has changed. Null: the machine has not taken it. */
  async function sendChanged(
    from: LeaseProgress,
    version: number,
    now: Omit<LeaseProgress, 'leaseId' | 'version' | 'movedAt'>,
    shared: NodeShared,
  ) {
    const isMovedDue = now.at - from.movedAt >= SHARES_EVERY_MS;
    const moved = isMovedDue ? from.movedAt - OVERLAP_MS : null;
    const changed = store.sync.changedUsers(from.change, { changed: from.at - OVERLAP_MS, moved });
    const ids = [...new Set([...changed, ...noted])];
    const isSame = from.shared === now.shared;
    const next = { ...now, leaseId: from.leaseId, movedAt: isMovedDue ? now.at : from.movedAt };
    if (isSame && ids.length === 0) {
      recent = { ...next, version };
      // One that a lost reply was about.
      if (version !== from.version) await save(recent);
      return recent;
    }
    let base = version;
    const parts = chunks(ids);
    for (const [index, some] of parts.entries()) {
      const isNew = !isSame && index === 0;
      await nextTurn();
      if (!(await sendPart(next, base, shared, isNew, some, index + 1 === parts.length))) return null;
      base += 1;
    }
    const progress = { ...next, version: base };
    await save(progress);
    noted.clear();
    return progress;
  }

  /** What the machine was brought to, where it holds that. */
  function followed(held: LeaseHeld | null, now: Pick<LeaseProgress, 'spoken' | 'places'>): LeaseProgress | null {
    const stored = store.sync.leaseProgress(nodeId);
    if (stored === null || stored.version === 0 || held === null || held.at === null) return null;
    const last = recent?.leaseId === stored.leaseId && recent.version >= stored.version ? recent : stored;
    if (held.leaseId !== last.leaseId || held.version < last.version) return null;
    const most = sent?.leaseId === last.leaseId ? Math.max(sent.version, last.version) : last.version;
    const isSuited = last.spoken === now.spoken && (engine.leaseKind() === 'difference' || last.places === now.places);
    const isKnown = held.version <= most && clock.now() >= last.at && store.sync.hasAfter(last.change);
    return isSuited && isKnown ? last : null;
  }

  return {
    async renew(between = async () => {}) {
      urgent = between;
      const held = await engine.lease(null);
      if (engine.leaseKind() === null) return null;
      const { hash, places, nodesFor, ...common } = allNodes();
      const weight = store.nodes.get(nodeId)?.weight ?? PLAIN_WEIGHT;
      const shared = { present: { ...common, weight }, nodesFor };
      const now = {
        at: clock.now(),
        change: store.sync.latest(),
        spoken: engine.protocol(),
        shared: crypto.sha256(`${hash} ${weight}`),
        places,
      };
      const from = followed(held, now);
      if (from !== null && held !== null) return sendChanged(from, held.version, now, shared);
      const isGoingOn =
        filling !== null &&
        held?.leaseId === filling.progress.leaseId &&
        store.sync.leaseProgress(nodeId)?.leaseId === held.leaseId &&
        held.version <= (sent?.version ?? 0) &&
        store.sync.hasAfter(filling.progress.change);
      if (!isGoingOn || filling === null) {
        noted.clear();
        await env.turn();
        filling = await beginFilling({ ...now, movedAt: now.at }, shared);
        return fill(filling, 0);
      }
      return fill(filling, held?.version ?? 0);
    },
    note(userIds) {
      for (const id of userIds) noted.add(id);
    },
  };
}

/** At least one, which may be empty. */
function chunks(ids: readonly number[]): readonly (readonly number[])[] {
  return Array.from({ length: Math.max(1, Math.ceil(ids.length / PART)) }, (_, index) =>
    ids.slice(index * PART, (index + 1) * PART),
  );
}
