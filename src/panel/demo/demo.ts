// Fills an empty database with plausible plans, nodes, connections, users and a month of their traffic.

import { NODE_PORT } from '../../contract/nodes.ts';
import type { InboundRow, NodeRow, TariffRow } from '../../core/ports/plans.ts';
import type { Store } from '../../core/ports/ports.ts';
import type { UpDown } from '../../core/ports/records.ts';
import type { NewUser } from '../../core/ports/users.ts';
import { type Account, stateOf } from '../../domain/account.ts';
import { localDay, nextReset, startOfLocalMonth } from '../../domain/calendar.ts';
import { DAY_MS, HOUR_MS } from '../../domain/limits.ts';
import { freshFlags, type Notices, nextChangeAt } from '../../domain/settle.ts';
import { bulkLoader } from '../../store/bulk-load.ts';
import type { FileStore } from '../../store/index.ts';
import { createDice, createPerson } from './people.ts';
import { addNodeTraffic, addUserTraffic, DETAILED_USERS, dayOfUser, HYSTERIA_NODES } from './traffic.ts';

export interface DemoParts {
  readonly users: number;
  readonly now: number;
  readonly timeZone: string;
  readonly notices: Notices;
  randomBytes(length: number): Uint8Array;
}

const GB = 1_000_000_000;

const PLANS: readonly Pick<TariffRow, 'name' | 'trafficLimit' | 'duration' | 'resetStrategy' | 'price'>[] = [
  { name: 'Trial', trafficLimit: 5 * GB, duration: { days: 3 }, resetStrategy: 'none', price: null },
  {
    name: 'Light',
    trafficLimit: 50 * GB,
    duration: { months: 1 },
    resetStrategy: 'period',
    price: { amount: 299, currency: 'EUR' },
  },
  {
    name: 'Standard',
    trafficLimit: 200 * GB,
    duration: { months: 1 },
    resetStrategy: 'month',
    price: { amount: 499, currency: 'EUR' },
  },
  {
    name: 'Standard, year',
    trafficLimit: 200 * GB,
    duration: { months: 12 },
    resetStrategy: 'month',
    price: { amount: 4900, currency: 'EUR' },
  },
  {
    name: 'Unlimited',
    trafficLimit: null,
    duration: { months: 1 },
    resetStrategy: 'none',
    price: { amount: 999, currency: 'EUR' },
  },
];
/** Where its nodes are. The last one is down. */
export const PLACES = [
  ['Frankfurt', 'de1.example.net'],
  ['Helsinki', 'fi1.example.net'],
  ['Amsterdam', 'nl1.example.net'],
  ['New York', 'us1.example.net'],
] as const;

/** Fills the store. The result depends on `now` and the number of users alone, except for the secrets. */
export function fillDemo(store: FileStore, parts: DemoParts): void {
  store.write(() => {
    addPlans(store, parts.now);
    addNodes(store, parts.now);
  });
  const changes = new Map<string, { created: number; expired: number }>();
  bulkLoader(store).loadUsers(counted(people(parts), changes, parts));
  store.write(() => {
    for (const [day, { created, expired }] of changes) {
      store.userDays.add(day, 'created', created);
      store.userDays.add(day, 'expired', expired);
    }
  });
  store.write(() => addNodeTraffic(store, parts));
  store.write(() => addUserTraffic(store, parts));
}

function addPlans(store: Store, now: number): void {
  for (const plan of PLANS) {
    store.tariffs.insert({
      ...plan,
      deviceLimit: plan.trafficLimit === null ? null : 5,
      concurrentLimit: plan.trafficLimit === null ? null : 3,
      starts: plan.name === 'Trial' ? 'on_first_use' : 'on_creation',
      inbounds: null,
      archived: false,
      createdAt: now - 500 * DAY_MS,
      updatedAt: now - 500 * DAY_MS,
      version: 1,
    });
  }
}

