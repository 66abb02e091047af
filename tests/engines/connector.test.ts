// The connector against real engines: counters to the byte, membership for every kind of account, and both dialects.
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { certificateMaker } from '../../src/adapters/certificates/connection-certificates.ts';
import { nodeCrypto } from '../../src/adapters/crypto.ts';
import type { EngineInbound } from '../../src/core/ports/engines.ts';
import { DEFAULT_POOL, userTunnelAddress, wireguardKey } from '../../src/domain/nodes/wireguard.ts';
import { connectEngine } from '../../src/engines/connector.ts';
import { type Json, type ServerProgram, serverConfig, TEST_MARK } from '../support/engine-process.ts';
import { freePort } from '../support/free-port.ts';
import { isFull } from '../support/long.ts';
import { whyWithout } from './found.ts';
import { clientConfig, fetchAgain, fetchThrough, startProgram, startTarget, targetHost } from './real-engine.ts';
import { sampleCredentials, sampleInbound } from './samples.ts';

const ADDRESS = '127.0.0.1';
const REQUEST = randomBytes(1000);
/** How long nothing comes back to one who is refused. */
const REFUSED_MS = 1000;
const ANSWER = randomBytes(300_000);

/** A connection as the connector gets it, as its engine is configured, and as a client connects to it as user `number`. */
interface Case {
  readonly title: string;
  readonly inbound: EngineInbound;
  /** The engine's name of the protocol, where it has another one. */
  readonly protocol?: string;
  readonly settings: Json;
  readonly stream?: (certificate: TestCertificate) => Json;
  readonly client: (port: number, number: number, certificate: TestCertificate) => Json;
}

interface TestCertificate {
  readonly chain: string;
  readonly key: string;
  readonly sha256: string;
}

let certificate: TestCertificate;
beforeAll(async () => {
  const { served, key } = await certificateMaker.makeSelfSigned('a.example', Date.now());
  certificate = { chain: served.chain, sha256: served.sha256, key };
});

const SERVER_KEY = Buffer.alloc(32, 3).toString('base64');
const SERVER_KEY_16 = Buffer.alloc(16, 3).toString('base64');

function shadowsocks(method: string): Case {
  const is2022 = method.startsWith('2022-');
  const serverKey = method.includes('128') ? SERVER_KEY_16 : SERVER_KEY;
  const buildUserKey = (number: number) => {
    const key = Buffer.from(sampleCredentials(number).key, 'base64');
    return key.subarray(0, Buffer.from(serverKey, 'base64').length).toString('base64');
  };
  return {
    title: `shadowsocks ${method}`,
    inbound: sampleInbound({ protocol: 'shadowsocks', method }),
    // Without a user Xray takes a connection of Shadowsocks 2022 for one with a single key.
    settings: is2022
      ? { method, password: serverKey, clients: [{ email: 'nobody', password: buildUserKey(999) }], network: 'tcp' }
      : { clients: [], network: 'tcp' },
    client: (port, number) => ({
      protocol: 'shadowsocks',
      settings: {
        servers: [
          {
            address: ADDRESS,
            port,
            method,
            password: is2022 ? `${serverKey}:${buildUserKey(number)}` : sampleCredentials(number).password,
          },
        ],
      },
    }),
  };
}

const EVERYWHERE: readonly Case[] = [
  {
    title: 'vless',
    inbound: sampleInbound({ protocol: 'vless' }),
    settings: { clients: [], decryption: 'none' },
    client: (port, number) => ({
      protocol: 'vless',
      settings: {
        vnext: [{ address: ADDRESS, port, users: [{ id: sampleCredentials(number).uuid, encryption: 'none' }] }],
      },
    }),
  },
  {
    title: 'vmess',
    inbound: sampleInbound({ protocol: 'vmess' }),
    settings: { clients: [] },
    client: (port, number) => ({
      protocol: 'vmess',
      settings: { vnext: [{ address: ADDRESS, port, users: [{ id: sampleCredentials(number).uuid, alterId: 0 }] }] },
    }),
  },
  {
    title: 'trojan',
    inbound: sampleInbound({ protocol: 'trojan' }),
    settings: { clients: [] },
    client: (port, number) => ({
      protocol: 'trojan',
      settings: { servers: [{ address: ADDRESS, port, password: sampleCredentials(number).password }] },
    }),
  },
];

const HYSTERIA2: Case = {
  title: 'hysteria2',
  inbound: sampleInbound({ protocol: 'hysteria2', network: 'quic', security: 'tls' }),
  protocol: 'hysteria',
  settings: { version: 2, clients: [] },
  stream: ({ chain, key }) => ({
    network: 'hysteria',
    security: 'tls',
    hysteriaSettings: { version: 2 },
    tlsSettings: { alpn: ['h3'], certificates: [{ certificate: chain.split('\n'), key: key.split('\n') }] },
  }),
  client: (port, number, { sha256 }) => ({
    protocol: 'hysteria',
    settings: { version: 2, address: ADDRESS, port },
    streamSettings: {
      network: 'hysteria',
      security: 'tls',
      hysteriaSettings: { version: 2, auth: sampleCredentials(number).password },
      tlsSettings: { serverName: 'a.example', alpn: ['h3'], pinnedPeerCertSha256: sha256 },
    },
  }),
};

