// What an engine is started with: the start's mark, who is let in, what is kept from users, and what is refused before an engine sees it.
import { describe, expect, it } from 'vitest';
import { sampleHost, sampleInbound } from '../../tests/support/subscription-samples.ts';
import { METHODS, PROTOCOLS } from '../contract/inbounds.ts';
import { type EngineConfig, EngineError, type EngineInbound } from '../core/ports/engines.ts';
import { allowedNetworks, allowedSecurities } from '../domain/nodes/inbound-shape.ts';
import { DEFAULT_POOL } from '../domain/nodes/wireguard.ts';
import { computeFingerprint, type EngineStart, engineConfigText, type StartUser } from './engine-config.ts';

const START: EngineStart = {
  name: 'xray',
  apiPort: 10_085,
  boot: 'b00t',
  fingerprint: 'f1n6er',
  spareKey: btoa('s'.repeat(32)),
  innerPorts: new Map(),
};
const CREDENTIALS = {
  uuid: '66ad4540-b58c-4ad2-9926-ea63445a9b57',
  password: 'p'.repeat(32),
  key: btoa('k'.repeat(32)),
  wireguard: btoa('w'.repeat(32)),
};

const KEY = btoa('n'.repeat(32));

function engineInbound(fields: Partial<EngineInbound> = {}): EngineInbound {
  return {
    ...sampleInbound(),
    privateKey: null,
    certificateKey: null,
    decryption: null,
    mldsa65Seed: null,
    serverKey: null,
    ...fields,
  };
}

const HYSTERIA2 = { protocol: 'hysteria2', network: 'quic', security: 'tls' } as const;
const SERVED = {
  certificate: { chain: 'a\nb', isOwn: false, isSelfSigned: true, sha256: '', endsAt: 0 },
  certificateKey: 'c\nd',
};

function buildConfig(inbounds: readonly EngineInbound[], blocksPrivate = true): EngineConfig {
  return { inbounds, blocksPrivate };
}

interface Tree {
  readonly log: object;
  readonly inbounds: readonly Readonly<Record<string, unknown>>[];
  readonly outbounds: readonly Readonly<Record<string, unknown>>[];
  readonly routing: { readonly rules: readonly Readonly<Record<string, unknown>>[] };
}

function buildTree(config: EngineConfig, users: readonly StartUser[] = [], start: Partial<EngineStart> = {}): Tree {
  return JSON.parse(engineConfigText(config, users, { ...START, ...start }));
}

const user = (userId: number, ...inbounds: number[]): StartUser => ({ userId, credentials: CREDENTIALS, inbounds });

function buildClients(fields: Partial<EngineInbound>): unknown {
  const { inbounds } = buildTree(buildConfig([engineInbound({ id: 5, ...fields })]), [user(7, 5), user(8, 6)]);
  return (inbounds[1]?.settings as { clients: unknown } | undefined)?.clients;
}

