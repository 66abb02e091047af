// A bulk act on the way: users that are known by their ids are changed in portions, so that there is progress and a way to stop; more of
// them than a reply can name are changed in one step.
import { type Client, PanelCallError } from '../../../../../contract/client.ts';
import type { CallOf } from '../../../../../contract/operation.ts';
import { type BulkAction, type BulkResult, type bulkUsers, MAX_BULK_IDS } from '../../../../../contract/user-acts.ts';
import type { Duration } from '../../../../../domain/term.ts';
import type { Filter } from '../filter.ts';
import { type GrantValues, grantMembers } from '../grant-values.ts';

export type BulkTarget = { readonly ids: readonly number[] } | { readonly filter: Filter | { readonly all: true } };

/** What was chosen, and the users who were selected then. */
export interface BulkJob {
  readonly action: BulkAction;
  readonly target: BulkTarget;
  readonly count: number;
}

/** The input of the operation. */
type BulkInput = CallOf<typeof bulkUsers>;

/** Sends one part of a bulk act. Sent once more with the same input after a failure, it must not act twice. */
export type SendBulk = (input: BulkInput) => Promise<BulkResult>;

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
  /** The ids of the entries in the audit log. */
  readonly entries: readonly number[];
  readonly failure: PanelCallError | null;
}

const PORTION = 500;

/** What the fields hold. An action uses its own; they are named as the contract names its members. */
export interface BulkValues extends Record<string, unknown>, GrantValues {
  term: Duration | null;
  /** Empty: none is chosen. */
  tariff_id: string;
  tags: string[];
  /** null: all connections. */
  inbounds: number[] | null;
}

/** An action with the members that go with it. */
export type BulkAct = Pick<
  BulkInput,
  'action' | 'days' | 'months' | 'bytes' | 'lifetime' | 'note' | 'tariff_id' | 'tags' | 'inbounds'
>;

/** Leaves out what is empty, so that the contract reports it as missing. */
export function actOf(action: BulkAction, values: BulkValues): BulkAct {
  switch (action) {
    case 'extend':
      return { action, ...values.term };
    case 'grant':
      return { action, ...grantMembers(values) };
    case 'set_tariff':
      return { action, ...(values.tariff_id !== '' && { tariff_id: Number(values.tariff_id) }) };
    case 'add_tags':
    case 'remove_tags':
      return { action, ...(values.tags.length > 0 && { tags: values.tags }) };
    case 'set_inbounds':
      return { action, inbounds: values.inbounds };
    default:
      return { action };
  }
}

/** The input of the operation. */
export function inputOf(act: BulkAct, target: BulkTarget) {
  return { ...act, ...('ids' in target ? { ids: [...target.ids] } : { filter: target.filter }) };
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
  send: SendBulk,
  act: BulkAct,
  target: BulkTarget,
  dry: BulkResult,
  onProgress: (progress: BulkProgress) => void,
  signal: AbortSignal,
): Promise<BulkEnd> {
  const ids = changing(dry);
  if (ids !== null) {
    const others = dry.results.filter((line) => !isChanged(line));
    const end = await inPortions(send, act, ids, onProgress, signal);
    return { ...end, lines: [...end.lines, ...others].sort(failuresFirst) };
  }
  onProgress({ done: 0, total: null });
  try {
    const input = { ...inputOf(act, target), expect_matched: dry.matched };
    const result = await send(input);
    return { affected: result.affected, lines: result.results, rest: [], entries: entriesOf(result), failure: null };
  } catch (failure) {
    return { affected: 0, lines: [], rest: [], entries: [], failure: known(failure) };
  }
}

/** The same act on these ids alone; also for going on with the rest. */
export async function inPortions(
  send: SendBulk,
  act: BulkAct,
  ids: readonly number[],
  onProgress: (progress: BulkProgress) => void,
  signal: AbortSignal,
): Promise<BulkEnd> {
  const lines: BulkLine[] = [];
  const entries: number[] = [];
  let affected = 0;
  let at = 0;
  for (; at < ids.length && !signal.aborted; at += PORTION) {
    onProgress({ done: at, total: ids.length });
    try {
      const portion = ids.slice(at, at + PORTION);
      const result = await send(inputOf(act, { ids: portion }));
      affected += result.affected;
      lines.push(...result.results);
      entries.push(...entriesOf(result));
    } catch (failure) {
      return { affected, lines, rest: ids.slice(at), entries, failure: known(failure) };
    }
  }
  onProgress({ done: Math.min(at, ids.length), total: ids.length });
  return { affected, lines, rest: ids.slice(at), entries, failure: null };
}

/** The entry of what can be undone. */
function entriesOf({ action, affected, audit_id: id }: BulkResult): readonly number[] {
  return action === 'delete' || affected === 0 || id === undefined ? [] : [id];
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

/** Reasons that have words of their own. A value beyond its bounds is an end of a term or, of a grant, an amount. */
const REASONS = ['term_unlimited', 'not_found', 'too_many_tags', 'validation'] as const;
export type Reason = (typeof REASONS)[number] | 'too_much' | 'other';

/** Whether it is a failure. Where a term never ends there is nothing to extend: the user simply stays. */
export function isRefusal(reason: Reason): boolean {
  return reason !== 'term_unlimited';
}

export interface Forecast {
  readonly changed: number;
  readonly unchanged: number;
  readonly failed: readonly { readonly reason: Reason; readonly count: number }[];
}

/** The reason of a failure, by its error code. */
export function reasonOf(code: string | undefined, action: BulkAction): Reason {
  if (code === 'validation' && action === 'grant') return 'too_much';
  return REASONS.find((reason) => reason === code) ?? 'other';
}

/** Beyond what the reply can name, the counts of reasons are those of what it names: failures come first in it. */
export function forecastOf({ action, matched, affected, results }: BulkResult): Forecast {
  const counts = new Map<Reason, number>();
  for (const { outcome, detail } of results) {
    if (outcome !== 'failed') continue;
    const reason = reasonOf(detail, action);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const failed = [...counts].map(([reason, count]) => ({ reason, count }));
  // A deleted user was not matched.
  const tried = failed.reduce((sum, { reason, count }) => sum + (reason === 'not_found' ? 0 : count), 0);
  return { changed: affected, unchanged: Math.max(0, matched - affected - tried), failed };
}

/**
 * Sends parts of bulk acts, each under an Idempotency-Key that is its own until it is answered: a part whose reply was lost and that
 * is sent once more has no second effect.
 */
export function createBulkSender({ bulkUsers }: Pick<Client, 'bulkUsers'>, newKey: () => string): SendBulk {
  const unanswered = new Map<string, string>();
  return async (input) => {
    const part = JSON.stringify(input);
    const idempotencyKey = unanswered.get(part) ?? newKey();
    unanswered.set(part, idempotencyKey);
    const result = await bulkUsers(input, { idempotencyKey });
    unanswered.delete(part);
    return result;
  };
}
