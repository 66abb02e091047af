// What tests of nodes' machines share: an engine in memory that goes over the wire, certificates, and a joined machine.
import { createHash, X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  certify,
  type Issued,
  issueAuthority,
  issueClient,
  issueSelfSigned,
} from '../../src/adapters/certificates/issuer.ts';
import { systemClock } from '../../src/adapters/clock.ts';
import type { NodeIdentity } from '../../src/agent/server.ts';
import type { Engine } from '../../src/core/ports/engines.ts';
import { parseCountedJson } from '../../src/domain/foreign-json.ts';
import { computeFingerprint } from '../../src/engines/engine-config.ts';
import type { PanelIdentity } from '../../src/engines/remote/node-client.ts';
import { createRemoteEngine } from '../../src/engines/remote/remote-engine.ts';
import type { FakeMachine } from './fake-engine.ts';

const HOUR = 3_600_000;

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
  readonly authority: Issued;
  readonly node: NodeIdentity;
  readonly panel: PanelIdentity;
  readonly pin: string;
}

interface Times {
  /** Of the certificate of the node, and of the panel's; epoch ms. */
  readonly nodeEnds?: number;
  readonly panelEnds?: number;
}

/** Certificates of a panel and its node, in force unless `times` say otherwise. */
export async function makeKeys({ nodeEnds, panelEnds }: Times = {}): Promise<Keys> {
  const now = systemClock.now();
  const from = now - 48 * HOUR;
  const long = { from, to: now + 24 * 400 * HOUR };
  const authority = await issueAuthority(long);
  const own = await issueSelfSigned(['node.invalid'], long);
  const publicKey = new X509Certificate(own.pem).publicKey.export({ type: 'spki', format: 'der' });
  const client = await issueClient(authority, 'panel.invalid', { from, to: panelEnds ?? long.to });
  const certificate = await certify(authority, publicKey, 'node.invalid', { from, to: nodeEnds ?? long.to });
  return {
    authority,
    node: { key: own.key, certificate, authority: authority.pem },
    panel: { key: client.key, certificate: client.pem, authority: authority.pem },
    pin: createHash('sha256').update(publicKey).digest('hex'),
  };
}

/** The engine of a node at a port, as a panel with these keys sees it. */
export function dial(port: number | (() => number), { panel, pin, authority }: Keys): Engine {
  const long = { from: systemClock.now() - HOUR, to: systemClock.now() + 24 * 397 * HOUR };
  return createRemoteEngine({
    place: () => ({ host: '127.0.0.1', port: typeof port === 'number' ? port : port(), pin }),
    identity: async () => panel,
    certify: (publicKey) => certify(authority, publicKey, 'node.invalid', long),
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
  const { key, certificate: cert, authority: ca } = node;
  const options = { key, cert, ca, requestCert: true, rejectUnauthorized: true } as const;
  const own = { key: panel.key, cert: panel.certificate, ca: panel.authority, servername: '', agent: false } as const;
  const server = createServer(options, async (incoming, response) => {
    const body = await readBody(incoming);
    const { url: path = '', method } = incoming;
    const headers = { 'content-length': Buffer.byteLength(body) };
    const place = { host: '127.0.0.1', port: machinePort, path, method, headers };
    const outgoing = request({ ...place, ...own, checkServerIdentity: () => undefined }, async (answer) => {
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
