// A part of the lease on the wire.
import { z } from 'zod';
import { offeredApp } from '../../contract/subscription/apps.ts';
import { DEFAULT_SUBSCRIPTION_HEADERS, subscriptionHeaders } from '../../contract/subscription/headers.ts';
import { type SubscriptionRule, subscriptionRule } from '../../contract/subscription/rules.ts';
import { ownTemplate, templateChoice, templateId } from '../../contract/subscription/templates.ts';
import { GRANT_LIFETIMES } from '../../contract/users/grants.ts';
import { RESET_STRATEGIES } from '../../contract/users/users.ts';
import type { Credentials, InboundSecrets } from '../../core/ports/credentials.ts';
import type { LeasePart, LeaseSettings, LeaseShared, LeaseUser } from '../../core/ports/lease.ts';
import type { Leased } from '../../domain/nodes/lease.ts';
import { MAX_WEIGHT } from '../../domain/nodes/weight.ts';
import type { Account, Grant } from '../../domain/users/account.ts';
import { isLanguage, LANGUAGES } from '../../i18n/languages.ts';
import { inbound, inboundToWire } from './wire-inbound.ts';
import { amount, bytes, encode, hexId, id, instant } from './wire-values.ts';

const grant = z.strictObject({
  id,
  bytes,
  bytesLeft: bytes,
  lifetime: z.enum(GRANT_LIFETIMES),
  days: amount.nullable(),
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
  grants: z.array(grant),
});
const leased = z.strictObject({
  account,
  nodes: id,
  shareLeft: bytes.nullable(),
  hasConnected: z.boolean(),
  isEndNoted: z.boolean(),
  cutOffUntil: instant.nullable(),
});
const credentials = z.strictObject({
  uuid: z.string(),
  password: z.string(),
  key: z.string(),
  wireguard: z.string(),
  byInbound: z.array(z.strictObject({ inboundId: id, value: z.string(), flow: z.string().nullable() })).exactOptional(),
});
const user = z.strictObject({
  id,
  name: z.string(),
  credentials,
  inbounds: z.array(id).nullable(),
  leftOut: z.array(id),
  tokenHash: z.string(),
  deviceLimit: bytes.nullable(),
  tariffId: id.nullable(),
  tags: z.array(z.string()),
  leased,
  updatedAt: instant,
});

/** In place of a rule of a later panel, which this machine cannot follow. */
const UNKNOWN_RULE: SubscriptionRule = {
  id: 1,
  name: 'unknown',
  enabled: false,
  apps: [],
  requires: [],
  action: 'serve',
  format: null,
  template: null,
  text: '',
  headers: [],
};
const NO_TEMPLATES = { items: [], chosen: null, choices: [] };

// Unknown members of the following are ignored: a later panel may send more.
const settings = z.object({
  subscriptionTitle: z.string(),
  language: z.string(),
  supportUrl: z.string().nullable(),
  timeZone: z.string(),
  announcement: z.string(),
  updateIntervalHours: amount,
  subscriptionRules: z.array(subscriptionRule.catch(UNKNOWN_RULE)).default([]),
  subscriptionHeaders: subscriptionHeaders.catch(DEFAULT_SUBSCRIPTION_HEADERS),
  subscriptionApps: z.array(offeredApp).nullable().catch(null),
  subscriptionTemplates: z
    .object({ items: z.array(ownTemplate), chosen: templateId.nullable(), choices: z.array(templateChoice) })
    .catch(NO_TEMPLATES),
  restartToCutOff: z.boolean(),
  rateLimit: bytes,
  subPath: z.string(),
});
const secrets = z.object({
  serverKey: z.string().nullable(),
  certificate: z.string().nullable(),
  pin: z.string().nullable(),
});
const engine = z.object({ name: z.string(), version: z.string() }).nullable();
const connections = z.array(
  // Earlier panels sent no engine.
  z.object({ inbound, address: z.string(), isDraining: z.boolean(), engine: engine.default(null), secrets }),
);
const shared = z.object({
  settings,
  weight: z.int().min(0).max(MAX_WEIGHT),
  linkBase: z.string(),
  connections,
});

const part = z.strictObject({
  leaseId: hexId,
  base: bytes,
  at: instant,
  taken: bytes,
  shared: shared.nullable(),
  users: z.array(user),
  gone: z.array(id),
  isLast: z.boolean(),
});

export const leaseRequest = z.strictObject({ part: part.nullable() });
export const leaseReply = z.object({
  held: z.object({ leaseId: hexId, version: bytes, at: instant.nullable(), users: bytes }).nullable(),
});

type WireGrant = z.input<typeof grant>;
type WireAccount = z.input<typeof account>;
type WireLeased = z.input<typeof leased>;
type WireCredentials = z.input<typeof credentials>;
type WireUser = z.input<typeof user>;
type WireSettings = z.input<typeof settings>;
type WireSecrets = z.input<typeof secrets>;
type WireConnections = z.input<typeof connections>;
type ReadShared = z.output<typeof shared>;
type ReadPart = z.output<typeof part>;
type WirePart = z.input<typeof part>;

