// Counts what the engine of a node has counted since it was last asked, in small transactions: each writes the traffic of its users
// together with what the engine had counted for them, so that a crash between two of them loses nothing and counts nothing twice.
import { applyWeightSince, PLAIN_WEIGHT } from '../../domain/nodes/weight.ts';
import { addBytes } from '../../domain/users/account.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import type { EngineCounters } from '../ports/engines.ts';
import type { Counted, Moved } from '../ports/sync.ts';
import type { TrafficSlot, UpDown } from '../ports/traffic.ts';
import type { UserRow } from '../ports/users.ts';
import { countOnUser, trafficSlot } from '../users/traffic.ts';
import { beginCounting, boundSteps, endCounting } from './line.ts';

/** Users whose counters are compared together, and users who are written in one transaction. */
const COMPARED = 1000;
const PART = 250;
const NOTHING: UpDown = { up: 0, down: 0 };

/** Whether bytes begin the held term of a user. */
type BeginsHold = (user: UserRow) => boolean;

/** Bytes since the last time. A counter never goes down while its engine runs; one that did anyway counts from where it is. */
export function since(value: UpDown, last: UpDown = NOTHING): UpDown {
  return { up: Math.max(0, value.up - last.up), down: Math.max(0, value.down - last.down) };
}

/** The start by which the panel let users in: a machine that starts its engine again adds to its mark. */
export function getOriginBoot(boot: string): string {
  return boot.split('r')[0] ?? boot;
}

/** As a counter never goes down, one that did is from an old copy of the ledger. */
export function atLeast(value: UpDown, last: UpDown = NOTHING): UpDown {
  return { up: Math.max(value.up, last.up), down: Math.max(value.down, last.down) };
}

type IngestEnv = Pick<Env, 'store' | 'timers' | 'transact'>;

/** Those of the users, in pieces, for whom the engine has counted something else than it had. */
async function changedUsers(
  env: IngestEnv,
  nodeId: number,
  { boot, users }: EngineCounters,
): Promise<readonly number[]> {
  const ids = [...users.keys()].sort((a, b) => a - b);
  if (boot === null || env.store.sync.get(nodeId).boot !== boot) return ids;
  const changed: number[] = [];
  for (let next = 0; next < ids.length; next += COMPARED) {
    const some = ids.slice(next, next + COMPARED);
    const last = env.store.sync.userCounters(nodeId, boot, some);
    for (const id of some) {
      const [is, was] = [users.get(id), last.get(id) ?? NOTHING];
      if (is && (is.up !== was.up || is.down !== was.down)) changed.push(id);
    }
    await new Promise<void>((resolve) => env.timers.soon(resolve));
  }
  return changed;
}

/**
 * Whether bytes that moved after a moment begin the held term of a user: some of them may have moved before a hold that was set since. Null: the moment
 * is not known. A hold that is as old as its user has nothing before it.
 */
export function createHoldCheck(movedAfter: number | null) {
  return ({ heldAt, createdAt }: Pick<UserRow, 'heldAt' | 'createdAt'>): boolean =>
    heldAt === null || heldAt <= createdAt || (movedAfter !== null && heldAt < movedAfter);
}

/** Counts what a start of the engine has counted for some users, and writes that it is counted. `beginsHold`: it moved under the present terms. */
export function countUsers(
  tx: Transaction,
  nodeId: number,
  boot: string,
  values: readonly Counted[],
  beginsHold: BeginsHold,
): Counted[] {
  const { store, now } = tx;
  const slot = trafficSlot(now, tx.settings.timeZone);
  const ids = values.map(({ userId }) => userId);
  const last = store.sync.userCounters(nodeId, boot, ids);
  const weight = store.nodes.get(nodeId)?.weight ?? PLAIN_WEIGHT;
  const steps = boundSteps(
    tx,
    nodeId,
    'users',
    values.map(({ userId, ...value }) => since(value, last.get(userId))),
  );
  const moved = values
    .map(({ userId }, index): Moved => {
      const before = last.get(userId) ?? NOTHING;
      const { up, down } = steps[index] ?? NOTHING;
      return {
        userId,
        up,
        down,
        charged: applyWeightSince({ up: before.up + up, down: before.down + down }, before, weight),
      };
    })
    .filter(({ up, down }) => up > 0 || down > 0);
  store.sync.saveUserCounters(nodeId, boot, values);
  countMoved(tx, { nodeId, slot, beginsHold }, moved);
  const total = moved.reduce(
    (sum, { up, down }) => ({ up: addBytes(sum.up, up), down: addBytes(sum.down, down) }),
    NOTHING,
  );
  if (moved.length > 0) store.traffic.addToNode(nodeId, slot, total);
  return moved;
}

