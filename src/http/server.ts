// The HTTP server: its limits and time-outs, TLS, and a stop that loses no reply.
import { createServer as createHttpServer, type Server as HttpServer, type ServerOptions } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { handleBroken } from './broken.ts';
import { watchConnections } from './connections.ts';
import { type Mounted, type MountParts, mountDoors } from './mount.ts';

/** PEM. */
export interface TlsIdentity {
  readonly key: string | Buffer;
  /** The leaf first, then what signed it. */
  readonly cert: string | Buffer;
}

export interface ServerParts extends MountParts {
  /** null: plain HTTP. */
  readonly tls: TlsIdentity | null;
  /** Doors that several servers share; whoever made them closes them. Without them the server makes its own. */
  readonly doors?: Mounted;
  /** Hears of each socket as its requests will have it. */
  accepted?(socket: object): void;
}

export interface PanelServer {
  /** Rejects with Node's error (`EADDRINUSE`, `EACCES`). Port 0: any free one. */
  listen(host: string, port: number): Promise<AddressInfo>;
  /** null while it does not listen. */
  address(): AddressInfo | null;
  /** From the next connection on; nothing on plain HTTP. Throws for what is no key and certificate. */
  replaceCertificate(identity: TlsIdentity): void;
  /** Takes no new connections, finishes running replies, and after `graceMs` cuts what is left. */
  close(graceMs: number): Promise<void>;
}

const OPTIONS: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than bots and browsers are idle between two acts: a request that meets the end of its connection is lost to them.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
  // Node would answer 400 by itself; the Host check gives the constant reply instead.
  requireHostHeader: false,
  insecureHTTPParser: false,
};
const IDLE_CHECK_MS = 50;
const TLS_OPTIONS = { minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'], handshakeTimeout: 10_000 } as const;

export function createServer(parts: ServerParts): PanelServer {
  const { tls, log } = parts;
  const server = tls === null ? createHttpServer(OPTIONS) : createHttpsServer({ ...OPTIONS, ...TLS_OPTIONS, ...tls });
  const connections = watchConnections(server, (address) => parts.trustedProxies().includes(address));
  const mounted = parts.doors ?? mountDoors(parts);
  attach(server, mounted);
  if (parts.accepted) server.on(tls === null ? 'connection' : 'secureConnection', parts.accepted);

  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port }, () => {
          server.off('error', reject);
          server.on('error', (error) => log.error('server_failed', { cause: String(error) }));
          resolve(server.address() as AddressInfo);
        });
      }),
    address: () => server.address() as AddressInfo | null,
    replaceCertificate({ key, cert }) {
      if ('setSecureContext' in server) server.setSecureContext({ ...TLS_OPTIONS, key, cert });
    },
    close: (graceMs) =>
      new Promise((resolve) => {
        if (!parts.doors) mounted.close();
        const cut = setTimeout(connections.destroyAll, graceMs);
        // A kept connection that was busy is idle once its reply is out; nothing more is to come by it.
        const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
        server.close(() => {
          clearTimeout(cut);
          clearInterval(idle);
          resolve();
        });
      }),
  };
}

/** Everything that Node would answer by itself comes to us, or it would tell a panel from nothing. */
function attach(server: HttpServer | HttpsServer, mounted: Mounted): void {
  const { front, reply } = mounted;
  server.on('request', front);
  server.on('checkContinue', front);
  server.on('checkExpectation', front);
  server.on('connect', (_request, socket) => reply.write(socket));
  server.on('upgrade', (_request, socket) => reply.write(socket));
  server.on('clientError', (error, socket) => onClientError(error, socket, mounted));
}

/** What the parser could not read. A failure of TLS or of the connection itself has nobody to answer to. */
function onClientError(error: Error, socket: Duplex, { reply }: Mounted): void {
  const code = 'code' in error ? String(error.code) : '';
  const isUnreadable = code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (!isUnreadable || !socket.writable) socket.destroy();
  else if (!handleBroken(socket)) reply.write(socket);
}
