// Grants, tariffs, nodes, connections, events and audit: rows are read back as written, in the order and under the conditions of the core's
// ports.
import { describe, expect, it } from 'vitest';
import { sampleEventRow } from '../../tests/support/sample-events.ts';
import { FULL_HOST, sampleHost } from '../../tests/support/subscription-samples.ts';
import { sampleTariff, sampleUser, tempStore } from '../../tests/support/temp-store.ts';
import type { AuditRow } from '../core/ports/audit.ts';
import type { InboundRow } from '../core/ports/inbounds.ts';
import type { NodeRow } from '../core/ports/nodes.ts';
import type { GrantRow } from '../core/ports/users.ts';
import { openStore } from './index.ts';

const MAX = Number.MAX_SAFE_INTEGER;

const ENGINE = { name: 'xray', version: '26.9' };
const NODE: Omit<NodeRow, 'id'> = {
  name: 'Frankfurt',
  kind: 'remote',
  address: 'de1.example.com',
  enabled: true,
  allowsPrivate: true,
  draining: true,
  weight: 150,
  note: 'Rented until May',
  status: 'down',
  coreName: 'xray',
  coreVersion: '26.9',
  engineStartedAt: 1,
  usersOnline: 2,
  lastSeenAt: 3,
  errorCode: 'engine_unreachable',
  errorText: 'connection refused',
  unserved: [{ inboundId: 3, code: 'port_taken', message: 'a: port 443 is taken' }],
  restart: { at: 4, reason: 'cut_off', inboundId: 3, userIds: [1, 7] },
  agentPort: 8450,
  agentPin: 'a'.repeat(64),
  agentProtocol: '1.0',
  load: 12,
  clockOffset: -7,
  agentVersion: '0.1.0',
  linksEndsAt: 8,
  linksLate: true,
  linksFailure: 'refused',
  waitingEntries: 11,
  waitingBytes: 12,
  waitingSince: 13,
  restoredAt: 6,
  createdAt: 4,
  updatedAt: 5,
};
const INBOUND: Omit<InboundRow, 'id' | 'nodeId'> = {
  groupId: null,
  tag: 'a',
  name: 'Germany',
  protocol: 'vless',
  network: 'grpc',
  security: 'reality',
  host: 'h',
  port: 443,
  sni: 's',
  path: '/p',
  serviceName: 'n',
  proxyHeader: 'X-P',
  flow: 'f',
  fingerprint: 'chrome',
  alpn: ['h2', 'http/1.1'],
  publicKey: 'k',
  xhttpMode: 'auto',
  xhttpExtra: { xPaddingBytes: '100-1000' },
  encryption: 'mlkem768x25519plus.native.0rtt.k',
  mldsa65Verify: 'v'.repeat(2603),
  shortId: '',
  moreShortIds: ['', '0123'],
  moreServerNames: ['example.org'],
  method: 'm',
  obfsPassword: 'obfuscated',
  hopPorts: '20000-30000',
  masquerade: 'https://www.example.org',
  fragment: 'tlshello,100-200,10-20',
  noise: '3,50-100,10-20',
  mux: 8,
  sharesPortOf: null,
  fallback: '127.0.0.1:8080',
  fallbackProxyProtocol: 1,
  addressPool: '10.64.0.0/10',
  mtu: 1280,
  target: 'www.example.org:443',
  minClientVersion: '1.8.0',
  hosts: [FULL_HOST],
  hostOrder: 'weighted',
  targetFindings: ['target_no_h2'],
  certificate: { chain: 'PEM', isOwn: true, isSelfSigned: false, sha256: 'a', endsAt: 5 },
  note: 'Moves to port 8443',
  enabled: false,
  createdAt: 1,
  updatedAt: 2,
  version: 3,
};

