// How far a search has read: the log is searched from its newest entry on, and what lies beyond is read when it is asked for.
import { useTranslation } from 'react-i18next';
import { useFailureText } from '../../components/failure.ts';
import { useFormat } from '../../format/use-format.tsx';
import classes from './audit.module.css';
import type { Entries } from './use-entries.ts';

interface SearchFootProps {
  readonly entries: Entries;
  /** null: nothing is searched for. */
  readonly found: number | null;
  readonly isSearching: boolean;
  readonly onMore: () => void;
}

export function SearchFoot({ entries, found, isSearching, onMore }: SearchFootProps) {
  const { t } = useTranslation(['audit', 'common']);
  const format = useFormat();
  const describeFailure = useFailureText();
  const { items, hasMore, failure } = entries;
  return (
    <div className={classes.foot} role="status">
      {found !== null && (
        <span>
          {t(hasMore ? 'audit:foundIn' : 'audit:foundInAll', {
            count: found,
            amount: format.number(found),
            searched: format.number(items.length),
          })}
        </span>
      )}
      {failure !== null && <span className={classes.bad}>{describeFailure(failure).text}</span>}
      {(failure !== null || (hasMore && !isSearching && found !== null)) && (
        <button type="button" className={classes.footAct} onClick={onMore}>
          {failure === null ? t('audit:searchOn') : t('common:retry')}
        </button>
      )}
    </div>
  );
}
