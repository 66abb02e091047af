// Limits of concurrent connections by network and surrounding network, so that an owner of many addresses cannot take all of them.
import { computeNetwork, computeWiderNetwork } from './client-network.ts';

const PER_NETWORK = 256;
/** One /48 of IPv6 contains 65,536 /64 networks. */
const PER_WIDER_NETWORK = 1024;

export interface NetworkShares {
  /** Counts a connection of an address; returns the function that releases it, or null if a limit is reached. */
  acquireShare(address: string): (() => void) | null;
}

export function createNetworkShares(): NetworkShares {
  const counts = new Map<string, number>();
  const getCount = (network: string) => counts.get(network) ?? 0;
  return {
    acquireShare(address) {
      const [network, around] = [computeNetwork(address), computeWiderNetwork(address)];
      if (getCount(network) >= PER_NETWORK || getCount(around) >= PER_WIDER_NETWORK) return null;
      // For a text that is not an address, both are the same.
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
