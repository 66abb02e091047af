// The API of a running engine, in both dialects: which engine it is, its counters, and who may connect.
import {
  type ConnectedAddress,
  type Engine,
  type EngineChange,
  type EngineCounters,
  EngineError,
  type EngineInbound,
  type EngineName,
} from '../core/ports/engines.ts';
import type { UpDown } from '../core/ports/records.ts';
import { addBytes } from '../domain/users/account.ts';
import { accountOf, type Dialect } from './connector-accounts.ts';
import { type Answer, type EngineAddress, openChannel, type Refusal } from './connector-channel.ts';
import {
  decodeAddresses,
  decodeConnected,
  decodeCounters,
  decodeNames,
  decodePeerKey,
  decodeUptime,
  decodeUsers,
  encodeAddUser,
  encodeAlterInbound,
  encodeTexts,
} from './connector-messages.ts';
import { type BootMark, readBootTag, readOnlineName, readUserKey, userKey } from './connector-names.ts';
import { wireguardPeer } from './wireguard-key.ts';

/** An engine as its API shows it. No engine tells its version there. */
export interface IdentifiedEngine {
  readonly name: EngineName;
  /** Which start this is; null: not started by a panel. */
  readonly mark: BootMark | null;
  /** Whole seconds since its start. */
  readonly uptime: number;
}

/** The half of `Engine` that is calls to its API. All methods reject with EngineError; every call ends in bounded time. */
export interface EngineApi extends Pick<Engine, 'counters' | 'apply' | 'members' | 'connected' | 'close'> {
  /** Asks it once more which engine it is: another may have been started on the port. */
  identify(): Promise<IdentifiedEngine>;
}

/** How long an engine may take to answer. */
export interface CallLimits {
  readonly callMs: number;
  readonly countersMs: number;
}

const LIMITS: CallLimits = { callMs: 5000, countersMs: 10_000 };
/** Calls that an engine has at once. */
const AT_ONCE = 32;

/** How often a user of Shadowsocks may be there. */
const NAMESAKES = 16;
const NOTHING = new Uint8Array(0);

const DIALECTS: readonly Dialect[] = ['xray', 'v2ray.core'];

