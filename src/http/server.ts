// The HTTP server: limits and timeouts, TLS, and a graceful stop.
import { constants } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Log } from '../core/ports/ports.ts';
import type { App } from './app.ts';
import { type Connections, handleBroken, watchConnections } from './connections.ts';

/** PEM. */
export interface TlsIdentity {
  readonly key: string | Buffer;
  /** The leaf first, then its chain. */
  readonly cert: string | Buffer;
}

export interface ServerParts {
  readonly app: App;
  readonly log: Log;
  /** null: plain HTTP. */
  readonly tls: TlsIdentity | null;
  /** Addresses and CIDR ranges without a connection limit. */
  trustedProxies(): readonly string[];
  /** A listener for subscription links only: the secret path is unknown to it. */
  readonly linksOnly?: boolean;
  /** The certificate for `acme-tls/1` of a name; null: no challenge is running. */
  acmeAnswer?(name: string): TlsIdentity | null;
  /** Called with each socket that requests will have. */
  accepted?(socket: object): void;
}

export interface PanelServer {
  /** Rejects with Node's error (`EADDRINUSE`, `EACCES`). Port 0: any free one. */
  listen(host: string, port: number): Promise<AddressInfo>;
  /** null while it does not listen. */
  address(): AddressInfo | null;
  /** Applies to new connections; no effect on plain HTTP. Throws for an invalid key or certificate. */
  replaceCertificate(identity: TlsIdentity): void;
  /** Refuses new connections, finishes running replies, and closes the rest after `graceMs`. */
  close(graceMs: number): Promise<void>;
  /** Like `close`, for a server that another one replaces: a received request is answered, however long it takes. */
  retire(graceMs: number): Promise<void>;
}

const OPTIONS: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the idle time of bots and browsers: a request sent while the connection closes is lost.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
  // Node would reply 400; the Host check sends the constant reply instead.
  requireHostHeader: false,
  insecureHTTPParser: false,
};
/** Events for a request and its response. */
const REQUEST_EVENTS = ['request', 'checkContinue', 'checkExpectation'] as const;
const IDLE_CHECK_MS = 50;
/** Statuses from here on are failures. */
const LEAST_FAILURE = 400;
/** The client only has to send two messages. */
const HANDSHAKE_MS = 4000;
/** TLS 1.2 suites with forward secrecy and AEAD, like all suites of TLS 1.3. */
const SUITES = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
];
const GROUPS = ['X25519MLKEM768', 'X25519', 'P-256', 'P-384'];
const HTTP = 'http/1.1';
/** ALPN protocol of RFC 8737, used by certificate authorities for challenges only. */
const ACME = 'acme-tls/1';
const TLS_OPTIONS = {
  minVersion: 'TLSv1.2',
  ciphers: SUITES.join(':'),
  ecdhCurve: GROUPS.join(':'),
  honorCipherOrder: true,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  handshakeTimeout: HANDSHAKE_MS,
} as const;

export function createServer(parts: ServerParts): PanelServer {
  const { app, tls, log, linksOnly = false } = parts;
  const server =
    tls === null
      ? createHttpServer(OPTIONS)
      : createHttpsServer({ ...OPTIONS, ...TLS_OPTIONS, ...tls, ALPNCallback: chooseProtocol(parts) });
  if (tls !== null) server.prependListener('secureConnection', endAcme);
  const connections = watchConnections(server, parts.trustedProxies);
  const exchanges = watchExchanges(server, connections);
  protectBusyConnections(server, exchanges.sockets);
  attach(server, app, linksOnly);
  if (parts.accepted) server.on(tls === null ? 'connection' : 'secureConnection', parts.accepted);

  return {
    async listen(host, port) {
      await once(server.listen({ host, port }), 'listening');
      server.on('error', (error) => log.error('server_failed', { cause: String(error) }));
      return server.address() as AddressInfo;
    },
    address: () => server.address() as AddressInfo | null,
    replaceCertificate({ key, cert }) {
      if ('setSecureContext' in server) server.setSecureContext({ ...TLS_OPTIONS, key, cert });
    },
    close: (graceMs) => end(graceMs, () => connections.destroyAll()),
    retire: (graceMs) => end(graceMs, () => connections.destroyAll(exchanges.awaitsReply)),
  };

  /** Stops listening and resolves when the last connection has ended; `cut` runs after `graceMs`. */
  function end(graceMs: number, cut: () => void): Promise<void> {
    exchanges.endConnections();
    return new Promise((resolve) => {
      const timer = setTimeout(cut, graceMs);
      // A keep-alive connection becomes idle after its current reply.
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      server.close(() => {
        clearTimeout(timer);
        clearInterval(idle);
        resolve();
      });
    });
  }
}

