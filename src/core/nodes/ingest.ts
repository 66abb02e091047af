// Writes the counters of a node's engine since the last reading, in small transactions. Each writes traffic together with the counter values it came
// from, so that a crash neither loses traffic nor counts it twice.
import { applyWeightSince, PLAIN_WEIGHT } from '../../domain/nodes/weight.ts';
import { addBytes } from '../../domain/users/account.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import type { EngineCounters } from '../ports/engines.ts';
import type { Counted, Moved } from '../ports/sync.ts';
import type { TrafficSlot, UpDown } from '../ports/traffic.ts';
import type { UserRow } from '../ports/users.ts';
import { countOnUser, trafficSlot } from '../users/traffic.ts';
import { beginCounting, boundSteps, endCounting } from './line.ts';

/** Users compared per batch, and users written per transaction. */
const COMPARED = 1000;
const PART = 250;
const NOTHING: UpDown = { up: 0, down: 0 };

/** Whether traffic starts the held term of a user. */
type BeginsHold = (user: UserRow) => boolean;

/** Growth of a counter, never negative. Counters do not decrease while an engine runs; one that did is counted from its new value. */
export function since(value: UpDown, last: UpDown = NOTHING): UpDown {
  return { up: Math.max(0, value.up - last.up), down: Math.max(0, value.down - last.down) };
}

/** The boot under which the panel pushed users: a machine that restarts its engine appends to it. */
export function getOriginBoot(boot: string): string {
  return boot.split('r')[0] ?? boot;
}

/** A counter that decreased is from an old copy of the ledger. */
export function atLeast(value: UpDown, last: UpDown = NOTHING): UpDown {
  return { up: Math.max(value.up, last.up), down: Math.max(value.down, last.down) };
}

type IngestEnv = Pick<Env, 'store' | 'timers' | 'transact'>;

/** Users whose counters differ from the recorded values, in batches. */
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
 * Creates the check whether traffic that moved after a moment starts a user's held term: part of it may be older than the hold. Null: the moment is
 * unknown. A hold that is as old as its user always starts.
 */
export function createHoldCheck(movedAfter: number | null) {
  return ({ heldAt, createdAt }: Pick<UserRow, 'heldAt' | 'createdAt'>): boolean =>
    heldAt === null || heldAt <= createdAt || (movedAfter !== null && heldAt < movedAfter);
}

/** Writes the counters of one engine start for some users. `beginsHold`: whether the traffic belongs to the current terms. */
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
 * Writes the counters of an engine, of the node's last start or of another one whose counters began at zero. Traffic of unknown users counts for the
 * node only. Returns the traffic per user. Nothing is counted for a node whose last start is unknown to the panel: its users may be from other data.
 * `movedAfter`: time of the previous reading or of this start; null: unknown.
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