/** The other end of `sampleInbound` with WireGuard. */
const NODE_KEYS = nodeCrypto.newX25519();
const WIREGUARD: Case = {
  title: 'wireguard',
  inbound: sampleInbound({ protocol: 'wireguard', network: 'udp', addressPool: DEFAULT_POOL }),
  settings: { secretKey: NODE_KEYS.privateKey, address: ['10.64.0.1'], peers: [] },
  client: (port, number) => ({
    protocol: 'wireguard',
    settings: {
      secretKey: sampleCredentials(number).wireguard,
      address: [`${userTunnelAddress(DEFAULT_POOL, 7)}/32`],
      peers: [{ publicKey: wireguardKey(NODE_KEYS.publicKey), endpoint: `${ADDRESS}:${port}` }],
      noKernelTun: true,
    },
  }),
};

const OF_XRAY: readonly Case[] = [
  ...EVERYWHERE,
  HYSTERIA2,
  shadowsocks('aes-128-gcm'),
  shadowsocks('aes-256-gcm'),
  shadowsocks('chacha20-ietf-poly1305'),
  shadowsocks('xchacha20-ietf-poly1305'),
  shadowsocks('2022-blake3-aes-128-gcm'),
  shadowsocks('2022-blake3-aes-256-gcm'),
];

const CASES: Readonly<Record<ServerProgram, readonly Case[]>> = {
  v2ray: EVERYWHERE,
  xray: OF_XRAY,
  'xray-new': isFull ? [WIREGUARD, ...OF_XRAY] : [WIREGUARD, HYSTERIA2],
};

async function startServer(program: ServerProgram, { inbound, settings, stream, protocol = inbound.protocol }: Case) {
  const [apiPort, port] = [await freePort(), await freePort()];
  const streamSettings = stream?.(certificate);
  const configured = { tag: inbound.tag, listen: ADDRESS, port, protocol, settings, streamSettings };
  const engine = await startProgram(program, serverConfig({ apiPort, inbounds: [configured] }));
  const api = connectEngine({ address: ADDRESS, port: apiPort });
  return {
    port,
    apiPort,
    api,
    engine,
    async [Symbol.asyncDispose]() {
      api.close();
      await engine[Symbol.asyncDispose]();
    },
  };
}

for (const program of ['xray', 'xray-new', 'v2ray'] as const) {
  const reason = whyWithout(program);
  describe.skipIf(reason !== null)(`${program} ${reason ?? ''}`.trim(), () => {
    for (const sample of CASES[program]) {
      test(`${sample.title}: a user who was let in moves bytes that are counted exactly, a replaced or removed one moves none`, async () => {
        await using server = await startServer(program, sample);
        await using target = await startTarget(REQUEST.length, ANSWER, targetHost(program));
        const { api } = server;
        const { inbound } = sample;

        async function startClient(number: number) {
          const socksPort = await freePort();
          const client = await startProgram(
            program,
            clientConfig(socksPort, sample.client(server.port, number, certificate)),
          );
          const fetch = (givenUp: AbortSignal) => fetchThrough(socksPort, target, REQUEST, ANSWER.length, givenUp);
          return { fetch, [Symbol.asyncDispose]: client[Symbol.asyncDispose] };
        }
        async function fetchAs(number: number): Promise<Buffer> {
          await using client = await startClient(number);
          return await fetchAgain(client.fetch);
        }
        async function isRefused(number: number): Promise<boolean> {
          await using client = await startClient(number);
          return (await client.fetch(AbortSignal.timeout(REFUSED_MS))).length === 0;
        }
        const change = (number: number, isAllowed: boolean, userId = 7) => ({
          inbound,
          user: { userId, credentials: sampleCredentials(number) },
          isAllowed,
        });

        expect(await isRefused(1)).toBe(true);
        expect(await api.apply([change(1, true)])).toEqual([null]);
        expect(await fetchAs(1)).toEqual(ANSWER);
        const readMoved = () => target.moved(REQUEST[0] ?? 0);
        const first = await api.counters();
        const moved = readMoved();
        expect(moved.down).toBeGreaterThanOrEqual(ANSWER.length);
        expect(first).toMatchObject({ boot: TEST_MARK.boot, users: new Map([[7, moved]]) });
        expect(first.inbounds).toEqual(new Map([[inbound.tag, moved]]));

        // Replaced, though the engine has the name already: only the later credentials are let in.
        expect(await api.apply([change(2, true)])).toEqual([null]);
        expect(await isRefused(1)).toBe(true);
        expect(await fetchAs(2)).toEqual(ANSWER);
        const members = program === 'v2ray' ? null : [7];
        expect(await api.members(inbound)).toEqual(members);

        expect(await api.apply([change(2, false), change(3, false, 8)])).toEqual([null, null]);
        expect(await isRefused(2)).toBe(true);
        expect(await api.members(inbound)).toEqual(members && []);
        // The counters of a removed user stay.
        expect((await api.counters()).users).toEqual(new Map([[7, readMoved()]]));
      });
    }
  });
}
