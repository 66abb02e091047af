// The effect of a bulk action on its first users: changes of end, state, plan, traffic and tags.
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../../../contract/table.ts';
import type { PreviewRow, PreviewSide } from '../../../../../contract/users/bulk-preview.ts';
import type { BulkAction } from '../../../../../contract/users/user-acts.ts';
import { showHidden } from '../../../format/show-hidden.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { useConnectionNames } from '../use-connection-names.ts';
import { usePlans } from '../use-plans.ts';
import classes from './bulk.module.css';
import { isRefusal, toReason } from './run-bulk.ts';

/** Texts for users who would not change. */
export const AS_IS = {
  extend: 'unchanged',
  reset: 'unchanged',
  disable: 'alreadyDisabled',
  enable: 'alreadyEnabled',
  delete: 'unchanged',
  grant: 'unchanged',
  set_tariff: 'samePlan',
  add_tags: 'tagged',
  remove_tags: 'untagged',
  set_inbounds: 'sameConnections',
  move_inbounds: 'notOnThem',
} as const satisfies Record<BulkAction, string>;

interface BulkPreviewProps {
  readonly action: BulkAction;
  readonly preview: Output<'previewBulk'>;
  /** Number of users of the action. */
  readonly total: number;
}

export function BulkPreview({ action, preview, total }: BulkPreviewProps) {
  const { t } = useTranslation('users');
  const listDifferences = useDifferences(action);
  const { items } = preview;
  if (items.length === 0) return null;
  return (
    <section aria-label={t('bulk.preview.title')}>
      <h3>{t('bulk.preview.title')}</h3>
      <ul className={classes.results}>
        {items.map((row) => (
          <li key={row.id} className={classes.preview}>
            <span className={classes.name}>{showHidden(row.name)}</span>
            <span
              className={classes.differences}
              data-tone={row.outcome === 'failed' && isRefusal(toReason(row.detail, action)) ? 'bad' : undefined}
            >
              {listDifferences(row).map((text) => (
                <span key={text}>{text}</span>
              ))}
            </span>
          </li>
        ))}
      </ul>
      {items.length < total && (
        <p className={classes.quiet}>{t('bulk.preview.first', { shown: items.length, count: total })}</p>
      )}
    </section>
  );
}

/** A user's changes as texts. */
function useDifferences(action: BulkAction): (row: PreviewRow) => readonly string[] {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  const plans = usePlans();
  const connections = useConnectionNames();
  const formatEnd = ({ hold, expires_at: at }: PreviewSide) => {
    if (hold !== null) return t('users:term.hold', { term: format.term(hold) });
    return at === null ? t('users:term.never') : format.moment(at);
  };
  const describeCounter = ({ counter, before: { used } }: PreviewRow) => {
    if (counter === 'begins_again') return t('users:bulk.preview.beginsAgain', { used: format.bytes(used) });
    return action === 'extend' ? t('users:bulk.preview.kept', { used: format.bytes(used) }) : null;
  };
  return (row) => {
    const { outcome, detail, before, after } = row;
    if (outcome === 'failed') return [t(`users:bulk.why.${toReason(detail, action)}`, { code: detail ?? '' })];
    if (outcome === 'unchanged') return [t(`users:bulk.same.${AS_IS[action]}`)];
    if (after === null) return [t('users:bulk.preview.goes')];
    const change = (texts: readonly [string, string]) => (texts[0] === texts[1] ? null : texts.join(' → '));
    const formatConnections = ({ inbounds }: PreviewSide) => connections.formatNames(inbounds);
    const extra = after.traffic_extra - before.traffic_extra;
    const tags = [
      ...after.tags.filter((tag) => !before.tags.includes(tag)).map((tag) => `+ ${tag}`),
      ...before.tags.filter((tag) => !after.tags.includes(tag)).map((tag) => `− ${tag}`),
    ];
    const texts = [
      change([plans.getPlanName(before.tariff_id), plans.getPlanName(after.tariff_id)]),
      change([formatEnd(before), formatEnd(after)]),
      change([t(`common:state.${before.state}`), t(`common:state.${after.state}`)]),
      extra > 0 ? t('users:bulk.preview.extra', { amount: format.bytes(extra) }) : null,
      change([formatConnections(before), formatConnections(after)]),
      tags.length > 0 ? tags.join(', ') : null,
      describeCounter(row),
    ].filter((text) => text !== null);
    return texts.length > 0 ? texts : [t('users:bulk.preview.same')];
  };
}
