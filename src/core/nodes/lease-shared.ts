// The part of a lease that is the same for every node. It grows with the number of nodes, so it is built once, not by each node in each round.
import { nodesCounter } from '../../domain/nodes/lease.ts';
import { readInboundSecrets } from '../inbounds/inbound-secrets.ts';
import type { Env } from '../kernel/context.ts';
import type { OfferedInbound } from '../ports/inbounds.ts';
import type { LeaseShared } from '../ports/lease.ts';

type AllNodesLeaseEnv = Pick<Env, 'crypto' | 'settings' | 'store' | 'subUrl' | 'vault'>;

export interface AllNodesLease extends Omit<LeaseShared, 'weight'> {
  /** SHA-256 of the whole part, hex. */
  readonly hash: string;
  /** The number of nodes that a user with these inbounds (null: all) may use. Includes drained nodes, since their users may stay. */
  nodesFor(inbounds: readonly number[] | null): number;
}

function isSame(one: readonly OfferedInbound[], other: readonly OfferedInbound[]): boolean {
  if (one.length !== other.length) return false;
  return one.every(({ inbound, address, isDraining, engine }, index) => {
    const second = other[index];
    // Unchanged inbounds are the same objects.
    const isSamePlace = inbound === second?.inbound && address === second.address && isDraining === second.isDraining;
    return isSamePlace && engine?.name === second.engine?.name && engine?.version === second.engine?.version;
  });
}

/** Rebuilt when an inbound, an address or a setting changed. */
export function createAllNodesLease(env: AllNodesLeaseEnv): () => AllNodesLease {
  const { store, crypto } = env;

  function make(offered: readonly OfferedInbound[], linkBase: string): AllNodesLease {
    const { timeZone, language, restartToCutOff, subscriptionTitle, updateIntervalHours } = env.settings();
    const { supportUrl, announcement, rateLimit, subPath, subscriptionRules, subscriptionHeaders } = env.settings();
    const { subscriptionTemplates, subscriptionApps } = env.settings();
    const texts = { subscriptionTitle, updateIntervalHours, supportUrl, announcement };
    const links = { ...texts, subscriptionRules, subscriptionHeaders, subscriptionTemplates, subscriptionApps };
    const settings = { timeZone, language, restartToCutOff, ...links, rateLimit, subPath };
    const connections = offered.map((one) => ({ ...one, secrets: readInboundSecrets(env, one.inbound) }));
    return {
      settings,
      linkBase,
      connections,
      hash: crypto.sha256(JSON.stringify({ settings, linkBase, connections })),
      nodesFor: nodesCounter(offered.map(({ inbound }) => inbound)),
    };
  }

  let known: {
    readonly offered: readonly OfferedInbound[];
    readonly settings: unknown;
    readonly made: AllNodesLease;
  } | null = null;
  return () => {
    const offered = store.inbounds.listOffered();
    const settings = env.settings();
    const linkBase = env.subUrl('');
    const isPresent =
      known?.settings === settings && known.made.linkBase === linkBase && isSame(known.offered, offered);
    if (known === null || !isPresent) known = { offered, settings, made: make(offered, linkBase) };
    return known.made;
  };
}
