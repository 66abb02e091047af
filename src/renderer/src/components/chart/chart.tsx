// A chart over time with its legend. The drawing itself is loaded when the first chart is shown.
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../format/use-format.tsx';
import classes from './chart.module.css';
import { type ChartData, createMeasure, sumValues } from './series.ts';

export interface ChartProps extends ChartData {
  /** Accessible name: what the chart shows. */
  readonly label: string;
  /** Height of the drawing, px. */
  readonly height?: number;
  /** Shows each series with its sum and a toggle; default: if there are several. */
  readonly hasLegend?: boolean;
  /** The values are money in minor units of this currency; left out: bytes. */
  readonly currency?: string | undefined;
}

const load = () => import('./time-chart.tsx').then(({ TimeChart }) => ({ default: TimeChart }));
const TimeChart = lazy(load);

export function Chart(props: ChartProps) {
  const { label, height = 240, moments, step, series, hasLegend = series.length > 1, currency } = props;
  const { t } = useTranslation('frame');
  const format = useFormat();
  const measure = useMemo(() => createMeasure(format, currency), [format, currency]);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(() => series.filter(({ id }) => !hidden.has(id)), [series, hidden]);
  const isEmpty = series.every((one) => sumValues(one) === 0);
  const toggle = (id: string) => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    // The last one stays: an empty chart shows nothing.
    setHidden(next.size === series.length ? new Set() : next);
  };
  return (
    <div>
      <div className={classes.holder} style={{ height }}>
        <Suspense fallback={<div style={{ height }} />}>
          <TimeChart label={label} height={height} moments={moments} step={step} series={shown} measure={measure} />
        </Suspense>
        {isEmpty && <p className={classes.nothing}>{t('chart.nothing')}</p>}
      </div>
      {hasLegend && (
        <ul className={classes.legend}>
          {series.map((one) => (
            <li key={one.id}>
              <button
                type="button"
                className={classes.toggle}
                aria-pressed={!hidden.has(one.id)}
                onClick={() => toggle(one.id)}
              >
                <span className={classes.swatch} data-color={one.color} />
                {one.label}
                <span className={classes.sum}>{measure.text(sumValues(one))}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <p className={classes.zone}>{t('chart.zone', { zone: format.timeZone })}</p>
    </div>
  );
}
