// A bulk action: first a forecast, then the action with its progress, then the result of each user.
import { Button, Progress, TextInput } from '@mantine/core';
import { IconCheck, IconMinus, IconRotate, IconTrash, IconX } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PanelCallError } from '../../../../../contract/client.ts';
import type { Output } from '../../../../../contract/table.ts';
import { type BulkAction, type BulkResult, MAX_BULK_IDS } from '../../../../../contract/users/user-acts.ts';
import { useShortcuts } from '../../../components/acts/keys.ts';
import { UndoActs } from '../../../components/acts/undo-acts.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { FormFailure } from '../../../components/form/form-failure.tsx';
import { ErrorState } from '../../../components/placeholder.tsx';
import { RecordDrawer } from '../../../components/record-drawer.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { showHidden } from '../../../format/show-hidden.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { buildHash } from '../../../router/route.ts';
import classes from './bulk.module.css';
import { BulkFields } from './bulk-fields.tsx';
import { AS_IS, BulkPreview } from './bulk-preview.tsx';
import { type BulkEnd, type BulkJob, type BulkLine, computeForecast, isRefusal, toReason } from './run-bulk.ts';
import { useBulk } from './use-bulk.ts';

interface BulkDrawerProps {
  /** null: closed. */
  readonly job: BulkJob | null;
  readonly onClose: () => void;
  /** Called after something was changed: the selection is no longer needed. */
  readonly onDone: () => void;
}

/** Mounted anew for each action, so that it starts without former state. */
export function BulkDrawer({ job, ...props }: BulkDrawerProps) {
  return job === null ? null : <Bulk job={job} {...props} />;
}

