// Counts traffic of a user, with the grants it spends and the resulting state.

import { localDay } from '../../domain/calendar.ts';
import { HOUR_MS } from '../../domain/limits.ts';
import { addBytes, canConnect } from '../../domain/users/account.ts';
import { beginHeldTerm } from '../../domain/users/term.ts';
import { applyTraffic } from '../../domain/users/traffic.ts';
import type { Transaction } from '../kernel/context.ts';
import type { TrafficSlot, UpDown } from '../ports/traffic.ts';
import type { Cut, UserRow } from '../ports/users.ts';
import { type Change, commitTraffic, openUser } from './change.ts';

/** The hour, day and month that contain a moment. */
export function trafficSlot(now: number, zone: string): TrafficSlot {
  const day = localDay(now, zone);
  return { hour: Math.floor(now / HOUR_MS) * HOUR_MS, day, month: day.slice(0, 7) };
}

/**
 * Counts traffic on a user with all effects: starts a held term, spends grants, changes the state. `beginsHold` false: the traffic is older than the
 * hold, or its time is unknown.
 * `charged`: the traffic times the weight of the node.
 */
export function countOnUser(
  tx: Transaction,
  stored: UserRow,
  { nodeId, slot, beginsHold }: { readonly nodeId: number; readonly slot: TrafficSlot; readonly beginsHold: boolean },
  { up, down, charged }: UpDown & { readonly charged?: UpDown },
): void {
  const moved = { up, down };
  tx.store.traffic.addToUser(stored.id, nodeId, slot, moved);
  const current = openUser(tx, stored);
  const { now, settings } = tx;
  const isFirst = current.row.onlineAt === null;
  const startsTerm = beginsHold && current.account.hold !== null && canConnect(current.row.state);
  const started = startsTerm ? beginHeldTerm(current.account, now, settings.timeZone) : current.account;
  const { account } = applyTraffic(started, moved, now, charged);
  const cut = countAfterCut(tx, current.row.cut, nodeId, moved);
  const isFirstAfterCut = cut !== current.row.cut && isNothing(current.row.cut);
  const emit: Change['emit'] = (after) => {
    if (isFirst) tx.emit('user.first_connected', after);
    if (isFirstAfterCut) tx.emit('user.moved_after_cut', { ...after, node_id: nodeId, ...moved });
  };
  commitTraffic(tx, current, {
    account,
    fields: { onlineAt: now, cut },
    setsEnd: startsTerm,
    nodeId,
    ...((isFirst || isFirstAfterCut) && { emit }),
  });
}

/**
 * Traffic of a blocked user. A reading contains only traffic after the cut if the previous reading was counted when the cut was in the log, or caused
 * the cut.
 */
function countAfterCut({ store }: Transaction, cut: Cut | null, nodeId: number, moved: UpDown): Cut | null {
  if (cut === null || (cut.nodeId !== nodeId && cut.change > store.sync.countedChange(nodeId))) return cut;
  return { ...cut, up: addBytes(cut.up, moved.up), down: addBytes(cut.down, moved.down) };
}

function isNothing(moved: UpDown | null): boolean {
  return moved !== null && moved.up === 0 && moved.down === 0;
}
