// At the edge of every bound: the largest numbers, the longest texts, the last moments. All is read back as documented.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/contract/table.ts';
import { createTestClock } from '../support/clock.ts';
import { API_IDS, buildFixture, type Fixtures, fill } from '../support/fixtures.ts';
import { createOpenApiCheck, type OpenApiCheck } from '../support/openapi-check.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const MAX = Number.MAX_SAFE_INTEGER;
const HOUR = 3_600_000;
const clock = createTestClock(Date.parse('2026-11-20T10:00:00Z'));

let panel: TestPanel;
let fixtures: Fixtures;
let check: OpenApiCheck;
beforeAll(async () => {
  panel = await startPanel({ clock });
  fixtures = await fill(panel);
  check = createOpenApiCheck((await panel.read.call('getOpenApi')).body);
});
afterAll(() => panel.stop());

/** Every reading operation answers as documented, to both keys. */
async function readAll(): Promise<void> {
  for (const id of API_IDS) {
    const { method, path } = OPERATIONS[id];
    if (method !== 'GET') continue;
    const request = await buildFixture(id, panel, fixtures);
    const ranged =
      id === 'getServerTraffic' || id === 'getUserTraffic' ? ['?range=24h', '?range=7d', '?range=30d'] : [''];
    for (const query of ranged) {
      for (const client of [panel.full, panel.read]) {
        const answer = await client.send({ ...request, path: request.path + query });
        expect(check.findFaults(path, method, answer), `${id}${query}: ${answer.text.slice(0, 300)}`).toEqual([]);
        expect(answer.status, id).toBe(200);
      }
    }
  }
}

const huge = { up: MAX, down: MAX };
const moveHuge = (userId: number) => {
  const [inboundId = 0] = fixtures.inboundIds;
  panel.move({
    nodeId: fixtures.nodeId,
    total: huge,
    users: [{ userId, ...huge }],
    inbounds: [{ inboundId, ...huge }],
  });
};

describe('the largest', () => {
  it('traffic: counters stop at 2^53-1 and stay exact', async () => {
    const { id } = fixtures.users.active;
    for (let hour = 0; hour < 4; hour++) {
      moveHuge(id);
      moveHuge(fixtures.users.limited.id);
      clock.advance(13 * HOUR);
    }
    const user = (await panel.read.call('getUser', { id })).body;
    expect(user).toMatchObject({ total_up: MAX, total_down: MAX, state: 'limited', traffic_remaining: 0 });
    expect((await panel.read.call('getOverview')).body.traffic.month).toEqual({ up: MAX, down: MAX });
    await readAll();
  });

  it('traffic of who has no limit, and on a user made afterwards', async () => {
    const { id } = await panel.act('createUser', { name: 'free', tariff_id: fixtures.tariffs.free });
    moveHuge(id);
    moveHuge(id);
    expect((await panel.read.call('listUsers', { sort: '-used', limit: 1 })).body.items[0]?.total_down).toBe(MAX);
    await readAll();
  });

  it('limits, grants, terms and prices', async () => {
    const most = { traffic_limit: 2 ** 50, device_limit: 100, price: { amount: MAX, currency: 'ZWG' } };
    const tariff = await panel.act('createTariff', { name: 'Most', duration: { months: 120 }, ...most });
    const last = '2100-01-01T00:00:00.000Z';
    const user = await panel.act('createUser', { name: 'Most', tariff_id: tariff.id, expires_at: last });
    expect(user).toMatchObject({ expires_at: last, traffic_remaining: 2 ** 50 });
    for (let count = 0; count < 7; count++)
      await panel.act('createGrant', { id: user.id, bytes: 2 ** 50, lifetime: 'used' });
    const remaining = (await panel.read.call('getUser', { id: user.id })).body.traffic_remaining;
    expect(remaining).toBe(8 * 2 ** 50 > MAX ? MAX : 8 * 2 ** 50);
    const first = '1970-01-01T00:00:00Z';
    expect((await panel.act('createUser', { name: 'First', tariff_id: tariff.id, expires_at: first })).state).toBe(
      'expired',
    );
    await readAll();
  });

  it('texts, in characters that take two halves', async () => {
    const face = '\u{1f600}';
    const tags = Array.from({ length: 20 }, (_, index) => face.repeat(30) + String(index).padStart(2, '0'));
    const long = { name: face.repeat(100), contact: face.repeat(100), note: face.repeat(2000), tags };
    const user = await panel.act('createUser', { ...long, tariff_id: fixtures.tariffs.free });
    expect(user).toMatchObject(long);
    for (const [field, text] of [
      ['name', face.repeat(101)],
      ['contact', face.repeat(101)],
      ['note', face.repeat(2001)],
    ] as const) {
      const { problem } = await panel.full.call('updateUser', { id: user.id, [field]: text });
      expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([`#/${field}`]);
    }
    expect((await panel.read.call('listUsers', { q: face.repeat(50) })).body.items.map(({ id }) => id)).toEqual([
      user.id,
    ]);
    expect((await panel.read.call('listUsers', { tag: tags[19] ?? '' })).body.total).toBe(1);
    await readAll();
  });

  it('offsets, pages and places in the feed', async () => {
    for (const path of ['/users', '/tariffs', '/inbounds', '/nodes', `/users/${fixtures.users.active.id}/grants`]) {
      const answer = await panel.read.send<{ items: unknown[]; total: number }>({
        method: 'GET',
        path: `${path}?offset=${MAX}&limit=500`,
      });
      expect(answer.body.items, path).toEqual([]);
      expect(answer.body.total).toBeGreaterThan(0);
    }
    expect(await panel.read.call('listEvents', { after: MAX })).toMatchObject({
      status: 410,
      body: { detail: 'events_gone' },
    });
    expect((await panel.read.call('getUser', { id: MAX })).status).toBe(404);
  });

  it('bulk: ten thousand ids at once', async () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => MAX - index);
    const answer = await panel.full.call('bulkUsers', { action: 'disable', ids });
    expect(answer.body).toMatchObject({ matched: 0, affected: 0 });
    expect(answer.body.results).toHaveLength(10_000);
    expect(check.findFaults('/users/bulk', 'post', answer)).toEqual([]);
  });
});
