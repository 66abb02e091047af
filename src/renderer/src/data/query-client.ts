// TanStack Query for the panel: answers are cached by operation id and input, and retried only if that can help.
import { QueryClient } from '@tanstack/react-query';
import { PanelCallError } from '../../../contract/client.ts';

const SOON_MS = 30_000;
const MAX_WAIT_S = 30;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Events report changes; this is for data without events, such as traffic.
        staleTime: SOON_MS,
        gcTime: 5 * 60_000,
        // The panel is often on the same machine or network, so the browser's notion of "online" does not apply.
        networkMode: 'always',
        retry: isWorthRetrying,
        retryDelay,
        refetchOnWindowFocus: true,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}

/** Only temporary failures: an unreachable panel, or one that named a time to retry. */
export function isWorthRetrying(failures: number, failure: unknown): boolean {
  if (!(failure instanceof PanelCallError)) return false;
  if (failure.code === 'unavailable') return failures < 2;
  return failure.code === 'rate_limited' && failures < 3 && (failure.retryAfter ?? 0) <= MAX_WAIT_S;
}

function retryDelay(failures: number, failure: unknown): number {
  const retryAfter = failure instanceof PanelCallError ? failure.retryAfter : null;
  return retryAfter === null ? 1000 * 2 ** failures : retryAfter * 1000 + 250;
}
