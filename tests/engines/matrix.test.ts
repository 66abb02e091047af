// What a subscription link gives, used as it is by the real clients: every protocol over every network and security that both ends know
// moves bytes through the panel's engine, and each byte is counted for its user.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InboundCreate } from '../../src/contract/inbounds.ts';
import { METHODS, PROTOCOLS } from '../../src/contract/inbounds.ts';
import { missingFacts, NO_PARTS, type ServedShape } from '../../src/domain/nodes/engine-facts.ts';
import { allowedNetworks, allowedSecurities, PATH_NETWORKS } from '../../src/domain/nodes/inbound-shape.ts';
import { findProgram } from '../../src/engines/engine-program.ts';
import { type Json, startEngineProcess } from '../support/engine-process.ts';
import { freePort } from '../support/free-port.ts';
import { type Client, createClient } from '../support/http-client.ts';
import { isFull } from '../support/long.ts';
import { openOwnPanel, PASSWORD } from '../support/own-panel.ts';
import { type RunningClient, startClient } from './client-process.ts';
import { getProgramPath, whyWithout } from './found.ts';
import { ANSWER, POLLED, REQUEST } from './panel-traffic.ts';
import { fetchAgain, fetchThrough, ownAddress, startSite, startTarget, targetHost } from './real-engine.ts';

type ServerProgram = 'xray' | 'xray-new' | 'v2ray';
/** `wireguard`: what is in the file for WireGuard's own apps, in a client of the newer Xray. */
type ClientProgram = 'xray' | 'xray-new' | 'sing-box' | 'mihomo' | 'wireguard';
const SERVERS = ['xray', 'xray-new', 'v2ray'] as const;
const listClients = (server: ServerProgram): readonly ClientProgram[] =>
  server === 'xray-new' ? [server, 'sing-box', 'mihomo', 'wireguard'] : ['xray', 'sing-box', 'mihomo'];

/** What a client's format cannot carry, by the documents of the formats: everything else must work. */
const LEFT_OUT: Readonly<Record<ClientProgram, readonly RegExp[]>> = {
  xray: [],
  'xray-new': [],
  'sing-box': [/ xhttp /],
  mihomo: [/^(vmess|trojan) xhttp /],
  wireguard: [/^(?!wireguard )/],
};

/** WireGuard is in another build of sing-box than all else. */
const runBy = (program: ClientProgram, connection: string): Runnable =>
  program === 'sing-box' && connection.startsWith('wireguard ') ? 'sing-box-wireguard' : program;
type Runnable = ClientProgram | 'sing-box-wireguard';

type Shape = Partial<InboundCreate> & Pick<InboundCreate, 'protocol'>;

/** What only the newer Xray serves, and what it refuses of a cipher that an older one takes. */
const IN_SHORT = ['wireguard udp none', 'vmess tcp tls'];

/** v2ray serves what it does not lack. */
async function shapesFor(server: ServerProgram): Promise<readonly Shape[]> {
  if (server === 'v2ray') {
    const engine = await findProgram(getProgramPath(server));
    return shapes().filter((shape) => missingFacts(servedShape(shape), engine).length === 0);
  }
  if (server === 'xray') return shapes().filter(({ protocol }) => protocol !== 'wireguard');
  return isFull ? shapes() : shapes().filter((shape) => IN_SHORT.includes(formatShape(shape)));
}

function servedShape({ protocol, network = 'tcp', security = 'none', flow, method }: Shape): ServedShape {
  return { ...NO_PARTS, protocol, network, security, flow: flow ?? null, method: method ?? null };
}

