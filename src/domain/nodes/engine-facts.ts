// Features that connections need, with the engine versions that have them. Connections are checked against this table when they are saved, since an
// engine refuses its whole configuration over one unsupported connection.
import type { METHODS } from '../../contract/inbounds.ts';
import type { EngineAbility } from '../../contract/nodes/engine-update.ts';
import type { CutOff } from '../../contract/nodes/nodes.ts';
import type { XhttpExtra } from '../../contract/xhttp.ts';
import type { InboundShape } from './inbound-shape.ts';
import { isObfuscated } from './xhttp.ts';

/** The engine of a node, as it last reported. */
export interface EngineVersion {
  readonly name: string;
  /** As in `26.3.27`. */
  readonly version: string;
}

/** Properties of a connection that an engine must support. */
export interface ServedShape extends InboundShape {
  readonly flow: string | null;
  readonly method: string | null;
  readonly xhttpExtra: XhttpExtra | null;
  readonly encryption: string | null;
  readonly mldsa65Verify: string | null;
}

/** A shape that has nothing besides. */
export const NO_PARTS = { method: null, xhttpExtra: null, encryption: null, mldsa65Verify: null } as const;

export interface EngineFact {
  readonly id: Exclude<EngineAbility, 'addresses'>;
  /** The usual name of the feature. */
  readonly title: string;
  /** The field of the contract that needs it. */
  readonly field:
    | 'protocol'
    | 'network'
    | 'security'
    | 'flow'
    | 'method'
    | 'xhttp_extra'
    | 'encryption'
    | 'mldsa65_verify';
  readonly isNeededBy: (shape: ServedShape) => boolean;
  /** The first version of each engine that has it; null: no version. */
  readonly since: { readonly xray: string | null; readonly v2ray: string | null };
}

const METHODS_WITH_KEYS: readonly (typeof METHODS)[number][] = ['2022-blake3-aes-128-gcm', '2022-blake3-aes-256-gcm'];

export const ENGINE_FACTS: readonly EngineFact[] = [
  {
    id: 'grpc',
    title: 'gRPC',
    field: 'network',
    isNeededBy: ({ network }) => network === 'grpc',
    since: { xray: '1.4.0', v2ray: '4.36.0' },
  },
  {
    id: 'httpupgrade',
    title: 'HTTPUpgrade',
    field: 'network',
    isNeededBy: ({ network }) => network === 'httpupgrade',
    since: { xray: '1.8.9', v2ray: null },
  },
  {
    id: 'xhttp',
    title: 'XHTTP',
    field: 'network',
    isNeededBy: ({ network }) => network === 'xhttp',
    since: { xray: '24.11.30', v2ray: null },
  },
  {
    // Earlier versions pass over it, and no client finds what it looks for.
    id: 'xhttp_obfuscation',
    title: 'XHTTP with obfuscation',
    field: 'xhttp_extra',
    isNeededBy: ({ network, xhttpExtra }) => network === 'xhttp' && isObfuscated(xhttpExtra),
    since: { xray: '26.1.31', v2ray: null },
  },
  {
    id: 'reality',
    title: 'REALITY',
    field: 'security',
    isNeededBy: ({ security }) => security === 'reality',
    since: { xray: '1.8.0', v2ray: null },
  },
  {
    id: 'vision',
    title: 'XTLS Vision',
    field: 'flow',
    isNeededBy: ({ flow }) => flow === 'xtls-rprx-vision',
    since: { xray: '1.8.0', v2ray: null },
  },
  {
    id: 'vless_encryption',
    title: 'VLESS encryption',
    field: 'encryption',
    isNeededBy: ({ encryption }) => encryption !== null,
    since: { xray: '25.8.29', v2ray: null },
  },
  {
    id: 'mldsa65',
    title: 'REALITY with ML-DSA-65',
    field: 'mldsa65_verify',
    isNeededBy: ({ mldsa65Verify }) => mldsa65Verify !== null,
    since: { xray: '25.7.23', v2ray: null },
  },
  {
    id: 'shadowsocks',
    title: 'Shadowsocks with several users',
    field: 'protocol',
    isNeededBy: ({ protocol }) => protocol === 'shadowsocks',
    since: { xray: '1.4.0', v2ray: null },
  },
  {
    id: 'shadowsocks_2022',
    title: 'Shadowsocks 2022 with several users',
    field: 'method',
    isNeededBy: ({ method }) => METHODS_WITH_KEYS.some((known) => known === method),
    since: { xray: '1.8.0', v2ray: null },
  },
  {
    id: 'hysteria2',
    title: 'Hysteria2',
    field: 'protocol',
    isNeededBy: ({ protocol }) => protocol === 'hysteria2',
    since: { xray: '26.3.23', v2ray: null },
  },
  {
    // Earlier versions have WireGuard, but cannot add users at run time or count their traffic.
    id: 'wireguard',
    title: 'WireGuard with several users',
    field: 'protocol',
    isNeededBy: ({ protocol }) => protocol === 'wireguard',
    since: { xray: '26.6.27', v2ray: null },
  },
];

/**
 * The first Xray that reports the addresses of connected users: GetAllOnlineUsers, with one call for each user; from 26.4.13 on GetUsersStats, for
 * all users at once. v2ray cannot report them. Used for texts only; at run time the engine is asked what it supports.
 */