describe('a configuration', () => {
  it('marks its start, listens for the panel on loopback alone, and logs no user', () => {
    const { log, inbounds, outbounds } = buildTree(buildConfig([]));
    expect(log).toEqual({ access: 'none', loglevel: 'warning' });
    expect(inbounds).toMatchObject([{ listen: '127.0.0.1', port: 10_085, protocol: 'dokodemo-door' }]);
    expect(outbounds[0]).toMatchObject({ protocol: 'freedom' });
    expect(outbounds.at(-1)).toEqual({ tag: 'boot-b00t-f1n6er-user', protocol: 'blackhole' });
  });

  it('lets users in by what they have for its protocol, where they may', () => {
    const { uuid, password } = CREDENTIALS;
    const flow = 'xtls-rprx-vision';
    const key = Buffer.from('s'.repeat(16)).toString('base64');
    expect(buildClients({ flow })).toEqual([{ email: 'u7.in-1', id: uuid, flow }]);
    expect(buildClients({ protocol: 'vmess' })).toEqual([{ email: 'u7.in-1', id: uuid, alterId: 0 }]);
    expect(buildClients({ protocol: 'trojan' })).toEqual([{ email: 'u7.in-1', password }]);
    expect(buildClients({ ...HYSTERIA2, ...SERVED })).toEqual([{ email: 'u7.in-1', auth: password }]);
    const method = 'aes-256-gcm';
    expect(buildClients({ protocol: 'shadowsocks', method })).toEqual([
      { email: 'placeholder', method, password: START.spareKey },
      { email: 'u7.in-1', method, password },
    ]);
    const modern = { protocol: 'shadowsocks', method: '2022-blake3-aes-128-gcm', serverKey: key } as const;
    expect(buildClients(modern)).toEqual([
      { email: 'placeholder', password: key },
      { email: 'u7.in-1', password: Buffer.from('k'.repeat(16)).toString('base64') },
    ]);
  });

  it('lets users in by what they have for one inbound alone, with the flow of that', () => {
    const credentials = {
      ...CREDENTIALS,
      byInbound: [
        { inboundId: 5, value: 'own', flow: '' },
        { inboundId: 6, value: btoa('o'.repeat(32)), flow: null },
      ],
    };
    const clientsOf = (fields: Partial<EngineInbound>) =>
      buildTree(buildConfig([engineInbound(fields)]), [{ userId: 7, credentials, inbounds: [5, 6, 9] }]).inbounds[1]
        ?.settings;
    const flow = 'xtls-rprx-vision';
    expect(clientsOf({ id: 5, flow })).toMatchObject({ clients: [{ id: 'own', flow: '' }] });
    expect(clientsOf({ id: 5, protocol: 'vmess' })).toMatchObject({ clients: [{ id: 'own' }] });
    expect(clientsOf({ id: 5, protocol: 'trojan' })).toMatchObject({ clients: [{ password: 'own' }] });
    expect(clientsOf({ id: 9, flow })).toMatchObject({ clients: [{ id: CREDENTIALS.uuid, flow }] });
    const modern = { protocol: 'shadowsocks', method: '2022-blake3-aes-256-gcm', serverKey: KEY } as const;
    expect(clientsOf({ id: 6, ...modern })).toMatchObject({ clients: [{}, { password: btoa('o'.repeat(32)) }] });
  });

  it('serves Hysteria2 over QUIC, with obfuscation where it has a password, and a change of that is another start', () => {
    const buildStream = (obfsPassword: string | null) =>
      buildTree(buildConfig([engineInbound({ ...HYSTERIA2, ...SERVED, obfsPassword })])).inbounds[1];
    expect(buildStream(null)).toMatchObject({
      protocol: 'hysteria',
      settings: { version: 2, clients: [] },
      streamSettings: {
        network: 'hysteria',
        security: 'tls',
        hysteriaSettings: { version: 2 },
        tlsSettings: { minVersion: '1.3', alpn: ['h3'] },
      },
    });
    expect(buildStream(null)?.streamSettings).not.toHaveProperty('finalmask');
    expect(buildStream('obfuscated')).toMatchObject({
      streamSettings: { finalmask: { udp: [{ type: 'salamander', settings: { password: 'obfuscated' } }] } },
    });
    const [plain, masked] = [null, 'obfuscated'].map((obfsPassword) =>
      computeFingerprint(buildConfig([engineInbound({ ...HYSTERIA2, ...SERVED, obfsPassword })])),
    );
    expect(plain).not.toBe(masked);
  });

  const OWNER = engineInbound({ ...SERVED, id: 1, security: 'tls' });
  const sharer = (id: number, fields: Partial<EngineInbound>) =>
    engineInbound({ id, tag: `in-${id}`, security: 'tls', sharesPortOf: 1, ...fields });

  it('passes on to connections that share a port, on loopback and without TLS, and all others to the site', () => {
    const owner = { ...OWNER, fallback: '127.0.0.1:8080', fallbackProxyProtocol: 1 };
    const ws = sharer(2, { network: 'ws', path: '/ws?ed=2048', proxyHeader: 'X-Proxy' });
    const grpc = sharer(3, { protocol: 'trojan', network: 'grpc' });
    const innerPorts = new Map([
      [2, 30_002],
      [3, 30_003],
    ]);
    const [, first, second, third] = buildTree(buildConfig([owner, ws, grpc]), [], { innerPorts }).inbounds;
    expect(first).toMatchObject({
      listen: '0.0.0.0',
      settings: {
        fallbacks: [
          { path: '/ws', dest: '127.0.0.1:30002', xver: 2 },
          { alpn: 'h2', dest: '127.0.0.1:30003', xver: 2 },
          { dest: '127.0.0.1:8080', xver: 1 },
        ],
      },
      streamSettings: { security: 'tls', tlsSettings: { alpn: ['h2', 'http/1.1'] } },
    });
    expect(second).toMatchObject({
      listen: '127.0.0.1',
      port: 30_002,
      streamSettings: {
        security: 'none',
        wsSettings: { path: '/ws?ed=2048', acceptProxyProtocol: true },
        sockopt: { trustedXForwardedFor: ['X-Proxy'] },
      },
    });
    expect(third).toMatchObject({
      listen: '127.0.0.1',
      port: 30_003,
      streamSettings: { security: 'none', sockopt: { acceptProxyProtocol: true } },
    });
  });

  it('lets in the server names of hosts, and of connections that share the port', () => {
    const owner = engineInbound({
      id: 1,
      security: 'reality',
      privateKey: 'k',
      sni: 'a.example',
      moreServerNames: ['b.example'],
      hosts: [sampleHost({ sni: 'c.example' }), sampleHost({ sni: 'a.example', enabled: false })],
    });
    const grpc = sharer(2, {
      security: 'reality',
      network: 'grpc',
      sni: 'd.example',
      hosts: [sampleHost({ sni: 'e.example' })],
    });
    const [, first] = buildTree(buildConfig([owner, grpc])).inbounds;
    expect(first).toMatchObject({
      streamSettings: {
        realitySettings: { serverNames: ['a.example', 'b.example', 'c.example', 'd.example', 'e.example'] },
      },
    });
  });

  it('offers HTTP/2 for a site only if the connection names it', () => {
    const alpnOf = (fields: Partial<EngineInbound>) => {
      const [, first] = buildTree(buildConfig([{ ...OWNER, ...fields }])).inbounds;
      return (first?.streamSettings as { readonly tlsSettings: { readonly alpn: unknown } } | undefined)?.tlsSettings
        .alpn;
    };
    expect(alpnOf({})).toEqual(['h2', 'http/1.1']);
    expect(alpnOf({ fallback: '127.0.0.1:8080' })).toEqual(['http/1.1']);
    expect(alpnOf({ fallback: '127.0.0.1:8080', alpn: ['http/1.1', 'h2'] })).toEqual(['http/1.1', 'h2']);
  });

  it('needs another start of the owner when one that shares its port comes, goes or changes its path', () => {
    const ws = sharer(2, { network: 'ws', path: '/ws' });
    const all = [[OWNER], [OWNER, ws], [OWNER, { ...ws, path: '/other' }], [{ ...OWNER, fallback: '127.0.0.1:80' }]];
    expect(new Set(all.map((inbounds) => computeFingerprint(buildConfig(inbounds)))).size).toBe(all.length);
  });

  it('has no counters of whole connections, with which no user of Hysteria2 is counted', () => {
    expect(engineConfigText(buildConfig([]), [], START)).not.toContain('statsInbound');
  });

  it('keeps users from private addresses unless they are allowed', () => {
    const blocked = buildTree(buildConfig([])).routing.rules;
    expect(blocked).toHaveLength(2);
    expect(blocked[1]?.ip).toEqual(expect.arrayContaining(['127.0.0.0/8', '10.0.0.0/8', 'fc00::/7', '169.254.0.0/16']));
    expect(buildTree(buildConfig([], false)).routing.rules).toHaveLength(1);
  });

  it('says to REALITY which clients are let in, rather than leave it to a version of Xray', () => {
    const reality = { security: 'reality', sni: 'www.example.org', privateKey: 'k' } as const;
    const settings = (fields: Partial<EngineInbound>) => {
      const { inbounds } = buildTree(buildConfig([engineInbound({ ...reality, ...fields })]));
      return (inbounds[1]?.streamSettings as { realitySettings: unknown } | undefined)?.realitySettings;
    };
    expect(settings({})).toMatchObject({ minClientVer: '0.0.0', target: 'www.example.org:443', shortIds: [''] });
    const given = { minClientVersion: '26.3.27', target: '[2001:db8::1]:8443', shortId: 'ab' };
    expect(settings(given)).toMatchObject({ minClientVer: '26.3.27', target: '[2001:db8::1]:8443', shortIds: ['ab'] });
    const former = { shortId: 'ab', moreShortIds: ['', 'ab', '0123'], moreServerNames: ['example.org'] };
    expect(settings(former)).toMatchObject({
      shortIds: ['ab', '', '0123'],
      serverNames: ['www.example.org', 'example.org'],
    });
  });
});

