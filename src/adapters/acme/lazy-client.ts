// An ACME client that loads its library with the first order: it is slow to load, and many processes never order.
import type { AcmeClient } from '../../core/ports/acme.ts';
import type { AcmeClientParts } from './client.ts';

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