describe('grants', () => {
  it('come back, newest first, the live ones by id', () => {
    using temp = tempStore();
    const { grants, users } = temp.store;
    const [userId, other] = [users.insert(sampleUser()), users.insert(sampleUser())];
    const insertGrant = (fields: Partial<GrantRow>) =>
      grants.insert({
        userId,
        bytes: 10,
        bytesLeft: 10,
        lifetime: 'used',
        days: null,
        endsAt: null,
        note: 'n',
        createdAt: 1,
        ...fields,
      });
    const a = insertGrant({ bytes: MAX, bytesLeft: MAX });
    const b = insertGrant({ lifetime: 'days', days: 3650, endsAt: 99 });
    const c = insertGrant({ bytesLeft: 0 });
    const d = insertGrant({ userId: other });
    const all = { userId, state: undefined, now: 0, isPeriodOver: false };
    expect(grants.page(all, 2, 0).map(({ id }) => id)).toEqual([c, b]);
    expect(grants.page(all, 2, 2).map(({ id }) => id)).toEqual([a]);
    expect([grants.count(all), grants.live(userId).map(({ id }) => id)]).toEqual([3, [a, b]]);
    expect([grants.get(other, a), grants.get(other, d)?.userId]).toEqual([undefined, other]);
    grants.save(a, { bytesLeft: 5, bytesLost: 0, endsAt: 7 });
    expect(grants.get(userId, a)).toMatchObject({ bytes: MAX, bytesLeft: 5, endsAt: 7, note: 'n', days: null });
    grants.remove(b);
    expect(grants.live(userId).map(({ id }) => id)).toEqual([a]);
    for (const bad of [{ bytesLeft: 11 }, { bytes: 0 }, { days: 1 }, { lifetime: 'days' }] as const) {
      expect(() => insertGrant(bad)).toThrow(/CHECK/);
    }
  });
});

describe('tariffs', () => {
  it('come back as saved', () => {
    using temp = tempStore();
    const { tariffs, nodes, inbounds } = temp.store;
    const nodeId = nodes.insert(NODE);
    const [x, y] = ['x', 'y'].map((tag, index) => inbounds.insert({ ...INBOUND, nodeId, tag, port: 1000 + index })) as [
      number,
      number,
    ];
    const first = sampleTariff({ inbounds: [x] });
    const second = sampleTariff({
      duration: null,
      trafficLimit: null,
      deviceLimit: null,
      inbounds: [],
      price: null,
      archived: true,
      starts: 'on_first_use',
    });
    const ids = [first, second].map((tariff) => tariffs.insert(tariff));
    const [a = 0, b = 0] = ids;
    expect([tariffs.get(a), tariffs.get(b)]).toEqual([
      { ...first, id: a },
      { ...second, id: b },
    ]);
    expect([tariffs.usesOfInbound(x).total, tariffs.usesOfInbound(y).total]).toEqual([1, 0]);
    const changed = { ...first, id: a, name: 'Other', duration: { days: 7 }, inbounds: [y], version: 2 };
    tariffs.save(changed);
    expect(tariffs.get(a)).toEqual(changed);
    expect([tariffs.usesOfInbound(x).total, tariffs.usesOfInbound(y).total]).toEqual([0, 1]);
    expect([true, false, undefined].map((archived) => tariffs.count({ archived }))).toEqual([1, 1, 2]);
    expect(tariffs.page({ archived: true }, 5, 0).map(({ id }) => id)).toEqual([b]);
    expect(tariffs.page({}, 1, 1).map(({ id }) => id)).toEqual([b]);
    tariffs.remove(a);
    expect([tariffs.get(a), tariffs.usesOfInbound(y).total]).toEqual([undefined, 0]);
  });

  it('stay while a user has them', () => {
    using temp = tempStore();
    const { tariffs, users } = temp.store;
    const tariffId = tariffs.insert(sampleTariff());
    users.insert(sampleUser({ tariffId }));
    expect(() => tariffs.remove(tariffId)).toThrow(/FOREIGN KEY/);
  });
});

