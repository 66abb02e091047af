// A bulk as the administrator sees it: the difference for each user before, which then comes true, and the users it changed in the audit log.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CallOf } from '../../src/contract/operation.ts';
import type { OPERATIONS } from '../../src/contract/table.ts';
import type { PreviewRow } from '../../src/contract/users/bulk-preview.ts';
import { createTestClock } from '../support/clock.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';
import { sampleUser } from '../support/temp-store.ts';

const clock = createTestClock(Date.parse('2026-11-20T10:00:00Z'));
let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel({ clock });
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

let crowds = 0;
let tag = '';
beforeEach(() => {
  crowds += 1;
  tag = `crowd-${crowds}`;
});

async function make(name: string, more: object = {}): Promise<number> {
  return (await panel.act('createUser', { name, tariff_id: fixtures.tariffs.monthly, tags: [tag], ...more })).id;
}

function move(userId: number, up: number, down: number): void {
  const moved = { up, down };
  panel.move({ nodeId: fixtures.nodeId, total: moved, users: [{ userId, ...moved }], inbounds: [] });
}

type Bulk = CallOf<(typeof OPERATIONS)['bulkUsers']>;

const preview = (input: Bulk) => panel.act('previewBulk', input);
const audited = async () => (await panel.act('listAudit', { limit: 1, action: 'bulkUsers' })).items[0];
const changedBy = (id = 0, more: { after?: number; limit?: number } = {}) =>
  panel.act('listAuditUsers', { id, ...more });
const readHistory = async (id: number) => (await panel.act('listAudit', { target: `user:${id}` })).items;

/** What of a row the record of a user has too. */
async function readRecord(id: number): Promise<PreviewRow['before']> {
  const user = await panel.act('getUser', { id });
  const { state, expires_at, hold, traffic_remaining, traffic_extra, tariff_id, tags, inbounds } = user;
  const used = user.used_up + user.used_down;
  return { state, expires_at, hold, used, traffic_remaining, traffic_extra, tariff_id, tags, inbounds };
}

describe('a preview', () => {
  it('shows the end, the state and the counter of each, and those who stay', async () => {
    const going = await make('Going', { expires_at: '2026-12-20T10:00:00.000Z' });
    const ended = await make('Ended', { expires_at: '2026-12-01T10:00:00.000Z', reset_strategy: 'period' });
    const endless = await make('Endless', { expires_at: null });
    move(ended, 100, 200);
    await panel.act('updateUser', { id: ended, expires_at: '2026-11-01T10:00:00.000Z' });
    const seen = await preview({ action: 'extend', months: 1, filter: { tag } });
    expect(seen).toMatchObject({ previewed: 3, begin_again: 1 });
    expect(seen.items).toMatchObject([
      {
        id: going,
        name: 'Going',
        outcome: 'changed',
        counter: 'kept',
        before: { state: 'active', expires_at: '2026-12-20T10:00:00.000Z' },
        after: { state: 'active', expires_at: '2027-01-20T10:00:00.000Z' },
      },
      {
        id: ended,
        outcome: 'changed',
        counter: 'begins_again',
        before: { state: 'expired', used: 300 },
        after: { state: 'active', expires_at: '2026-12-20T10:00:00.000Z', used: 0 },
      },
      { id: endless, outcome: 'failed', detail: 'term_unlimited', after: null },
    ]);
  });

  it.each<[string, Omit<Bulk, 'ids' | 'filter'>]>([
    ['extend', { action: 'extend', days: 10 }],
    ['reset', { action: 'reset' }],
    ['disable', { action: 'disable' }],
    ['enable', { action: 'enable' }],
    ['grant', { action: 'grant', bytes: 5000, lifetime: 'used' }],
    ['add_tags', { action: 'add_tags', tags: ['paid'] }],
    ['remove_tags', { action: 'remove_tags', tags: ['old'] }],
  ])('of %s comes true, and writes nothing itself', async (_name, act) => {
    const ids = [
      await make('One', { tags: [tag, 'old'] }),
      await make('Two', { enabled: false }),
      await make('Three', { expires_at: '2026-11-01T10:00:00.000Z', reset_strategy: 'period' }),
      await make('Four', { tariff_id: fixtures.tariffs.held }),
    ];
    move(ids[0] ?? 0, 10, 20);
    const before = await Promise.all(ids.map(readRecord));
    const last = panel.store.events.latestId();
    const { items } = await preview({ ...act, ids } as Bulk);
    expect(items.map((row) => row.before)).toEqual(before);
    expect(panel.store.events.latestId()).toBe(last);
    expect(await Promise.all(ids.map(readRecord))).toEqual(before);
    await panel.act('bulkUsers', { ...act, ids } as Bulk);
    const after = await Promise.all(ids.map(readRecord));
    expect(items.map((row) => row.after ?? row.before)).toEqual(after);
  });

  it('of another plan has its limits, its term and a counter at zero', async () => {
    const id = await make('Moving');
    move(id, 10, 20);
    const act: Bulk = { action: 'set_tariff', tariff_id: fixtures.tariffs.free, ids: [id] };
    const { items } = await preview(act);
    expect(items).toMatchObject([{ counter: 'begins_again', after: { tariff_id: fixtures.tariffs.free, used: 0 } }]);
    await panel.act('bulkUsers', act);
    expect(items[0]?.after).toEqual(await readRecord(id));
  });

  it('of a deletion names everyone, without a state after', async () => {
    const id = await make('Leaving');
    const { items } = await preview({ action: 'delete', filter: { tag }, dry_run: true });
    expect(items).toMatchObject([{ id, name: 'Leaving', outcome: 'changed', after: null }]);
    expect((await panel.act('getUser', { id })).name).toBe('Leaving');
  });

  it('looks at the first five hundred and lists fifty', async () => {
    const ids = panel.store.write(() =>
      Array.from({ length: 510 }, () => panel.store.users.insert(sampleUser({ tags: [tag], inbounds: null }))),
    );
    const seen = await preview({ action: 'disable', filter: { tag } });
    expect(seen.previewed).toBe(500);
    expect(seen.items.map(({ id }) => id)).toEqual(ids.slice(0, 50));
  });

  it('is refused as the bulk is', async () => {
    await expect(preview({ action: 'extend', filter: { tag } })).rejects.toMatchObject({ code: 'extend_amount' });
    await expect(preview({ action: 'set_tariff', tariff_id: 9999, filter: { tag } })).rejects.toMatchObject({
      code: 'tariff_not_found',
    });
  });
});

