// Statistics: no point left out, and sums that agree with what came in.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TrafficReport } from '../../src/contract/stats.ts';
import { expiringSoon } from '../../src/renderer/src/features/overview/expiring-soon.ts';
import { parseFilter } from '../../src/renderer/src/features/users/filter.ts';
import { parseRoute } from '../../src/renderer/src/router/route.ts';
import { createTestClock } from '../support/clock.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
// A quarter past the hour, in a zone where summer time ended within the last 30 days.
const NOW = Date.parse('2026-11-10T10:15:00Z');
const clock = createTestClock(NOW - 40 * DAY);

let panel: TestPanel;
let fixtures: Fixtures;
let userId: number;
let otherNode: number;
/** What was moved, by the millisecond. */
const moves: { at: number; node: number; user: boolean; up: number; down: number }[] = [];

const move = (at: number, up: number, down: number, node = fixtures.nodeId, users: readonly number[] = []) => {
  clock.set(at);
  moves.push({ at, node, user: users.includes(userId), up, down });
  const inbounds = node === fixtures.nodeId ? [{ inboundId: fixtures.inboundIds[1] ?? 0, up, down }] : [];
  panel.move({ nodeId: node, total: { up, down }, users: users.map((id) => ({ userId: id, up, down })), inbounds });
};

beforeAll(async () => {
  panel = await startPanel({ clock, timeZone: 'Europe/Berlin' });
  fixtures = await fill(panel);
  userId = (await panel.act('createUser', { name: 'Mover', tariff_id: fixtures.tariffs.free })).id;
  otherNode = (await panel.act('createNode', { name: 'Other', address: 'other.example' })).id;
  // The fixtures's own traffic lies 40 days back, out of every range but the totals.
  for (let back = 35 * 24; back >= 0; back -= 5) {
    const isUsers = back % 3 === 0;
    move(NOW - back * HOUR, 1 + back, 10 * back, back % 2 ? otherNode : fixtures.nodeId, isUsers ? [userId] : []);
  }
  clock.set(NOW);
});
afterAll(() => panel.stop());

function sum(of: readonly { up: number; down: number }[]): { up: number; down: number } {
  return of.reduce((total, { up, down }) => ({ up: total.up + up, down: total.down + down }), { up: 0, down: 0 });
}

/** The report must hold each move in the point it fell into, and nothing else. */
function expectPoints(report: TrafficReport, of: typeof moves): void {
  const starts = report.points.map(({ t }) => Date.parse(t));
  const ends = [...starts.slice(1), Number.POSITIVE_INFINITY];
  const expected = starts.map((start, index) => ({
    t: new Date(start).toISOString(),
    ...sum(of.filter(({ at }) => at >= start && at < (ends[index] ?? 0))),
  }));
  expect(report.points).toEqual(expected);
  expect(report.total).toEqual(sum(report.points));
  expect(report.from).toBe(report.points[0]?.t);
  expect(report.to).toBe(new Date(NOW).toISOString());
}

describe('traffic over time', () => {
  it.each([
    ['24h', 24],
    ['7d', 168],
  ] as const)('%s: %d hours, none left out, the last one current', async (range, count) => {
    const report = (await panel.read.call('getServerTraffic', { range })).body;
    expect(report).toMatchObject({ range, step: 'hour' });
    expect(report.points).toHaveLength(count);
    const last = Date.parse('2026-11-10T10:00:00Z');
    expect(report.points.map(({ t }) => Date.parse(t))).toEqual(
      Array.from({ length: count }, (_, index) => last - (count - 1 - index) * HOUR),
    );
    expectPoints(report, moves);
  });

  it('30d: 30 local days, the one with 25 hours among them', async () => {
    const report = (await panel.read.call('getServerTraffic', { range: '30d' })).body;
    expect(report).toMatchObject({ range: '30d', step: 'day' });
    expect(report.points).toHaveLength(30);
    const starts = report.points.map(({ t }) => Date.parse(t));
    const lengths = starts.slice(1).map((start, index) => (start - (starts[index] ?? 0)) / HOUR);
    expect(lengths.filter((hours) => hours !== 24)).toEqual([25]);
    expect(report.points.at(-1)?.t).toBe('2026-11-09T23:00:00.000Z');
    expectPoints(report, moves);
  });

  it.each(['24h', '7d', '30d'] as const)('%s of one node, and of one user', async (range) => {
    const ofNode = (await panel.read.call('getServerTraffic', { range, node_id: otherNode })).body;
    expectPoints(
      ofNode,
      moves.filter(({ node }) => node === otherNode),
    );
    const ofUser = (await panel.read.call('getUserTraffic', { id: userId, range })).body;
    expectPoints(
      ofUser,
      moves.filter(({ user }) => user),
    );
    expect(ofUser.total.down).toBeGreaterThan(0);
  });

  it('is 24h unless asked otherwise, and empty where nothing moved', async () => {
    expect((await panel.read.call('getServerTraffic', {})).body.range).toBe('24h');
    const { body } = await panel.read.call('getUserTraffic', { id: fixtures.users.disabled.id });
    expect(body).toMatchObject({ range: '24h', total: { up: 0, down: 0 } });
    expect(body.points).toHaveLength(24);
    for (const range of ['1h', '30D', '', '24h ']) {
      const { problem } = await panel.read.send({
        method: 'GET',
        path: `/stats/traffic?range=${encodeURIComponent(range)}`,
      });
      expect(problem).toMatchObject({ detail: 'validation', errors: [{ parameter: 'range' }] });
    }
  });
});

