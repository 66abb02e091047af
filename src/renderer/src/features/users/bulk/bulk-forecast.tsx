// What a bulk act would do, before anything is done.
import { IconCheck, IconMinus, IconX } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { PanelCallError } from '../../../../../contract/client.ts';
import type { BulkAction, BulkResult } from '../../../../../contract/user-acts.ts';
import type { Duration } from '../../../../../domain/term.ts';
import { ErrorState } from '../../../components/placeholder.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { TermPicker } from '../record/term-picker.tsx';
import classes from './bulk.module.css';
import { forecastOf } from './forecast.ts';

interface BulkForecastProps {
  readonly action: BulkAction;
  readonly dry: UseQueryResult<BulkResult, PanelCallError>;
  readonly isChecked: boolean;
  readonly term: Duration | null;
  readonly onTerm: (term: Duration | null) => void;
}

export function BulkForecast({ action, dry, isChecked, term, onTerm }: BulkForecastProps) {
  const { t } = useTranslation('users');
  return (
    <>
      {action === 'extend' && <TermPicker value={term} onChange={onTerm} />}
      <section className={classes.forecast} aria-label={t('bulk.will')} aria-busy={!isChecked} data-stale={!isChecked}>
        <h3>{t('bulk.will')}</h3>
        {dry.error !== null && !dry.isFetching ? (
          <ErrorState size="small" failure={dry.error} onRetry={() => void dry.refetch()} />
        ) : dry.data === undefined ? (
          <>
            <span className="visually-hidden">{t('bulk.checking')}</span>
            <Skeleton width="60%" />
          </>
        ) : (
          <Told action={action} result={dry.data} />
        )}
        <p className={classes.quiet}>{t(`bulk.note.${action}`)}</p>
      </section>
    </>
  );
}

function Told({ action, result }: { readonly action: BulkAction; readonly result: BulkResult }) {
  const { t } = useTranslation('users');
  const { changed, unchanged, failed } = forecastOf(result);
  const same =
    action === 'enable' ? 'alreadyEnabled' : action === 'disable' ? 'alreadyDisabled' : ('unchanged' as const);
  return (
    <ul className={classes.lines} aria-live="polite">
      <li className={classes.line} data-tone={changed > 0 ? 'ok' : undefined}>
        {changed > 0 ? <IconCheck size={16} stroke={2} aria-hidden /> : <IconMinus size={16} stroke={2} aria-hidden />}
        {changed === 0 ? t('bulk.nothing') : t(action === 'delete' ? 'bulk.goes' : 'bulk.change', { count: changed })}
      </li>
      {unchanged > 0 && (
        <li className={classes.line}>
          <IconMinus size={16} stroke={2} aria-hidden />
          {t(`bulk.${same}`, { count: unchanged })}
        </li>
      )}
      {failed.map(({ reason, count }) => (
        <li key={reason} className={classes.line} data-tone="bad">
          <IconX size={16} stroke={2} aria-hidden />
          {t(`bulk.failed.${reason}`, { count })}
        </li>
      ))}
    </ul>
  );
}
