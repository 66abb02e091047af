// What tests of nodes' machines share: an engine in memory that goes over the wire, certificates, and a joined machine.

import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { issuePinned } from '../../src/adapters/certificates/issuer.ts';
import { systemClock } from '../../src/adapters/clock.ts';
import type { NodeIdentity } from '../../src/agent/server.ts';
import type { Engine, PanelIdentity } from '../../src/core/ports/engines.ts';
import { parseCountedJson } from '../../src/domain/foreign-json.ts';
import { computeFingerprint } from '../../src/engines/engine-config.ts';
import { computePin } from '../../src/engines/remote/node-request.ts';
import { createRemoteEngine } from '../../src/engines/remote/remote-engine.ts';
import type { FakeMachine } from './fake-engine.ts';
import { SOLE_ROLE } from './sole-panel.ts';

/** The engine of a machine in memory, with the fingerprints that real ones have. */
export function realLooking(machine: FakeMachine): Engine {
  const { engine } = machine.attach();
  const fingerprint = () => (machine.process ? computeFingerprint(machine.process.config) : null);
  return {
    ...engine,
    async running() {
      const running = await engine.running();
      return running && { ...running, fingerprint: fingerprint() };
    },
    start: async (...args) => ({ ...(await engine.start(...args)), fingerprint: fingerprint() }),
  };
}

export interface Keys {
  readonly node: NodeIdentity;
  readonly panel: PanelIdentity;
  /** Of the node. */
  readonly pin: string;
}

/** Keys of a panel and its node. */
export async function makeKeys(): Promise<Keys> {
  const [node, panel] = [await issuePinned(), await issuePinned()];
  return {
    node: { key: node.key, certificate: node.pem, panelPin: pinOf(panel.pem) },
    panel: { key: panel.key, certificate: panel.pem },
    pin: pinOf(node.pem),
  };
}

export function pinOf(pem: string): string {
  return computePin(new X509Certificate(pem));
}

/** The engine of a node at a port, as a panel with these keys sees it. */
export function dial(port: number | (() => number), { panel, pin }: Keys, role = SOLE_ROLE): Engine {
  return createRemoteEngine({
    role,
    place: () => ({ host: '127.0.0.1', port: typeof port === 'number' ? port : port(), pin }),
    identity: async () => panel,
    users: () => 0,
    parseLarge: async (bytes) => parseCountedJson(bytes),
    clock: systemClock,
  });
}

export interface Exchange {
  /** The last segment of its path. */
  readonly name: string;
  readonly request: unknown;
  readonly status: number | undefined;
  readonly reply: unknown;
}

async function readBody(message: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of message as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** Stands between a panel and its machine, and reads what they say as it is on the wire. */
export async function tapNode(
  machinePort: number,
  { node, panel }: Keys,
  onExchange: (exchange: Exchange) => void,
): Promise<{ readonly port: number; close(): void }> {
  const options = { key: node.key, cert: node.certificate, requestCert: true, rejectUnauthorized: false } as const;
  const own = {
    key: panel.key,
    cert: panel.certificate,
    servername: '',
    agent: false,
    rejectUnauthorized: false,
  } as const;
  const server = createServer(options, async (incoming, response) => {
    const body = await readBody(incoming);
    const { url: path = '', method } = incoming;
    const headers = { 'content-length': Buffer.byteLength(body) };
    const place = { host: '127.0.0.1', port: machinePort, path, method, headers };
    const outgoing = request({ ...place, ...own }, async (answer) => {
      const text = await readBody(answer);
      onExchange({
        name: path.split('/').at(-1) ?? '',
        request: JSON.parse(body),
        status: answer.statusCode,
        reply: JSON.parse(text),
      });
      response.writeHead(answer.statusCode ?? 500, {
        'gatehouse-protocol': answer.headers['gatehouse-protocol'] ?? '',
      });
      response.end(text);
    });
    outgoing.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
