// The data of a chart over time, and its sums and scales.
import { formatMoney } from '../../../../domain/sales/money.ts';
import { languageEntry } from '../../../../i18n/languages.ts';
import { computePower } from '../../format/bytes.ts';
import type { Format } from '../../format/format.ts';
import type { Units } from '../../state/view.ts';

/** A colour of tokens.css: 1 to 8, or a lighter variant of the first. */
export type SeriesColor = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 'soft';

export interface ChartSeries {
  readonly id: string;
  readonly label: string;
  readonly color: SeriesColor;
  /** Bytes, or minor units of money, of each step; as many as `moments`. */
  readonly values: readonly number[];
}

export interface ChartData {
  /** The beginning of each step, epoch milliseconds, ascending. */
  readonly moments: readonly number[];
  readonly step: 'hour' | 'day';
  /** Stacked, the first at the bottom. */
  readonly series: readonly ChartSeries[];
}

/** Traffic over time as the panel reports it. */
interface Report {
  readonly step: 'hour' | 'day';
  readonly points: readonly { readonly t: string; readonly up: number; readonly down: number }[];
}

/** The two series of a traffic report, named by `label`. */
export function buildTrafficChart({ points, step }: Report, label: (direction: 'down' | 'up') => string): ChartData {
  return {
    moments: points.map(({ t }) => Date.parse(t)),
    step,
    series: [
      { id: 'down', label: label('down'), color: 1, values: points.map(({ down }) => down) },
      { id: 'up', label: label('up'), color: 'soft', values: points.map(({ up }) => up) },
    ],
  };
}

/** The cumulated sums from the bottom up: the top edge of each series. */
export function stack(series: readonly ChartSeries[], length: number): number[][] {
  const sums: number[][] = [];
  let below: number[] = new Array<number>(length).fill(0);
  for (const { values } of series) {
    below = below.map((sum, index) => sum + (values[index] ?? 0));
    sums.push(below);
  }
  return sums;
}

export function sumValues({ values }: Pick<ChartSeries, 'values'>): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Formats amounts and chooses the distance of grid lines. */
export interface Measure {
  text(amount: number): string;
  /** Labels of an axis, all in the same unit. */
  axis(amounts: readonly number[]): string[];
  readonly steps: number[];
}

/** For traffic, or for money if a currency is given. */
export function createMeasure(
  format: Pick<Format, 'bytes' | 'units' | 'locale'>,
  currency: string | undefined,
): Measure {
  if (currency === undefined)
    return { text: format.bytes, axis: (amounts) => formatAmounts(amounts, format), steps: niceSteps(format.units) };
  const { tag } = languageEntry(format.locale);
  const text = (amount: number) => formatMoney({ amount, currency }, tag);
  const steps = Array.from({ length: 15 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();
  return { text, axis: (amounts) => amounts.map((amount) => (amount === 0 ? '0' : text(amount))), steps };
}

/** Distances of grid lines that are round numbers in the displayed units. */
export function niceSteps(units: Units): number[] {
  const base = units === 'decimal' ? 1000 : 1024;
  const within = units === 'decimal' ? [1, 2, 5, 10, 20, 50, 100, 200, 500] : [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
  return [0, 1, 2, 3, 4, 5].flatMap((power) => within.map((step) => step * base ** power));
}

/** The top of the axis of an empty chart. */
export const NOTHING = 1;

/** Positions of the grid lines up to a top, `step` apart. */
export function stepsTo(top: number, step: number): number[] {
  if (top <= NOTHING || step <= 0) return [0];
  return Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => index * step);
}

/** Bytes for an axis: all in the unit of the largest. */
export function formatAmounts(amounts: readonly number[], { bytes, units }: Pick<Format, 'bytes' | 'units'>): string[] {
  const power = computePower(Math.max(0, ...amounts), units);
  return amounts.map((amount) => (amount === 0 ? '0' : bytes(amount, power)));
}
