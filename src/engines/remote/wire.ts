// What the panel and `panel node` say to each other: requests and replies in JSON over HTTPS, at paths that begin with the version.
//
// Each request is a POST with a JSON body. 200 has the reply, 400 why the request was refused, 409 an EngineError, 404 an unknown path. Each reply
// has the version in a header. Nothing goes on the wire but what one of the schemas here names (`encode`), and what the core has is mapped to that
// by functions whose names end in `ToWire`.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { z } from 'zod';
import { NODE_ERROR_CODES } from '../../contract/nodes/nodes.ts';
import { acmeFailureCode } from '../../contract/settings/acme.ts';
import type { EngineChange, EngineConfig, EngineInbound, EngineUser } from '../../core/ports/engines.ts';
import type { ParseLargeJson } from '../../core/ports/json.ts';
import { createJsonMeter, isLargeJson, type JsonBounds, parseCountedJson } from '../../domain/foreign-json.ts';
import { LEASE_EVENTS } from '../../domain/nodes/lease.ts';
import { PROTOCOL } from '../../domain/nodes/node-protocol.ts';
import { engineInbound, engineInboundToWire } from './wire-inbound.ts';
import { leaseReply, leaseRequest } from './wire-lease.ts';
import { instant as anyInstant, bytes, encode, hexId, id, MAX_INSTANT } from './wire-values.ts';

/** In each reply: the version that the machine speaks. */
export const VERSION_HEADER = 'gatehouse-protocol';

/** More than any message has. */
const DEPTH = 16;
/** Of a message of the panel, which its machine obeys in everything. */
export const REQUEST_BOUNDS: JsonBounds = {
  bytes: 128 * 1024 * 1024,
  values: Number.POSITIVE_INFINITY,
  depth: DEPTH,
};
/** Of a message before the other end is known. */
export const JOIN_BOUNDS: JsonBounds = { bytes: 65_536, values: 100, depth: DEPTH };

/** What one page has at most: what is longer comes in several. A page has fewer than `PAGE_VALUES` values. */
export const MAX_MEMBERS = 5000;
export const MAX_CONNECTED_USERS = 500;
export const MAX_CONNECTED_ADDRESSES = 2000;
export const MAX_ADDRESSES_OF_USER = 200;
export const MAX_LEDGER_ROWS = 500;
/** Suspects that are looked at together, and sessions that are named: one is enough for an inbound to be reopened. */
export const MAX_SUSPECTS = 500;
export const MAX_SESSIONS = 2000;
const PAGE_VALUES = 10_000;
const FEW_VALUES = 1000;
/** Of the outcomes of changes that are sent together. */
const MAX_OUTCOMES = 1000;
const MAX_REPLY_BYTES = 1024 * 1024;

/** A moment that the panel stores. */
const instant = anyInstant.min(0);
const programName = z.string().regex(/^(?:xray|v2ray)-\d{1,5}\.\d{1,5}\.\d{1,5}$/);
/** Among the starts that a page lists. */
const place = z
  .int()
  .min(0)
  .max(3 * MAX_LEDGER_ROWS - 1);
/** Of the engine's own clock, which may be any moment. */
const seconds = z.number().min(-MAX_INSTANT).max(MAX_INSTANT);
/** Of an inbound. */
const tag = z.string().min(1).max(64);
const hexPin = z.string().regex(/^[0-9a-f]{64}$/);
const boot = z.string().regex(/^[A-Za-z0-9]{1,64}$/);

const config = z.strictObject({ inbounds: z.array(engineInbound), blocksPrivate: z.boolean() });
/** A user: id, then uuid, password, key and the key of WireGuard. */
const person = [id, z.string(), z.string(), z.string(), z.string()] as const;
const startUser = z.tuple([...person, z.array(id)]);
/** Its inbound is named by its place among `inbounds`. */
const change = z.tuple([z.int().min(0), z.boolean(), ...person]);

export const REQUESTS = {
  /** `now`: the panel's time, which the machine follows. */
  running: z.strictObject({ now: instant }),
  check: z.strictObject({ config }),
  start: z.strictObject({ config, boot, users: z.array(startUser) }),
  /** With whom the lease lets in, if it is this one. */
  startHeld: z.strictObject({ config, boot, leaseId: hexId, version: bytes }),
  stop: z.strictObject({ isRestart: z.boolean() }),
  /** What was taken by the panel; null: nothing yet. `asks`: the counters are written down before. */
  readLedger: z.strictObject({
    taken: z.strictObject({ ledger: hexId, run: hexId, taken: bytes, acknowledged: bytes }).nullable(),
    asks: z.boolean(),
  }),
  /** A part of the lease; null: only what is held is asked for. */
  lease: leaseRequest,
  apply: z.strictObject({ inbounds: z.array(engineInbound), changes: z.array(change) }),
  /** In pages, by id: those behind this one; 0: from the first. */
  members: z.strictObject({ inbound: engineInbound, after: bytes }),
  connected: z.strictObject({ after: bytes }),
  /** Which of these users move bytes over these inbounds. */
  findSessions: z.strictObject({ inbounds: z.array(engineInbound), userIds: z.array(id).max(MAX_SUSPECTS) }),
  /** Closes an inbound and opens it again, with the users whom the machine knows. */
  reopen: z.strictObject({ inbound: engineInbound }),
  /** The engines of the machine. */
  programs: z.strictObject({}),
  /** Brings another one, or the one that was used before. */
  changeProgram: z.strictObject({ name: programName.nullable() }),
} as const;