describe("a user's traffic by node", () => {
  const at = (ms: number) => new Date(ms).toISOString();
  const read = (query: object) => panel.read.call('getUserTrafficByNode', { id: userId, ...query });
  const computeShare = (node: number, from: number, to: number) =>
    sum(moves.filter((one) => one.user && one.node === node && one.at >= from && one.at < to));

  it('is of 30 local days, most traffic first', async () => {
    const from = Date.parse('2026-10-11T22:00:00Z');
    const shares = [
      { node_id: fixtures.nodeId, ...computeShare(fixtures.nodeId, from, NOW + 1) },
      { node_id: otherNode, ...computeShare(otherNode, from, NOW + 1) },
    ].sort((a, b) => b.up + b.down - a.up - a.down);
    const { body } = await read({});
    expect(body).toMatchObject({ from: at(from), to: at(NOW), total: sum(shares), nodes: shares });
    expect(Math.min(...shares.map(({ down }) => down))).toBeGreaterThan(0);
    const byDay = (await panel.read.call('getUserTraffic', { id: userId, range: '30d' })).body;
    expect(body.total).toEqual(byDay.total);
  });

  it('is of the whole days that are asked for, also where a node was deleted', async () => {
    const { id: gone } = await panel.act('createNode', { name: 'Gone', address: 'gone.example' });
    move(NOW - 3 * DAY, 7, 70, gone, [userId]);
    clock.set(NOW);
    await panel.act('deleteNode', { id: gone });
    const { body } = await read({ from: '2026-11-07T12:00:00+01:00', to: '2026-11-08T00:00:00+01:00' });
    const [from, to] = [Date.parse('2026-11-06T23:00:00Z'), Date.parse('2026-11-07T23:00:00Z')];
    expect(body.nodes).toContainEqual({ node_id: gone, name: null, up: 7, down: 70 });
    for (const { node_id, up, down } of body.nodes) expect({ up, down }).toEqual(computeShare(node_id, from, to));
    expect(body.total).toEqual(sum(body.nodes));
    const future = await read({ from: at(NOW + DAY) });
    expect(future.problem).toMatchObject({ detail: 'validation', errors: [{ parameter: 'from' }] });
    expect((await panel.read.call('getUserTrafficByNode', { id: 4_000_000 })).problem.detail).toBe('not_found');
  });
});

