// Counts traffic at once, as if a node had moved it since the last reading of its counters.
import type { Transaction } from '../../src/core/kernel/context.ts';
import type { UpDown } from '../../src/core/ports/traffic.ts';
import { countOnUser, trafficSlot } from '../../src/core/users/traffic.ts';

/** What one node moved since the last count. */
export interface NodeTraffic {
  readonly nodeId: number;
  readonly total: UpDown;
  readonly users: readonly (UpDown & { readonly userId: number; readonly charged?: UpDown })[];
  readonly inbounds: readonly (UpDown & { readonly inboundId: number })[];
}

/** Users deleted since are skipped; their bytes stay in the node's own sums. */
export function countTraffic(tx: Transaction, { nodeId, total, users, inbounds }: NodeTraffic): void {
  const { store, now, settings } = tx;
  const slot = trafficSlot(now, settings.timeZone);
  if (total.up > 0 || total.down > 0) store.traffic.addToNode(nodeId, slot, total);
  for (const { inboundId, up, down } of inbounds) store.traffic.addToInbound(inboundId, { up, down });
  for (const { userId, ...moved } of users) {
    const stored = store.users.get(userId);
    if (!stored || (moved.up === 0 && moved.down === 0)) continue;
    countOnUser(tx, stored, { nodeId, slot, beginsHold: true }, moved);
  }
}
