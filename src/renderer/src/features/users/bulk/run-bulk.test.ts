// Bulk acts in portions: no user is left out or tried twice, and after a stop or a failure the rest is known.
import { describe, expect, it } from 'vitest';
import { type Client, PanelCallError } from '../../../../../contract/client.ts';
import { problemOf } from '../../../../../contract/errors.ts';
import { BULK_ACTIONS, type BulkResult, userBulk } from '../../../../../contract/user-acts.ts';
import { NEW_GRANT } from '../grant-values.ts';
import {
  actOf,
  type BulkProgress,
  type BulkValues,
  changing,
  createBulkSender,
  forecastOf,
  inPortions,
  inputOf,
  runBulk,
  type SendBulk,
} from './run-bulk.ts';

type Call = { readonly ids?: readonly number[] | undefined; readonly expect_matched?: number | undefined };

/** A client that changes every user; the call of a given number fails. */
function senderOf(calls: Call[], failAt = -1): SendBulk {
  return async (input) => {
    calls.push(input);
    if (calls.length === failAt) throw new PanelCallError(problemOf('storage_full', 'none'));
    const results = (input.ids ?? []).map((id) => ({ id, outcome: 'changed' as const }));
    return { action: 'disable', dry_run: false, matched: results.length, affected: results.length, results };
  };
}

const ids = Array.from({ length: 1201 }, (_, index) => index + 1);
const nothing = () => undefined;
const never = new AbortController().signal;

describe('portions', () => {
  it('try everyone once, in order', async () => {
    const calls: Call[] = [];
    const end = await inPortions(senderOf(calls), { action: 'disable' }, ids, nothing, never);
    expect(calls.map((call) => call.ids?.length)).toEqual([500, 500, 201]);
    expect(calls.flatMap((call) => call.ids ?? [])).toEqual(ids);
    expect(end).toMatchObject({ affected: 1201, rest: [], failure: null });
  });

  it('report their progress from start to end', async () => {
    const seen: BulkProgress[] = [];
    await inPortions(senderOf([]), { action: 'disable' }, ids, (progress) => seen.push(progress), never);
    expect(seen.map(({ done }) => done)).toEqual([0, 500, 1000, 1201]);
  });

  it('return the users that a failure left out', async () => {
    const end = await inPortions(senderOf([], 2), { action: 'disable' }, ids, nothing, never);
    expect(end.failure?.code).toBe('storage_full');
    expect(end.affected).toBe(500);
    expect(end.rest).toEqual(ids.slice(500));
  });

  it('stop between two of them', async () => {
    const controller = new AbortController();
    const stop = ({ done }: BulkProgress) => done >= 500 && controller.abort();
    const end = await inPortions(senderOf([]), { action: 'disable' }, ids, stop, controller.signal);
    expect(end.affected + end.rest.length).toBe(1201);
    expect(end.rest.length).toBeGreaterThan(0);
  });
});

