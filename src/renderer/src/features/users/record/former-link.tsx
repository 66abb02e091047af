// Since when the user's former link is invalid, on the panel and on each node's machine.
import { useTranslation } from 'react-i18next';
import { useOperation } from '../../../data/use-operation.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { useNow } from '../../../format/use-now.ts';
import { buildHash } from '../../../router/route.ts';
import classes from './record.module.css';

const EVERY_MS = 15_000;

export function FormerLink({ userId }: { readonly userId: number }) {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  const now = useNow();
  const { data } = useOperation('getFormerLink', { id: userId }, { pollMs: EVERY_MS });
  if (data === undefined || data.dead_since === null) return null;
  const { nodes } = data;
  const when = format.moment(data.dead_since, 'dateTime');
  const unmet = nodes.filter(({ dead_since }) => dead_since === null).length;
  if (nodes.length === 0) return <p className={classes.formerLink}>{t('users:formerLink.here', { when })}</p>;
  return (
    <details className={classes.formerLink} open={unmet > 0}>
      <summary>
        {t('users:formerLink.here', { when })} {unmet === 0 ? t('users:formerLink.everywhere') : ''}
        {unmet > 0 && <strong>{t('users:formerLink.unmet', { count: unmet })}</strong>}
      </summary>
      <ul>
        {nodes.map(({ id, name, dead_since: dead, last_seen_at: seen }) => (
          <li key={id}>
            <a href={buildHash(['nodes', id])}>{name}</a>
            {dead === null ? (
              <span>
                {seen === null
                  ? t('users:formerLink.never')
                  : t('users:formerLink.notMet', { when: format.relative(seen, now) })}
              </span>
            ) : (
              <span>{t('users:formerLink.dead', { when: format.moment(dead, 'dateTime') })}</span>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
