// The engine of a node on another machine, as the panel sees it: the panel dials, `panel node` answers.
import { createHash, X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Agent, request as openRequest } from 'node:https';
import { Readable } from 'node:stream';
import { connect, createSecureContext, type PeerCertificate, type SecureContext, type TLSSocket } from 'node:tls';
import { ZodError } from 'zod';
import {
  type Engine,
  type EngineChange,
  EngineError,
  type EngineInbound,
  type LeaseKind,
  type MachineFacts,
  type RunningEngine,
} from '../../core/ports/engines.ts';
import type { LeasePart } from '../../core/ports/lease.ts';
import type { Clock } from '../../core/ports/ports.ts';
import {
  PROTOCOL,
  type ProtocolVersion,
  readVersion,
  updatesFor,
  writeVersion,
} from '../../domain/nodes/node-protocol.ts';
import { fingerprintOf } from '../engine-config.ts';
import {
  failure,
  isProof,
  join,
  joined,
  type Method,
  MOST_BYTES,
  MOST_SMALL_BYTES,
  pathOf,
  proofOf,
  REPLIES,
  type Reply,
  readJson,
  VERSION_HEADER,
} from './wire.ts';

/** With what the panel shows itself to nodes, and whom it trusts. PEM. */
export interface PanelIdentity {
  readonly key: string;
  readonly certificate: string;
  readonly authority: string;
}

/** Where a node listens, and the SHA-256 of its public key (SPKI), hex. */
export interface NodePlace {
  readonly host: string;
  readonly port: number;
  readonly pin: string;
}

export interface RemoteEngineParts {
  /** As it is now; null: it was not joined, or is no more. */
  place(): NodePlace | null;
  /** The same one until it has to be renewed. Rejects where the secrets of the panel are locked. */
  identity(): Promise<PanelIdentity>;
  /** A certificate for a node's public key (SPKI, DER). */
  certify(publicKey: Uint8Array): Promise<string>;
  /** How many users there are: a machine cannot have more to say than of these. */
  users(): number;
  readonly clock: Clock;
}

/** Milliseconds for a whole call. What an engine's own work may take is in local-engine.ts. */
const LIMIT_MS: Readonly<Record<Method, number>> = {
  running: 10_000,
  check: 40_000,
  start: 150_000,
  startHeld: 150_000,
  stop: 30_000,
  counters: 30_000,
  take: 30_000,
  lease: 60_000,
  apply: 60_000,
  members: 30_000,
  connected: 30_000,
  programs: 30_000,
  changeProgram: 10_000,
  certificate: 10_000,
};
/** What is said of one user at most, whose counters are three numbers and who is connected from some addresses. */
const USER_BYTES: Partial<Readonly<Record<Method, number>>> = { counters: 128, connected: 2048, members: 32 };
const JOIN_MS = 10_000;
const IDLE_MS = 45_000;
/** A node's certificate is renewed when less is left. */
const RENEW_BEFORE_MS = 300 * 86_400_000;
const ANSWERED = 200;
const REFUSED = 409;
const NOT_FOUND = 404;

/** No session is taken up: each connection is judged by its certificates. */
const TLS = { minVersion: 'TLSv1.3', servername: '', maxCachedSessions: 0 } as const;

function publicKeyOf(certificate: X509Certificate): Buffer {
  return certificate.publicKey.export({ type: 'spki', format: 'der' });
}

function pinOf(certificate: X509Certificate): string {
  return createHash('sha256').update(publicKeyOf(certificate)).digest('hex');
}

function unreachable(error: unknown): EngineError {
  return error instanceof EngineError
    ? error
    : new EngineError('engine_unreachable', error instanceof Error ? error.message : String(error));
}

interface Answered {
  readonly status: number | undefined;
  readonly body: unknown;
  /** Of the machine; null: one that makes no sense. */
  readonly version: ProtocolVersion | null;
  readonly socket: TLSSocket;
}