describe('a window of traffic', () => {
  const at = (ms: number) => new Date(ms).toISOString();
  const read = (query: object) => panel.read.call('getServerTraffic', query);

  it('has every hour that it touches', async () => {
    const [from, to] = [NOW - 50 * HOUR, NOW - 20 * HOUR];
    const { body } = await read({ from: at(from), to: at(to) });
    expect(body).toMatchObject({ range: null, step: 'hour', from: '2026-11-08T08:00:00.000Z', to: at(to) });
    expect(body.points.map(({ t }) => Date.parse(t))).toEqual(
      Array.from({ length: 31 }, (_, index) => Date.parse('2026-11-08T08:00:00Z') + index * HOUR),
    );
    for (const { t, up, down } of body.points) {
      const inHour = moves.filter((one) => one.at >= Date.parse(t) && one.at < Date.parse(t) + HOUR);
      expect({ up, down }).toEqual(sum(inHour));
    }
    expect(body.total).toEqual(sum(body.points));
  });

  it('has every local day that it touches, the one of 25 hours among them', async () => {
    const { body } = await read({ from: '2026-10-24T12:00:00+02:00', to: '2026-10-27T00:00:00+01:00', step: 'day' });
    expect(body.step).toBe('day');
    expect(body.points.map(({ t }) => t)).toEqual([
      '2026-10-23T22:00:00.000Z',
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ]);
    const ends = [...body.points.slice(1).map(({ t }) => t), '2026-10-26T23:00:00.000Z'];
    body.points.forEach(({ t, up, down }, index) => {
      const end = Date.parse(ends[index] ?? '');
      expect({ up, down }).toEqual(sum(moves.filter((one) => one.at >= Date.parse(t) && one.at < end)));
    });
    expect(body.total.down).toBeGreaterThan(0);
  });

  it('is by the hour up to seven days, by the day beyond, and ends now', async () => {
    const steps = async (days: number) => (await read({ from: at(NOW - days * DAY) })).body;
    expect([(await steps(7)).step, (await steps(7.1)).step]).toEqual(['hour', 'day']);
    const later = (await read({ from: at(NOW - HOUR), to: at(NOW + DAY) })).body;
    expect([later.to, later.points.length]).toEqual([at(NOW), 2]);
    const ofUser = await panel.read.call('getUserTraffic', { id: userId, from: at(NOW - 400 * DAY), step: 'day' });
    expect(ofUser.body.total).toEqual(sum(moves.filter(({ user }) => user)));
  });

  it('is refused where it says nothing, or asks for what is no longer stored', async () => {
    const [earlier, later] = [at(NOW - 2 * DAY), at(NOW - DAY)];
    for (const [query, parameter, code] of [
      [{ to: later }, 'from', 'required'],
      [{ step: 'day' }, 'from', 'required'],
      [{ range: '24h', from: earlier }, 'range', 'inconsistent'],
      [{ from: later, to: earlier }, 'from', 'inconsistent'],
      [{ from: later, to: later }, 'from', 'inconsistent'],
      [{ from: at(NOW) }, 'from', 'inconsistent'],
      [{ from: at(NOW - 8 * DAY - 1), step: 'hour' }, 'from', 'too_small'],
      [{ from: at(NOW - 400 * DAY - 1) }, 'from', 'too_small'],
      [{ from: 'yesterday' }, 'from', 'format'],
    ] as const) {
      const { problem } = await read(query);
      expect([problem.detail, problem.errors], JSON.stringify(query)).toMatchObject([
        'validation',
        [{ parameter, code }],
      ]);
    }
  });
});

describe('users by day and by plan', () => {
  it('are counted when they are created, expire and are deleted', async () => {
    const own = createTestClock(Date.parse('2026-11-01T22:30:00Z'));
    await using other = await startPanel({ clock: own, timeZone: 'Europe/Berlin' });
    const day = await other.act('createTariff', { name: 'Day', duration: { days: 1 } });
    const endless = await other.act('createTariff', { name: 'Endless' });
    const create = (tariff_id: number) => other.act('createUser', { name: 'U', tariff_id });
    const first = await create(day.id);
    // Half past midnight of the next local day.
    own.advance(HOUR);
    await create(day.id);
    const { id } = await create(endless.id);
    await other.act('updateUser', { id, tariff_id: null });
    // Both terms have ended; the first one is read and written, the second one only read.
    own.advance(25 * HOUR);
    await other.act('extendUser', { id: first.id, days: 1 });
    await other.act('deleteUser', { id: first.id });
    const { body } = await other.read.call('getUserStats', { from: '2026-11-01T12:00:00Z' });
    expect(body.days).toEqual([
      { t: '2026-10-31T23:00:00.000Z', created: 1, expired: 0, deleted: 0 },
      { t: '2026-11-01T23:00:00.000Z', created: 2, expired: 1, deleted: 0 },
      { t: '2026-11-02T23:00:00.000Z', created: 0, expired: 0, deleted: 1 },
    ]);
    expect(body.total).toEqual({ created: 3, expired: 1, deleted: 1 });
    const none = { active: 0, on_hold: 0, limited: 0, expired: 0, disabled: 0 };
    expect(body.by_tariff).toEqual([
      { tariff_id: null, name: null, total: 1, ...none, active: 1 },
      { tariff_id: day.id, name: 'Day', total: 1, ...none, expired: 1 },
    ]);
    const { days } = (await other.read.call('getUserStats')).body;
    expect([days.length, days.at(-1)?.t]).toEqual([30, '2026-11-02T23:00:00.000Z']);
    // Half past midnight after the clock went forward: 30 days of 24 hours ago is a day earlier.
    own.set(Date.parse('2027-03-31T22:30:00Z'));
    const spring = (await other.read.call('getUserStats')).body.days;
    expect([spring.length, spring.at(0)?.t]).toEqual([30, '2027-03-02T23:00:00.000Z']);
    const wrong = await other.read.call('getUserStats', { from: '2026-01-01T00:00:00Z' });
    expect(wrong.problem.errors).toMatchObject([{ parameter: 'from', code: 'too_small' }]);
  });
});