describe('a configuration is refused', () => {
  const refusal = (fields: Partial<EngineInbound>, start: Partial<EngineStart> = {}) => {
    try {
      buildTree(buildConfig([engineInbound(fields)]), [], start);
      return null;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      return `${error.code} ${error.message}`;
    }
  };

  it.each<[Partial<EngineInbound>, string]>([
    [{ security: 'reality', sni: 'a.example' }, 'config_refused in-1: its private key is missing'],
    [{ security: 'tls' }, 'config_refused in-1: its certificate is missing'],
    [
      { protocol: 'shadowsocks', method: '2022-blake3-aes-256-gcm' },
      'config_refused in-1: the key of its server is missing',
    ],
  ])('%j: without a secret', (fields, expected) => {
    expect(refusal(fields)).toBe(expected);
  });

  it.each<Partial<EngineInbound>>([
    { network: 'xhttp' },
    { network: 'grpc' },
    { network: 'httpupgrade' },
    { security: 'reality', sni: 'a.example', privateKey: 'k' },
    { flow: 'xtls-rprx-vision' },
    { protocol: 'shadowsocks', method: 'aes-256-gcm' },
  ])('%j: by v2ray, which would pass over it', (fields) => {
    expect(refusal(fields)).toBeNull();
    expect(refusal(fields, { name: 'v2ray' })).toMatch(/^config_refused in-1: v2ray .*; use Xray$/);
  });
});

