// What tests of a whole panel share: a node of this machine with one connection and one user, and a client that is configured by the
// user's link.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { type NodeMachine, runMachine } from '../../src/agent/machine.ts';
import type { InboundCreate } from '../../src/contract/inbounds.ts';
import { stopStrays } from '../../src/engines/engine-state.ts';
import type { Json } from '../support/engine-process.ts';
import { freePort } from '../support/free-port.ts';
import { type Client, createClient } from '../support/http-client.ts';
import { type OwnPanel, PASSWORD } from '../support/own-panel.ts';
import { readLink } from '../support/subscription-samples.ts';
import { getProgramPath } from './found.ts';
import { clientConfig, fetchThrough, socksConnect, startProgram, startTarget, targetHost } from './real-engine.ts';

const COMMAND = join(import.meta.dirname, '../../bin/panel.mjs');

export const ENGINES = ['xray', 'xray-new', 'v2ray'] as const;
export type EngineUnderTest = (typeof ENGINES)[number];

/** What all engines can serve, a stream and a web transport, and what only a new Xray can. */
export const SHAPES = {
  xray: { protocol: 'vless', network: 'tcp', security: 'none' },
  'xray-new': { protocol: 'wireguard' },
  v2ray: { protocol: 'vmess', network: 'ws', security: 'none', path: '/ws' },
} as const;

export const REQUEST = Buffer.alloc(3001, 'q');
export const ANSWER = Buffer.alloc(1_048_577, 'a');
/** What a whole pull moves. */
export const PULLED = { up: REQUEST.length, down: ANSWER.length };
/** A poll is every 10 seconds. */
export const POLLED = { timeout: 90_000, interval: 250 };
/** Engines hold the connections that they refuse. */
const GIVEN_UP_MS = 3000;

export interface Scene {
  readonly api: Client;
  readonly nodeId: number;
  readonly userId: number;
}

type Shape = Partial<InboundCreate> & Pick<InboundCreate, 'protocol'>;

/** A node that is up, with one connection and one user. */
export async function openScene(
  { administrator, panel, newKey, ca }: OwnPanel,
  program: EngineUnderTest,
  shape: Shape = SHAPES[program],
): Promise<Scene> {
  const api = createClient({ baseUrl: panel.baseUrl, key: await newKey('full'), ca });
  await administrator.call('updateSettings', { engine_path: getProgramPath(program), password: PASSWORD });
  // Enabled when it has its connection, so that its engine starts once.
  const node = { name: 'Here', kind: 'local', address: '127.0.0.1', allows_private: true, enabled: false } as const;
  const { id: nodeId } = (await administrator.call('createNode', node)).body;
  await api.call('createInbound', {
    ...shape,
    node_id: nodeId,
    tag: 'in',
    name: 'In',
    port: await freePort(),
  });
  const { id: tariff_id } = (await api.call('createTariff', { name: 'Unlimited' })).body;
  const { id: userId } = (await api.call('createUser', { name: 'Anna', tariff_id })).body;
  await administrator.call('updateNode', { id: nodeId, enabled: true });
  await expect.poll(async () => (await api.call('getNode', { id: nodeId })).body.status, POLLED).toBe('up');
  return { api, nodeId, userId };
}

/** The second reading that ends from now on has begun later. */
export async function readTwice({ api, nodeId: id }: Scene): Promise<void> {
  const seen = async () => (await api.call('getNode', { id })).body.last_seen_at;
  for (const _ of [1, 2]) {
    const before = await seen();
    await expect.poll(seen, POLLED).not.toBe(before);
  }
}

export async function readShareLink({ api, userId }: Scene): Promise<string> {
  const { sub_url } = (await api.call('getUser', { id: userId })).body;
  return (await api.send({ method: 'GET', path: `${sub_url}?format=plain` })).text.trim();
}

/** The outbound that a client makes of a share link. */
function buildOutbound(link: string): Json {
  const { scheme, user, host, port, parameters } = readLink(link);
  if (scheme === 'hysteria2') {
    return {
      protocol: 'hysteria',
      settings: { version: 2, address: host, port },
      streamSettings: {
        network: 'hysteria',
        hysteriaSettings: { version: 2, auth: user },
        security: 'tls',
        tlsSettings: { serverName: parameters.sni, alpn: ['h3'], pinnedPeerCertSha256: parameters.pinSHA256 },
      },
    };
  }
  if (scheme === 'wireguard') {
    const { publickey: publicKey, address, mtu } = parameters;
    const peers = [{ publicKey, endpoint: `${host}:${port}` }];
    const settings = { secretKey: user, address: [address], peers, mtu: Number(mtu), noKernelTun: true };
    return { protocol: 'wireguard', settings };
  }
  const network = scheme === 'vmess' ? parameters.net : parameters.type;
  const { flow, sni: serverName, fp: fingerprint, pbk: publicKey, sid: shortId } = parameters;
  const reality = { security: 'reality', realitySettings: { serverName, fingerprint, publicKey, shortId } };
  const person =
    scheme === 'vless'
      ? { id: user, encryption: 'none', ...(flow && { flow }) }
      : { id: user, alterId: 0, security: parameters.scy };
  return {
    protocol: scheme,
    settings: { vnext: [{ address: host, port, users: [person] }] },
    streamSettings: {
      network,
      ...(network === 'ws' && { wsSettings: { path: parameters.path } }),
      ...(parameters.security === 'reality' && reality),
    },
  };
}

