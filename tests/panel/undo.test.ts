// Undoing acts on users: what each act changed is again as before, time and traffic since stay, and who was changed since is left alone.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CallOf } from '../../src/contract/operation.ts';
import type { OPERATIONS } from '../../src/contract/table.ts';
import { createTestClock } from '../support/clock.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';
import { sampleUser } from '../support/temp-store.ts';

const MINUTE = 60_000;
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

/** Runs a bulk; the id of its audit row. */
const bulk = async (input: Bulk) => (await panel.act('bulkUsers', input)).audit_id ?? 0;
const undo = (...entries: number[]) => panel.act('undoActs', { entries });
const over = (...entries: number[]) => expect(undo(...entries)).rejects.toMatchObject({ code: 'undo_over' });
const until = async (id: number) => (await panel.act('listAuditUsers', { id })).undo_until;
const actsOn = async (id: number) =>
  (await panel.act('listAudit', { target: `user:${id}` })).items.map(({ action }) => action);

/** The record of a user, and the grants that are open, but for what the time alone changes. */
async function readRecord(id: number) {
  const { updated_at: _at, online: _now, ...user } = await panel.act('getUser', { id });
  const { items } = await panel.act('listGrants', { id, state: 'open' });
  return { ...user, grants: items };
}

/** Users of every kind: with traffic and a grant that a reset ends, disabled, expired, on hold. */
async function makeCrowd(): Promise<number[]> {
  const ids = [
    await make('Moving', { tags: [tag, 'old'], reset_strategy: 'month' }),
    await make('Disabled', { enabled: false }),
    await make('Expired', { expires_at: '2026-12-01T10:00:00.000Z', reset_strategy: 'period' }),
    await make('Held', { tariff_id: fixtures.tariffs.held }),
  ];
  const [moving = 0, , expired = 0] = ids;
  await panel.act('createGrant', { id: moving, bytes: 9000, lifetime: 'period' });
  move(moving, 10, 20);
  move(expired, 100, 200);
  await panel.act('updateUser', { id: expired, expires_at: '2026-11-01T10:00:00.000Z' });
  return ids;
}

describe('a bulk', () => {
  it.each<[string, () => Omit<Bulk, 'ids' | 'filter'>]>([
    ['extend', () => ({ action: 'extend', months: 1 })],
    ['reset', () => ({ action: 'reset' })],
    ['disable', () => ({ action: 'disable' })],
    ['enable', () => ({ action: 'enable' })],
    ['grant', () => ({ action: 'grant', bytes: 5000, lifetime: 'used' })],
    ['set_tariff', () => ({ action: 'set_tariff', tariff_id: fixtures.tariffs.free })],
    ['set_tariff on hold', () => ({ action: 'set_tariff', tariff_id: fixtures.tariffs.held })],
    ['add_tags', () => ({ action: 'add_tags', tags: ['paid', 'old'] })],
    ['remove_tags', () => ({ action: 'remove_tags', tags: ['old'] })],
  ])('of %s is undone: all whom it changed are as before', async (_name, act) => {
    const ids = await makeCrowd();
    const before = await Promise.all(ids.map(readRecord));
    const { affected, audit_id: id = 0 } = await panel.act('bulkUsers', { ...act(), ids } as Bulk);
    expect(affected).toBeGreaterThan(0);
    clock.advance(MINUTE);
    expect(await undo(id)).toEqual({ restored: affected, left: 0, users: [] });
    expect(await Promise.all(ids.map(readRecord))).toEqual(before);
  });

  it('in parts is undone in parts', async () => {
    const ids = panel.store.write(() =>
      Array.from({ length: 1100 }, () => panel.store.users.insert(sampleUser({ tags: [tag], inbounds: null }))),
    );
    const id = await bulk({ action: 'add_tags', tags: ['many'], filter: { tag } });
    expect(await undo(id)).toMatchObject({ restored: 1100, left: 0 });
    expect(panel.store.users.rows(ids).every(({ tags }) => tags.join() === tag)).toBe(true);
    const [entry] = (await panel.act('listAudit', { action: 'undoActs', limit: 1 })).items;
    expect(entry?.detail).toEqual({ entries: [id], restored: 1100, left: 0 });
  });

  it('counts what moved since besides', async () => {
    const id = await make('Busy');
    move(id, 10, 20);
    const entry = await bulk({ action: 'reset', ids: [id] });
    move(id, 1, 2);
    await undo(entry);
    expect(await readRecord(id)).toMatchObject({ used_up: 11, used_down: 22 });
  });

  it('leaves alone who was changed since, was deleted, or began the term', async () => {
    const [changed, gone, begun, same] = [
      await make('Changed'),
      await make('Gone'),
      await make('Begun', { tariff_id: fixtures.tariffs.held }),
      await make('Same'),
    ];
    const entry = await bulk({ action: 'extend', days: 10, ids: [changed, gone, begun, same] });
    await panel.act('updateUser', { id: changed, note: 'paid' });
    await panel.act('deleteUser', { id: gone });
    move(begun, 1, 1);
    const [former, connected] = [await readRecord(changed), await readRecord(begun)];
    expect(await undo(entry)).toEqual({
      restored: 1,
      left: 3,
      users: [
        { id: changed, name: 'Changed', reason: 'changed_since' },
        { id: gone, name: null, reason: 'not_found' },
        { id: begun, name: 'Begun', reason: 'changed_since' },
      ],
    });
    expect([await readRecord(changed), await readRecord(begun)]).toEqual([former, connected]);
  });

  it('does not bring back a plan or a connection that was deleted since', async () => {
    const { tariffs, inboundIds } = fixtures;
    const plan = (await panel.act('createTariff', { name: 'Short-lived' })).id;
    const { node_id: nodeId } = await panel.act('getInbound', { id: inboundIds[3] ?? 0 });
    const extra = {
      node_id: nodeId,
      tag,
      name: tag,
      protocol: 'shadowsocks',
      method: 'aes-256-gcm',
      port: 45_000,
    } as const;
    const inbound = (await panel.act('createInbound', extra)).id;
    const [onPlan, onInbound] = [
      await make('On plan', { tariff_id: plan }),
      await make('On connection', { inbounds: [inbound] }),
    ];
    const entry = await bulk({ action: 'set_tariff', tariff_id: tariffs.free, ids: [onPlan, onInbound] });
    await panel.act('deleteTariff', { id: plan });
    await panel.act('deleteInbound', { id: inbound });
    expect((await undo(entry)).users.map(({ reason }) => reason)).toEqual(['tariff_gone', 'inbound_gone']);
  });

  it('is undone with others as one act, which the history of each has and the feed of events', async () => {
    const [one, other] = [await make('One'), await make('Other')];
    const entries = [await bulk({ action: 'disable', ids: [one] }), await bulk({ action: 'disable', ids: [other] })];
    const last = panel.store.events.latestId();
    expect(await undo(...entries)).toMatchObject({ restored: 2 });
    expect(await actsOn(one)).toEqual(['undoActs', 'bulkUsers', 'createUser']);
    const events = panel.store.events.after(last, 20, null).map(({ type, data }) => [type, JSON.parse(data).user_id]);
    expect(events).toEqual(
      [one, other].flatMap((id) => ['user.changed', 'user.enabled', 'user.activated'].map((type) => [type, id])),
    );
  });

  it('is undone once, within ten minutes', async () => {
    const id = await make('Late');
    const entry = await bulk({ action: 'disable', ids: [id] });
    expect(await until(entry)).toBe(new Date(clock.now() + 10 * MINUTE).toISOString());
    clock.advance(10 * MINUTE);
    await undo(entry);
    expect(await until(entry)).toBeNull();
    await over(entry);
    const another = await bulk({ action: 'disable', ids: [id] });
    clock.advance(10 * MINUTE + 1);
    expect(await until(another)).toBeNull();
    await over(another);
    expect((await readRecord(id)).enabled).toBe(false);
  });

  it('is not undone where it deleted, changed no one, or was a dry run', async () => {
    const id = await make('Leaving', { enabled: false });
    await over(await bulk({ action: 'disable', ids: [id] }));
    expect((await panel.act('bulkUsers', { action: 'enable', ids: [id], dry_run: true })).audit_id).toBeUndefined();
    const entry = await bulk({ action: 'delete', ids: [id] });
    expect(await until(entry)).toBeNull();
    await over(entry);
  });
});