describe('a fingerprint', () => {
  const certificate = { chain: 'PEM', isOwn: false, isSelfSigned: true, sha256: '', endsAt: 0 };
  const keys = { privateKey: KEY, certificate, certificateKey: 'PEM', serverKey: KEY };
  const SHAPES = PROTOCOLS.flatMap((protocol) =>
    allowedSecurities(protocol).flatMap((security) =>
      allowedNetworks({ protocol, security }).map((network) => ({ protocol, security, network })),
    ),
  );
  const buildBaseInbound = (shape: (typeof SHAPES)[number], method: string) =>
    engineInbound({ ...shape, ...keys, sni: 'a.example', method, addressPool: DEFAULT_POOL });
  const other = { ...certificate, chain: 'other' };
  const CHANGES: readonly Partial<EngineInbound>[] = [
    { tag: 'other' },
    { port: 444 },
    { network: 'ws' },
    { security: 'none' },
    { sni: 'b.example' },
    { path: '/other' },
    { serviceName: 'other' },
    { proxyHeader: 'X-Forwarded-For' },
    { flow: 'xtls-rprx-vision' },
    { alpn: ['h2'] },
    { method: '2022-blake3-aes-256-gcm' },
    { method: 'aes-256-gcm' },
    { target: 'b.example:443' },
    { minClientVersion: '1.8.0' },
    { privateKey: btoa('o'.repeat(32)) },
    { privateKey: null },
    { shortId: 'ab' },
    { moreShortIds: ['ab'] },
    { moreServerNames: ['example.org'] },
    { xhttpMode: 'packet-up' },
    { xhttpExtra: { xPaddingBytes: '100-1000' } },
    { encryption: 'e', decryption: 'd' },
    { encryption: 'e' },
    { mldsa65Verify: 'v', mldsa65Seed: 's' },
    { mldsa65Verify: 'v' },
    { decryption: 'd' },
    { mldsa65Seed: 's' },
    { certificate: other },
    { certificateKey: 'other' },
    { serverKey: btoa('o'.repeat(32)) },
    { obfsPassword: 'other' },
    { masquerade: 'https://a.example' },
    { addressPool: '10.0.0.0/8' },
    { mtu: 1300 },
    { name: 'Other' },
    { host: 'b.example' },
    { fingerprint: 'ios' },
    { publicKey: 'other' },
    { updatedAt: 9 },
  ];
  const read = (inbound: EngineInbound) => {
    try {
      return engineConfigText(buildConfig([inbound]), [user(1, inbound.id)], START);
    } catch (error) {
      return String(error);
    }
  };

  it.each(SHAPES)('of %j is another one exactly where the engine reads something else', (shape) => {
    let needed = 0;
    for (const method of METHODS) {
      const base = buildBaseInbound(shape, method);
      for (const change of CHANGES) {
        const changed = { ...base, ...change };
        const needsStart = read(changed) !== read(base);
        const isOther = computeFingerprint(buildConfig([changed])) !== computeFingerprint(buildConfig([base]));
        expect(isOther, JSON.stringify(change)).toBe(needsStart);
        needed += Number(needsStart);
      }
    }
    expect(needed).toBeGreaterThan(0);
  });

  it('differs with the networks that users may reach, with each connection, and holds letters and digits only', () => {
    const base = engineInbound();
    const fingerprints = [
      buildConfig([base]),
      buildConfig([base], false),
      buildConfig([]),
      buildConfig([base, engineInbound({ id: 2, tag: 'in-2', port: 444 })]),
      // What cannot be written hides no change of another one.
      buildConfig([base, engineInbound({ id: 2, protocol: 'wireguard' })]),
      buildConfig([{ ...base, port: 445 }, engineInbound({ id: 2, protocol: 'wireguard' })]),
    ].map(computeFingerprint);
    expect(new Set(fingerprints).size).toBe(fingerprints.length);
    for (const fingerprint of fingerprints) expect(fingerprint).toMatch(/^[0-9a-f]{16}$/);
  });
});