function shapes(): Shape[] {
  const plain = PROTOCOLS.filter((protocol) => protocol !== 'shadowsocks').flatMap((protocol) =>
    allowedSecurities(protocol).flatMap((security) =>
      allowedNetworks({ protocol, security }).map((network): Shape => ({ protocol, security, network })),
    ),
  );
  const vision: Shape[] = (['tls', 'reality'] as const).map((security) => ({
    protocol: 'vless',
    security,
    network: 'tcp',
    flow: 'xtls-rprx-vision',
  }));
  const obfuscated: Shape = { protocol: 'hysteria2', security: 'tls', network: 'quic', obfs_password: 'ob?us&cated' };
  return [...plain, obfuscated, ...vision, ...METHODS.map((method): Shape => ({ protocol: 'shadowsocks', method }))];
}

function formatShape({ protocol, network = 'tcp', security = 'none', flow, method, obfs_password }: Shape): string {
  return [protocol, network, security, flow ? 'vision' : '', method ?? '', obfs_password ? 'salamander' : '']
    .filter((word) => word !== '')
    .join(' ');
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-matrix-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The file of WireGuard as another program reads it. */
function outboundOfFile(text: string): Json {
  const value = (key: string) => new RegExp(`^${key} = (.+)$`, 'm').exec(text)?.[1] ?? '';
  const peer = {
    publicKey: value('PublicKey'),
    endpoint: value('Endpoint'),
    allowedIPs: value('AllowedIPs').split(', '),
  };
  const settings = {
    secretKey: value('PrivateKey'),
    address: value('Address').split(', '),
    peers: [peer],
    mtu: Number(value('MTU')),
    noKernelTun: true,
  };
  return { protocol: 'wireguard', settings };
}

/** Starts a client with what the link gave; only the way into it is another one: a SOCKS port instead of a network interface. */
async function startWith(program: Runnable, text: string, port: number): Promise<RunningClient> {
  const home = join(folder, program);
  mkdirSync(home, { recursive: true });
  const inbounds = [{ listen: '127.0.0.1', port, protocol: 'socks', settings: { auth: 'noauth' } }];
  if (program === 'wireguard') {
    const outbounds = [outboundOfFile(text)];
    return startEngineProcess('xray-new', getProgramPath('xray-new'), { inbounds, outbounds });
  }
  if (program === 'xray' || program === 'xray-new')
    return startEngineProcess(program, getProgramPath(program), { ...JSON.parse(text), inbounds });
  if (program === 'sing-box' || program === 'sing-box-wireguard') {
    const mixed = [{ type: 'mixed', listen: '127.0.0.1', listen_port: port }];
    const log = { level: 'info' };
    writeFileSync(join(home, 'config.json'), JSON.stringify({ ...JSON.parse(text), inbounds: mixed, log }));
    return startClient(program, ['run', '-c', join(home, 'config.json')], /sing-box started/);
  }
  const yaml = text
    .replace(/^mixed-port: \d+$/m, `mixed-port: ${port}`)
    .replace('log-level: warning', 'log-level: info');
  writeFileSync(join(home, 'config.yaml'), yaml);
  return startClient(program, ['-d', home, '-f', join(home, 'config.yaml')], /proxy listening at/);
}

interface Connected {
  readonly name: string;
  readonly userId: number;
  readonly link: string;
}

/** A connection for each shape, each with a user of its own, whose id is the first byte of what that user sends. */
async function connect(
  api: Client,
  nodeId: number,
  sitePort: number,
  privateKey: string,
  made: readonly Shape[],
): Promise<Connected[]> {
  const { id: tariff_id } = (await api.call('createTariff', { name: 'Unlimited' })).body;
  const connected: Connected[] = [];
  for (const [index, shape] of made.entries()) {
    const { network = 'tcp', security = 'none' } = shape;
    const name = formatShape(shape);
    const reality = { private_key: privateKey, short_id: '6ba85179e30d4fc2', target: `127.0.0.1:${sitePort}` };
    const inbound = await api.call('createInbound', {
      ...shape,
      ...(security !== 'none' && { sni: 'a.example' }),
      ...(security === 'reality' && reality),
      ...(PATH_NETWORKS.includes(network) && { path: '/a/path' }),
      ...(network === 'grpc' && { service_name: 'a-service' }),
      // sing-box sends packets of WireGuard from the interface that leads out, which does not reach loopback.
      ...(shape.protocol === 'wireguard' && { host: ownAddress() }),
      node_id: nodeId,
      tag: `in-${index}`,
      name,
      port: await freePort(),
    });
    expect(inbound.status, `${name}: ${inbound.text}`).toBe(201);
    const user = (await api.call('createUser', { name, tariff_id, inbounds: [inbound.body.id] })).body;
    connected.push({ name, userId: user.id, link: user.sub_url });
  }
  return connected;
}

describe.each(isFull ? SERVERS : SERVERS.slice(0, 2))('links of %s in real clients', (server) => {
  const clients = listClients(server);
  const missing = whyWithout(server, 'xray', 'sing-box', 'sing-box-wireguard', 'mihomo');
  test.skipIf(missing !== null)(
    `move bytes over every connection that both ends know ${missing ?? ''}`.trim(),
    async () => {
      await using own = await openOwnPanel({ keyFile: join(folder, 'master.key'), pollEveryMs: 1000 });
      const { administrator, panel, newKey, ca } = own;
      const api = createClient({ baseUrl: panel.baseUrl, key: await newKey('full'), ca });
      await administrator.call('updateSettings', { engine_path: getProgramPath(server), password: PASSWORD });
      const node = { name: 'Here', kind: 'local', address: '127.0.0.1', allows_private: true, enabled: false } as const;
      const { id: nodeId } = (await administrator.call('createNode', node)).body;
      await using site = await startSite();
      const { private_key: privateKey } = (await administrator.call('makeRealityKeys', {})).body;
      const connected = await connect(api, nodeId, site.port, privateKey, await shapesFor(server));
      await administrator.call('updateNode', { id: nodeId, enabled: true });
      await expect.poll(async () => (await api.call('getNode', { id: nodeId })).body.status, POLLED).toBe('up');
      await using target = await startTarget(REQUEST.length, ANSWER, targetHost(server));

      async function testConnection(program: ClientProgram, { name, userId, link }: Connected): Promise<string> {
        const reply = await api.send({
          method: 'GET',
          path: `${link}?format=${program === 'xray-new' ? 'xray' : program}`,
        });
        if (reply.headers['x-gatehouse-left-out'] !== undefined) return 'left out';
        const port = await freePort();
        await using client = await startWith(runBy(program, name), reply.text, port);
        const ahead = name.includes(' 2022-') ? 1 : 0;
        const request = Buffer.alloc(REQUEST.length, userId);
        const got = await fetchAgain((givenUp) => fetchThrough(port, target, request, ANSWER.length, givenUp, ahead));
        if (got.length !== ANSWER.length) return `${got.length} bytes: ${client.output().slice(-300)}`;
        return 'works';
      }

      const faults: string[] = [];
      const lines: string[] = [];
      for (const connection of connected) {
        const cells: string[] = [];
        for (const program of clients) {
          const cell = await testConnection(program, connection);
          cells.push(`${program} ${cell.split(':')[0]}`);
          const expected = LEFT_OUT[program].some((pattern) => pattern.test(`${connection.name} `))
            ? 'left out'
            : 'works';
          if (cell !== expected) faults.push(`${connection.name} in ${program}: ${cell}`);
        }
        lines.push(`${connection.name.padEnd(42)} ${cells.map((cell) => cell.padEnd(20)).join(' ')}`);
      }
      console.log(lines.join('\n'));
      expect(faults).toEqual([]);

      const listMiscounted = async () => {
        const { items } = (await api.call('listUsers', { limit: 500 })).body;
        return items
          .map(({ id, total_up: up, total_down: down }) => ({ id, counted: { up, down }, moved: target.moved(id) }))
          .filter(({ counted, moved }) => counted.up !== moved.up || counted.down !== moved.down);
      };
      await expect.poll(listMiscounted, POLLED).toEqual([]);
      api.close();
    },
  );
});
