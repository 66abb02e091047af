// What came of a bulk act: the counts, why it ended early if it did, and every user's own result.
import { useTranslation } from 'react-i18next';
import { type BulkAction, MAX_BULK_IDS } from '../../../../../contract/user-acts.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { FormFailure } from '../../../components/form/form-failure.tsx';
import { hashOf } from '../../../router/route.ts';
import classes from './bulk.module.css';
import { reasonOf } from './forecast.ts';
import type { BulkEnd, BulkLine } from './run-bulk.ts';

interface BulkResultsProps {
  readonly action: BulkAction;
  readonly end: BulkEnd;
  readonly names: ReadonlyMap<number, string>;
}

/** More lines than anyone reads; the copy has them all. */
const SHOWN = 200;

export function BulkResults({ action, end, names }: BulkResultsProps) {
  const { t } = useTranslation('users');
  const { affected, lines, rest, failure } = end;
  const isDelete = action === 'delete';
  const failures = lines.filter(({ outcome }) => outcome === 'failed').length;
  const nameOf = (id: number) => names.get(id) ?? t('bulk.user', { id });
  const outcomeOf = ({ outcome, detail }: BulkLine) => {
    const word = t(`bulk.outcome.${isDelete && outcome === 'changed' ? 'deleted' : outcome}`);
    return outcome === 'failed' ? `${word}: ${t(`bulk.why.${reasonOf(detail)}`, { code: detail ?? '' })}` : word;
  };
  const text = lines.map((line) => [line.id, nameOf(line.id), outcomeOf(line)].join('\t')).join('\n');
  return (
    <>
      <p className={classes.summary} role="status">
        <strong>{t(isDelete ? 'bulk.deleted' : 'bulk.changed', { count: affected })}</strong>
        {failures > 0 && <span data-tone="bad">{t('bulk.failures', { count: failures })}</span>}
        {rest.length > 0 && <span>{t('bulk.left', { count: rest.length })}</span>}
      </p>
      <FormFailure failure={failure} />
      <section aria-label={t('bulk.results')}>
        <header className={classes.resultsHead}>
          <h3>{t('bulk.results')}</h3>
          <CopyButton value={text} label={t('bulk.copy')} wide />
        </header>
        <ul className={classes.results}>
          {lines.slice(0, SHOWN).map((line) => (
            <li key={line.id} className={classes.result}>
              {isDelete && line.outcome === 'changed' ? (
                <span className={classes.name}>{nameOf(line.id)}</span>
              ) : (
                <a className={classes.name} href={hashOf(['users', line.id])}>
                  {nameOf(line.id)}
                </a>
              )}
              <span className={classes.outcome} data-tone={line.outcome === 'failed' ? 'bad' : undefined}>
                {outcomeOf(line)}
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