function addNodes(store: Store, now: number): void {
  const createdAt = now - 500 * DAY_MS;
  PLACES.forEach(([name, address], index) => {
    const isUp = index < PLACES.length - 1;
    const node: Omit<NodeRow, 'id'> = {
      name,
      kind: 'remote',
      address,
      enabled: true,
      allowsPrivate: false,
      status: isUp ? 'up' : 'down',
      coreName: 'xray',
      coreVersion: '26.9.11',
      engineStartedAt: now - (index + 2) * 6 * DAY_MS,
      usersOnline: 0,
      lastSeenAt: isUp ? now : now - 2 * HOUR_MS,
      errorCode: isUp ? null : 'engine_unreachable',
      errorText: isUp ? null : 'No answer for two hours',
      restart: index === 0 ? { at: now - 2 * 6 * DAY_MS, reason: 'configuration', userIds: [] } : null,
      agentPort: NODE_PORT,
      agentPin: '0'.repeat(64),
      createdAt,
      updatedAt: createdAt,
    };
    const nodeId = store.nodes.insert(node);
    const base = { nodeId, ...NO_INBOUND, createdAt, updatedAt: createdAt, version: 1 };
    store.inbounds.insert({
      ...base,
      tag: 'vless-reality',
      name: `${name}, fast`,
      protocol: 'vless',
      security: 'reality',
      port: 443,
      sni: 'www.example.org',
      flow: 'xtls-rprx-vision',
      fingerprint: 'chrome',
      publicKey: 'jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI-T4E7RoLJS0',
      shortId: '6ba85179e30d4fc2',
    });
    store.inbounds.insert({
      ...base,
      tag: 'trojan-ws',
      name: `${name}, spare`,
      protocol: 'trojan',
      network: 'ws',
      security: 'tls',
      port: 8443,
      sni: address,
      path: '/ws',
    });
  });
  // Behind the others of all places, by whose ids their traffic is made.
  PLACES.slice(0, HYSTERIA_NODES).forEach(([name, address], index) => {
    const times = { createdAt, updatedAt: createdAt, version: 1 };
    store.inbounds.insert({
      nodeId: index + 1,
      ...NO_INBOUND,
      ...times,
      tag: 'hysteria2',
      name: `${name}, mobile`,
      protocol: 'hysteria2',
      network: 'quic',
      security: 'tls',
      port: 443,
      sni: address,
      obfsPassword: 'demonstration-only',
    });
  });
}

const NO_INBOUND = {
  network: 'tcp',
  host: null,
  sni: null,
  path: null,
  serviceName: null,
  flow: null,
  fingerprint: null,
  alpn: null,
  publicKey: null,
  shortId: null,
  method: null,
  obfsPassword: null,
  target: null,
  minClientVersion: null,
  targetFindings: null,
  certificate: null,
  enabled: true,
} as const satisfies Partial<InboundRow>;

/** Counts on which days they were created, and their terms ended. */
function* counted(
  users: Iterable<NewUser>,
  changes: Map<string, { created: number; expired: number }>,
  { now, timeZone }: DemoParts,
): Generator<NewUser> {
  const at = (ms: number) => {
    const day = localDay(ms, timeZone);
    const found = changes.get(day) ?? { created: 0, expired: 0 };
    changes.set(day, found);
    return found;
  };
  for (const user of users) {
    at(user.createdAt).created += 1;
    if (user.expiresAt !== null && user.expiresAt <= now) at(user.expiresAt).expired += 1;
    yield user;
  }
}

/** Chance for secrets, fetched in pieces that do not cost a system call each. */
function createSecrets(randomBytes: DemoParts['randomBytes']): (length: number) => Buffer {
  let pool = Buffer.alloc(0);
  return (length) => {
    if (pool.length < length) pool = Buffer.from(randomBytes(65_536));
    const taken = pool.subarray(0, length);
    pool = pool.subarray(length);
    return taken;
  };
}

