// Draws a chart over time on a canvas, with a tooltip of the values under the pointer. Loaded when a chart is shown.
import 'uplot/dist/uPlot.min.css';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import uPlot from 'uplot';
import { HOUR_MS } from '../../../../domain/limits.ts';
import { useFormat } from '../../format/use-format.tsx';
import { useScheme } from '../../theme/use-scheme.ts';
import classes from './chart.module.css';
import { plotOptions } from './plot-options.ts';
import { type ChartData, type Measure, stack } from './series.ts';

export interface TimeChartProps extends ChartData {
  /** Accessible name: what the chart shows. */
  readonly label: string;
  /** px */
  readonly height: number;
  readonly measure: Measure;
}

export function TimeChart({ label, height, moments, step, series, measure }: TimeChartProps) {
  const { t } = useTranslation('frame');
  const format = useFormat();
  const scheme = useScheme();
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [at, setAt] = useState<{ readonly index: number; readonly left: number } | null>(null);

  const data = useMemo<uPlot.AlignedData>(() => {
    // The largest sums are drawn first, the others over them.
    return [moments.map((moment) => moment / 1000), ...stack(series, moments.length).toReversed()];
  }, [moments, series]);
  const shape = series.map(({ id, color }) => `${id}:${color}`).join(' ');

  // biome-ignore lint/correctness/useExhaustiveDependencies: data that changes is set below; only another shape makes another plot.
  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const colors = series.map(({ color }) => color).toReversed();
    const onIndex = (chart: uPlot, index: number | null) => {
      const x = index === null ? undefined : chart.data[0][index];
      setAt(index === null || x === undefined ? null : { index, left: chart.valToPos(x, 'x') + chart.over.offsetLeft });
    };
    const options = plotOptions({ width: element.clientWidth, height, step, colors, format, measure, onIndex });
    const chart = new uPlot(options, data, element);
    plot.current = chart;
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
      plot.current = null;
    };
  }, [shape, step, height, format, measure, scheme]);

  useEffect(() => {
    if (plot.current !== null && plot.current.data !== data) plot.current.setData(data);
  }, [data]);

  const show = (index: number) => {
    const chart = plot.current;
    const x = chart?.data[0][index];
    if (chart && x !== undefined) setAt({ index, left: chart.valToPos(x, 'x') + chart.over.offsetLeft });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const last = moments.length - 1;
    const now = at?.index ?? last;
    const next = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    show(Math.min(Math.max(next, 0), last));
  };
  const index = at?.index ?? moments.length - 1;
  const moment = moments[index];
  return (
    <div
      className={classes.chart}
      role="slider"
      tabIndex={0}
      aria-label={t('chart.label', { what: label })}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, moments.length - 1)}
      aria-valuenow={Math.max(0, index)}
      aria-valuetext={
        moment === undefined
          ? t('chart.nothing')
          : `${format.moment(moment, step === 'hour' ? 'dateTime' : 'date')}: ${series
              .map(({ label: name, values }) => `${name} ${measure.text(values[index] ?? 0)}`)
              .join(', ')}`
      }
      onKeyDown={onKeyDown}
      onBlur={() => setAt(null)}
    >
      <div ref={container} style={{ height }} />
      {at !== null && (
        <ChartTip
          at={at}
          moments={moments}
          step={step}
          series={series}
          measure={measure}
          width={container.current?.clientWidth ?? 0}
        />
      )}
    </div>
  );
}

// The tooltip: time and the value of each series under the pointer.

interface ChartTipProps extends ChartData {
  readonly at: { readonly index: number; readonly left: number };
  readonly measure: Measure;
  /** Width of the chart, px. */
  readonly width: number;
}

const WIDTH = 208;

export function ChartTip({ at, width, moments, step, series, measure }: ChartTipProps) {
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
            <span>{measure.text(values[index] ?? 0)}</span>
          </div>
        ))}
        {series.length > 1 && (
          <div className={classes.value} data-total>
            <span className={classes.name}>{t('common:traffic.total')}</span>
            <span>{measure.text(total)}</span>
          </div>
        )}
      </div>
    </>
  );
}