describe('nodes and inbounds', () => {
  it('come back as saved', () => {
    using temp = tempStore();
    const { nodes, inbounds } = temp.store;
    const [a, b] = [nodes.insert(NODE), nodes.insert({ ...NODE, name: 'Riga', enabled: false })];
    expect(nodes.page(5, 0).map(({ name, enabled }) => [name, enabled])).toEqual([
      ['Frankfurt', true],
      ['Riga', false],
    ]);
    const bare = {
      ...NODE,
      id: a,
      coreName: null,
      lastSeenAt: null,
      errorText: null,
      engineStartedAt: null,
      unserved: [],
      restart: null,
      agentPort: null,
      agentPin: null,
      agentProtocol: null,
      restoredAt: null,
    };
    nodes.save(bare);
    expect([nodes.get(a), nodes.count(), nodes.page(1, 1)[0]?.id]).toEqual([bare, 2, b]);

    const id = inbounds.insert({ ...INBOUND, nodeId: a });
    expect(inbounds.get(id)).toEqual({ ...INBOUND, nodeId: a, id });
    const changed = { ...INBOUND, id, nodeId: a, alpn: null, host: null, enabled: true, version: 4 };
    inbounds.save(changed);
    expect([inbounds.get(id), inbounds.byTag(a, 'a'), inbounds.byTag(b, 'a')]).toEqual([changed, changed, undefined]);
    expect(() => inbounds.insert({ ...INBOUND, nodeId: a, port: 2 })).toThrow(/UNIQUE/);
    expect(() => inbounds.insert({ ...INBOUND, nodeId: a, tag: 'another' })).toThrow(/UNIQUE/);
    const other = inbounds.insert({ ...INBOUND, nodeId: b });
    expect([inbounds.count({}), inbounds.count({ nodeId: b })]).toEqual([2, 1]);
    expect(inbounds.page({ nodeId: b }, 5, 0).map((row) => row.id)).toEqual([other]);
    expect(inbounds.missing([id, 99, other, 98])).toEqual([99, 98]);
    expect(() => nodes.remove(a)).toThrow(/FOREIGN KEY/);
    inbounds.remove(id);
    nodes.remove(a);
    expect([nodes.get(a), inbounds.get(id)]).toEqual([undefined, undefined]);
  });
});

