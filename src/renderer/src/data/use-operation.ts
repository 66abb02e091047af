// Reads of the panel for components: kept by operation id and input, so that two that ask the same share one answer.
import { keepPreviousData, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { CallOptions, Client, PanelCallError } from '../../../contract/client.ts';
import type { CallOf } from '../../../contract/operation.ts';
import { OPERATIONS, type OperationId, type Output } from '../../../contract/table.ts';
import { usePanel } from './panel.tsx';

/** What a caller of the operation sends. */
export type CallInput<Id extends OperationId> = CallOf<(typeof OPERATIONS)[Id]>;

export interface ReadOptions {
  /** false: not now, as while a drawer is closed. */
  readonly enabled?: boolean;
  /** Keeps what was shown while another input is being read. */
  readonly keep?: boolean;
  /** Reads anew every so many ms while on screen, for what no event tells. */
  readonly every?: number;
  /** How long an answer counts as fresh, in ms; 30 s where not said. */
  readonly fresh?: number;
}

/** Where an answer is kept. */
export function keyOf<Id extends OperationId>(id: Id, input: CallInput<Id>): readonly [Id, CallInput<Id>] {
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

/** The options of a query, for `useQueries` and for reading ahead by `queryClient.prefetchQuery`. */
export function operationQuery<Id extends OperationId>(
  client: Client,
  id: Id,
  input: CallInput<Id>,
  { enabled, keep, every, fresh }: ReadOptions = {},
): UseQueryOptions<Output<Id>, PanelCallError, Output<Id>, readonly [Id, CallInput<Id>]> {
  return {
    queryKey: keyOf(id, input),
    queryFn: ({ signal }) => callOperation(client, id, input, { signal, onEtag: (etag) => noteEtag(id, input, etag) }),
    ...(enabled !== undefined && { enabled }),
    ...(every !== undefined && { refetchInterval: every }),
    ...(fresh !== undefined && { staleTime: fresh }),
    ...(keep && { placeholderData: keepPreviousData as never }),
  };
}

/** Reads an operation: `const users = useOperation('listUsers', { state: 'active' }, { keep: true })`. */
export function useOperation<Id extends OperationId>(
  id: Id,
  input: CallInput<Id>,
  options?: ReadOptions,
): UseQueryResult<Output<Id>, PanelCallError> {
  const { client } = usePanel();
  return useQuery(operationQuery(client, id, input, options));
}

const MAX_ETAGS = 500;
const etags = new Map<string, string>();

/** The read of the record that an act changes: of `updateUser` it is `getUser`. null: it changes no record with a tag. */
export function readBehind(id: OperationId, input: unknown): readonly [OperationId, { readonly id: unknown }] | null {
  const read = id.replace(/^update/, 'get');
  const isRecord = typeof input === 'object' && input !== null && 'id' in input;
  return read !== id && isRecord && read in OPERATIONS ? [read as OperationId, { id: input.id }] : null;
}

export function noteEtag(id: OperationId, input: unknown, etag: string): void {
  const key = JSON.stringify([id, input]);
  etags.delete(key);
  etags.set(key, etag);
  const oldest = etags.keys().next().value;
  if (etags.size > MAX_ETAGS && oldest !== undefined) etags.delete(oldest);
}

/** The entity tag that came with a read, for `ifMatch`: another's change is then refused instead of overwritten. */
export function etagOf<Id extends OperationId>(id: Id, input: CallInput<Id>): string | undefined {
  return etags.get(JSON.stringify([id, input]));
}
