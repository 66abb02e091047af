// Subscriptions to render in tests, and a reader of share links that knows nothing of how they are written.
import { fc } from '@fast-check/vitest';
import { FINGERPRINTS } from '../../src/contract/inbounds.ts';
import { XHTTP_MODES, type XhttpExtra } from '../../src/contract/xhttp.ts';
import type { Subscription } from '../../src/core/kernel/core.ts';
import type { InboundRow } from '../../src/core/ports/inbounds.ts';
import type { UserRow } from '../../src/core/ports/users.ts';
import type { EngineVersion } from '../../src/domain/nodes/engine-facts.ts';
import { expandHosts, type Host } from '../../src/domain/subscription/hosts.ts';
import { PLAIN_USER } from './plain-user.ts';

export const UUID = '66ad4540-b58c-4ad2-9926-ea63445a9b57';

export function sampleInbound(changes: Partial<InboundRow> = {}): InboundRow {
  return {
    id: 1,
    nodeId: 1,
    tag: 'in-1',
    name: 'DE 1',
    protocol: 'vless',
    network: 'tcp',
    security: 'none',
    host: null,
    port: 443,
    sni: null,
    path: null,
    serviceName: null,
    proxyHeader: null,
    flow: null,
    fingerprint: null,
    alpn: null,
    publicKey: null,
    xhttpMode: null,
    xhttpExtra: null,
    encryption: null,
    mldsa65Verify: null,
    shortId: null,
    moreShortIds: [],
    moreServerNames: [],
    method: null,
    obfsPassword: null,
    hopPorts: null,
    masquerade: null,
    fragment: null,
    noise: null,
    mux: null,
    sharesPortOf: null,
    fallback: null,
    fallbackProxyProtocol: null,
    addressPool: null,
    mtu: null,
    target: null,
    groupId: null,
    minClientVersion: null,
    hosts: [],
    hostOrder: 'listed',
    targetFindings: null,
    certificate: null,
    note: '',
    enabled: true,
    createdAt: 0,
    updatedAt: 0,
    version: 1,
    ...changes,
  };
}

/** A host that changes nothing of its connection. */
export function sampleHost(changes: Partial<Host> = {}): Host {
  return {
    name: null,
    address: null,
    port: null,
    security: null,
    sni: null,
    hostHeader: null,
    path: null,
    alpn: null,
    fingerprint: null,
    weight: 1,
    tariffs: [],
    tags: [],
    enabled: true,
    ...changes,
  };
}

/** A host with every member. */
export const FULL_HOST: Host = {
  name: 'CDN {{DAYS_LEFT}}',
  address: 'cdn.example',
  port: 8443,
  security: 'tls',
  sni: 'front.example',
  hostHeader: 'host.example',
  path: '/cdn',
  alpn: ['h2'],
  fingerprint: 'firefox',
  weight: 3,
  tariffs: [1],
  tags: ['vip'],
  enabled: false,
};

export function buildUser(changes: Partial<UserRow> = {}): UserRow {
  return {
    ...PLAIN_USER,
    id: 7,
    name: 'Anna',
    tariffId: 1,
    termBeganAt: null,
    token: 'Zp3kVn0cQm6yT1uXw8RsLg',
    ...changes,
  };
}

/** A user who may connect to these inbounds, each at de1.example.com unless the inbound names a host. */
export function buildSubscription(
  inbounds: readonly InboundRow[],
  changes: Partial<Subscription> = {},
  engine: EngineVersion | null = null,
): Subscription {
  const user = changes.user ?? buildUser();
  const places = inbounds.map((inbound) => ({
    inbound,
    address: inbound.host ?? 'de1.example.com',
    engine,
    secrets: { serverKey: null, certificate: null, pin: null },
  }));
  return {
    user,
    credentials: {
      uuid: UUID,
      password: 'q7Rk2_vN-pass',
      key: 'c2hhZG93c29ja3MtMjAyMi1rZXktb2YtMzItYnl0ZXM=',
      wireguard: 'd2lyZWd1YXJkLXByaXZhdGUta2V5LW9mLTMyLWJ5dCE=',
    },
    canConnect: true,
    total: null,
    inbounds: expandHosts(places, user),
    offers: () => [],
    bot: () => null,
    url: 'https://192.168.1.10:8443/sub/Zp3kVn0cQm6yT1uXw8RsLg',
    ...changes,
  };
}

/** What a client reads out of a share link. */
export interface ReadLink {
  readonly scheme: string;
  readonly user: string;
  readonly host: string;
  readonly port: number;
  readonly parameters: Readonly<Record<string, string>>;
  readonly name: string;
}

/** Reads vless, trojan and ss by RFC 3986 alone, and vmess as base64 of JSON; throws on anything malformed or said twice. */
export function readLink(link: string): ReadLink {
  if (/[^\x21-\x7e]/.test(link)) throw new Error('not one line of ASCII');
  if (link.startsWith('vmess://')) return readVmess(link);
  const found = /^([a-z]+2?):\/\/([^@/?#]+)@(\[[0-9a-fA-F:.]+\]|[^:/?#@[\]]+):(\d{1,5})\/?(?:\?([^#]*))?#([^#]*)$/.exec(
    link,
  );
  if (!found) throw new Error('not a link');
  const [, scheme = '', user = '', host = '', port = '', query = '', name = ''] = found;
  const parameters: Record<string, string> = {};
  for (const pair of query === '' ? [] : query.split('&')) {
    const [key, value, ...rest] = pair.split('=').map(decodeURIComponent);
    if (key === undefined || value === undefined || rest.length > 0) throw new Error(`not a parameter: ${pair}`);
    if (key in parameters) throw new Error(`said twice: ${key}`);
    parameters[key] = value;
  }
  const isEncoded = scheme === 'ss';
  return {
    scheme,
    user: isEncoded ? Buffer.from(decodeURIComponent(user), 'base64url').toString('utf8') : decodeURIComponent(user),
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port),
    parameters,
    name: decodeURIComponent(name),
  };
}

