// The simulated engine of a demonstration's node: it moves no bytes, but counts plausible traffic of its users, so that charts, events and
// "online" show life.
import { systemClock } from '../adapters/clock.ts';
import { panelVersion } from '../adapters/installation.ts';
import {
  type ConnectedAddress,
  type Engine,
  EngineError,
  type OpenEngine,
  type RunningEngine,
} from '../core/ports/engines.ts';
import type { Clock } from '../core/ports/ports.ts';
import type { UpDown } from '../core/ports/traffic.ts';
import { engineAge, PLACES, UNREACHABLE } from './offer.ts';
import { createDice, isRegular } from './people.ts';

/** Users who are connected at once, and users who connect or disconnect at each reading; regular ones only. */
const MAX_CONNECTED = 40;
const CONNECTED_SHARE = 0.05;
const CHANGED_SHARE = 0.02;
/** A demonstration with a million users does not hold them all in memory. */
const MAX_USERS = 5000;
const BYTES_PER_SECOND = 400_000;
const LONGEST_MS = 60_000;

/** Engines for the nodes of a demonstration. The last one never answers. */
export function simulateEngines(clock: Clock = systemClock): OpenEngine {
  return ({ id }) => {
    if (id > PLACES.length) return null;
    return id === PLACES.length ? createSilentEngine() : createSimulatedEngine(clock, id);
  };
}

function createSilentEngine(): Engine {
  const unreachable = () => Promise.reject(new EngineError('engine_unreachable', UNREACHABLE));
  return {
    running: unreachable,
    fingerprint: () => 'none',
    check: unreachable,
    start: unreachable,
    stop: unreachable,
    counters: unreachable,
    readLedgerPage: async () => null,
    protocol: () => null,
    machine: () => null,
    apply: unreachable,
    members: unreachable,
    connected: unreachable,
    log: () => [],
    onExit: () => {},
    close: () => {},
  };
}

/** A simulated engine. It runs as long as the panel does. */
function createSimulatedEngine(clock: Clock, seed: number): Engine {
  const dice = createDice(seed);
  /** Inbound ids of each user. */
  const users = new Map<number, Set<number>>();
  const tags = new Map<number, string>();
  const ofUsers = new Map<number, UpDown>();
  const ofInbounds = new Map<string, UpDown>();
  const connected = new Set<number>();
  let engine: RunningEngine | null = null;
  let countedAt = clock.now();
  /** Time that it seems to have run before this panel was opened; zero after a restart. */
  let ranFor = engineAge(seed);

  function pick(): void {
    const all = [...users.keys()];
    const regulars = all.filter(isRegular);
    const ids = regulars.length > 0 ? regulars : all;
    const wanted = Math.min(MAX_CONNECTED, ids.length, Math.ceil(all.length * CONNECTED_SHARE));
    for (const id of connected) if (!users.has(id) || dice() < CHANGED_SHARE) connected.delete(id);
    for (let tries = 0; connected.size < wanted && tries < 2 * wanted; tries += 1) {
      const id = ids[Math.floor(dice() * ids.length)];
      if (id !== undefined) connected.add(id);
    }
  }

  function move(userId: number, seconds: number): void {
    const inboundIds = [...(users.get(userId) ?? [])];
    const tag = tags.get(inboundIds[Math.floor(dice() * inboundIds.length)] ?? 0);
    const down = Math.floor(dice() ** 2 * seconds * BYTES_PER_SECOND);
    const moved = { up: Math.floor(down * (0.04 + dice() * 0.08)), down };
    ofUsers.set(userId, add(ofUsers.get(userId), moved));
    if (tag !== undefined) ofInbounds.set(tag, add(ofInbounds.get(tag), moved));
  }

  return {
    running: async () => engine,
    fingerprint: (config) => JSON.stringify(config.inbounds.map(({ id, updatedAt }) => [id, updatedAt])),
    check: async () => {},
    async start(config, given, boot) {
      users.clear();
      for (const { id, tag } of config.inbounds) tags.set(id, tag);
      for (const { userId, inbounds } of given) {
        if (users.size >= MAX_USERS) break;
        users.set(userId, new Set(inbounds));
      }
      countedAt = clock.now();
      engine = {
        name: 'xray',
        version: '26.9.11',
        boot,
        fingerprint: this.fingerprint(config),
        startedAt: countedAt - ranFor,
      };
      ranFor = 0;
      return engine;
    },
    async stop() {
      engine = null;
      ofUsers.clear();
      ofInbounds.clear();
    },
    async counters() {
      const now = clock.now();
      const seconds = Math.min(LONGEST_MS, Math.max(0, now - countedAt)) / 1000;
      countedAt = now;
      pick();
      for (const id of connected) move(id, seconds);
      return { boot: engine?.boot ?? null, users: new Map(ofUsers), inbounds: new Map(ofInbounds) };
    },
    readLedgerPage: async () => null,
    protocol: () => null,
    machine: () => ({
      load: 10 + Math.round(connected.size / 4 + seed * 7),
      clockOffset: seed * 11 - 20,
      version: panelVersion(),
      certificate: null,
      waiting: null,
    }),
    async apply(changes) {
      return changes.map(({ inbound, user, isAllowed }) => {
        const inbounds = users.get(user.userId) ?? new Set();
        if (isAllowed) inbounds.add(inbound.id);
        else inbounds.delete(inbound.id);
        if (inbounds.size === 0) users.delete(user.userId);
        else if (users.size < MAX_USERS || users.has(user.userId)) users.set(user.userId, inbounds);
        return null;
      });
    },
    members: async () => null,
    connected: async () => new Map([...connected].map((id) => [id, simulateAddresses(id, seed, clock.now())])),
    log: () => ['[Info] simulated engine of a demonstration: no byte is moved'],
    onExit: () => {},
    close: () => {},
  };
}

/** Addresses from a network that is reserved for documentation; now and then a second one. */
function simulateAddresses(userId: number, seed: number, now: number): readonly ConnectedAddress[] {
  const openedAt = Math.floor(now / 1000);
  const own = { address: `203.0.113.${1 + (userId % 250)}`, openedAt };
  const isTwo = (userId + seed) % 4 === 0;
  return isTwo ? [own, { address: `198.51.100.${1 + (userId % 250)}`, openedAt }] : [own];
}

function add(sum: UpDown | undefined, { up, down }: UpDown): UpDown {
  return { up: (sum?.up ?? 0) + up, down: (sum?.down ?? 0) + down };
}
