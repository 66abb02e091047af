// Holds the formats that are whole configurations: what each writes for a connection, what it leaves out, and that no name breaks it.
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SETTINGS } from '../../tests/support/fake-core.ts';
import {
  anyInbound,
  hostileName,
  inboundOf,
  subscriptionOf,
  UUID,
  userOf,
} from '../../tests/support/subscription-samples.ts';
import type { ConnectionSecrets } from '../core/ports/credentials.ts';
import type { InboundRow } from '../core/ports/plans.ts';
import { isPrivateHost } from '../domain/host.ts';
import { userTunnelAddress } from '../domain/nodes/wireguard.ts';
import { canShare, type Entry, NO_SECRETS } from './entry.ts';
import { mihomo } from './mihomo.ts';
import { renderSubscription } from './render.ts';
import { singBox } from './sing-box.ts';
import { wireguard } from './wireguard.ts';
import { xray } from './xray.ts';

const PUBLIC_KEY = 'jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI-T4E7RoLJS0';
const USER_KEY = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const SERVER_KEY = 'ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=';
const SELF_SIGNED: ConnectionSecrets = {
  serverKey: SERVER_KEY,
  certificate: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
  pin: 'e8e2d387fdbffeb38e9c9065cf30a97ee23c0e3d32ee6f78ffae40966befccc9',
};

type Fields = Readonly<Record<string, unknown>>;
interface Mihomo {
  readonly proxies: readonly Fields[];
  readonly 'proxy-groups': readonly { readonly name: string; readonly proxies: readonly string[] }[];
  readonly rules: readonly string[];
}
interface SingBox {
  readonly outbounds: readonly (Fields & { readonly type: string; readonly tag: string; outbounds?: string[] })[];
  readonly endpoints?: readonly Fields[];
}
interface Xray {
  readonly remarks: string;
  readonly outbounds: readonly (Fields & { readonly tag: string; readonly protocol: string })[];
  readonly routing?: { readonly balancers: readonly { readonly fallbackTag: string }[] };
}

function entryOf(changes: Partial<InboundRow>, secrets = NO_SECRETS, name = 'DE 1'): Entry {
  const inbound = inboundOf(changes);
  const credentials = { uuid: UUID, password: 'q7Rk2_vN-pass', key: USER_KEY, wireguard: USER_KEY };
  const tunnelAddress = userTunnelAddress(inbound.addressPool, 7);
  return { name, address: inbound.host ?? 'de1.example.com', inbound, credentials, tunnelAddress, secrets };
}

const readMihomo = (text: string) => parse(text) as Mihomo;
const readSingBox = (text: string) => JSON.parse(text) as SingBox;
const readXray = (text: string) => JSON.parse(text) as Xray;

const mihomoOf = (entry: Entry) => readMihomo(mihomo.write([entry], 'Title')).proxies[0];
const singBoxOf = (entry: Entry) =>
  readSingBox(singBox.write([entry], 'Title')).outbounds.find(({ tag }) => tag === entry.name);
const xrayOf = (entry: Entry) => readXray(xray.write([entry], 'Title')).outbounds[0];

const REALITY = { security: 'reality', sni: 'www.example.org', publicKey: PUBLIC_KEY, shortId: '6ba8' } as const;

const HYSTERIA2 = { protocol: 'hysteria2', network: 'quic', security: 'tls', obfsPassword: 'obfuscated' } as const;

