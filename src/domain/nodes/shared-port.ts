// Connections that share a port: the engine passes on from the one that owns it to the others, by the path of a request or by HTTP/2.
import { canOfferPort, type Network, type PortOwner } from './inbound-shape.ts';

/** A connection with what decides who can share its port. */
export interface PortSharer extends PortOwner {
  readonly id: number;
  readonly nodeId: number;
  readonly tag: string;
  readonly port: number;
  readonly path: string | null;
  readonly sharesPortOf: number | null;
}

/** Over HTTP/2 the engine does not see the path, so only one of a port can be over it. */
export function isOverHttp2(network: Network): boolean {
  return network === 'grpc' || network === 'xhttp';
}

/** The path by which the engine passes on: without the `?ed=` of WebSocket. */
export function getSharedPath({ path }: Pick<PortSharer, 'path'>): string {
  return (path ?? '/').replace(/\?.*$/, '');
}

/** Why a connection cannot share the port of another; null: it can. `others`: those that share it already. */
export function findSharingProblem(
  sharer: Omit<PortSharer, 'id' | 'tag'>,
  owner: PortSharer,
  others: readonly PortSharer[],
): string | null {
  if (owner.nodeId !== sharer.nodeId) return 'must be on the same node';
  if (owner.sharesPortOf !== null) return `${owner.tag} has no port of its own`;
  if (!canOfferPort(owner))
    return `${owner.tag} must be vless or trojan over tcp, and tls or reality, without VLESS encryption`;
  if (owner.security !== sharer.security) return `security must be ${owner.security}, as that of ${owner.tag}`;
  if (owner.port !== sharer.port) return `port must be ${owner.port}, as that of ${owner.tag}`;
  const isAlike = (other: PortSharer) =>
    isOverHttp2(sharer.network)
      ? isOverHttp2(other.network)
      : !isOverHttp2(other.network) && getSharedPath(other) === getSharedPath(sharer);
  const rival = others.find((other) => owner.security === 'reality' || isAlike(other));
  if (!rival) return null;
  if (owner.security === 'reality') return `${rival.tag} shares it already: with reality only one can`;
  return isOverHttp2(sharer.network)
    ? `${rival.tag} shares it already: only one can be over grpc or xhttp`
    : `${rival.tag} shares it with the same path`;
}

/** What apps must know of a connection, and what warnings are about, where another one has the port. */
interface Reached {
  readonly sni: string | null;
  readonly fingerprint: string | null;
  readonly publicKey: string | null;
  readonly mldsa65Verify: string | null;
  readonly shortId: string | null;
  readonly target: string | null;
  readonly minClientVersion: string | null;
  readonly certificate: unknown;
  readonly host: string | null;
  readonly updatedAt: number;
}

/** A connection as apps reach it: through the port and the TLS of its owner. */
export function mergePortOwner<Row extends Reached>(row: Row, owner: Row): Row {
  return {
    ...row,
    host: row.host ?? owner.host,
    sni: row.sni ?? owner.sni,
    fingerprint: row.fingerprint ?? owner.fingerprint,
    publicKey: owner.publicKey,
    mldsa65Verify: owner.mldsa65Verify,
    shortId: owner.shortId,
    target: owner.target,
    minClientVersion: owner.minClientVersion,
    certificate: owner.certificate,
    updatedAt: Math.max(row.updatedAt, owner.updatedAt),
  };
}
