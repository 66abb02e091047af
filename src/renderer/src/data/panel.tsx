// Gives every component the one typed client, the cache and the way to say that something has changed.
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useMemo } from 'react';
import type { PanelTransport } from '../../../bridge/panel-transport.ts';
import { type Client, createClient, isProblemOf, type Transport } from '../../../contract/client.ts';
import { noteSessionEnd } from '../state/session.ts';
import { createTouch, type Noun } from './nouns.ts';

export interface Panel {
  readonly client: Client;
  readonly transport: PanelTransport;
  /** Marks what is read of a noun as old; without one, everything. */
  touch(noun?: Noun): void;
}

const PanelContext = createContext<Panel | null>(null);

interface PanelProviderProps {
  readonly transport: PanelTransport;
  readonly queries: QueryClient;
  readonly children: ReactNode;
}

export function PanelProvider({ transport, queries, children }: PanelProviderProps) {
  const panel = useMemo<Panel>(
    () => ({ client: createClient(watchSession(transport)), transport, touch: createTouch(queries) }),
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
  if (panel === null) throw new Error('A component that asks the panel stands outside of PanelProvider.');
  return panel;
}

/** Whichever call hears first that the session has ended, sign-in is asked for. */
function watchSession(transport: Transport): Transport {
  return {
    async call(id, input, options) {
      try {
        return await transport.call(id, input, options);
      } catch (failure) {
        if (isProblemOf(failure, 'signed_out')) noteSessionEnd();
        throw failure;
      }
    },
  };
}