describe('Hysteria2', () => {
  const entry = entryOf(HYSTERIA2, SELF_SIGNED);
  const server = { server: 'de1.example.com', password: 'q7Rk2_vN-pass' };

  it('is in mihomo', () => {
    expect(mihomoOf(entry)).toEqual({
      ...server,
      name: 'DE 1',
      type: 'hysteria2',
      port: 443,
      sni: 'de1.example.com',
      alpn: ['h3'],
      fingerprint: SELF_SIGNED.pin?.match(/../g)?.join(':'),
      obfs: 'salamander',
      'obfs-password': 'obfuscated',
    });
  });

  it('is in sing-box', () => {
    expect(singBoxOf(entry)).toEqual({
      ...server,
      type: 'hysteria2',
      tag: 'DE 1',
      server_port: 443,
      obfs: { type: 'salamander', password: 'obfuscated' },
      tls: { enabled: true, server_name: 'de1.example.com', alpn: ['h3'], certificate: SELF_SIGNED.certificate },
    });
  });

  it('is in xray, each user with their own password', () => {
    expect(xrayOf(entry)).toMatchObject({
      protocol: 'hysteria',
      settings: { version: 2, address: 'de1.example.com', port: 443 },
      streamSettings: {
        network: 'hysteria',
        hysteriaSettings: { version: 2, auth: 'q7Rk2_vN-pass' },
        security: 'tls',
        tlsSettings: { serverName: 'de1.example.com', alpn: ['h3'], pinnedPeerCertSha256: SELF_SIGNED.pin },
        finalmask: { udp: [{ type: 'salamander', settings: { password: 'obfuscated' } }] },
      },
    });
    const other = { ...entry, credentials: { ...entry.credentials, password: 'another-one' } };
    expect(JSON.stringify([xrayOf(other), mihomoOf(other), singBoxOf(other)])).not.toContain('q7Rk2_vN-pass');
  });

  it('without obfuscation says nothing of it, and over anything else is in no format', () => {
    const plain = entryOf({ ...HYSTERIA2, obfsPassword: null });
    expect(JSON.stringify([xrayOf(plain), mihomoOf(plain), singBoxOf(plain)])).not.toMatch(/obfs|finalmask/);
    for (const format of [xray, mihomo, singBox]) {
      expect(format.canCarry(inboundOf({ ...HYSTERIA2, network: 'tcp' }), '10.0.0.1')).toBe(false);
      expect(format.canCarry(inboundOf({ network: 'quic', security: 'tls' }), '10.0.0.1')).toBe(false);
    }
  });
});

const WIREGUARD: Partial<InboundRow> = {
  protocol: 'wireguard',
  network: 'udp',
  port: 51820,
  publicKey: PUBLIC_KEY,
  addressPool: '10.64.0.0/10',
};

describe('WireGuard', () => {
  const entry = entryOf(WIREGUARD);
  const publicKey = 'jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI+T4E7RoLJS0=';

  it('is an endpoint of sing-box, which the choice names', () => {
    const { outbounds, endpoints } = readSingBox(singBox.write([entry, entryOf({}, NO_SECRETS, 'DE 2')], 'Title'));
    expect(endpoints).toEqual([
      {
        type: 'wireguard',
        tag: 'DE 1',
        mtu: 1420,
        address: ['10.64.0.8/32'],
        private_key: USER_KEY,
        peers: [{ address: 'de1.example.com', port: 51820, public_key: publicKey, allowed_ips: ['0.0.0.0/0', '::/0'] }],
      },
    ]);
    expect(outbounds[0]).toMatchObject({ type: 'selector', outbounds: ['auto', 'DE 1', 'DE 2'] });
    expect(outbounds.map(({ type }) => type)).toEqual(['selector', 'urltest', 'vless', 'direct']);
  });

  it('is in mihomo and xray', () => {
    expect(mihomoOf(entry)).toMatchObject({
      type: 'wireguard',
      server: 'de1.example.com',
      port: 51820,
      ip: '10.64.0.8',
      'private-key': USER_KEY,
      'public-key': publicKey,
      mtu: 1420,
      udp: true,
    });
    expect(xrayOf(entryOf({ ...WIREGUARD, host: '2001:db8::1', mtu: 1280 }))).toEqual({
      tag: 'proxy: DE 1',
      protocol: 'wireguard',
      settings: {
        secretKey: USER_KEY,
        address: ['10.64.0.8/32'],
        peers: [{ publicKey, endpoint: '[2001:db8::1]:51820' }],
        mtu: 1280,
        noKernelTun: true,
      },
    });
  });

  it('gives each user their own key and address', () => {
    const { key } = entry.credentials;
    const other = { ...entry, tunnelAddress: '10.64.0.9', credentials: { ...entry.credentials, wireguard: 'other=' } };
    const texts = [xray, mihomo, singBox, wireguard].map((format) => format.write([other], 'Title'));
    for (const text of texts) {
      expect(text).toContain('other=');
      expect(text).toContain('10.64.0.9');
      expect(text).not.toContain('10.64.0.8');
      expect(text).not.toContain(key);
    }
  });

  it('without the key of its node, a pool or UDP is in no format', () => {
    for (const format of [xray, mihomo, singBox, wireguard])
      for (const change of [{ publicKey: null }, { addressPool: null }, { network: 'tcp' }] as const)
        expect(format.canCarry(inboundOf({ ...WIREGUARD, ...change }), '10.0.0.1')).toBe(false);
  });
});

