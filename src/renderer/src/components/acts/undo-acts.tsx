// Undoes an action on users by its entry in the audit log, and lists users who stay unchanged.
import { Button } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PanelCallError } from '../../../../contract/client.ts';
import type { Output } from '../../../../contract/table.ts';
import { useAct } from '../../data/use-act.ts';
import { useOperation } from '../../data/use-operation.ts';
import { showHidden } from '../../format/show-hidden.ts';
import { useFormat } from '../../format/use-format.tsx';
import { buildHash } from '../../router/route.ts';
import { FormFailure } from '../form/form-failure.tsx';
import classes from './undo-acts.module.css';

interface UndoActsProps {
  /** Id of the audit entry. */
  readonly entry: number;
  readonly onUndone?: () => void;
}

/** Renders nothing if it cannot be undone. */
export function UndoActs({ entry, onUndone }: UndoActsProps) {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  const [result, setResult] = useState<Output<'undoActs'> | null>(null);
  const [failure, setFailure] = useState<PanelCallError | null>(null);
  const until = useOperation('listAuditUsers', { id: entry, limit: 1 }).data?.undo_until ?? null;
  const undo = useAct('undoActs', {
    message: () => ({ text: t('common:undone') }),
    onDone: (output) => {
      setFailure(null);
      setResult(output);
      onUndone?.();
    },
    onFailure: setFailure,
  });
  if (result !== null) return <UndoResult result={result} />;
  if (until === null) return null;
  return (
    <div className={classes.box}>
      <div className={classes.act}>
        <Button
          variant="default"
          leftSection={<IconArrowBackUp size={16} stroke={1.5} />}
          loading={undo.isRunning}
          onClick={() => undo.start({ entries: [entry] })}
        >
          {t('common:undo')}
        </Button>
        <span className={classes.quiet}>{t('users:undo.until', { time: format.moment(until, 'dateTime') })}</span>
      </div>
      <FormFailure failure={failure} />
    </div>
  );
}

function UndoResult({ result: { restored, left, users } }: { readonly result: Output<'undoActs'> }) {
  const { t } = useTranslation('users');
  const box = useRef<HTMLDivElement>(null);
  // The button that had the focus has been removed.
  useEffect(() => box.current?.focus(), []);
  return (
    <div ref={box} className={classes.box} role="status" tabIndex={-1}>
      <p>
        <strong>{t('undo.restored', { count: restored })}</strong>
      </p>
      {left > 0 && (
        <>
          <p>{t('undo.left', { count: left })}</p>
          <ul className={classes.left}>
            {users.map(({ id, name, reason }) => (
              <li key={id}>
                {name === null ? t('bulk.user', { id }) : <a href={buildHash(['users', id])}>{showHidden(name)}</a>}
                <span className={classes.quiet}>{t(`undo.reason.${reason}`)}</span>
              </li>
            ))}
          </ul>
          {users.length < left && (
            <p className={classes.quiet}>{t('undo.first', { shown: users.length, count: left })}</p>
          )}
        </>
      )}
    </div>
  );
}
