// A user as a row: one list of columns for reading and one for writing.

import { foldText } from '../../core/kernel/sort-key.ts';
import type { UserRow } from '../../core/ports/users.ts';
import { parseOwnJson } from '../../domain/own-json.ts';
import { usedBytes } from '../../domain/users/account.ts';
import type { Cell } from '../database.ts';

/** "Never" in `expires_at`: later than any valid time. */
export const NEVER = 9_000_000_000_000_000;

/** Bits of `announced`. */
const EXPIRED = 1;
const TRAFFIC_LOW = 2;

/** The columns that every read of a user selects, in the order of the cells. */
export const USER_COLUMNS = `id, name, contact, note, tags, state, tariff_id, enabled, expires_at, hold_months, hold_days,
  traffic_limit, used_up, used_down, total_up, total_down, extra, reset_strategy, term_began_at, resets_at, due_at,
  device_limit, inbounds, online_at, token, announced, created_at, updated_at, version,
  external_id, telegram_id, metadata, notice_announced, cut_change, cut_node_id, cut_up, cut_down,
  concurrent_limit, excess, excess_at, cut_off_until, held_at, cut_off_node_id`;

export type UserCells = [
  id: number,
  name: string,
  contact: string,
  note: string,
  tags: string,
  state: UserRow['state'],
  tariffId: number | null,
  enabled: number,
  expiresAt: number,
  holdMonths: number | null,
  holdDays: number | null,
  trafficLimit: number | null,
  usedUp: number,
  usedDown: number,
  totalUp: number,
  totalDown: number,
  extra: number,
  resetStrategy: UserRow['resetStrategy'],
  termBeganAt: number | null,
  resetsAt: number | null,
  dueAt: number | null,
  deviceLimit: number | null,
  inbounds: string | null,
  onlineAt: number | null,
  token: string,
  announced: number,
  createdAt: number,
  updatedAt: number,
  version: number,
  externalId: string | null,
  telegramId: number | null,
  metadata: string,
  noticeAnnounced: number | null,
  cutChange: number | null,
  cutNodeId: number | null,
  cutUp: number | null,
  cutDown: number | null,
  concurrentLimit: number | null,
  excess: number | null,
  excessAt: number | null,
  cutOffUntil: number | null,
  heldAt: number | null,
  cutOffNode: number | null,
];

const NO_TAGS: readonly string[] = [];
const NO_METADATA: Readonly<Record<string, string>> = {};

/** Decodes the cells that `USER_COLUMNS` selects. */
export function decodeUser(cells: readonly [...UserCells, ...unknown[]]): UserRow {
  const tags = cells[4];
  const expiresAt = cells[8];
  const months = cells[9];
  const days = cells[10];
  const inbounds = cells[22];
  const announced = cells[25];
  const metadata = cells[31];
  const change = cells[33];
  const excess = cells[38];
  return {
    id: cells[0],
    name: cells[1],
    contact: cells[2],
    note: cells[3],
    tags: tags === '[]' ? NO_TAGS : (parseOwnJson(tags) as string[]),
    state: cells[5],
    tariffId: cells[6],
    enabled: cells[7] === 1,
    expiresAt: expiresAt === NEVER ? null : expiresAt,
    hold: months === null || days === null ? null : { months, days },
    heldAt: cells[41],
    trafficLimit: cells[11],
    usedUp: cells[12],
    usedDown: cells[13],
    totalUp: cells[14],
    totalDown: cells[15],
    extra: cells[16],
    resetStrategy: cells[17],
    termBeganAt: cells[18],
    resetsAt: cells[19],
    dueAt: cells[20],
    deviceLimit: cells[21],
    concurrentLimit: cells[37],
    excess:
      excess === null ? null : { addresses: excess, at: cells[39] ?? 0, cutOffUntil: cells[40], cutOffNode: cells[42] },
    inbounds: inbounds === null ? null : (parseOwnJson(inbounds) as number[]),
    onlineAt: cells[23],
    token: cells[24],
    noticeAnnounced: cells[32],
    expiredAnnounced: (announced & EXPIRED) !== 0,
    trafficLowAnnounced: (announced & TRAFFIC_LOW) !== 0,
    createdAt: cells[26],
    updatedAt: cells[27],
    version: cells[28],
    externalId: cells[29],
    telegramId: cells[30],
    metadata: metadata === '{}' ? NO_METADATA : (parseOwnJson(metadata) as Record<string, string>),
    cut: change === null ? null : { change, nodeId: cells[34], up: cells[35] ?? 0, down: cells[36] ?? 0 },
  };
}

/** The fields of a user in `users`. */
type UserFields = Omit<UserRow, 'id'>;

/** A column and its value of a user. */
export interface UserColumn {
  readonly name: string;
  readonly cell: (row: UserFields) => Cell;
}