function readVmess(link: string): ReadLink {
  const text = Buffer.from(link.slice('vmess://'.length), 'base64').toString('utf8');
  const { ps, add, port, id, ...parameters } = JSON.parse(text) as Record<string, string>;
  return { scheme: 'vmess', user: id ?? '', host: add ?? '', port: Number(port), parameters, name: ps ?? '' };
}

/** Names that break what is not encoded: delimiters, percent signs, emoji, right to left, white space, quotes, long ones. */
export const hostileName = fc.oneof(
  fc.constantFrom(
    '#',
    'a&security=none',
    '100%',
    '%0A%23',
    '🇩🇪 Германия 🚀',
    'شبكة ‏ألمانيا',
    "it's (1) *new*!",
    '  lead and trail  ',
    '"quoted" \\ back',
    '@host:1?x=y#z',
    'a'.repeat(100),
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 100 }),
);

const PUBLIC_KEY = 'jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI-T4E7RoLJS0';

/** Any connection by its fields alone, also such as no client can be told of. */
export const anyInbound: fc.Arbitrary<InboundRow> = fc
  .record({
    protocol: fc.constantFrom('vless', 'vmess', 'trojan', 'shadowsocks', 'hysteria2', 'wireguard'),
    network: fc.constantFrom('tcp', 'ws', 'grpc', 'httpupgrade', 'xhttp', 'quic', 'udp'),
    security: fc.constantFrom('none', 'tls', 'reality'),
    port: fc.integer({ min: 1, max: 65535 }),
    path: fc.option(fc.oneof(fc.stringMatching(/^\/[\x21-\x7e]{0,40}$/), fc.constant('/a?ed=2048'))),
    serviceName: fc.option(fc.stringMatching(/^[\x21-\x7e]{1,40}$/)),
    sni: fc.option(fc.domain()),
    flow: fc.option(fc.constant('xtls-rprx-vision')),
    alpn: fc.option(fc.subarray(['h2', 'http/1.1', 'h3'])),
    fingerprint: fc.option(fc.constantFrom(...FINGERPRINTS)),
    publicKey: fc.option(fc.constant(PUBLIC_KEY)),
    xhttpMode: fc.option(fc.constantFrom(...XHTTP_MODES)),
    xhttpExtra: fc.option(
      fc.constantFrom<XhttpExtra>(
        { xPaddingBytes: '1-9', noSSEHeader: true },
        { seqKey: "&%'" },
        { headers: { '#X': '1', '*Y': '2', "'Z": '3', null: '4' } },
      ),
    ),
    encryption: fc.option(fc.constant(`mlkem768x25519plus.native.0rtt.${PUBLIC_KEY}`)),
    mldsa65Verify: fc.option(fc.constant('v'.repeat(2603))),
    shortId: fc.option(fc.constantFrom('', '6ba8')),
    method: fc.option(fc.constantFrom('aes-128-gcm', 'aes-256-gcm')),
    obfsPassword: fc.option(fc.stringMatching(/^[\x21-\x7e]{4,40}$/)),
    hopPorts: fc.option(fc.constantFrom('443', '20000-30000', '443,20000-20100')),
    fragment: fc.option(fc.constantFrom('tlshello,100-200,10-20', '1-3,50,0')),
    noise: fc.option(fc.constantFrom('3,50-100,10-20', '1,10,0')),
    mux: fc.option(fc.integer({ min: 1, max: 1024 })),
    addressPool: fc.option(fc.constantFrom('10.64.0.0/10', '192.168.4.0/24')),
    mtu: fc.option(fc.integer({ min: 1280, max: 1500 })),
  })
  // Hysteria2 and WireGuard are each over one network and security: mostly these.
  .chain((fields) =>
    fc
      .boolean()
      .map((isWhole) =>
        isWhole && fields.protocol === 'hysteria2'
          ? { ...fields, network: 'quic', security: 'tls' }
          : isWhole && fields.protocol === 'wireguard'
            ? { ...fields, network: 'udp', security: 'none', publicKey: PUBLIC_KEY, addressPool: '10.64.0.0/10' }
            : fields,
      ),
  )
  .map((fields) => sampleInbound(fields as Partial<InboundRow>));

/** A host with any of the members that the panel accepts one by one. */
export const anyHost: fc.Arbitrary<Host> = fc
  .record({
    name: fc.option(fc.oneof(hostileName, fc.constantFrom('{{USERNAME}} | {{DAYS_LEFT}}', '{PROTOCOL} {SERVER_IP}'))),
    address: fc.option(fc.oneof(fc.domain(), fc.ipV4(), fc.constantFrom('2001:db8::1', 'пример.рф'))),
    port: fc.option(fc.integer({ min: 1, max: 65_535 })),
    security: fc.option(fc.constantFrom('none', 'tls')),
    sni: fc.option(fc.domain()),
    hostHeader: fc.option(fc.domain()),
    path: fc.option(fc.constantFrom('/', '/cdn', '/a?ed=2048')),
    alpn: fc.option(fc.subarray(['h2', 'http/1.1', 'h3'])),
    fingerprint: fc.option(fc.constantFrom(...FINGERPRINTS)),
  })
  .map((fields) => sampleHost(fields as Partial<Host>));
