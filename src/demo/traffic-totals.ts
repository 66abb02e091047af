// The traffic of a demonstration's nodes and connections, summed over its users.
import type { EventType } from '../contract/event-types.ts';
import type { Store } from '../core/ports/ports.ts';
import type { TrafficSlot, UpDown, UserDayCounts } from '../core/ports/traffic.ts';
import type { NewUser } from '../core/ports/users.ts';
import { PLACES } from './offer.ts';
import type { Moment, Moved } from './user-history.ts';

/** This many of the first nodes have Hysteria2 as a third connection. */
export const HYSTERIA_NODES = 2;
/** This many have WireGuard as a fourth. */
export const WIREGUARD_NODES = 1;

/** An event of a user. */
export interface Happened {
  readonly moment: Moment;
  readonly userId: number;
  readonly user: NewUser;
}

export interface Sums {
  readonly moments: Happened[];
  addToNode(moved: Moved, slot: TrafficSlot): void;
  countUser(type: EventType, day: string): void;
  write(store: Store): void;
}

export function createSums(): Sums {
  const hours = new Map<string, { readonly nodeId: number; readonly slot: TrafficSlot; up: number; down: number }>();
  const days = new Map<string, { created: number; expired: number }>();
  return {
    moments: [],
    addToNode({ nodeId, up, down }, slot) {
      // A local day may begin within an hour of UTC, so it is part of the key.
      const key = `${nodeId} ${slot.hour} ${slot.day}`;
      const sum = hours.get(key) ?? { nodeId, slot, up: 0, down: 0 };
      hours.set(key, sum);
      sum.up += up;
      sum.down += down;
    },
    countUser(type, day) {
      const what: keyof UserDayCounts | null =
        type === 'user.created' ? 'created' : type === 'user.expired' ? 'expired' : null;
      if (what === null) return;
      const counts = days.get(day) ?? { created: 0, expired: 0 };
      days.set(day, counts);
      counts[what] += 1;
    },
    write({ traffic, userDays }) {
      // A month's traffic of a million users exceeds a counter.
      const totals = new Map<number, UpDown>();
      for (const { nodeId, slot, up, down } of hours.values()) {
        traffic.addToNode(nodeId, slot, { up, down });
        const before = totals.get(nodeId) ?? { up: 0, down: 0 };
        totals.set(nodeId, { up: capBytes(before.up + up), down: capBytes(before.down + down) });
      }
      for (const [nodeId, total] of totals) {
        for (const [inboundId, moved] of splitTraffic(nodeId, total)) traffic.addToInbound(inboundId, moved);
      }
      for (const [day, { created, expired }] of days) {
        userDays.add(day, 'created', created);
        userDays.add(day, 'expired', expired);
      }
    },
  };
}

/** Limits bytes to the store's counter. */
function capBytes(bytes: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, bytes);
}

/** Divides a node's traffic among its connections. */
function splitTraffic(nodeId: number, total: UpDown): (readonly [number, UpDown])[] {
  const part = (share: number) => ({ up: Math.floor(total.up * share), down: Math.floor(total.down * share) });
  const mobile = part(nodeId <= HYSTERIA_NODES ? 0.15 : 0);
  const spare = part(0.2);
  const router = part(nodeId <= WIREGUARD_NODES ? 0.05 : 0);
  const fast = {
    up: total.up - mobile.up - spare.up - router.up,
    down: total.down - mobile.down - spare.down - router.down,
  };
  const shares: (readonly [number, UpDown])[] = [
    [nodeId * 2 - 1, fast],
    [nodeId * 2, spare],
  ];
  if (nodeId <= HYSTERIA_NODES) shares.push([PLACES.length * 2 + nodeId, mobile]);
  if (nodeId <= WIREGUARD_NODES) shares.push([PLACES.length * 2 + HYSTERIA_NODES + nodeId, router]);
  return shares;
}
