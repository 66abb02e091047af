// Terms over the wire: extending from the right moment by the panel's calendar, holds, resets, and what stays disabled.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { User } from '../../src/contract/users/users.ts';
import { createTestClock } from '../support/clock.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const START = Date.parse('2026-01-10T12:00:00Z');
const DAY = 86_400_000;
const MIB = 1_048_576;
const clock = createTestClock(START);

let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel({ clock, timeZone: 'Europe/Berlin' });
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());
beforeEach(() => {
  clock.set(START);
});

const create = async (more: object = {}): Promise<User> => {
  const answer = await panel.full.call('createUser', { name: 'Anna', tariff_id: fixtures.tariffs.monthly, ...more });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const extend = async (id: number, by: { days?: number; months?: number }) =>
  panel.full.call('extendUser', { id, ...by });
const read = async (id: number) => (await panel.read.call('getUser', { id })).body;
const move = (userId: number, down: number) =>
  panel.move({ nodeId: fixtures.nodeId, total: { up: 0, down }, users: [{ userId, up: 0, down }], inbounds: [] });

describe('shortening', () => {
  const shorten = async (id: number, by: { days?: number; months?: number }) =>
    panel.full.call('shortenUser', { id, ...by });

  it('takes time off by the calendar, with an event of its own', async () => {
    const { id } = await create({ expires_at: '2026-03-31T10:00:00Z' });
    const after = panel.store.events.latestId();
    expect((await shorten(id, { months: 1 })).body.expires_at).toBe('2026-02-28T11:00:00.000Z');
    expect((await shorten(id, { days: 3 })).body).toMatchObject({
      state: 'active',
      expires_at: '2026-02-25T11:00:00.000Z',
    });
    const told = panel.store.events.after(after, 10, null).map(({ type, data }) => [type, JSON.parse(data)]);
    expect(told).toMatchObject([
      ['user.shortened', { user_id: id, months: 1, expires_at: '2026-02-28T11:00:00.000Z' }],
      ['user.shortened', { user_id: id, days: 3 }],
    ]);
    const { items } = await panel.act('listAudit', { limit: 1 });
    expect(items[0]).toMatchObject({ action: 'shortenUser', target: `user:${id}`, detail: { days: 3 } });
  });

  it('ends a term now at the earliest, and leaves one that is over', async () => {
    const { id } = await create({ expires_at: '2026-01-15T10:00:00Z' });
    const after = panel.store.events.latestId();
    const ended = { state: 'expired', expires_at: new Date(START).toISOString() };
    expect((await shorten(id, { days: 30 })).body).toMatchObject(ended);
    const types = panel.store.events.after(after, 10, null).map(({ type }) => type);
    expect(types).toEqual(['user.shortened', 'user.expired']);
    clock.set(START + DAY);
    const last = panel.store.events.latestId();
    expect((await shorten(id, { months: 1 })).body).toMatchObject(ended);
    expect(panel.store.events.latestId()).toBe(last);
  });

  it('shortens a hold, which ends with nothing left', async () => {
    const { id } = await create({ tariff_id: fixtures.tariffs.held });
    expect((await shorten(id, { days: 10 })).body).toMatchObject({ state: 'on_hold', hold: { months: 0, days: 20 } });
    expect((await shorten(id, { months: 1 })).body).toMatchObject({ state: 'expired', hold: null });
  });

  it('refuses a term without an end, and more or less than one amount', async () => {
    const { id } = await create({ tariff_id: fixtures.tariffs.free });
    expect((await shorten(id, { days: 1 })).problem).toMatchObject({ status: 409, detail: 'term_unlimited' });
    for (const by of [{}, { days: 1, months: 1 }]) {
      expect((await shorten(id, by)).problem).toMatchObject({ status: 422, detail: 'extend_amount' });
    }
    for (const by of [{ days: 0 }, { days: -1 }, { months: 121 }]) {
      expect((await shorten(id, by)).problem).toMatchObject({ detail: 'validation' });
    }
  });
});

describe('extending', () => {
  it('counts from the end of a term that runs, and from now for one that has ended', async () => {
    const user = await create({ expires_at: '2026-02-01T00:00:00Z' });
    expect((await extend(user.id, { days: 10 })).body.expires_at).toBe('2026-02-11T00:00:00.000Z');
    clock.set(Date.parse('2026-03-01T08:00:00Z'));
    const { body } = await extend(user.id, { days: 10 });
    expect(body).toMatchObject({ state: 'active', expires_at: '2026-03-11T08:00:00.000Z' });
  });

  it.each([
    ['2026-01-31T11:00:00Z', 1, '2026-02-28T11:00:00.000Z', 'clamped to the end of February'],
    ['2028-01-31T11:00:00Z', 1, '2028-02-29T11:00:00.000Z', 'a leap year'],
    ['2026-02-28T11:00:00Z', 1, '2026-03-28T11:00:00.000Z', 'no anchor is kept'],
    ['2026-03-15T11:00:00Z', 1, '2026-04-15T10:00:00.000Z', 'the wall clock moves to summer time'],
    ['2026-02-28T01:30:00Z', 1, '2026-03-28T01:30:00.000Z', 'the day before the clocks change'],
    ['2026-02-28T23:30:00Z', 1, '2026-03-31T22:30:00.000Z', 'the local day is the 1st of March'],
    ['2026-01-29T01:30:00Z', 2, '2026-03-29T01:30:00.000Z', 'a time that does not exist goes forward'],
    ['2026-09-25T00:30:00Z', 1, '2026-10-25T00:30:00.000Z', 'a time that comes twice is the earlier'],
    ['2026-12-31T23:30:00Z', 12, '2027-12-31T23:30:00.000Z', 'a year'],
  ])('%s by %d months is %s: %s', async (from, months, expected) => {
    const { id } = await create({ expires_at: from });
    expect((await extend(id, { months })).body.expires_at).toBe(expected);
  });

  it('by exactly one of days and months', async () => {
    const { id, expires_at } = await create();
    for (const body of [{}, { days: 1, months: 1 }]) {
      expect((await extend(id, body)).problem).toMatchObject({ status: 422, detail: 'extend_amount' });
    }
    for (const body of [{ days: 0 }, { days: 3651 }, { months: 0 }, { months: 121 }, { days: 1.5 }, { days: -1 }]) {
      expect((await extend(id, body)).problem, JSON.stringify(body)).toMatchObject({
        status: 422,
        detail: 'validation',
      });
    }
    expect((await read(id)).expires_at).toBe(expires_at);
  });

  it('never past 2100, and not for who never expires', async () => {
    const { id } = await create({ expires_at: '2099-12-31T00:00:00Z' });
    expect((await extend(id, { days: 1 })).body.expires_at).toBe('2100-01-01T00:00:00.000Z');
    expect((await extend(id, { days: 1 })).problem).toMatchObject({
      detail: 'validation',
      errors: [{ pointer: '#/days' }],
    });
    const free = await create({ tariff_id: fixtures.tariffs.free });
    expect((await extend(free.id, { months: 1 })).problem).toMatchObject({ status: 409, detail: 'term_unlimited' });
  });

  it('a disabled user stays disabled, also one that had expired', async () => {
    const { id } = await create({ enabled: false, expires_at: '2026-01-01T00:00:00Z' });
    expect((await extend(id, { months: 1 })).body).toMatchObject({
      state: 'disabled',
      expires_at: '2026-02-10T12:00:00.000Z',
    });
    expect((await panel.full.call('updateUser', { id, enabled: true })).body.state).toBe('active');
  });

  it('an expired one under `period` begins a new period; under another strategy the counter stays', async () => {
    const spent = { traffic_limit: MIB, expires_at: '2026-01-20T00:00:00Z' };
    const period = await create({ ...spent, reset_strategy: 'period' });
    const plain = await create({ ...spent, reset_strategy: 'none' });
    for (const { id } of [period, plain]) move(id, 2 * MIB);
    clock.set(Date.parse('2026-01-25T12:00:00Z'));
    expect((await extend(period.id, { days: 30 })).body).toMatchObject({
      state: 'active',
      used_down: 0,
      total_down: 2 * MIB,
    });
    expect((await extend(plain.id, { days: 30 })).body).toMatchObject({ state: 'limited', used_down: 2 * MIB });
    expect((await read(period.id)).resets_at).toBe('2026-02-24T23:00:00.000Z');
  });
});

describe('a hold', () => {
  it('grows when extended, months and days apart, and begins at the first byte', async () => {
    const { id } = await create({ tariff_id: fixtures.tariffs.held });
    const held = await extend(id, { months: 1 });
    expect(held.body).toMatchObject({ state: 'on_hold', expires_at: null, hold: { months: 1, days: 30 } });
    clock.set(Date.parse('2026-01-31T11:00:00Z'));
    const after = panel.store.events.latestId();
    move(id, 1);
    // 31 January and a month is 28 February, and 30 days.
    expect(await read(id)).toMatchObject({
      state: 'active',
      hold: null,
      expires_at: '2026-03-30T11:00:00.000Z',
      online: true,
    });
    const told = panel.store.events.after(after, 100, null).map(({ type }) => type);
    expect(told).toEqual(['user.first_connected', 'user.activated']);
    move(id, 1);
    expect(panel.store.events.after(after, 100, ['user.first_connected'])).toHaveLength(1);
  });

  it('of a disabled user does not begin', async () => {
    const { id } = await create({ tariff_id: fixtures.tariffs.held, enabled: false });
    move(id, 5);
    expect(await read(id)).toMatchObject({ state: 'disabled', hold: { months: 0, days: 30 }, total_down: 5 });
  });

  it('past 2100 is refused as a term would be', async () => {
    const { id } = await create({ tariff_id: fixtures.tariffs.held });
    for (let more = 0; more < 7; more++) expect((await extend(id, { months: 120 })).status).toBe(200);
    expect((await extend(id, { months: 120 })).problem.detail).toBe('validation');
  });
});

describe('resetting', () => {
  it('starts a new period and leaves lifetime totals', async () => {
    const { id } = await create({ traffic_limit: MIB });
    move(id, 3 * MIB);
    expect(await read(id)).toMatchObject({ state: 'limited', traffic_remaining: 0 });
    clock.advance(1000);
    const { body } = await panel.full.call('resetUserTraffic', { id });
    expect(body).toMatchObject({
      state: 'active',
      used_up: 0,
      used_down: 0,
      total_down: 3 * MIB,
      traffic_remaining: MIB,
    });
  });

  it('does not enable who is disabled', async () => {
    const { id } = await create({ enabled: false });
    expect((await panel.full.call('resetUserTraffic', { id })).body.state).toBe('disabled');
  });

  it.each([
    ['day', '2026-01-10T23:00:00.000Z'],
    ['week', '2026-01-11T23:00:00.000Z'],
    ['month', '2026-01-31T23:00:00.000Z'],
    ['period', '2026-02-09T23:00:00.000Z'],
  ] as const)('by %s: at local midnight, in that very millisecond', async (strategy, at) => {
    const { id } = await create({ traffic_limit: MIB, reset_strategy: strategy, expires_at: '2027-01-01T00:00:00Z' });
    move(id, 2 * MIB);
    expect(await read(id)).toMatchObject({ state: 'limited', resets_at: at });
    clock.set(Date.parse(at) - 1);
    expect((await read(id)).state).toBe('limited');
    clock.advance(1);
    expect(await read(id)).toMatchObject({ state: 'active', used_down: 0, total_down: 2 * MIB });
    expect(Date.parse(String((await read(id)).resets_at))).toBeGreaterThan(clock.now());
  });

  it('on the 31st is clamped to shorter months and comes back to the 31st', async () => {
    clock.set(Date.parse('2026-01-31T12:00:00Z'));
    const { id } = await create({ reset_strategy: 'period', expires_at: '2027-01-01T00:00:00Z' });
    const seen: (string | null)[] = [];
    for (let month = 0; month < 3; month++) {
      const { resets_at } = await read(id);
      seen.push(resets_at);
      clock.set(Date.parse(String(resets_at)));
    }
    expect(seen).toEqual(['2026-02-27T23:00:00.000Z', '2026-03-30T22:00:00.000Z', '2026-04-29T22:00:00.000Z']);
  });

  it('never set: the counter goes on for years', async () => {
    const { id } = await create({ reset_strategy: 'none', expires_at: null });
    move(id, 1);
    clock.advance(900 * DAY);
    expect(await read(id)).toMatchObject({ used_down: 1, resets_at: null, state: 'active' });
  });
});
