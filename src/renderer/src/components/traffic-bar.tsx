// A user's traffic as a bar with its figures; the plan's part and grants are separate.
import { useTranslation } from 'react-i18next';
import { useFormat } from '../format/use-format.tsx';
import classes from './traffic-bar.module.css';

export interface TrafficBarProps {
  /** Bytes of this period, both directions. */
  readonly used: number;
  /** Bytes per period; null: unlimited. */
  readonly limit: number | null;
  /** Bytes left in grants. */
  readonly extra?: number;
  /** `cell`: one line for a table; `record`: tall, with a legend. */
  readonly size?: 'cell' | 'record';
}

/** The part of the limit at which the bar warns. */
const NEARLY = 0.8;

export function TrafficBar({ used, limit, extra = 0, size = 'cell' }: TrafficBarProps) {
  const { t } = useTranslation('common');
  const format = useFormat();
  if (limit === null) {
    return (
      <span className={classes.root} data-size={size} title={format.exactBytes(used)}>
        <span className={classes.figures}>
          <span>{format.bytes(used)}</span>
          <span className={classes.limit}>{t('unlimited')}</span>
        </span>
      </span>
    );
  }
  const whole = limit + extra;
  const fromPlan = Math.min(used, limit);
  const isOut = used >= limit && extra === 0;
  const tone = isOut ? 'out' : used >= limit * NEARLY && extra === 0 ? 'nearly' : undefined;
  const figures = t('traffic.of', { used: format.bytes(used), limit: format.bytes(limit) });
  return (
    <span className={classes.root} data-size={size} title={`${format.exactBytes(used)} / ${format.exactBytes(limit)}`}>
      <span className={classes.figures}>
        <span>
          {format.bytes(used)} <span className={classes.limit}>/ {format.bytes(limit)}</span>
        </span>
        {extra > 0 && (
          <span className={classes.extra}>
            {size === 'cell' ? `+${format.bytes(extra)}` : t('traffic.extra', { amount: format.bytes(extra) })}
          </span>
        )}
      </span>
      <span className={classes.track} role="img" aria-label={figures}>
        {used > 0 && (
          <span className={classes.fill} data-tone={tone} style={{ width: `${(fromPlan / whole) * 100}%` }} />
        )}
        {extra > 0 && (
          <>
            <span className={classes.rest} style={{ width: `${((limit - fromPlan) / whole) * 100}%` }} />
            <span className={classes.grants} style={{ width: `${(extra / whole) * 100}%` }} />
          </>
        )}
      </span>
    </span>
  );
}
