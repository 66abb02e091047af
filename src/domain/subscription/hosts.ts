// Hosts: the addresses at which users' apps reach a connection. Panel and nodes list them by the same rules.
import type { HOST_ORDERS, HOST_SECURITIES } from '../../contract/hosts.ts';
import type { EngineVersion } from '../nodes/engine-facts.ts';
import type { Security } from '../nodes/inbound-shape.ts';
import { type Audience, type AudienceUser, isInAudience } from './audience.ts';

/** What is null is as the connection has it. An empty audience: for everyone. */
export interface Host extends Audience {
  readonly name: string | null;
  readonly address: string | null;
  readonly port: number | null;
  /** What answers at the address has its own TLS, or none. */
  readonly security: (typeof HOST_SECURITIES)[number] | null;
  readonly sni: string | null;
  readonly hostHeader: string | null;
  readonly path: string | null;
  readonly alpn: readonly string[] | null;
  readonly fingerprint: string | null;
  readonly weight: number;
  readonly enabled: boolean;
}

export type HostOrder = (typeof HOST_ORDERS)[number];

/** A connection with what its hosts replace. */
interface HostedInbound {
  readonly name: string;
  readonly port: number;
  readonly security: Security;
  readonly sni: string | null;
  readonly path: string | null;
  readonly alpn: readonly string[] | null;
  readonly fingerprint: string | null;
  readonly fragment: string | null;
  readonly hopPorts: string | null;
  readonly hosts: readonly Host[];
  readonly hostOrder: HostOrder;
}

/** A connection as an app reaches it at one address. */
export interface Place<Inbound> {
  readonly inbound: Inbound & { readonly hostHeader?: string | null };
  readonly address: string;
  readonly engine: EngineVersion | null;
  readonly secrets: {
    readonly serverKey: string | null;
    readonly certificate: string | null;
    readonly pin: string | null;
  };
}

/** What decides which hosts a user gets, and in which order. */
export interface HostUser extends AudienceUser {
  readonly id: number;
}

/** The places of a user's connections: of those with hosts one for each host that is for the user, in their order. */
export function expandHosts<Inbound extends HostedInbound>(
  places: readonly Place<Inbound>[],
  user: HostUser,
): readonly Place<Inbound>[] {
  if (places.every(({ inbound }) => inbound.hosts.length === 0)) return places;
  return places.flatMap((place) => {
    const { inbound, address, secrets } = place;
    if (inbound.hosts.length === 0) return [place];
    const own = applyHosts(inbound, address).filter(({ host }) => host.enabled && isFor(host, user));
    const ordered = inbound.hostOrder === 'weighted' ? sortByWeight(own, user.id) : own;
    return ordered.map(({ host, inbound: hosted }) => ({
      ...place,
      inbound: hosted,
      address: host.address ?? address,
      // The certificate of the node is not what answers there.
      secrets: host.security === null ? secrets : { ...secrets, certificate: null, pin: null },
    }));
  });
}

function isFor(host: Host, user: HostUser): boolean {
  const isForEveryone = host.tariffs.length === 0 && host.tags.length === 0;
  return isForEveryone || isInAudience(host, user);
}

interface Applied<Inbound> {
  readonly host: Host;
  readonly inbound: Place<Inbound>['inbound'];
}

/** The same objects as long as the connection and its address are the same: texts that were made of them are found again. */
const applied = new WeakMap<object, { readonly address: string; readonly made: readonly unknown[] }>();

function applyHosts<Inbound extends HostedInbound>(inbound: Inbound, address: string): readonly Applied<Inbound>[] {
  const known = applied.get(inbound);
  if (known?.address === address) return known.made as readonly Applied<Inbound>[];
  const made = inbound.hosts.map((host) => ({ host, inbound: applyHost(inbound, address, host) }));
  applied.set(inbound, { address, made });
  return made;
}

function applyHost<Inbound extends HostedInbound>(
  inbound: Inbound,
  address: string,
  host: Host,
): Place<Inbound>['inbound'] {
  const security = host.security ?? inbound.security;
  // The certificate of the node has the name of its own address.
  const isOfNode = host.security === null && security === 'tls' && host.address !== null;
  return {
    ...inbound,
    name: host.name ?? inbound.name,
    port: host.port ?? inbound.port,
    security,
    sni: host.sni ?? inbound.sni ?? (isOfNode ? address : null),
    hostHeader: host.hostHeader,
    path: host.path ?? inbound.path,
    alpn: host.alpn ?? inbound.alpn,
    fingerprint: host.fingerprint ?? inbound.fingerprint,
    // It splits the handshake of TLS.
    fragment: security === 'none' ? null : inbound.fragment,
    // The node redirects these ports to that of the connection.
    hopPorts: host.port === null ? inbound.hopPorts : null,
  };
}

/**
 * By weighted rendezvous hashing: each host is first for its share of users, and another host in the list moves as few users as possible.
 * https://en.wikipedia.org/wiki/Rendezvous_hashing#Weighted_rendezvous_hash
 */
function sortByWeight<One extends { readonly host: Host }>(hosts: readonly One[], userId: number): readonly One[] {
  const scored = hosts.map((one) => ({ one, score: -Math.log(computeChance(one.host, userId)) / one.host.weight }));
  return scored.toSorted((a, b) => a.score - b.score).map(({ one }) => one);
}

/** Between 0 and 1, the same for a user and an address at any time. */
function computeChance({ name, address, port, sni, hostHeader, path }: Host, userId: number): number {
  const text = [userId, name, address, port, sni, hostHeader, path].map((part) => part ?? '').join(' ');
  // FNV-1a, and the last step of MurmurHash3, which spreads ids that are close to each other.
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (((hash ^ (hash >>> 16)) >>> 0) + 0.5) / 2 ** 32;
}
