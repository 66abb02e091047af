// GET /events?wait=: the reply that waits for the next event, and everything that ends the waiting.
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTestClock, createTestTimers, type TestTimers } from '../support/clock.ts';
import { createClient } from '../support/http-client.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

let timers: TestTimers;
let panel: TestPanel;
let after: number;
beforeEach(async () => {
  timers = createTestTimers();
  panel = await startPanel({
    clock: createTestClock(Date.parse('2026-11-20T10:00:00Z')),
    timers,
    rateLimit: { perMinute: 1200, burst: 100 },
  });
  await makePlan('the first event');
  after = panel.store.events.latestId();
});
afterEach(() => panel.stop());

const waitFor = (query: object = {}, client = panel.read) => client.call('listEvents', { after, wait: 30, ...query });
/** Until so many requests wait: each has one timer. */
const waiting = (count: number) => vi.waitFor(() => expect(timers.pending()).toBe(count));
const makePlan = (name = 'plan') => panel.act('createTariff', { name });

it('what is there already is answered at once', async () => {
  const { id } = await makePlan();
  expect((await waitFor()).body.items).toMatchObject([{ type: 'tariff.created', data: { tariff_id: id } }]);
  expect((await waitFor({ wait: 0, after: panel.store.events.latestId() })).body.items).toEqual([]);
  expect(timers.pending()).toBe(0);
});

it('the next event is answered as soon as it is committed, to all that wait', async () => {
  const replies = [waitFor(), waitFor({}, panel.full)];
  await waiting(2);
  const { id } = await makePlan();
  for (const { body } of await Promise.all(replies)) {
    expect(body.items).toMatchObject([{ type: 'tariff.created', data: { tariff_id: id } }]);
    expect(body.next_after).toBe(body.items[0]?.id);
  }
  expect(timers.pending()).toBe(0);
});

it('another type of event does not end the waiting for one', async () => {
  const reply = waitFor({ type: 'tariff.deleted' });
  await waiting(1);
  const { id } = await makePlan();
  await setImmediate();
  await setImmediate();
  expect(timers.pending()).toBe(1);
  await panel.act('deleteTariff', { id });
  expect((await reply).body.items.map(({ type }) => type)).toEqual(['tariff.deleted']);
});

it('another type that came between the look and the waiting does not end it either', async () => {
  const { store } = panel;
  const latestId = store.events.latestId;
  const { id } = await makePlan();
  after = latestId();
  // As another thread would: an event that is committed behind the reading of the feed, before the subscription to it.
  vi.spyOn(store.events, 'latestId').mockImplementationOnce(() => {
    const read = latestId();
    const row = { at: 0, actorKind: 'system', keyId: null, requestId: null, changed: '[]', data: '{}' } as const;
    store.write(() => store.events.append({ ...row, type: 'settings.changed' }, 0));
    return read;
  });
  const reply = waitFor({ type: 'tariff.deleted' });
  await waiting(1);
  expect(latestId()).toBeGreaterThan(after);
  await panel.act('deleteTariff', { id });
  expect((await reply).body.items.map(({ type }) => type)).toEqual(['tariff.deleted']);
});

it('is not in the histogram of durations; what is answered or refused at once is', async () => {
  const count = async () => {
    const { text } = await panel.read.call('getMetrics');
    const lines = [...text.matchAll(/^panel_http_request_duration_seconds_count{route="\/events".*} (\d+)$/gm)];
    return lines.reduce((sum, [, requests]) => sum + Number(requests), 0);
  };
  const before = await count();
  const replies = Array.from({ length: 4 }, () => waitFor());
  await waiting(4);
  expect((await waitFor()).status).toBe(429);
  expect(await count()).toBe(before + 1);
  await makePlan();
  await Promise.all(replies);
  expect(await count()).toBe(before + 1);
  await waitFor();
  expect(await count()).toBe(before + 2);
});

it('an undone act does not end the waiting; the time does, with an empty page', async () => {
  const reply = waitFor();
  await waiting(1);
  await panel.full.call('createUser', { name: 'x', tariff_id: 4_000_000 });
  timers.pass(29_999);
  expect(timers.pending()).toBe(1);
  timers.pass(1);
  expect((await reply).body).toEqual({ items: [], next_after: after });
});

it('a waiting request counts once towards the rate limit', async () => {
  const left = (header: unknown) => Number(/r=(\d+)/.exec(String(header))?.[1]);
  const first = await panel.read.call('listEvents', { after });
  const reply = waitFor();
  await waiting(1);
  await makePlan();
  expect(left((await reply).headers.ratelimit)).toBe(left(first.headers.ratelimit) - 1);
});

it('a fifth waiting request of a key is refused; other keys and requests that find an event are not', async () => {
  const replies = Array.from({ length: 4 }, () => waitFor());
  await waiting(4);
  const { problem, headers } = await waitFor();
  expect(problem).toMatchObject({ status: 429, detail: 'rate_limited' });
  expect(headers['retry-after']).toBe('30');
  expect((await waitFor({ after: 0 })).status).toBe(200);
  const other = waitFor({}, panel.full);
  await waiting(5);
  await makePlan();
  for (const { status } of await Promise.all([...replies, other])) expect(status).toBe(200);
});

it('a revoked key ends its waiting, and no other', async () => {
  const { key, value } = await panel.makeKey('read');
  after = panel.store.events.latestId();
  const revoked = waitFor({}, panel.read.as(value));
  const other = waitFor();
  await waiting(2);
  await panel.act('revokeKey', { id: key.id });
  timers.tick();
  expect((await revoked).problem).toMatchObject({ status: 401, detail: 'unauthorized' });
  expect(timers.pending()).toBe(1);
  timers.pass(30_000);
  expect((await other).status).toBe(200);
});

it('a revoked key gets no event that was committed since', async () => {
  const { key, value } = await panel.makeKey('read');
  after = panel.store.events.latestId();
  const reply = waitFor({}, panel.read.as(value));
  await waiting(1);
  await panel.act('revokeKey', { id: key.id });
  await makePlan();
  expect((await reply).problem.detail).toBe('unauthorized');
});

it('the client that goes ends its waiting', async () => {
  const path = `${new URL(panel.baseUrl).pathname}/events?after=${after}&wait=30`;
  const raw = connect({ host: panel.host, port: panel.port });
  raw.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${panel.keys.read}\r\n\r\n`);
  await waiting(1);
  raw.destroy();
  await waiting(0);
});

it('a panel that stops ends the waiting with an empty page', async () => {
  // The panel's own clients are cut when it stops.
  const client = createClient({ baseUrl: panel.baseUrl, key: panel.keys.read });
  const reply = waitFor({}, client);
  await waiting(1);
  await panel.stop();
  expect((await reply).body).toEqual({ items: [], next_after: after });
  client.close();
  panel = await startPanel();
});

it.each(['wait=31', 'wait=-1', 'wait=1.5', 'wait=x'])('%s is refused', async (query) => {
  const { problem } = await panel.read.send({ method: 'GET', path: `/events?${query}` });
  expect(problem).toMatchObject({ detail: 'validation', errors: [{ parameter: 'wait' }] });
});