function Bulk({ job, onClose, onDone }: BulkDrawerProps & { readonly job: BulkJob }) {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  const { action, count } = job;
  const bulk = useBulk(job, onDone);
  const { fields, wrong, dry, isAskable, isChecked, progress, end } = bulk;
  const [typed, setTyped] = useState('');
  // After an undo the remaining users cannot be continued with.
  const [isUndone, setUndone] = useState(false);
  const hint = useId();
  const affected = dry.data?.affected ?? 0;
  const isConfirmed = action !== 'delete' || typed.trim() === String(affected);
  const isDanger = action === 'delete';
  const canStart = isChecked && affected > 0 && isConfirmed;
  useShortcuts(
    [{ keys: 'mod+enter', label: t(`users:bulk.${action}`, { count: affected }), inInputs: true, run: bulk.start }],
    { isOn: canStart && progress === null && end === null, inDialog: true },
  );

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
          <Button variant="default" onClick={bulk.pause} loading={bulk.isPausing}>
            {t('users:bulk.pause')}
          </Button>
        ) : end !== null ? (
          <>
            {end.left > 0 && !isUndone && (
              <Button variant="default" onClick={bulk.resume}>
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
            <Button color={isDanger ? 'red' : 'indigo'} disabled={!canStart} onClick={bulk.start}>
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
              value={(progress.done / Math.max(1, progress.total)) * 100}
              aria-label={t(`users:bulk.${action}`, { count })}
            />
            <p className={classes.quiet}>
              {t('users:bulk.running', { done: format.number(progress.done), total: format.number(progress.total) })}
            </p>
          </div>
        ) : end !== null ? (
          <BulkResults action={action} end={end} names={bulk.names} onUndone={() => setUndone(true)} />
        ) : (
          <>
            <BulkFields action={action} fields={fields} wrong={wrong} />
            <BulkForecast
              action={action}
              dry={dry}
              preview={bulk.preview}
              isAskable={isAskable}
              isChecked={isChecked}
            />
            {isAskable && bulk.preview !== undefined && (
              <BulkPreview action={action} preview={bulk.preview} total={dry.data?.matched ?? count} />
            )}
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

// What a bulk action would do, before it is started.

interface BulkForecastProps {
  readonly action: BulkAction;
  readonly dry: UseQueryResult<BulkResult, PanelCallError>;
  /** undefined: not loaded yet. */
  readonly preview: Output<'previewBulk'> | undefined;
  /** Whether the fields are complete. */
  readonly isAskable: boolean;
  readonly isChecked: boolean;
}

function BulkForecast({ action, dry, preview, isAskable, isChecked }: BulkForecastProps) {
  const { t } = useTranslation('users');
  return (
    <section
      className={classes.forecast}
      aria-label={t('bulk.will')}
      aria-busy={isAskable && !isChecked}
      data-stale={isAskable && !isChecked}
    >
      <h3>{t('bulk.will')}</h3>
      {!isAskable ? (
        <p className={classes.quiet}>{t('bulk.incomplete')}</p>
      ) : dry.error !== null && !dry.isFetching ? (
        <ErrorState size="small" failure={dry.error} onRetry={() => void dry.refetch()} />
      ) : dry.data === undefined ? (
        <>
          <span className="visually-hidden">{t('bulk.checking')}</span>
          <Skeleton width="60%" />
        </>
      ) : (
        <ForecastLines action={action} result={dry.data} preview={preview} />
      )}
      <p className={classes.quiet}>
        {t(`bulk.note.${action}`)} {t(action === 'delete' ? 'undo.never' : 'undo.can')}
      </p>
    </section>
  );
}

interface ForecastLinesProps {
  readonly action: BulkAction;
  readonly result: BulkResult;
  readonly preview: Output<'previewBulk'> | undefined;
}

function ForecastLines({ action, result, preview }: ForecastLinesProps) {
  const { t } = useTranslation('users');
  const again = preview?.begin_again ?? 0;
  const { changed, unchanged, failed } = computeForecast(result);
  const isDelete = action === 'delete';
  const Icon = changed === 0 ? IconMinus : isDelete ? IconTrash : IconCheck;
  return (
    <ul className={classes.lines} aria-live="polite">
      <li className={classes.line} data-tone={changed === 0 ? undefined : isDelete ? 'bad' : 'ok'}>
        <Icon size={16} stroke={2} aria-hidden />
        {changed === 0 ? t('bulk.nothing') : t(isDelete ? 'bulk.goes' : 'bulk.change', { count: changed })}
      </li>
      {unchanged > 0 && (
        <li className={classes.line}>
          <IconMinus size={16} stroke={2} aria-hidden />
          {t(`bulk.${AS_IS[action]}`, { count: unchanged })}
        </li>
      )}
      {again > 0 && preview !== undefined && (
        <li className={classes.line}>
          <IconRotate size={16} stroke={2} aria-hidden />
          {preview.previewed < result.matched
            ? t('bulk.againOfFirst', { count: again, first: preview.previewed })
            : t('bulk.again', { count: again })}
        </li>
      )}
      {failed.map(({ reason, count }) => (
        <li key={reason} className={classes.line} data-tone={isRefusal(reason) ? 'bad' : undefined}>
          {isRefusal(reason) ? (
            <IconX size={16} stroke={2} aria-hidden />
          ) : (
            <IconMinus size={16} stroke={2} aria-hidden />
          )}
          {t(`bulk.failed.${reason}`, { count })}
        </li>
      ))}
    </ul>
  );
}

// The result of a bulk action: counts, why it ended early if it did, and the result of each user.

interface BulkResultsProps {
  readonly action: BulkAction;
  readonly end: BulkEnd;
  readonly names: ReadonlyMap<number, string>;
  readonly onUndone: () => void;
}

/** Lines shown; copying includes all. */
const SHOWN = 200;

function BulkResults({ action, end, names, onUndone }: BulkResultsProps) {
  const { t } = useTranslation('users');
  const { affected, lines, left, entry, failure } = end;
  const isDelete = action === 'delete';
  const isRefused = ({ outcome, detail }: BulkLine) => outcome === 'failed' && isRefusal(toReason(detail, action));
  const failures = lines.filter(isRefused).length;
  const getUserName = (id: number) => names.get(id) ?? t('bulk.user', { id });
  const describeOutcome = ({ outcome, detail }: BulkLine) => {
    if (outcome === 'failed') return t(`bulk.why.${toReason(detail, action)}`, { code: detail ?? '' });
    return outcome === 'changed' ? t(`bulk.did.${action}`) : t(`bulk.same.${AS_IS[action]}`);
  };
  const text = lines.map((line) => [line.id, getUserName(line.id), describeOutcome(line)].join('\t')).join('\n');
  return (
    <>
      <p className={classes.summary} role="status">
        <strong>{t(isDelete ? 'bulk.deleted' : 'bulk.changed', { count: affected })}</strong>
        {failures > 0 && <span data-tone="bad">{t('bulk.failures', { count: failures })}</span>}
        {left > 0 && <span>{t('bulk.left', { count: left })}</span>}
      </p>
      <FormFailure failure={failure} />
      {entry !== null && affected > 0 && <UndoActs entry={entry} onUndone={onUndone} />}
      <section aria-label={t('bulk.results')}>
        <header className={classes.resultsHead}>
          <h3>{t('bulk.results')}</h3>
          <CopyButton value={text} label={t('bulk.copy')} wide />
        </header>
        <ul className={classes.results}>
          {lines.slice(0, SHOWN).map((line) => (
            <li key={line.id} className={classes.result}>
              {isDelete && line.outcome === 'changed' ? (
                <span className={classes.name}>{showHidden(getUserName(line.id))}</span>
              ) : (
                <a className={classes.name} href={buildHash(['users', line.id])}>
                  {showHidden(getUserName(line.id))}
                </a>
              )}
              <span className={classes.outcome} data-tone={isRefused(line) ? 'bad' : undefined}>
                {describeOutcome(line)}
              </span>
            </li>
          ))}
        </ul>
        {lines.length > SHOWN && <p className={classes.quiet}>{t('bulk.more', { count: lines.length - SHOWN })}</p>}
        {lines.length >= MAX_BULK_IDS && <p className={classes.quiet}>{t('bulk.cut')}</p>}
      </section>
    </>
  );
}