export interface Puller extends AsyncDisposable {
  /** Moves a request and its answer; how many bytes came back: none where the engine refuses, or where it takes too long. */
  pull(limitMs?: number): Promise<number>;
}

/** A client that is configured by a link, and a server behind the engine. */
export async function openPuller(program: EngineUnderTest, link: string): Promise<Puller> {
  const socksPort = await freePort();
  const target = await startTarget(REQUEST.length, ANSWER, targetHost(program));
  const client = await startProgram(program, clientConfig(socksPort, buildOutbound(link)));
  return {
    async pull(limitMs = GIVEN_UP_MS) {
      const givenUp = AbortSignal.timeout(limitMs);
      return (await fetchThrough(socksPort, target, REQUEST, ANSWER.length, givenUp)).length;
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await target[Symbol.asyncDispose]();
    },
  };
}

/** A pull takes about as long; without a pause they would keep both cores busy through all waiting. */
const PAUSE_MS = 30;

/** Pulls one time after the other until it is stopped; how often. Each must succeed. */
export function pullOn(client: Puller): { stop(): Promise<number> } {
  let isStopped = false;
  const work = (async () => {
    let pulls = 0;
    while (!isStopped) {
      expect(await client.pull(60_000)).toBe(ANSWER.length);
      pulls += 1;
      await pause(PAUSE_MS);
    }
    return pulls;
  })();
  return {
    stop() {
      isStopped = true;
      return work;
    },
  };
}

export interface MachineFolder extends AsyncDisposable {
  /** A folder for the test, in which `folder` is the machine's. */
  readonly parent: string;
  readonly folder: string;
  /** `runMachine` in this process. */
  run(options: Omit<Parameters<typeof runMachine>[0], 'folder'>): Promise<NodeMachine>;
  /** `panel node <words>`, a process of its own; `input` is what comes by stdin. */
  panelNode(
    words: readonly string[],
    input?: string,
  ): { readonly child: ChildProcess; readonly ended: Promise<unknown[]> };
}

/**
 * The machine of a remote node. What still runs at the end of the test is ended, the engine too. `environment`: of its processes, beside that of
 * this one.
 */
export function openMachineFolder(environment: Readonly<Record<string, string>> = {}): MachineFolder {
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-node-'));
  const folder = join(parent, 'machine');
  const ends: (() => Promise<unknown>)[] = [];
  return {
    parent,
    folder,
    async run(options) {
      const machine = await runMachine({ ...options, folder });
      let closing: Promise<void> | null = null;
      const close = () => {
        closing ??= machine.close();
        return closing;
      };
      ends.push(close);
      return { ...machine, close };
    },
    panelNode(words, input = '') {
      const own = { GATEHOUSE_NODE_DATA: folder, GATEHOUSE_ENGINE: getProgramPath('xray') };
      const env = { ...process.env, ...own, ...environment };
      const child = spawn(process.execPath, [COMMAND, 'node', ...words], { env, stdio: ['pipe', 'ignore', 'ignore'] });
      child.stdin.on('error', () => undefined).end(input);
      const ended = once(child, 'exit');
      ends.push(() => {
        child.kill('SIGKILL');
        return ended;
      });
      return { child, ended };
    },
    async [Symbol.asyncDispose]() {
      for (const end of ends) await end();
      await stopStrays(join(folder, 'engines'), new Set());
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

/** One connection through the engine, over which bytes move when a test says so. */
export interface Stream extends AsyncDisposable {
  /** Resolves when both ends have all of it; rejects where the connection is cut. */
  move(up: number, down: number): Promise<void>;
}

export async function openStream(program: EngineUnderTest, link: string): Promise<Stream> {
  const [socksPort, targetPort] = [await freePort(), await freePort()];
  const server = createServer();
  const host = targetHost(program);
  await once(server.listen(targetPort, host), 'listening');
  // The engine may open the other side before the first bytes, or with them.
  const opened = once(server, 'connection');
  const client = await startProgram(program, clientConfig(socksPort, buildOutbound(link)));
  const near = connect({ host: '127.0.0.1', port: socksPort });
  near.on('error', () => near.destroy());
  near.write(Buffer.from([5, 1, 0]));
  await receive(near, 2);
  near.write(socksConnect({ host, port: targetPort }));
  await receive(near, 10);
  let far: Socket | null = null;
  return {
    async move(up, down) {
      near.write(Buffer.alloc(up, 'u'));
      if (far === null) {
        const [socket]: Socket[] = await opened;
        far = socket ?? null;
        far?.on('error', () => far?.destroy());
      }
      if (far === null) throw new Error('the engine opened no connection');
      const [atFar, atNear] = [receive(far, up), receive(near, down)];
      far.write(Buffer.alloc(down, 'd'));
      await Promise.all([atFar, atNear]);
    },
    async [Symbol.asyncDispose]() {
      near.destroy();
      far?.destroy();
      server.close();
      await client[Symbol.asyncDispose]();
    },
  };
}

/** Takes so many bytes from a socket, no more. */
function receive(socket: Socket, bytes: number): Promise<void> {
  if (bytes === 0) return Promise.resolve();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let left = bytes;
  const fail = () => reject(new Error('the connection was cut'));
  const receivePart = (part: Buffer) => {
    left -= part.length;
    if (left > 0) return;
    socket.off('data', receivePart).off('close', fail);
    resolve();
  };
  socket.on('data', receivePart).once('close', fail);
  if (socket.destroyed) fail();
  return promise;
}