describe('the file of WireGuard', () => {
  const both = [
    inboundOf(),
    inboundOf({ ...WIREGUARD, id: 2, name: 'DE 1' }),
    inboundOf({ ...WIREGUARD, id: 3, name: 'NL', host: '2001:db8::1', mtu: 1280 }),
  ];
  const fileOf = (inbounds: readonly InboundRow[], connection?: string, changes = {}) =>
    renderSubscription(subscriptionOf(inbounds, changes), SETTINGS, { format: 'wireguard', connection, now: 0 });

  it('has one connection, the one that is asked for or the first', () => {
    expect(fileOf(both).body).toBe(`[Interface]
PrivateKey = d2lyZWd1YXJkLXByaXZhdGUta2V5LW9mLTMyLWJ5dCE=
Address = 10.64.0.8/32
DNS = 1.1.1.1
MTU = 1420

[Peer]
PublicKey = jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI+T4E7RoLJS0=
AllowedIPs = 0.0.0.0/0, ::/0
Endpoint = de1.example.com:51820
`);
    expect(fileOf(both, '3').body).toContain('MTU = 1280\n\n[Peer]\n');
    expect(fileOf(both, '3').body).toContain('Endpoint = [2001:db8::1]:51820\n');
    for (const unknown of ['1', '4', '', 'x', '3.5']) expect(fileOf(both, unknown).body).toBe(fileOf(both).body);
    expect(fileOf(both).headers['x-gatehouse-left-out']).toBe('2');
  });

  it('is saved under a name that the app takes', () => {
    expect(fileOf(both, '3').headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="NL.conf"',
    });
  });

  test.prop([hostileName])('of any name has a name of at most 15 characters, and no line of its own', (name) => {
    const { headers, body } = fileOf([inboundOf({ ...WIREGUARD, name })]);
    expect(headers['content-disposition']).toMatch(
      /^attachment; filename="[A-Za-z0-9_=+][A-Za-z0-9_=+.-]{0,14}\.conf"$/,
    );
    expect(body.split('\n')).toHaveLength(11);
  });

  it('says in a comment why there is none', () => {
    expect(fileOf([inboundOf()]).body).toBe('# Your connections need another app\n');
    expect(fileOf([]).body).toBe('# No connections available yet\n');
    const user = userOf({ state: 'disabled' });
    expect(fileOf(both, '2', { canConnect: false, user }).body).toBe('# Access is switched off\n');
  });
});