const failed = z.object({ code: z.enum(NODE_ERROR_CODES), message: z.string() });
/** With status 409. */
export const failure = failed;
/** With status 400: what is wrong with the message. */
export const refusal = z.object({ reason: z.string().max(2000).catch('') });

const running = z.object({
  name: z.enum(['xray', 'v2ray']),
  version: z.string().regex(/^\d{1,5}(\.\d{1,5}){0,3}$/),
  boot: boot.nullable(),
  fingerprint: z
    .string()
    .regex(/^[0-9a-f]{1,64}$/)
    .nullable(),
  uptimeMs: instant,
});

export const REPLIES = {
  running: z.object({
    running: running.nullable(),
    machine: z.object({
      /** In percent. */
      load: z.int().min(0).max(1_000_000).nullable(),
      at: instant,
      /** Of Gatehouse. */
      version: z.string().regex(/^[\w.+-]{1,64}$/),
      /** Of links that it serves. */
      certificate: z
        .object({ endsAt: instant.nullable(), isLate: z.boolean(), failure: acmeFailureCode.nullable() })
        .nullable(),
      /** What was not acknowledged: entries and bytes. */
      waiting: z.object({ entries: bytes, bytes }).nullable(),
    }),
  }),
  check: z.object({}),
  start: z.object({ running }),
  startHeld: z.object({ running: running.nullable() }),
  stop: z.object({}),
  /** Entries and ends name their start by its place among `boots`; an entry is a user's by number, or an inbound's by tag. */
  readLedger: z.object({
    ledger: hexId,
    run: hexId,
    acknowledged: bytes,
    boots: z.array(boot).max(3 * MAX_LEDGER_ROWS),
    entries: z.array(z.tuple([bytes, place, z.union([id, tag]), bytes, bytes])).max(MAX_LEDGER_ROWS),
    ends: z.array(z.tuple([bytes, place])).max(MAX_LEDGER_ROWS),
    /** Number, kind, moment, user, place of the start among `boots` (null: none), up and down. */
    events: z
      .array(z.tuple([bytes, z.enum(LEASE_EVENTS), instant, id, place.nullable(), bytes, bytes]))
      .max(MAX_LEDGER_ROWS),
    until: bytes,
    isLast: z.boolean(),
    failure: failed.nullable(),
  }),
  lease: leaseReply,
  apply: z.object({
    outcomes: z.array(failed.nullable()).max(MAX_OUTCOMES),
  }),
  members: z.object({ ids: z.array(id).max(MAX_MEMBERS).nullable(), isLast: z.boolean() }),
  programs: z.object({
    current: programName.nullable(),
    former: programName.nullable(),
    offered: z.array(programName).max(100),
    hasOwnPath: z.boolean(),
    job: z
      .object({
        name: programName.nullable(),
        state: z.enum(['running', 'switched', 'same', 'refused', 'taken_back', 'failed']),
        reason: z.string().max(2000),
      })
      .nullable(),
  }),
  changeProgram: z.object({}),
  /** Inbound and user. */
  findSessions: z.object({ sessions: z.array(z.tuple([id, id])).max(MAX_SESSIONS) }),
  reopen: z.object({}),
  connected: z.object({
    users: z
      .array(z.tuple([id, z.array(z.tuple([z.string().max(64), seconds])).max(MAX_ADDRESSES_OF_USER)]))
      .max(MAX_CONNECTED_USERS)
      .nullable(),
    isLast: z.boolean(),
  }),
} as const satisfies Record<keyof typeof REQUESTS, z.ZodType>;

export type Method = keyof typeof REQUESTS;

const LONG: Partial<Readonly<Record<Method, number>>> = {
  apply: 4 * MAX_OUTCOMES,
  members: PAGE_VALUES,
  connected: PAGE_VALUES,
  findSessions: PAGE_VALUES,
  readLedger: PAGE_VALUES,
};

/** What a reply may be, however many users there are. */
export function getReplyBounds(name: Method): JsonBounds {
  return { bytes: MAX_REPLY_BYTES, values: LONG[name] ?? FEW_VALUES, depth: DEPTH };
}

