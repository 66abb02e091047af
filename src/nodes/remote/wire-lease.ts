// A part of the lease on the wire.
import { z } from 'zod';
import { GRANT_LIFETIMES } from '../../contract/users/grants.ts';
import { RESET_STRATEGIES } from '../../contract/users/users.ts';
import type { LeasePart } from '../../core/ports/lease.ts';
import { MOST_WEIGHT } from '../../domain/nodes/weight.ts';

const id = z.int().min(1);
const bytes = z.int().min(0);
const instant = z.int().min(0).max(8_640_000_000_000_000);
export const hexId = z.string().regex(/^[0-9a-f]{32}$/);

const grant = z.strictObject({
  id,
  bytes,
  bytesLeft: bytes,
  lifetime: z.enum(GRANT_LIFETIMES),
  days: z.int().nullable(),
  endsAt: instant.nullable(),
  createdAt: instant,
});
const account = z.strictObject({
  enabled: z.boolean(),
  expiresAt: instant.nullable(),
  hold: z.strictObject({ months: bytes, days: bytes }).nullable(),
  trafficLimit: bytes.nullable(),
  usedUp: bytes,
  usedDown: bytes,
  totalUp: bytes,
  totalDown: bytes,
  resetStrategy: z.enum(RESET_STRATEGIES),
  termBeganAt: instant.nullable(),
  resetsAt: instant.nullable(),
  grants: z.array(grant).max(10_000),
});
const user = z.strictObject({
  id,
  name: z.string().max(200),
  credentials: z.strictObject({
    uuid: z.string(),
    password: z.string(),
    key: z.string(),
    // None before version 1.3.
    wireguard: z.string().default(''),
  }),
  inbounds: z.array(id).max(10_000).nullable(),
  leftOut: z.array(id).max(10_000),
  tokenHash: z.string().max(64),
  deviceLimit: bytes.nullable(),
  leased: z.strictObject({
    account,
    nodes: id,
    shareLeft: bytes.nullable(),
    hasConnected: z.boolean(),
    isEndNoted: z.boolean(),
    cutOffUntil: instant.nullable(),
  }),
  updatedAt: instant,
});
/** What links show is taken as it is: who sends it is the panel, by its certificate. */
const shared = z.looseObject({
  settings: z.looseObject({ timeZone: z.string().max(64), restartToCutOff: z.boolean() }),
  // None before version 1.4.
  weight: z.int().min(0).max(MOST_WEIGHT).optional(),
});

/** Users of one part. */
export const MOST_LEASED = 1000;

const part = z
  .strictObject({
    leaseId: hexId,
    base: bytes,
    at: instant,
    taken: bytes,
    shared: shared.nullable(),
    users: z.array(user).max(MOST_LEASED),
    gone: z.array(id).max(100_000),
    isLast: z.boolean(),
  })
  .transform((value) => value as unknown as LeasePart);

export const leaseRequest = z.strictObject({ part: part.nullable() });
export const leaseReply = z.object({
  held: z.object({ leaseId: hexId, version: bytes, at: instant.nullable(), users: bytes }).nullable(),
});
