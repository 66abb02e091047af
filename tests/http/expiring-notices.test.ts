// Notices before the end of a term: how many days before is a setting; each comes once, at its moment, whatever sets the end.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { UserCreate } from '../../src/contract/users/users.ts';
import { createTestClock, createTestTimers } from '../support/clock.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const START = Date.parse('2026-11-20T10:00:00Z');
const DAY = 86_400_000;
const instant = (ms: number) => new Date(ms).toISOString();

const clock = createTestClock(START);
const timers = createTestTimers();
let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel({ clock, timers });
  fixtures = await fill(panel);
});
beforeEach(async () => {
  clock.set(START);
  await panel.act('updateSettings', { expiring_notice_days: [7, 3, 1] });
});
afterAll(() => panel.stop());

async function createUser(fields: Partial<UserCreate>): Promise<number> {
  return (await panel.act('createUser', { name: 'Anna', tariff_id: fixtures.tariffs.free, ...fields })).id;
}

/** The notices of a user that the feed has after a sweep: `<days> <at>`. */
async function listNotices(id: number): Promise<string[]> {
  timers.tick();
  // What the sweep has queued is before this write.
  await panel.act('createTariff', { name: 'after the sweep' });
  return panel.store.events
    .after(0, 100_000, ['user.expiring'])
    .map(({ data, at }) => ({ at, data: JSON.parse(data) }))
    .filter(({ data }) => data.user_id === id)
    .map(({ data, at }) => `${data.days} ${instant(at)}`);
}

describe('a term', () => {
  it.each([
    ['longer than all notices', 10 * DAY, []],
    ['a millisecond longer than one', 3 * DAY + 1, [7]],
    ['as long as one', 3 * DAY, [3]],
    ['a little shorter than one', 3 * DAY - 1, [3]],
    ['shorter than all', DAY / 2, [1]],
  ] as const)(
    '%s has at its start the shortest notice that has passed, and later the others',
    async (_, length, first) => {
      const end = START + length;
      const id = await createUser({ expires_at: instant(end) });
      expect(await listNotices(id)).toEqual(first.map((days) => `${days} ${instant(START)}`));
      clock.set(end + DAY);
      const later = [7, 3, 1]
        .filter((days) => days * DAY < length)
        .map((days) => `${days} ${instant(end - days * DAY)}`);
      expect(await listNotices(id)).toEqual([...first.map((days) => `${days} ${instant(START)}`), ...later]);
    },
  );

  it('that is set in the past has none', async () => {
    const id = await createUser({ expires_at: instant(START - DAY) });
    expect(await listNotices(id)).toEqual([]);
  });

  it('has its notices again when it is extended, shortened or given another end, but not for another change', async () => {
    const id = await createUser({ expires_at: instant(START + 2 * DAY) });
    clock.set(START + 1000);
    await panel.act('updateUser', { id, note: 'unchanged end' });
    expect(await listNotices(id)).toEqual([`3 ${instant(START)}`]);
    await panel.act('extendUser', { id, days: 4 });
    await panel.act('shortenUser', { id, days: 4 });
    await panel.act('updateUser', { id, expires_at: instant(START + 60_000) });
    await panel.act('updateUser', { id, expires_at: null });
    expect(await listNotices(id)).toEqual([
      `3 ${instant(START)}`,
      `7 ${instant(START + 1000)}`,
      `3 ${instant(START + 1000)}`,
      `1 ${instant(START + 1000)}`,
    ]);
    const [event] = (await panel.read.call('listEvents', { type: 'user.expiring', limit: 500 })).body.items.slice(-1);
    expect(event).toMatchObject({ actor: { kind: 'administrator' }, changed: [], data: { days: 1, user_id: id } });
  });

  it('that begins with the first connection has its first notice then', async () => {
    const { id: tariffId } = await panel.act('createTariff', {
      name: 'Held',
      duration: { days: 3 },
      starts: 'on_first_use',
    });
    const id = await createUser({ tariff_id: tariffId });
    expect(await listNotices(id)).toEqual([]);
    clock.set(START + 5000);
    const moved = { up: 0, down: 1 };
    const move = () =>
      panel.move({ nodeId: fixtures.nodeId, total: moved, users: [{ userId: id, ...moved }], inbounds: [] });
    move();
    move();
    expect(await listNotices(id)).toEqual([`3 ${instant(START + 5000)}`]);
  });
});

describe('the setting', () => {
  it('is stored with the longest notice first, and a bot can read it', async () => {
    const changed = await panel.act('updateSettings', { expiring_notice_days: [2, 30, 14] });
    expect(changed.expiring_notice_days).toEqual([30, 14, 2]);
    expect((await panel.read.call('getSettings')).body.expiring_notice_days).toEqual([30, 14, 2]);
    const before = panel.store.events.latestId();
    await panel.act('updateSettings', { expiring_notice_days: [14, 2, 30] });
    expect(panel.store.events.latestId(), 'the same list changes nothing').toBe(before);
  });

  it.each([[[]], [[0]], [[91]], [[1.5]], [[3, 3]], [[6, 5, 4, 3, 2, 1]], [['3']], [null], [3]])(
    '%j is refused and changes nothing',
    async (days) => {
      await expect(panel.act('updateSettings', { expiring_notice_days: days as never })).rejects.toThrow('validation');
      expect((await panel.read.call('getSettings')).body.expiring_notice_days).toEqual([7, 3, 1]);
    },
  );

  it('changed, announces what is still to come and nothing that has passed', async () => {
    const end = START + 20 * DAY;
    const id = await createUser({ expires_at: instant(end) });
    const held = await createUser({ expires_at: null });
    clock.set(end - 5 * DAY);
    // The notice of 7 days is due and not swept yet: it still comes, as it was asked for then.
    await panel.act('updateSettings', { expiring_notice_days: [10, 6, 5, 4, 2] });
    const first = [`7 ${instant(end - 7 * DAY)}`];
    expect(await listNotices(id), 'after the change').toEqual(first);
    expect(panel.store.users.get(id)?.dueAt).toBe(end - 4 * DAY);
    expect(panel.store.users.get(held)?.dueAt).toBeNull();

    clock.set(end - 3.5 * DAY);
    await panel.act('updateSettings', { expiring_notice_days: [7, 3, 1] });
    expect(panel.store.users.get(id)?.dueAt).toBe(end - 3 * DAY);
    clock.set(end + DAY);
    expect(await listNotices(id)).toEqual([
      ...first,
      `4 ${instant(end - 4 * DAY)}`,
      `3 ${instant(end - 3 * DAY)}`,
      `1 ${instant(end - DAY)}`,
    ]);
    await panel.act('updateSettings', { expiring_notice_days: [2] });
    expect(await listNotices(id), 'a term that is over has none').toHaveLength(4);
  });

  it('changed together with the time zone, reworks every user', async () => {
    const end = START + 40 * DAY;
    const one = { name: 'One of many', tariff_id: fixtures.tariffs.free, expires_at: instant(end) };
    const users = Array.from({ length: 300 }, () => one);
    for (let batch = 0; batch < 2; batch++) await panel.full.call('createUsers', { users });
    await panel.act('updateSettings', { expiring_notice_days: [21], time_zone: 'Asia/Tokyo' });
    const dues = panel.store.users
      .rows(panel.store.users.ids({ expiresAfter: end, expiresBefore: end + 1 }, START))
      .map(({ dueAt, expiresAt }) => Number(expiresAt) - Number(dueAt));
    expect(dues).toHaveLength(600);
    expect(new Set(dues)).toEqual(new Set([21 * DAY]));
  });
});