describe('offered inbounds', () => {
  const OFFERED = { ...INBOUND, enabled: true };
  const OTHERS: Omit<InboundRow, 'id' | 'nodeId'> = {
    groupId: null,
    tag: 'other',
    name: 'Other',
    protocol: 'trojan',
    network: 'grpc',
    security: 'tls',
    host: 'other.example',
    port: 12_345,
    sni: 'sni.example',
    path: '/other',
    serviceName: 'other',
    proxyHeader: 'CF-Connecting-IP',
    flow: 'xtls-rprx-vision',
    fingerprint: 'firefox',
    alpn: ['h2'],
    publicKey: 'jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI-T4E7RoLJS0',
    xhttpMode: 'packet-up',
    xhttpExtra: { noGRPCHeader: true },
    encryption: 'mlkem768x25519plus.random.1rtt.k',
    mldsa65Verify: 'w'.repeat(2603),
    shortId: '6ba8',
    moreShortIds: ['ab'],
    moreServerNames: [],
    method: 'aes-256-gcm',
    obfsPassword: 'another',
    hopPorts: '443,20000-20100',
    masquerade: 'http://127.0.0.1:8080/site',
    fragment: '1-3,50,0',
    noise: '1,10,0',
    mux: 16,
    sharesPortOf: null,
    fallback: '[2001:db8::1]:80',
    fallbackProxyProtocol: 2,
    addressPool: '10.64.0.0/10',
    mtu: 1280,
    target: 'target.example:443',
    minClientVersion: '26.1.1',
    hosts: [sampleHost()],
    hostOrder: 'listed',
    targetFindings: [],
    certificate: null,
    note: '',
    enabled: true,
    createdAt: 1,
    updatedAt: 2,
    version: 9,
  };

  it('are the same until one of them is written, and then as written', () => {
    using temp = tempStore();
    const { nodes, inbounds } = temp.store;
    const nodeId = nodes.insert(NODE);
    expect(inbounds.listOffered()).toEqual([]);
    let row: InboundRow = { ...OFFERED, nodeId, id: inbounds.insert({ ...OFFERED, nodeId }) };
    for (const [field, value] of Object.entries(OTHERS)) {
      row = { ...row, [field]: value, version: row.version + 1 };
      inbounds.save(row);
      const [offered] = inbounds.listOffered();
      expect(offered, field).toEqual({
        inbound: row,
        address: row.host ?? NODE.address,
        isDraining: true,
        engine: ENGINE,
      });
      expect(inbounds.listOffered()[0], field).toBe(offered);
    }
    inbounds.save({ ...row, host: null, enabled: false, version: row.version + 1 });
    expect(inbounds.listOffered()).toEqual([]);
    inbounds.remove(row.id);
    expect(inbounds.listOffered()).toEqual([]);
  });

  it('follow their node, however it is written, and keep their rows', () => {
    using temp = tempStore();
    const { nodes, inbounds } = temp.store;
    const nodeId = nodes.insert(NODE);
    const id = inbounds.insert({ ...OFFERED, nodeId, host: null });
    const [first] = inbounds.listOffered();
    nodes.save({ ...NODE, id: nodeId, address: 'moved.example' });
    const inbound = { ...OFFERED, nodeId, id, host: null };
    expect(inbounds.listOffered()).toEqual([{ inbound, address: 'moved.example', isDraining: true, engine: ENGINE }]);
    expect(inbounds.listOffered()[0]?.inbound).toBe(first?.inbound);
    const other = openStore(temp.file);
    other.nodes.save({ ...NODE, id: nodeId, enabled: false });
    expect(inbounds.listOffered()).toEqual([]);
    other.nodes.save({ ...NODE, id: nodeId });
    expect(inbounds.listOffered()).toHaveLength(1);
    other.close();
  });

  it('of a write that is undone are not remembered', () => {
    using temp = tempStore();
    const { store } = temp;
    const nodeId = store.nodes.insert(NODE);
    const inbound = { ...OFFERED, nodeId, host: null, id: store.inbounds.insert({ ...OFFERED, nodeId, host: null }) };
    const undone = () =>
      store.write(() => {
        store.nodes.save({ ...NODE, id: nodeId, address: 'undone.example' });
        expect(store.inbounds.listOffered()).toEqual([
          { inbound, address: 'undone.example', isDraining: true, engine: ENGINE },
        ]);
        throw new Error('undone');
      });
    expect(undone).toThrow('undone');
    expect(store.inbounds.listOffered()).toEqual([
      { inbound, address: NODE.address, isDraining: true, engine: ENGINE },
    ]);
  });
});