describe('the overview', () => {
  it('counts users, days and the month of the panel’s time zone', async () => {
    const { body } = await panel.read.call('getOverview');
    const local = (at: number) => new Date(at + HOUR).toISOString().slice(0, 10);
    const on = (day: string) => sum(moves.filter(({ at }) => local(at) === day));
    expect(body.traffic.today).toEqual(on('2026-11-10'));
    expect(body.traffic.yesterday).toEqual(on('2026-11-09'));
    expect(body.traffic.month).toEqual(sum(moves.filter(({ at }) => local(at).startsWith('2026-11'))));
    // Nodes that were last read days ago are not up.
    expect(body.nodes).toEqual({ total: 2, up: 0 });
    expect(body.generated_at).toBe(new Date(NOW).toISOString());
    const own = sum(moves.filter(({ at, user }) => user && local(at).startsWith('2026-11')));
    expect(body.top_users).toEqual([{ id: userId, name: 'Mover', ...own }]);
  });

  it('says who is online by the second, and whose term ends within 7 days', async () => {
    const expiring = async () => (await panel.read.call('getOverview')).body.users.expiring_7d;
    const before = await expiring();
    for (const days of [6, 7, 8]) {
      const expires_at = new Date(NOW + days * DAY).toISOString();
      await panel.act('createUser', { name: 'e', tariff_id: fixtures.tariffs.free, expires_at });
      await panel.act('createUser', { name: 'e', tariff_id: fixtures.tariffs.free, expires_at, enabled: false });
    }
    expect(await expiring()).toBe(before + 2);
    const online = async (at: number) => {
      clock.set(at);
      return [
        (await panel.read.call('getOverview')).body.users.online,
        (await panel.read.call('listUsers', { online: true })).body.total,
        Number((await panel.read.call('getUser', { id: userId })).body.online),
      ];
    };
    move(NOW, 1, 1, fixtures.nodeId, [userId]);
    expect(await online(NOW + 59_999)).toEqual([1, 1, 1]);
    expect(await online(NOW + 60_000)).toEqual([0, 0, 0]);
    clock.set(NOW);
  });

  it('has figures of exactly the lists that the page opens for them', async () => {
    for (const ms of [0, 1, 7 * DAY, 7 * DAY + 1]) {
      const expires_at = new Date(NOW + ms).toISOString();
      for (const enabled of [true, false]) {
        await panel.act('createUser', { name: 'edge', tariff_id: fixtures.tariffs.free, expires_at, enabled });
      }
    }
    move(NOW, 1, 1, fixtures.nodeId, [userId]);
    const { users, generated_at } = (await panel.read.call('getOverview')).body;
    const readTotal = async (query: object) => (await panel.read.call('listUsers', query)).body.total;
    expect(users).toEqual({
      total: await readTotal({}),
      active: await readTotal({ state: 'active' }),
      on_hold: await readTotal({ state: 'on_hold' }),
      limited: await readTotal({ state: 'limited' }),
      expired: await readTotal({ state: 'expired' }),
      disabled: await readTotal({ state: 'disabled' }),
      online: await readTotal({ online: true }),
      expiring_7d: await readTotal(parseFilter(parseRoute(expiringSoon(generated_at)).query)),
    });
    expect([users.online, users.expiring_7d > 1, users.expired > 1]).toEqual([1, true, true]);
    const { by_tariff } = (await panel.read.call('getUserStats')).body;
    for (const { tariff_id, total } of by_tariff) {
      if (tariff_id !== null) expect(await readTotal({ tariff_id })).toBe(total);
    }
  });
});
