// Paired rounds: both sides of a comparison take turns within seconds of each other, so that what else the machine does hits both.
import type { Child } from './child.ts';
import { median } from './statistics.ts';
import type { Load } from './target.ts';
import { readCpu } from './usage.ts';

/** One side: who serves, and the load that is put on it. */
export interface Side {
  readonly server: Child;
  run(): Promise<Load>;
}

export interface Sample extends Load {
  /** CPU of the serving process for one request, ms. */
  readonly cpu: number;
}

export interface Pair {
  readonly ours: Sample;
  readonly other: Sample;
}

async function sample({ server, run }: Side): Promise<Sample> {
  const before = await readCpu(server);
  const load = await run();
  return { ...load, cpu: ((await readCpu(server)) - before) / load.requests };
}

/** The rounds that count, after `warm` that do not; who begins changes from round to round. */
export async function pairedRounds(ours: Side, other: Side, rounds: number, warm = 2): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let round = 0; round < warm + rounds; round += 1) {
    const isOursFirst = round % 2 === 0;
    const first = await sample(isOursFirst ? ours : other);
    const second = await sample(isOursFirst ? other : ours);
    if (round >= warm) pairs.push(isOursFirst ? { ours: first, other: second } : { ours: second, other: first });
  }
  return pairs;
}

export interface Ratio {
  readonly value: number;
  readonly range: readonly [number, number];
  /** Medians of what was compared. */
  readonly ours: number;
  readonly other: number;
}

/** The median of the rounds' ratios of `pickValue`: other to ours (how close we come), or ours to other (how much we grow). */
export function computeRatio(pairs: readonly Pair[], pickValue: (sample: Sample) => number, isOursOver = false): Ratio {
  const ratios = pairs.map(({ ours, other }) => {
    const ratio = pickValue(other) / pickValue(ours);
    return isOursOver ? 1 / ratio : ratio;
  });
  return {
    value: median(ratios),
    range: [Math.min(...ratios), Math.max(...ratios)],
    ours: median(pairs.map(({ ours }) => pickValue(ours))),
    other: median(pairs.map(({ other }) => pickValue(other))),
  };
}

export const cpu = ({ cpu }: Sample): number => cpu;
export const p50 = ({ p50 }: Sample): number => p50;
export const p99 = ({ p99 }: Sample): number => p99;

/** A time as a table shows it. */
export function time(ms: number): string {
  if (ms < 1) return `${(ms * 1000).toFixed(ms < 0.1 ? 1 : 0)} us`;
  return ms < 1000 ? `${ms.toFixed(ms < 10 ? 2 : 0)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
