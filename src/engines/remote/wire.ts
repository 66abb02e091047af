// The protocol between the panel and `panel node`: requests and replies in JSON over HTTPS, at paths that begin with the version.
//
// Each request is a POST with a JSON body. 200 has the reply, 400 why the request was refused, 409 an EngineError, 404 an unknown path.
// Each reply has the version in a header. Only members of these schemas are sent (`encode`); the core's values are mapped to them by
// functions whose names end in `ToWire`.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { z } from 'zod';
import { NODE_ERROR_CODES } from '../../contract/nodes/nodes.ts';
import { acmeFailureCode } from '../../contract/settings/acme.ts';
import type { Credentials } from '../../core/ports/credentials.ts';
import type { EngineChange, EngineConfig, EngineInbound, EngineUser } from '../../core/ports/engines.ts';
import type { ParseLargeJson } from '../../core/ports/json.ts';
import { createJsonMeter, isLargeJson, type JsonBounds, parseCountedJson } from '../../domain/foreign-json.ts';
import { LEASE_EVENTS } from '../../domain/nodes/lease.ts';
import { PROTOCOL } from '../../domain/nodes/node-protocol.ts';
import { engineInbound, engineInboundToWire } from './wire-inbound.ts';
import { leaseReply, leaseRequest } from './wire-lease.ts';
import { instant as anyInstant, bytes, encode, hexId, id, MAX_INSTANT } from './wire-values.ts';

/** Header of each reply: the machine's protocol version. */
export const VERSION_HEADER = 'gatehouse-protocol';

/** Deeper than any message. */
const DEPTH = 16;
/** Bounds of a message from the panel, which the machine trusts. */
export const REQUEST_BOUNDS: JsonBounds = {
  bytes: 128 * 1024 * 1024,
  values: Number.POSITIVE_INFINITY,
  depth: DEPTH,
};
/** Bounds of a message before the other end is authenticated. */
export const JOIN_BOUNDS: JsonBounds = { bytes: 65_536, values: 100, depth: DEPTH };

/** Most items of one page; longer lists come in several pages. A page has fewer than `PAGE_VALUES` JSON values. */
export const MAX_MEMBERS = 5000;
export const MAX_CONNECTED_USERS = 500;
export const MAX_CONNECTED_ADDRESSES = 2000;
export const MAX_ADDRESSES_OF_USER = 200;
export const MAX_LEDGER_ROWS = 500;
/** Suspects that are checked together, and sessions that are returned: one is enough to reopen an inbound. */
export const MAX_SUSPECTS = 500;
export const MAX_SESSIONS = 2000;
const PAGE_VALUES = 10_000;
const FEW_VALUES = 1000;
/** Outcomes of changes that are sent together. */
const MAX_OUTCOMES = 1000;
const MAX_REPLY_BYTES = 1024 * 1024;

/** A time that the panel stores. */
const instant = anyInstant.min(0);
const programName = z.string().regex(/^(?:xray|v2ray)-\d{1,5}\.\d{1,5}\.\d{1,5}$/);
/** Index among the starts that a page lists. */
const place = z
  .int()
  .min(0)
  .max(3 * MAX_LEDGER_ROWS - 1);
/** Seconds of the engine's own clock, which can have any value. */
const seconds = z.number().min(-MAX_INSTANT).max(MAX_INSTANT);
/** Tag of an inbound. */
const tag = z.string().min(1).max(64);
const hexPin = z.string().regex(/^[0-9a-f]{64}$/);
const boot = z.string().regex(/^[A-Za-z0-9]{1,64}$/);

const config = z.strictObject({ inbounds: z.array(engineInbound), blocksPrivate: z.boolean() });
/** A user: id, uuid, password, key, WireGuard key. */
const person = [id, z.string(), z.string(), z.string(), z.string()] as const;
/** Credentials on single inbounds: inbound, value and flow. */
const byInbound = z.array(z.tuple([id, z.string(), z.string().nullable()]));
const startUser = z.tuple([...person, byInbound, z.array(id)]);
/** Its inbound is an index into `inbounds`. */
const change = z.tuple([z.int().min(0), z.boolean(), ...person, byInbound]);