describe('events', () => {
  it('are a feed in the order of writing', () => {
    using temp = tempStore();
    const { events } = temp.store;
    expect([events.latestId(), events.prunedUpTo()]).toEqual([0, 0]);
    const byKey = { actorKind: 'key', keyId: 3, requestId: 'r', changed: '["name"]', data: '{"user_id":1}' } as const;
    const a = events.append(sampleEventRow('user.created', 5), 5);
    const b = events.append(sampleEventRow('user.expired', 1), 6);
    const c = events.append(sampleEventRow('user.created', 7, byKey), 7);
    expect(events.after(0, 2, null).map(({ id }) => id)).toEqual([a, b]);
    expect(events.after(a, 9, ['user.created'])).toEqual([{ id: c, ...sampleEventRow('user.created', 7, byKey) }]);
    expect(events.latestId()).toBe(c);
  });

  it('appended together are in the feed as if one by one', () => {
    using temp = tempStore();
    const { events } = temp.store;
    const before = events.append(sampleEventRow('user.created', 1), 1);
    const rows = Array.from({ length: 45 }, (_, at) => sampleEventRow('user.reset', at, { data: `{"user_id":${at}}` }));
    events.appendAll(rows, 9);
    expect(events.after(before, 99, null)).toEqual(rows.map((row, index) => ({ ...row, id: before + 1 + index })));
    events.prune(9);
    expect(events.prunedUpTo()).toBe(before);
  });

  it.each([
    ['a key without its id', { actorKind: 'key', requestId: 'r' }],
    ['an administrator with a key', { actorKind: 'administrator', keyId: 1, requestId: 'r' }],
    ['the system with a request', { requestId: 'r' }],
    ['a key without its request', { actorKind: 'key', keyId: 1 }],
    ['changed fields that are no list', { changed: '{}' }],
  ] as const)('are refused with %s', (_name, fields) => {
    using temp = tempStore();
    expect(() => temp.store.events.append(sampleEventRow('user.created', 1, fields), 1)).toThrow(/CHECK/);
  });

  it('are pruned by when they were written, from the beginning', () => {
    using temp = tempStore();
    const { events } = temp.store;
    const ids = [10, 20, 30].map((writtenAt) => events.append(sampleEventRow('user.expired', 1), writtenAt));
    events.prune(5);
    expect(events.prunedUpTo()).toBe(0);
    events.prune(20);
    expect([events.prunedUpTo(), events.after(0, 9, null).map(({ id }) => id)]).toEqual([ids[0], ids.slice(1)]);
    events.prune(100);
    expect([events.prunedUpTo(), events.latestId()]).toEqual([ids[2], ids[2]]);
    expect(events.append(sampleEventRow('user.reset', 1), 40)).toBeGreaterThan(ids[2] ?? 0);
    events.prune(30);
    expect(events.prunedUpTo()).toBe(ids[2]);
  });
});

describe('audit', () => {
  it('gives the newest first under any conditions', () => {
    using temp = tempStore();
    const { audit } = temp.store;
    const entry: Omit<AuditRow, 'id'> = {
      at: 1,
      actorKind: 'key',
      actorId: 1,
      actorName: 'bot',
      action: 'extendUser',
      outcome: 'done',
      target: 'user:7',
      detail: '{"months":1}',
      address: '::1',
      requestId: 'r',
    };
    const ids = [
      entry,
      { ...entry, at: 2, actorId: 2 },
      { ...entry, at: 3, actorKind: 'cli' as const, actorId: null, target: null, address: null },
      { ...entry, at: 4, action: 'createUser', outcome: 'refused' as const },
    ].map((row) => audit.append(row));
    const found = (query: object) => audit.page({ limit: 9, ...query }).map(({ id }) => ids.indexOf(id));
    expect(audit.page({ limit: 1, before: ids[1] })).toEqual([{ ...entry, id: ids[0] }]);
    expect(found({})).toEqual([3, 2, 1, 0]);
    expect(found({ limit: 2 })).toEqual([3, 2]);
    expect(found({ action: 'createUser' })).toEqual([3]);
    expect(found({ target: 'user:7', before: ids[3] })).toEqual([1, 0]);
    expect(found({ actorKind: 'cli' })).toEqual([2]);
    expect(found({ keyId: 1 })).toEqual([3, 0]);
    expect(found({ since: 2, until: 3 })).toEqual([1]);
    const [first = 0] = ids;
    const present = temp.store.users.insert(sampleUser({ name: 'Present' }));
    audit.appendUsers(first, [{ id: present, name: null }]);
    audit.appendUsers(first, []);
    audit.appendUsers(first, [{ id: 900, name: 'Deleted' }]);
    expect(audit.users(first, 0, 9)).toEqual([
      { id: present, name: 'Present', isPresent: true },
      { id: 900, name: 'Deleted', isPresent: false },
    ]);
    expect(audit.users(first, present, 9).map(({ id }) => id)).toEqual([900]);
    expect(audit.countUsers(first)).toBe(2);
    expect(found({ userId: 900 })).toEqual([0]);
    expect(found({ userId: 7 })).toEqual([3, 1, 0]);
    audit.prune(3);
    expect(audit.countUsers(first)).toBe(0);
    expect(found({})).toEqual([3, 2]);
    expect(() => audit.append({ ...entry, detail: '[]' })).toThrow(/CHECK/);
  });
});
