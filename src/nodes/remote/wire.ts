// What the panel and `panel node` say to each other: requests and replies in JSON over HTTPS, at paths that begin with the version.
//
// Each request is a POST with a JSON body. 200 has the reply, 409 an EngineError, 404 an unknown path. Each reply has the version in a header.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { z } from 'zod';
import { NODE_ERROR_CODES } from '../../contract/nodes/nodes.ts';
import { acmeFailureCode } from '../../contract/settings/acme.ts';
import type { EngineConfig, EngineInbound } from '../../core/ports/engines.ts';
import { isNestedDeeper } from '../../domain/json-depth.ts';
import { LEASE_EVENTS } from '../../domain/nodes/lease.ts';
import { PROTOCOL } from '../../domain/nodes/node-protocol.ts';
import { hexId, leaseReply, leaseRequest } from './wire-lease.ts';

/** In each reply: the version that the machine speaks. */
export const VERSION_HEADER = 'gatehouse-protocol';

/** Bytes of a message: a start with all users, and all others. */
export const MOST_BYTES = 128 * 1024 * 1024;
export const MOST_SMALL_BYTES = 1024 * 1024;
/** More than any message has. */
const MOST_LEVELS = 16;

const id = z.int().min(1);
const bytes = z.int().min(0);
const instant = z.int().min(0).max(8_640_000_000_000_000);
const programName = z.string().regex(/^(?:xray|v2ray)-\d{1,5}\.\d{1,5}\.\d{1,5}$/);
const boot = z.string().regex(/^[A-Za-z0-9]{1,64}$/);

/** The engine's code looks at the rest: who sends this is the panel, by its certificate. */
const inbound = z
  .looseObject({ id, tag: z.string(), port: z.int().min(1).max(65_535), protocol: z.string() })
  .transform((value) => value as unknown as EngineInbound);
const config = z
  .strictObject({ inbounds: z.array(inbound), blocksPrivate: z.boolean() })
  .transform((value): EngineConfig => value);
/** A user: id, then uuid, password and key. At the end of the list that they begin: the key of WireGuard, none before version 1.3. */
const person = [id, z.string(), z.string(), z.string()] as const;

export const REQUESTS = {
  running: z.strictObject({}),
  check: z.strictObject({ config }),
  start: z.strictObject({ config, boot, users: z.array(z.tuple([...person, z.array(id), z.string().default('')])) }),
  /** With whom the lease lets in, if it is this one. */
  startHeld: z.strictObject({ config, boot, leaseId: hexId, version: bytes }),
  /** `isRestart`: not sent before version 1.5. */
  stop: z.strictObject({ isRestart: z.boolean().default(false) }),
  counters: z.strictObject({}),
  /** What was taken by the panel; null: nothing yet. `asks`: the counters are written down before. */
  take: z.strictObject({
    taken: z.strictObject({ ledger: hexId, run: hexId, taken: bytes, acknowledged: bytes }).nullable(),
    asks: z.boolean(),
  }),
  /** A part of the lease; null: only what is held is asked for. */
  lease: leaseRequest,
  /** A change names its connection by its place among `inbounds`. */
  apply: z.strictObject({
    inbounds: z.array(inbound).max(1000),
    changes: z.array(z.tuple([z.int().min(0).max(999), z.boolean(), ...person, z.string().default('')])).max(1000),
  }),
  members: z.strictObject({ inbound }),
  connected: z.strictObject({}),
  /** The engines of the machine. Since 1.5. */
  programs: z.strictObject({}),
  /** Brings another one, or the one that was used before. Since 1.5. */
  changeProgram: z.strictObject({ name: programName.nullable() }),
  /** A certificate in place of the present one, for the same key. */
  certificate: z.strictObject({ certificate: z.string().max(8192) }),
} as const;

const failed = z.object({ code: z.enum(NODE_ERROR_CODES), message: z.string() });
/** With status 409. */
export const failure = failed;

const running = z.object({
  name: z.enum(['xray', 'v2ray']),
  version: z.string().regex(/^\d{1,5}(\.\d{1,5}){0,3}$/),
  boot: boot.nullable(),
  fingerprint: z
    .string()
    .regex(/^[0-9a-f]{1,64}$/)
    .nullable(),
  uptimeMs: z.int().min(0).max(1e14),
});