/** Connects when it is first called, and again where that was lost: an engine need not run yet. */
export function connectEngine(address: EngineAddress, { callMs, countersMs }: CallLimits = LIMITS): EngineApi {
  const channel = openChannel(address);
  let dialect: Dialect | null = null;
  // Until it answers that it lacks the methods.
  let tellsAtOnce = true;
  let tellsAddresses = true;

  function call(inDialect: Dialect, path: string, request: Uint8Array, limitMs = callMs): Promise<Answer> {
    return channel.call(`/${inDialect}.app.${path}`, request, limitMs);
  }

  /** Xray answers to v2ray's names of services too, but its types have names of their own: it is asked by these first. */
  async function probe(): Promise<{ dialect: Dialect; uptime: number }> {
    for (const candidate of DIALECTS) {
      const answer = await call(candidate, 'stats.command.StatsService/GetSysStats', NOTHING);
      if ('bytes' in answer) {
        dialect = candidate;
        return { dialect: candidate, uptime: decodeUptime(answer.bytes) };
      }
      if (answer.refusal.kind !== 'unknown_method') throw refused(answer.refusal);
    }
    throw new EngineError('engine_refused', 'What answers is neither Xray nor v2ray with its StatsService');
  }

  const speak = async (): Promise<Dialect> => dialect ?? (await probe()).dialect;

  /** Xray from 26.4.13 on; null: this one lacks the method. */
  async function askAtOnce(): Promise<Connected | null> {
    const answer = await call(await speak(), 'stats.command.StatsService/GetUsersStats', NOTHING);
    if ('refusal' in answer && answer.refusal.kind === 'unknown_method') return null;
    const users: Connected = new Map();
    decodeConnected(bytesOf(answer), (email, addresses) => {
      const user = readUserKey(email);
      if (user !== null) addAddresses(users, user.userId, addresses);
    });
    return users;
  }

  /** Older ones: a call for each user who is connected; null: v2ray, and an Xray that is older still. */
  async function askOneByOne(): Promise<Connected | null> {
    const inDialect = await speak();
    const answer = await call(inDialect, 'stats.command.StatsService/GetAllOnlineUsers', NOTHING);
    if ('refusal' in answer && answer.refusal.kind === 'unknown_method') return null;
    const users: Connected = new Map();
    const waiting = decodeNames(bytesOf(answer)).values();
    let isOver = false;
    async function work(): Promise<void> {
      for (const name of waiting) {
        const user = readOnlineName(name);
        if (isOver || user === null) continue;
        const told = await call(inDialect, 'stats.command.StatsService/GetStatsOnlineIpList', encodeTexts({ 1: name }));
        // One who has gone meanwhile is not found.
        if ('bytes' in told) addAddresses(users, user.userId, decodeAddresses(told.bytes));
        else if (told.refusal.kind !== 'no_user') throw refused(told.refusal);
      }
    }
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      return users;
    } finally {
      isOver = true;
    }
  }

  /** Never resets: a reply that is lost would take its bytes with it. */
  async function query(pattern: string, onCounter: (name: string, value: number) => void): Promise<void> {
    const request = encodeTexts({ 1: pattern });
    const answer = await call(await speak(), 'stats.command.StatsService/QueryStats', request, countersMs);
    await decodeCounters(bytesOf(answer), onCounter);
  }

  /** Makes one user as wanted. What the engine has is not asked for: it may be what an earlier change left. */
  async function applyChange(
    inDialect: Dialect,
    { inbound, user, isAllowed }: EngineChange,
  ): Promise<EngineError | null> {
    const email = userKey(user.userId, inbound.tag);
    const alter = async (kind: 'AddUser' | 'RemoveUser', bytes: Uint8Array): Promise<Refusal | null> => {
      const operation = { type: `${inDialect}.app.proxyman.command.${kind}Operation`, bytes };
      const request = encodeAlterInbound(inbound.tag, operation);
      const answer = await call(inDialect, 'proxyman.command.HandlerService/AlterInbound', request);
      return 'refusal' in answer ? answer.refusal : null;
    };
    const remove = () => alter('RemoveUser', encodeTexts({ 1: email }));

    /** Shadowsocks takes a name twice and removes one at a time: until there is none. */
    async function removeAll(): Promise<Refusal | null> {
      for (let count = 0; count < NAMESAKES; count += 1) {
        const refusal = await remove();
        if (refusal !== null || inbound.protocol !== 'shadowsocks') return refusal;
      }
      return null;
    }

    async function hasOtherKey(): Promise<boolean> {
      const request = encodeTexts({ 1: inbound.tag, 2: email });
      const answer = await call(inDialect, 'proxyman.command.HandlerService/GetInboundUsers', request);
      if ('refusal' in answer) return false;
      const present = decodePeerKey(answer.bytes);
      return present !== null && present !== wireguardPeer(inbound, user).publicKey;
    }

    async function add(): Promise<Refusal | null> {
      const request = encodeAddUser(email, accountOf(inDialect, inbound, user));
      if (inbound.protocol === 'shadowsocks') await removeAll();
      // Newer ones let a user in by each password that they were given, and remove one of them.
      if (inbound.protocol === 'hysteria2') await remove();
      // A peer is known by its key alone: with another key the one before would stay.
      if (inbound.protocol === 'wireguard' && (await hasOtherKey())) await remove();
      const refusal = await alter('AddUser', request);
      if (refusal?.kind !== 'user_exists') return refusal;
      await remove();
      return alter('AddUser', request);
    }

    try {
      const refusal = isAllowed ? await add() : await removeAll();
      const isDone = refusal === null || (!isAllowed && (refusal.kind === 'no_user' || refusal.kind === 'no_inbound'));
      return isDone ? null : refused(refusal);
    } catch (error) {
      if (error instanceof EngineError && error.code === 'engine_refused') return error;
      throw error;
    }
  }

  return {
    async identify() {
      const { dialect: found, uptime } = await probe();
      const marks: BootMark[] = [];
      await query('>>>boot-', (name) => marks.push(...readBootCounter(name)));
      return { name: found === 'xray' ? 'xray' : 'v2ray', mark: marks[0] ?? null, uptime };
    },

    async counters(): Promise<EngineCounters> {
      const marks: BootMark[] = [];
      const users = new Map<number, Counted>();
      const inbounds = new Map<string, Counted>();
      await query('user>>>', (name, value) => {
        const [kind, key = '', , direction] = name.split('>>>');
        const user = kind === 'user' ? readUserKey(key) : null;
        if (user === null) return void marks.push(...readBootCounter(name));
        count(users, user.userId, direction, value);
        count(inbounds, user.tag, direction, value);
      });
      return { boot: marks[0]?.boot ?? null, users, inbounds };
    },

    async apply(changes) {
      const inDialect = await speak();
      // Calls overtake each other: of several changes of a user on a connection only the last is made.
      const lastOf = new Map(changes.map((change, index) => [changeKey(change), index]));
      const outcomes = new Map<string, EngineError | null>();
      const waiting = lastOf.entries();
      const failures: unknown[] = [];
      async function work(): Promise<void> {
        for (const [key, index] of waiting) {
          const change = changes[index];
          if (failures.length > 0 || change === undefined) return;
          try {
            outcomes.set(key, await applyChange(inDialect, change));
          } catch (error) {
            failures.push(error);
          }
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      if (failures.length > 0) throw failures[0];
      return changes.map((change) => outcomes.get(changeKey(change)) ?? null);
    },

    async members(inbound: EngineInbound) {
      const request = encodeTexts({ 1: inbound.tag });
      const answer = await call(await speak(), 'proxyman.command.HandlerService/GetInboundUsers', request);
      if ('refusal' in answer && ['unknown_method', 'no_users'].includes(answer.refusal.kind)) return null;
      const ids: number[] = [];
      decodeUsers(bytesOf(answer), (email) => {
        const user = readUserKey(email);
        if (user?.tag === inbound.tag) ids.push(user.userId);
      });
      return ids;
    },

    async connected() {
      if (!tellsAddresses) return null;
      const users = tellsAtOnce ? await askAtOnce() : null;
      if (users !== null) return users;
      tellsAtOnce = false;
      const named = await askOneByOne();
      tellsAddresses = named !== null;
      return named;
    },

    close: channel.close,
  };
}

type Connected = Map<number, readonly ConnectedAddress[]>;

/** A user on several connections is there once for each; an address counts once, by the last connection from it. */
function addAddresses(users: Connected, userId: number, added: readonly ConnectedAddress[]): void {
  const byAddress = new Map<string, ConnectedAddress>();
  for (const one of [...(users.get(userId) ?? []), ...added]) {
    const known = byAddress.get(one.address);
    if (known === undefined || known.openedAt < one.openedAt) byAddress.set(one.address, one);
  }
  users.set(userId, [...byAddress.values()]);
}

type Counted = { -readonly [Direction in keyof UpDown]: UpDown[Direction] };

function count<Key>(totals: Map<Key, Counted>, key: Key, direction: string | undefined, value: number): void {
  const total = totals.get(key) ?? { up: 0, down: 0 };
  if (direction === 'uplink') total.up = addBytes(total.up, value);
  else if (direction === 'downlink') total.down = addBytes(total.down, value);
  totals.set(key, total);
}

/** The start that a counter marks, or none. */
function readBootCounter(name: string): readonly BootMark[] {
  const [kind, tag = ''] = name.split('>>>');
  const mark = kind === 'outbound' ? readBootTag(tag) : null;
  return mark === null ? [] : [mark];
}

const changeKey = ({ inbound, user }: EngineChange) => `${user.userId} ${inbound.tag}`;

function bytesOf(answer: Answer): Buffer {
  if ('refusal' in answer) throw refused(answer.refusal);
  return answer.bytes;
}

function refused(refusal: Refusal): EngineError {
  switch (refusal.kind) {
    case 'unknown_method':
      return new EngineError('engine_refused', 'The API of the engine lacks a service (StatsService, HandlerService)');
    case 'user_exists':
      return new EngineError('engine_refused', 'Another user has this name: someone else changes users of this engine');
    case 'no_user':
      return new EngineError('engine_refused', 'The engine has no such user');
    default:
      return new EngineError('engine_refused', refusal.words);
  }
}
