// Reads a record before its form opens, so that the form starts with the present values and their entity tag.
import { Fragment, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../../contract/table.ts';
import { usePanel } from '../../data/panel.tsx';
import { type CallInput, useOperation } from '../../data/use-operation.ts';
import { ErrorState } from '../placeholder.tsx';
import { RecordDrawer } from '../record-drawer.tsx';
import { useIsSidePanel } from '../side-panel.ts';
import { Skeleton, useIsSlow } from '../skeleton.tsx';
import classes from './form.module.css';

type ReadId = 'getTariff' | 'getInbound' | 'getNode';

/** The version of a record that is being edited. */
export interface RecordVersion {
  /** Its entity tag when it was read. */
  readonly etag: string | undefined;
  /** Reads the record again; the form then starts anew. */
  reload(): void;
}

interface OpenedRecordProps<Id extends ReadId> {
  readonly read: Id;
  readonly id: number;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly width?: 480 | 560 | 640;
  readonly children: (record: Output<Id>, version: RecordVersion) => ReactNode;
}

interface Shown<Id extends ReadId> {
  readonly record: Output<Id>;
  readonly etag: string | undefined;
  readonly revision: number;
}

/** Mounted once for each opening (`useOpening`). */
export function OpenedRecord<Id extends ReadId>({ read, id, isOpen, onClose, width, children }: OpenedRecordProps<Id>) {
  const { t } = useTranslation('common');
  const { etags } = usePanel();
  const input = { id } as CallInput<Id>;
  const record = useOperation(read, input, { enabled: isOpen });
  const [shown, setShown] = useState<Shown<Id> | null>(null);
  const isSlow = useIsSlow(isOpen && shown === null);
  // A side panel opens at once, so that the list's width changes only once.
  const isSidePanel = useIsSidePanel(isOpen);
  const isWaiting = isOpen && shown === null && (isSidePanel || isSlow || record.error !== null);
  const show = (data: Output<Id>) =>
    setShown((before) => ({ record: data, etag: etags.find(read, input), revision: (before?.revision ?? 0) + 1 }));
  // A cached record may be outdated, so the form waits for the running read.
  if (shown === null && record.data !== undefined && !record.isFetching) show(record.data);
  if (shown !== null) {
    const reload = async () => {
      const { data } = await record.refetch();
      if (data !== undefined) show(data);
    };
    const version = { etag: shown.etag, reload: () => void reload() };
    return <Fragment key={shown.revision}>{children(shown.record, version)}</Fragment>;
  }
  return (
    <RecordDrawer isOpen={isWaiting} isOfList onClose={onClose} title={t('loading')} {...(width && { width })}>
      {record.error !== null ? (
        <ErrorState failure={record.error} onRetry={() => void record.refetch()} />
      ) : (
        <div className={classes.form} aria-busy>
          {[0, 1, 2, 3, 4].map((field) => (
            <Skeleton key={field} height={34} />
          ))}
        </div>
      )}
    </RecordDrawer>
  );
}
