// The server on a node's machine: serves the engine to the panel alone.
//
// TLS 1.3 with certificates on both sides, of which only the keys count. A client without the panel's key cannot send a request, and sees
// only a certificate with a random name. During a join, the token names the panel's key.
import { constants } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ZodError } from 'zod';
import { type ConnectedAddress, type Engine, EngineError, type MachineCertificate } from '../core/ports/engines.ts';
import type { Clock, Log } from '../core/ports/ports.ts';
import type { JsonBounds } from '../domain/foreign-json.ts';
import { MINUTE_MS } from '../domain/limits.ts';
import { PROTOCOL, writeVersion } from '../domain/nodes/node-protocol.ts';
import { computePin } from '../engines/remote/node-request.ts';
import { CLAIM_HEADER } from '../engines/remote/signed-claim.ts';
import {
  buildMethodPath,
  changeFromWire,
  computeProof,
  encodeReply,
  failure,
  isProof,
  JOIN_BOUNDS,
  join,
  MAX_ADDRESSES_OF_USER,
  MAX_CONNECTED_ADDRESSES,
  MAX_CONNECTED_USERS,
  MAX_MEMBERS,
  MAX_SESSIONS,
  METHODS,
  type Method,
  parseMajor,
  parseRequest,
  REQUEST_BOUNDS,
  type Reply,
  type Request,
  readJson,
  refusal,
  startUserFromWire,
  VERSION_HEADER,
} from '../engines/remote/wire.ts';
import { partFromWire } from '../engines/remote/wire-lease.ts';
import { ledgerPageToWire } from '../engines/remote/wire-ledger.ts';
import { describeIssues, encode } from '../engines/remote/wire-values.ts';
import { type Connections, watchConnections } from '../http/connections.ts';
import type { ObeyedPanel } from './obeyed-panel.ts';
import type { Programs } from './switch-engine.ts';

/** PEM. */
export interface NodeIdentity {
  readonly key: string;
  readonly certificate: string;
  /** SHA-256 of the panel's public key (SPKI), hex. */
  readonly panelPin: string;
}

export interface NodeListener {
  readonly port: number;
  close(): Promise<void>;
}

const HANDSHAKE_MS = 10_000;
/** Limit for a request to arrive: a start with all users over a slow line. */
const REQUEST_MS = 120_000;
const HEADERS_MS = 10_000;
const IDLE_MS = 60_000;
const HEADER_BYTES = 8192;
/** Different versions of panels that are logged. */
const MAX_NAMED = 8;

/**
 * No sessions: each connection is authenticated by its certificates. No authority: its name would be in the certificate request, which
 * strangers can read.
 */
const buildOptions = ({ key, certificate }: NodeIdentity): ServerOptions => ({
  minVersion: 'TLSv1.3',
  secureOptions: constants.SSL_OP_NO_TICKET,
  key,
  cert: certificate,
  ca: [],
  requestCert: true,
  rejectUnauthorized: false,
  maxHeaderSize: HEADER_BYTES,
  handshakeTimeout: HANDSHAKE_MS,
});

interface ServedParts {
  readonly identity: NodeIdentity;
  readonly engine: Engine;
  /** The machine's clock. */
  readonly clock: Clock;
  /** Called with the panel's time (epoch ms) from each request that carries it. */
  readonly followPanel?: (at: number) => void;
  readonly log: Log;
  /** Version of Gatehouse on this machine. */
  readonly version: string;
  /** The certificate of the links that this machine serves; left out: it serves none. */
  readonly certificate?: () => MachineCertificate | null;
  /** The machine's engines. `begin` starts an installation; it throws EngineError if one is running. */
  readonly programs: Programs;
  /** Decides which panel is obeyed. */
  readonly obeyed: ObeyedPanel;
}

interface Listening {
  readonly host: string | undefined;
  readonly port: number;
}

/** Characters of an engine's message; the rest is cut off. */
const MAX_FAILURE = 1000;
/** Different reasons of refusals that are logged within a minute. */
const MAX_REASONS = 8;

/** A request that cannot be parsed; its message repeats nothing from the request. */
class Unreadable extends Error {}

