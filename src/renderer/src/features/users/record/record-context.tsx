// Unsaved input in the forms of the open record, which is not discarded without a question.
import { createContext, type ReactNode, use, useEffect, useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../../../contract/users/users.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { useUnsaved } from '../../../components/form/unsaved.tsx';
import type { Plans } from '../use-plans.ts';

interface Editing {
  /** Whether there is unsaved input. */
  readonly isOn: boolean;
  mark(id: string, isOn: boolean): void;
  /** Asks whether to discard it; then calls `close`. */
  ask(close: () => void): void;
}

const EditingContext = createContext<Editing>({ isOn: false, mark: () => undefined, ask: (close) => close() });

export function EditingProvider({ children }: { readonly children: (editing: Editing) => ReactNode }) {
  const { t } = useTranslation(['users', 'frame']);
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [pendingClose, setPendingClose] = useState<{ readonly close: () => void } | null>(null);
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
      ask: (close) => setPendingClose({ close }),
    }),
    [ids],
  );
  useUnsaved(editing.isOn);
  return (
    <EditingContext value={editing}>
      {children(editing)}
      <Confirm
        isOpen={pendingClose !== null}
        onClose={() => setPendingClose(null)}
        title={t('users:edit.discardTitle')}
        action={t('frame:form.discard')}
        isDangerous
        onConfirm={async () => pendingClose?.close()}
      >
        {t('frame:form.discardText')}
      </Confirm>
    </EditingContext>
  );
}

/** For a form of the record: declares whether it has unsaved input. Returns the function that closes it, with a question if it has. */
export function useEditing(isUnsaved: boolean): (close: () => void) => void {
  const id = useId();
  const { mark, ask } = use(EditingContext);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every `mark` does the same.
  useEffect(() => {
    mark(id, isUnsaved);
    return () => mark(id, false);
  }, [id, isUnsaved]);
  return (close) => (isUnsaved ? ask(close) : close());
}

/** A part of the record that is opened for an action. */
export type OpenPart = 'extend' | 'shorten' | 'grant' | 'payment' | 'order' | null;

export interface RecordProps {
  readonly user: User;
  /** Reads the record again. */
  readonly refresh: () => Promise<unknown>;
  readonly plans: Plans;
  readonly part: OpenPart;
  readonly onPart: (part: OpenPart) => void;
}
