// A user's cells as the API sends them, in one expression: what both sides of a comparison have to write, without any rule behind it.
import { NEVER, type UserCells } from '../../src/store/users/row.ts';

const ONLINE_MS = 60_000;
const instant = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

/** For users to whom nothing has happened since they were written. */
export function bareUser(c: UserCells, links: string, now: number): object {
  return {
    id: c[0],
    name: c[1],
    contact: c[2],
    note: c[3],
    tags: c[4] === '[]' ? [] : JSON.parse(c[4]),
    external_id: c[29],
    telegram_id: c[30],
    metadata: c[31] === '{}' ? {} : JSON.parse(c[31]),
    state: c[5],
    tariff_id: c[6],
    enabled: c[7] === 1,
    expires_at: c[8] === NEVER ? null : instant(c[8]),
    hold: c[9] === null ? null : { months: c[9], days: c[10] },
    traffic_limit: c[11],
    used_up: c[12],
    used_down: c[13],
    total_up: c[14],
    total_down: c[15],
    traffic_extra: c[16],
    traffic_remaining: c[11] === null ? null : Math.max(0, c[11] - c[12] - c[13]) + c[16],
    reset_strategy: c[17],
    resets_at: instant(c[19]),
    device_limit: c[21],
    concurrent_limit: c[37],
    concurrent_excess: null,
    inbounds: c[22] === null ? null : JSON.parse(c[22]),
    online: c[23] !== null && c[23] > now - ONLINE_MS,
    online_at: instant(c[23]),
    after_cut_up: 0,
    after_cut_down: 0,
    created_at: instant(c[26]),
    updated_at: instant(c[27]),
    sub_url: links + c[24],
  };
}
