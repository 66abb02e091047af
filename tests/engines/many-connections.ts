// Many connections at once between a real engine and a real client, each by what the product writes for it: one process on either side, and a port of
// the client for each connection.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InboundSecrets } from '../../src/core/ports/credentials.ts';
import type { EngineInbound } from '../../src/core/ports/engines.ts';
import type { InboundRow } from '../../src/core/ports/inbounds.ts';
import { engineConfigText } from '../../src/engines/engine-config.ts';
import { NO_SECRETS } from '../../src/subscription/entry.ts';
import { renderSubscription } from '../../src/subscription/render.ts';
import { type Json, type RunnableServer, type RunningProgram, startEngineProcess } from '../support/engine-process.ts';
import type { EngineProgram } from '../support/engines.ts';
import { SETTINGS } from '../support/fake-core.ts';
import { freePort } from '../support/free-port.ts';
import { buildSubscription, sampleInbound } from '../support/subscription-samples.ts';
import { type RunningClient, startClient } from './client-process.ts';
import { getProgramPath } from './found.ts';
import { fetchAgain, fetchThrough, startTarget } from './real-engine.ts';

export const USER_ID = 7;
const REQUEST = Buffer.alloc(301, 'q');
const ANSWER = Buffer.alloc(20_001, 'a');
/** How a configuration of Xray is started that is only checked. */
export const START = {
  name: 'xray',
  apiPort: 1,
  boot: '0123abcd',
  fingerprint: 'fedc9876',
  spareKey: Buffer.alloc(32, 5).toString('base64'),
  innerPorts: new Map<number, number>(),
} as const;

/** Connections to this machine under names of their own, each on a free port. */
export async function createConnections(changes: readonly Partial<InboundRow>[]): Promise<readonly InboundRow[]> {
  const rows: InboundRow[] = [];
  for (const [index, change] of changes.entries()) {
    const own = { id: index + 1, tag: `in-${index}`, name: `connection ${index}`, host: '127.0.0.1' };
    rows.push(sampleInbound({ ...own, port: await freePort(), ...change }));
  }
  return rows;
}

/** Starts an engine that serves them. */
export function serveConnections(
  program: RunnableServer,
  rows: readonly InboundRow[],
  privateKey: string | null = null,
): Promise<RunningProgram> {
  const inbounds = rows.map((row) => ({
    ...row,
    privateKey,
    certificateKey: null,
    decryption: null,
    mldsa65Seed: null,
    serverKey: null,
  }));
  return serveInbounds(program, inbounds);
}

/** The same with the secrets of each. */
export async function serveInbounds(
  program: RunnableServer,
  inbounds: readonly EngineInbound[],
  path = getProgramPath(program),
): Promise<RunningProgram & { readonly apiPort: number }> {
  const ids = inbounds.map(({ id }) => id);
  const user = { userId: USER_ID, credentials: buildSubscription([]).credentials, inbounds: ids };
  const apiPort = await freePort();
  const innerPorts = new Map<number, number>();
  for (const { id, sharesPortOf } of inbounds) if (sharesPortOf !== null) innerPorts.set(id, await freePort());
  const name = program === 'v2ray' ? program : 'xray';
  const start = { ...START, name, apiPort, innerPorts } as const;
  const text = engineConfigText({ inbounds, blocksPrivate: false }, [user], start);
  return { ...(await startEngineProcess(program, path, JSON.parse(text) as Json)), apiPort };
}

export type ManyClient = Exclude<EngineProgram, 'v2ray'>;

export interface ManyConnections extends AsyncDisposable {
  /** Which of them move bytes to a site and back. */
  working(): Promise<readonly InboundRow[]>;
}

interface Trial {
  /** What apps must know of a connection besides its settings; left out: nothing. */
  readonly secretsOf?: (row: InboundRow) => InboundSecrets;
  /** How many connections are tried at once; left out: all. */
  readonly atOnce?: number;
  /** How often each is tried, and for how long each time; left out: as who is let in tries. */
  readonly attempts?: { readonly count: number; readonly ms: number };
  /** Where the site is. */
  readonly host?: string;
}

const FORMATS = {
  xray: 'xray',
  'xray-new': 'xray',
  'xray-newest': 'xray',
  'sing-box': 'sing-box',
  'sing-box-older': 'sing-box',
  'sing-box-wireguard': 'sing-box',
  'sing-box-older-wireguard': 'sing-box',
  mihomo: 'mihomo',
} as const satisfies Readonly<Record<ManyClient, string>>;

