// The kill itself: the load goes on without a pause, and at a random moment the panel is killed.
import { setTimeout as wait } from 'node:timers/promises';
import { isCutOff, type Target } from './target.ts';

/** When it comes: after so many acts were acknowledged, however slow the machine is, and then this long (ms). */
export interface Moment {
  readonly acts: number;
  readonly delay: number;
}

/** A moment within these bounds. `random`: from 0 to below 1. */
export function momentWithin(random: () => number, maxActs: number, longest: number, leastActs = 0): Moment {
  const acts = leastActs + Math.floor(random() * (maxActs - leastActs + 1));
  return { acts, delay: Math.floor(random() * longest) };
}

export function describeMoment({ acts, delay }: Moment): string {
  return `${acts} acts and ${delay} ms`;
}

/**
 * Does each of `acts` again and again, all beside each other, until the panel is killed under them. An act resolves when it was
 * acknowledged, with false where there is nothing left to do. Those `besides` do not count towards the moment.
 */
export async function killDuring(
  target: Target,
  acts: readonly (() => Promise<boolean>)[],
  { acts: enough, delay }: Moment,
  besides: readonly (() => Promise<boolean>)[] = [],
): Promise<void> {
  const reached = Promise.withResolvers<void>();
  let isKilled = false;
  let done = 0;
  if (enough === 0) reached.resolve();
  const going = [...acts, ...besides].map(async (act, index) => {
    try {
      while (!isKilled && (await act())) {
        if (index < acts.length) done += 1;
        if (done >= enough) reached.resolve();
      }
    } catch (error) {
      if (!(isKilled && isCutOff(error))) throw error;
    }
  });
  const all = Promise.all(going);
  // An act that fails before the kill fails the torture at once.
  await Promise.race([reached.promise.then(() => wait(delay)), all]);
  isKilled = true;
  await target.kill();
  await all;
}
