// Fills an empty database with plausible plans, nodes, connections, users and a month of their traffic.

import { panelVersion } from '../adapters/installation.ts';
import { NODE_PORT } from '../contract/nodes/nodes.ts';
import type { InboundRow } from '../core/ports/inbounds.ts';
import type { NodeRow } from '../core/ports/nodes.ts';
import type { Store } from '../core/ports/ports.ts';
import type { NewUser } from '../core/ports/users.ts';
import { trafficSlot } from '../core/users/traffic.ts';
import { localDay } from '../domain/calendar.ts';
import { DAY_MS } from '../domain/limits.ts';
import { PROTOCOL, writeVersion } from '../domain/nodes/node-protocol.ts';
import { PLAIN_WEIGHT } from '../domain/nodes/weight.ts';
import { DEFAULT_POOL } from '../domain/nodes/wireguard.ts';
import { computeUserState } from '../domain/users/account.ts';
import { type Notices, nextChangeAt } from '../domain/users/settle.ts';
import { isTrafficLow } from '../domain/users/traffic.ts';
import { bulkLoader } from '../store/bulk-load.ts';
import type { FileStore } from '../store/index.ts';
import { addHistory } from './history.ts';
import { engineAge, PLACES, PLANS, SILENT_MS, UNREACHABLE } from './offer.ts';
import { createDice, createPerson } from './people.ts';
import { createSums, HYSTERIA_NODES, type Sums, WIREGUARD_NODES } from './traffic-totals.ts';
import { DETAILED_DAYS, DETAILED_USERS, type Life, OLDEST_DAYS, simulateLife } from './user-history.ts';

export interface DemoParts {
  readonly users: number;
  readonly now: number;
  readonly timeZone: string;
  readonly notices: Notices;
  randomBytes(length: number): Uint8Array;
}

/** Fills the store. The result depends on `now` and the number of users alone, except for the secrets. */
export function fillDemo(store: FileStore, parts: DemoParts): void {
  store.write(() => {
    addPlans(store, parts.now);
    addNodes(store, parts.now);
  });
  const sums = createSums();
  bulkLoader(store).loadUsers(people(store, parts, sums));
  store.write(() => {
    sums.write(store);
    addHistory(store, sums.moments, parts);
  });
}

function addPlans(store: Store, now: number): void {
  for (const plan of PLANS) {
    store.tariffs.insert({
      ...plan,
      deviceLimit: plan.trafficLimit === null ? null : 5,
      concurrentLimit: plan.trafficLimit === null ? null : 3,
      inbounds: null,
      archived: false,
      createdAt: now - (OLDEST_DAYS + 1) * DAY_MS,
      updatedAt: now - (OLDEST_DAYS + 1) * DAY_MS,
      version: 1,
    });
  }
}

