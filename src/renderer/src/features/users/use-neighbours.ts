// The records before and after the open one in the list.
import { useMemo, useRef } from 'react';
import type { User } from '../../../../contract/users/users.ts';
import type { RowSource } from '../../data/use-paged-rows.ts';

export interface Neighbours {
  /** The index of the open record; -1: not in the list, or not loaded. */
  readonly index: number;
  readonly previous: User | undefined;
  readonly next: User | undefined;
}

/** `id`: of the open record; null: none. A user whom an action has removed from the list keeps the former neighbours. */
export function useNeighbours(rows: RowSource<User>, id: number | null): Neighbours {
  const place = useRef(-1);
  const index = useMemo(() => (id === null ? -1 : (rows.findIndex?.((user) => user.id === id) ?? -1)), [rows, id]);
  if (id === null || index >= 0) place.current = index;
  const at = place.current;
  return {
    index,
    previous: at > 0 ? rows.at(at - 1) : undefined,
    next: at < 0 ? undefined : rows.at(index < 0 ? at : at + 1),
  };
}
