// Collects the ledger of a node's machine: entries are counted in the transaction that records them as taken.
import { addBytes } from '../../domain/users/account.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import { type Engine, EngineError, type LedgerEntry, type LedgerPage, type LedgerTaken } from '../ports/engines.ts';
import type { LedgerEvent } from '../ports/lease.ts';
import type { Counted } from '../ports/sync.ts';
import type { UpDown } from '../ports/traffic.ts';
import { atLeast, countInbounds, countUsers, getOriginBoot } from './ingest.ts';
import { countEvents } from './ledger-events.ts';
import { beginCounting, endCounting } from './line.ts';

type LedgerEnv = Pick<Env, 'log' | 'store' | 'transact' | 'transactNow'>;

/** Entries counted per transaction. */
const PART = 250;
/** Pages per round; the rest is read in the next one, so that a machine with endless entries cannot block the panel. */
const MAX_PAGES = 100;
const NOTHING: UpDown = { up: 0, down: 0 };

export interface CollectedTraffic {
  /** Traffic by user. */
  readonly moved: readonly Counted[];
  /** Users whose share on this node is exhausted. */
  readonly exhausted: readonly number[];
  /** Why the engine could not be read first; null: it was. */
  readonly failure: EngineError | null;
}

function countBoot(tx: Transaction, nodeId: number, boot: string, entries: readonly LedgerEntry[]): readonly Counted[] {
  const { sync } = tx.store;
  const tags = sync.inboundCounters(nodeId, boot);
  const ofInbounds = entries.flatMap(({ tag, up, down }) =>
    tag === null ? [] : [[tag, atLeast({ up, down }, tags.get(tag))] as const],
  );
  if (ofInbounds.length > 0) countInbounds(tx, nodeId, boot, new Map(ofInbounds));
  const ofUsers = entries.flatMap(({ userId, up, down }) => (userId === null ? [] : [{ userId, up, down }]));
  const last = sync.userCounters(
    nodeId,
    boot,
    ofUsers.map(({ userId }) => userId),
  );
  const values = ofUsers.map(({ userId, up, down }) => ({ userId, ...atLeast({ up, down }, last.get(userId)) }));
  // The start of a held term is a separate event of the machine, with its exact time.
  return countUsers(tx, nodeId, boot, values, () => false);
}

/** Counts entries of engine starts that this panel knows and that are not finished; users of other starts are not from this panel. */
function countEntries(tx: Transaction, nodeId: number, entries: readonly LedgerEntry[]): readonly Counted[] {
  const boots = tx.store.sync.boots(nodeId);
  const byBoot = Map.groupBy(entries, ({ boot }) => boot);
  return [...byBoot].flatMap(([boot, some]) => {
    const counts = boots.get(boot) !== 'ended' && boots.has(getOriginBoot(boot));
    return counts ? countBoot(tx, nodeId, boot, some) : [];
  });
}

/** Ends the starts of a previous ledger: its remaining entries are lost. */
function endOthers({ store: { sync } }: Transaction, nodeId: number): void {
  const { boot: present } = sync.get(nodeId);
  for (const boot of sync.countedBoots(nodeId)) if (boot !== present) sync.endBoot(nodeId, boot);
}

/** Whether the ledger is older than what its machine has acknowledged. */
function isOldCopy(sent: LedgerTaken | null, page: LedgerPage): sent is LedgerTaken {
  return sent !== null && page.ledger === sent.ledger && page.acknowledged < sent.acknowledged;
}

function recordNodeRestored(tx: Transaction, nodeId: number): void {
  const node = tx.store.nodes.get(nodeId);
  if (!node) return;
  tx.store.nodes.save({ ...node, restoredAt: tx.now });
  tx.emit('node.restored', { node_id: nodeId, name: node.name });
}

function isSame(one: LedgerTaken | null, other: LedgerTaken | null): boolean {
  return one === other || (one?.run === other?.run && one?.taken === other?.taken);
}