function otherVersion(version: ProtocolVersion | null): EngineError {
  if (version === null) return new EngineError('engine_unreachable', 'the node answered something else');
  const older = version.major < PROTOCOL.major ? 'Gatehouse on the machine' : 'the panel';
  const versions = `${writeVersion(version)} of the protocol, the panel ${writeVersion(PROTOCOL)}: update ${older}`;
  return new EngineError('other_version', `the machine speaks version ${versions}`);
}

function versionOf({ headers }: IncomingMessage): ProtocolVersion | null {
  return readVersion(headers[VERSION_HEADER]?.toString());
}

interface Asked {
  readonly path: string;
  /** JSON, in pieces. */
  readonly body: readonly string[];
  readonly limitMs: number;
  readonly mostBytes: number;
}

/**
 * At most so many characters are handed to a connection before it has sent them: whole bodies that go to very many nodes at once would be there as
 * many times, encrypted, and memory that was once taken for them is not given back.
 */
const SLICE = 65_536;

function* slicesOf(body: readonly string[]): Generator<Buffer> {
  for (const piece of body) {
    for (let at = 0; at < piece.length; ) {
      const end = at + SLICE;
      const isInPair = /[\uD800-\uDBFF]/.test(piece.charAt(end - 1));
      const slice = piece.slice(at, isInPair ? end + 1 : end);
      yield Buffer.from(slice);
      at += slice.length;
    }
  }
}

/** JSON of what is sent to many nodes. */
const written = new WeakMap<object, string>();

function writeOnce(value: object): string {
  const text = written.get(value) ?? JSON.stringify(value);
  written.set(value, text);
  return text;
}

/** The JSON of a part, in pieces: its connections, which are the same for all nodes, may be most of it. */
function writePart({ shared, ...part }: LeasePart): readonly string[] {
  if (shared === null) return [JSON.stringify({ part: { ...part, shared } })];
  const { connections, ...settings } = shared;
  const begin = (value: object) => JSON.stringify(value).slice(0, -1);
  return [`{"part":${begin(part)},"shared":${begin(settings)},"connections":`, writeOnce(connections), '}}}'];
}

/** One request. Rejects where there is no whole answer in time. */
function ask({ host, port }: Pick<NodePlace, 'host' | 'port'>, agent: Agent, asked: Asked): Promise<Answered> {
  const length = asked.body.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': length };
    const request = openRequest({ host, port, agent, method: 'POST', path: asked.path, headers });
    const timer = setTimeout(() => {
      const late = new Error(`no answer in ${asked.limitMs / 1000} s`);
      reject(late);
      request.destroy(late);
    }, asked.limitMs);
    const end = (act: () => void) => {
      clearTimeout(timer);
      act();
    };
    request.on('error', (error) => end(() => reject(error)));
    request.on('response', (response: IncomingMessage) => {
      const socket = response.socket as TLSSocket;
      readJson(response, asked.mostBytes).then(
        (body) => end(() => resolve({ status: response.statusCode, body, version: versionOf(response), socket })),
        (error: unknown) => end(() => reject(error)),
      );
    });
    if (length <= SLICE) request.end(asked.body.join(''));
    else Readable.from(slicesOf(asked.body), { objectMode: false, highWaterMark: SLICE }).pipe(request);
  });
}

