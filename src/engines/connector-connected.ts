// Which users are connected to an engine, and from which addresses.
import type { ConnectedAddress } from '../core/ports/engines.ts';
import type { Dialect } from './connector-accounts.ts';
import { CALLS_AT_ONCE, type DialectCall, requireBytes, toEngineError } from './connector-channel.ts';
import { decodeAddresses, decodeConnected, decodeNames, encodeTexts, NOTHING } from './connector-messages.ts';
import { readOnlineName, readUserKey } from './connector-names.ts';

export type Connected = Map<number, readonly ConnectedAddress[]>;

/** Merges a user's addresses over several inbounds: an address counts once, with its last connection. */
function addAddresses(users: Connected, userId: number, added: readonly ConnectedAddress[]): void {
  const byAddress = new Map<string, ConnectedAddress>();
  for (const one of [...(users.get(userId) ?? []), ...added]) {
    const known = byAddress.get(one.address);
    if (known === undefined || known.openedAt < one.openedAt) byAddress.set(one.address, one);
  }
  users.set(userId, [...byAddress.values()]);
}

/** By a method that Xray has since 26.4.13; null: the engine lacks it. */
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

/** For older engines: one call for each connected user; null: v2ray, or an Xray without this method. */
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
      // The user has disconnected meanwhile.
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