export const REQUESTS = {
  /** `now`: the panel's time, which the machine follows. */
  running: z.strictObject({ now: instant }),
  check: z.strictObject({ config }),
  start: z.strictObject({ config, boot, users: z.array(startUser) }),
  /** Starts the engine with the users whom the lease allows, if the machine has this version of the lease. */
  startHeld: z.strictObject({ config, boot, leaseId: hexId, version: bytes }),
  stop: z.strictObject({ isRestart: z.boolean() }),
  /** What the panel has acknowledged; null: nothing yet. `asks`: the machine records the counters first. */
  readLedger: z.strictObject({
    taken: z.strictObject({ ledger: hexId, run: hexId, taken: bytes, acknowledged: bytes }).nullable(),
    asks: z.boolean(),
  }),
  /** A part of the lease; null: only asks which version the machine has. */
  lease: leaseRequest,
  apply: z.strictObject({ inbounds: z.array(engineInbound), changes: z.array(change) }),
  /** A page of user ids after `after`; 0: from the first. */
  members: z.strictObject({ inbound: engineInbound, after: bytes }),
  connected: z.strictObject({ after: bytes }),
  /** Which of these users move bytes on these inbounds. */
  findSessions: z.strictObject({ inbounds: z.array(engineInbound), userIds: z.array(id).max(MAX_SUSPECTS) }),
  /** Closes and reopens an inbound, with the users that the machine knows. */
  reopen: z.strictObject({ inbound: engineInbound }),
  /** The engines of the machine. */
  programs: z.strictObject({}),
  /** Installs another engine; null: returns to the former one. */
  changeProgram: z.strictObject({ name: programName.nullable() }),
} as const;