export const REPORTS_ADDRESSES_SINCE = '26.1.13';

/** Whether an engine can report from which addresses users are connected. */
export function canReportAddresses({ name, version }: EngineVersion): boolean {
  return name === 'xray' && !isOlder(version, REPORTS_ADDRESSES_SINCE);
}

/**
 * The first Xray whose REALITY refuses a handshake without X25519MLKEM768. sing-box does not send it; of the fingerprints only chrome, firefox and
 * safari do. compatibility.ts has which clients can still connect.
 */
export const REALITY_NEEDS_MLKEM_SINCE = '26.9.8';

/**
 * Whether reopening connections on the engine that runs ends what users have open through it: measured with every pinned Xray
 * (tests/engines/reopen.test.ts). Over TCP, WebSocket, HTTPUpgrade and XHTTP open connections go on.
 */
export function endsWhenReopened({ protocol, network }: Pick<InboundShape, 'protocol' | 'network'>): boolean {
  return protocol === 'hysteria2' || network === 'grpc';
}

/** How each engine can cut off a user. Removing a user closes no open connection, in any version of either engine. */
const CUT_OFF: Readonly<Record<string, readonly CutOff[]>> = {
  xray: ['refuse', 'reopen', 'restart'],
  v2ray: ['refuse', 'restart'],
};

/** null: unknown for this engine. */
export function findCutOffs({ name }: EngineVersion): readonly CutOff[] | null {
  return Object.hasOwn(CUT_OFF, name) ? (CUT_OFF[name] ?? null) : null;
}

/** Features that a connection needs and an engine lacks. Engines other than Xray and v2ray are assumed to have all. */
export function missingFacts(shape: ServedShape, { name, version }: EngineVersion): readonly EngineFact[] {
  if (name !== 'xray' && name !== 'v2ray') return [];
  return ENGINE_FACTS.filter(({ isNeededBy, since }) => {
    const first = since[name];
    return isNeededBy(shape) && (first === null || isOlder(version, first));
  });
}

/** The first version of each engine that has all features a connection needs; null: no version of that engine. */
export interface EngineNeeds {
  readonly xray: string | null;
  readonly v2ray: string | null;
}

/** The features of the table that a connection needs. */
export function neededFacts(shape: ServedShape): readonly EngineFact[] {
  return ENGINE_FACTS.filter(({ isNeededBy }) => isNeededBy(shape));
}

/** null: every version of each engine can serve it. */
export function engineNeeds(shape: ServedShape): EngineNeeds | null {
  const needed = neededFacts(shape);
  if (needed.length === 0) return null;
  const latest = (name: keyof EngineNeeds) => needed.map(({ since }) => since[name]).reduce(pickLater);
  return { xray: latest('xray'), v2ray: latest('v2ray') };
}

function pickLater(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return null;
  return isOlder(one, other) ? other : one;
}

/** Features that users of a node gain and lose with a change of engine version, by the titles of the table. */
export interface EngineDifference {
  readonly gained: readonly string[];
  readonly lost: readonly string[];
}

function hasFact({ since }: EngineFact, { name, version }: EngineVersion): boolean {
  const first = name === 'xray' || name === 'v2ray' ? since[name] : null;
  return first !== null && !isOlder(version, first);
}

/** Features of an engine that matter to users and that not every engine has. */
function listAbilities(engine: EngineVersion): readonly EngineAbility[] {
  const facts = ENGINE_FACTS.filter((fact) => hasFact(fact, engine)).map(({ id }) => id);
  return canReportAddresses(engine) ? [...facts, 'addresses'] : facts;
}

/** Like `engineDifference`, but returns ids. */
export function abilityDifference(from: EngineVersion, to: EngineVersion) {
  const [before, after] = [listAbilities(from), listAbilities(to)];
  return {
    gained: after.filter((ability) => !before.includes(ability)),
    lost: before.filter((ability) => !after.includes(ability)),
  };
}

export function engineDifference(from: EngineVersion, to: EngineVersion): EngineDifference {
  const titles = (one: EngineVersion, other: EngineVersion) => [
    ...ENGINE_FACTS.filter((fact) => hasFact(fact, one) && !hasFact(fact, other)).map(({ title }) => title),
    ...(canReportAddresses(one) && !canReportAddresses(other) ? ['From where users are connected'] : []),
  ];
  return { gained: titles(to, from), lost: titles(from, to) };
}

/** A sentence that says which feature is missing, which versions have it, and what the node runs. */
export function describeMissing({ title, since }: EngineFact, { name, version }: EngineVersion): string {
  const known = [since.xray !== null && `Xray ${since.xray}`, since.v2ray !== null && `v2ray ${since.v2ray}`];
  return `needs ${title}: ${known.filter(Boolean).join(' or ')} or newer; its node runs ${name} ${version}`;
}

/** Compares versions number by number. A text that is not a version counts as newer than any, so that nothing is refused for an unknown version. */
export function isOlder(version: string, first: string): boolean {
  if (!/^\d+(\.\d+)*$/.test(version)) return false;
  const [present, wanted] = [version.split('.').map(Number), first.split('.').map(Number)];
  const different = wanted.findIndex((number, index) => number !== (present[index] ?? 0));
  return different !== -1 && (present[different] ?? 0) < (wanted[different] ?? 0);
}
