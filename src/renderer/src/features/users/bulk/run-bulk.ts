// A bulk act on the way: users that are known by their ids are changed in portions, so that there is progress and a way to stop; more of
// them than a reply can name are changed in one step.
import { type Client, PanelCallError } from '../../../../../contract/client.ts';
import { type BulkResult, MAX_BULK_IDS } from '../../../../../contract/user-acts.ts';
import type { Duration } from '../../../../../domain/term.ts';
import type { Filter } from '../filter.ts';

/** The actions that the selection offers, in the order of their buttons. */
export const OFFERED_ACTIONS = ['extend', 'reset', 'disable', 'enable', 'delete'] as const;
export type OfferedAction = (typeof OFFERED_ACTIONS)[number];

export type BulkTarget = { readonly ids: readonly number[] } | { readonly filter: Filter | { readonly all: true } };

/** The request as it was when the act was chosen. */
export interface BulkJob {
  readonly action: OfferedAction;
  readonly target: BulkTarget;
  readonly count: number;
}

export type BulkLine = BulkResult['results'][number];

export interface BulkProgress {
  readonly done: number;
  /** null: one step, whose progress is unknown. */
  readonly total: number | null;
}

export interface BulkEnd {
  /** How many changed. */
  readonly affected: number;
  /** Failures first; at most 10,000. */
  readonly lines: readonly BulkLine[];
  /** Ids that were not tried, after a stop or a failure. */
  readonly rest: readonly number[];
  readonly failure: PanelCallError | null;
}

const PORTION = 500;

/** The input of the operation. */
export function inputOf(action: OfferedAction, target: BulkTarget, term: Duration | null) {
  const to = 'ids' in target ? { ids: [...target.ids] } : { filter: target.filter };
  return { action, ...to, ...(action === 'extend' && term) };
}

/** The ids that would change by a dry run; null where it cannot name all of them. */
export function changing({ matched, results }: BulkResult): readonly number[] | null {
  return matched > MAX_BULK_IDS ? null : results.filter(isChanged).map(({ id }) => id);
}

function isChanged({ outcome }: BulkLine): boolean {
  return outcome === 'changed';
}

/** Changes all users that the dry run named, or, where there are too many, all that match, if their number is still the same. */
export async function runBulk(
  client: Client,
  { action, target }: BulkJob,
  term: Duration | null,
  dry: BulkResult,
  onProgress: (progress: BulkProgress) => void,
  signal: AbortSignal,
): Promise<BulkEnd> {
  const ids = changing(dry);
  if (ids !== null) {
    const others = dry.results.filter((line) => !isChanged(line));
    const end = await inPortions(client, action, ids, term, onProgress, signal);
    return { ...end, lines: [...end.lines, ...others].sort(failuresFirst) };
  }
  onProgress({ done: 0, total: null });
  try {
    const input = { ...inputOf(action, target, term), expect_matched: dry.matched };
    const { affected, results } = await client.bulkUsers(input);
    return { affected, lines: results, rest: [], failure: null };
  } catch (failure) {
    return { affected: 0, lines: [], rest: [], failure: known(failure) };
  }
}

/** The same act on these ids alone; also for going on with the rest. */
export async function inPortions(
  client: Client,
  action: OfferedAction,
  ids: readonly number[],
  term: Duration | null,
  onProgress: (progress: BulkProgress) => void,
  signal: AbortSignal,
): Promise<BulkEnd> {
  const lines: BulkLine[] = [];
  let affected = 0;
  let at = 0;
  for (; at < ids.length && !signal.aborted; at += PORTION) {
    onProgress({ done: at, total: ids.length });
    try {
      const portion = ids.slice(at, at + PORTION);
      const result = await client.bulkUsers(inputOf(action, { ids: portion }, term));
      affected += result.affected;
      lines.push(...result.results);
    } catch (failure) {
      return { affected, lines, rest: ids.slice(at), failure: known(failure) };
    }
  }
  onProgress({ done: Math.min(at, ids.length), total: ids.length });
  return { affected, lines, rest: ids.slice(at), failure: null };
}

function known(failure: unknown): PanelCallError {
  if (failure instanceof PanelCallError) return failure;
  throw failure;
}

const ORDER = { failed: 0, changed: 1, unchanged: 2 } as const;

function failuresFirst(a: BulkLine, b: BulkLine): number {
  return ORDER[a.outcome] - ORDER[b.outcome] || a.id - b.id;
}

// What a dry run found, counted: how many would change, how many would not, and why.

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
  // A deleted user was not matched.
  const tried = failed.reduce((sum, { reason, count }) => sum + (reason === 'not_found' ? 0 : count), 0);
  return { changed: affected, unchanged: Math.max(0, matched - affected - tried), failed };
}
