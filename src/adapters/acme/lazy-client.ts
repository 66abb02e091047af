// The client of ACME for processes that seldom order anything.
import type { AcmeClient } from '../../core/ports/acme.ts';
import type { AcmeClientParts } from './client.ts';

/** The library is loaded with the first order: it is slow to load. */
export function createLazyAcme(parts: AcmeClientParts): AcmeClient {
  let loading: Promise<AcmeClient> | null = null;
  const load = () => {
    loading ??= import('./client.ts').then(({ createAcmeClient }) => createAcmeClient(parts));
    return loading;
  };
  return {
    order: async (settings, replaces, signal) => (await load()).order(settings, replaces, signal),
    renewalWindow: async (directoryUrl, chain) => (await load()).renewalWindow(directoryUrl, chain),
  };
}