const failed = z.object({ code: z.enum(NODE_ERROR_CODES), message: z.string() });
/** The body with status 409. */
export const failure = failed;
/** The body with status 400: what is wrong with the message. */
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
      /** Version of Gatehouse. */
      version: z.string().regex(/^[\w.+-]{1,64}$/),
      /** Certificate of the links that it serves. */
      certificate: z
        .object({ endsAt: instant.nullable(), isLate: z.boolean(), failure: acmeFailureCode.nullable() })
        .nullable(),
      /** Entries and bytes that the panel has not acknowledged. */
      waiting: z.object({ entries: bytes, bytes }).nullable(),
    }),
  }),
  check: z.object({}),
  start: z.object({ running }),
  startHeld: z.object({ running: running.nullable() }),
  stop: z.object({}),
  /** Entries and ends refer to their start by its index in `boots`; an entry has a user's id or an inbound's tag. */
  readLedger: z.object({
    ledger: hexId,
    run: hexId,
    acknowledged: bytes,
    boots: z.array(boot).max(3 * MAX_LEDGER_ROWS),
    entries: z.array(z.tuple([bytes, place, z.union([id, tag]), bytes, bytes])).max(MAX_LEDGER_ROWS),
    ends: z.array(z.tuple([bytes, place])).max(MAX_LEDGER_ROWS),
    /** Number, kind, time, user, index of the start in `boots` (null: none), up and down. */
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
  /** Ids of inbound and user. */
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

/** Bounds of a reply, however many users there are. */
export function getReplyBounds(name: Method): JsonBounds {
  return { bytes: MAX_REPLY_BYTES, values: LONG[name] ?? FEW_VALUES, depth: DEPTH };
}

export type Request<Name extends Method> = z.output<(typeof REQUESTS)[Name]>;
export type Reply<Name extends Method> = z.output<(typeof REPLIES)[Name]>;

/** Throws ZodError for a request that the machine would refuse. */
export function encodeRequest<Name extends Method>(name: Name, body: Request<Name>): string {
  return encode(REQUESTS[name], body);
}

/** Throws ZodError for an invalid request. */
export function parseRequest<Name extends Method>(name: Name, body: unknown): Request<Name> {
  return REQUESTS[name].parse(body) as Request<Name>;
}

/** Leaves out members that the schema does not have. Throws ZodError for a reply that the panel would refuse. */
export function encodeReply<Name extends Method>(name: Name, reply: Reply<Name>): string {
  return encode(REPLIES[name], reply);
}

/** Throws ZodError for an invalid reply. */
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
  return [userId, ...credentialsToWire(credentials), [...inbounds]];
}

export function startUserFromWire([userId, uuid, password, key, wireguard, own, inbounds]: z.output<
  typeof startUser
>): EngineUser & { readonly inbounds: readonly number[] } {
  return { userId, credentials: credentialsFromWire([uuid, password, key, wireguard, own]), inbounds };
}

type WireCredentials = [
  uuid: string,
  password: string,
  key: string,
  wireguard: string,
  own: z.output<typeof byInbound>,
];

function credentialsToWire({ uuid, password, key, wireguard, byInbound: own = [] }: Credentials): WireCredentials {
  return [uuid, password, key, wireguard, own.map(({ inboundId, value, flow }) => [inboundId, value, flow])];
}

function credentialsFromWire([uuid, password, key, wireguard, own]: WireCredentials): Credentials {
  const families = { uuid, password, key, wireguard };
  if (own.length === 0) return families;
  return { ...families, byInbound: own.map(([inboundId, value, flow]) => ({ inboundId, value, flow })) };
}

/** `inbounds`: those that are sent along. */
export function changeToWire(
  { inbound, isAllowed, user }: EngineChange,
  inbounds: readonly EngineInbound[],
): z.input<typeof change> {
  return [inbounds.indexOf(inbound), isAllowed, user.userId, ...credentialsToWire(user.credentials)];
}

/** null: its inbound was not sent along. */
export function changeFromWire(
  [place, isAllowed, userId, uuid, password, key, wireguard, own]: z.output<typeof change>,
  inbounds: readonly EngineInbound[],
): EngineChange | null {
  const inbound = inbounds[place];
  const credentials = credentialsFromWire([uuid, password, key, wireguard, own]);
  return inbound ? { inbound, isAllowed, user: { userId, credentials } } : null;
}

export const METHODS = Object.keys(REQUESTS) as readonly Method[];

export function buildMethodPath(name: Method | 'join'): string {
  return `/${PROTOCOL.major}/${name}`;
}

/** The major protocol version in a request's path; null: none. */
export function parseMajor(path: string | undefined): number | null {
  const [, major] = /^\/(\d{1,4})\//.exec(path ?? '') ?? [];
  return major === undefined ? null : Number(major);
}

/** Joining, over TLS with the panel's key: both ends prove that they know the token's secret. */
export const join = {
  request: z.strictObject({
    proof: z.string().max(64),
    /** The pin (hex) of the machine that already joined with this token; null: none. */
    takenBy: hexPin.nullable(),
  }),
  reply: z.object({ proof: z.string().max(64) }),
};

const EXPORTED_BYTES = 32;
const LABEL = 'EXPORTER-gatehouse-node-join';

/**
 * An HMAC that needs the secret and this very connection: a man in the middle has different keying material on each of its two connections
 * (RFC 8446 section 7.5), and cannot derive the secret from it.
 */
export function computeProof(side: 'panel' | 'node', secret: string, socket: TLSSocket): string {
  const exported = socket.exportKeyingMaterial(EXPORTED_BYTES, LABEL, Buffer.alloc(0));
  return createHmac('sha256', Buffer.from(secret, 'hex')).update(side).update(exported).digest('hex');
}

export function isProof(given: string, expected: string): boolean {
  // Texts of equal length in characters may differ in bytes.
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Reads the JSON body of a request or a reply. Rejects if it exceeds the bounds, which is noticed while it arrives, is cut off, or is not
 * JSON. `parseLarge` parses large bodies elsewhere; left out: they are parsed here.
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
