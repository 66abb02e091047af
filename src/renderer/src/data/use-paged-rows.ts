// A list that is read page by page while scrolling: the visible rows, one page ahead, and the total. Neighbouring pages are read by cursor,
// jumps by offset; while another query is being read the former rows stay.
import { useQueries } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useMemo, useRef, useState } from 'react';
import type { PanelCallError } from '../../../contract/client.ts';
import type { OperationId, Output } from '../../../contract/table.ts';
import { usePanel } from './panel.tsx';
import { type CallInput, callOperation } from './use-operation.ts';

/** Rows of a list of which only some are loaded. */
export interface RowSource<Row> {
  /** The number of all rows. */
  readonly count: number;
  /** undefined: not loaded yet. */
  at(index: number): Row | undefined;
  /** The index of the first loaded row that passes; -1: none. */
  findIndex?(test: (row: Row) => boolean): number;
}

/** The state of reading a list; the result of `useOperation` fits. */
export interface Reading {
  readonly isPending: boolean;
  readonly error: PanelCallError | null;
  /** Whether the shown rows are still those of the former query. */
  readonly isPlaceholderData?: boolean;
  refetch(): unknown;
}

/** The common form of list replies. */
interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly next_cursor: string | null;
}

/** The operations whose reply is a list with a cursor. */
export type ListId = { [Id in OperationId]: Output<Id> extends Page<unknown> ? Id : never }[OperationId];
export type ItemOf<Id extends ListId> = Output<Id> extends Page<infer Item> ? Item : never;

export interface PagedRows<Item> {
  readonly rows: RowSource<Item>;
  readonly reading: Reading;
  /** The number of matching rows; undefined before the first answer. */
  readonly total: number | undefined;
  /** Changes when rows of another query are shown, so that the list scrolls to its top. */
  readonly listKey: string;
  /** For DataTable's `onWindow`. */
  onWindow(start: number, end: number): void;
}

const PAGE = 100;

export function usePagedRows<Id extends ListId>(id: Id, input: CallInput<Id>): PagedRows<ItemOf<Id>> {
  type Item = ItemOf<Id>;
  const { client } = usePanel();
  const question = JSON.stringify(input);
  const [range, setRange] = useState({ question, first: 0, last: 0 });
  // Another query begins at its first page.
  const { first, last } = range.question === question ? range : { first: 0, last: 0 };
  const cursors = useRef(new Map<string, string>());

  const numbers = Array.from({ length: last - first + 1 }, (_, step) => first + step);
  const results = useQueries({
    queries: numbers.map((number) => ({
      queryKey: [id, input, number] as const,
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const cursor = cursors.current.get(`${question} ${number}`);
        const position = cursor === undefined ? { offset: number * PAGE } : { cursor };
        const page = await callOperation(client, id, { ...input, ...position, limit: PAGE } as CallInput<Id>, {
          signal,
        });
        const next = (page as unknown as Page<Item>).next_cursor;
        if (next !== null) cursors.current.set(`${question} ${number + 1}`, next);
        return page as unknown as Page<Item>;
      },
    })),
  });

  const shown = useRef<{ readonly key: string; readonly rows: RowSource<Item> } | null>(null);
  const some = results.find(({ data }) => data !== undefined)?.data;
  const total = some?.total;
  const pages = results.map(({ data }) => data);
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends on each page, not on the array of pages.
  const rows = useMemo<RowSource<Item>>(() => {
    const byNumber = new Map(numbers.map((number, index) => [number, pages[index]]));
    return {
      count: total ?? 0,
      at: (index) => byNumber.get(Math.floor(index / PAGE))?.items[index % PAGE],
      findIndex(test) {
        for (const [number, page] of byNumber) {
          const index = page?.items.findIndex(test) ?? -1;
          if (index >= 0) return number * PAGE + index;
        }
        return -1;
      },
    };
  }, [total, first, last, ...pages]);
  if (total !== undefined) shown.current = { key: question, rows };

  const error = (results.find((result) => result.error !== null)?.error ?? null) as PanelCallError | null;
  const onWindow = useCallback(
    (start: number, end: number) => {
      const next = { first: Math.floor(start / PAGE), last: Math.floor(Math.max(start, end) / PAGE) };
      setRange((now) =>
        now.question === question && now.first === next.first && now.last === next.last ? now : { question, ...next },
      );
    },
    [question],
  );
  // Deferred, so that typing stays responsive while many rows render.
  const drawn = useDeferredValue(shown.current?.rows ?? null);
  const listKey = useDeferredValue(shown.current?.key ?? question);
  return {
    rows: drawn ?? rows,
    reading: {
      isPending: drawn === null && error === null,
      error,
      isPlaceholderData: shown.current !== null && shown.current.key !== question,
      refetch: () => Promise.all(results.map((result) => result.refetch())),
    },
    total: shown.current?.rows.count,
    listKey,
    onWindow,
  };
}
