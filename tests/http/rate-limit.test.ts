// The limit of requests: a budget a key, told in every reply, and one for failed keys that no valid key ever feels.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestClock, type TestClock } from '../support/clock.ts';
import type { Answer } from '../support/http-client.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const RULE = { perMinute: 60, burst: 10 };

let clock: TestClock;
let panel: TestPanel;
beforeEach(async () => {
  clock = createTestClock(Date.parse('2026-11-20T10:00:00Z'));
  panel = await startPanel({ clock, rateLimit: RULE });
});
afterEach(() => panel.stop());

const callOnce = (client = panel.read) => client.call('getSettings');
const limits = ({ headers }: Answer) => [headers['ratelimit-policy'], headers.ratelimit];
const POLICY = '"burst";q=10;w=10, "minute";q=60;w=60';
/** What RateLimit says of both budgets. */
const left = (burst: number, burstFull: number, minute: number, minuteFull = 60) =>
  `"burst";r=${burst};t=${burstFull}, "minute";r=${minute};t=${minuteFull}`;

describe('a key', () => {
  it('has its budget at once, then 429, and is let in again as the budget grows', async () => {
    for (let rest = RULE.burst - 1; rest >= 0; rest--) {
      const answer = await callOnce();
      expect(answer.status).toBe(200);
      expect(limits(answer)).toEqual([POLICY, left(rest, RULE.burst - rest, 50 + rest)]);
      expect(answer.headers['retry-after']).toBeUndefined();
    }
    const refused = await callOnce();
    expect(refused.problem).toMatchObject({ status: 429, detail: 'rate_limited' });
    expect(limits(refused)).toEqual([POLICY, left(0, 10, 50)]);
    expect(refused.headers['retry-after']).toBe('1');
    clock.advance(999);
    expect((await callOnce()).status).toBe(429);
    clock.advance(1);
    expect((await callOnce()).status).toBe(200);
    expect((await callOnce()).status).toBe(429);
    clock.advance(3_600_000);
    expect(limits(await callOnce())[1], 'neither budget grows beyond its quota').toBe(left(9, 1, 59));
  });

  it('is let in after exactly Retry-After, and not a second sooner, whichever budget is used up', async () => {
    const waits: number[] = [];
    for (let count = 0; count < 400; count++) {
      const answer = await callOnce();
      if (answer.status === 200) continue;
      const wait = Number(answer.headers['retry-after']);
      waits.push(wait);
      clock.advance((wait - 1) * 1000);
      expect((await callOnce()).status, 'a second sooner').toBe(429);
      clock.advance(1000);
      expect((await callOnce()).status, 'after Retry-After').toBe(200);
      clock.advance((count * 37) % 1500);
    }
    expect(waits).toContain(1);
    expect(Math.max(...waits), 'the minute was used up too').toBeGreaterThan(1);
  });

  it('has no more in a minute than the budget says', async () => {
    let allowed = 0;
    for (let ms = 0; ms < 60_000; ms += 250) {
      if ((await callOnce()).status === 200) allowed += 1;
      clock.advance(250);
    }
    expect(allowed).toBe(RULE.perMinute);
    expect((await callOnce()).status).toBe(200);
  });

  it('does not spend the budget of another', async () => {
    for (let count = 0; count <= RULE.burst; count++) await callOnce();
    expect((await callOnce()).status).toBe(429);
    const other = panel.full.as((await panel.makeKey('read')).value);
    for (let count = 0; count < RULE.burst; count++) expect((await callOnce(other)).status).toBe(200);
    expect((await callOnce(panel.full)).status).toBe(200);
  });

  it('spends it on refused requests too, whatever refuses them', async () => {
    for (const path of ['/nothing', '/keys', '/users?limit=0', '/users/4711']) {
      const answer = await panel.read.send({ method: 'GET', path });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(limits(answer)[0]).toBe(POLICY);
    }
    expect(limits(await callOnce())[1]).toBe(left(5, 5, 55));
  });

  it('is told of it by HEAD, OPTIONS, 204 and replays too', async () => {
    const { id } = await panel.act('createTariff', { name: 'T' });
    const headers = { 'idempotency-key': 'a' };
    const answers = [
      await panel.full.send({ method: 'HEAD', path: '/settings' }),
      await panel.full.send({ method: 'OPTIONS', path: '/settings' }),
      await panel.full.call('createUser', { name: 'A', tariff_id: id }, headers),
      await panel.full.call('createUser', { name: 'A', tariff_id: id }, headers),
      await panel.full.call('deleteUser', { id: 1 }),
    ];
    expect(answers.map((answer) => limits(answer)[1])).toEqual(
      [9, 8, 7, 6, 5].map((rest) => left(rest, 10 - rest, 50 + rest)),
    );
  });

  it('a refused write has no effect', async () => {
    const { id } = await panel.act('createTariff', { name: 'T' });
    for (let count = 0; count < RULE.burst; count++) await callOnce(panel.full);
    const before = panel.store.events.latestId();
    const answer = await panel.full.call('createUser', { name: 'A', tariff_id: id });
    expect(answer.status).toBe(429);
    expect(panel.store.events.latestId()).toBe(before);
  });
});

describe('failed keys', () => {
  const nobody = () => panel.full.as(null);

  it('have a budget by address; a valid key from there is never refused for them', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 70; count++) statuses.push((await callOnce(nobody())).status);
    const first = statuses.indexOf(429);
    expect(first).toBeGreaterThan(0);
    expect(statuses.slice(0, first)).toEqual(statuses.slice(0, first).map(() => 401));
    expect(statuses.slice(first)).toEqual(statuses.slice(first).map(() => 429));
    const refused = await callOnce(panel.full.as('pnl_guess'));
    expect(refused.problem).toMatchObject({ status: 429, detail: 'rate_limited' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect((await callOnce(panel.read)).status).toBe(200);
    clock.advance(Number(refused.headers['retry-after']) * 1000);
    expect((await callOnce(nobody())).status).toBe(401);
  });

  it('X-Forwarded-For of a stranger makes no new address', async () => {
    const from = (address: string) =>
      nobody().send({
        method: 'GET',
        path: '/settings',
        headers: { 'x-forwarded-for': address, forwarded: `for=${address}` },
      });
    let last = 401;
    for (let count = 0; count < 70; count++) last = (await from(`203.0.113.${count}`)).status;
    expect(last).toBe(429);
  });
});

describe('no limit', () => {
  it('by a rule of 0: no header, no 429', async () => {
    await using open = await startPanel({ clock });
    const answers = await Promise.all(Array.from({ length: 200 }, () => open.read.call('getSettings')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(limits(answers[0] as Answer)).toEqual([undefined, undefined]);
    const strangers = await Promise.all(Array.from({ length: 100 }, () => open.read.as(null).call('getSettings')));
    expect(new Set(strangers.map(({ status }) => status))).toEqual(new Set([401]));
  });
});
