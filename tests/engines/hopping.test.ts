// Hysteria2 whose apps hop between ports: each client pulls a file by its own format, and reaches the engine over the redirected ports alone.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { InboundRow } from '../../src/core/ports/inbounds.ts';
import { freePort } from '../support/free-port.ts';
import { whyWithout } from './found.ts';
import { type ManyClient, openConnections, serveInbounds } from './many-connections.ts';
import { createSamples } from './measure.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-hopping-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function bind(port: number): Promise<Socket> {
  const socket = createSocket('udp4');
  await once(socket.bind(port, '127.0.0.1'), 'listening');
  return socket;
}

/** Redirects ports to another one as a rule of nftables does: the engine sees one address for each client, on whichever port it comes. */
async function redirect(ports: readonly number[], target: number) {
  const used = new Set<number>();
  const outer = new Map<number, Socket>();
  const inner = new Map<number, { readonly socket: Promise<Socket>; last: { port: number; address: number } }>();
  for (const port of ports) {
    const socket = await bind(port);
    outer.set(port, socket);
    socket.on('message', (packet, { port: client }) => {
      used.add(port);
      const known = inner.get(client);
      const last = { port, address: client };
      const through = known ?? { socket: bind(0), last };
      through.last = last;
      if (known === undefined) {
        inner.set(client, through);
        void through.socket.then((own) =>
          own.on('message', (reply) => void outer.get(through.last.port)?.send(reply, client, '127.0.0.1')),
        );
      }
      void through.socket.then((own) => own.send(packet, target, '127.0.0.1'));
    });
  }
  return {
    used,
    async [Symbol.asyncDispose]() {
      for (const socket of outer.values()) socket.close();
      for (const { socket } of inner.values()) (await socket).close();
    },
  };
}

const CLIENTS: readonly ManyClient[] = ['xray', 'xray-new', 'xray-newest', 'sing-box-older', 'sing-box', 'mihomo'];
/** It has another form for the ports, which the ones before it refuse as a whole: it ignores theirs, and uses the port of the connection. */
const NOT_HOPPING: readonly ManyClient[] = ['xray-newest'];

test.for(CLIENTS)(
  'an app on %s gets its bytes, and hops where it can',
  { timeout: 60_000 },
  async (program, { skip }) => {
    const missing = whyWithout('xray', program);
    if (missing !== null) return skip(missing);
    const samples = (await createSamples(1)).filter(({ row }) => row.protocol === 'hysteria2');
    const served = samples.map((sample) => sample.served);
    const ports = [await freePort(), await freePort(), await freePort()];
    const engineName = program === 'xray-new' || program === 'xray-newest' ? program : 'xray';
    await using _engine = await serveInbounds(engineName, served);
    for (const { row, secrets } of samples) {
      await using way = await redirect(ports, row.port);
      const canHop = !NOT_HOPPING.includes(program);
      // Nothing is at this port: one that hops does not come there.
      const hopping: InboundRow = { ...row, ...(canHop && { port: 1 }), hopPorts: ports.join(',') };
      await using open = await openConnections(program, [hopping], folder, { secretsOf: () => secrets });
      expect(await open.working(), row.obfsPassword ?? 'plain').toEqual([hopping]);
      expect(way.used.size > 0).toBe(canHop);
    }
  },
);
