// The made-up traffic of a demonstration: a month of it, heavier in the evening and on weekends, with few heavy users.
import type { Store } from '../../core/ports/ports.ts';
import type { UpDown } from '../../core/ports/records.ts';
import { trafficSlot } from '../../core/traffic.ts';
import { lastLocalDays } from '../../domain/calendar.ts';
import { HOUR_MS } from '../../domain/limits.ts';
import { createDice } from './people.ts';

const GB = 1_000_000_000;
/** This many users have traffic for each hour and day. */
export const DETAILED_USERS = 1000;
const DAYS = 30;
const HOURS_IN_DETAIL = 7 * 24;
/** So many of the first nodes have Hysteria2 as a third connection. */
export const HYSTERIA_NODES = 2;
const NODE_SHARES = [0.42, 0.27, 0.21, 0.1] as const;
/** How much of a day's traffic falls into each hour of the day. */
const DAY_CURVE = [3, 2, 2, 1, 1, 1, 2, 3, 4, 4, 4, 5, 5, 5, 5, 5, 5, 6, 7, 8, 9, 9, 7, 5] as const;
const CURVE_SUM = DAY_CURVE.reduce((sum, part) => sum + part, 0);

export interface TrafficParts {
  readonly users: number;
  readonly now: number;
  readonly timeZone: string;
}

/** What a user moved `back` days ago; the heavier users are few. */
export function dayOfUser(index: number, back: number): UpDown {
  const dice = createDice(index * 4099 + back * 31 + 7);
  const habit = createDice(index + 1)() ** 3 * 9 * GB;
  const down = dice() < 0.15 ? 0 : Math.floor(habit * (0.3 + dice()));
  return { up: Math.floor(down * (0.04 + dice() * 0.08)), down };
}

/** The node of a user in an hour of a day: mostly the same one. */
function nodeOf(index: number, back: number, hour: number): number {
  const dice = createDice(index * 97 + back * 13 + hour);
  const place = dice() < 0.8 ? index : index + 1 + back;
  return 1 + (place % NODE_SHARES.length);
}

function part({ up, down }: UpDown, share: number): UpDown {
  return { up: Math.floor(up * share), down: Math.floor(down * share) };
}

/** The hours of the last 30 days up to now, the current one included. */
function hoursOf(now: number): number[] {
  const current = Math.floor(now / HOUR_MS) * HOUR_MS;
  return Array.from({ length: DAYS * 24 }, (_, back) => current - (DAYS * 24 - 1 - back) * HOUR_MS);
}

export function addNodeTraffic(store: Store, { users, now, timeZone }: TrafficParts): void {
  const dice = createDice(77);
  const daily = { up: users * 0.09 * GB, down: users * 1.2 * GB };
  for (const hour of hoursOf(now)) {
    const slot = trafficSlot(hour, timeZone);
    const curve = (DAY_CURVE[new Date(hour).getUTCHours()] ?? 0) / CURVE_SUM;
    const isWeekend = [0, 6].includes(new Date(hour).getUTCDay());
    NODE_SHARES.forEach((share, index) => {
      const isDown = index === 3 && hour > now - 2 * HOUR_MS;
      const moved = part(daily, isDown ? 0 : share * curve * (0.8 + dice() * 0.4) * (isWeekend ? 1.25 : 1));
      store.traffic.addToNode(index + 1, slot, moved);
      const hysteria = index < HYSTERIA_NODES ? 0.15 : 0;
      store.traffic.addToInbound(index * 2 + 1, part(moved, 0.8 - hysteria));
      store.traffic.addToInbound(index * 2 + 2, part(moved, 0.2));
      if (hysteria > 0) store.traffic.addToInbound(NODE_SHARES.length * 2 + 1 + index, part(moved, hysteria));
    });
  }
}

/** Day by day for the month, hour by hour for the last week. */
export function addUserTraffic(store: Store, { users, now, timeZone }: TrafficParts): void {
  const days = lastLocalDays(now, DAYS, timeZone).map(({ from }) => from);
  const detailed = now - HOURS_IN_DETAIL * HOUR_MS;
  for (let index = 0; index < Math.min(users, DETAILED_USERS); index += 1) {
    days.forEach((from, place) => {
      const back = days.length - 1 - place;
      const moved = dayOfUser(index, back);
      if (moved.down === 0) return;
      const at = from + 19 * HOUR_MS;
      if (from < detailed) {
        const slot = trafficSlot(Math.min(at, now), timeZone);
        store.traffic.addToUser(index + 1, nodeOf(index, back, 19), slot, moved);
        return;
      }
      for (const [hour, share] of [
        [12, 0.2],
        [19, 0.5],
        [21, 0.3],
      ] as const) {
        const moment = Math.min(from + hour * HOUR_MS, now);
        const slot = trafficSlot(moment, timeZone);
        store.traffic.addToUser(index + 1, nodeOf(index, back, hour), slot, part(moved, share));
      }
    });
  }
}
