// Reads of the panel for components: cached by operation id and input, so that components with the same input share one answer.
import { keepPreviousData, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { CallOptions, Client, PanelCallError } from '../../../contract/client.ts';
import type { CallOf } from '../../../contract/operation.ts';
import type { OPERATIONS, OperationId, Output } from '../../../contract/table.ts';
import { type Panel, usePanel } from './panel.tsx';

/** The input that a caller of the operation passes. */
export type CallInput<Id extends OperationId> = CallOf<(typeof OPERATIONS)[Id]>;

export interface ReadOptions {
  /** false: does not read, as while a drawer is closed. */
  readonly enabled?: boolean;
  /** Keeps the former answer while another input is being read. */
  readonly keepPrevious?: boolean;
  /** Reads again at this interval in ms while on screen, for data without events. */
  readonly pollMs?: number;
  /** How long an answer counts as fresh, in ms; by default 30 s. */
  readonly staleMs?: number;
}

/** The key under which an answer is cached. */
export function buildQueryKey<Id extends OperationId>(id: Id, input: CallInput<Id>): readonly [Id, CallInput<Id>] {
  return [id, input];
}

type AnyCall = (input: unknown, options?: CallOptions) => Promise<unknown>;

/** Calls an operation known by its id. */
export function callOperation<Id extends OperationId>(
  client: Client,
  id: Id,
  input: CallInput<Id>,
  options?: CallOptions,
): Promise<Output<Id>> {
  // The table gives each id its own method; for an id that is a type parameter the compiler cannot see which.
  return (client[id] as unknown as AnyCall)(input, options) as Promise<Output<Id>>;
}

/** The options of a query, for `useQueries` and for prefetching with `queryClient.prefetchQuery`. */
export function operationQuery<Id extends OperationId>(
  { client, etags }: Panel,
  id: Id,
  input: CallInput<Id>,
  { enabled, keepPrevious, pollMs, staleMs }: ReadOptions = {},
): UseQueryOptions<Output<Id>, PanelCallError, Output<Id>, readonly [Id, CallInput<Id>]> {
  return {
    queryKey: buildQueryKey(id, input),
    queryFn: ({ signal }) =>
      callOperation(client, id, input, { signal, onEtag: (etag) => etags.store(id, input, etag) }),
    ...(enabled !== undefined && { enabled }),
    ...(pollMs !== undefined && { refetchInterval: pollMs }),
    ...(staleMs !== undefined && { staleTime: staleMs }),
    ...(keepPrevious && { placeholderData: keepPreviousData as never }),
  };
}

/** Reads an operation: `const users = useOperation('listUsers', { state: 'active' }, { keepPrevious: true })`. */
export function useOperation<Id extends OperationId>(
  id: Id,
  input: CallInput<Id>,
  options?: ReadOptions,
): UseQueryResult<Output<Id>, PanelCallError> {
  return useQuery(operationQuery(usePanel(), id, input, options));
}

/** Lists that pages load completely, to sort and search them in the browser. */
type WholeListId = 'listNodes' | 'listInbounds' | 'listTariffs' | 'listGrants';

/** The most that the panel sends in one reply. */
const PAGE = 500;
/** Pages of such a list that are read at most. */
const MAX_PAGES = 200;

/** Reads a list completely, page by page: `const nodes = useWholeList('listNodes', {})`. */
export function useWholeList<Id extends WholeListId>(
  id: Id,
  input: CallInput<Id>,
  options?: ReadOptions,
): UseQueryResult<Output<Id>, PanelCallError> {
  const panel = usePanel();
  const first = { ...input, limit: PAGE };
  return useQuery({
    ...operationQuery(panel, id, first, options),
    queryFn: async ({ signal }) => {
      const whole = await callOperation(panel.client, id, first, { signal });
      const items: unknown[] = [...whole.items];
      let { next_cursor: cursor } = whole;
      for (let pages = 1; cursor !== null && pages < MAX_PAGES; pages += 1) {
        const next: Output<WholeListId> = await callOperation(panel.client, id, { ...first, cursor }, { signal });
        items.push(...next.items);
        cursor = next.next_cursor;
      }
      return { ...whole, items, next_cursor: cursor } as Output<Id>;
    },
  });
}