export function createRemoteEngine(parts: RemoteEngineParts): Engine {
  const { clock } = parts;
  /** The agent for the identity and the key that it was made for: other ones have connections of their own. */
  let open: { readonly agent: Agent; readonly identity: PanelIdentity; readonly pin: string } | null = null;
  let isClosed = false;
  /** Where it was, for the engine of a node that is deleted to be stopped. */
  let known: NodePlace | null = null;
  let spoken: string | null = null;
  let machine: MachineFacts | null = null;

  async function agentFor({ pin }: NodePlace): Promise<Agent> {
    const identity = await parts.identity();
    if (isClosed) throw new EngineError('engine_unreachable', 'the node is no longer there');
    if (open !== null && (open.identity !== identity || open.pin !== pin)) {
      open.agent.destroy();
      open = null;
    }
    open ??= { identity, pin, agent: agentOf(identity, pin) };
    return open.agent;
  }

  function call<Name extends Method>(name: Name, body: unknown): Promise<Reply<Name>> {
    return send(name, [JSON.stringify(body)]);
  }

  async function send<Name extends Method>(name: Name, body: readonly string[]): Promise<Reply<Name>> {
    try {
      const place = parts.place() ?? known;
      if (place === null) throw new EngineError('engine_unreachable', 'the node has not been joined');
      known = place;
      const agent = await agentFor(place);
      const mostBytes = mostOf(name, parts.users());
      const asked = { path: pathOf(name), body, limitMs: LIMIT_MS[name], mostBytes };
      const askedAt = clock.now();
      const { status, body: answer, version, socket } = await ask(place, agent, asked);
      spoken = version && writeVersion(version);
      if (version?.major !== PROTOCOL.major) throw otherVersion(version);
      if (status === REFUSED) {
        const { code, message } = failure.parse(answer);
        throw new EngineError(code, message.slice(0, 1000));
      }
      if (status === NOT_FOUND)
        throw new EngineError('other_version', 'the machine does not know what the panel asks: update Gatehouse on it');
      if (status !== ANSWERED) throw new Error(`the node answered with status ${status}`);
      const reply = REPLIES[name].parse(answer) as Reply<Name>;
      if (name === 'running') {
        machine = factsOf((reply as Reply<'running'>).machine, (askedAt + clock.now()) / 2);
        await renew(socket);
      }
      return reply;
    } catch (error) {
      if (error instanceof ZodError) throw new EngineError('engine_unreachable', 'the node answered something else');
      throw unreachable(error);
    }
  }

  async function renew(socket: TLSSocket): Promise<void> {
    const certificate = socket.getPeerX509Certificate();
    if (!certificate || certificate.validToDate.getTime() - clock.now() > RENEW_BEFORE_MS) return;
    await call('certificate', { certificate: await parts.certify(publicKeyOf(certificate)) });
    // The next connection has it.
    open?.agent.destroy();
    open = null;
  }

  function describe({ uptimeMs, ...running }: NonNullable<Reply<'running'>['running']>): RunningEngine {
    return { ...running, startedAt: clock.now() - uptimeMs };
  }

  function leaseKind(): LeaseKind | null {
    if (spoken === null || updatesFor(spoken).includes('lease')) return null;
    return updatesFor(spoken).includes('difference') ? 'whole' : 'difference';
  }

  function knowsWireguard(): boolean {
    return spoken !== null && !updatesFor(spoken).includes('wireguard');
  }

  /** They came with engines that the panel brings. */
  function knowsRestarts(): boolean {
    return spoken !== null && !updatesFor(spoken).includes('engine');
  }

  /** A machine of an earlier version would write something else of a connection than what it is. */
  async function requireKnown(inbounds: readonly EngineInbound[]): Promise<void> {
    if (spoken === null) await call('running', {});
    const unknown = inbounds.find(({ protocol }) => protocol === 'wireguard' && !knowsWireguard());
    if (unknown)
      throw new EngineError(
        'other_version',
        `${unknown.tag}: the machine does not know WireGuard yet: update Gatehouse on it`,
      );
  }

  /** Without what a machine of an earlier version does not know. */
  function forMachine(part: LeasePart): readonly string[] {
    if (knowsWireguard()) return writePart(part);
    const { shared, users } = part;
    const known = {
      ...part,
      shared: shared && {
        ...shared,
        connections: shared.connections.filter(({ inbound }) => inbound.protocol !== 'wireguard'),
      },
      users: users.map(({ credentials: { uuid, password, key }, ...user }) => ({
        ...user,
        credentials: { uuid, password, key },
      })),
    };
    return [JSON.stringify({ part: known })];
  }

  return {
    async running() {
      const { running } = await call('running', {});
      return running && describe(running);
    },
    fingerprint: fingerprintOf,
    async check(config) {
      await requireKnown(config.inbounds);
      await call('check', { config });
    },
    async start(config, users, boot) {
      await requireKnown(config.inbounds);
      const people = Array.from(users, ({ userId, credentials: { uuid, password, key, wireguard }, inbounds }) => [
        ...[userId, uuid, password, key, inbounds],
        ...(knowsWireguard() ? [wireguard] : []),
      ]);
      return describe((await call('start', { config, users: people, boot })).running);
    },
    async startHeld(config, { leaseId, version }, boot) {
      await requireKnown(config.inbounds);
      if (leaseKind() !== 'difference') return null;
      const { running } = await call('startHeld', { config, boot, leaseId, version });
      return running && describe(running);
    },
    async stop(isRestart = false) {
      await call('stop', isRestart && knowsRestarts() ? { isRestart } : {});
    },
    async counters() {
      const { boot, users, inbounds } = await call('counters', {});
      return {
        boot,
        users: new Map(users.map(([userId, up, down]) => [userId, { up, down }])),
        inbounds: new Map(inbounds.map(([tag, up, down]) => [tag, { up, down }])),
      };
    },
    async take(taken, asks) {
      if (spoken === null) await call('running', {});
      if (updatesFor(spoken).includes('ledger')) return null;
      const page = await call('take', { taken, asks });
      const { boots, entries, ends, events, failure: failed, ...rest } = page;
      const bootAt = (place: number) => {
        const boot = boots[place];
        if (boot === undefined) throw new EngineError('engine_unreachable', 'the node names a start that it left out');
        return boot;
      };
      return {
        ...rest,
        entries: entries.map(([seq, place, of, up, down]) => ({
          seq,
          boot: bootAt(place),
          userId: typeof of === 'number' ? of : null,
          tag: typeof of === 'number' ? null : of,
          up,
          down,
        })),
        ends: ends.map(([seq, place]) => ({ seq, boot: bootAt(place) })),
        events: events.map(([seq, kind, at, userId, place, up, down]) => ({
          seq,
          kind,
          at,
          userId,
          boot: place === null ? null : bootAt(place),
          up,
          down,
        })),
        failure: failed && new EngineError(failed.code, failed.message.slice(0, 1000)),
      };
    },
    async lease(part) {
      if (spoken === null) await call('running', {});
      if (leaseKind() === null) return null;
      return (await (part === null ? call('lease', { part }) : send('lease', forMachine(part)))).held;
    },
    leaseKind,
    async apply(changes) {
      const inbounds = [...new Set(changes.map(({ inbound }) => inbound))];
      await requireKnown(inbounds);
      const wire = changes.map((one) => toWire(one, inbounds, knowsWireguard()));
      const { outcomes } = await call('apply', { inbounds, changes: wire });
      if (outcomes.length !== changes.length) throw new EngineError('engine_unreachable', 'the node left changes out');
      return outcomes.map((outcome) => outcome && new EngineError(outcome.code, outcome.message.slice(0, 1000)));
    },
    async programs() {
      if (spoken === null) await call('running', {});
      return updatesFor(spoken).includes('engine') ? null : (await call('programs', {})).programs;
    },
    async changeProgram(name) {
      await call('changeProgram', { name });
    },
    members: async (inbound) => (await call('members', { inbound })).ids,
    async connected() {
      const { users } = await call('connected', {});
      return (
        users &&
        new Map(users.map(([userId, all]) => [userId, all.map(([address, openedAt]) => ({ address, openedAt }))]))
      );
    },
    protocol: () => spoken,
    machine: () => machine,
    // Nothing reads them: what an engine says about a failure is in the failure.
    log: () => [],
    // The next poll finds that it has ended.
    onExit() {},
    close() {
      isClosed = true;
      open?.agent.destroy();
      open = null;
    },
  };
}

