// Statistics: no point left out, and sums that agree with what came in.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TrafficReport } from '../../src/contract/stats.ts';
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
    const report = (await panel.read.call('getTraffic', { range })).body;
    expect(report).toMatchObject({ range, step: 'hour' });
    expect(report.points).toHaveLength(count);
    const last = Date.parse('2026-11-10T10:00:00Z');
    expect(report.points.map(({ t }) => Date.parse(t))).toEqual(
      Array.from({ length: count }, (_, index) => last - (count - 1 - index) * HOUR),
    );
    expectPoints(report, moves);
  });

  it('30d: 30 local days, the one with 25 hours among them', async () => {
    const report = (await panel.read.call('getTraffic', { range: '30d' })).body;
    expect(report).toMatchObject({ range: '30d', step: 'day' });
    expect(report.points).toHaveLength(30);
    const starts = report.points.map(({ t }) => Date.parse(t));
    const lengths = starts.slice(1).map((start, index) => (start - (starts[index] ?? 0)) / HOUR);
    expect(lengths.filter((hours) => hours !== 24)).toEqual([25]);
    expect(report.points.at(-1)?.t).toBe('2026-11-09T23:00:00.000Z');
    expectPoints(report, moves);
  });

  it.each(['24h', '7d', '30d'] as const)('%s of one node, and of one user', async (range) => {
    const ofNode = (await panel.read.call('getTraffic', { range, node_id: otherNode })).body;
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
    expect((await panel.read.call('getTraffic', {})).body.range).toBe('24h');
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

describe('the overview', () => {
  it('counts users, days and the month of the panel’s time zone', async () => {
    const { body } = await panel.read.call('getOverview');
    const local = (at: number) => new Date(at + HOUR).toISOString().slice(0, 10);
    const on = (day: string) => sum(moves.filter(({ at }) => local(at) === day));
    expect(body.traffic.today).toEqual(on('2026-11-10'));
    expect(body.traffic.yesterday).toEqual(on('2026-11-09'));
    expect(body.traffic.month).toEqual(sum(moves.filter(({ at }) => local(at).startsWith('2026-11'))));
    expect(body.nodes).toEqual({ total: 2, up: 1 });
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
});
