// The API of a running engine, in both dialects: which start it is, its counters, and its users.
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

/** An engine as its API shows it. The API does not tell the version. */
export interface IdentifiedEngine {
  readonly name: EngineName;
  /** The start; null: no panel started it. */
  readonly mark: BootMark | null;
  /** Whole seconds since its start. */
  readonly uptime: number;
}

/** The methods of `Engine` that call its API. All reject with EngineError and end in bounded time. */
export interface EngineApi extends Pick<Engine, 'counters' | 'apply' | 'members' | 'connected' | 'close'> {
  /** Bytes of a user on an inbound since the engine started, up and down together. */
  readUsage(inbound: EngineInbound, userId: number): Promise<number>;
  /** Reads again which start this is: another engine may have been started on the port. */
  identify(): Promise<IdentifiedEngine>;
}

/** How long an engine may take to answer, in ms. */
export interface CallLimits {
  readonly callMs: number;
  readonly countersMs: number;
}

const LIMITS: CallLimits = { callMs: 5000, countersMs: 10_000 };

const DIALECTS: readonly Dialect[] = ['xray', 'v2ray.core'];

/** Connects with the first call, and reconnects: the engine need not run yet. */
export function connectEngine(address: EngineAddress, { callMs, countersMs }: CallLimits = LIMITS): EngineApi {
  const channel = openChannel(address);
  let dialect: Dialect | null = null;
  // True until the engine answers that it lacks the method.
  let hasUsersStats = true;
  let hasOnlineUsers = true;

  function call(inDialect: Dialect, path: string, request: Uint8Array, limitMs = callMs): Promise<Answer> {
    return channel.call(`/${inDialect}.app.${path}`, request, limitMs);
  }

  /** Xray also answers to v2ray's service names, but not to its type names, so its own names are tried first. */
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

  /** Never resets counters: if the reply were lost, its bytes would be too. */
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
      // Calls can overtake each other, so of several changes of a user on an inbound only the last is sent.
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
        // A counter exists only after the first byte.
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

/** The start that a counter's name marks, as an array of one; empty: none. */
function readBootCounter(name: string): readonly BootMark[] {
  const [kind, tag = ''] = name.split('>>>');
  const mark = kind === 'outbound' ? readBootTag(tag) : null;
  return mark === null ? [] : [mark];
}

const changeKey = ({ inbound, user }: EngineChange) => `${user.userId} ${inbound.tag}`;
