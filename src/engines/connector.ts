// The API of a running engine, in both dialects: which engine it is, its counters, and who may connect.
import {
  type Engine,
  type EngineChange,
  type EngineCounters,
  EngineError,
  type EngineInbound,
  type EngineName,
} from '../core/ports/engines.ts';
import type { UpDown } from '../core/ports/traffic.ts';
import { addBytes } from '../domain/users/account.ts';
import type { Dialect } from './connector-accounts.ts';
import { applyChange } from './connector-changes.ts';
import {
  type Answer,
  CALLS_AT_ONCE,
  type EngineAddress,
  openChannel,
  requireBytes,
  toEngineError,
} from './connector-channel.ts';
import { fetchConnected, fetchConnectedOneByOne } from './connector-connected.ts';
import { decodeCounters, decodeUptime, decodeUsers, encodeTexts, NOTHING } from './connector-messages.ts';
import { type BootMark, readBootTag, readUserKey, userKey } from './connector-names.ts';

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
  /** What a user has moved over an inbound since the engine started, up and down. */
  readUsage(inbound: EngineInbound, userId: number): Promise<number>;
  /** Asks it once more which engine it is: another may have been started on the port. */
  identify(): Promise<IdentifiedEngine>;
}

/** How long an engine may take to answer. */
export interface CallLimits {
  readonly callMs: number;
  readonly countersMs: number;
}

const LIMITS: CallLimits = { callMs: 5000, countersMs: 10_000 };

const DIALECTS: readonly Dialect[] = ['xray', 'v2ray.core'];

/** Connects when it is first called, and again where that was lost: an engine need not run yet. */
export function connectEngine(address: EngineAddress, { callMs, countersMs }: CallLimits = LIMITS): EngineApi {
  const channel = openChannel(address);
  let dialect: Dialect | null = null;
  // Until it answers that it lacks the methods.
  let hasUsersStats = true;
  let hasOnlineUsers = true;

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
      if (answer.refusal.kind !== 'unknown_method') throw toEngineError(answer.refusal);
    }
    throw new EngineError('engine_refused', 'What answers is neither Xray nor v2ray with its StatsService');
  }

  const getDialect = async (): Promise<Dialect> => dialect ?? (await probe()).dialect;

  /** Never resets: a reply that is lost would take its bytes with it. */
  async function query(pattern: string, onCounter: (name: string, value: number) => void): Promise<void> {
    const request = encodeTexts({ 1: pattern });
    const answer = await call(await getDialect(), 'stats.command.StatsService/QueryStats', request, countersMs);
    await decodeCounters(requireBytes(answer), onCounter);
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
      const inDialect = await getDialect();
      // Calls overtake each other: of several changes of a user on an inbound only the last is made.
      const lastIndexByKey = new Map(changes.map((change, index) => [changeKey(change), index]));
      const outcomes = new Map<string, EngineError | null>();
      const waiting = lastIndexByKey.entries();
      const failures: unknown[] = [];
      async function work(): Promise<void> {
        for (const [key, index] of waiting) {
          const change = changes[index];
          if (failures.length > 0 || change === undefined) return;
          try {
            outcomes.set(key, await applyChange(call, inDialect, change));
          } catch (error) {
            failures.push(error);
          }
        }
      }
      await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
      if (failures.length > 0) throw failures[0];
      return changes.map((change) => outcomes.get(changeKey(change)) ?? null);
    },

    async members(inbound: EngineInbound) {
      const request = encodeTexts({ 1: inbound.tag });
      const answer = await call(await getDialect(), 'proxyman.command.HandlerService/GetInboundUsers', request);
      if ('refusal' in answer && ['unknown_method', 'no_users'].includes(answer.refusal.kind)) return null;
      const ids: number[] = [];
      decodeUsers(requireBytes(answer), (email) => {
        const user = readUserKey(email);
        if (user?.tag === inbound.tag) ids.push(user.userId);
      });
      return ids;
    },

    async readUsage(inbound, userId) {
      let sum = 0;
      for (const direction of ['uplink', 'downlink']) {
        const request = encodeTexts({ 1: `user>>>${userKey(userId, inbound.tag)}>>>traffic>>>${direction}` });
        const answer = await call(await getDialect(), 'stats.command.StatsService/GetStats', request);
        // There is no counter before the first byte.
        if ('refusal' in answer && answer.refusal.kind === 'no_user') continue;
        await decodeCounters(requireBytes(answer), (_name, value) => {
          sum = addBytes(sum, value);
        });
      }
      return sum;
    },

    async connected() {
      if (!hasOnlineUsers) return null;
      const inDialect = await getDialect();
      const users = hasUsersStats ? await fetchConnected(call, inDialect) : null;
      if (users !== null) return users;
      hasUsersStats = false;
      const named = await fetchConnectedOneByOne(call, inDialect);
      hasOnlineUsers = named !== null;
      return named;
    },

    close: channel.close,
  };
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