/** The panel has few connections; all others are strangers, who must not block it. Call `markAnswered` with authenticated ones. */
function open(server: Server, connections: Connections, { host, port }: Listening): Promise<NodeListener> {
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  server.keepAliveTimeout = IDLE_MS;
  server.on('clientError', (_error, socket) => socket.destroy());
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
            // HTTP knows a connection only after its TLS handshake.
            connections.destroyAll();
          }),
      });
    });
  });
}

/** `text`: JSON. */
function answer(response: ServerResponse, status: number, text: string): void {
  response.setHeader(VERSION_HEADER, writeVersion(PROTOCOL));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** Logs why messages of the panel were refused, each reason once a minute, as the panel repeats its messages. */
function createRefusalLog({ log, clock }: Pick<ServedParts, 'log' | 'clock'>) {
  const loggedAt = new Map<string, number>();
  return (name: Method, reason: string): void => {
    const now = clock.now();
    for (const [key, at] of loggedAt) if (Math.abs(now - at) >= MINUTE_MS) loggedAt.delete(key);
    const key = `${name} ${reason}`;
    if (loggedAt.has(key) || loggedAt.size >= MAX_REASONS) return;
    loggedAt.set(key, now);
    log.warn('message refused', { message: name, reason });
  };
}

/** Logs refused strangers: the first, and then one line a minute, however many there are. */
function createStrangersLog({ log, clock }: Pick<ServedParts, 'log' | 'clock'>, message: string) {
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

/** Answers requests for unknown methods. If the panel has another major version, the reply and the log say so. */
function createRefuser(log: Log): (request: IncomingMessage, response: ServerResponse) => void {
  const named = new Set<number>();
  return ({ url }, response) => {
    response.setHeader('connection', 'close');
    const asked = parseMajor(url);
    if (asked === null || asked === PROTOCOL.major) return answer(response, 404, '{}');
    const older = asked < PROTOCOL.major ? 'the panel' : 'this machine';
    const message = `the panel speaks version ${asked} of the protocol, this machine ${writeVersion(PROTOCOL)}: update ${older}`;
    // Logged once for each version: the panel repeats its request.
    if (!named.has(asked) && named.size < MAX_NAMED) log.warn('panel refused', { error: message });
    named.add(asked);
    answer(response, 404, encode(failure, { code: 'other_version', message }));
  };
}

function toFailure({ code, message }: EngineError) {
  return { code, message: message.slice(0, MAX_FAILURE) };
}

/** Sends the reply of `handle`; closes the connection if the request cannot be parsed. `refused`: builds the reply for that case. */
async function respond(
  response: ServerResponse,
  logFailure: (error: string) => void,
  handle: () => Promise<string>,
  refused: (reason: string) => string = () => '{}',
): Promise<void> {
  try {
    answer(response, 200, await handle());
  } catch (error) {
    if (response.headersSent) return void response.destroy();
    if (error instanceof EngineError) return answer(response, 409, encode(failure, toFailure(error)));
    response.setHeader('connection', 'close');
    if (error instanceof Unreadable) return answer(response, 400, refused(error.message));
    logFailure(error instanceof ZodError ? describeIssues(error) : String(error));
    answer(response, 500, '{}');
  }
}

async function readBody(request: IncomingMessage, bounds: JsonBounds): Promise<unknown> {
  try {
    return await readJson(request, bounds);
  } catch (error) {
    throw new Unreadable(error instanceof Error ? error.message : String(error));
  }
}

/** Parses a message of the panel. Throws Unreadable. */
function parseMessage<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof ZodError ? new Unreadable(describeIssues(error)) : error;
  }
}

function findMethod({ method, url }: IncomingMessage): Method | null {
  return method === 'POST' ? (METHODS.find((name) => buildMethodPath(name) === url) ?? null) : null;
}

type ConnectedUser = readonly [id: number, addresses: readonly [address: string, openedAt: number][]];

/** The newest addresses of a user; the rest is dropped. */
function listNewest(all: readonly ConnectedAddress[]): [address: string, openedAt: number][] {
  const isFew = all.length <= MAX_ADDRESSES_OF_USER;
  const newest = isFew ? all : all.toSorted((a, b) => b.openedAt - a.openedAt).slice(0, MAX_ADDRESSES_OF_USER);
  return newest.map(({ address, openedAt }) => [address, openedAt]);
}

