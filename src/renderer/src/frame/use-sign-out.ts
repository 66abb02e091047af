// Signing out discards all cached data, and the page starts over.
import { useQueryClient } from '@tanstack/react-query';
import { usePanel } from '../data/panel.tsx';
import { buildQueryKey } from '../data/use-operation.ts';
import { notifyFailure } from '../state/messages.ts';
import { clearSession } from '../state/session.ts';

export function useSignOut(): () => void {
  const { client } = usePanel();
  const queries = useQueryClient();
  return () => {
    client.signOut().then(
      async () => {
        clearSession();
        queries.clear();
        await queries.fetchQuery({ queryKey: buildQueryKey('panelState', {}), queryFn: () => client.panelState() });
      },
      (failure: unknown) => notifyFailure(failure),
    );
  };
}