describe('an act on one user', () => {
  const readLastAuditId = async (id: number) =>
    (await panel.act('listAudit', { target: `user:${id}`, limit: 1 })).items[0]?.id ?? 0;

  it.each<[string, (id: number) => Promise<unknown>]>([
    ['extended', (id) => panel.act('extendUser', { id, months: 1 })],
    ['shortened', (id) => panel.act('shortenUser', { id, days: 1 })],
    ['reset', (id) => panel.act('resetUserTraffic', { id })],
  ])('by the administrator is undone: %s', async (_name, act) => {
    const [moving = 0] = await makeCrowd();
    const before = await readRecord(moving);
    await act(moving);
    await undo(await readLastAuditId(moving));
    expect(await readRecord(moving)).toEqual(before);
  });

  it('gives an expired user the former term and counter again', async () => {
    const [, , expired = 0] = await makeCrowd();
    const before = await readRecord(expired);
    expect(before).toMatchObject({ state: 'expired', used_up: 100 });
    expect(await panel.act('extendUser', { id: expired, months: 1 })).toMatchObject({ state: 'active', used_up: 0 });
    await undo(await readLastAuditId(expired));
    expect(await readRecord(expired)).toEqual(before);
  });

  it('by a key stays', async () => {
    const id = await make('By key');
    await panel.full.call('extendUser', { id, months: 1 });
    await over(await readLastAuditId(id));
  });
});

it('is read act by act, each once, until there are enough users', async () => {
  const ids = await makeCrowd();
  const [one, two] = [await bulk({ action: 'disable', ids }), await bulk({ action: 'enable', ids })];
  const read = (users: number) =>
    panel.store.undo.of([two, one, two], clock.now(), users).map((row) => [row.auditId, row.users]);
  const first = [one, 3];
  expect(read(1)).toEqual([first]);
  expect(read(3)).toEqual([first]);
  expect(read(4)).toEqual([first, [two, 4]]);
  expect(read(100)).toEqual([first, [two, 4]]);
});

it('is forgotten by the prune when it is too late, and survives until then', async () => {
  const id = await make('Kept');
  const entry = await bulk({ action: 'disable', ids: [id] });
  panel.store.write(() => panel.store.undo.prune(clock.now()));
  expect(panel.store.undo.begunAt(entry)).toBe(clock.now());
  panel.store.write(() => panel.store.undo.prune(clock.now() + 1));
  expect(panel.store.undo.begunAt(entry)).toBeNull();
});
