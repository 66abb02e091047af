// What is wrong with a node, and what to do about it.
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Node } from '../../../../contract/nodes.ts';
import { useFormat } from '../../format/use-format.tsx';
import { useNow } from '../../format/use-now.ts';
import classes from './nodes.module.css';

/** The few causes that have advice of their own; others are told in the node's words. */
type Trouble = 'unreachable' | 'engine' | 'waiting';

/** null: nothing is. */
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
