// The problem of a node, and what to do about it.
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Node, NodeErrorCode } from '../../../../contract/nodes/nodes.ts';
import { useNodeCommand } from '../../data/host.ts';
import { useFormat } from '../../format/use-format.tsx';
import { useNow } from '../../format/use-now.ts';
import classes from './nodes.module.css';

/**
 * A problem by its error code; `down`: nothing else is known; `waiting`: the node has not been polled yet; `clock`: its machine's clock is
 * wrong; `certificate`: the certificate of its links was not renewed.
 */
type Trouble = NodeErrorCode | 'down' | 'waiting' | 'clock' | 'certificate';

/** The machine ends terms by its clock while the panel is away, so a larger offset is a problem. */
const MAX_OFFSET_MS = 10_000;

/** null: none. */
export function findTrouble({
  enabled,
  status,
  error_code,
  clock_offset_ms: offset,
  links_certificate: links,
}: Pick<Node, 'enabled' | 'status' | 'error_code' | 'clock_offset_ms' | 'links_certificate'>): Trouble | null {
  if (!enabled) return null;
  if (error_code !== null) return error_code;
  if (status === 'up') {
    if (offset !== null && Math.abs(offset) >= MAX_OFFSET_MS) return 'clock';
    return links !== null && (links.failure !== null || links.ends_soon) ? 'certificate' : null;
  }
  return status === 'down' ? 'down' : 'waiting';
}

export function NodeTrouble({ node }: { readonly node: Node }) {
  const { t } = useTranslation('nodes');
  const format = useFormat();
  const now = useNow();
  const command = useNodeCommand();
  const trouble = findTrouble(node);
  if (trouble === null) return null;
  const { address, error, status, last_seen_at: seen } = node;
  return (
    <section
      className={classes.trouble}
      data-tone={trouble === 'waiting' ? 'info' : 'bad'}
      aria-label={t('trouble.label')}
    >
      <IconAlertTriangle size={16} stroke={1.5} aria-hidden />
      <div>
        <p className={classes.troubleTitle}>{t(`trouble.${trouble}`)}</p>
        {error !== null && <p className={classes.troubleText}>{error}</p>}
        <p>
          {status === 'down' && seen !== null && `${t('trouble.since', { when: format.relative(seen, now) })} `}
          {t(`advice.${trouble}`, { address: address ?? '', command })}
        </p>
      </div>
    </section>
  );
}