describe('mihomo', () => {
  it('writes vless with reality and vision', () => {
    expect(mihomoOf(entryOf({ ...REALITY, flow: 'xtls-rprx-vision' }))).toEqual({
      name: 'DE 1',
      type: 'vless',
      server: 'de1.example.com',
      port: 443,
      udp: true,
      uuid: UUID,
      flow: 'xtls-rprx-vision',
      'packet-encoding': 'xudp',
      tls: true,
      servername: 'www.example.org',
      'client-fingerprint': 'chrome',
      'reality-opts': { 'public-key': PUBLIC_KEY, 'short-id': '6ba8' },
      network: 'tcp',
    });
  });

  it('writes a short id of digits as text', () => {
    const proxy = mihomoOf(entryOf({ ...REALITY, shortId: '10' }));
    expect(proxy?.['reality-opts']).toEqual({ 'public-key': PUBLIC_KEY, 'short-id': '10' });
  });

  it('writes vmess over a web socket with early data, and the pin of its certificate', () => {
    const entry = entryOf(
      { protocol: 'vmess', network: 'ws', security: 'tls', path: '/ws?ed=2048', alpn: ['h2'], fingerprint: 'firefox' },
      SELF_SIGNED,
    );
    expect(mihomoOf(entry)).toEqual({
      name: 'DE 1',
      type: 'vmess',
      server: 'de1.example.com',
      port: 443,
      udp: true,
      uuid: UUID,
      alterId: 0,
      cipher: 'auto',
      tls: true,
      servername: 'de1.example.com',
      'client-fingerprint': 'firefox',
      fingerprint: 'e8:e2:d3:87:fd:bf:fe:b3:8e:9c:90:65:cf:30:a9:7e:e2:3c:0e:3d:32:ee:6f:78:ff:ae:40:96:6b:ef:cc:c9',
      network: 'ws',
      'ws-opts': {
        path: '/ws',
        headers: { Host: 'de1.example.com' },
        'max-early-data': 2048,
        'early-data-header-name': 'Sec-WebSocket-Protocol',
      },
    });
  });

  it('writes trojan over grpc, whose TLS goes without saying', () => {
    const entry = entryOf({
      protocol: 'trojan',
      network: 'grpc',
      security: 'tls',
      serviceName: 'gs',
      sni: 'a.example',
    });
    expect(mihomoOf(entry)).toEqual({
      name: 'DE 1',
      type: 'trojan',
      server: 'de1.example.com',
      port: 443,
      udp: true,
      password: 'q7Rk2_vN-pass',
      sni: 'a.example',
      network: 'grpc',
      'grpc-opts': { 'grpc-service-name': 'gs' },
    });
  });

  it('writes httpupgrade as a kind of web socket', () => {
    expect(mihomoOf(entryOf({ network: 'httpupgrade', path: '/u', sni: 'cdn.example' }))).toMatchObject({
      network: 'ws',
      'ws-opts': { path: '/u', headers: { Host: 'cdn.example' }, 'v2ray-http-upgrade': true },
    });
  });

  it('leaves out xhttp but of vless', () => {
    const carries = (protocol: 'vless' | 'vmess' | 'trojan') =>
      mihomo.canCarry(inboundOf({ protocol, network: 'xhttp', security: 'tls' }), 'a.example');
    expect([carries('vless'), carries('vmess'), carries('trojan')]).toEqual([true, false, false]);
  });
});

describe('sing-box', () => {
  it('names the cipher of vmess under TLS, of which it would make none', () => {
    expect(singBoxOf(entryOf({ protocol: 'vmess', security: 'tls' }))).toMatchObject({ security: 'aes-128-gcm' });
    expect(singBoxOf(entryOf({ protocol: 'vmess', security: 'none' }))).toMatchObject({ security: 'auto' });
  });

  it('writes vless with reality and vision', () => {
    expect(singBoxOf(entryOf({ ...REALITY, flow: 'xtls-rprx-vision' }))).toEqual({
      type: 'vless',
      tag: 'DE 1',
      server: 'de1.example.com',
      server_port: 443,
      uuid: UUID,
      flow: 'xtls-rprx-vision',
      packet_encoding: 'xudp',
      tls: {
        enabled: true,
        server_name: 'www.example.org',
        utls: { enabled: true, fingerprint: 'chrome' },
        reality: { enabled: true, public_key: PUBLIC_KEY, short_id: '6ba8' },
      },
    });
  });

  it('writes trojan over a web socket with early data, and its certificate', () => {
    const entry = entryOf({ protocol: 'trojan', network: 'ws', security: 'tls', path: '/ws?ed=2048' }, SELF_SIGNED);
    expect(singBoxOf(entry)).toEqual({
      type: 'trojan',
      tag: 'DE 1',
      server: 'de1.example.com',
      server_port: 443,
      password: 'q7Rk2_vN-pass',
      tls: { enabled: true, server_name: 'de1.example.com', certificate: SELF_SIGNED.certificate },
      transport: {
        type: 'ws',
        path: '/ws',
        headers: { Host: 'de1.example.com' },
        max_early_data: 2048,
        early_data_header_name: 'Sec-WebSocket-Protocol',
      },
    });
  });

  it('writes shadowsocks 2022 with keys as long as the cipher takes them', () => {
    const entry = entryOf({ protocol: 'shadowsocks', method: '2022-blake3-aes-128-gcm' }, SELF_SIGNED);
    const password = 'ICEiIyQlJicoKSorLC0uLw==:AAECAwQFBgcICQoLDA0ODw==';
    expect(singBoxOf(entry)).toMatchObject({ type: 'shadowsocks', method: '2022-blake3-aes-128-gcm', password });
    expect(mihomoOf(entry)).toMatchObject({ type: 'ss', cipher: '2022-blake3-aes-128-gcm', password });
  });

  it('leaves out xhttp, and a path that is no address', () => {
    const carries = (path: string) => singBox.canCarry(inboundOf({ network: 'ws', path }), 'a.example');
    expect(['/a%20b', '/50%', '/%zz'].map(carries)).toEqual([true, false, false]);
    expect(singBox.canCarry(inboundOf({ network: 'xhttp' }), 'a.example')).toBe(false);
  });
});