interface Counting {
  readonly nodeId: number;
  readonly slot: TrafficSlot;
  readonly beginsHold: BeginsHold;
}

function countMoved(tx: Transaction, { nodeId, slot, beginsHold }: Counting, moved: readonly Moved[]): void {
  const byId = new Map(moved.map((each) => [each.userId, each]));
  for (const id of tx.store.sync.countPlainly(nodeId, moved, slot, tx.now)) {
    const [stored, each] = [tx.store.users.get(id), byId.get(id)];
    if (stored && each) countOnUser(tx, stored, { nodeId, slot, beginsHold: beginsHold(stored) }, each);
  }
}

export function countInbounds(
  tx: Transaction,
  nodeId: number,
  boot: string,
  inbounds: EngineCounters['inbounds'],
): void {
  const { store } = tx;
  const last = store.sync.inboundCounters(nodeId, boot);
  const grown = [...inbounds].flatMap(([tag, value]) => {
    const inbound = store.inbounds.byTag(nodeId, tag);
    const step = since(value, last.get(tag));
    return inbound && (step.up > 0 || step.down > 0) ? [{ inbound, tag, value, step }] : [];
  });
  const steps = boundSteps(
    tx,
    nodeId,
    'inbounds',
    grown.map(({ step }) => step),
  );
  for (const [index, { inbound, tag, value }] of grown.entries()) {
    store.sync.saveInboundCounter(nodeId, boot, tag, value);
    store.traffic.addToInbound(inbound.id, steps[index] ?? NOTHING);
  }
}

/**
 * Counts what an engine has counted, of the node's last start or of another one, whose counters began at zero then. Users who do not exist
 * count for the node alone. Returns who moved how much. Nothing is counted for a node whose last start the panel does not know: its
 * users may be those of other data. `movedAfter`: when the counters were read before, or this start of the engine began; null: not known.
 */
export async function ingest(
  env: IngestEnv,
  nodeId: number,
  counters: EngineCounters,
  movedAfter: number | null,
  size: number = PART,
): Promise<readonly Counted[]> {
  const { store } = env;
  const ids = await changedUsers(env, nodeId, counters);
  const beginsHold = createHoldCheck(movedAfter);
  const moved: Counted[] = [];
  for (let next = 0; next === 0 || next < ids.length; next += size) {
    const write = (tx: Transaction): readonly Counted[] | null => {
      const { boot } = store.sync.get(nodeId);
      if (boot === null || counters.boot === null || (boot !== counters.boot && next > 0)) return null;
      if (boot !== counters.boot) store.sync.begin(nodeId, { boot: counters.boot, position: null, cautiousUntil: 0 });
      beginCounting(tx, nodeId);
      if (next === 0) countInbounds(tx, nodeId, counters.boot, counters.inbounds);
      const values = ids
        .slice(next, next + size)
        .map((userId): Counted => ({ userId, ...(counters.users.get(userId) ?? NOTHING) }));
      const counted = countUsers(tx, nodeId, counters.boot, values, beginsHold);
      if (next + size >= ids.length) endCounting(tx, nodeId, true);
      return counted;
    };
    const part = await env.transact({ name: 'traffic', by: 'node' }, write);
    if (part === null) break;
    moved.push(...part);
  }
  return moved;
}
