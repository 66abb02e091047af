// Options of apps as they are on the wire: the handshake in parts, packets of noise, many streams in one connection. Each with bytes that move.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { InboundRow } from '../../src/core/ports/inbounds.ts';
import { freePort } from '../support/free-port.ts';
import { whyWithout } from './found.ts';
import { openConnections, serveInbounds } from './many-connections.ts';
import { createSamples, type Sample } from './measure.ts';
import { ownAddress } from './real-engine.ts';
import { redirectPorts } from './redirect-ports.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-app-options-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A TCP port that leads to another one, with the start of what each connection brings. */
async function startRelay(target: number) {
  const starts: Buffer[] = [];
  const server = createServer((near) => {
    const index = starts.push(Buffer.alloc(0)) - 1;
    const far = connect(target, '127.0.0.1');
    near.on('data', (part) => {
      const start = starts[index] ?? Buffer.alloc(0);
      if (start.length < 4096) starts[index] = Buffer.concat([start, part]);
    });
    for (const socket of [near, far]) socket.on('error', () => socket.destroy());
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
  });
  const port = await freePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return { port, starts, [Symbol.asyncDispose]: async () => void server.close() };
}

/** The lengths of the TLS records that make up a ClientHello. */
function listHandshakeRecords(start: Buffer): readonly number[] {
  const lengths: number[] = [];
  for (let at = 0; at + 5 <= start.length && start[at] === 22; ) {
    const length = start.readUInt16BE(at + 3);
    lengths.push(length);
    at += 5 + length;
  }
  return lengths;
}

const CLIENTS = ['xray', 'xray-new', 'xray-newest'] as const;
const missing = whyWithout(...CLIENTS);

describe.skipIf(missing !== null)(`options of apps ${missing ?? ''}`.trim(), () => {
  async function findSamples(...keys: readonly string[]): Promise<readonly Sample[]> {
    const samples = await createSamples(1);
    return keys.map((key) => samples.find((one) => one.key === key && one.row.fingerprint === null) as Sample);
  }
  const open = (client: (typeof CLIENTS)[number], { secrets }: Sample, row: InboundRow) =>
    openConnections(client, [row], folder, { secretsOf: () => secrets, host: ownAddress() });

  test.each(CLIENTS)('%s splits the handshake', async (client) => {
    const [sample] = await findSamples('vless tcp tls fragment');
    if (!sample) throw new Error('no such sample');
    await using _engine = await serveInbounds('xray-new', [sample.served]);
    await using relay = await startRelay(sample.row.port);
    const row = { ...sample.row, port: relay.port, fragment: 'tlshello,100-200,1-2' };
    {
      await using split = await open(client, sample, row);
      expect(await split.working()).toEqual([row]);
    }
    const records = listHandshakeRecords(relay.starts[0] ?? Buffer.alloc(0));
    expect(records.length).toBeGreaterThan(1);
    expect(Math.max(...records)).toBeLessThanOrEqual(200);
    const plain = { ...row, fragment: null };
    await using whole = await open(client, sample, plain);
    expect(await whole.working()).toEqual([plain]);
    expect(listHandshakeRecords(relay.starts.at(-1) ?? Buffer.alloc(0))[0]).toBeGreaterThan(200);
  });

  test.each(CLIENTS)('%s sends noise first', async (client) => {
    const samples = await findSamples(
      'hysteria2 quic tls noise',
      'hysteria2 quic tls salamander noise',
      'wireguard udp none noise',
    );
    await using _engine = await serveInbounds(
      'xray-new',
      samples.map(({ served }) => served),
    );
    for (const sample of samples) {
      const port = await freePort();
      await using relay = await redirectPorts([port], sample.row.port, sample.row.host ?? undefined);
      const row = { ...sample.row, port, noise: '2,50-100,1-2' };
      await using noisy = await open(client, sample, row);
      expect(await noisy.working(), sample.key).toEqual([row]);
      const [first = 0, second = 0, third = 0] = relay.sizes;
      for (const size of [first, second]) {
        expect(size, sample.key).toBeGreaterThanOrEqual(50);
        expect(size, sample.key).toBeLessThanOrEqual(108);
      }
      // The handshake of WireGuard; that of QUIC is longer.
      expect(third, sample.key).toBeGreaterThanOrEqual(148);
    }
  });

  test.each(CLIENTS)('%s sends streams through one connection', async (client) => {
    const [sample] = await findSamples('vless ws tls mux');
    if (!sample) throw new Error('no such sample');
    await using _engine = await serveInbounds('xray-new', [sample.served]);
    for (const [mux, connections] of [
      [8, 1],
      [null, 2],
    ] as const) {
      await using relay = await startRelay(sample.row.port);
      const row = { ...sample.row, port: relay.port, mux };
      await using many = await open(client, sample, row);
      for (const _ of [1, 2]) expect(await many.working()).toEqual([row]);
      expect(relay.starts).toHaveLength(connections);
    }
  });
});
