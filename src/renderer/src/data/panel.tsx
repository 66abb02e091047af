// Provides every component with the typed client, the cache, and the function that invalidates answers.
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useMemo } from 'react';
import type { PanelTransport } from '../../../bridge/panel-transport.ts';
import { type Client, createClient, hasProblemCode, type Transport } from '../../../contract/client.ts';
import type { OperationId } from '../../../contract/table.ts';
import { markSessionEnded } from '../state/session.ts';
import { type CacheTag, createInvalidator } from './cache-tags.ts';
import { askForProof } from './proof.ts';

export interface Panel {
  readonly client: Client;
  readonly transport: PanelTransport;
  readonly etags: Etags;
  /** Invalidates the answers under a tag and reads those on screen again; without a tag, all answers. */
  invalidate(tag?: CacheTag): void;
}

const PanelContext = createContext<Panel | null>(null);

interface PanelProviderProps {
  readonly transport: PanelTransport;
  readonly queries: QueryClient;
  readonly children: ReactNode;
}

export function PanelProvider({ transport, queries, children }: PanelProviderProps) {
  const panel = useMemo<Panel>(
    () => ({
      client: createClient(askForProof(watchSession(transport))),
      transport,
      etags: createEtags(),
      invalidate: createInvalidator(queries),
    }),
    [transport, queries],
  );
  return (
    <PanelContext value={panel}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </PanelContext>
  );
}

export function usePanel(): Panel {
  const panel = use(PanelContext);
  if (panel === null) throw new Error('usePanel() outside of PanelProvider');
  return panel;
}

/** The first call that is refused because the session has ended shows the sign-in. */
function watchSession(transport: Transport): Transport {
  return {
    async call(id, input, options) {
      try {
        return await transport.call(id, input, options);
      } catch (failure) {
        if (hasProblemCode(failure, 'signed_out')) markSessionEnded();
        throw failure;
      }
    },
  };
}

// Entity tags of answers, for `ifMatch`: a change by someone else is then reported, not overwritten.

export interface Etags {
  store(id: OperationId, input: unknown, etag: string): void;
  find(id: OperationId, input: unknown): string | undefined;
}

const MAX_ETAGS = 500;

function createEtags(): Etags {
  const etags = new Map<string, string>();
  const buildCallKey = (id: OperationId, input: unknown) => JSON.stringify([id, input]);
  return {
    store(id, input, etag) {
      const key = buildCallKey(id, input);
      etags.delete(key);
      etags.set(key, etag);
      const oldest = etags.keys().next().value;
      if (etags.size > MAX_ETAGS && oldest !== undefined) etags.delete(oldest);
    },
    find: (id, input) => etags.get(buildCallKey(id, input)),
  };
}
