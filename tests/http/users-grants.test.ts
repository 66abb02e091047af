// Traffic grants over the wire: what is spent first, what survives a reset, what a state makes of them.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GrantCreate } from '../../src/contract/users/grants.ts';
import { createTestClock } from '../support/clock.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const START = Date.parse('2026-11-20T10:00:00Z');
const DAY = 86_400_000;
const clock = createTestClock(START);

let panel: TestPanel;
let fixtures: Fixtures;
let id: number;
beforeAll(async () => {
  panel = await startPanel({ clock });
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());
beforeEach(async () => {
  clock.set(START);
  const dated = { traffic_limit: 100, reset_strategy: 'month', expires_at: '2028-01-01T00:00:00Z' } as const;
  id = (await panel.act('createUser', { name: 'Anna', tariff_id: fixtures.tariffs.monthly, ...dated })).id;
});

const grant = async (body: GrantCreate) => {
  const answer = await panel.full.call('createGrant', { id, ...body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const read = async () => (await panel.read.call('getUser', { id })).body;
const left = async () =>
  Object.fromEntries(
    (await panel.read.call('listGrants', { id })).body.items.map(({ note, bytes_left }) => [note, bytes_left]),
  );
const move = (down: number) =>
  panel.move({ nodeId: fixtures.nodeId, total: { up: 0, down }, users: [{ userId: id, up: 0, down }], inbounds: [] });

describe('a grant', () => {
  it('is answered as it will be read, where Location says', async () => {
    const answer = await panel.full.call('createGrant', { id, bytes: 50, lifetime: 'days', days: 3, note: 'gift' });
    const { id: grantId, ...rest } = answer.body;
    expect(rest).toEqual({
      bytes: 50,
      bytes_left: 50,
      state: 'open',
      lifetime: 'days',
      days: 3,
      note: 'gift',
      ends_at: '2026-11-23T10:00:00.000Z',
      created_at: '2026-11-20T10:00:00.000Z',
    });
    expect(answer.headers.location).toBe(`/${panel.secretPath}/api/v1/users/${id}/grants/${grantId}`);
    expect((await panel.read.call('getGrant', { id, grant_id: grantId })).body).toEqual(answer.body);
    expect(await read()).toMatchObject({ traffic_extra: 50, traffic_remaining: 150 });
  });

  it('goes with days only where its lifetime is days', async () => {
    const wrong = [
      { bytes: 1, lifetime: 'days' },
      { bytes: 1, lifetime: 'used', days: 3 },
      { bytes: 1, lifetime: 'period', days: 3 },
      { bytes: 0, lifetime: 'used' },
      { bytes: 2 ** 50 + 1, lifetime: 'used' },
      { bytes: 1, lifetime: 'forever' },
      { bytes: 1, lifetime: 'days', days: 3651 },
    ];
    for (const body of wrong) {
      expect((await panel.full.call('createGrant', { id, ...body } as never)).problem.detail).toBe('validation');
    }
    expect((await read()).traffic_extra).toBe(0);
  });

  it('is spent only beyond the limit, the one ending soonest first, `used` last', async () => {
    await grant({ bytes: 10, lifetime: 'used', note: 'used' });
    await grant({ bytes: 10, lifetime: 'days', days: 30, note: 'in 30 days' });
    await grant({ bytes: 10, lifetime: 'period', note: 'period' });
    await grant({ bytes: 10, lifetime: 'days', days: 2, note: 'in 2 days' });
    move(100);
    expect(await left()).toEqual({ used: 10, 'in 30 days': 10, period: 10, 'in 2 days': 10 });
    expect((await read()).state).toBe('active');
    const steps = [
      { used: 10, 'in 30 days': 10, period: 10, 'in 2 days': 0 },
      // The month ends on the 30th, before 30 days are over.
      { used: 10, 'in 30 days': 10, period: 0, 'in 2 days': 0 },
      { used: 10, 'in 30 days': 0, period: 0, 'in 2 days': 0 },
      { used: 0, 'in 30 days': 0, period: 0, 'in 2 days': 0 },
    ];
    for (const step of steps) {
      expect((await read()).state).toBe('active');
      move(10);
      expect(await left()).toEqual(step);
    }
    expect(await read()).toMatchObject({ state: 'limited', traffic_extra: 0, traffic_remaining: 0, used_down: 140 });
  });

  it('overspent is not owed later', async () => {
    await grant({ bytes: 10, lifetime: 'used', note: 'a' });
    move(500);
    expect(await read()).toMatchObject({ state: 'limited', used_down: 500 });
    await grant({ bytes: 10, lifetime: 'used', note: 'b' });
    expect(await read()).toMatchObject({ state: 'active', traffic_remaining: 10 });
    expect(await left()).toEqual({ a: 0, b: 10 });
  });

  it('survives a reset, unless it is of the period', async () => {
    await grant({ bytes: 10, lifetime: 'used', note: 'used' });
    await grant({ bytes: 10, lifetime: 'period', note: 'period' });
    await grant({ bytes: 10, lifetime: 'days', days: 300, note: 'days' });
    const { body } = await panel.full.call('resetUserTraffic', { id });
    expect(body.traffic_extra).toBe(20);
    expect(await left()).toEqual({ used: 10, period: 0, days: 10 });
    await grant({ bytes: 10, lifetime: 'period', note: 'next' });
    clock.set(Date.parse('2026-11-30T23:00:00Z') - 1);
    expect((await read()).traffic_extra).toBe(30);
    clock.advance(1);
    expect((await read()).traffic_extra).toBe(20);
    expect(await left()).toEqual({ used: 10, period: 0, days: 10, next: 0 });
  });

  it('ends with its last day, in that very millisecond', async () => {
    const { ends_at } = await grant({ bytes: 10, lifetime: 'days', days: 1, note: 'a day' });
    move(101);
    expect(Date.parse(String(ends_at))).toBe(START + DAY);
    clock.set(START + DAY - 1);
    expect(await read()).toMatchObject({ state: 'active', traffic_extra: 9 });
    clock.advance(1);
    expect(await read()).toMatchObject({ state: 'limited', traffic_extra: 0 });
    expect(await left()).toEqual({ 'a day': 0 });
  });

  it('is not touched while there is no limit, nor by a limit changed later', async () => {
    await grant({ bytes: 10, lifetime: 'used', note: 'a' });
    await panel.full.call('updateUser', { id, traffic_limit: null });
    move(1000);
    expect(await left()).toEqual({ a: 10 });
    expect((await panel.full.call('updateUser', { id, traffic_limit: 100 })).body).toMatchObject({
      state: 'active',
      used_down: 1000,
      traffic_extra: 10,
      traffic_remaining: 10,
    });
    move(4);
    expect(await left()).toEqual({ a: 6 });
    await panel.full.call('updateUser', { id, traffic_limit: 2000 });
    expect(await left(), 'no refund').toEqual({ a: 6 });
  });

  it('brings a limited user back, and taken back limits them again', async () => {
    move(100);
    expect((await read()).state).toBe('limited');
    const after = panel.store.events.latestId();
    const { id: grantId } = await grant({ bytes: 50, lifetime: 'used' });
    expect((await read()).state).toBe('active');
    expect((await panel.full.call('deleteGrant', { id, grant_id: grantId })).status).toBe(204);
    expect((await read()).state).toBe('limited');
    expect((await panel.full.call('deleteGrant', { id, grant_id: grantId })).status).toBe(404);
    const types = panel.store.events.after(after, 100, null).map(({ type }) => type);
    expect(types).toEqual(['user.granted', 'user.activated', 'user.changed', 'user.limited']);
  });

  it('is of one user: another user’s path does not find it', async () => {
    const { id: grantId } = await grant({ bytes: 10, lifetime: 'used' });
    const other = fixtures.users.active.id;
    expect((await panel.full.call('getGrant', { id: other, grant_id: grantId })).status).toBe(404);
    expect((await panel.full.call('deleteGrant', { id: other, grant_id: grantId })).status).toBe(404);
    expect((await read()).traffic_extra).toBe(10);
  });

  it('all together hold at most 2^53-1 bytes', async () => {
    const all = Math.floor((2 ** 53 - 1) / 2 ** 50);
    for (let count = 0; count < all; count++) await grant({ bytes: 2 ** 50, lifetime: 'used' });
    await grant({ bytes: 2 ** 50 - 1, lifetime: 'used' });
    expect((await read()).traffic_extra).toBe(2 ** 53 - 1);
    const over = await panel.full.call('createGrant', { id, bytes: 1, lifetime: 'used' });
    expect(over.problem).toMatchObject({ status: 422, detail: 'validation', errors: [{ pointer: '#/bytes' }] });
  });

  it('is open, used up or ended, and stays so', async () => {
    await grant({ bytes: 10, lifetime: 'used', note: 'spent' });
    await grant({ bytes: 10, lifetime: 'days', days: 1, note: 'spent in time' });
    await grant({ bytes: 10, lifetime: 'days', days: 2, note: 'passed' });
    await grant({ bytes: 10, lifetime: 'period', note: 'reset' });
    const states = async () => {
      const { items } = (await panel.read.call('listGrants', { id })).body;
      return Object.fromEntries(items.map(({ note, state }) => [note, state]));
    };
    expect(await states()).toEqual({ spent: 'open', 'spent in time': 'open', passed: 'open', reset: 'open' });
    move(100);
    move(10);
    expect(await states()).toMatchObject({ 'spent in time': 'used_up', passed: 'open' });
    // The end of the days and of the period, read before the sweep has written it and after.
    clock.set(clock.now() + 45 * DAY);
    const over = { 'spent in time': 'used_up', passed: 'ended', reset: 'ended', spent: 'open' };
    expect(await states()).toEqual(over);
    const named = async (state: 'open' | 'used_up' | 'ended') => {
      const { items, total } = (await panel.read.call('listGrants', { id, state })).body;
      expect(total).toBe(items.length);
      return items.map(({ note }) => note);
    };
    expect(await named('ended')).toEqual(['reset', 'passed']);
    move(110);
    const ended = { ...over, spent: 'used_up' };
    expect(await states()).toEqual(ended);
    expect([await named('open'), await named('used_up'), await named('ended')]).toEqual([
      [],
      ['spent in time', 'spent'],
      ['reset', 'passed'],
    ]);
  });

  it('lists the newest first, ended ones included, page by page', async () => {
    for (let count = 1; count <= 5; count++) await grant({ bytes: count, lifetime: 'used', note: `${count}` });
    const first = (await panel.read.call('listGrants', { id, limit: 2 })).body;
    expect(first).toMatchObject({ total: 5, limit: 2, offset: 0 });
    expect(first.items.map(({ note }) => note)).toEqual(['5', '4']);
    const last = (await panel.read.call('listGrants', { id, limit: 2, offset: 4 })).body;
    expect(last.items.map(({ note }) => note)).toEqual(['1']);
  });
});