/** `now`: the panel's clock when the machine read its own, as well as that can be known. */
function factsOf(machine: Reply<'running'>['machine'], now: number): MachineFacts | null {
  if (machine === null) return null;
  const { load, version, certificate, waiting } = machine;
  return { load, clockOffset: Math.round(machine.at - now), version, certificate, waiting };
}

/** Bytes of a reply. It is parsed where everything else is done, so that a machine that lies must not be read for long. */
function mostOf(name: Method, users: number): number {
  return Math.min(MOST_BYTES, MOST_SMALL_BYTES * 4 + users * (USER_BYTES[name] ?? 0));
}

function toWire(
  { inbound, isAllowed, user }: EngineChange,
  inbounds: readonly EngineInbound[],
  knowsWireguard: boolean,
) {
  const { uuid, password, key, wireguard } = user.credentials;
  const change = [inbounds.indexOf(inbound), isAllowed, user.userId, uuid, password, key];
  return knowsWireguard ? [...change, wireguard] : change;
}

/** One for all nodes: each of their connections would read the keys once more. */
const contexts = new WeakMap<PanelIdentity, SecureContext>();

function contextOf(identity: PanelIdentity): SecureContext {
  const { key, certificate: cert, authority: ca } = identity;
  const context = contexts.get(identity) ?? createSecureContext({ minVersion: TLS.minVersion, key, cert, ca });
  contexts.set(identity, context);
  return context;
}

