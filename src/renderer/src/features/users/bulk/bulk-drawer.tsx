// A bulk act: what would happen is said first, then it is done with its progress, and each user's result stays to be read.
import { Button, Progress, TextInput } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormFailure } from '../../../components/form/form-failure.tsx';
import { RecordDrawer } from '../../../components/record-drawer.tsx';
import { useFormat } from '../../../format/use-format.tsx';
import classes from './bulk.module.css';
import { BulkForecast } from './bulk-forecast.tsx';
import { BulkResults } from './bulk-results.tsx';
import type { BulkJob } from './run-bulk.ts';
import { useBulk } from './use-bulk.ts';

interface BulkDrawerProps {
  /** null: closed. */
  readonly job: BulkJob | null;
  readonly onClose: () => void;
  /** Something was changed: the selection has done its work. */
  readonly onDone: () => void;
}

/** Mounted with each act, so that nothing of the one before is in it. */
export function BulkDrawer({ job, ...props }: BulkDrawerProps) {
  return job === null ? null : <Bulk job={job} {...props} />;
}

function Bulk({ job, onClose, onDone }: BulkDrawerProps & { readonly job: BulkJob }) {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  const { action, count } = job;
  const bulk = useBulk(job, onDone);
  const { dry, progress, end } = bulk;
  const [typed, setTyped] = useState('');
  const hint = useId();
  const affected = dry.data?.affected ?? 0;
  const isChecked = dry.data !== undefined && !dry.isPlaceholderData && !dry.isFetching;
  const isConfirmed = action !== 'delete' || typed.trim() === String(affected);
  const isDanger = action === 'delete';

  return (
    <RecordDrawer
      isOpen
      onClose={onClose}
      canClose={progress === null}
      width={480}
      title={t(`users:bulk.${action}`, { count: end?.affected ?? count })}
      {...('filter' in job.target && { subtitle: t('users:bulk.all') })}
      footer={
        progress !== null ? (
          <Button variant="default" onClick={bulk.stop} disabled={progress.total === null}>
            {t('users:bulk.stop')}
          </Button>
        ) : end !== null ? (
          <>
            {end.rest.length > 0 && (
              <Button variant="default" onClick={bulk.goOn}>
                {t('users:bulk.goOn')}
              </Button>
            )}
            <Button onClick={onClose}>{t('common:close')}</Button>
          </>
        ) : (
          <>
            <Button variant="default" onClick={onClose}>
              {t('common:cancel')}
            </Button>
            <Button
              color={isDanger ? 'red' : 'indigo'}
              disabled={!isChecked || affected === 0 || !isConfirmed}
              onClick={bulk.start}
            >
              {t(`users:bulk.${action}`, { count: isChecked ? affected : count })}
            </Button>
          </>
        )
      }
    >
      <div className={classes.body}>
        {progress !== null ? (
          <div role="status">
            <Progress
              value={progress.total === null ? 100 : (progress.done / Math.max(1, progress.total)) * 100}
              animated={progress.total === null}
              striped={progress.total === null}
              aria-label={t(`users:bulk.${action}`, { count })}
            />
            <p className={classes.quiet}>
              {progress.total === null
                ? t('users:bulk.runningAll')
                : t('users:bulk.running', { done: format.number(progress.done), total: format.number(progress.total) })}
            </p>
          </div>
        ) : end !== null ? (
          <BulkResults action={action} end={end} names={bulk.names} />
        ) : (
          <>
            <BulkForecast action={action} dry={dry} isChecked={isChecked} term={bulk.term} onTerm={bulk.setTerm} />
            {isDanger && isChecked && affected > 0 && (
              <TextInput
                label={t('users:bulk.typeCount', { count: affected })}
                id={hint}
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
                inputMode="numeric"
                autoComplete="off"
                error={
                  typed !== '' && !String(affected).startsWith(typed.trim()) ? t('users:bulk.wrongCount') : undefined
                }
              />
            )}
            <FormFailure failure={bulk.failure} />
          </>
        )}
      </div>
    </RecordDrawer>
  );
}
