// The words before a bulk act: the counts add up, and each reason is told apart.
import { expect, it } from 'vitest';
import type { BulkResult } from '../../../../../contract/user-acts.ts';
import { forecastOf } from './forecast.ts';

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
    { id: 4, outcome: 'failed', detail: 'brand_new' },
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
