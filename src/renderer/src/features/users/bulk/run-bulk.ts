// A bulk act on the way: in calls of bounded length, so that there is progress and a way to pause, and one entry in the audit log.
import { PanelCallError } from '../../../../../contract/client.ts';
import type { CallOf } from '../../../../../contract/operation.ts';
import type { Output } from '../../../../../contract/table.ts';
import {
  type BulkAction,
  type BulkResult,
  type bulkUsers,
  MAX_BULK_IDS,
} from '../../../../../contract/users/user-acts.ts';
import type { Duration } from '../../../../../domain/users/term.ts';
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
export type BulkInput = CallOf<typeof bulkUsers>;

/** Acts on the users behind `after`. Sent once more after a failure, it must not act twice. */
export type SendBulk = (bulk: BulkInput, after: number) => Promise<Output<'bulkBatch'>>;

export type BulkLine = BulkResult['results'][number];

export interface BulkProgress {
  readonly done: number;
  readonly total: number;
}

/** How far a bulk act came, and what came of it. */
export interface BulkEnd {
  /** How many changed. */
  readonly affected: number;
  /** Failures first; at most 10,000. */
  readonly lines: readonly BulkLine[];
  /** The id of the last user who was acted on. */
  readonly position: number;
  /** How many were not tried, after a pause or a failure. */
  readonly left: number;
  /** The id of the entry in the audit log; null: none was told, or it cannot be undone. */
  readonly entry: number | null;
  readonly failure: PanelCallError | null;
}

/** What the fields hold. An action uses its own; they are named as the contract names its members. */
export interface BulkValues extends Record<string, unknown>, GrantValues {
  term: Duration | null;
  /** Empty: none is chosen. */
  tariff_id: string;
  tags: string[];
  /** null: all connections. */
  inbounds: number[] | null;
  from_inbounds: number[];
}

/** An action with the members that go with it. */
export type BulkAct = Pick<
  BulkInput,
  'action' | 'days' | 'months' | 'bytes' | 'lifetime' | 'note' | 'tariff_id' | 'tags' | 'inbounds' | 'from_inbounds'
>;

/** Leaves out what is empty, so that the contract reports it as missing. */
export function buildAct(action: BulkAction, values: BulkValues): BulkAct {
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
    case 'move_inbounds': {
      const { from_inbounds, inbounds } = values;
      return { action, ...(from_inbounds.length > 0 && { from_inbounds }), ...(inbounds !== null && { inbounds }) };
    }
    case 'reset':
    case 'disable':
    case 'enable':
    case 'delete':
      return { action };
  }
}

/** The input of the operation. */
export function buildInput(act: BulkAct, target: BulkTarget) {
  return { ...act, ...('ids' in target ? { ids: [...target.ids] } : { filter: target.filter }) };
}

/** What is sent: all who match, if they are still as many as the dry run found. */
export function buildBatch(act: BulkAct, target: BulkTarget, { matched }: BulkResult): BulkInput {
  return { ...buildInput(act, target), ...('filter' in target && { expect_matched: matched }) };
}

const NOTHING: BulkEnd = { affected: 0, lines: [], position: 0, left: 0, entry: null, failure: null };

/** Acts on all, or, where an earlier run ended before, on the rest. `signal` pauses it between two calls. */
export async function runBulk(
  send: SendBulk,
  bulk: BulkInput,
  total: number,
  onProgress: (progress: BulkProgress) => void,
  signal: AbortSignal,
  previous: BulkEnd = { ...NOTHING, left: total },
): Promise<BulkEnd> {
  let end: BulkEnd = { ...previous, failure: null };
  const lines = [...previous.lines];
  while (end.left > 0 && !signal.aborted) {
    onProgress({ done: Math.max(0, total - end.left), total });
    try {
      const { audit_id, affected, results, position, left } = await send(bulk, end.position);
      if (lines.length < MAX_BULK_IDS) lines.push(...results);
      const entry = bulk.action === 'delete' ? null : audit_id;
      end = { ...end, affected: end.affected + affected, position, left, entry };
    } catch (failure) {
      end = { ...end, failure: toCallError(failure) };
      break;
    }
  }
  return { ...end, lines: lines.sort(failuresFirst).slice(0, MAX_BULK_IDS) };
}

/** Nothing was done: the panel has refused the act itself. After a lost reply that is unknown. */
export function isRefused({ entry, affected, position, failure }: BulkEnd): boolean {
  return failure !== null && failure.problem.status < 500 && entry === null && affected === 0 && position === 0;
}

function toCallError(failure: unknown): PanelCallError {
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
export function toReason(code: string | undefined, action: BulkAction): Reason {
  if (code === 'validation' && action === 'grant') return 'too_much';
  return REASONS.find((reason) => reason === code) ?? 'other';
}

/** Beyond what the reply can name, the counts of reasons are those of what it names: failures come first in it. */
export function computeForecast({ action, matched, affected, results }: BulkResult): Forecast {
  const counts = new Map<Reason, number>();
  for (const { outcome, detail } of results) {
    if (outcome !== 'failed') continue;
    const reason = toReason(detail, action);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const failed = [...counts].map(([reason, count]) => ({ reason, count }));
  // A deleted user was not matched.
  const tried = failed.reduce((sum, { reason, count }) => sum + (reason === 'not_found' ? 0 : count), 0);
  return { changed: affected, unchanged: Math.max(0, matched - affected - tried), failed };
}
