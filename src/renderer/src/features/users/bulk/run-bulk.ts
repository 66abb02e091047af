// Runs a bulk action in calls of bounded length, so that it has progress and can be paused, with one entry in the audit log.
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

/** The chosen action, and the users who were selected then. */
export interface BulkJob {
  readonly action: BulkAction;
  readonly target: BulkTarget;
  readonly count: number;
}

/** The input of the operation. */
export type BulkInput = CallOf<typeof bulkUsers>;

/** Changes the users after the id `after`. Repeating it after a failure must not change anything twice. */
export type SendBulk = (bulk: BulkInput, after: number) => Promise<Output<'bulkBatch'>>;

export type BulkLine = BulkResult['results'][number];

export interface BulkProgress {
  readonly done: number;
  readonly total: number;
}

/** How far a bulk action has come, and its results. */
export interface BulkEnd {
  /** Number of changed users. */
  readonly affected: number;
  /** Failures first; at most 10,000. */
  readonly lines: readonly BulkLine[];
  /** The id of the last processed user. */
  readonly position: number;
  /** Number of users that were not processed, after a pause or a failure. */
  readonly left: number;
  /** The id of the audit entry; null: unknown, or the action cannot be undone. */
  readonly entry: number | null;
  readonly failure: PanelCallError | null;
}

/** Values of the fields, with the contract's names. Each action uses its own. */
export interface BulkValues extends Record<string, unknown>, GrantValues {
  term: Duration | null;
  /** Empty: none is chosen. */
  tariff_id: string;
  tags: string[];
  /** null: all connections. */
  inbounds: number[] | null;
  from_inbounds: number[];
}

/** An action with its members of the request. */
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

/** The request for all matching users; the panel refuses it if their number has changed since the dry run. */
export function buildBatch(act: BulkAct, target: BulkTarget, { matched }: BulkResult): BulkInput {
  return { ...buildInput(act, target), ...('filter' in target && { expect_matched: matched }) };
}

const NOTHING: BulkEnd = { affected: 0, lines: [], position: 0, left: 0, entry: null, failure: null };

/** Processes all users, or those that an earlier run has left. `signal` pauses it between two calls. */
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

/** Whether the panel refused the whole action, so that nothing was changed. After a lost reply that is unknown. */
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

// The counts of a dry run: how many users would change, how many would not, and why.

/** Reasons with texts of their own. `validation` is an end of a term, or an amount of a grant, that is out of bounds. */
const REASONS = ['term_unlimited', 'not_found', 'too_many_tags', 'validation'] as const;
export type Reason = (typeof REASONS)[number] | 'too_much' | 'other';

/** Whether it is a failure. A user without an end of term cannot be extended, and stays unchanged without a failure. */
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

/** If the reply has more results than it lists, reasons are counted among the listed ones, of which failures come first. */
export function computeForecast({ action, matched, affected, results }: BulkResult): Forecast {
  const counts = new Map<Reason, number>();
  for (const { outcome, detail } of results) {
    if (outcome !== 'failed') continue;
    const reason = toReason(detail, action);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const failed = [...counts].map(([reason, count]) => ({ reason, count }));
  // Deleted users are not among the matched ones.
  const tried = failed.reduce((sum, { reason, count }) => sum + (reason === 'not_found' ? 0 : count), 0);
  return { changed: affected, unchanged: Math.max(0, matched - affected - tried), failed };
}