/** Starts a client with the document that its format has for them. */
export async function openConnections(
  program: ManyClient,
  connections: readonly InboundRow[],
  folder: string,
  { secretsOf = () => NO_SECRETS, atOnce = connections.length, attempts, host }: Trial = {},
): Promise<ManyConnections> {
  const format = FORMATS[program];
  const userAgent = 'sing-box 1.14.1';
  const { inbounds } = buildSubscription(connections);
  // Of connections with hosts one for each host.
  const rows = inbounds.map(({ inbound }) => inbound as InboundRow);
  const subscription = buildSubscription([], {
    inbounds: inbounds.map((one, index) => ({ ...one, secrets: secretsOf(rows[index] as InboundRow) })),
  });
  const { body, headers } = renderSubscription(subscription, SETTINGS, { format, userAgent, now: 0 });
  if (headers['x-gatehouse-left-out'] !== undefined) throw new Error(`${format} has not all of them`);
  const ports: number[] = [];
  for (const _ of rows) ports.push(await freePort());
  const client = await startWith(program, body, rows, ports, folder);
  return {
    async working() {
      await using target = await startTarget(REQUEST.length, ANSWER, host);
      const fetchOnce = (index: number, givenUp: AbortSignal) => {
        const ahead = rows[index]?.method?.startsWith('2022-') ? 1 : 0;
        return fetchThrough(ports[index] ?? 0, target, REQUEST, ANSWER.length, givenUp, ahead);
      };
      const pull = (index: number) =>
        attempts === undefined
          ? fetchAgain((givenUp) => fetchOnce(index, givenUp))
          : fetchOnce(index, AbortSignal.timeout(attempts.ms));
      const working = new Set<number>();
      // A client that has just started drops what comes before it forwards: mihomo listens before that.
      if (attempts !== undefined) await fetchAgain((givenUp) => fetchOnce(0, givenUp));
      for (let left = attempts?.count ?? 1; left > 0; left -= 1) {
        const waiting = [...rows.keys()].filter((index) => !working.has(index));
        const work = async () => {
          for (let index = waiting.shift(); index !== undefined; index = waiting.shift())
            if ((await pull(index)).length === ANSWER.length) working.add(index);
        };
        await Promise.all(Array.from({ length: atOnce }, work));
      }
      return rows.filter((_, index) => working.has(index));
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** What leads into the client is another than in the document: a port for each connection. */
async function startWith(
  program: ManyClient,
  body: string,
  rows: readonly InboundRow[],
  ports: readonly number[],
  folder: string,
): Promise<RunningProgram | RunningClient> {
  if (program === 'xray' || program === 'xray-new' || program === 'xray-newest')
    return startEngineProcess(program, getProgramPath(program), xrayConfig(JSON.parse(body), rows, ports));
  const home = join(folder, program);
  mkdirSync(home, { recursive: true });
  const file = join(home, program === 'mihomo' ? 'config.yaml' : 'config.json');
  if (program === 'mihomo') {
    writeFileSync(file, mihomoConfig(body, rows, ports, await freePort()));
    return startClient(program, ['-d', home, '-f', file], /Mixed\(http\+socks\) proxy listening at/);
  }
  writeFileSync(file, JSON.stringify(singBoxConfig(JSON.parse(body), rows, ports)));
  return startClient(program, ['run', '-c', file], /sing-box started/);
}

function xrayConfig({ outbounds }: Json, rows: readonly InboundRow[], ports: readonly number[]): Json {
  const inbounds = ports.map((port, index) => ({ tag: `in-${index}`, listen: '127.0.0.1', port, protocol: 'socks' }));
  const rules = rows.map(({ name }, index) => ({ inboundTag: [`in-${index}`], outboundTag: `proxy: ${name}` }));
  return { log: { loglevel: 'warning' }, inbounds, outbounds, routing: { rules } };
}

function singBoxConfig(
  { outbounds, endpoints, route, dns }: Json & { readonly route?: Json },
  rows: readonly InboundRow[],
  ports: readonly number[],
): Json {
  const inbounds = ports.map((port, index) => ({
    type: 'mixed',
    tag: `in-${index}`,
    listen: '127.0.0.1',
    listen_port: port,
  }));
  const rules = rows.map(({ name }, index) => ({ inbound: [`in-${index}`], action: 'route', outbound: name }));
  return { log: { level: 'info' }, dns, inbounds, outbounds, endpoints, route: { ...route, rules } };
}

function mihomoConfig(body: string, rows: readonly InboundRow[], ports: readonly number[], ownPort: number): string {
  const listeners = rows.map(
    ({ name }, index) =>
      `  - {name: in-${index}, type: mixed, listen: 127.0.0.1, port: ${ports[index]}, proxy: ${JSON.stringify(name)}}`,
  );
  const document = body
    .replace(/^mixed-port: \d+$/m, `mixed-port: ${ownPort}`)
    .replace('log-level: warning', 'log-level: info');
  return `${document}listeners:\n${listeners.join('\n')}\n`;
}
