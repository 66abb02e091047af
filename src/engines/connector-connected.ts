// Who is connected to an engine, and from where.
import type { ConnectedAddress } from '../core/ports/engines.ts';
import type { Dialect } from './connector-accounts.ts';
import { CALLS_AT_ONCE, type DialectCall, requireBytes, toEngineError } from './connector-channel.ts';
import { decodeAddresses, decodeConnected, decodeNames, encodeTexts, NOTHING } from './connector-messages.ts';
import { readOnlineName, readUserKey } from './connector-names.ts';

export type Connected = Map<number, readonly ConnectedAddress[]>;

/** A user on several inbounds is there once for each; an address counts once, by the last connection from it. */
function addAddresses(users: Connected, userId: number, added: readonly ConnectedAddress[]): void {
  const byAddress = new Map<string, ConnectedAddress>();
  for (const one of [...(users.get(userId) ?? []), ...added]) {
    const known = byAddress.get(one.address);
    if (known === undefined || known.openedAt < one.openedAt) byAddress.set(one.address, one);
  }
  users.set(userId, [...byAddress.values()]);
}

/** Xray from 26.4.13 on; null: this one lacks the method. */
export async function fetchConnected(call: DialectCall, dialect: Dialect): Promise<Connected | null> {
  const answer = await call(dialect, 'stats.command.StatsService/GetUsersStats', NOTHING);
  if ('refusal' in answer && answer.refusal.kind === 'unknown_method') return null;
  const users: Connected = new Map();
  decodeConnected(requireBytes(answer), (email, addresses) => {
    const user = readUserKey(email);
    if (user !== null) addAddresses(users, user.userId, addresses);
  });
  return users;
}

/** Older ones: a call for each user who is connected; null: v2ray, and an Xray that is older still. */
export async function fetchConnectedOneByOne(call: DialectCall, dialect: Dialect): Promise<Connected | null> {
  const answer = await call(dialect, 'stats.command.StatsService/GetAllOnlineUsers', NOTHING);
  if ('refusal' in answer && answer.refusal.kind === 'unknown_method') return null;
  const users: Connected = new Map();
  const waiting = decodeNames(requireBytes(answer)).values();
  let isOver = false;
  async function work(): Promise<void> {
    for (const name of waiting) {
      const user = readOnlineName(name);
      if (isOver || user === null) continue;
      const reply = await call(dialect, 'stats.command.StatsService/GetStatsOnlineIpList', encodeTexts({ 1: name }));
      // One who has gone meanwhile is not found.
      if ('bytes' in reply) addAddresses(users, user.userId, decodeAddresses(reply.bytes));
      else if (reply.refusal.kind !== 'no_user') throw toEngineError(reply.refusal);
    }
  }
  try {
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
    return users;
  } finally {
    isOver = true;
  }
}
