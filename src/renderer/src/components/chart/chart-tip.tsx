// What stands under the pointer of a chart: when, and how much of each series.
import { useTranslation } from 'react-i18next';
import { HOUR_MS } from '../../../../domain/limits.ts';
import { useFormat } from '../../format/use-format.tsx';
import classes from './chart.module.css';
import type { ChartData } from './series.ts';

interface ChartTipProps extends ChartData {
  readonly at: { readonly index: number; readonly left: number };
  /** Of the chart, px. */
  readonly width: number;
}

const WIDTH = 208;

export function ChartTip({ at, width, moments, step, series }: ChartTipProps) {
  const { t } = useTranslation(['frame', 'common']);
  const format = useFormat();
  const { index, left } = at;
  const moment = moments[index];
  if (moment === undefined) return null;
  const isLast = index === moments.length - 1;
  const day = format.moment(moment, 'weekday');
  const when =
    step === 'day' ? day : `${day}, ${format.moment(moment, 'time')}–${format.moment(moment + HOUR_MS, 'time')}`;
  const total = series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
  const isRight = left + WIDTH + 24 > width;
  return (
    <>
      <span className={classes.line} style={{ left }} />
      <div className={classes.tip} style={{ left: isRight ? Math.max(0, left - WIDTH - 12) : left + 12, width: WIDTH }}>
        <div className={classes.when}>
          {when}
          {isLast && <span className={classes.partial}>{t('frame:chart.partial')}</span>}
        </div>
        {series.toReversed().map(({ id, label, color, values }) => (
          <div key={id} className={classes.value}>
            <span className={classes.swatch} data-color={color} />
            <span className={classes.name}>{label}</span>
            <span>{format.bytes(values[index] ?? 0)}</span>
          </div>
        ))}
        {series.length > 1 && (
          <div className={classes.value} data-total>
            <span className={classes.name}>{t('common:traffic.total')}</span>
            <span>{format.bytes(total)}</span>
          </div>
        )}
      </div>
    </>
  );
}