function grantToWire({ id, bytes, bytesLeft, lifetime, days, endsAt, createdAt }: Grant): WireGrant {
  return { id, bytes, bytesLeft, lifetime, days, endsAt, createdAt };
}

function accountToWire({ hold, grants, ...account }: Account): WireAccount {
  const { enabled, expiresAt, trafficLimit, usedUp, usedDown, totalUp, totalDown } = account;
  const { resetStrategy, termBeganAt, resetsAt } = account;
  return {
    enabled,
    expiresAt,
    hold: hold && { months: hold.months, days: hold.days },
    trafficLimit,
    usedUp,
    usedDown,
    totalUp,
    totalDown,
    resetStrategy,
    termBeganAt,
    resetsAt,
    grants: grants.map(grantToWire),
  };
}

function leasedToWire({ account, nodes, shareLeft, hasConnected, isEndNoted, cutOffUntil }: Leased): WireLeased {
  return { account: accountToWire(account), nodes, shareLeft, hasConnected, isEndNoted, cutOffUntil };
}

function credentialsToWire({ uuid, password, key, wireguard, byInbound }: Credentials): WireCredentials {
  const families = { uuid, password, key, wireguard };
  if (byInbound === undefined) return families;
  return { ...families, byInbound: byInbound.map(({ inboundId, value, flow }) => ({ inboundId, value, flow })) };
}

function userToWire({
  id,
  name,
  credentials,
  inbounds,
  leftOut,
  tokenHash,
  deviceLimit,
  tariffId,
  tags,
  leased,
  updatedAt,
}: LeaseUser): WireUser {
  return {
    id,
    name,
    credentials: credentialsToWire(credentials),
    inbounds: inbounds && [...inbounds],
    leftOut: [...leftOut],
    tokenHash,
    deviceLimit,
    tariffId,
    tags: [...tags],
    leased: leasedToWire(leased),
    updatedAt,
  };
}

function settingsToWire({
  subscriptionTitle,
  language,
  supportUrl,
  timeZone,
  announcement,
  updateIntervalHours,
  subscriptionRules,
  subscriptionHeaders,
  subscriptionTemplates: { items, chosen, choices },
  subscriptionApps,
  restartToCutOff,
  rateLimit,
  subPath,
}: LeaseSettings): WireSettings {
  const links = { subscriptionTitle, language, supportUrl, timeZone, announcement, updateIntervalHours };
  return {
    ...links,
    subscriptionRules: [...subscriptionRules],
    subscriptionHeaders,
    subscriptionTemplates: { items: [...items], chosen, choices: [...choices] },
    subscriptionApps: subscriptionApps && [...subscriptionApps],
    restartToCutOff,
    rateLimit,
    subPath,
  };
}

function secretsToWire({ serverKey, certificate, pin }: InboundSecrets): WireSecrets {
  return { serverKey, certificate, pin };
}

function connectionsToWire(all: LeaseShared['connections']): WireConnections {
  return all.map(({ inbound, address, isDraining, engine, secrets }) => ({
    inbound: inboundToWire(inbound),
    address,
    isDraining,
    engine: engine && { name: engine.name, version: engine.version },
    secrets: secretsToWire(secrets),
  }));
}

/** Leaves out the inbounds, which are encoded separately. */
function partToWire({ leaseId, base, at, taken, shared, users, gone, isLast }: LeasePart): WirePart {
  return {
    leaseId,
    base,
    at,
    taken,
    shared: shared && {
      settings: settingsToWire(shared.settings),
      weight: shared.weight,
      linkBase: shared.linkBase,
      connections: [],
    },
    users: users.map(userToWire),
    gone: [...gone],
    isLast,
  };
}

/** JSON of the inbounds, cached because it is the same for all nodes. */
const written = new WeakMap<LeaseShared['connections'], string>();

function encodeConnections(all: LeaseShared['connections']): string {
  const text = written.get(all) ?? encode(connections, connectionsToWire(all));
  written.set(all, text);
  return text;
}

const NO_CONNECTIONS = '"connections":[]';

/** JSON of a part, in pieces, as its inbounds may be most of it. Throws ZodError for a part that the machine would refuse. */
export function encodeLease(part: LeasePart): readonly string[] {
  const text = encode(leaseRequest, { part: partToWire(part) });
  const all = part.shared?.connections ?? [];
  if (all.length === 0) return [text];
  // Quotes inside strings are escaped, so nothing else in the text can equal this member.
  const [before = '', after = ''] = text.split(NO_CONNECTIONS);
  return [`${before}"connections":`, encodeConnections(all), after];
}

function sharedFromWire({ settings, ...shared }: ReadShared): LeaseShared {
  const { language } = settings;
  const known = isLanguage(language) ? language : LANGUAGES[0].code;
  return { ...shared, settings: { ...settings, language: known } };
}

export function partFromWire({ shared, ...part }: ReadPart): LeasePart {
  return { ...part, shared: shared && sharedFromWire(shared) };
}
