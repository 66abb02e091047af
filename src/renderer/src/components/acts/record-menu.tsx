// The menu of a plan, node or connection in its row. A record in use is not deleted: an alternative is offered.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Confirm } from '../confirm.tsx';
import { ActMenu, ActQuestion } from './act-menu.tsx';
import type { ActRuns } from './acts.ts';

interface RecordMenuProps {
  readonly noun: 'connections' | 'nodes' | 'plans';
  readonly record: { readonly id: number; readonly name: string };
  /** All actions but deletion. */
  readonly acts: ActRuns;
  readonly isDeleting: boolean;
  readonly setDeleting: (isDeleting: boolean) => void;
  readonly onDelete: () => Promise<unknown>;
  /** Added to the standard text of a deletion. */
  readonly deletionHint?: string;
  readonly isInUse: boolean;
  /** The alternative to deletion, with its button. */
  readonly instead: { readonly action: string; readonly onConfirm: () => Promise<unknown> };
  /** The list of records that use it. */
  readonly children: ReactNode;
}

export function RecordMenu(props: RecordMenuProps) {
  const { noun, record, acts, isDeleting, setDeleting, onDelete, deletionHint, isInUse, instead, children } = props;
  const { t } = useTranslation(noun);
  const { id, name } = record;
  const question = { isOpen: isDeleting, onClose: () => setDeleting(false) };
  const act = `${noun}.delete` as const;
  return (
    <>
      <ActMenu label={t('more', { name })} acts={{ ...acts, [act]: () => setDeleting(true) }} />
      {isInUse ? (
        <Confirm {...question} {...instead} title={t('inUse.title', { name })}>
          {children}
        </Confirm>
      ) : (
        <ActQuestion {...question} {...{ act, id, name }} title={t('delete.title', { name })} onConfirm={onDelete}>
          <p>{t('delete.text')}</p>
          {deletionHint !== undefined && <p>{deletionHint}</p>}
        </ActQuestion>
      )}
    </>
  );
}
