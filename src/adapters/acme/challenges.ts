// Answers the challenges of an order while it runs: HTTP-01 on a listener of its own, TLS-ALPN-01 on the existing HTTPS listeners.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AcmeError } from '../../core/ports/acme.ts';
import { createNetworkShares } from '../../domain/network-shares.ts';
import { listenEverywhere } from '../listen-everywhere.ts';

const PATH = '/.well-known/acme-challenge/';
/** An authority connects from a few places at once, and strangers find the port too: one network must not take all connections. */
const MAX_CONNECTIONS = 4096;
const LIMITS = {
  maxHeaderSize: 8192,
  headersTimeout: 5000,
  requestTimeout: 5000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 1,
  insecureHTTPParser: false,
};

/** The answer to one `http-01` challenge. */
export interface HttpAnswer {
  readonly token: string;
  readonly keyAuthorization: string;
}

export interface HttpAnswers {
  add(answer: HttpAnswer): void;
  /** The port that it listens on. */
  readonly port: number;
  close(): Promise<void>;
}

/** Listens on every address. Answers the tokens of the order; any other request gets 404. Rejects with AcmeError. */
export async function openHttpAnswers(port: number): Promise<HttpAnswers> {
  const keyAuthorizations = new Map<string, string>();
  const server = createServer(LIMITS, (request, response) => {
    const { method, url = '' } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    const found = isRead && url.startsWith(PATH) ? keyAuthorizations.get(url.slice(PATH.length)) : undefined;
    const head = { Connection: 'close', 'Content-Length': found?.length ?? 0 };
    if (found === undefined) response.writeHead(404, head).end();
    else response.writeHead(200, { ...head, 'Content-Type': 'application/octet-stream' }).end(found);
  });
  server.maxConnections = MAX_CONNECTIONS;
  const shares = createNetworkShares();
  server.on('connection', (socket) => {
    const releaseShare = shares.acquireShare(socket.remoteAddress ?? '');
    if (releaseShare === null) socket.destroy();
    else socket.once('close', releaseShare);
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  await listen(server, port);
  return {
    port: (server.address() as AddressInfo).port,
    add: ({ token, keyAuthorization }) => keyAuthorizations.set(token, keyAuthorization),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  try {
    await listenEverywhere((host) => once(server.listen({ host, port }), 'listening'));
  } catch (error) {
    const code = getErrorCode(error) === 'EACCES' ? 'port_forbidden' : 'port_in_use';
    throw new AcmeError({ code, name: null, type: null, detail: String(port) });
  }
}

function getErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** The certificate that answers `tls-alpn-01` for a name; PEM. */
export interface AlpnAnswer {
  readonly key: string;
  readonly cert: string;
}

/** What the TLS listeners answer to `acme-tls/1`, by lower-case host name. */
export type AlpnAnswers = Map<string, AlpnAnswer>;