export const REPLIES = {
  running: z.object({
    running: running.nullable(),
    /** The load in percent, its clock, and the version of Gatehouse; none before version 1.4. */
    machine: z
      .object({
        load: z.int().min(0).max(1_000_000).nullable(),
        at: instant,
        version: z.string().regex(/^[\w.+-]{1,64}$/),
        /** Of links that it serves; none before version 1.5. */
        certificate: z
          .object({ endsAt: instant.nullable(), isLate: z.boolean(), failure: acmeFailureCode.nullable() })
          .nullable()
          .default(null),
        /** What was not acknowledged: entries and bytes; none before version 1.5. */
        waiting: z.object({ entries: bytes, bytes }).nullable().default(null),
      })
      .nullable()
      .default(null),
  }),
  check: z.object({}),
  start: z.object({ running }),
  startHeld: z.object({ running: running.nullable() }),
  stop: z.object({}),
  counters: z.object({
    boot: boot.nullable(),
    users: z.array(z.tuple([id, bytes, bytes])),
    inbounds: z.array(z.tuple([z.string().max(64), bytes, bytes])).max(10_000),
  }),
  /** Entries and ends name their start by its place among `boots`; an entry is a user's by number, or a connection's by tag. */
  take: z.object({
    ledger: hexId,
    run: hexId,
    acknowledged: bytes,
    boots: z.array(boot).max(10_000),
    entries: z
      .array(z.tuple([bytes, z.int().min(0).max(9999), z.union([id, z.string().max(64)]), bytes, bytes]))
      .max(10_000),
    ends: z.array(z.tuple([bytes, z.int().min(0).max(9999)])).max(10_000),
    /** Number, kind, moment, user, place of the start among `boots` (null: none), up and down; none before version 1.2. */
    events: z
      .array(z.tuple([bytes, z.enum(LEASE_EVENTS), instant, id, z.int().min(0).max(9999).nullable(), bytes, bytes]))
      .max(10_000)
      .default([]),
    until: bytes,
    isLast: z.boolean(),
    failure: failed.nullable(),
  }),
  lease: leaseReply,
  apply: z.object({
    outcomes: z.array(failed.nullable()).max(1000),
  }),
  members: z.object({ ids: z.array(id).nullable() }),
  programs: z.object({
    programs: z
      .object({
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
      })
      .nullable(),
  }),
  changeProgram: z.object({}),
  connected: z.object({
    users: z.array(z.tuple([id, z.array(z.tuple([z.string().max(64), z.number()]))])).nullable(),
  }),
  certificate: z.object({}),
} as const satisfies Record<keyof typeof REQUESTS, z.ZodType>;

export type Method = keyof typeof REQUESTS;
export type Reply<Name extends Method> = z.output<(typeof REPLIES)[Name]>;

export const METHODS = Object.keys(REQUESTS) as readonly Method[];

export function pathOf(name: Method | 'join' | 'joined'): string {
  return `/${PROTOCOL.major}/${name}`;
}

/** The major version of the protocol that a request is of; null: it names none. */
export function majorOf(path: string | undefined): number | null {
  const [, major] = /^\/(\d{1,4})\//.exec(path ?? '') ?? [];
  return major === undefined ? null : Number(major);
}

/** Joining, over TLS whose certificates say nothing yet: first both prove that they know the token's secret, then the node is certified. */
export const join = {
  request: z.strictObject({ proof: z.string().max(64) }),
  reply: z.object({ proof: z.string().max(64) }),
};
export const joined = {
  request: z.strictObject({ certificate: z.string().max(8192), authority: z.string().max(8192) }),
  reply: z.object({}),
};

const EXPORTED_BYTES = 32;
const LABEL = 'EXPORTER-gatehouse-node-join';

/**
 * What only who knows the secret can say on this very connection: who stands between two connections has another keying material on
 * each (RFC 8446 section 7.5), and learns nothing by which the secret could be found.
 */
export function proofOf(side: 'panel' | 'node', secret: string, socket: TLSSocket): string {
  const exported = socket.exportKeyingMaterial(EXPORTED_BYTES, LABEL, Buffer.alloc(0));
  return createHmac('sha256', Buffer.from(secret, 'hex')).update(side).update(exported).digest('hex');
}

export function isProof(given: string, expected: string): boolean {
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}

/** The body of a request or a reply. Rejects where it is longer than `most`, is cut off, is nested deeply, or is not JSON. */
export async function readJson(message: IncomingMessage, most: number): Promise<unknown> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of message as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > most) {
      message.destroy();
      throw new Error(`a message of more than ${most} bytes`);
    }
    parts.push(part);
  }
  if (!message.complete) throw new Error('a message that was cut off');
  const whole = Buffer.concat(parts);
  if (isNestedDeeper(whole, MOST_LEVELS)) throw new Error('a message that is nested too deeply');
  return JSON.parse(whole.toString('utf8'));
}
