// Kills the real panel with SIGKILL again and again: four times of five while it is written to, else while a backup is restored.
import type { Tally } from './panel-lanes.ts';
import { killRestoring } from './restoring.ts';
import { createRandom } from './target.ts';
import { killWriting } from './writing.ts';

export interface TortureOptions {
  readonly kills: number;
  /** Makes the moments of the kills. */
  readonly seed: number;
  readonly log?: (line: string) => void;
}

export interface TortureReport {
  /** What was done, by its name: acts acknowledged, those that a kill met, and of these, those that had taken effect. */
  readonly tallies: ReadonlyMap<string, Readonly<Tally>>;
  readonly total: Readonly<Tally>;
  readonly ms: number;
}

const RESTORES_EVERY = 5;

export async function torture({ kills, seed, log = () => {} }: TortureOptions): Promise<TortureReport> {
  const began = performance.now();
  const random = createRandom(seed);
  const restoring = Math.floor(kills / RESTORES_EVERY);
  const tallies = new Map([
    ...(await killWriting({ kills: kills - restoring, random, log })),
    ...(restoring > 0 ? await killRestoring({ kills: restoring, random, log }) : []),
  ]);
  const total = { acknowledged: 0, interrupted: 0, completed: 0 };
  for (const { acknowledged, interrupted, completed } of tallies.values()) {
    total.acknowledged += acknowledged;
    total.interrupted += interrupted;
    total.completed += completed;
  }
  return { tallies, total, ms: performance.now() - began };
}
