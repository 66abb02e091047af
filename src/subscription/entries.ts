// The entries of a subscription in any format: the user's connections with unique names, or one entry that explains why there are none.
import type { Subscription } from '../core/kernel/core.ts';
import type { InboundSecrets } from '../core/ports/credentials.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { type ClientCore, predictOutcome } from '../domain/nodes/compatibility.ts';
import type { EngineVersion } from '../domain/nodes/engine-facts.ts';
import { credentialsOn, flowOn } from '../domain/nodes/inbound-credentials.ts';
import { hasKeys } from '../domain/nodes/shadowsocks.ts';
import { userTunnelAddress } from '../domain/nodes/wireguard.ts';
import { expandVariables, hasVariables, type VariableValues } from '../domain/subscription/variables.ts';
import { hostTexts } from '../i18n/host.ts';
import { type Entry, type Inbound, NO_SECRETS } from './entry.ts';
import type { FormatWriter } from './format.ts';
import { formatDay } from './format-day.ts';
import { entryVariables, userVariables } from './variables.ts';

export interface Entries {
  readonly entries: readonly Entry[];
  /** The connection of each entry; empty if the only entry is an explanation. */
  readonly places: Subscription['inbounds'];
  /** Number of the user's connections that the format does not support. */
  readonly leftOut: number;
}

/**
 * The user's connections that a format supports; for a format with one connection, that with the key `wanted`, else the first. Without any, one
 * entry that explains why: never an empty list.
 */
export function listEntries(
  sub: Subscription,
  settings: Pick<SettingValues, 'language' | 'timeZone' | 'subscriptionTitle'>,
  writer: Pick<FormatWriter, 'canCarry' | 'core' | 'reserved' | 'isOfOne' | 'needsAuthority'>,
  now: number,
  wanted?: string,
): Entries {
  const { canCarry, core, reserved, isOfOne, needsAuthority = false } = writer;
  const allowed = sub.canConnect ? sub.inbounds : [];
  const carried = allowed.filter(
    ({ inbound, address, engine, secrets }) =>
      canCarry(inbound, address) &&
      !(core !== undefined && isKnownToFail(engine, core, inbound)) &&
      hasItsKey(inbound, secrets) &&
      isWithinPool(inbound, sub.user.id) &&
      !(needsAuthority && secrets.pin !== null),
  );
  const [first] = carried;
  const shown = isOfOne && first ? [carried[computeKeys(carried).indexOf(wanted ?? '')] ?? first] : carried;
  const leftOut = allowed.length - shown.length;
  if (shown.length === 0) {
    const reason = leftOut > 0 ? hostTexts(settings.language, 'subscription')('unsupported') : null;
    return { entries: [placeholder(reason ?? describeReason(sub, settings), canCarry)], places: [], leftOut };
  }
  const values = userVariables(sub, settings, now);
  const names = uniqueNames(
    shown.map((each) => expandName(each, values)),
    reserved,
  );
  const entries = shown.map(({ inbound, address, secrets, credentials = sub.credentials }, index) => ({
    name: names[index] ?? inbound.name,
    hasOwnName: hasVariables(inbound.name),
    address,
    inbound: withFlow(inbound, flowOn(inbound, credentials)),
    credentials: credentialsOn(inbound, credentials),
    tunnelAddress: userTunnelAddress(inbound.addressPool, sub.user.id),
    secrets,
  }));
  return { entries, places: shown, leftOut };
}

/** Keys by which a request selects an entry: the id of the connection, from its second host on with the host's number: `3`, `3.2`, `3.3`. */
export function computeKeys(places: Subscription['inbounds']): readonly string[] {
  const counts = new Map<number, number>();
  return places.map(({ inbound: { id } }) => {
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    return count === 1 ? String(id) : `${id}.${count}`;
  });
}

/** Replaces the variables of a name; if nothing is left, returns the address. */
function expandName({ inbound, address }: Subscription['inbounds'][number], values: VariableValues): string {
  if (!hasVariables(inbound.name)) return inbound.name;
  return expandVariables(inbound.name, entryVariables(values, { inbound, address })) || address;
}

/** Copies of connections by the flow of a user. Cached, because texts of a connection are cached by the identity of its object. */
const byFlow = new WeakMap<Inbound, Map<string | null, Inbound>>();

