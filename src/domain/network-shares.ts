// Connections by network: how many one may hold, and the network around it, so that no owner of many addresses takes all there are.
import { computeNetwork, computeWiderNetwork } from './client-network.ts';

const PER_NETWORK = 256;
/** One owner has 65,536 networks of IPv6. */
const PER_WIDER_NETWORK = 1024;

export interface NetworkShares {
  /** Takes one for an address; returns how to give it back, or null where a share is used up. */
  acquireShare(address: string): (() => void) | null;
}

export function createNetworkShares(): NetworkShares {
  const counts = new Map<string, number>();
  const getCount = (network: string) => counts.get(network) ?? 0;
  return {
    acquireShare(address) {
      const [network, around] = [computeNetwork(address), computeWiderNetwork(address)];
      if (getCount(network) >= PER_NETWORK || getCount(around) >= PER_WIDER_NETWORK) return null;
      // Of what is no address, both are one.
      const both = new Set([network, around]);
      for (const each of both) counts.set(each, getCount(each) + 1);
      return () => {
        for (const each of both) {
          const left = getCount(each) - 1;
          if (left > 0) counts.set(each, left);
          else counts.delete(each);
        }
      };
    },
  };
}
