// The second in which a term ends: record, filter, count, overview, metrics, link and feed say the same before, in and after it,
// and each end is told once with its true moment, also when the panel was stopped.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { USER_STATES, type UserState } from '../../src/contract/users/users.ts';
import { createTestClock, createTestTimers } from '../support/clock.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const START = Date.parse('2026-11-20T10:00:00Z');
const DAY = 86_400_000;
const instant = (ms: number) => new Date(ms).toISOString();

/** What every way of asking says about who is in which state. */
async function readUser(panel: TestPanel, id: number): Promise<Record<string, unknown>> {
  const { read } = panel;
  const record = (await read.call('getUser', { id })).body.state;
  const filters: Record<string, boolean> = {};
  const counts: Record<string, number> = {};
  const inBulk: Record<string, number> = {};
  for (const state of USER_STATES) {
    const list = (await read.call('listUsers', { state, limit: 500 })).body;
    filters[state] = list.items.some((user) => user.id === id);
    counts[state] = list.total;
    for (const user of list.items) expect(user.state, `in the list of ${state}`).toBe(state);
    expect(list.items).toHaveLength(list.total);
    const dry = await panel.full.call('bulkUsers', { action: 'disable', filter: { state }, dry_run: true });
    inBulk[state] = dry.body.matched;
  }
  const { total, active, on_hold, limited, expired, disabled } = (await read.call('getOverview')).body.users;
  const overview = { active, on_hold, limited, expired, disabled };
  expect(Object.values(overview).reduce((sum, count) => sum + count, 0)).toBe(total);
  const text = (await read.call('getMetrics')).text;
  const metrics = Object.fromEntries(
    [...text.matchAll(/^panel_users\{state="(\w+)"\} (\d+)$/gm)].map(([, state, count]) => [state, Number(count)]),
  );
  expect(overview, 'the overview').toEqual(counts);
  expect(metrics, 'the metrics').toEqual(counts);
  expect(inBulk, 'a bulk').toEqual(counts);
  return { record, listed: USER_STATES.filter((state) => filters[state]) };
}