describe('xray', () => {
  it('writes vless over xhttp with TLS, its certificate and its pin', () => {
    const entry = entryOf({ network: 'xhttp', security: 'tls', path: '/x', alpn: ['h2'] }, SELF_SIGNED);
    expect(xrayOf(entry)).toEqual({
      tag: 'proxy: DE 1',
      protocol: 'vless',
      settings: {
        vnext: [{ address: 'de1.example.com', port: 443, users: [{ id: UUID, encryption: 'none' }] }],
      },
      streamSettings: {
        network: 'xhttp',
        security: 'tls',
        xhttpSettings: { path: '/x', host: 'de1.example.com', mode: 'auto' },
        tlsSettings: {
          serverName: 'de1.example.com',
          alpn: ['h2'],
          pinnedPeerCertSha256: SELF_SIGNED.pin,
          certificates: [
            { usage: 'verify', certificate: ['-----BEGIN CERTIFICATE-----', 'MIIB', '-----END CERTIFICATE-----'] },
          ],
        },
      },
    });
  });

  it('writes trojan over grpc with reality', () => {
    expect(xrayOf(entryOf({ ...REALITY, protocol: 'trojan', network: 'grpc', serviceName: 'gs' }))).toMatchObject({
      settings: { servers: [{ address: 'de1.example.com', port: 443, password: 'q7Rk2_vN-pass' }] },
      streamSettings: {
        network: 'grpc',
        grpcSettings: { serviceName: 'gs' },
        realitySettings: {
          serverName: 'www.example.org',
          fingerprint: 'chrome',
          publicKey: PUBLIC_KEY,
          shortId: '6ba8',
        },
      },
    });
  });

  it.each<[string, boolean]>([
    ['203.0.113.7', false],
    ['de1.example.com', false],
    ['2001:db8::1', false],
    ['172.32.0.1', false],
    ['172.16.0.1', true],
    ['127.0.0.1', true],
    ['192.168.1.10', true],
    ['::1', true],
    ['fd00::1', true],
    ['localhost', true],
    ['nas.local', true],
  ])('carries vless without TLS to %s: %s', (address, isCarried) => {
    expect(isPrivateHost(address)).toBe(isCarried);
    expect(xray.canCarry(inboundOf(), address)).toBe(isCarried);
    expect(xray.canCarry(inboundOf({ security: 'tls' }), address)).toBe(true);
    expect(xray.canCarry(inboundOf({ protocol: 'vmess' }), address)).toBe(true);
  });

  it('chooses among several by a balancer, and begins with the first', () => {
    const { remarks, routing } = readXray(
      xray.write([entryOf({}, NO_SECRETS, 'A'), entryOf({}, NO_SECRETS, 'B')], 'Title'),
    );
    expect(remarks).toBe('Title');
    expect(routing?.balancers[0]?.fallbackTag).toBe('proxy: A');
    expect(readXray(xray.write([entryOf({})], 'Title'))).not.toHaveProperty('routing');
  });
});

