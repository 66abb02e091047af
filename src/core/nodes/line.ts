// Limits the traffic that a node reports to what its line can carry. The excess is only recorded on the node.

import { DAY_MS } from '../../domain/limits.ts';
import {
  beginAllowance,
  endReading,
  type LineAllowance,
  refillAllowance,
  spendAllowance,
} from '../../domain/nodes/line-allowance.ts';
import { addBytes } from '../../domain/users/account.ts';
import type { Transaction } from '../kernel/context.ts';
import { notifyImplausibleTraffic } from '../notify/admin-notices.ts';
import type { NodeLine } from '../ports/sync.ts';
import type { UpDown } from '../ports/traffic.ts';

const NOTHING: UpDown = { up: 0, down: 0 };

type Kind = 'users' | 'inbounds';

function readLine({ store, settings, now }: Transaction, nodeId: number): NodeLine {
  const { createdAt = now } = store.nodes.get(nodeId) ?? {};
  return (
    store.sync.line(nodeId) ?? {
      allowance: beginAllowance(createdAt, settings.nodeLineGbps),
      implausible: NOTHING,
      implausibleAt: null,
    }
  );
}

function saveAllowance(tx: Transaction, nodeId: number, line: NodeLine, allowance: LineAllowance): void {
  if (tx.store.nodes.get(nodeId)) tx.store.sync.saveLine(nodeId, { ...line, allowance });
}

/** Adds what the line could carry since the last reading. Must be called in each transaction of a reading, with its own time. */
export function beginCounting(tx: Transaction, nodeId: number): void {
  const line = readLine(tx, nodeId);
  const seenAt = tx.store.nodes.get(nodeId)?.lastSeenAt ?? null;
  saveAllowance(tx, nodeId, line, refillAllowance(line.allowance, tx.now, seenAt, tx.settings.nodeLineGbps));
}

/** Must be called in the last transaction of a reading. `isComplete`: all counters were read. */
export function endCounting(tx: Transaction, nodeId: number, isComplete: boolean): void {
  const line = readLine(tx, nodeId);
  saveAllowance(tx, nodeId, line, endReading(line.allowance, isComplete, tx.settings.nodeLineGbps));
}

/** The counted part of these counter growths, in order. The rest is recorded, and reported at most once a day. */
export function boundSteps(tx: Transaction, nodeId: number, kind: Kind, steps: readonly UpDown[]): readonly UpDown[] {
  if (steps.every(({ up, down }) => up === 0 && down === 0)) return steps;
  const line = readLine(tx, nodeId);
  let left: UpDown = line.allowance[kind];
  let excess = NOTHING;
  const counted = steps.map((step) => {
    const spent = spendAllowance(left, step);
    left = spent.left;
    const { up, down } = spent.counted;
    excess = { up: addBytes(excess.up, step.up - up), down: addBytes(excess.down, step.down - down) };
    return spent.counted;
  });
  saveAllowance(tx, nodeId, recordExcess(tx, nodeId, line, excess), { ...line.allowance, [kind]: left });
  return counted;
}

function recordExcess(tx: Transaction, nodeId: number, line: NodeLine, excess: UpDown): NodeLine {
  const { now, store } = tx;
  const node = store.nodes.get(nodeId);
  if (!node || (excess.up === 0 && excess.down === 0)) return line;
  const { implausible, implausibleAt } = line;
  if (implausibleAt === null || now - implausibleAt >= DAY_MS || now < implausibleAt) {
    tx.emit('node.traffic_implausible', { node_id: nodeId, name: node.name, ...excess });
    notifyImplausibleTraffic(tx, node);
  }
  return {
    ...line,
    implausible: { up: addBytes(implausible.up, excess.up), down: addBytes(implausible.down, excess.down) },
    implausibleAt: now,
  };
}