describe('a term ends', () => {
  const clock = createTestClock(START);
  const timers = createTestTimers();
  let panel: TestPanel;
  let fixtures: Fixtures;
  beforeAll(async () => {
    panel = await startPanel({ clock, timers });
    fixtures = await fill(panel);
  });
  afterAll(() => panel.stop());

  const listEvents = (id: number) =>
    panel.store.events
      .after(0, 100_000, null)
      .filter(({ data }) => JSON.parse(data).user_id === id)
      .map(({ type, at }) => `${type} ${instant(at)}`);
  const swept = async () => {
    timers.tick();
    // Whatever the sweep has queued is behind this write.
    await panel.act('createTariff', { name: 'after the sweep' });
  };

  it.each([
    ['a millisecond before', -1, 'active'],
    ['in the very millisecond', 0, 'expired'],
    ['a millisecond after', 1, 'expired'],
  ] as const)('%s, before and after the sweep has seen it', async (_name, by, state) => {
    clock.set(START);
    const end = START + 10 * DAY + 37;
    const { id } = await panel.act('createUser', {
      name: 'Anna',
      tariff_id: fixtures.tariffs.monthly,
      expires_at: instant(end),
    });
    const expected = { record: state, listed: [state] };
    clock.set(end + by);
    expect(await readUser(panel, id)).toEqual(expected);
    await swept();
    expect(await readUser(panel, id)).toEqual(expected);
    const ended = listEvents(id).filter((event) => event.startsWith('user.expired'));
    expect(ended).toEqual(by < 0 ? [] : [`user.expired ${instant(end)}`]);
    const link = await panel.full.as(null).send({
      method: 'GET',
      path: `${panel.origin}/sub/${panel.store.users.get(id)?.token}?format=plain`,
    });
    expect(link.text.includes(panel.store.users.credentials(id).uuid), 'the link').toBe(by < 0);
  });

  it('each notice comes once, in order, with the true moment, however late the sweep', async () => {
    clock.set(START);
    const end = START + 20 * DAY;
    const { id } = await panel.act('createUser', {
      name: 'Late',
      tariff_id: fixtures.tariffs.free,
      expires_at: instant(end),
    });
    clock.set(end + 5 * DAY);
    for (let round = 0; round < 3; round++) await swept();
    await panel.full.call('updateUser', { id, note: 'touched' });
    await swept();
    expect(listEvents(id)).toEqual([
      `user.created ${instant(START)}`,
      `user.expiring ${instant(end - 7 * DAY)}`,
      `user.expiring ${instant(end - 3 * DAY)}`,
      `user.expiring ${instant(end - DAY)}`,
      `user.expired ${instant(end)}`,
      `user.changed ${instant(end + 5 * DAY)}`,
    ]);
  });

  it('an act that comes before the sweep tells what time did first', async () => {
    clock.set(START);
    const end = START + DAY;
    const { id } = await panel.act('createUser', {
      name: 'Act',
      tariff_id: fixtures.tariffs.free,
      expires_at: instant(end),
    });
    clock.set(end + 1000);
    await panel.full.call('extendUser', { id, days: 1 });
    await swept();
    expect(listEvents(id).slice(1)).toEqual([
      `user.expiring ${instant(START)}`,
      `user.expired ${instant(end)}`,
      `user.extended ${instant(end + 1000)}`,
      `user.expiring ${instant(end + 1000)}`,
      `user.activated ${instant(end + 1000)}`,
    ]);
  });

  it.each([
    ['two days', 2],
    ['ten years', 3650],
  ] as const)('a clock that jumped by %s and came back leaves no user expired', async (_name, days) => {
    clock.set(START);
    const end = START + DAY;
    const { id } = await panel.act('createUser', {
      name: 'Jumped',
      tariff_id: fixtures.tariffs.free,
      expires_at: instant(end),
    });
    clock.set(START + days * DAY);
    await swept();
    expect(await readUser(panel, id)).toEqual({ record: 'expired', listed: ['expired'] });

    clock.set(START + 1000);
    const again = { record: 'active', listed: ['active'] };
    expect(await readUser(panel, id), 'before the sweep').toEqual(again);
    await swept();
    expect(await readUser(panel, id), 'after the sweep').toEqual(again);
    expect(panel.store.users.get(id)?.state).toBe('active');
    expect(listEvents(id).at(-1)).toBe(`user.activated ${instant(START + 1000)}`);
    await swept();
    expect(listEvents(id).filter((event) => event.startsWith('user.activated'))).toHaveLength(1);

    clock.set(end);
    await swept();
    expect(await readUser(panel, id)).toEqual({ record: 'expired', listed: ['expired'] });
    expect(listEvents(id).filter((event) => event.startsWith('user.expired'))).toEqual([
      `user.expired ${instant(end)}`,
    ]);
  });

  it('an act that comes before the sweep tells first that the clock came back', async () => {
    clock.set(START);
    const end = START + DAY;
    const { id } = await panel.act('createUser', {
      name: 'Act',
      tariff_id: fixtures.tariffs.free,
      expires_at: instant(end),
    });
    clock.set(end + DAY);
    await swept();
    clock.set(START + 1000);
    await panel.act('updateUser', { id, note: 'touched' });
    expect(listEvents(id).slice(-2)).toEqual([
      `user.activated ${instant(START + 1000)}`,
      `user.changed ${instant(START + 1000)}`,
    ]);
    expect(await readUser(panel, id)).toEqual({ record: 'active', listed: ['active'] });
  });

  it('a clock that was set back leaves every answer agreed, and the end is told once', async () => {
    clock.set(START);
    const end = START + DAY;
    const { id } = await panel.act('createUser', {
      name: 'Back',
      tariff_id: fixtures.tariffs.free,
      expires_at: instant(end),
    });
    for (const now of [end + 10, end - 10, end + 20]) {
      clock.set(now);
      await swept();
      const { record, listed } = await readUser(panel, id);
      expect(listed).toEqual([record]);
    }
    expect(listEvents(id).filter((event) => event.startsWith('user.expired'))).toHaveLength(1);
  });

  it('limits and resets change the state in their second too', async () => {
    clock.set(START);
    const { id, resets_at } = await panel.act('createUser', {
      name: 'Reset',
      tariff_id: fixtures.tariffs.free,
      traffic_limit: 10,
      reset_strategy: 'day',
    });
    panel.move({
      nodeId: fixtures.nodeId,
      total: { up: 0, down: 10 },
      users: [{ userId: id, up: 0, down: 10 }],
      inbounds: [],
    });
    const at = Date.parse(String(resets_at));
    for (const [now, state] of [
      [at - 1, 'limited'],
      [at, 'active'],
      [at + 1, 'active'],
    ] as const) {
      clock.set(now);
      expect(await readUser(panel, id)).toEqual({ record: state, listed: [state] });
    }
    await swept();
    expect(listEvents(id).slice(-2)).toEqual([`user.reset ${resets_at}`, `user.activated ${resets_at}`]);
  });
});

describe('while the panel is stopped', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-stopped-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('terms end, and at the next start each end is told once with its true moment, and nothing is lost', async () => {
    const clock = createTestClock(START);
    const first = await startPanel({ clock, folder });
    const { id: tariffId } = await first.act('createTariff', { name: 'T' });
    const ends = Array.from({ length: 250 }, (_, index) => START + DAY + (index + 1) * 1000);
    for (const end of ends) {
      await first.act('createUser', { name: `u${end}`, tariff_id: tariffId, expires_at: instant(end) });
    }
    const cursor = (await first.read.call('listEvents', { limit: 500 })).body.next_after;
    await first.stop();

    clock.set(START + 30 * DAY);
    const second = await startPanel({ clock, folder });
    const told: string[] = [];
    // The sweep begins with the start, in chunks: the last of them is waited for through the feed.
    for (let after = cursor; told.length < ends.length; ) {
      const page = (await second.read.call('listEvents', { after, type: 'user.expired', limit: 500 })).body;
      told.push(...page.items.map(({ at }) => at));
      after = page.next_after;
    }
    expect(told).toEqual(ends.map(instant));
    expect((await second.read.call('listUsers', { state: 'expired' })).body.total).toBe(ends.length);
    await second.stop();

    const third = await startPanel({ clock, folder });
    const before = third.store.events.latestId();
    clock.advance(DAY);
    await third.act('createTariff', { name: 'another' });
    expect(third.store.events.after(before, 100, null).map(({ type }) => type)).toEqual(['tariff.created']);
    expect((await third.read.call('listUsers', {})).body.total satisfies number).toBe(ends.length);
    const states = third.store.users.countsByState(clock.now()) satisfies Readonly<Record<UserState, number>>;
    expect(states.expired).toBe(ends.length);
    await third.stop();
  });
});
