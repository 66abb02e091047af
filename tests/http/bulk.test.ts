// One action on many users: whom it takes, what it says, what a dry run and an atomic one leave, on this thread and the other.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BulkResult } from '../../src/contract/users/user-acts.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const DAY = 86_400_000;

let panel: TestPanel;
let fixtures: Fixtures;
let tag = 0;
beforeAll(async () => {
  panel = await startPanel({ wrapHeavy: (heavy) => heavy });
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

/** Makes users with a tag of their own. */
async function crowd(count: number, more: object = {}): Promise<{ ids: number[]; tag: string }> {
  const name = `crowd-${++tag}`;
  const ids: number[] = [];
  for (let index = 0; index < count; index++) {
    ids.push((await panel.act('createUser', { name, tariff_id: fixtures.tariffs.monthly, tags: [name], ...more })).id);
  }
  return { ids, tag: name };
}
const bulk = async (body: object): Promise<BulkResult> => {
  const answer = await panel.full.call('bulkUsers', body as never);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const refused = async (body: object) => (await panel.full.call('bulkUsers', body as never)).problem;
const count = async (query: object) => (await panel.read.call('listUsers', { ...query, limit: 1 })).body.total;

// By ids up to a hundred a bulk runs at once; by a filter, and beyond, on the writer thread.
describe.each([
  ['by ids', (ids: number[], _tag: string) => ({ ids })],
  ['by a filter', (_ids: number[], own: string) => ({ filter: { tag: own } })],
] as const)('a bulk %s', (_name, choose) => {
  it('disables and enables, and says who was so already', async () => {
    const { ids, tag: own } = await crowd(5);
    await panel.act('updateUser', { id: ids[2] ?? 0, enabled: false });
    const disabled = await bulk({ action: 'disable', ...choose(ids, own) });
    expect(disabled).toEqual({
      action: 'disable',
      dry_run: false,
      matched: 5,
      affected: 4,
      results: ids.map((id, index) => ({ id, outcome: index === 2 ? 'unchanged' : 'changed' })),
      audit_id: expect.any(Number),
    });
    expect(await count({ tag: own, state: 'disabled' })).toBe(5);
    expect((await bulk({ action: 'enable', ...choose(ids, own) })).affected).toBe(5);
    expect(await count({ tag: own, state: 'active' })).toBe(5);
  });

  it('extends each from its own moment; who cannot be is listed first, the others are done', async () => {
    const end = new Date(Date.now() + 10 * DAY).toISOString();
    const { ids, tag: own } = await crowd(3, { expires_at: end });
    const [, never = 0] = ids;
    await panel.act('updateUser', { id: never, expires_at: null });
    const result = await bulk({ action: 'extend', days: 7, ...choose(ids, own) });
    expect(result).toMatchObject({ matched: 3, affected: 2 });
    expect(result.results).toEqual([
      { id: never, outcome: 'failed', detail: 'term_unlimited' },
      { id: ids[0], outcome: 'changed' },
      { id: ids[2], outcome: 'changed' },
    ]);
    const after = (await panel.read.call('getUser', { id: ids[0] ?? 0 })).body.expires_at;
    expect(Date.parse(String(after))).toBe(Date.parse(end) + 7 * DAY);
  });

  it('grants each the same, and fails those whose grants would not fit', async () => {
    const { ids, tag: own } = await crowd(3);
    const [, full = 0] = ids;
    panel.store.write(() => {
      const row = panel.store.users.get(full);
      if (!row) throw new Error('no user');
      const grant = { userId: full, bytes: Number.MAX_SAFE_INTEGER, bytesLeft: Number.MAX_SAFE_INTEGER, note: '' };
      const rest = { lifetime: 'used', days: null, endsAt: null, createdAt: row.createdAt } as const;
      panel.store.grants.insert({ ...grant, ...rest });
      panel.store.users.save(row, { ...row, extra: Number.MAX_SAFE_INTEGER });
    });
    const before = panel.store.events.latestId();
    const body = { action: 'grant', bytes: 5_000, lifetime: 'days', days: 2, note: 'outage', ...choose(ids, own) };
    const expected = [
      { id: full, outcome: 'failed', detail: 'validation' },
      { id: ids[0], outcome: 'changed' },
      { id: ids[2], outcome: 'changed' },
    ];
    expect((await bulk({ ...body, dry_run: true })).results).toEqual(expected);
    expect(panel.store.events.latestId()).toBe(before);
    expect((await bulk(body)).results).toEqual(expected);
    const { items } = (await panel.read.call('listGrants', { id: ids[0] ?? 0 })).body;
    expect(items).toMatchObject([{ bytes: 5_000, bytes_left: 5_000, lifetime: 'days', days: 2, note: 'outage' }]);
    expect((await panel.read.call('getUser', { id: ids[2] ?? 0 })).body.traffic_extra).toBe(5_000);
    const granted = panel.store.events.after(before, 100, ['user.granted']).map(({ data }) => JSON.parse(data));
    expect(granted).toMatchObject([
      { user_id: ids[0], grant_id: items[0]?.id, bytes: 5_000 },
      { user_id: ids[2], bytes: 5_000 },
    ]);
  });

  it('sets another plan as PATCH does; users of that plan stay unchanged', async () => {
    const { ids, tag: own } = await crowd(2, { tariff_id: fixtures.tariffs.held });
    const [already = 0, other = 0] = ids;
    const { monthly } = fixtures.tariffs;
    const alone = await crowd(1, { tariff_id: fixtures.tariffs.held });
    const single = await panel.full.call('updateUser', { id: alone.ids[0] ?? 0, tariff_id: monthly });
    await panel.act('updateUser', { id: already, tariff_id: monthly });
    const result = await bulk({ action: 'set_tariff', tariff_id: monthly, ...choose(ids, own) });
    expect(result).toMatchObject({ matched: 2, affected: 1 });
    expect(result.results).toEqual([
      { id: already, outcome: 'unchanged' },
      { id: other, outcome: 'changed' },
    ]);
    const { tariff_id, hold, traffic_limit, device_limit, concurrent_limit, reset_strategy } = single.body;
    const after = (await panel.read.call('getUser', { id: other })).body;
    expect(after).toMatchObject({
      tariff_id,
      hold,
      traffic_limit,
      device_limit,
      concurrent_limit,
      reset_strategy,
      state: 'active',
    });
    const unknown = { action: 'set_tariff', tariff_id: 4_000_000, ...choose(ids, own) };
    const problem = { detail: 'tariff_not_found', errors: [{ pointer: '#/tariff_id' }] };
    expect(await refused(unknown)).toMatchObject(problem);
  });

  it('adds and removes tags; a user who would have more than 20 fails', async () => {
    const { ids, tag: own } = await crowd(3);
    const [full = 0, has = 0, last = 0] = ids;
    const many = [own, ...Array.from({ length: 18 }, (_, index) => `t${index}`)];
    await panel.act('updateUser', { id: full, tags: many });
    await panel.act('updateUser', { id: has, tags: [own, 'vip', 'late'] });
    const added = await bulk({ action: 'add_tags', tags: ['vip', 'late'], ...choose(ids, own) });
    expect(added).toMatchObject({ matched: 3, affected: 1 });
    expect(added.results).toEqual([
      { id: full, outcome: 'failed', detail: 'too_many_tags' },
      { id: has, outcome: 'unchanged' },
      { id: last, outcome: 'changed' },
    ]);
    expect((await panel.read.call('getUser', { id: last })).body.tags).toEqual([own, 'vip', 'late']);
    expect(await count({ tag: 'late', q: own })).toBe(2);
    const removed = await bulk({ action: 'remove_tags', tags: ['late', 't3'], ...choose(ids, own) });
    expect(removed).toMatchObject({ matched: 3, affected: 3 });
    expect((await panel.read.call('getUser', { id: full })).body.tags).toEqual(many.filter((tag) => tag !== 't3'));
    expect(await count({ tag: 'late', q: own })).toBe(0);
  });

  it('gives the connections that users may use; one that does not exist is refused', async () => {
    const { ids, tag: own } = await crowd(3);
    const [first = 0, second = 0] = fixtures.inboundIds;
    await panel.act('updateUser', { id: ids[1] ?? 0, inbounds: [first] });
    const moved = await bulk({ action: 'set_inbounds', inbounds: [first], ...choose(ids, own) });
    expect(moved).toMatchObject({ matched: 3, affected: 2 });
    expect(moved.results).toContainEqual({ id: ids[1], outcome: 'unchanged' });
    for (const id of ids) expect((await panel.read.call('getUser', { id })).body.inbounds).toEqual([first]);
    const all = await bulk({ action: 'set_inbounds', inbounds: null, ...choose(ids, own) });
    expect(all.affected).toBe(3);
    expect((await panel.read.call('getUser', { id: ids[0] ?? 0 })).body.inbounds).toBeNull();
    const unknown = await refused({ action: 'set_inbounds', inbounds: [second, 999_999], ...choose(ids, own) });
    expect(unknown).toMatchObject({ status: 422, detail: 'inbound_not_found', errors: [{ pointer: '#/inbounds/1' }] });
  });

  it('moves users of some connections to others; what else they may use stays', async () => {
    const { ids, tag: own } = await crowd(4);
    const [first = 0, second = 0, third = 0] = fixtures.inboundIds;
    const lists = [[first, third], [second], [], null];
    for (const [index, inbounds] of lists.entries()) await panel.act('updateUser', { id: ids[index] ?? 0, inbounds });
    const act = { action: 'move_inbounds', from_inbounds: [first, 999_999], inbounds: [second, third] } as const;
    const dry = await bulk({ ...act, ...choose(ids, own), dry_run: true });
    const moved = await bulk({ ...act, ...choose(ids, own) });
    expect([dry.affected, moved.affected]).toEqual([1, 1]);
    const after = await Promise.all(ids.map(async (id) => (await panel.read.call('getUser', { id })).body.inbounds));
    expect(after).toEqual([[second, third], [second], [], null]);
    await bulk({ ...act, from_inbounds: [third], inbounds: [], ...choose(ids, own) });
    expect((await panel.read.call('getUser', { id: ids[0] ?? 0 })).body.inbounds).toEqual([second]);
    expect(await refused({ ...act, inbounds: null, ...choose(ids, own) })).toMatchObject({
      detail: 'validation',
      errors: [{ pointer: '#/inbounds' }],
    });
  });

  it('a dry run tells the same and changes nothing', async () => {
    const { ids, tag: own } = await crowd(4);
    const before = {
      events: panel.store.events.latestId(),
      audit: (await panel.act('listAudit', { limit: 1 })).items[0]?.id,
    };
    for (const action of ['extend', 'reset', 'disable', 'enable', 'delete']) {
      const amount = action === 'extend' ? { months: 1 } : {};
      const dry = await bulk({ action, ...amount, ...choose(ids, own), dry_run: true });
      expect(dry).toMatchObject({ action, dry_run: true, matched: 4, affected: action === 'enable' ? 0 : 4 });
    }
    const after = {
      events: panel.store.events.latestId(),
      audit: (await panel.act('listAudit', { limit: 1 })).items[0]?.id,
    };
    expect(after).toEqual(before);
    expect(await count({ tag: own, state: 'active' })).toBe(4);
  });

  it('atomic: one failure undoes all', async () => {
    const { ids, tag: own } = await crowd(3);
    const never = ids[1] ?? 0;
    await panel.act('updateUser', { id: never, expires_at: null });
    const before = panel.store.events.latestId();
    const problem = await refused({ action: 'extend', days: 1, atomic: true, ...choose(ids, own) });
    expect(problem).toMatchObject({ status: 409, detail: 'bulk_failed', errors: [{ code: 'term_unlimited' }] });
    expect(problem.errors).toHaveLength(1);
    expect(panel.store.events.latestId()).toBe(before);
    await panel.act('updateUser', { id: never, expires_at: '2030-01-01T00:00:00Z' });
    expect(await bulk({ action: 'extend', days: 1, atomic: true, ...choose(ids, own) })).toMatchObject({ affected: 3 });
  });

  it('expect_matched: another number is refused before anything is done', async () => {
    const { ids, tag: own } = await crowd(2);
    for (const expect_matched of [0, 1, 3]) {
      const problem = await refused({ action: 'delete', expect_matched, ...choose(ids, own) });
      expect(problem).toMatchObject({ status: 409, detail: 'bulk_changed' });
    }
    expect(await count({ tag: own })).toBe(2);
    expect(await bulk({ action: 'delete', expect_matched: 2, ...choose(ids, own) })).toMatchObject({ affected: 2 });
    expect(await count({ tag: own })).toBe(0);
  });

  it('writes one row into the audit log and one event a user', async () => {
    const { ids, tag: own } = await crowd(3);
    const before = panel.store.events.latestId();
    const last = (await panel.act('listAudit', { limit: 1 })).items[0]?.id ?? 0;
    await bulk({ action: 'reset', ...choose(ids, own) });
    const { items } = await panel.act('listAudit', { limit: 10 });
    const rows = items.filter(({ id }) => id > last);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      action: 'bulkUsers',
      outcome: 'done',
      actor: { kind: 'key' },
      detail: { affected: 3 },
    });
    const told = panel.store.events.after(before, 100, null);
    expect(told.map(({ type, data }) => [type, JSON.parse(data).user_id])).toEqual(ids.map((id) => ['user.reset', id]));
  });

  it('writes the events of each user together, in the order of ids', async () => {
    const { ids, tag: own } = await crowd(45);
    await bulk({ action: 'disable', ...choose(ids, own) });
    const before = panel.store.events.latestId();
    expect((await bulk({ action: 'enable', ...choose(ids, own) })).affected).toBe(45);
    const written = panel.store.events
      .after(before, 200, null)
      .map(({ type, data }) => [JSON.parse(data).user_id, type]);
    expect(written).toEqual(
      ids.flatMap((id) => [
        [id, 'user.enabled'],
        [id, 'user.activated'],
      ]),
    );
  });

  it('is remembered under an Idempotency-Key', async () => {
    const end = new Date(Date.now() + 10 * DAY).toISOString();
    const { ids, tag: own } = await crowd(2, { expires_at: end });
    const body = { action: 'extend', days: 1, ...choose(ids, own) } as const;
    const send = () => panel.full.call('bulkUsers', body as never, { 'idempotency-key': `bulk ${own} ${_name}` });
    const first = await send();
    const again = await send();
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotency-replayed']).toBe('true');
    const after = (await panel.read.call('getUser', { id: ids[0] ?? 0 })).body.expires_at;
    expect(Date.parse(String(after))).toBe(Date.parse(end) + DAY);
  });
});

describe('a bulk', () => {
  it('names ids that are not there as failed, and does the rest', async () => {
    const { ids } = await crowd(1);
    const [id = 0] = ids;
    const result = await bulk({ action: 'disable', ids: [4_000_000, id] });
    expect(result).toMatchObject({ matched: 1, affected: 1 });
    expect(result.results).toEqual([
      { id: 4_000_000, outcome: 'failed', detail: 'not_found' },
      { id, outcome: 'changed' },
    ]);
  });

  it('takes every user by {"all": true}, and none by an empty filter', async () => {
    const all = await count({});
    expect((await bulk({ action: 'reset', filter: { all: true }, dry_run: true })).matched).toBe(all);
    expect(await refused({ action: 'delete', filter: {} })).toMatchObject({ detail: 'validation' });
    expect(await refused({ action: 'delete', filter: { all: false } })).toMatchObject({ detail: 'validation' });
  });

  it('takes what the list of the same filter shows', async () => {
    await crowd(3, { contact: '@kontakt' });
    // Online is who moved bytes within the last minute, which the tests before this one may have taken.
    const some = { up: 1, down: 1 };
    const inbounds = [{ inboundId: fixtures.inboundIds[0] ?? 0, ...some }];
    panel.move({
      nodeId: fixtures.nodeId,
      total: some,
      users: [{ userId: fixtures.users.active.id, ...some }],
      inbounds,
    });
    const filters = [
      { state: 'active' },
      { state: 'on_hold' },
      { q: 'CROWD' },
      { tariff_id: fixtures.tariffs.held },
      { tag: 'fixtures' },
      { contact: '@kontakt' },
      { online: false },
      { online: true },
      { connected: false },
      { connected: true },
      { traffic_low: true },
      { traffic_low: false },
      { node_id: fixtures.nodeId },
      { expires_before: '2099-01-01T00:00:00Z' },
      { expires_after: '2020-01-01T00:00:00Z', state: 'active', q: 'crowd' },
      { updated_since: '2020-01-01T00:00:00Z' },
    ] as const;
    for (const filter of filters) {
      const { matched } = await bulk({ action: 'reset', filter, dry_run: true });
      expect(matched, JSON.stringify(filter)).toBe(await count(filter));
      expect(matched, JSON.stringify(filter)).toBeGreaterThan(0);
    }
  });

  it('refuses what is not one action on one choice', async () => {
    const ids = [fixtures.users.active.id];
    const wrong = [
      { action: 'disable' },
      { action: 'disable', ids, filter: { q: 'x' } },
      { action: 'disable', ids: [] },
      { action: 'disable', ids: [1, 1] },
      { action: 'reissue', ids },
      { action: 'disable', ids, days: 1 },
      { ids },
      { action: 'disable', ids: Array.from({ length: 10_001 }, (_, index) => index + 1) },
      { action: 'disable', ids, x: 1 },
      { action: 'set_tariff', ids, tariff_id: null },
      { action: 'add_tags', ids, tags: [] },
      { action: 'set_inbounds', ids },
      { action: 'disable', ids, inbounds: null },
      { action: 'grant', ids, bytes: 1, lifetime: 'days' },
      { action: 'grant', ids, bytes: 1, lifetime: 'used', days: 1 },
    ];
    for (const body of wrong)
      expect((await refused(body)).detail, JSON.stringify(body).slice(0, 80)).toBe('validation');
    const foreign = { action: 'add_tags', ids, months: 1, bytes: 1, tariff_id: 1, note: 'x', lifetime: 'used' };
    const named = (await refused(foreign)).errors?.map(({ pointer, code }) => `${pointer} ${code}`);
    expect(named?.sort()).toEqual([
      '#/bytes invalid',
      '#/lifetime invalid',
      '#/months invalid',
      '#/note invalid',
      '#/tags required',
      '#/tariff_id invalid',
    ]);
    for (const amount of [{}, { days: 1, months: 1 }]) {
      expect((await refused({ action: 'extend', ids, ...amount })).detail).toBe('extend_amount');
      expect((await refused({ action: 'extend', filter: { all: true }, ...amount })).detail).toBe('extend_amount');
    }
  });

  it('of more than a hundred ids runs on the writer thread, while reads and other writes go on', async () => {
    const { ids, tag: own } = await crowd(150);
    const running = panel.full.call('bulkUsers', { action: 'disable', ids });
    const reading = await panel.read.call('getSettings');
    const writing = panel.full.call('createUser', { name: 'meanwhile', tariff_id: fixtures.tariffs.free });
    expect(reading.status).toBe(200);
    expect((await writing).status).toBe(201);
    expect((await running).body).toMatchObject({ matched: 150, affected: 150 });
    expect(await count({ tag: own, state: 'disabled' })).toBe(150);
    const types = panel.store.events
      .after(0, 100_000, ['user.disabled'])
      .filter(({ data }) => ids.includes(JSON.parse(data).user_id));
    expect(types).toHaveLength(150);
  });
});