describe('a part', () => {
  it('is sent once more under the same key after a failure, and under another once it was answered', async () => {
    const answer: BulkResult = { action: 'disable', dry_run: false, matched: 1, affected: 1, results: [] };
    const keys: unknown[] = [];
    const bulkUsers: Client['bulkUsers'] = async (_input, options) => {
      keys.push(options?.idempotencyKey);
      if (keys.length === 1) throw new PanelCallError(problemOf('unavailable', 'none'));
      return answer;
    };
    const send = createBulkSender({ bulkUsers }, () => `key ${keys.length + 1}`);
    const part = { action: 'disable', ids: [1] } as const;
    await expect(send({ ...part, ids: [1] })).rejects.toThrow();
    await send({ ...part, ids: [1] });
    await send({ ...part, ids: [1] });
    await send({ ...part, ids: [2] });
    expect(keys).toEqual(['key 1', 'key 1', 'key 3', 'key 4']);
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
  const act = { action: 'disable' } as const;
  const target = { filter: { tag: 'a' } };

  it('changes only those that its dry run named, and reports all', async () => {
    const calls: Call[] = [];
    const end = await runBulk(senderOf(calls), act, target, dry, nothing, never);
    expect(calls).toEqual([{ action: 'disable', ids: [7] }]);
    expect(end.lines.map(({ id }) => id)).toEqual([9, 7, 8]);
  });

  it('goes in one step where there are more than can be named, if they are still as many', async () => {
    const calls: Call[] = [];
    expect(changing({ ...dry, matched: 10_001 })).toBeNull();
    await runBulk(senderOf(calls), act, target, { ...dry, matched: 10_001 }, nothing, never);
    expect(calls).toEqual([{ action: 'disable', filter: { tag: 'a' }, expect_matched: 10_001 }]);
  });

  it('sends with each portion what goes with the action', async () => {
    const calls: Call[] = [];
    await runBulk(senderOf(calls), { action: 'add_tags', tags: ['vip'] }, target, dry, nothing, never);
    expect(calls).toEqual([{ action: 'add_tags', ids: [7], tags: ['vip'] }]);
  });
});

describe('the request of an action', () => {
  const values: BulkValues = {
    ...NEW_GRANT,
    term: { months: 1 },
    bytes: 5_000_000_000,
    note: 'Outage',
    tariff_id: '3',
    tags: ['vip', 'trial'],
    inbounds: [2],
  };
  const ids = { ids: [1] };

  it('has the fields of that action and of no other, as the contract wants them', () => {
    const requests = BULK_ACTIONS.map((action) => inputOf(actOf(action, values), ids));
    expect(requests).toEqual([
      { action: 'extend', ids: [1], months: 1 },
      { action: 'reset', ids: [1] },
      { action: 'disable', ids: [1] },
      { action: 'enable', ids: [1] },
      { action: 'delete', ids: [1] },
      { action: 'grant', ids: [1], bytes: 5_000_000_000, lifetime: 'used', note: 'Outage' },
      { action: 'set_tariff', ids: [1], tariff_id: 3 },
      { action: 'add_tags', ids: [1], tags: ['vip', 'trial'] },
      { action: 'remove_tags', ids: [1], tags: ['vip', 'trial'] },
      { action: 'set_inbounds', ids: [1], inbounds: [2] },
    ]);
    for (const request of requests) expect(userBulk.safeParse(request).error).toBeUndefined();
  });

  it('has days only for a grant that lasts for days', () => {
    expect(actOf('grant', { ...values, lifetime: 'days', days: 30 })).toMatchObject({ lifetime: 'days', days: 30 });
    expect(actOf('grant', { ...values, lifetime: 'period', days: 30 })).not.toHaveProperty('days');
  });

  it('leaves out what is empty, which the contract then misses', () => {
    const empty: BulkValues = { ...NEW_GRANT, term: null, tariff_id: '', tags: [], inbounds: null };
    for (const action of ['grant', 'set_tariff', 'add_tags', 'remove_tags'] as const) {
      expect(userBulk.safeParse(inputOf(actOf(action, empty), ids)).success).toBe(false);
    }
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
      { reason: 'too_many_tags', count: 1 },
    ],
  });
});

it('says of a grant beyond the bounds that it is too much, of a term that it ends too late', () => {
  const results: BulkResult['results'] = [{ id: 1, outcome: 'failed', detail: 'validation' }];
  expect(forecastOf({ ...dry(results, 1, 0), action: 'grant' }).failed).toEqual([{ reason: 'too_much', count: 1 }]);
  expect(forecastOf(dry(results, 1, 0)).failed).toEqual([{ reason: 'validation', count: 1 }]);
});

it('counts those that the reply does not name', () => {
  expect(forecastOf(dry([{ id: 5, outcome: 'changed' }], 50_000, 40_000))).toEqual({
    changed: 40_000,
    unchanged: 10_000,
    failed: [],
  });
});
