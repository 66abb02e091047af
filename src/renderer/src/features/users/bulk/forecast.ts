// What a dry run found, counted: how many would change, how many would not, and why.
import type { BulkResult } from '../../../../../contract/user-acts.ts';

/** Reasons that have words of their own. */
const REASONS = ['term_unlimited', 'not_found', 'validation'] as const;
export type Reason = (typeof REASONS)[number] | 'other';

export interface Forecast {
  readonly changed: number;
  readonly unchanged: number;
  readonly failed: readonly { readonly reason: Reason; readonly count: number }[];
}

/** The reason of a failure, by its error code. */
export function reasonOf(code: string | undefined): Reason {
  return REASONS.find((reason) => reason === code) ?? 'other';
}

/** Beyond what the reply can name, the counts of reasons are those of what it names: failures come first in it. */
export function forecastOf({ matched, affected, results }: BulkResult): Forecast {
  const counts = new Map<Reason, number>();
  for (const { outcome, detail } of results) {
    if (outcome === 'failed') counts.set(reasonOf(detail), (counts.get(reasonOf(detail)) ?? 0) + 1);
  }
  const failed = [...counts].map(([reason, count]) => ({ reason, count }));
  // Whoever is gone was not matched.
  const tried = failed.reduce((sum, { reason, count }) => sum + (reason === 'not_found' ? 0 : count), 0);
  return { changed: affected, unchanged: Math.max(0, matched - affected - tried), failed };
}
