// Options of uPlot for the panel's charts: stacked bars of whole steps, a light grid, axes in the panel's time zone and units.
import uPlot from 'uplot';
import type { Format } from '../../format/format.ts';
import { type Measure, NOTHING, type SeriesColor, stepsTo } from './series.ts';

interface PlotParts {
  readonly width: number;
  readonly height: number;
  readonly step: 'hour' | 'day';
  /** In the order of the data: the top of the stack first. */
  readonly colors: readonly SeriesColor[];
  readonly format: Format;
  readonly measure: Measure;
  onIndex(plot: uPlot, index: number | null): void;
}

const HOUR_S = 3600;
const DAY_S = 86_400;
const AXIS_FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
const NARROW_PX = 480;
/** Space after the last bar, so that a date at its middle is not cut off. */
const LAST_LABEL_PX = 28;

export function plotOptions({ width, height, step, colors, format, measure, onIndex }: PlotParts): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const half = (step === 'hour' ? HOUR_S : DAY_S) / 2;
  const axis = { font: AXIS_FONT, stroke: color('--g-ink-3'), ticks: { show: false } };
  // uPlot scales the radius by the pixel ratio: two pixels look round on every screen.
  const bars = uPlot.paths.bars?.({ size: [0.64, 28], radius: [0.12, 0], gap: 0 });
  return {
    width,
    height,
    padding: [12, LAST_LABEL_PX, 0, 0],
    legend: { show: false },
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), format.timeZone),
    cursor: {
      y: false,
      x: false,
      points: { show: false },
      drag: { x: false, y: false },
    },
    scales: {
      x: { time: true, range: (_plot, min, max) => [min - half, max + half] },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : NOTHING] },
    },
    axes: [
      {
        ...axis,
        size: 28,
        gap: 8,
        grid: { show: false },
        space: 64,
        incrs: [3, 6, 12, 24, 48, 96, 168].map((hours) => hours * HOUR_S),
        values: (_plot, splits) => splits.map((at) => formatTick(at * 1000, splits, format)),
      },
      {
        ...axis,
        size: width < NARROW_PX ? 52 : 60,
        gap: 8,
        space: 44,
        incrs: measure.steps,
        grid: { stroke: color('--g-line'), width: 1 },
        splits: (_plot, _axis, _min, max, step) => stepsTo(max, step),
        values: (_plot, splits) => measure.axis(splits),
      },
    ],
    series: [
      {},
      ...colors.map((index) => {
        const fill = color(`--g-series-${index}`);
        return { fill, stroke: fill, width: 0, points: { show: false }, ...(bars && { paths: bars }) };
      }),
    ],
    hooks: { setCursor: [(plot) => onIndex(plot, plot.cursor.idx ?? null)] },
  };
}

/** Days show their date, hours the time; midnight shows the date of the new day. */
function formatTick(at: number, splits: readonly number[], format: Format): string {
  const [first = 0, second = first + DAY_S] = splits;
  if (second - first >= DAY_S) return format.moment(at, 'day');
  const time = format.moment(at, 'time');
  return time === '00:00' ? format.moment(at, 'day') : time;
}