export type Request<Name extends Method> = z.output<(typeof REQUESTS)[Name]>;
export type Reply<Name extends Method> = z.output<(typeof REPLIES)[Name]>;

/** Throws ZodError for what the machine would refuse. */
export function encodeRequest<Name extends Method>(name: Name, body: Request<Name>): string {
  return encode(REQUESTS[name], body);
}

/** Throws ZodError for what this end does not understand. */
export function parseRequest<Name extends Method>(name: Name, body: unknown): Request<Name> {
  return REQUESTS[name].parse(body) as Request<Name>;
}

/** Members that the panel does not know are left out. Throws ZodError for what it would not understand. */
export function encodeReply<Name extends Method>(name: Name, reply: Reply<Name>): string {
  return encode(REPLIES[name], reply);
}

/** Throws ZodError for what this end does not understand. */
export function parseReply<Name extends Method>(name: Name, reply: unknown): Reply<Name> {
  return REPLIES[name].parse(reply) as Reply<Name>;
}

export function configToWire({ inbounds, blocksPrivate }: EngineConfig): z.input<typeof config> {
  return { inbounds: inbounds.map(engineInboundToWire), blocksPrivate };
}

export function startUserToWire({
  userId,
  credentials,
  inbounds,
}: EngineUser & { readonly inbounds: readonly number[] }): z.input<typeof startUser> {
  const { uuid, password, key, wireguard } = credentials;
  return [userId, uuid, password, key, wireguard, [...inbounds]];
}

export function startUserFromWire([userId, uuid, password, key, wireguard, inbounds]: z.output<
  typeof startUser
>): EngineUser & { readonly inbounds: readonly number[] } {
  return { userId, credentials: { uuid, password, key, wireguard }, inbounds };
}

/** `inbounds`: those that are sent along. */
export function changeToWire(
  { inbound, isAllowed, user }: EngineChange,
  inbounds: readonly EngineInbound[],
): z.input<typeof change> {
  const { uuid, password, key, wireguard } = user.credentials;
  return [inbounds.indexOf(inbound), isAllowed, user.userId, uuid, password, key, wireguard];
}

/** Null: its inbound was not sent along. */
export function changeFromWire(
  [place, isAllowed, userId, uuid, password, key, wireguard]: z.output<typeof change>,
  inbounds: readonly EngineInbound[],
): EngineChange | null {
  const inbound = inbounds[place];
  return inbound ? { inbound, isAllowed, user: { userId, credentials: { uuid, password, key, wireguard } } } : null;
}

export const METHODS = Object.keys(REQUESTS) as readonly Method[];

export function buildMethodPath(name: Method | 'join'): string {
  return `/${PROTOCOL.major}/${name}`;
}

/** The major version of the protocol that a request is of; null: it names none. */
export function parseMajor(path: string | undefined): number | null {
  const [, major] = /^\/(\d{1,4})\//.exec(path ?? '') ?? [];
  return major === undefined ? null : Number(major);
}

/** Joining, over TLS on which the panel shows its key: both prove that they know the token's secret. */
export const join = {
  request: z.strictObject({
    proof: z.string().max(64),
    /** The pin of the machine that was joined with this token before, in hex; null: none was. */
    takenBy: hexPin.nullable(),
  }),
  reply: z.object({ proof: z.string().max(64) }),
};

const EXPORTED_BYTES = 32;
const LABEL = 'EXPORTER-gatehouse-node-join';

/**
 * What only who knows the secret can say on this very connection: who stands between two connections has another keying material on
 * each (RFC 8446 section 7.5), and learns nothing by which the secret could be found.
 */
export function computeProof(side: 'panel' | 'node', secret: string, socket: TLSSocket): string {
  const exported = socket.exportKeyingMaterial(EXPORTED_BYTES, LABEL, Buffer.alloc(0));
  return createHmac('sha256', Buffer.from(secret, 'hex')).update(side).update(exported).digest('hex');
}

export function isProof(given: string, expected: string): boolean {
  // Of the same length in characters, they may differ in bytes.
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * The body of a request or a reply. Rejects where it is beyond the bounds, which is found while it arrives, is cut off, or is not JSON. `parseLarge` left
 * out: all of it is parsed here.
 */
export async function readJson(
  message: IncomingMessage,
  bounds: JsonBounds,
  parseLarge?: ParseLargeJson,
): Promise<unknown> {
  const meter = createJsonMeter(bounds);
  const parts: Buffer[] = [];
  try {
    for await (const part of message as AsyncIterable<Buffer>) {
      meter.add(part);
      parts.push(part);
    }
  } catch (error) {
    message.destroy();
    throw error;
  }
  if (!message.complete) throw new Error('a message that was cut off');
  const whole = Buffer.concat(parts);
  return parseLarge && isLargeJson(meter) ? parseLarge(whole) : parseCountedJson(whole);
}