function withFlow(inbound: Inbound, flow: string | null): Inbound {
  if (flow === inbound.flow) return inbound;
  const known = byFlow.get(inbound) ?? new Map<string | null, Inbound>();
  byFlow.set(inbound, known);
  const made = known.get(flow) ?? { ...inbound, flow };
  known.set(flow, made);
  return made;
}

/** A single entry with the text as name, instead of connections. */
export function explainOnly(text: string, { canCarry }: Pick<FormatWriter, 'canCarry'>): Entries {
  return { entries: [placeholder(text, canCarry)], places: [], leftOut: 0 };
}

/** Cached by connection, engine and core, because links with hundreds of connections are read often. */
const knownToFail = new WeakMap<Inbound, Map<string, boolean>>();

/** Whether apps built on this program cannot use a connection, by measurements with the engine of its node. */
export function isKnownToFail(engine: EngineVersion | null, core: ClientCore, inbound: Inbound): boolean {
  if (engine === null) return false;
  const known = knownToFail.get(inbound) ?? new Map<string, boolean>();
  knownToFail.set(inbound, known);
  const key = `${core} ${engine.name} ${engine.version}`;
  const fails = known.get(key) ?? predictOutcome(engine, core, inbound) === 'fails';
  known.set(key, fails);
  return fails;
}

/** Whether the server's key is known, if clients need it. It is not while the vault is locked. */
function hasItsKey({ method, protocol }: Inbound, { serverKey }: InboundSecrets): boolean {
  return protocol !== 'shadowsocks' || !hasKeys(method) || serverKey !== null;
}

/** Whether the pool has an address inside the tunnel for the user. */
function isWithinPool({ protocol, addressPool }: Inbound, userId: number): boolean {
  return protocol !== 'wireguard' || userTunnelAddress(addressPool, userId) !== null;
}

/**
 * Makes names unique: a repeated or reserved one gets the lowest number that is free. Clients merge entries with the same name, or refuse the
 * configuration.
 */
export function uniqueNames(names: readonly string[], reserved: readonly string[] = []): readonly string[] {
  const original = new Set(names);
  const used = new Set(reserved);
  return names.map((name) => {
    let unique = name;
    for (let number = 2; used.has(unique) || (unique !== name && original.has(unique)); number += 1) {
      unique = `${name} ${number}`;
    }
    used.add(unique);
    return unique;
  });
}

export const VLESS_PLACEHOLDER: Inbound = {
  protocol: 'vless',
  network: 'tcp',
  security: 'none',
  port: 1,
  sni: null,
  path: null,
  xhttpMode: null,
  xhttpExtra: null,
  serviceName: null,
  flow: null,
  fingerprint: null,
  alpn: null,
  publicKey: null,
  encryption: null,
  mldsa65Verify: null,
  shortId: null,
  method: null,
  obfsPassword: null,
  hopPorts: null,
  fragment: null,
  noise: null,
  mux: null,
  addressPool: null,
  mtu: null,
};
/** VMess is for clients that do not support VLESS. */
const PLACEHOLDERS: readonly Inbound[] = [VLESS_PLACEHOLDER, { ...VLESS_PLACEHOLDER, protocol: 'vmess' }];

/** An entry that is valid in every client and fails at once: nothing listens on port 1 of the user's own device. */
function placeholder(name: string, canCarry: FormatWriter['canCarry']): Entry {
  const address = '127.0.0.1';
  return {
    name,
    address,
    inbound: PLACEHOLDERS.find((inbound) => canCarry(inbound, address)) ?? VLESS_PLACEHOLDER,
    credentials: { uuid: '00000000-0000-0000-0000-000000000000', password: '', key: '', wireguard: '' },
    tunnelAddress: null,
    secrets: NO_SECRETS,
  };
}

/** Explains why there are no connections, in the panel's language and time zone. */
export function describeReason(sub: Subscription, settings: Pick<SettingValues, 'language' | 'timeZone'>): string {
  const t = hostTexts(settings.language, 'subscription');
  const { state, expiresAt, resetsAt } = sub.user;
  if (sub.canConnect) return t('noConnections');
  const day = (at: number) => formatDay(at, settings.language, settings.timeZone);
  if (state === 'expired' && expiresAt !== null) return t('expired', { day: day(expiresAt) });
  if (state === 'limited') return resetsAt === null ? t('limited') : t('limitedUntil', { day: day(resetsAt) });
  return t('disabled');
}