describe('the trail of a bulk', () => {
  it('has those whom it changed, who have it in their history', async () => {
    const [changed, unchanged] = [await make('Changed'), await make('Unchanged', { enabled: false })];
    await panel.act('bulkUsers', { action: 'disable', filter: { tag } });
    const entry = await audited();
    expect(await changedBy(entry?.id)).toEqual({
      items: [{ id: changed, name: 'Changed', present: true }],
      total: 1,
      next_after: null,
      undo_until: '2026-11-20T10:10:00.000Z',
    });
    expect((await readHistory(changed)).map(({ action }) => action)).toEqual(['bulkUsers', 'createUser']);
    expect((await readHistory(unchanged)).map(({ action }) => action)).toEqual(['createUser']);
  });

  it('names those whom it deleted', async () => {
    const id = await make('Leaving');
    await panel.act('bulkUsers', { action: 'delete', ids: [id] });
    const entry = await audited();
    expect((await changedBy(entry?.id)).items).toEqual([{ id, name: 'Leaving', present: false }]);
  });

  it('has no one after a dry run', async () => {
    const id = await make('Dry');
    await panel.act('bulkUsers', { action: 'disable', ids: [id], dry_run: true });
    expect((await readHistory(id)).map(({ action }) => action)).toEqual(['createUser']);
  });

  it('is read page by page', async () => {
    const ids = [await make('A'), await make('B'), await make('C')];
    await panel.act('bulkUsers', { action: 'disable', ids });
    const entry = await audited();
    const first = await changedBy(entry?.id, { limit: 2 });
    expect(first).toMatchObject({ items: [{ name: 'A' }, { name: 'B' }], total: 3, next_after: ids[1] });
    const second = await changedBy(entry?.id, { limit: 2, after: first.next_after ?? 0 });
    expect(second).toMatchObject({ items: [{ name: 'C' }], total: 3, next_after: null });
  });

  it('has the users who were added together', async () => {
    const added = await panel.act('createUsers', { users: [{ name: 'Together', tariff_id: fixtures.tariffs.free }] });
    const id = added.results[0]?.user?.id ?? 0;
    expect((await readHistory(id)).map(({ action }) => action)).toEqual(['createUsers']);
  });
});

