// Calls to the agent on a node's machine: the panel connects, and each end knows the other by its key.
import { X509Certificate } from 'node:crypto';
import { Agent, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { ZodError } from 'zod';
import { EngineError, type MachineFacts, type PanelIdentity } from '../../core/ports/engines.ts';
import type { ParseLargeJson } from '../../core/ports/json.ts';
import type { Clock } from '../../core/ports/ports.ts';
import { PROTOCOL, writeVersion } from '../../domain/nodes/node-protocol.ts';
import { type PanelClaim, writeClaim } from '../../domain/nodes/panel-claim.ts';
import { ANSWERED, computePin, type NodePlace, otherVersion, sendRequest, TLS, unreachable } from './node-request.ts';
import { readSignedClaim, signClaim } from './signed-claim.ts';
import {
  buildMethodPath,
  encodeRequest,
  failure,
  getReplyBounds,
  type Method,
  parseReply,
  type Reply,
  type Request,
  refusal,
} from './wire.ts';
import { describeIssues } from './wire-values.ts';

/** Parts that calls to a machine need. */
export interface NodeClientParts {
  /** The machine's present address and key; null: not joined, or deleted. */
  place(): NodePlace | null;
  /** The same object while the key is the same. Rejects while the panel's secrets are locked. */
  identity(): Promise<PanelIdentity>;
  readonly role: NodeRole;
  readonly parseLarge: ParseLargeJson;
  readonly clock: Clock;
}

/** The claim of this panel, and the machine's answers to it. */
export interface NodeRole {
  claim(): PanelClaim;
  /** Called when the machine obeys this panel. */
  recordObeyed(): void;
  /** Called when it obeys another panel, whose claim is signed by this panel's own key. */
  recordRefused(code: 'superseded' | 'other_panel', claim: PanelClaim): void;
}

/** Limits of whole calls in ms. Those of the engine's own work are in local-engine.ts. */
const LIMIT_MS: Readonly<Record<Method, number>> = {
  running: 10_000,
  check: 40_000,
  start: 150_000,
  startHeld: 150_000,
  stop: 30_000,
  readLedger: 30_000,
  lease: 60_000,
  apply: 60_000,
  members: 30_000,
  connected: 30_000,
  findSessions: 30_000,
  reopen: 60_000,
  programs: 30_000,
  changeProgram: 10_000,
};
const IDLE_MS = 45_000;
const NOT_UNDERSTOOD = 400;
const REFUSED = 409;
const NOT_FOUND = 404;

export interface NodeClient {
  call<Name extends Method>(name: Name, body: Request<Name>): Promise<Reply<Name>>;
  /** Like `call`, with a message that is encoded in pieces. */
  send<Name extends Method>(name: Name, write: () => readonly string[]): Promise<Reply<Name>>;
  /** The protocol version of the last answer; null: none, or it could not be parsed. */
  protocolVersion(): string | null;
  /** The machine in the last answer to `running`; null: none yet. */
  machine(): MachineFacts | null;
  close(): void;
}

/** Calls to one machine, over reused connections. All reject with EngineError. */
export function createNodeClient(parts: NodeClientParts): NodeClient {
  const { clock } = parts;
  /** The agent, with the identity and pin that it was created for: after a change of these, new connections are needed. */
  let open: { readonly agent: Agent; readonly identity: PanelIdentity; readonly pin: string } | null = null;
  let isClosed = false;
  /** The last known address and key, to stop the engine of a deleted node. */
  let known: NodePlace | null = null;
  let protocolVersion: string | null = null;
  let machine: MachineFacts | null = null;

  async function agentFor({ pin }: NodePlace): Promise<Agent> {
    const identity = await parts.identity();
    if (isClosed) throw new EngineError('engine_unreachable', 'the node is no longer there');
    if (open !== null && (open.identity !== identity || open.pin !== pin)) {
      open.agent.destroy();
      open = null;
    }
    open ??= { identity, pin, agent: new PinnedAgent(identity, pin) };
    return open.agent;
  }

  function call<Name extends Method>(name: Name, body: Request<Name>): Promise<Reply<Name>> {
    return send(name, () => [encodeRequest(name, body)]);
  }

  async function send<Name extends Method>(name: Name, write: () => readonly string[]): Promise<Reply<Name>> {
    const body = writeBody(name, write);
    try {
      const place = parts.place() ?? known;
      if (place === null) throw new EngineError('engine_unreachable', 'the node has not been joined');
      known = place;
      const agent = await agentFor(place);
      const limits = { limitMs: LIMIT_MS[name], bounds: getReplyBounds(name), parseLarge: parts.parseLarge };
      const identity = await parts.identity();
      const claim = getSignedClaim(identity, parts.role.claim());
      const outgoing = { path: buildMethodPath(name), body, claim, ...limits };
      const askedAt = clock.now();
      const { status, body: answer, version, claim: obeyed } = await sendRequest(place, agent, outgoing);
      protocolVersion = version && writeVersion(version);
      if (version?.major !== PROTOCOL.major) throw otherVersion(version);
      if (status === REFUSED) {
        const { code, message } = failure.parse(answer);
        if (code === 'superseded' || code === 'other_panel') {
          parts.role.recordRefused(code, requireClaim(code, obeyed, identity, parts.role.claim()));
        } else parts.role.recordObeyed();
        throw new EngineError(code, message.slice(0, 1000));
      }
      if (status === NOT_FOUND)
        throw new EngineError('other_version', 'the machine does not know what the panel asks: update Gatehouse on it');
      if (status === NOT_UNDERSTOOD) throw messageRefused(name, refusal.parse(answer).reason);
      if (status !== ANSWERED)
        throw new Error(`the node answered with status ${status}: the log of its machine says why`);
      const reply = parseReply(name, answer);
      parts.role.recordObeyed();
      if (name === 'running') {
        machine = toMachineFacts((reply as Reply<'running'>).machine, (askedAt + clock.now()) / 2);
      }
      return reply;
    } catch (error) {
      if (error instanceof ZodError)
        throw new EngineError('engine_unreachable', `the node answered something else: ${describeIssues(error)}`);
      throw unreachable(error);
    }
  }

  return {
    call,
    send,
    protocolVersion: () => protocolVersion,
    machine: () => machine,
    close() {
      isClosed = true;
      open?.agent.destroy();
      open = null;
    },
  };
}

/** `now`: the panel's time when the machine read its own clock, approximately. */
function toMachineFacts({ at, ...facts }: Reply<'running'>['machine'], now: number): MachineFacts {
  return { ...facts, clockOffset: Math.round(at - now) };
}

/** The error of a message that either end refused. */
function messageRefused(name: Method, reason: string): EngineError {
  return new EngineError('message_refused', `the message "${name}" is refused${reason && `: ${reason}`}`);
}

/** Rejects before sending what the machine would refuse. */
function writeBody(name: Method, write: () => readonly string[]): readonly string[] {
  try {
    return write();
  } catch (error) {
    throw error instanceof ZodError ? messageRefused(name, describeIssues(error)) : error;
  }
}

/** Shared by all nodes: otherwise each connection would parse the keys again. */
const contexts = new WeakMap<PanelIdentity, SecureContext>();

function getSecureContext(identity: PanelIdentity): SecureContext {
  const { key, certificate: cert } = identity;
  const context = contexts.get(identity) ?? createSecureContext({ minVersion: TLS.minVersion, key, cert });
  contexts.set(identity, context);
  return context;
}

/** The signed claim of each identity, cached because each signature would give another text. */
const claims = new WeakMap<PanelIdentity, { readonly text: string; readonly signed: string }>();

function getSignedClaim(identity: PanelIdentity, claim: PanelClaim): string {
  const text = writeClaim(claim);
  const known = claims.get(identity);
  if (known?.text === text) return known.signed;
  const signed = signClaim(claim, identity.key);
  claims.set(identity, { text, signed });
  return signed;
}

/**
 * The claim for which a machine refuses this panel. Throws if it shows none that this panel's own key has signed: the machine alone is not
 * trusted.
 */
function requireClaim(
  code: 'superseded' | 'other_panel',
  signed: string | undefined,
  { certificate }: PanelIdentity,
  own: PanelClaim,
): PanelClaim {
  const claim = signed === undefined ? null : readSignedClaim(signed, new X509Certificate(certificate).publicKey);
  const isHigher = claim !== null && (code === 'superseded' ? claim.epoch > own.epoch : claim.run !== own.run);
  if (!isHigher) throw new EngineError('engine_unreachable', 'the node obeys another panel and does not prove it');
  return claim;
}

/** Connects only to the machine with this key. */
class PinnedAgent extends Agent {
  readonly #pin: string;
  readonly #secureContext: SecureContext;
  readonly #connecting = new Set<TLSSocket>();

  constructor(identity: PanelIdentity, pin: string) {
    super({ ...TLS, keepAlive: true, maxSockets: 2, timeout: IDLE_MS });
    this.#pin = pin;
    this.#secureContext = getSecureContext(identity);
  }

  /** Passes a connection on only after the key of its other end was checked, so that nothing is sent to another machine. */
  override createConnection(options: RequestOptions, done?: (error: Error | null, stream: Duplex) => void): undefined {
    const secureContext = this.#secureContext;
    const socket = connect({ ...(options as ConnectionOptions), ...TLS, secureContext });
    this.#connecting.add(socket);
    const end = (error: Error | null) => {
      if (!this.#connecting.delete(socket)) return;
      if (error !== null) socket.destroy();
      done?.(error, socket);
    };
    socket.once('error', (error) => end(error));
    socket.once('timeout', () => end(new Error('no connection in time')));
    socket.once('close', () => end(new Error('the connection was closed')));
    socket.once('secureConnect', () => {
      const peer = socket.getPeerX509Certificate();
      const isNode = peer !== undefined && computePin(peer) === this.#pin;
      end(isNode ? null : new Error('another key than that of the node'));
    });
  }

  override destroy(): void {
    for (const socket of this.#connecting) socket.destroy();
    super.destroy();
  }
}
