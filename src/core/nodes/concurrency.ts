// Counts the addresses from which each user opened connections since the last reading of the engines. Users above their limit are reported, and
// blocked if the setting is on.
import { computeCutOffScope, isNewExcess, nextExcess } from '../../domain/users/concurrency.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import { toInstantOrNull } from '../kernel/wire.ts';
import type { UserRow } from '../ports/users.ts';
import { commitTraffic, openUser } from '../users/change.ts';

/** Addresses of a node that has not answered for this long are ignored. */
const FRESH_MS = 90_000;
/**
 * Number of consecutive readings of a node that must exceed the limit: in one reading, a phone that changes networks has two addresses. For users on
 * several nodes one more is needed, since the reports of other nodes may be from the previous reading.
 */
const READINGS_IN_A_ROW = 2;
const READINGS_IN_A_ROW_OF_SEVERAL = 3;

/** An address reported by a node's engine, as a hash. */
export interface OpenedAddress {
  readonly userId: number;
  readonly hash: string;
  /** When the last connection from it was opened, epoch ms. */
  readonly openedAt: number;
}

interface AddressReading {
  readonly at: number;
  /** By hash; hashes differ between users. */
  readonly openedAt: ReadonlyMap<string, number>;
  /** The addresses from which each user opened connections since the previous reading. */
  readonly active: ReadonlyMap<number, readonly string[]>;
  /** Number of consecutive readings above the limit, by user. */
  readonly readings: ReadonlyMap<number, number>;
}

interface AddressCount {
  readonly addresses: number;
  /** Number of consecutive readings required. */
  readonly needed: number;
  readonly namesByNode: ReadonlyMap<number, readonly string[]>;
}

export interface Concurrency {
  /** Records the addresses reported by a node's engine. Must be called in the transaction that stores them. */
  recordAddresses(nodeId: number, seen: readonly OpenedAddress[], at: number): void;
  /** The node's engine was replaced or cannot report addresses. */
  forget(nodeId: number): void;
}

export function createConcurrency(env: Pick<Env, 'store' | 'transactNow'>): Concurrency {
  const { store } = env;
  const last = new Map<number, AddressReading>();

  /** Counts over all nodes that answer. */
  function countAddresses(userId: number, at: number): AddressCount {
    const fresh = [...last].filter(([, reading]) => at - reading.at <= FRESH_MS);
    const namesByNode = new Map(
      fresh.flatMap(([id, { active }]) => (active.has(userId) ? [[id, active.get(userId) ?? []]] : [])),
    );
    const needed = namesByNode.size > 1 ? READINGS_IN_A_ROW_OF_SEVERAL : READINGS_IN_A_ROW;
    return { addresses: new Set([...namesByNode.values()].flat()).size, needed, namesByNode };
  }

  function announce(tx: Transaction, row: UserRow, limit: number, nodeId: number, count: AddressCount): void {
    const before = row.excess;
    const { addresses, namesByNode } = count;
    const scope = tx.settings.cutOffConcurrent ? computeCutOffScope(namesByNode, limit, nodeId) : 'none';
    const excess = nextExcess(before, { addresses, scope, nodeId }, tx.now);
    const cutOff = { cut_off_until: toInstantOrNull(excess.cutOffUntil), cut_off_node_id: excess.cutOffNode };
    const data = { addresses, concurrent_limit: limit, ...cutOff };
    commitTraffic(tx, openUser(tx, row), {
      fields: { excess },
      ...(isNewExcess(before, excess) && {
        emit: (after) => tx.emit('user.concurrent_exceeded', { ...after, ...data }),
      }),
    });
  }

  return {
    recordAddresses(nodeId, seen, at) {
      const before = last.get(nodeId);
      const active = new Map<number, string[]>();
      for (const { userId, hash, openedAt } of before ? seen : []) {
        if (before?.openedAt.get(hash) === openedAt) continue;
        const hashes = active.get(userId);
        if (hashes) hashes.push(hash);
        else active.set(userId, [hash]);
      }
      const readings = new Map<number, number>();
      last.set(nodeId, { at, openedAt: new Map(seen.map(({ hash, openedAt }) => [hash, openedAt])), active, readings });
      const counts = new Map([...active.keys()].map((userId) => [userId, countAddresses(userId, at)]));
      const several = [...counts].flatMap(([userId, { addresses }]) => (addresses > 1 ? [userId] : []));
      for (const row of several.length === 0 ? [] : store.users.withConcurrentLimit(several)) {
        const [limit, count] = [row.concurrentLimit, counts.get(row.id)];
        if (limit === null || count === undefined || count.addresses <= limit) continue;
        const inARow = (before?.readings.get(row.id) ?? 0) + 1;
        readings.set(row.id, inARow);
        if (inARow < count.needed) continue;
        env.transactNow({ name: 'node', by: 'node', at }, (tx) => announce(tx, row, limit, nodeId, count));
      }
    },
    forget(nodeId) {
      last.delete(nodeId);
    },
  };
}
