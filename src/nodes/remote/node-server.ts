// The listening end on a node's machine: serves the engine beside it to the panel alone.
//
// TLS 1.3, with a certificate of the panel's authority at both ends. Who has none does not get as far as a request. While a node is
// joined there are none yet: then the only requests are those by which both ends prove that they know the token's secret.
import { constants, createHash, X509Certificate } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ZodError } from 'zod';
import { type Engine, EngineError, type MachineCertificate, type MachinePrograms } from '../../core/ports/engines.ts';
import type { Clock, Log } from '../../core/ports/ports.ts';
import { MINUTE_MS } from '../../domain/limits.ts';
import { createNetworkShares } from '../../domain/network-shares.ts';
import { PROTOCOL, writeVersion } from '../../domain/nodes/node-protocol.ts';
import {
  isProof,
  join,
  joined,
  METHODS,
  type Method,
  MOST_BYTES,
  MOST_SMALL_BYTES,
  majorOf,
  pathOf,
  proofOf,
  REQUESTS,
  type Reply,
  readJson,
  VERSION_HEADER,
} from './wire.ts';

/** PEM. */
export interface NodeIdentity {
  readonly key: string;
  readonly certificate: string;
  /** Of the panel. */
  readonly authority: string;
}

export interface NodeListener {
  readonly port: number;
  close(): Promise<void>;
}

/** The panel has few: the others are strangers, whose handshakes must not keep it out, wherever most of them come from. */
const MOST_CONNECTIONS = 4096;
const HANDSHAKE_MS = 10_000;
/** A request must have arrived whole: a start with all users over a slow line. */
const REQUEST_MS = 120_000;
const HEADERS_MS = 10_000;
const IDLE_MS = 60_000;
const HEADER_BYTES = 8192;
/** Versions of panels that are written to the log. */
const MOST_NAMED = 8;

/** No sessions: each connection is judged by its certificates. */
const TLS = { minVersion: 'TLSv1.3', secureOptions: constants.SSL_OP_NO_TICKET } as const;

interface ServedParts {
  readonly identity: NodeIdentity;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
  /** Of Gatehouse. */
  readonly version: string;
  /** Of links that this machine serves; left out: it serves none. */
  readonly certificate?: () => MachineCertificate | null;
  /** Its engines; left out: the panel can bring it no other. `begin` throws EngineError where one is being brought. */
  readonly programs?: { read(): Promise<MachinePrograms>; begin(name: string | null): void };
  /** Stores the identity with another certificate. Throws where that cannot be. */
  readonly saveIdentity: (identity: NodeIdentity) => void;
}

interface Listening {
  readonly host: string | undefined;
  readonly port: number;
}

/** A request that this end does not understand. */
class Unreadable extends Error {}

function open(server: Server, { host, port }: Listening): Promise<NodeListener> {
  server.maxConnections = MOST_CONNECTIONS;
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  server.keepAliveTimeout = IDLE_MS;
  server.on('clientError', (_error, socket) => socket.destroy());
  // HTTP knows a connection only after its handshake.
  const sockets = new Set<Socket>();
  const shares = createNetworkShares();
  server.on('connection', (socket: Socket) => {
    const giveBack = shares.take(socket.remoteAddress ?? '');
    if (giveBack === null) return void socket.destroy();
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      giveBack();
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve({
        port: (server.address() as AddressInfo).port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
            for (const socket of sockets) socket.destroy();
          }),
      });
    });
  });
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.setHeader(VERSION_HEADER, writeVersion(PROTOCOL));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** Writes strangers to the log who were refused: the first, and then one line a minute, however many there are. */
function strangersLog({ log, clock }: Pick<ServedParts, 'log' | 'clock'>, message: string) {
  let lineAt = Number.NEGATIVE_INFINITY;
  let others = 0;
  return (address: string | undefined, error?: string): void => {
    const now = clock.now();
    if (Math.abs(now - lineAt) < MINUTE_MS) {
      others += 1;
      return;
    }
    log.warn(message, { address, error, ...(others > 0 && { others }) });
    lineAt = now;
    others = 0;
  };
}

/** Refuses what this end has not; a panel of another major version is told so in words, as is who reads the log. */
function refuserOf(log: Log): (request: IncomingMessage, response: ServerResponse) => void {
  const named = new Set<number>();
  return ({ url }, response) => {
    response.setHeader('connection', 'close');
    const asked = majorOf(url);
    if (asked === null || asked === PROTOCOL.major) return answer(response, 404, {});
    const older = asked < PROTOCOL.major ? 'the panel' : 'this machine';
    const message = `the panel speaks version ${asked} of the protocol, this machine ${writeVersion(PROTOCOL)}: update ${older}`;
    // Once each: the panel goes on asking.
    if (!named.has(asked) && named.size < MOST_NAMED) log.warn('panel refused', { error: message });
    named.add(asked);
    answer(response, 404, { code: 'other_version', message });
  };
}