/** Text columns come first: most writes change none of them. */
export const WRITTEN: readonly UserColumn[] = [
  { name: 'name', cell: (row) => row.name },
  { name: 'name_sort', cell: (row) => foldText(row.name) },
  { name: 'contact', cell: (row) => row.contact },
  { name: 'note', cell: (row) => row.note },
  { name: 'tags', cell: (row) => (row.tags.length === 0 ? '[]' : JSON.stringify(row.tags)) },
  { name: 'external_id', cell: (row) => row.externalId },
  { name: 'metadata', cell: (row) => JSON.stringify(row.metadata) },
  { name: 'state', cell: (row) => row.state },
  { name: 'tariff_id', cell: (row) => row.tariffId },
  { name: 'enabled', cell: (row) => (row.enabled ? 1 : 0) },
  { name: 'expires_at', cell: (row) => row.expiresAt ?? NEVER },
  { name: 'hold_months', cell: (row) => row.hold?.months ?? null },
  { name: 'hold_days', cell: (row) => row.hold?.days ?? null },
  { name: 'traffic_limit', cell: (row) => row.trafficLimit },
  { name: 'used_up', cell: (row) => row.usedUp },
  { name: 'used_down', cell: (row) => row.usedDown },
  { name: 'used', cell: usedBytes },
  { name: 'total_up', cell: (row) => row.totalUp },
  { name: 'total_down', cell: (row) => row.totalDown },
  { name: 'extra', cell: (row) => row.extra },
  { name: 'reset_strategy', cell: (row) => row.resetStrategy },
  { name: 'term_began_at', cell: (row) => row.termBeganAt },
  { name: 'resets_at', cell: (row) => row.resetsAt },
  { name: 'due_at', cell: (row) => row.dueAt },
  { name: 'state_due_at', cell: stateDueAt },
  { name: 'device_limit', cell: (row) => row.deviceLimit },
  { name: 'inbounds', cell: (row) => (row.inbounds === null ? null : JSON.stringify(row.inbounds)) },
  { name: 'online_at', cell: (row) => row.onlineAt },
  { name: 'token', cell: (row) => row.token },
  { name: 'announced', cell: encodeAnnounced },
  { name: 'notice_announced', cell: (row) => row.noticeAnnounced },
  { name: 'created_at', cell: (row) => row.createdAt },
  { name: 'updated_at', cell: (row) => row.updatedAt },
  { name: 'version', cell: (row) => row.version },
  { name: 'telegram_id', cell: (row) => row.telegramId },
  { name: 'cut_change', cell: (row) => row.cut?.change ?? null },
  { name: 'cut_node_id', cell: (row) => row.cut?.nodeId ?? null },
  { name: 'cut_up', cell: (row) => row.cut?.up ?? null },
  { name: 'cut_down', cell: (row) => row.cut?.down ?? null },
  { name: 'concurrent_limit', cell: (row) => row.concurrentLimit },
  { name: 'excess', cell: (row) => row.excess?.addresses ?? null },
  { name: 'excess_at', cell: (row) => row.excess?.at ?? null },
  { name: 'cut_off_until', cell: (row) => row.excess?.cutOffUntil ?? null },
  { name: 'held_at', cell: (row) => row.heldAt },
  { name: 'cut_off_node_id', cell: (row) => row.excess?.cutOffNode ?? null },
];
/** The number of text columns in `WRITTEN`. */
export const TEXT_COLUMNS = 7;

/** Inserts the cells of `WRITTEN`. */
export const INSERT_USER = `INSERT INTO users (${WRITTEN.map(({ name }) => name).join(', ')})
  VALUES (${WRITTEN.map(() => '?').join(', ')})`;

/** The values of `WRITTEN`. */
export function encodeUser(user: UserFields): Cell[] {
  return WRITTEN.map(({ cell }) => cell(user));
}

function encodeAnnounced(row: UserFields): number {
  return (row.expiredAnnounced ? EXPIRED : 0) | (row.trafficLowAnnounced ? TRAFFIC_LOW : 0);
}

/**
 * The earliest time at which the state may change by itself; the table checks it. It is the end of the term, the reset of a limited user,
 * or the end of a grant whose bytes a user needs; resets of other users change no state.
 */
function stateDueAt(row: UserFields): number | null {
  const { state } = row;
  if (state === 'disabled' || state === 'expired') return null;
  let due = row.expiresAt ?? NEVER;
  if (state === 'limited') due = Math.min(due, row.resetsAt ?? NEVER);
  else if (row.trafficLimit !== null && usedBytes(row) >= row.trafficLimit) due = Math.min(due, row.dueAt ?? NEVER);
  return due === NEVER ? null : due;
}