describe('a batch', () => {
  let markers = 0;
  /** A marker of its own. */
  const mark = () => {
    markers += 1;
    return String(markers).padStart(32, '0');
  };
  const next = (batch: string, bulk: Bulk, after: number) => panel.act('bulkBatch', { batch, bulk, after });
  const crowd = (count: number) =>
    panel.store.write(() =>
      Array.from({ length: count }, () => panel.store.users.insert(sampleUser({ tags: [tag], inbounds: null }))),
    );

  it('comes to its end in calls, as one entry that is undone as one', async () => {
    const ids = crowd(2300);
    const [batch, bulk]: [string, Bulk] = [mark(), { action: 'disable', filter: { tag }, expect_matched: 2300 }];
    const first = await next(batch, bulk, 0);
    expect(first).toMatchObject({ affected: 2000, position: ids[1999], left: 300 });
    expect(await audited()).toMatchObject({ id: first.audit_id, detail: { matched: 2300, affected: 2000 } });
    const second = await next(batch, bulk, first.position);
    expect(second).toMatchObject({ audit_id: first.audit_id, affected: 300, left: 0 });
    expect([...first.results, ...second.results].map(({ id }) => id)).toEqual(ids);
    expect(await audited()).toMatchObject({ id: first.audit_id, detail: { matched: 2300, affected: 2300 } });
    expect((await changedBy(first.audit_id)).total).toBe(2300);
    expect(await panel.act('undoActs', { entries: [first.audit_id] })).toMatchObject({ restored: 2300, left: 0 });
    expect(panel.store.users.rows(ids).every(({ enabled }) => enabled)).toBe(true);
  });

  it('acts once on each, also when a call is repeated whose reply was lost', async () => {
    const ids = [await make('Once'), await make('Twice')];
    const [batch, bulk]: [string, Bulk] = [mark(), { action: 'grant', bytes: 5000, lifetime: 'used', filter: { tag } }];
    const first = await next(batch, bulk, 0);
    const late = await make('Came later');
    expect(await next(batch, bulk, 0)).toEqual(first);
    expect(first.results).toEqual(ids.map((id) => ({ id, outcome: 'changed' })));
    expect((await Promise.all([...ids, late].map(readRecord))).map((user) => user.traffic_extra)).toEqual([
      5000, 5000, 0,
    ]);
    expect((await changedBy(first.audit_id)).total).toBe(2);
  });

  it('says of whom it deleted that they are, when its call is repeated', async () => {
    const ids = [await make('Leaving once'), await make('Leaving twice')];
    const [batch, bulk]: [string, Bulk] = [mark(), { action: 'delete', ids }];
    const first = await next(batch, bulk, 0);
    expect(await next(batch, bulk, 0)).toEqual(first);
    expect((await changedBy(first.audit_id)).items.map(({ name }) => name)).toEqual(['Leaving once', 'Leaving twice']);
  });

  it('leaves out who no longer matches, and names those who cannot be changed', async () => {
    const [stays, leaves] = [await make('Stays', { expires_at: null }), await make('Leaves')];
    const batch = mark();
    const bulk: Bulk = { action: 'extend', days: 1, filter: { tag } };
    await panel.act('updateUser', { id: leaves, tags: [] });
    expect((await next(batch, bulk, 0)).results).toEqual([{ id: stays, outcome: 'failed', detail: 'term_unlimited' }]);
    expect((await next(mark(), { action: 'disable', ids: [99_999] }, 0)).results).toEqual([
      { id: 99_999, outcome: 'failed', detail: 'not_found' },
    ]);
  });

  it('is refused where another number matches, and with another act under its marker, and changes nothing then', async () => {
    const id = await make('Same');
    const bulk: Bulk = { action: 'disable', filter: { tag }, expect_matched: 2 };
    const batch = mark();
    await expect(next(batch, bulk, 0)).rejects.toMatchObject({ code: 'bulk_changed' });
    await next(batch, { ...bulk, expect_matched: 1 }, 0);
    await expect(next(batch, { action: 'enable', filter: { tag } }, 0)).rejects.toMatchObject({
      code: 'idempotency_mismatch',
    });
    expect((await readRecord(id)).state).toBe('disabled');
  });
});
