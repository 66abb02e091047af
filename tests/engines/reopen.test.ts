// What ends the open connections of users: reopening connections on each real Xray, for every shape, against what the panel takes for granted.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { endsWhenReopened, missingFacts } from '../../src/domain/nodes/engine-facts.ts';
import { connectEngine } from '../../src/engines/connector.ts';
import { engineConfigText, inboundConfigText } from '../../src/engines/engine-config.ts';
import { reopenInbound } from '../../src/engines/engine-reopen.ts';
import { renderSubscription } from '../../src/subscription/render.ts';
import { type Json, startEngineProcess } from '../support/engine-process.ts';
import { SETTINGS } from '../support/fake-core.ts';
import { freePort } from '../support/free-port.ts';
import { PINS } from '../support/pinned-programs.ts';
import { buildSubscription } from '../support/subscription-samples.ts';
import { getProgramPath, whyWithout } from './found.ts';
import { createSamples, type Sample } from './measure.ts';
import { ownAddress, socksConnect, startSite } from './real-engine.ts';

const USER_ID = 7;
const PART = Buffer.alloc(50_000, 'd');
/** What goes on arrives within milliseconds. */
const ARRIVES_MS = 1000;
const MARK = {
  name: 'xray',
  boot: '0123abcd',
  fingerprint: 'fedc9876',
  spareKey: Buffer.alloc(32, 5).toString('base64'),
  innerPorts: new Map(),
} as const;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-reopen-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Whether so many bytes arrive in time. */
function arrives(socket: Socket, bytes: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let left = bytes;
  const count = (part: Buffer) => {
    left -= part.length;
    if (left <= 0) resolve(true);
  };
  const fail = () => resolve(false);
  const timer = setTimeout(fail, ARRIVES_MS);
  socket.on('data', count).once('close', fail);
  if (socket.destroyed) fail();
  return promise.finally(() => {
    clearTimeout(timer);
    socket.off('data', count).off('close', fail);
  });
}

/** A connection to a server behind the engine; null: the client has dropped it, as it may while it starts. */
async function openThrough(socksPort: number, host: string): Promise<{ near: Socket; far: Socket } | null> {
  const server = createServer();
  await once(server.listen(0, host), 'listening');
  const address = server.address();
  const accepted = once(server, 'connection');
  const near = connect({ host: '127.0.0.1', port: socksPort });
  near.on('error', () => near.destroy());
  try {
    near.write(Buffer.from([5, 1, 0]));
    if (!(await arrives(near, 2)) || address === null || typeof address === 'string') return null;
    near.write(socksConnect({ host, port: address.port }));
    if (!(await arrives(near, 10))) return null;
    near.write('u');
    const [far]: (Socket | undefined)[] = await Promise.race([
      accepted,
      new Promise<[]>((resolve) => setTimeout(() => resolve([]), ARRIVES_MS)),
    ]);
    if (far === undefined) return null;
    far.on('error', () => far.destroy());
    return { near, far };
  } finally {
    server.close();
  }
}

const ENGINES = ['xray', 'xray-new', 'xray-newest'] as const;

test.for(ENGINES)('what reopening connections ends (%s)', async (program, { skip }) => {
  const missing = whyWithout(program, 'xray-new');
  if (missing !== null) return skip(missing);
  const path = getProgramPath(program);
  const engine = { name: 'xray', version: PINS[program].version.slice(1) } as const;
  // The build of the newest lacks the commands: those of the release before it write the same inbound.
  const writer = program === 'xray-newest' ? 'xray-new' : program;
  const tools = { name: 'xray', version: PINS[writer].version.slice(1), path: getProgramPath(writer) } as const;
  await using site = await startSite();
  const isServed = ({ row, hasOptions }: Sample) =>
    row.fingerprint === null && !hasOptions && missingFacts(row, engine).length === 0;
  const samples = (await createSamples(site.port)).filter(isServed);
  const { credentials, inbounds: listed } = buildSubscription(samples.map(({ row }) => row));
  const user = { userId: USER_ID, credentials };
  const start = { ...MARK, apiPort: await freePort() };
  const config = { inbounds: samples.map(({ served }) => served), blocksPrivate: false };
  const users = [{ ...user, inbounds: samples.map(({ row }) => row.id) }];
  await using _server = await startEngineProcess(program, path, JSON.parse(engineConfigText(config, users, start)));
  const subscription = buildSubscription([], {
    inbounds: listed.map((one, index) => ({ ...one, secrets: (samples[index] as Sample).secrets })),
  });
  const { body } = renderSubscription(subscription, SETTINGS, { format: 'xray', userAgent: 'x', now: 0 });
  const ports: number[] = [];
  for (const _ of samples) ports.push(await freePort());
  const clientConfig = {
    log: { loglevel: 'warning' },
    inbounds: ports.map((port, index) => ({ tag: `in-${index}`, listen: '127.0.0.1', port, protocol: 'socks' })),
    outbounds: (JSON.parse(body) as { readonly outbounds: readonly Json[] }).outbounds,
    routing: {
      rules: samples.map(({ row }, index) => ({ inboundTag: [`in-${index}`], outboundTag: `proxy: ${row.name}` })),
    },
  };
  await using _client = await startEngineProcess(program, path, clientConfig);
  const api = connectEngine({ address: '127.0.0.1', port: start.apiPort });
  const ended: string[] = [];
  for (const [index, { served, key }] of samples.entries()) {
    let stream: Awaited<ReturnType<typeof openThrough>> = null;
    for (let tries = 0; stream === null && tries < 5; tries += 1) {
      stream = await openThrough(ports[index] ?? 0, ownAddress());
    }
    if (stream === null) throw new Error(`${key}: no connection`);
    const { near, far } = stream;
    const moves = () => {
      const arrived = arrives(near, PART.length);
      far.write(PART);
      return arrived;
    };
    expect(await moves(), key).toBe(true);
    const counted = await api.readUsage(served, USER_ID);
    // The byte of the user may be counted later than what has come back.
    expect(counted, key).toBeGreaterThanOrEqual(PART.length);
    const text = inboundConfigText(served, [user], start);
    await reopenInbound({ program: tools, folder, apiPort: start.apiPort, inbound: served, text });
    if (!(await moves())) ended.push(key);
    expect(await api.readUsage(served, USER_ID), `${key}: no byte is lost`).toBeGreaterThanOrEqual(counted);
    expect(await api.members(served), key).toEqual(served.protocol === 'wireguard' ? expect.anything() : [USER_ID]);
    near.destroy();
    far.destroy();
  }
  api.close();
  const expected = samples.filter(({ row }) => endsWhenReopened(row) || row.protocol === 'wireguard');
  expect(ended).toEqual(expected.map(({ key }) => key));
});

const withoutNewest = whyWithout('xray-newest');
test.skipIf(withoutNewest !== null)(
  `a program without the commands changes nothing ${withoutNewest ?? ''}`.trim(),
  async () => {
    const program = { name: 'xray', version: PINS['xray-newest'].version.slice(1) } as const;
    const [sample] = await createSamples(1);
    if (sample === undefined) throw new Error('no sample');
    const path = getProgramPath('xray-newest');
    const inbound = sample.served;
    const work = reopenInbound({ program: { ...program, path }, folder, apiPort: 1, inbound, text: '{}' });
    await expect(work).rejects.toMatchObject({ code: 'engine_refused' });
  },
);
