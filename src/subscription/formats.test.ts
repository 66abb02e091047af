// Holds the formats that are whole configurations: what each writes for a connection, what it leaves out, and that no name breaks it.
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SETTINGS } from '../../tests/support/fake-core.ts';
import {
  anyInbound,
  buildSubscription,
  buildUser,
  hostileName,
  readLink,
  sampleInbound,
  UUID,
} from '../../tests/support/subscription-samples.ts';
import type { Subscription } from '../core/kernel/core.ts';
import type { InboundSecrets } from '../core/ports/credentials.ts';
import type { InboundRow } from '../core/ports/inbounds.ts';
import { isPrivateHost } from '../domain/host.ts';
import { userTunnelAddress } from '../domain/nodes/wireguard.ts';
import { clash } from './clash.ts';
import { canShare, type Entry, NO_SECRETS } from './entry.ts';
import { mihomo } from './mihomo.ts';
import { renderSubscription } from './render.ts';
import { shareLink } from './share-links.ts';
import { singBox } from './sing-box.ts';
import { wireguard } from './wireguard.ts';
import { xray } from './xray.ts';

const PUBLIC_KEY = 'jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI-T4E7RoLJS0';
const USER_KEY = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const SERVER_KEY = 'ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=';
const SELF_SIGNED: InboundSecrets = {
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

function buildEntry(changes: Partial<InboundRow>, secrets = NO_SECRETS, name = 'DE 1'): Entry {
  const inbound = sampleInbound(changes);
  const credentials = { uuid: UUID, password: 'q7Rk2_vN-pass', key: USER_KEY, wireguard: USER_KEY };
  const tunnelAddress = userTunnelAddress(inbound.addressPool, 7);
  return { name, address: inbound.host ?? 'de1.example.com', inbound, credentials, tunnelAddress, secrets };
}

const readMihomo = (text: string) => parse(text) as Mihomo;
const readSingBox = (text: string) => JSON.parse(text) as SingBox;
const readXray = (text: string) => JSON.parse(text) as Xray;

const renderMihomo = (entry: Entry) => readMihomo(mihomo.write([entry], 'Title')).proxies[0];
const renderSingBox = (entry: Entry) =>
  readSingBox(singBox.write([entry], 'Title')).outbounds.find(({ tag }) => tag === entry.name);
const renderXray = (entry: Entry) => readXray(xray.write([entry], 'Title')).outbounds[0];

const REALITY = { security: 'reality', sni: 'www.example.org', publicKey: PUBLIC_KEY, shortId: '6ba8' } as const;

const HYSTERIA2 = { protocol: 'hysteria2', network: 'quic', security: 'tls', obfsPassword: 'obfuscated' } as const;

describe('REALITY', () => {
  it('never imitates a program without TLS 1.3', () => {
    for (const [fingerprint, imitated] of [
      ['android', 'chrome'],
      ['firefox', 'firefox'],
      [null, 'chrome'],
    ] as const) {
      const entry = buildEntry({ ...REALITY, fingerprint });
      expect(renderMihomo(entry)).toMatchObject({ 'client-fingerprint': imitated });
      expect(renderSingBox(entry)).toMatchObject({ tls: { utls: { enabled: true, fingerprint: imitated } } });
      expect(renderXray(entry)).toMatchObject({ streamSettings: { realitySettings: { fingerprint: imitated } } });
      expect(readLink(shareLink(entry)).parameters.fp).toBe(imitated);
    }
    expect(renderMihomo(buildEntry({ security: 'tls', fingerprint: 'android' }))).toMatchObject({
      'client-fingerprint': 'android',
    });
  });
});

describe('Hysteria2', () => {
  const entry = buildEntry(HYSTERIA2, SELF_SIGNED);
  const server = { server: 'de1.example.com', password: 'q7Rk2_vN-pass' };

  it('is in mihomo', () => {
    expect(renderMihomo(entry)).toEqual({
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
    expect(renderSingBox(entry)).toEqual({
      ...server,
      type: 'hysteria2',
      tag: 'DE 1',
      server_port: 443,
      obfs: { type: 'salamander', password: 'obfuscated' },
      tls: { enabled: true, server_name: 'de1.example.com', alpn: ['h3'], certificate: SELF_SIGNED.certificate },
    });
  });

  it('is in xray, each user with their own password', () => {
    expect(renderXray(entry)).toMatchObject({
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
    expect(JSON.stringify([renderXray(other), renderMihomo(other), renderSingBox(other)])).not.toContain(
      'q7Rk2_vN-pass',
    );
  });

  it('hops between ports', () => {
    const hopping = buildEntry({ ...HYSTERIA2, obfsPassword: null, hopPorts: '443,20000-20100' });
    expect(renderMihomo(hopping)).toMatchObject({ port: 443, ports: '443,20000-20100' });
    expect(renderSingBox(hopping)).toMatchObject({ server_ports: ['443:443', '20000:20100'] });
    expect(renderXray(hopping)).toMatchObject({
      streamSettings: { finalmask: { quicParams: { udpHop: { ports: '443,20000-20100', interval: 30 } } } },
    });
  });

  it('sends noise first, in xray alone', () => {
    const noisy = buildEntry({ ...HYSTERIA2, noise: '2,50-100,10-20' });
    const packet = { rand: '50-100', delay: '10-20' };
    expect(renderXray(noisy)).toMatchObject({
      streamSettings: {
        finalmask: { udp: [{ type: 'noise', settings: { noise: [packet, packet] } }, { type: 'salamander' }] },
      },
    });
    expect(JSON.stringify([renderMihomo(noisy), renderSingBox(noisy)])).not.toMatch(/noise|50-100/);
  });

  it('without obfuscation says nothing of it, and over anything else is in no format', () => {
    const plain = buildEntry({ ...HYSTERIA2, obfsPassword: null });
    expect(JSON.stringify([renderXray(plain), renderMihomo(plain), renderSingBox(plain)])).not.toMatch(
      /obfs|finalmask|ports/,
    );
    for (const format of [xray, mihomo, singBox]) {
      expect(format.canCarry(sampleInbound({ ...HYSTERIA2, network: 'tcp' }), '10.0.0.1')).toBe(false);
      expect(format.canCarry(sampleInbound({ network: 'quic', security: 'tls' }), '10.0.0.1')).toBe(false);
    }
  });
});

describe('options of apps', () => {
  const options = { fragment: 'tlshello,100-200,10-20', mux: 8 } as const;
  const entry = buildEntry({ protocol: 'trojan', security: 'tls', ...options });

  it('are in xray: the connection goes through an outbound that splits it, one for all that are split alike', () => {
    expect(renderXray(entry)).toMatchObject({
      mux: { enabled: true, concurrency: 8 },
      streamSettings: { sockopt: { dialerProxy: 'fragment: tlshello,100-200,10-20' } },
    });
    const { outbounds } = JSON.parse(xray.write([entry, { ...entry, name: 'other' }], 'title'));
    expect(outbounds.map(({ tag }: { tag: string }) => tag)).toEqual([
      `proxy: ${entry.name}`,
      'proxy: other',
      'fragment: tlshello,100-200,10-20',
      'direct',
      'block',
    ]);
    expect(outbounds[2].settings.fragment).toEqual({ packets: 'tlshello', length: '100-200', interval: '10-20' });
  });

  it('are in sing-box for the handshake alone, and in mihomo not at all', () => {
    expect(renderSingBox(entry)).toMatchObject({ tls: { fragment: true } });
    const numbered = buildEntry({ protocol: 'trojan', security: 'tls', fragment: '1-3,50,0' });
    expect(JSON.stringify(renderSingBox(numbered))).not.toContain('fragment');
    expect(JSON.stringify([renderSingBox(entry), renderMihomo(entry)])).not.toMatch(/multiplex|smux/);
    expect(JSON.stringify(renderMihomo(entry))).not.toContain('fragment');
  });
});

describe('VLESS encryption and ML-DSA-65', () => {
  const encryption = `mlkem768x25519plus.native.0rtt.${PUBLIC_KEY}`;
  const shape: Partial<InboundRow> = {
    security: 'reality',
    sni: 'a.example',
    publicKey: PUBLIC_KEY,
    encryption,
    mldsa65Verify: 'verify',
  };

  it('are in what each program reads of them', () => {
    const entry = buildEntry(shape);
    expect(renderXray(entry)).toMatchObject({
      settings: { vnext: [{ users: [{ encryption }] }] },
      streamSettings: { realitySettings: { publicKey: PUBLIC_KEY, mldsa65Verify: 'verify' } },
    });
    expect(renderMihomo(entry)).toMatchObject({ encryption, 'reality-opts': { 'public-key': PUBLIC_KEY } });
    const plain = buildEntry({ ...shape, encryption: null, mldsa65Verify: null });
    expect(JSON.stringify([renderXray(plain), renderMihomo(plain)])).not.toMatch(/mldsa|mlkem768x25519plus/);
  });

  it('make VLESS without TLS go to public addresses, but not to sing-box', () => {
    const carries = (change: Partial<InboundRow>) =>
      [xray, mihomo, singBox].map((format) => format.canCarry(sampleInbound(change), '198.51.100.7'));
    expect(carries({})).toEqual([false, true, true]);
    expect(carries({ encryption })).toEqual([true, true, false]);
    // An app that does not know the key connects without verifying by it.
    expect(carries({ ...shape, encryption: null })).toEqual([true, true, true]);
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
  const entry = buildEntry(WIREGUARD);
  const publicKey = 'jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI+T4E7RoLJS0=';

  it('is an endpoint of sing-box, which the choice names', () => {
    const { outbounds, endpoints } = readSingBox(singBox.write([entry, buildEntry({}, NO_SECRETS, 'DE 2')], 'Title'));
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
    expect(renderMihomo(entry)).toMatchObject({
      type: 'wireguard',
      server: 'de1.example.com',
      port: 51820,
      ip: '10.64.0.8',
      'private-key': USER_KEY,
      'public-key': publicKey,
      mtu: 1420,
      udp: true,
    });
    expect(renderXray(buildEntry({ ...WIREGUARD, host: '2001:db8::1', mtu: 1280 }))).toEqual({
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
        expect(format.canCarry(sampleInbound({ ...WIREGUARD, ...change }), '10.0.0.1')).toBe(false);
  });
});

describe('the file of WireGuard', () => {
  const both = [
    sampleInbound(),
    sampleInbound({ ...WIREGUARD, id: 2, name: 'DE 1' }),
    sampleInbound({ ...WIREGUARD, id: 3, name: 'NL', host: '2001:db8::1', mtu: 1280 }),
  ];
  const renderFile = (inbounds: readonly InboundRow[], connection?: string, changes = {}) =>
    renderSubscription(buildSubscription(inbounds, changes), SETTINGS, { format: 'wireguard', connection, now: 0 });

  it('has one connection, the one that is asked for or the first', () => {
    expect(renderFile(both).body).toBe(`[Interface]
PrivateKey = d2lyZWd1YXJkLXByaXZhdGUta2V5LW9mLTMyLWJ5dCE=
Address = 10.64.0.8/32
DNS = 1.1.1.1
MTU = 1420

[Peer]
PublicKey = jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI+T4E7RoLJS0=
AllowedIPs = 0.0.0.0/0, ::/0
Endpoint = de1.example.com:51820
`);
    expect(renderFile(both, '3').body).toContain('MTU = 1280\n\n[Peer]\n');
    expect(renderFile(both, '3').body).toContain('Endpoint = [2001:db8::1]:51820\n');
    for (const unknown of ['1', '4', '', 'x', '3.5'])
      expect(renderFile(both, unknown).body).toBe(renderFile(both).body);
    expect(renderFile(both).headers['x-gatehouse-left-out']).toBe('2');
  });

  it('is saved under a name that the app takes', () => {
    expect(renderFile(both, '3').headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="NL.conf"',
    });
  });

  test.prop([hostileName])('of any name has a name of at most 15 characters, and no line of its own', (name) => {
    const { headers, body } = renderFile([sampleInbound({ ...WIREGUARD, name })]);
    expect(headers['content-disposition']).toMatch(
      /^attachment; filename="[A-Za-z0-9_=+][A-Za-z0-9_=+.-]{0,14}\.conf"$/,
    );
    expect(body.split('\n')).toHaveLength(11);
  });

  it('says in a comment why there is none', () => {
    expect(renderFile([sampleInbound()]).body).toBe('# Your connections need another app\n');
    expect(renderFile([]).body).toBe('# No connections available yet\n');
    const user = buildUser({ state: 'disabled' });
    expect(renderFile(both, '2', { canConnect: false, user }).body).toBe('# Access is disabled\n');
  });
});

describe('a path with early data', () => {
  const listPaths = (network: InboundRow['network']) => {
    const entry = buildEntry({ network, path: '/up?ed=2048' });
    const stream = renderXray(entry)?.streamSettings as Fields;
    const ofXray = stream[`${network}Settings`] as Fields;
    const ofMihomo = renderMihomo(entry)?.[network === 'xhttp' ? 'xhttp-opts' : 'ws-opts'] as Fields;
    return {
      link: readLink(shareLink(entry)).parameters.path,
      xray: ofXray.path,
      mihomo: [ofMihomo.path, ofMihomo['max-early-data']],
      singBox: renderSingBox(entry)?.transport,
    };
  };

  it('of a web socket goes to each client in its own form', () => {
    expect(listPaths('ws')).toMatchObject({
      link: '/up?ed=2048',
      xray: '/up?ed=2048',
      mihomo: ['/up', 2048],
      singBox: { path: '/up', max_early_data: 2048 },
    });
  });

  it('of HTTPUpgrade is the path alone', () => {
    expect(listPaths('httpupgrade')).toMatchObject({
      link: '/up',
      xray: '/up',
      mihomo: ['/up', undefined],
      singBox: { type: 'httpupgrade', host: 'de1.example.com', path: '/up' },
    });
  });

  it('of XHTTP is the path alone', () => {
    expect(listPaths('xhttp')).toMatchObject({ link: '/up', xray: '/up', mihomo: ['/up', undefined] });
  });
});

it('gRPC has the same service name everywhere, also where none is set', () => {
  for (const [serviceName, name] of [
    [null, 'GunService'],
    ['gs', 'gs'],
  ] as const) {
    const entry = buildEntry({ network: 'grpc', serviceName });
    expect(renderMihomo(entry)?.['grpc-opts']).toEqual({ 'grpc-service-name': name });
    expect(renderSingBox(entry)?.transport).toEqual({ type: 'grpc', service_name: name });
    expect(renderXray(entry)?.streamSettings).toMatchObject({ grpcSettings: { serviceName: name } });
    expect(readLink(shareLink(entry)).parameters.serviceName).toBe(name);
  }
});

describe('mihomo', () => {
  it('writes vless with reality and vision', () => {
    expect(renderMihomo(buildEntry({ ...REALITY, flow: 'xtls-rprx-vision' }))).toEqual({
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
      'reality-opts': { 'public-key': PUBLIC_KEY, 'short-id': '6ba8', 'support-x25519mlkem768': true },
      network: 'tcp',
    });
  });

  it('writes a short id of digits as text', () => {
    const proxy = renderMihomo(buildEntry({ ...REALITY, shortId: '10' }));
    expect(proxy?.['reality-opts']).toMatchObject({ 'public-key': PUBLIC_KEY, 'short-id': '10' });
  });

  it('writes vmess over a web socket with early data, and the pin of its certificate', () => {
    const entry = buildEntry(
      { protocol: 'vmess', network: 'ws', security: 'tls', path: '/ws?ed=2048', alpn: ['h2'], fingerprint: 'firefox' },
      SELF_SIGNED,
    );
    expect(renderMihomo(entry)).toEqual({
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
    const entry = buildEntry({
      protocol: 'trojan',
      network: 'grpc',
      security: 'tls',
      serviceName: 'gs',
      sni: 'a.example',
    });
    expect(renderMihomo(entry)).toEqual({
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
    expect(renderMihomo(buildEntry({ network: 'httpupgrade', path: '/u', sni: 'cdn.example' }))).toMatchObject({
      network: 'ws',
      'ws-opts': { path: '/u', headers: { Host: 'cdn.example' }, 'v2ray-http-upgrade': true },
    });
  });

  it('leaves out xhttp but of vless', () => {
    const carries = (protocol: 'vless' | 'vmess' | 'trojan') =>
      mihomo.canCarry(sampleInbound({ protocol, network: 'xhttp', security: 'tls' }), 'a.example');
    expect([carries('vless'), carries('vmess'), carries('trojan')]).toEqual([true, false, false]);
  });
});

describe('clash', () => {
  /** What the last version of the core, 1.18, reads of each kind of proxy. */
  const READ: Readonly<Record<string, readonly string[]>> = {
    ss: ['name', 'type', 'server', 'port', 'udp', 'cipher', 'password'],
    vmess: 'name type server port udp uuid alterId cipher tls servername network ws-opts grpc-opts'.split(' '),
    trojan: 'name type server port udp password sni alpn network ws-opts grpc-opts'.split(' '),
  };
  const render = (connections: Subscription['inbounds'], userAgent = 'ClashX/1.118.1') =>
    renderSubscription(buildSubscription([], { inbounds: connections }), SETTINGS, { userAgent, now: 0 });

  test.prop([fc.array(fc.record({ row: anyInbound, name: hostileName, isPinned: fc.boolean() }), { maxLength: 12 })])(
    'has nothing that its core does not know, and is never empty',
    (made) => {
      const connections = made.map(({ row, name, isPinned }, index) => ({
        inbound: { ...row, name, id: index + 1 },
        address: 'a.example',
        engine: null,
        secrets: isPinned && row.security === 'tls' ? SELF_SIGNED : { ...SELF_SIGNED, certificate: null, pin: null },
      }));
      const { body, headers } = render(connections);
      const { proxies } = readMihomo(body);
      const leftOut = Number(headers['x-gatehouse-left-out'] ?? 0);
      expect(proxies.length + leftOut).toBe(Math.max(made.length, leftOut + 1));
      for (const proxy of proxies) {
        expect(READ[String(proxy.type)]).toEqual(expect.arrayContaining(Object.keys(proxy)));
        expect(['tcp', 'ws', 'grpc', undefined]).toContain(proxy.network);
        expect(String(proxy.cipher)).not.toMatch(/^2022/);
        expect(JSON.stringify(proxy)).not.toContain('v2ray-http-upgrade');
        if (proxy.type === 'vmess' && proxy.network === 'grpc') expect(proxy.tls).toBe(true);
      }
    },
  );

  it('carries what mihomo carries of what both know', () => {
    for (const change of [
      { protocol: 'vmess', network: 'ws', security: 'tls', path: '/ws?ed=2048' },
      { protocol: 'vmess', network: 'grpc', security: 'tls', serviceName: 'gs' },
      { protocol: 'trojan', security: 'tls', alpn: ['h2'] },
      { protocol: 'shadowsocks', method: 'xchacha20-ietf-poly1305' },
    ] as const) {
      const entry = buildEntry(change);
      expect(clash.canCarry(entry.inbound, entry.address)).toBe(true);
      expect(clash.write([entry], 'Title')).toBe(mihomo.write([entry], 'Title'));
    }
  });

  it('says why where nothing can be carried', () => {
    const { body, headers } = render([
      { inbound: sampleInbound(), address: 'a.example', engine: null, secrets: NO_SECRETS },
    ]);
    expect(readMihomo(body).proxies).toMatchObject([
      { name: 'Your connections need another app', type: 'vmess', server: '127.0.0.1', port: 1 },
    ]);
    expect(headers['x-gatehouse-left-out']).toBe('1');
  });

  it('is no choice of a client with another core', () => {
    const connections = [{ inbound: sampleInbound(), address: 'a.example', engine: null, secrets: NO_SECRETS }];
    expect(readMihomo(render(connections, 'ClashX Meta/v1.4.24').body).proxies).toMatchObject([{ type: 'vless' }]);
  });
});

describe('sing-box', () => {
  it('leaves out WireGuard at a name for versions that would not start where it is not found', () => {
    const render = (host: string, userAgent: string) => {
      const inbounds = [sampleInbound({ security: 'tls' }), sampleInbound({ ...WIREGUARD, id: 2, name: 'WG', host })];
      const { body, headers } = renderSubscription(buildSubscription(inbounds), SETTINGS, {
        format: 'sing-box',
        userAgent,
        now: 0,
      });
      return [readSingBox(body).endpoints?.length ?? 0, headers['x-gatehouse-left-out']];
    };
    for (const agent of [
      'SFA/1.13.9 (Build 1; sing-box 1.13.9; language en)',
      'sing-box 1.12.0',
      'Karing/1.2.4',
      'x',
    ]) {
      expect(render('de1.example.com', agent), agent).toEqual([0, '1']);
      for (const address of ['192.0.2.1', '2001:db8::1']) expect(render(address, agent), agent).toEqual([1, undefined]);
    }
    for (const agent of ['SFI (sing-box 1.14.0; language en)', 'SFA/1.14.1', 'sing-box 1.15.0-alpha.1', 'sing-box 2.0'])
      expect(render('de1.example.com', agent), agent).toEqual([1, undefined]);
  });

  it('names the cipher of vmess under TLS, of which it would make none', () => {
    expect(renderSingBox(buildEntry({ protocol: 'vmess', security: 'tls' }))).toMatchObject({
      security: 'aes-128-gcm',
    });
    expect(renderSingBox(buildEntry({ protocol: 'vmess', security: 'none' }))).toMatchObject({ security: 'auto' });
  });

  it('writes vless with reality and vision', () => {
    expect(renderSingBox(buildEntry({ ...REALITY, flow: 'xtls-rprx-vision' }))).toEqual({
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
    const entry = buildEntry({ protocol: 'trojan', network: 'ws', security: 'tls', path: '/ws?ed=2048' }, SELF_SIGNED);
    expect(renderSingBox(entry)).toEqual({
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
    const entry = buildEntry({ protocol: 'shadowsocks', method: '2022-blake3-aes-128-gcm' }, SELF_SIGNED);
    const password = 'ICEiIyQlJicoKSorLC0uLw==:AAECAwQFBgcICQoLDA0ODw==';
    expect(renderSingBox(entry)).toMatchObject({ type: 'shadowsocks', method: '2022-blake3-aes-128-gcm', password });
    expect(renderMihomo(entry)).toMatchObject({ type: 'ss', cipher: '2022-blake3-aes-128-gcm', password });
  });

  it('leaves out xhttp, and a path that is no address', () => {
    const carries = (path: string) => singBox.canCarry(sampleInbound({ network: 'ws', path }), 'a.example');
    expect(['/a%20b', '/50%', '/%zz'].map(carries)).toEqual([true, false, false]);
    expect(singBox.canCarry(sampleInbound({ network: 'xhttp' }), 'a.example')).toBe(false);
  });
});

describe('xray', () => {
  it('writes vless over xhttp with TLS, its certificate and its pin', () => {
    const entry = buildEntry({ network: 'xhttp', security: 'tls', path: '/x', alpn: ['h2'] }, SELF_SIGNED);
    expect(renderXray(entry)).toEqual({
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
    expect(
      renderXray(buildEntry({ ...REALITY, protocol: 'trojan', network: 'grpc', serviceName: 'gs' })),
    ).toMatchObject({
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
    expect(xray.canCarry(sampleInbound(), address)).toBe(isCarried);
    expect(xray.canCarry(sampleInbound({ security: 'tls' }), address)).toBe(true);
    expect(xray.canCarry(sampleInbound({ protocol: 'vmess' }), address)).toBe(true);
  });

  it('chooses among several by a balancer, and begins with the first', () => {
    const { remarks, routing } = readXray(
      xray.write([buildEntry({}, NO_SECRETS, 'A'), buildEntry({}, NO_SECRETS, 'B')], 'Title'),
    );
    expect(remarks).toBe('Title');
    expect(routing?.balancers[0]?.fallbackTag).toBe('proxy: A');
    expect(readXray(xray.write([buildEntry({})], 'Title'))).not.toHaveProperty('routing');
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
  const listNames = NAMES[format];
  const render = (inbounds: readonly InboundRow[], changes = {}) =>
    renderSubscription(buildSubscription(inbounds, changes), SETTINGS, { format, now: 0 });
  const read = (inbounds: readonly InboundRow[], changes = {}) => listNames?.(render(inbounds, changes).body);

  it('says why to a user who may not connect', () => {
    const user = buildUser({ state: 'disabled' });
    const { body, headers } = render([sampleInbound({ security: 'tls' })], { user, canConnect: false });
    expect(listNames?.(body)).toEqual(['Access is disabled']);
    expect(body).not.toContain(UUID);
    expect(headers).not.toHaveProperty('x-gatehouse-left-out');
  });

  it('says so where there is no connection, and where none can be carried', () => {
    expect(read([])).toEqual(['No connections available yet']);
    const { body, headers } = render([sampleInbound({ protocol: 'shadowsocks' })]);
    expect(listNames?.(body)).toEqual(['Your connections need another app']);
    expect(headers['x-gatehouse-left-out']).toBe('1');
  });

  it('leaves out shadowsocks 2022 while the key of its server is locked away', () => {
    const inbound = sampleInbound({ protocol: 'shadowsocks', method: '2022-blake3-aes-256-gcm' });
    const connect = (serverKey: string | null) => ({
      inbounds: [{ inbound, address: 'a.example', engine: null, secrets: { ...NO_SECRETS, serverKey } }],
    });
    expect(read([], connect(SERVER_KEY))).toEqual(['DE 1']);
    expect(render([], connect(null)).headers['x-gatehouse-left-out']).toBe('1');
  });

  it('gives no connection a name that the document has of its own', () => {
    const names = ['PROXY', 'proxy', 'AUTO', 'auto', 'direct', 'DIRECT', 'GLOBAL', 'DE', 'DE'];
    const inbounds = names.map((name) => sampleInbound({ name, security: 'tls' }));
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
      const found = listNames?.(body) ?? [];
      const leftOut = Number(headers['x-gatehouse-left-out'] ?? 0);
      expect(new Set(found).size).toBe(found.length);
      expect(found.length + leftOut).toBe(Math.max(inbounds.length, leftOut + 1));
      expect(inbounds.filter((row) => !canShare(row)).length).toBeLessThanOrEqual(leftOut);
    },
  );
});