/** Counts a page in small transactions. Returns null if a backup was restored meanwhile. */
async function countPage(
  env: LedgerEnv,
  nodeId: number,
  sent: LedgerTaken | null,
  page: LedgerPage,
): Promise<readonly Counted[] | null> {
  const { store } = env;
  const { ledger, run, until, ends } = page;
  const isGoingOn = sent !== null && run === sent.run;
  if (isGoingOn && until <= sent.taken) {
    const isOver = page.isLast && store.sync.line(nodeId)?.allowance.isBehind === true;
    if (isOver) await env.transact({ name: 'traffic', by: 'node' }, (tx) => endCounting(tx, nodeId, true));
    return [];
  }
  const acknowledged = isGoingOn ? sent.taken : page.acknowledged;
  const moved: Counted[] = [];
  let before = sent;
  const all = [...page.entries, ...page.events].sort((a, b) => a.seq - b.seq);
  for (let next = 0; next === 0 || next < all.length; next += PART) {
    const some = all.slice(next, next + PART);
    const entries = some.filter((one): one is LedgerEntry => !('kind' in one));
    const events = some.filter((one): one is LedgerEvent => 'kind' in one);
    const isEnd = next + PART >= all.length;
    const taken = { ledger, run, taken: isEnd ? until : (some.at(-1)?.seq ?? until), acknowledged };
    const from = before?.run === run ? before.taken : 0;
    const write = (tx: Transaction): readonly Counted[] | null => {
      // The node may be deleted meanwhile, and a restored database has its own state.
      if (!store.nodes.get(nodeId) || !isSame(store.sync.ledger(nodeId), before)) return null;
      beginCounting(tx, nodeId);
      if (sent !== null && sent.ledger !== ledger && next === 0) endOthers(tx, nodeId);
      if (next === 0 && isOldCopy(sent, page)) recordNodeRestored(tx, nodeId);
      const counted = [...countEvents(env, tx, nodeId, events), ...countEntries(tx, nodeId, entries)];
      const boots = store.sync.boots(nodeId);
      for (const { seq, boot } of ends) {
        if (seq > from && seq <= taken.taken && boots.has(getOriginBoot(boot))) store.sync.endBoot(nodeId, boot);
      }
      store.sync.saveLedger(nodeId, taken);
      if (isEnd) endCounting(tx, nodeId, page.isLast);
      return counted;
    };
    const part = await env.transact({ name: 'traffic', by: 'node' }, write);
    if (part === null) return null;
    moved.push(...part);
    before = taken;
  }
  return moved;
}

function sumByUser(moved: readonly Counted[]): readonly Counted[] {
  const sums = new Map<number, Counted>();
  for (const { userId, up, down } of moved) {
    const sum = sums.get(userId) ?? { userId, ...NOTHING };
    sums.set(userId, { userId, up: addBytes(sum.up, up), down: addBytes(sum.down, down) });
  }
  return [...sums.values()];
}

/** Collects the ledger of a node's machine, in most rounds completely. Null: it has no ledger. Rejects with EngineError. */
export async function collectLedger(env: LedgerEnv, nodeId: number, engine: Engine): Promise<CollectedTraffic | null> {
  const moved: Counted[] = [];
  const exhausted = new Set<number>();
  let failure: EngineError | null = null;
  for (let pages = 0; ; pages += 1) {
    const sent = env.store.sync.ledger(nodeId);
    const page = await engine.readLedgerPage(sent, pages === 0);
    if (page === null) return null;
    if (pages === 0) failure = page.failure;
    if (isOldCopy(sent, page)) {
      env.log.warn('node restored from an old copy', { node: nodeId, had: sent.acknowledged, has: page.acknowledged });
    }
    const isStuck = !page.isLast && sent !== null && sent.run === page.run && page.until <= sent.taken;
    if (isStuck) throw new EngineError('engine_unreachable', 'the node offers the same again');
    const counted = await countPage(env, nodeId, sent, page);
    moved.push(...(counted ?? []));
    for (const { kind, userId } of page.events) if (kind === 'share') exhausted.add(userId);
    const isEnough = page.isLast || counted === null || pages + 1 === MAX_PAGES;
    if (isEnough) return { moved: sumByUser(moved), exhausted: [...exhausted], failure };
  }
}
