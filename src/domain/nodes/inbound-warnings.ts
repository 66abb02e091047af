// Reasons why users may be unable to connect although a connection is valid, shown when it is saved.
import type { InboundWarning, TargetFinding } from '../../contract/inbounds.ts';
import { isIpLiteral, isPrivateHost } from '../host.ts';
import { DAY_MS } from '../limits.ts';
import { type ClientCore, type MeasuredShape, predictOutcome } from './compatibility.ts';
import { type EngineVersion, isOlder, missingFacts } from './engine-facts.ts';
import type { Security } from './inbound-shape.ts';
import { lastUserInPool } from './wireguard.ts';

/** The version that sing-box and mihomo send to a REALITY server, whatever their own version is. */
const OTHER_CLIENTS_VERSION = '1.8.1';
const ENDS_SOON_MS = 14 * DAY_MS;
export const REALITY_PORT = 443;
/** REALITY targets that Xray itself warns about. */
const RISKY_NAME = /(\.(ru|ir|cn)|(^|\.)(apple|icloud|microsoft)\.com)$/i;

export interface WarnedFacts extends MeasuredShape {
  /** The address that users connect to; empty: unknown yet. */
  readonly address: string;
  readonly sni: string | null;
  readonly target: string | null;
  readonly minClientVersion: string | null;
  readonly addressPool: string | null;
  /** The highest user id; 0: unknown. */
  readonly lastUserId: number;
  /** The TLS certificate; null: none, or unknown yet. */
  readonly certificate: { readonly endsAt: number; readonly isSelfSigned: boolean } | null;
  /** Where apps reach it instead of the address. */
  readonly hosts: readonly {
    readonly enabled: boolean;
    readonly address: string | null;
    readonly security: Security | null;
  }[];
  /** What the last check of the REALITY target found missing. */
  readonly targetFindings: readonly TargetFinding[];
}

/** In the order of the contract. `engine`: as the node last reported it; null: never. */
export function inboundWarnings(
  facts: WarnedFacts,
  engine: EngineVersion | null,
  now: number,
): readonly InboundWarning[] {
  const warnings: InboundWarning[] = [];
  const isServed = engine === null || missingFacts(facts, engine).length === 0;
  if (!isServed) warnings.push('not_served');
  const { protocol, security, encryption } = facts;
  const places = listPlaces(facts);
  const isPlain = protocol === 'vless' && encryption === null;
  if (isPlain && places.some((place) => place.security === 'none' && !isPrivateHost(place.address)))
    warnings.push('unencrypted');
  if (security === 'reality') warnings.push(...realityWarnings(facts));
  if (security === 'tls') warnings.push(...certificateWarnings(facts, now));
  if (facts.addressPool !== null && facts.lastUserId > lastUserInPool(facts.addressPool))
    warnings.push('address_pool_small');
  if (protocol === 'wireguard' && places.some((place) => !isIpLiteral(place.address)))
    warnings.push('wireguard_by_name');
  if (isServed) warnings.push(...clientWarnings(facts, engine));
  return warnings;
}

/** Where apps connect, as far as it is known. */
function listPlaces({ hosts, address, security }: WarnedFacts): readonly Pick<WarnedFacts, 'address' | 'security'>[] {
  const places = hosts
    .filter(({ enabled }) => enabled)
    .map((host) => ({ address: host.address ?? address, security: host.security ?? security }));
  return (hosts.length === 0 ? [{ address, security }] : places).filter((place) => place.address !== '');
}

const NO_CORE = { xray: 'no_xray', 'sing-box': 'no_sing_box', mihomo: 'no_mihomo' } as const satisfies Readonly<
  Record<ClientCore, InboundWarning>
>;

const CORES = ['xray', 'sing-box', 'mihomo'] as const satisfies readonly ClientCore[];

/** Warnings about client apps that cannot connect, or not always. */
function clientWarnings(facts: WarnedFacts, engine: EngineVersion | null): readonly InboundWarning[] {
  const outcomes = CORES.map((core) => ({ core, outcome: predictOutcome(engine, core, facts) }));
  const failing = outcomes.filter(({ outcome }) => outcome === 'fails').map(({ core }) => NO_CORE[core]);
  return outcomes.some(({ outcome }) => outcome === 'varies') ? [...failing, 'client_varies'] : failing;
}

/** What matters of the findings: the length of certificates with ML-DSA-65 alone. */
export function selectFindings(findings: readonly TargetFinding[], mldsa65Verify: string | null): TargetFinding[] {
  return findings.filter((finding) => finding !== 'target_short_chain' || mldsa65Verify !== null);
}

function realityWarnings(facts: WarnedFacts): readonly InboundWarning[] {
  const { sni, target, minClientVersion, targetFindings, mldsa65Verify } = facts;
  const warnings: InboundWarning[] = selectFindings(targetFindings, mldsa65Verify);
  const { host, port } = realityTarget(sni, target);
  if (RISKY_NAME.test(host)) warnings.push('target_risky_name');
  if (port !== REALITY_PORT) warnings.push('target_port');
  if (minClientVersion !== null && isOlder(OTHER_CLIENTS_VERSION, minClientVersion))
    warnings.push('min_client_version');
  return warnings;
}

/** The site that the node imitates; null while the target is incomplete. */
export function realityTarget(sni: string | null, target: string | null) {
  const [, host = sni ?? '', port = REALITY_PORT] = /^\[?(.+?)\]?:(\d{1,5})$/.exec(target ?? '') ?? [];
  return { host, port: Number(port) };
}

function certificateWarnings(facts: WarnedFacts, now: number): readonly InboundWarning[] {
  const { protocol, certificate, hosts } = facts;
  if (certificate === null) return [];
  const warnings: InboundWarning[] = [];
  if (certificate.endsAt <= now) warnings.push('certificate_ended');
  else if (certificate.endsAt - now < ENDS_SOON_MS) warnings.push('certificate_ends_soon');
  const isSeen = hosts.length === 0 || hosts.some(({ enabled, security }) => enabled && security === null);
  if (protocol === 'vmess' && certificate.isSelfSigned && isSeen) warnings.push('certificate_not_pinned');
  return warnings;
}