function uuidOf(bytes: Buffer): string {
  const own = Buffer.from(bytes);
  own[6] = ((own[6] ?? 0) & 0x0f) | 0x40;
  own[8] = ((own[8] ?? 0) & 0x3f) | 0x80;
  const hex = own.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function* people(parts: DemoParts): Generator<NewUser> {
  const dice = createDice(20_261_120);
  const secrets = createSecrets(parts.randomBytes);
  const monthStart = startOfLocalMonth(parts.now, parts.timeZone);
  for (let index = 0; index < parts.users; index += 1) {
    yield personAsUser(index, dice, secrets, monthStart, parts);
  }
}

function personAsUser(
  index: number,
  dice: () => number,
  secrets: (length: number) => Buffer,
  monthStart: number,
  { users, now, timeZone, notices }: DemoParts,
): NewUser {
  const plan = Math.min(PLANS.length - 1, Math.floor(dice() ** 1.2 * PLANS.length));
  const { trafficLimit = null, resetStrategy = 'none', name = '' } = PLANS[plan] ?? {};
  // Each is younger than the one before, as ids are handed out.
  const age = Math.ceil((500 - (450 * (index + dice())) / users) * DAY_MS);
  const createdAt = now - age;
  const fate = dice();
  const isHeld = name === 'Trial' && fate > 0.6;
  const left = fate < 0.16 ? -dice() * 60 * DAY_MS : dice() * 45 * DAY_MS;
  const expiresAt = isHeld || (name === 'Unlimited' && dice() < 0.3) ? null : Math.round((now + left) / 1000) * 1000;
  const termBeganAt = isHeld ? null : Math.max(createdAt, now - 20 * DAY_MS);
  const used = isHeld ? NOTHING : usedThisMonth(index, monthStart, now, trafficLimit, dice);
  const months = 1 + Math.floor(age / (30 * DAY_MS));
  const account: Account = {
    enabled: fate < 0.95,
    expiresAt,
    hold: isHeld ? { months: 0, days: 3 } : null,
    trafficLimit,
    usedUp: used.up,
    usedDown: used.down,
    totalUp: used.up * months,
    totalDown: used.down * months,
    resetStrategy,
    termBeganAt,
    resetsAt: nextReset(resetStrategy, now, termBeganAt, timeZone),
    grants: [],
  };
  const { grants: _none, ...fields } = account;
  const flags = {
    ...freshFlags(account, now, notices),
    expiredAnnounced: expiresAt !== null && expiresAt <= now,
  };
  const person = createPerson(index, dice);
  return {
    ...person,
    externalId: `order-${100_000 + index}`,
    telegramId: index % 3 === 0 ? 700_000_000 + index * 7 : null,
    metadata: index % 5 === 0 ? { source: index % 2 === 0 ? 'landing-page' : 'friend' } : NO_METADATA,
    ...fields,
    ...flags,
    trafficLowAnnounced: false,
    cut: null,
    state: stateOf(account, now),
    tariffId: plan + 1,
    extra: 0,
    dueAt: nextChangeAt(account, flags, now, notices),
    deviceLimit: trafficLimit === null ? null : 5,
    concurrentLimit: trafficLimit === null ? null : 3,
    excess: trafficLimit !== null && index % 50 === 0 ? { addresses: 5, at: now, cutOffUntil: null } : null,
    inbounds: null,
    onlineAt: isHeld ? null : Math.floor(now - dice() ** 6 * 10 * DAY_MS),
    token: secrets(16).toString('base64url'),
    credentials: {
      uuid: uuidOf(secrets(16)),
      password: secrets(24).toString('base64url'),
      key: secrets(32).toString('base64'),
    },
    createdAt,
    updatedAt: createdAt,
    version: 1,
  };
}

const NOTHING: UpDown = { up: 0, down: 0 };
const NO_METADATA: NewUser['metadata'] = {};

function usedThisMonth(
  index: number,
  monthStart: number,
  now: number,
  limit: number | null,
  dice: () => number,
): UpDown {
  if (index < DETAILED_USERS) {
    const days = Math.floor((now - monthStart) / DAY_MS) + 1;
    return Array.from({ length: days }, (_, back) => dayOfUser(index, back)).reduce(add, NOTHING);
  }
  const down = Math.floor(dice() ** 2 * (limit ?? 300 * GB) * 1.06);
  return { up: Math.floor(down / 14), down };
}

function add(a: UpDown, b: UpDown): UpDown {
  return { up: a.up + b.up, down: a.down + b.down };
}