/** Answers what `handle` gives; closes the connection over what cannot be read. */
async function respond(response: ServerResponse, log: Log, handle: () => Promise<unknown>): Promise<void> {
  try {
    answer(response, 200, await handle());
  } catch (error) {
    if (response.headersSent) return void response.destroy();
    if (error instanceof EngineError) return answer(response, 409, { code: error.code, message: error.message });
    response.setHeader('connection', 'close');
    if (error instanceof Unreadable || error instanceof ZodError) return answer(response, 400, {});
    log.error('node request failed', { error: String(error) });
    answer(response, 500, {});
  }
}

async function bodyOf(request: IncomingMessage, most: number): Promise<unknown> {
  try {
    return await readJson(request, most);
  } catch (error) {
    throw new Unreadable(String(error));
  }
}

function methodOf({ method, url }: IncomingMessage): Method | null {
  return method === 'POST' ? (METHODS.find((name) => pathOf(name) === url) ?? null) : null;
}

/** Serves the panel the engine of this machine. */
export function serveNode(parts: ServedParts, place: Listening): Promise<NodeListener> {
  const { engine, clock, log } = parts;
  let { identity } = parts;
  const secured = ({ key, certificate, authority }: NodeIdentity) => ({ key, cert: certificate, ca: authority });

  function replace(certificate: string): void {
    if (!isCertified(identity.certificate, certificate, identity.authority)) throw new Unreadable('for another key');
    const next = { ...identity, certificate };
    parts.saveIdentity(next);
    identity = next;
    server.setSecureContext({ ...TLS, ...secured(identity) });
  }

  const describe = ({ startedAt, ...running }: NonNullable<Awaited<ReturnType<Engine['running']>>>) => ({
    ...running,
    uptimeMs: Math.max(0, clock.now() - startedAt),
  });

  const handlers: { readonly [Name in Method]: (body: unknown) => Promise<Reply<Name>> } = {
    async running() {
      const running = await engine.running();
      const machine = {
        load: engine.machine()?.load ?? null,
        at: clock.now(),
        version: parts.version,
        certificate: parts.certificate?.() ?? null,
        waiting: engine.machine()?.waiting ?? null,
      };
      return { running: running && describe(running), machine };
    },
    async check(body) {
      await engine.check(REQUESTS.check.parse(body).config);
      return {};
    },
    async start(body) {
      const { config, users, boot } = REQUESTS.start.parse(body);
      const people = users.map(([userId, uuid, password, key, inbounds, wireguard]) => ({
        userId,
        credentials: { uuid, password, key, wireguard },
        inbounds,
      }));
      return { running: describe(await engine.start(config, people, boot)) };
    },
    async startHeld(body) {
      const { config, boot, ...held } = REQUESTS.startHeld.parse(body);
      const running = (await engine.startHeld?.(config, held, boot)) ?? null;
      return { running: running && describe(running) };
    },
    async stop(body) {
      await engine.stop(REQUESTS.stop.parse(body).isRestart);
      return {};
    },
    async counters() {
      const { boot, users, inbounds } = await engine.counters();
      return {
        boot,
        users: [...users].map(([userId, { up, down }]) => [userId, up, down]),
        inbounds: [...inbounds].map(([tag, { up, down }]) => [tag, up, down]),
      };
    },
    async take(body) {
      const { taken, asks } = REQUESTS.take.parse(body);
      const page = await engine.take(taken, asks);
      if (page === null) throw new EngineError('engine_unreachable', 'this machine has no ledger');
      const { entries, ends, events, failure, ...rest } = page;
      const boots = [...new Set([...entries, ...ends, ...events].flatMap(({ boot }) => (boot === null ? [] : [boot])))];
      const placeOf = new Map(boots.map((boot, place) => [boot, place]));
      const place = (boot: string) => placeOf.get(boot) ?? 0;
      return {
        ...rest,
        boots,
        entries: entries.map(({ seq, boot, userId, tag, up, down }) => [
          seq,
          place(boot),
          userId ?? tag ?? '',
          up,
          down,
        ]),
        ends: ends.map(({ seq, boot }) => [seq, place(boot)]),
        events: events.map(({ seq, kind, at, userId, boot, up, down }) => [
          seq,
          kind,
          at,
          userId,
          boot === null ? null : place(boot),
          up,
          down,
        ]),
        failure: failure && { code: failure.code, message: failure.message },
      };
    },
    async lease(body) {
      return { held: await engine.lease(REQUESTS.lease.parse(body).part) };
    },
    async apply(body) {
      const { inbounds, changes } = REQUESTS.apply.parse(body);
      const outcomes = await engine.apply(
        changes.map(([place, isAllowed, userId, uuid, password, key, wireguard]) => {
          const inbound = inbounds[place];
          if (!inbound) throw new Unreadable('a change of a connection that is not named');
          return { inbound, isAllowed, user: { userId, credentials: { uuid, password, key, wireguard } } };
        }),
      );
      return { outcomes: outcomes.map((error) => error && { code: error.code, message: error.message }) };
    },
    async programs() {
      const programs = (await parts.programs?.read()) ?? null;
      return { programs: programs && { ...programs, offered: [...programs.offered] } };
    },
    async changeProgram(body) {
      const { name } = REQUESTS.changeProgram.parse(body);
      if (!parts.programs) throw new EngineError('engine_refused', 'this machine takes no engine from the panel');
      parts.programs.begin(name);
      return {};
    },
    async members(body) {
      const ids = await engine.members(REQUESTS.members.parse(body).inbound);
      return { ids: ids && [...ids] };
    },
    async connected() {
      const users = await engine.connected();
      if (users === null) return { users };
      return {
        users: [...users].map(([userId, all]) => [userId, all.map(({ address, openedAt }) => [address, openedAt])]),
      };
    },
    async certificate(body) {
      replace(REQUESTS.certificate.parse(body).certificate);
      return {};
    },
  };

  const options = {
    ...TLS,
    ...secured(identity),
    requestCert: true,
    rejectUnauthorized: true,
    maxHeaderSize: HEADER_BYTES,
    handshakeTimeout: HANDSHAKE_MS,
  };
  const refuse = refuserOf(log);
  const server = createServer(options, (request, response) => {
    const name = methodOf(request);
    if (name === null) return refuse(request, response);
    void respond(response, log, async () => {
      const body = await bodyOf(request, name === 'start' ? MOST_BYTES : MOST_SMALL_BYTES * 4);
      return handlers[name](body);
    });
  });
  const noteRefused = strangersLog(parts, 'connection refused');
  server.on('tlsClientError', (error, socket) => noteRefused(socket.remoteAddress, error.message));
  return open(server, place);
}

