// Bulk actions in several calls: no user is left out or changed twice, and after a pause or a failure the rest is known.
import { describe, expect, it } from 'vitest';
import { PanelCallError } from '../../../../../contract/client.ts';
import { buildProblem } from '../../../../../contract/errors.ts';
import { BULK_ACTIONS, type BulkResult, userBulk } from '../../../../../contract/users/user-acts.ts';
import { NEW_GRANT } from '../grant-values.ts';
import {
  type BulkProgress,
  type BulkValues,
  buildAct,
  buildBatch,
  buildInput,
  computeForecast,
  isRefused,
  runBulk,
  type SendBulk,
} from './run-bulk.ts';

const users = Array.from({ length: 1201 }, (_, index) => index + 1);
const dry: BulkResult = {
  action: 'disable',
  dry_run: true,
  matched: users.length,
  affected: users.length,
  results: [],
};
const act = { action: 'disable' } as const;
const bulk = buildBatch(act, { filter: { tag: 'a' } }, dry);
const nothing = () => undefined;
const never = new AbortController().signal;
const lost = new PanelCallError(buildProblem('unavailable', 'none'));

/** A fake panel with these users, which changes 500 in a call; the call of a given number fails. */
function createFakePanel(
  calls: number[],
  failAt = -1,
  failure = new PanelCallError(buildProblem('storage_full', 'none')),
): SendBulk {
  return async (_bulk, after) => {
    calls.push(after);
    if (calls.length === failAt) throw failure;
    const rest = users.filter((id) => id > after);
    const results = rest.slice(0, 500).map((id) => ({ id, outcome: 'changed' as const }));
    const { length } = results;
    return { audit_id: 9, affected: length, results, position: after + length, left: rest.length - length };
  };
}

describe('a bulk act', () => {
  it('tries everyone once, in order, as one entry of the audit log', async () => {
    const calls: number[] = [];
    const seen: BulkProgress[] = [];
    const end = await runBulk(createFakePanel(calls), bulk, 1201, (progress) => seen.push(progress), never);
    expect(calls).toEqual([0, 500, 1000]);
    expect(seen.map(({ done }) => done)).toEqual([0, 500, 1000]);
    expect(end).toMatchObject({ affected: 1201, left: 0, entry: 9, failure: null });
    expect(end.lines.map(({ id }) => id)).toEqual(users);
  });

  it('goes on behind the last answer after a failure, under the same entry', async () => {
    const calls: number[] = [];
    const send = createFakePanel(calls, 2);
    const end = await runBulk(send, bulk, 1201, nothing, never);
    expect(end).toMatchObject({ affected: 500, left: 701, position: 500, entry: 9 });
    expect(end.failure?.code).toBe('storage_full');
    const whole = await runBulk(send, bulk, 1201, nothing, never, end);
    expect(calls).toEqual([0, 500, 500, 1000]);
    expect(whole).toMatchObject({ affected: 1201, left: 0, failure: null });
    expect(whole.lines).toHaveLength(1201);
  });

  it('pauses between two calls', async () => {
    const controller = new AbortController();
    const pause = ({ done }: BulkProgress) => done >= 500 && controller.abort();
    const end = await runBulk(createFakePanel([]), bulk, 1201, pause, controller.signal);
    expect(end).toMatchObject({ affected: 1000, left: 201, failure: null });
  });

  it('is refused where the panel refused it, and may have begun where no reply came', async () => {
    const refusal = new PanelCallError(buildProblem('bulk_changed', 'none'));
    expect(isRefused(await runBulk(createFakePanel([], 1, refusal), bulk, 1201, nothing, never))).toBe(true);
    expect(isRefused(await runBulk(createFakePanel([], 1, lost), bulk, 1201, nothing, never))).toBe(false);
    expect(isRefused(await runBulk(createFakePanel([], 2, refusal), bulk, 1201, nothing, never))).toBe(false);
  });

  it('cannot be undone where it deletes', async () => {
    const end = await runBulk(createFakePanel([]), { ...bulk, action: 'delete' }, 1201, nothing, never);
    expect(end).toMatchObject({ affected: 1201, entry: null });
  });

  it('asks that as many match a filter as in the dry run, and sends what goes with the action', () => {
    expect(bulk).toEqual({ action: 'disable', filter: { tag: 'a' }, expect_matched: 1201 });
    expect(buildBatch({ action: 'add_tags', tags: ['vip'] }, { ids: [7] }, dry)).toEqual({
      action: 'add_tags',
      ids: [7],
      tags: ['vip'],
    });
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
    from_inbounds: [1],
  };
  const ids = { ids: [1] };

  it('has the fields of that action and of no other, as the contract wants them', () => {
    const requests = BULK_ACTIONS.map((action) => buildInput(buildAct(action, values), ids));
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
      { action: 'move_inbounds', ids: [1], from_inbounds: [1], inbounds: [2] },
    ]);
    for (const request of requests) expect(userBulk.safeParse(request).error).toBeUndefined();
  });

  it('has days only for a grant that lasts for days', () => {
    expect(buildAct('grant', { ...values, lifetime: 'days', days: 30 })).toMatchObject({ lifetime: 'days', days: 30 });
    expect(buildAct('grant', { ...values, lifetime: 'period', days: 30 })).not.toHaveProperty('days');
  });

  it('leaves out what is empty, which the contract then misses', () => {
    const empty: BulkValues = { ...NEW_GRANT, term: null, tariff_id: '', tags: [], inbounds: null, from_inbounds: [] };
    for (const action of ['grant', 'set_tariff', 'add_tags', 'remove_tags', 'move_inbounds'] as const) {
      expect(userBulk.safeParse(buildInput(buildAct(action, empty), ids)).success).toBe(false);
    }
  });
});

// The forecast of a bulk action: counts add up, and each reason is counted separately.

const found = (results: BulkResult['results'], matched: number, affected: number): BulkResult => ({
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
  expect(computeForecast(found(results, 5, 1))).toEqual({
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
  expect(computeForecast({ ...found(results, 1, 0), action: 'grant' }).failed).toEqual([
    { reason: 'too_much', count: 1 },
  ]);
  expect(computeForecast(found(results, 1, 0)).failed).toEqual([{ reason: 'validation', count: 1 }]);
});

it('counts those that the reply does not name', () => {
  expect(computeForecast(found([{ id: 5, outcome: 'changed' }], 50_000, 40_000))).toEqual({
    changed: 40_000,
    unchanged: 10_000,
    failed: [],
  });
});