/** How many of these users fit on one page. */
function countFitting(users: readonly ConnectedUser[]): number {
  let addresses = 0;
  const end = users.findIndex(([, all]) => {
    addresses += all.length;
    return addresses > MAX_CONNECTED_ADDRESSES;
  });
  return Math.min(end < 0 ? users.length : end, MAX_CONNECTED_USERS);
}

/** Pages of one reading, by id: the first page reads, the others continue the same reading. `of`: names the reading. */
function createPager<Item>(idOf: (item: Item) => number, count: (items: readonly Item[]) => number) {
  let last: { readonly of: number; readonly items: readonly Item[] } | null = null;
  return async (of: number, after: number, read: () => Promise<readonly Item[] | null>) => {
    if (after === 0 || last?.of !== of) {
      const items = await read();
      if (items === null) return { items: null, isLast: true };
      last = { of, items: items.toSorted((a, b) => idOf(a) - idOf(b)) };
    }
    const rest = last.items.filter((item) => idOf(item) > after);
    const items = rest.slice(0, count(rest));
    const isLast = items.length === rest.length;
    if (isLast) last = null;
    return { items, isLast };
  };
}

/** Serves this machine's engine to the panel. Rejects with the operating system's error if it cannot listen. */
export function serveNode(parts: ServedParts, place: Listening): Promise<NodeListener> {
  const { engine, clock, log, identity } = parts;

  const describe = ({ startedAt, ...running }: NonNullable<Awaited<ReturnType<Engine['running']>>>) => ({
    ...running,
    uptimeMs: Math.max(0, clock.now() - startedAt),
  });

  const readMembers = createPager<number>(
    (id) => id,
    (ids) => Math.min(ids.length, MAX_MEMBERS),
  );
  const readConnected = createPager<ConnectedUser>(([id]) => id, countFitting);

  const handlers: { readonly [Name in Method]: (body: Request<Name>) => Promise<Reply<Name>> } = {
    async running({ now }) {
      parts.followPanel?.(now);
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
    async check({ config }) {
      await engine.check(config);
      return {};
    },
    async start({ config, users, boot }) {
      return { running: describe(await engine.start(config, users.map(startUserFromWire), boot)) };
    },
    async startHeld({ config, boot, ...held }) {
      const running = (await engine.startHeld?.(config, held, boot)) ?? null;
      return { running: running && describe(running) };
    },
    async stop({ isRestart }) {
      await engine.stop(isRestart);
      return {};
    },
    async readLedger({ taken, asks }) {
      const page = await engine.readLedgerPage(taken, asks);
      if (page === null) throw new EngineError('engine_unreachable', 'this machine has no ledger');
      return ledgerPageToWire(page);
    },
    async lease({ part }) {
      return { held: (await engine.lease?.(part && partFromWire(part))) ?? null };
    },
    async apply({ inbounds, changes }) {
      const outcomes = await engine.apply(
        changes.map((one) => {
          const change = changeFromWire(one, inbounds);
          if (change === null) throw new Unreadable('a change of an inbound that is not named');
          return change;
        }),
      );
      return { outcomes: outcomes.map((error) => error && toFailure(error)) };
    },
    async findSessions({ inbounds, userIds }) {
      const sessions = (await engine.findSessions?.(inbounds, userIds)) ?? [];
      return { sessions: sessions.slice(0, MAX_SESSIONS).map(({ inboundId, userId }) => [inboundId, userId]) };
    },
    async reopen({ inbound }) {
      if (engine.reopen === undefined) throw new EngineError('engine_refused', 'this engine cannot');
      // This machine knows the users of the inbound itself.
      await engine.reopen(inbound, async () => []);
      return {};
    },
    async programs() {
      const programs = await parts.programs.read();
      return { ...programs, offered: [...programs.offered] };
    },
    async changeProgram({ name }) {
      parts.programs.begin(name);
      return {};
    },
    async members({ inbound, after }) {
      const page = await readMembers(inbound.id, after, () => engine.members(inbound));
      return { ids: page.items, isLast: page.isLast };
    },
    async connected({ after }) {
      const page = await readConnected(0, after, async () => {
        const users = await engine.connected();
        return users && [...users].map(([id, all]) => [id, listNewest(all)] as const);
      });
      return { users: page.items?.map(([id, all]) => [id, [...all]]) ?? null, isLast: page.isLast };
    },
  };

  /** Throws EngineError for a panel that is not obeyed. Called before the body is read, which may be long. */
  function requireObeyed({ headers, socket }: IncomingMessage, response: ServerResponse): void {
    const key = (socket as TLSSocket).getPeerX509Certificate()?.publicKey;
    try {
      const isSigned = key !== undefined && parts.obeyed.admit(String(headers[CLAIM_HEADER] ?? ''), key);
      if (!isSigned) throw new Unreadable('no claim of the panel');
    } catch (error) {
      const claim = parts.obeyed.claim();
      if (error instanceof EngineError && claim !== null) response.setHeader(CLAIM_HEADER, claim);
      response.setHeader('connection', 'close');
      throw error;
    }
  }

  async function handle<Name extends Method>(name: Name, body: unknown): Promise<string> {
    const message = parseMessage(() => parseRequest(name, body));
    return encodeReply(name, await handlers[name](message));
  }

  const refuse = createRefuser(log);
  const logRefusal = createRefusalLog(parts);
  const server = createServer(buildOptions(identity), (request, response) => {
    // Only connections with the panel's key get here.
    connections.markAnswered(request.socket);
    const name = findMethod(request);
    if (name === null) return refuse(request, response);
    const refused = (reason: string) => {
      logRefusal(name, reason);
      return encode(refusal, { reason });
    };
    const logFailure = (error: string) => log.error('node request failed', { error });
    const reply = async () => {
      requireObeyed(request, response);
      return handle(name, await readBody(request, REQUEST_BOUNDS));
    };
    void respond(response, logFailure, reply, refused);
  });
  const connections = watchConnections(server, null);
  admitPanel(server, identity.panelPin, createStrangersLog(parts, 'connection refused'));
  return open(server, connections, place);
}

/** Closes connections of clients without the panel's key before a request is read. */
function admitPanel(server: Server, panelPin: string, logRefused: ReturnType<typeof createStrangersLog>): void {
  server.on('tlsClientError', (error, socket) => logRefused(socket.remoteAddress, error.message));
  // Prepended, so that it runs before HTTP's own listener.
  server.prependListener('secureConnection', (socket) => {
    const peer = socket.getPeerX509Certificate();
    if (peer !== undefined && computePin(peer) === panelPin) return;
    logRefused(socket.remoteAddress, peer === undefined ? 'no certificate' : "another key than the panel's");
    socket.destroy();
  });
}

interface JoinParts {
  readonly identity: NodeIdentity;
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Stores the identity when the panel has proven the secret. Throws if it cannot be stored. */
  readonly save: (identity: NodeIdentity) => void;
  /** Called when the panel has received the reply. */
  readonly joined: () => void;
  /** Called if the panel has joined another machine with the same secret. `pin`: the key of that machine. */
  readonly taken: (pin: string) => void;
}

/** Waits until the panel that the token names joins this machine. Rejects with the operating system's error if it cannot listen. */
export function awaitJoin(
  { identity, secret, clock, log, save, joined, taken }: JoinParts,
  place: Listening,
): Promise<NodeListener> {
  const refuse = createRefuser(log);
  const logRefused = createStrangersLog({ log, clock }, 'join refused');
  const server = createServer(buildOptions(identity), (request, response) => {
    const socket = request.socket as TLSSocket;
    connections.markAnswered(socket);
    if (request.method !== 'POST' || request.url !== buildMethodPath('join')) return refuse(request, response);
    // Limited like strangers' log lines: anyone can cause these failures.
    const logFailure = (error?: string) => logRefused(socket.remoteAddress, error);
    const refused = () => {
      logFailure();
      return '{}';
    };
    const handle = async () => {
      const body = await readBody(request, JOIN_BOUNDS);
      const { proof, takenBy } = parseMessage(() => join.request.parse(body));
      if (!isProof(proof, computeProof('panel', secret, socket))) throw new Unreadable('a wrong proof');
      if (takenBy === null) save(identity);
      response.once('close', () => (takenBy === null ? joined() : taken(takenBy)));
      return encode(join.reply, { proof: computeProof('node', secret, socket) });
    };
    void respond(response, logFailure, handle, refused);
  });
  const connections = watchConnections(server, null);
  admitPanel(server, identity.panelPin, logRefused);
  return open(server, connections, place);
}
