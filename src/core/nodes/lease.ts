// Sends the machine of a node its lease, with which it acts alone: the whole at first, then in each round what has changed since.
import { type Leased, shareOf } from '../../domain/nodes/lease.ts';
import type { Env } from '../context.ts';
import { connectionSecrets } from '../inbounds/inbound-secrets.ts';
import type { Engine } from '../ports/engines.ts';
import type { LeaseShared, LeaseUser } from '../ports/lease.ts';
import type { UserRow } from '../ports/users.ts';

const PART = 500;
/** Changed users are looked for from a little before the last round on. */
const OVERLAP_MS = 5000;
/** How often users who have only moved bytes are sent; one whose share is used up is sent at once. */
const SHARES_EVERY_MS = 300_000;
const ID_BYTES = 16;

/** How far a machine was brought. */
interface Progress {
  readonly leaseId: string;
  readonly version: number;
  /** When it was read, and the last change that was there. */
  readonly at: number;
  readonly change: number;
  /** When users who have only moved bytes were sent. */
  readonly movedAt: number;
  /** The version that its machine spoke: another one may take more. */
  readonly spoken: string | null;
  /** What holds for all users, to be compared. */
  readonly shared: string;
  /** On which node each connection is: shares follow from it. */
  readonly places: string;
}

export interface LeaseSync {
  /** Brings the machine to the records. Rejects with EngineError. */
  renew(): Promise<void>;
  /** These users are sent with the next renewal: their share is used up. */
  note(userIds: readonly number[]): void;
  /** The whole is sent once more. */
  begin(): void;
}

/** SHA-256 of a link's token, as machines find users by. */
function hashOf({ crypto }: Env, token: string): string {
  return crypto.sha256(token);
}

function sharedOf(env: Env): LeaseShared {
  const { timeZone, language, restartToCutOff, subscriptionTitle, updateIntervalHours } = env.settings();
  const { supportUrl, announcement, rateLimit, subPath } = env.settings();
  return {
    settings: {
      timeZone,
      language,
      restartToCutOff,
      subscriptionTitle,
      updateIntervalHours,
      supportUrl,
      announcement,
      rateLimit,
      subPath,
    },
    linkBase: env.subUrl(''),
    connections: env.store.inbounds.offered().map(({ inbound, address, isDraining }) => ({
      inbound,
      address,
      isDraining,
      secrets: connectionSecrets(env, inbound),
    })),
  };
}

export function createLeaseSync(env: Env, nodeId: number, engine: Engine): LeaseSync {
  const { store, clock, crypto } = env;
  let progress: Progress | null = null;
  const noted = new Set<number>();

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

  /** How many nodes a user may connect over. Drained ones are among them: who is there stays. */
  function counterOfNodes({ connections }: LeaseShared): (inbounds: readonly number[] | null) => number {
    const nodeOf = new Map(connections.map(({ inbound }) => [inbound.id, inbound.nodeId]));
    const all = Math.max(1, new Set(nodeOf.values()).size);
    return (inbounds) =>
      inbounds === null ? all : Math.max(1, new Set(inbounds.flatMap((id) => nodeOf.get(id) ?? [])).size);
  }

  function usersOf(rows: readonly UserRow[], shared: LeaseShared): readonly LeaseUser[] {
    const nodesFor = counterOfNodes(shared);
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

  async function send(from: Progress | null, version: number): Promise<void> {
    const at = clock.now();
    const change = store.sync.latest();
    const taken = store.sync.ledger(nodeId)?.taken ?? 0;
    const shared = sharedOf(env);
    const sharedText = JSON.stringify(shared);
    const places = JSON.stringify(shared.connections.map(({ inbound }) => [inbound.id, inbound.nodeId]));
    const spoken = engine.protocol();
    const last = from?.places === places && from.spoken === spoken ? from : null;
    const leaseId = last?.leaseId ?? randomId();
    const isMovedDue = last === null || at - last.movedAt >= SHARES_EVERY_MS;
    const ids = last === null ? store.users.ids({}, at) : changedSince(last, isMovedDue);
    const isSame = last?.shared === sharedText;
    const next = { leaseId, spoken, at, change, movedAt: isMovedDue ? at : last.movedAt, shared: sharedText, places };
    let base = last === null ? 0 : version;
    if (!isSame || ids.length > 0) {
      for (const [index, some] of chunks(ids).entries()) {
        const part = store.read(() => {
          const rows = store.users.rows(some);
          const present = new Set(rows.map(({ id }) => id));
          return { users: usersOf(rows, shared), gone: some.filter((id) => !present.has(id)) };
        });
        const isLast = (index + 1) * PART >= ids.length;
        const newShared = isSame || index > 0 ? null : shared;
        const held = await engine.lease({ leaseId, base, at, taken, shared: newShared, ...part, isLast });
        base += 1;
        // It does not follow what is there: the whole once more, in the next round.
        if (held === null || held.leaseId !== leaseId || held.version !== base) {
          progress = null;
          return;
        }
      }
    }
    progress = { ...next, version: base };
    noted.clear();
  }

  function changedSince({ at, change, movedAt }: Progress, isMovedDue: boolean): readonly number[] {
    const moved = isMovedDue ? movedAt - OVERLAP_MS : null;
    return [...new Set([...store.sync.changedUsers(change, { changed: at - OVERLAP_MS, moved }), ...noted])];
  }

  return {
    async renew() {
      const held = await engine.lease(null);
      if (!engine.hasLease()) return;
      const from = progress;
      // A reply may have been lost: what it answered to is in what has changed since.
      const isKnown =
        from !== null &&
        held?.leaseId === from.leaseId &&
        held.version >= from.version &&
        clock.now() >= from.at &&
        store.sync.hasAfter(from.change);
      await send(isKnown ? from : null, held?.version ?? 0);
    },
    note(userIds) {
      for (const id of userIds) noted.add(id);
    },
    begin() {
      progress = null;
    },
  };
}

/** At least one, which may be empty. */
function chunks(ids: readonly number[]): readonly (readonly number[])[] {
  return Array.from({ length: Math.max(1, Math.ceil(ids.length / PART)) }, (_, index) =>
    ids.slice(index * PART, (index + 1) * PART),
  );
}