function agentOf(identity: PanelIdentity, pin: string): Agent {
  return new Agent({
    ...TLS,
    keepAlive: true,
    maxSockets: 2,
    timeout: IDLE_MS,
    secureContext: contextOf(identity),
    rejectUnauthorized: true,
    // Which node it is, its key says: its name and address may change.
    checkServerIdentity: (_host: string, { raw }: PeerCertificate) =>
      pinOf(new X509Certificate(raw)) === pin ? undefined : new Error('another key than that of the node'),
  });
}

interface Joining {
  readonly host: string;
  readonly port: number;
  readonly secret: string;
  /** Of the panel, PEM. */
  readonly authority: string;
  certify(publicKey: Uint8Array): Promise<string>;
}

/** Joins the node that waits there, if one does and knows the secret. Resolves with the `pin` of its key. Rejects with EngineError. */
export async function joinNode({ host, port, secret, authority, certify }: Joining): Promise<string> {
  // Its certificate says nothing yet: what counts is what both ends can prove on this connection.
  const socket = connect({ ...TLS, host, port, rejectUnauthorized: false });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agent.createConnection = () => socket;
  try {
    const limit = AbortSignal.timeout(JOIN_MS);
    await new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      limit.addEventListener('abort', () => reject(new Error(`no answer in ${JOIN_MS / 1000} s`)));
      socket.once('secureConnect', resolve);
    });
    const asking = { limitMs: JOIN_MS, mostBytes: MOST_SMALL_BYTES };
    const first = await ask({ host, port }, agent, {
      ...asking,
      path: pathOf('join'),
      body: [JSON.stringify({ proof: proofOf('panel', secret, socket) })],
    });
    if (first.version?.major !== PROTOCOL.major) throw otherVersion(first.version);
    if (first.status !== ANSWERED) throw new Error('what answers there does not know the token');
    const { proof } = join.reply.parse(first.body);
    if (!isProof(proof, proofOf('node', secret, socket))) throw new Error('what answers there does not know the token');
    const peer = socket.getPeerX509Certificate();
    if (!peer) throw new Error('it shows no certificate');
    const certificate = await certify(publicKeyOf(peer));
    const second = await ask({ host, port }, agent, {
      ...asking,
      path: pathOf('joined'),
      body: [JSON.stringify({ certificate, authority })],
    });
    if (second.status !== ANSWERED) throw new Error('it refused its certificate');
    joined.reply.parse(second.body);
    return pinOf(peer);
  } catch (error) {
    throw unreachable(error);
  } finally {
    agent.destroy();
    socket.destroy();
  }
}
