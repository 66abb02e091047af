// What engines know of connections, version by version: the one table that connections are checked by when they are written, so that
// no engine is given what it would refuse as a whole.
import type { METHODS } from '../../contract/inbounds.ts';
import type { EngineAbility } from '../../contract/nodes/engine-update.ts';
import type { CutOff } from '../../contract/nodes/nodes.ts';
import type { InboundShape } from './inbound-shape.ts';

/** The engine of a node, as it last answered. */
export interface EngineVersion {
  readonly name: string;
  /** As in `26.3.27`. */
  readonly version: string;
}

/** What of a connection an engine has to know. */
export interface ServedShape extends InboundShape {
  readonly flow: string | null;
  readonly method: string | null;
}

export interface EngineFact {
  readonly id: Exclude<EngineAbility, 'addresses'>;
  /** What is needed, as people call it. */
  readonly title: string;
  /** The setting that needs it, as the contract names it. */
  readonly field: 'protocol' | 'network' | 'security' | 'flow' | 'method';
  readonly isNeededBy: (shape: ServedShape) => boolean;
  /** The first version of each engine that has it; null: none. */
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
    // Older ones have WireGuard, but no users that are added while they run, and no counters of them.
    id: 'wireguard',
    title: 'WireGuard with several users',
    field: 'protocol',
    isNeededBy: ({ protocol }) => protocol === 'wireguard',
    since: { xray: '26.6.27', v2ray: null },
  },
];

/**
 * The first Xray that tells from which addresses users are connected: GetAllOnlineUsers, with a question for each user; all at once,
 * GetUsersStats, from 26.4.13 on. v2ray cannot tell. What an engine can is found by asking it; this is for words.
 */
export const REPORTS_ADDRESSES_SINCE = '26.1.13';

/** Whether an engine can tell from which addresses users are connected. */
export function canReportAddresses({ name, version }: EngineVersion): boolean {
  return name === 'xray' && !isOlder(version, REPORTS_ADDRESSES_SINCE);
}

/**
 * The first Xray whose REALITY refuses a handshake without X25519MLKEM768: sing-box has none, and of the fingerprints only chrome, firefox and
 * safari do. Which clients that leaves is measured: see compatibility.ts.
 */
export const REALITY_NEEDS_MLKEM_SINCE = '26.9.8';

/** What each engine can do when a user may no longer connect. Removing a user ends no open connection in either, in no version. */
const CUT_OFF: Readonly<Record<string, readonly CutOff[]>> = {
  xray: ['refuse', 'restart'],
  v2ray: ['refuse', 'restart'],
};

/** null: not known of this engine. */
export function findCutOffs({ name }: EngineVersion): readonly CutOff[] | null {
  return Object.hasOwn(CUT_OFF, name) ? (CUT_OFF[name] ?? null) : null;
}

/** What a connection needs that an engine does not have. An engine that is neither Xray nor v2ray is not known to lack anything. */
export function missingFacts(shape: ServedShape, { name, version }: EngineVersion): readonly EngineFact[] {
  if (name !== 'xray' && name !== 'v2ray') return [];
  return ENGINE_FACTS.filter(({ isNeededBy, since }) => {
    const first = since[name];
    return isNeededBy(shape) && (first === null || isOlder(version, first));
  });
}

/** The first version of each engine that has all a connection needs; null: that engine has not. */
export interface EngineNeeds {
  readonly xray: string | null;
  readonly v2ray: string | null;
}

/** What of the table a connection needs. */
export function neededFacts(shape: ServedShape): readonly EngineFact[] {
  return ENGINE_FACTS.filter(({ isNeededBy }) => isNeededBy(shape));
}

/** null: each engine, in every version, can serve it. */
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

/** What a change of version gives to the users of a node and takes from them, by the titles of the table. */
export interface EngineDifference {
  readonly gained: readonly string[];
  readonly lost: readonly string[];
}

function hasFact({ since }: EngineFact, { name, version }: EngineVersion): boolean {
  const first = name === 'xray' || name === 'v2ray' ? since[name] : null;
  return first !== null && !isOlder(version, first);
}

/** What an engine gives to users, of what not every one does. */
function listAbilities(engine: EngineVersion): readonly EngineAbility[] {
  const facts = ENGINE_FACTS.filter((fact) => hasFact(fact, engine)).map(({ id }) => id);
  return canReportAddresses(engine) ? [...facts, 'addresses'] : facts;
}

/** The same as `engineDifference`, by ids. */
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

/** Which engine to use instead, in words: what is missing, who has it, what the node runs. */
export function describeMissing({ title, since }: EngineFact, { name, version }: EngineVersion): string {
  const known = [since.xray !== null && `Xray ${since.xray}`, since.v2ray !== null && `v2ray ${since.v2ray}`];
  return `needs ${title}: ${known.filter(Boolean).join(' or ')} or newer; its node runs ${name} ${version}`;
}

/** Compares versions number by number. What is no version is newer than any: nothing is refused for what is not known. */
export function isOlder(version: string, first: string): boolean {
  if (!/^\d+(\.\d+)*$/.test(version)) return false;
  const [present, wanted] = [version.split('.').map(Number), first.split('.').map(Number)];
  const different = wanted.findIndex((number, index) => number !== (present[index] ?? 0));
  return different !== -1 && (present[different] ?? 0) < (wanted[different] ?? 0);
}
