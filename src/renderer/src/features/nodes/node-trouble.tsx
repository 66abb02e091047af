// The problem of a node, and what to do about it.
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Node } from '../../../../contract/nodes.ts';
import { useFormat } from '../../format/use-format.tsx';
import { useNow } from '../../format/use-now.ts';
import classes from './nodes.module.css';

/** The few causes with advice of their own; others are shown as the node reports them. */
type Trouble = 'unreachable' | 'engine' | 'waiting';

/** null: none. */
export function troubleOf({ enabled, status, error }: Pick<Node, 'enabled' | 'status' | 'error'>): Trouble | null {
  if (!enabled || (status === 'up' && error === null)) return null;
  if (status === 'up') return 'engine';
  return status === 'down' ? 'unreachable' : 'waiting';
}

export function NodeTrouble({ node }: { readonly node: Node }) {
  const { t } = useTranslation('nodes');
  const format = useFormat();
  const now = useNow();
  const trouble = troubleOf(node);
  if (trouble === null) return null;
  const { address, error, last_seen_at: seen } = node;
  return (
    <section
      className={classes.trouble}
      data-tone={trouble === 'waiting' ? 'info' : 'bad'}
      aria-label={t('trouble.label')}
    >
      <IconAlertTriangle size={16} stroke={1.5} aria-hidden />
      <div>
        <p className={classes.troubleTitle}>
          {trouble === 'unreachable' && seen !== null
            ? t('trouble.unreachableSince', { when: format.relative(seen, now) })
            : t(`trouble.${trouble}`)}
        </p>
        {error !== null && <p className={classes.troubleText}>{error}</p>}
        <p>{t(`advice.${trouble}`, { address: address ?? '' })}</p>
      </div>
    </section>
  );
}
