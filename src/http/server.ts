// The HTTP server: its limits and time-outs, TLS, and a stop that loses no reply.
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
  /** The leaf first, then what signed it. */
  readonly cert: string | Buffer;
}

export interface ServerParts {
  readonly app: App;
  readonly log: Log;
  /** null: plain HTTP. */
  readonly tls: TlsIdentity | null;
  /** Addresses and CIDR ranges whose connections have no limit in number. */
  trustedProxies(): readonly string[];
  /** A listener for subscription links alone: the secret path is unknown to it. */
  readonly linksOnly?: boolean;
  /** What answers `acme-tls/1` for a name; null: no challenge runs for it. */
  acmeAnswer?(name: string): TlsIdentity | null;
  /** Called with each socket as its requests will have it. */
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
  /** The same for a server that another one follows: a request that has arrived is answered, however long that takes. */
  retire(graceMs: number): Promise<void>;
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
/** What announces a request and its response. */
const REQUEST_EVENTS = ['request', 'checkContinue', 'checkExpectation'] as const;
const IDLE_CHECK_MS = 50;
/** Statuses from here on are refusals and failures. */
const LEAST_FAILURE = 400;
/** A client sends two messages for it: nothing else is waited for. */
const HANDSHAKE_MS = 4000;
/** Of TLS 1.2: forward secrecy and AEAD alone. All suites of TLS 1.3 have both. */
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
/** RFC 8737: an authority asks by it for the certificate of a challenge, and for nothing else. */
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

  /** Stops listening at once and resolves when the last connection has ended; `cut` runs after `graceMs`. */
  function end(graceMs: number, cut: () => void): Promise<void> {
    exchanges.endConnections();
    return new Promise((resolve) => {
      const timer = setTimeout(cut, graceMs);
      // A keep-alive connection whose reply had begun is idle once that is out.
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      server.close(() => {
        clearTimeout(timer);
        clearInterval(idle);
        resolve();
      });
    });
  }
}

/** The requests that a server is answering. */
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
    /** Those by which a request has come whose reply is not written out. */
    sockets: () => new Set([...responses].map(({ req }) => req.socket)),
    /** From now on a reply ends its connection, and says so: the client's next request opens another one. */
    endConnections() {
      isEnding = true;
      for (const response of responses) response.shouldKeepAlive = false;
    },
    /** Whether a request that came by this connection has arrived whole and has no reply yet. */
    awaitsReply(connection: Socket): boolean {
      for (const { req, headersSent } of responses)
        if (req.complete && !headersSent && isSamePeer(req.socket, connection)) return true;
      return false;
    },
  };
}

/**
 * Node closes a connection as idle where a request has arrived and waits behind a reply that is still being written, and that request is
 * lost: it looks at the first of the two alone. Also where a client has the whole reply and the panel has not learned it yet.
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

/** Whether both are the same connection, one maybe below the other's TLS. */
function isSamePeer(one: Socket, other: Socket): boolean {
  return one.remotePort === other.remotePort && one.remoteAddress === other.remoteAddress;
}

/** Chooses HTTP/1.1, or, while a challenge runs for the name, its answer, with the challenge's certificate instead of the panel's. */
function chooseProtocol({ acmeAnswer }: ServerParts) {
  return function choose(this: TLSSocket, { servername, protocols }: { servername: string; protocols: string[] }) {
    if (!protocols.includes(ACME)) return protocols.includes(HTTP) ? HTTP : undefined;
    const answer = acmeAnswer?.(servername.toLowerCase()) ?? null;
    // As with any protocol that is not spoken here.
    if (answer === null) return undefined;
    this.setKeyCert({ ...answer });
    return ACME;
  };
}

/** The handshake was all. */
function endAcme(socket: TLSSocket): void {
  if (socket.alpnProtocol === ACME) socket.destroySoon();
}

/** Node would answer some of these by itself, and so tell a panel from an unused port: all get the constant reply. */
function attach(server: HttpServer | HttpsServer, app: App, linksOnly: boolean): void {
  const { constantReply } = app;
  const listener = app.listener(linksOnly);
  for (const event of REQUEST_EVENTS) server.on(event, listener);
  server.on('connect', (_request, socket) => constantReply.write(socket));
  server.on('upgrade', (_request, socket) => constantReply.write(socket));
  server.on('clientError', (error, socket) => onClientError(error, socket, app));
}

/** What the parser could not read. A failure of TLS or of the connection itself cannot be answered. */
function onClientError(error: Error, socket: Duplex, { constantReply }: App): void {
  const code = 'code' in error ? String(error.code) : '';
  const isUnreadable = code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (!isUnreadable || !socket.writable) socket.destroy();
  else if (!handleBroken(socket)) constantReply.write(socket);
}