/** Tracks the requests being answered. */
function watchExchanges(server: HttpServer | HttpsServer, connections: Connections) {
  const responses = new Set<ServerResponse>();
  let isEnding = false;
  const trackResponse = ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (isEnding) response.shouldKeepAlive = false;
    responses.add(response);
    response.once('finish', () => {
      if (response.statusCode < LEAST_FAILURE) connections.markAnswered(socket);
    });
    response.once('close', () => responses.delete(response));
  };
  for (const event of REQUEST_EVENTS) server.on(event, trackResponse);
  return {
    /** Sockets with an unfinished reply. */
    sockets: () => new Set([...responses].map(({ req }) => req.socket)),
    /** From now on replies close their connection with a header, so that clients reconnect. */
    endConnections() {
      isEnding = true;
      for (const response of responses) response.shouldKeepAlive = false;
    },
    /** Whether a complete request on this connection has no reply yet. */
    awaitsReply(connection: Socket): boolean {
      for (const { req, headersSent } of responses)
        if (req.complete && !headersSent && isSamePeer(req.socket, connection)) return true;
      return false;
    },
  };
}

/**
 * Node treats a connection as idle although a pipelined request waits behind an unfinished reply, and that request would be lost. The same happens if
 * the client has the whole reply before the panel notices.
 */
function protectBusyConnections(server: HttpServer | HttpsServer, busy: () => Iterable<Socket>): void {
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    const kept = [...busy()];
    for (const socket of kept) socket.destroy = () => socket;
    closeIdle();
    for (const socket of kept) Reflect.deleteProperty(socket, 'destroy');
  };
}

/** Whether both are the same connection, possibly one being the TLS socket of the other. */
function isSamePeer(one: Socket, other: Socket): boolean {
  return one.remotePort === other.remotePort && one.remoteAddress === other.remoteAddress;
}

/** Selects HTTP/1.1, or, during a challenge for the name, `acme-tls/1` with the challenge certificate. */
function chooseProtocol({ acmeAnswer }: ServerParts) {
  return function choose(this: TLSSocket, { servername, protocols }: { servername: string; protocols: string[] }) {
    if (!protocols.includes(ACME)) return protocols.includes(HTTP) ? HTTP : undefined;
    const answer = acmeAnswer?.(servername.toLowerCase()) ?? null;
    // Like any unsupported protocol.
    if (answer === null) return undefined;
    this.setKeyCert({ ...answer });
    return ACME;
  };
}

/** The handshake is sufficient. */
function endAcme(socket: TLSSocket): void {
  if (socket.alpnProtocol === ACME) socket.destroySoon();
}

/** Node would answer some of these itself, which would distinguish a panel from an unused port: all get the constant reply. */
function attach(server: HttpServer | HttpsServer, app: App, linksOnly: boolean): void {
  const { constantReply } = app;
  const listener = app.listener(linksOnly);
  for (const event of REQUEST_EVENTS) server.on(event, listener);
  server.on('connect', (_request, socket) => constantReply.write(socket));
  server.on('upgrade', (_request, socket) => constantReply.write(socket));
  server.on('clientError', (error, socket) => onClientError(error, socket, app));
}

/** Handles parse errors. Failures of TLS or of the connection cannot be answered. */
function onClientError(error: Error, socket: Duplex, { constantReply }: App): void {
  const code = 'code' in error ? String(error.code) : '';
  const isUnreadable = code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (!isUnreadable || !socket.writable) socket.destroy();
  else if (!handleBroken(socket)) constantReply.write(socket);
}