function addNodes(store: Store, now: number): void {
  const createdAt = now - (OLDEST_DAYS + 1) * DAY_MS;
  PLACES.forEach(([name, address], index) => {
    const isUp = index < PLACES.length - 1;
    const node: Omit<NodeRow, 'id'> = {
      name,
      kind: 'remote',
      address,
      enabled: true,
      allowsPrivate: false,
      draining: false,
      weight: index === 1 ? 150 : PLAIN_WEIGHT,
      note: '',
      status: isUp ? 'up' : 'down',
      coreName: 'xray',
      coreVersion: '26.9.11',
      engineStartedAt: now - engineAge(index + 1),
      usersOnline: 0,
      lastSeenAt: isUp ? now : now - SILENT_MS,
      errorCode: isUp ? null : 'engine_unreachable',
      errorText: isUp ? null : UNREACHABLE,
      unserved: [],
      restart: index === 0 ? { at: now - engineAge(1), reason: 'configuration', inboundId: null, userIds: [] } : null,
      agentPort: NODE_PORT,
      agentPin: '0'.repeat(64),
      agentProtocol: writeVersion(PROTOCOL),
      load: 12 + index * 9,
      clockOffset: index * 11 - 9,
      agentVersion: panelVersion(),
      linksEndsAt: null,
      linksLate: null,
      linksFailure: null,
      waitingEntries: null,
      waitingBytes: null,
      waitingSince: null,
      restoredAt: null,
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
  PLACES.slice(0, WIREGUARD_NODES).forEach(([name], index) => {
    const times = { createdAt, updatedAt: createdAt, version: 1 };
    store.inbounds.insert({
      nodeId: index + 1,
      ...NO_INBOUND,
      ...times,
      tag: 'wireguard',
      name: `${name}, router`,
      protocol: 'wireguard',
      network: 'udp',
      security: 'none',
      port: 51_820,
      publicKey: 'u8sF2nVqC4kXyJ7hWm0dTzB1rLgQe5oPaIv3cN9xEjY',
      addressPool: DEFAULT_POOL,
    });
  });
}

const NO_INBOUND = {
  network: 'tcp',
  host: null,
  sni: null,
  path: null,
  serviceName: null,
  proxyHeader: null,
  flow: null,
  fingerprint: null,
  alpn: null,
  publicKey: null,
  shortId: null,
  method: null,
  obfsPassword: null,
  hopPorts: null,
  addressPool: null,
  mtu: null,
  target: null,
  groupId: null,
  minClientVersion: null,
  targetFindings: null,
  certificate: null,
  note: '',
  enabled: true,
} as const satisfies Partial<InboundRow>;

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

function* people(store: Store, parts: DemoParts, sums: Sums): Generator<NewUser> {
  const { users, now, timeZone } = parts;
  const secrets = createSecrets(parts.randomBytes);
  const firstDay = localDay(now - DETAILED_DAYS * DAY_MS, timeZone);
  for (let index = 0; index < users; index += 1) {
    const life = simulateLife(index, parts);
    const user = asUser(index, life, secrets, parts);
    yield user;
    // It has its row by now.
    for (const moved of life.moved) {
      const slot = trafficSlot(moved.at, timeZone);
      sums.addToNode(moved, slot);
      if (slot.day >= firstDay) store.traffic.addToUser(index + 1, moved.nodeId, slot, moved);
    }
    for (const { type, at } of life.moments) sums.countUser(type, localDay(at, timeZone));
    if (index < DETAILED_USERS)
      sums.moments.push(...life.moments.map((moment) => ({ moment, userId: index + 1, user })));
  }
}

function asUser(index: number, life: Life, secrets: (length: number) => Buffer, { now, notices }: DemoParts): NewUser {
  const { plan, createdAt, account, flags, onlineAt } = life;
  const { grants: _none, ...fields } = account;
  const isLimited = account.trafficLimit !== null;
  return {
    ...createPerson(index, createDice(index * 31 + 20_261_120)),
    externalId: `order-${100_000 + index}`,
    telegramId: index % 3 === 0 ? 700_000_000 + index * 7 : null,
    metadata: index % 5 === 0 ? { source: index % 2 === 0 ? 'landing-page' : 'friend' } : NO_METADATA,
    ...fields,
    heldAt: account.heldAt ?? null,
    ...flags,
    trafficLowAnnounced: isTrafficLow(account, now),
    cut: null,
    state: computeUserState(account, now),
    tariffId: plan + 1,
    extra: 0,
    dueAt: nextChangeAt(account, flags, now, notices),
    deviceLimit: isLimited ? 5 : null,
    concurrentLimit: isLimited ? 3 : null,
    excess: null,
    inbounds: null,
    onlineAt,
    token: secrets(16).toString('base64url'),
    credentials: {
      uuid: uuidOf(secrets(16)),
      password: secrets(24).toString('base64url'),
      key: secrets(32).toString('base64'),
      wireguard: secrets(32).toString('base64'),
    },
    createdAt,
    updatedAt: life.actedAt,
    version: life.acts,
  };
}

const NO_METADATA: NewUser['metadata'] = {};
