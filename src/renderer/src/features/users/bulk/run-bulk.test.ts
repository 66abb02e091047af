// Bulk acts in portions: no user is left out or tried twice, and after a stop or a failure the rest is known.
import { describe, expect, it } from 'vitest';
import { type Client, PanelCallError } from '../../../../../contract/client.ts';
import { problemOf } from '../../../../../contract/errors.ts';
import type { BulkResult } from '../../../../../contract/user-acts.ts';
import { type BulkProgress, changing, forecastOf, inPortions, inputOf, runBulk } from './run-bulk.ts';

type Call = { readonly ids?: number[]; readonly expect_matched?: number };

/** A client that changes every user; the call of a given number fails. */
function clientOf(calls: Call[], failAt = -1): Client {
  const bulkUsers = async (input: Call): Promise<BulkResult> => {
    calls.push(input);
    if (calls.length === failAt) throw new PanelCallError(problemOf('storage_full', 'none'));
    const results = (input.ids ?? []).map((id) => ({ id, outcome: 'changed' as const }));
    return { action: 'disable', dry_run: false, matched: results.length, affected: results.length, results };
  };
  return { bulkUsers } as unknown as Client;
}

const ids = Array.from({ length: 1201 }, (_, index) => index + 1);
const nothing = () => undefined;
const never = new AbortController().signal;

describe('portions', () => {
  it('try everyone once, in order', async () => {
    const calls: Call[] = [];
    const end = await inPortions(clientOf(calls), 'disable', ids, null, nothing, never);
    expect(calls.map((call) => call.ids?.length)).toEqual([500, 500, 201]);
    expect(calls.flatMap((call) => call.ids ?? [])).toEqual(ids);
    expect(end).toMatchObject({ affected: 1201, rest: [], failure: null });
  });

  it('report their progress from start to end', async () => {
    const seen: BulkProgress[] = [];
    await inPortions(clientOf([]), 'disable', ids, null, (progress) => seen.push(progress), never);
    expect(seen.map(({ done }) => done)).toEqual([0, 500, 1000, 1201]);
  });

  it('return the users that a failure left out', async () => {
    const end = await inPortions(clientOf([], 2), 'disable', ids, null, nothing, never);
    expect(end.failure?.code).toBe('storage_full');
    expect(end.affected).toBe(500);
    expect(end.rest).toEqual(ids.slice(500));
  });

  it('stop between two of them', async () => {
    const controller = new AbortController();
    const stop = ({ done }: BulkProgress) => done >= 500 && controller.abort();
    const end = await inPortions(clientOf([]), 'disable', ids, null, stop, controller.signal);
    expect(end.affected + end.rest.length).toBe(1201);
    expect(end.rest.length).toBeGreaterThan(0);
  });
});

describe('a bulk act', () => {
  const dry: BulkResult = {
    action: 'disable',
    dry_run: true,
    matched: 3,
    affected: 1,
    results: [
      { id: 9, outcome: 'failed', detail: 'not_found' },
      { id: 7, outcome: 'changed' },
      { id: 8, outcome: 'unchanged' },
    ],
  };
  const job = { action: 'disable', target: { filter: { tag: 'a' } }, count: 3 } as const;

  it('changes only those that its dry run named, and reports all', async () => {
    const calls: Call[] = [];
    const end = await runBulk(clientOf(calls), job, null, dry, nothing, never);
    expect(calls).toEqual([{ action: 'disable', ids: [7] }]);
    expect(end.lines.map(({ id }) => id)).toEqual([9, 7, 8]);
  });

  it('goes in one step where there are more than can be named, if they are still as many', async () => {
    const calls: Call[] = [];
    expect(changing({ ...dry, matched: 10_001 })).toBeNull();
    await runBulk(clientOf(calls), job, null, { ...dry, matched: 10_001 }, nothing, never);
    expect(calls).toEqual([{ action: 'disable', filter: { tag: 'a' }, expect_matched: 10_001 }]);
  });

  it('sends the term for an extension only', () => {
    expect(inputOf('extend', { ids: [1] }, { months: 1 })).toEqual({ action: 'extend', ids: [1], months: 1 });
    expect(inputOf('reset', { ids: [1] }, { months: 1 })).toEqual({ action: 'reset', ids: [1] });
  });
});

// The forecast of a bulk act: the counts add up, and each reason is counted apart.

const dry = (results: BulkResult['results'], matched: number, affected: number): BulkResult => ({
  action: 'extend',
  dry_run: true,
  matched,
  affected,
  results,
});

it('counts by outcome and reason', () => {
  const results: BulkResult['results'] = [
    { id: 1, outcome: 'failed', detail: 'term_unlimited' },
    { id: 2, outcome: 'failed', detail: 'term_unlimited' },
    { id: 3, outcome: 'failed', detail: 'not_found' },
    { id: 4, outcome: 'failed', detail: 'too_many_tags' },
    { id: 5, outcome: 'changed' },
    { id: 6, outcome: 'unchanged' },
  ];
  expect(forecastOf(dry(results, 5, 1))).toEqual({
    changed: 1,
    unchanged: 1,
    failed: [
      { reason: 'term_unlimited', count: 2 },
      { reason: 'not_found', count: 1 },
      { reason: 'other', count: 1 },
    ],
  });
});

it('counts those that the reply does not name', () => {
  expect(forecastOf(dry([{ id: 5, outcome: 'changed' }], 50_000, 40_000))).toEqual({
    changed: 40_000,
    unchanged: 10_000,
    failed: [],
  });
});
