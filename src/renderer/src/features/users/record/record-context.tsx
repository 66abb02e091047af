// Which values of the open record are being edited: while there are some, it cannot be closed by accident.
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react';
import type { User } from '../../../../../contract/users.ts';
import type { Plans } from '../use-plans.ts';

interface Editing {
  /** Whether something is being changed. */
  readonly isOn: boolean;
  mark(id: string, isOn: boolean): void;
}

const EditingContext = createContext<Editing>({ isOn: false, mark: () => undefined });

export function EditingProvider({ children }: { readonly children: (isOn: boolean) => ReactNode }) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const editing = useMemo<Editing>(
    () => ({
      isOn: ids.size > 0,
      mark: (id, isOn) =>
        setIds((before) => {
          if (before.has(id) === isOn) return before;
          const next = new Set(before);
          if (isOn) next.add(id);
          else next.delete(id);
          return next;
        }),
    }),
    [ids],
  );
  return <EditingContext value={editing}>{children(editing.isOn)}</EditingContext>;
}

/** Marks this as being edited, for as long as the component is on screen. */
export function useEditing(id: string): void {
  const { mark } = use(EditingContext);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `mark` does the same whenever it is made.
  useEffect(() => {
    mark(id, true);
    return () => mark(id, false);
  }, [id]);
}

// What every part of a user's record is given.

/** A part of the record that is opened for an act. */
export type OpenPart = 'extend' | 'shorten' | 'grant' | 'payment' | 'order' | null;

export interface RecordProps {
  readonly user: User;
  /** Reads the record again. */
  readonly refresh: () => Promise<unknown>;
  readonly plans: Plans;
  readonly part: OpenPart;
  readonly onPart: (part: OpenPart) => void;
}