/** The names of the connections in a document. */
const NAMES: Readonly<Record<string, (body: string) => readonly unknown[]>> = {
  mihomo: (body) => readMihomo(body).proxies.map(({ name }) => name),
  'sing-box': (body) => {
    const { outbounds, endpoints = [] } = readSingBox(body);
    const proxies = outbounds.filter(({ type }) => !['selector', 'urltest', 'direct'].includes(type));
    return [...proxies, ...endpoints].map(({ tag }) => tag);
  },
  xray: (body) =>
    readXray(body)
      .outbounds.filter(({ protocol }) => !['freedom', 'blackhole'].includes(protocol))
      .map(({ tag }) => tag.replace(/^proxy: /, '')),
};

describe.each(Object.keys(NAMES))('%s, as any format', (format) => {
  const namesOf = NAMES[format];
  const render = (inbounds: readonly InboundRow[], changes = {}) =>
    renderSubscription(subscriptionOf(inbounds, changes), SETTINGS, { format, now: 0 });
  const read = (inbounds: readonly InboundRow[], changes = {}) => namesOf?.(render(inbounds, changes).body);

  it('says why to a user who may not connect', () => {
    const user = userOf({ state: 'disabled' });
    const { body, headers } = render([inboundOf({ security: 'tls' })], { user, canConnect: false });
    expect(namesOf?.(body)).toEqual(['Access is switched off']);
    expect(body).not.toContain(UUID);
    expect(headers).not.toHaveProperty('x-gatehouse-left-out');
  });

  it('says so where there is no connection, and where none can be carried', () => {
    expect(read([])).toEqual(['No connections available yet']);
    const { body, headers } = render([inboundOf({ protocol: 'shadowsocks' })]);
    expect(namesOf?.(body)).toEqual(['Your connections need another app']);
    expect(headers['x-gatehouse-left-out']).toBe('1');
  });

  it('leaves out shadowsocks 2022 while the key of its server is locked away', () => {
    const inbound = inboundOf({ protocol: 'shadowsocks', method: '2022-blake3-aes-256-gcm' });
    const connect = (serverKey: string | null) => ({
      connections: [{ inbound, address: 'a.example', secrets: { ...NO_SECRETS, serverKey } }],
    });
    expect(read([], connect(SERVER_KEY))).toEqual(['DE 1']);
    expect(render([], connect(null)).headers['x-gatehouse-left-out']).toBe('1');
  });

  it('gives no connection a name that the document has of its own', () => {
    const names = ['PROXY', 'proxy', 'AUTO', 'auto', 'direct', 'DIRECT', 'GLOBAL', 'DE', 'DE'];
    const inbounds = names.map((name) => inboundOf({ name, security: 'tls' }));
    const found = read(inbounds);
    expect(found).toHaveLength(names.length);
    expect(new Set(found).size).toBe(names.length);
    if (format === 'mihomo') expect(found).not.toContain('GLOBAL');
    if (format === 'sing-box') expect(found).not.toContain('direct');
  });

  test.prop([fc.array(fc.record({ row: anyInbound, name: hostileName }), { maxLength: 12 })])(
    'reads back with every name, and counts what it leaves out',
    (made) => {
      const inbounds = made.map(({ row, name }, index) => ({ ...row, name, id: index + 1, host: 'a.example' }));
      const { body, headers } = render(inbounds);
      const found = namesOf?.(body) ?? [];
      const leftOut = Number(headers['x-gatehouse-left-out'] ?? 0);
      expect(new Set(found).size).toBe(found.length);
      expect(found.length + leftOut).toBe(Math.max(inbounds.length, leftOut + 1));
      expect(inbounds.filter((row) => !canShare(row)).length).toBeLessThanOrEqual(leftOut);
    },
  );
});