interface JoinParts {
  /** Certifies itself; its key becomes the node's. PEM. */
  readonly own: { readonly key: string; readonly pem: string };
  readonly secret: string;
  /** SHA-256 of the authority that is to certify the node, hex. */
  readonly authority: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Stores what the panel has certified. Throws where it cannot be stored. */
  readonly save: (identity: NodeIdentity) => void;
  /** Called when the panel has been answered that it was stored. */
  readonly joined: () => void;
}

/** Waits for the panel and has it certify this node. */
export function awaitJoin(
  { own, secret, authority, clock, log, save, joined: done }: JoinParts,
  place: Listening,
): Promise<NodeListener> {
  /** Connections whose other end has proven itself. */
  const proven = new WeakSet<TLSSocket>();
  const options = {
    ...TLS,
    key: own.key,
    cert: own.pem,
    maxHeaderSize: HEADER_BYTES,
    handshakeTimeout: HANDSHAKE_MS,
  };
  const refuse = refuserOf(log);
  const noteRefused = strangersLog({ log, clock }, 'join refused');
  const server = createServer(options, (request, response) => {
    const socket = request.socket as TLSSocket;
    if (request.method === 'POST' && request.url === pathOf('join')) {
      return void respond(response, log, async () => {
        const { proof } = join.request.parse(await bodyOf(request, MOST_SMALL_BYTES));
        if (!isProof(proof, proofOf('panel', secret, socket))) {
          noteRefused(socket.remoteAddress);
          throw new Unreadable('a wrong proof');
        }
        proven.add(socket);
        return { proof: proofOf('node', secret, socket) };
      });
    }
    if (request.method === 'POST' && request.url === pathOf('joined') && proven.has(socket)) {
      return void respond(response, log, async () => {
        const given = joined.request.parse(await bodyOf(request, MOST_SMALL_BYTES));
        if (!isNamed(given.authority, authority) || !isCertified(own.pem, given.certificate, given.authority)) {
          throw new Unreadable('not what the token names');
        }
        save({ key: own.key, ...given });
        response.once('close', done);
        return {};
      });
    }
    refuse(request, response);
  });
  return open(server, place);
}

/** Whether a certificate is for the key of another one, and of this authority. */
function isCertified(own: string, certificate: string, authority: string): boolean {
  try {
    const leaf = new X509Certificate(certificate);
    const isOurs = leaf.publicKey.equals(new X509Certificate(own).publicKey);
    return isOurs && leaf.verify(new X509Certificate(authority).publicKey);
  } catch {
    // Not certificates at all.
    return false;
  }
}

function isNamed(authority: string, fingerprint: string): boolean {
  try {
    return createHash('sha256').update(new X509Certificate(authority).raw).digest('hex') === fingerprint;
  } catch {
    return false;
  }
}
