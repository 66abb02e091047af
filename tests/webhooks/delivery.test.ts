// Webhooks of a real panel against a real receiver: signatures, repetition, refusal, and what the administrator sees of it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { TEST_TYPE } from '../../src/contract/webhooks.ts';
import { createTestClock, createTestTimers, type TestClock, type TestTimers } from '../support/clock.ts';
import { PASSWORD, startPanel, type TestPanel } from '../support/panel.ts';
import { isVerified, openReceiver, type Receiver } from './receiver.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;

interface Stage extends AsyncDisposable {
  readonly panel: TestPanel;
  readonly clock: TestClock;
  readonly timers: TestTimers;
  readonly receiver: Receiver;
}

async function openStage(): Promise<Stage> {
  const clock = createTestClock(Date.now());
  const timers = createTestTimers();
  const panel = await startPanel({ clock, timers });
  const receiver = await openReceiver();
  return {
    panel,
    clock,
    timers,
    receiver,
    async [Symbol.asyncDispose]() {
      await receiver[Symbol.asyncDispose]();
      await panel[Symbol.asyncDispose]();
    },
  };
}

const add = (panel: TestPanel, url: string, more: { types?: ['user.created'] | null } = {}) =>
  panel.act('createWebhook', { url, types: null, allow_private: true, password: PASSWORD, ...more });

async function addUser(panel: TestPanel, name = 'Anna'): Promise<number> {
  const { items } = await panel.act('listTariffs', {});
  const tariff_id = items[0]?.id ?? (await panel.act('createTariff', { name: 'Plan' })).id;
  return (await panel.act('createUser', { name, tariff_id })).id;
}

const deliveries = async (panel: TestPanel, webhook_id: number) =>
  (await panel.act('listWebhookDeliveries', { webhook_id, limit: 500 })).items;

/** The newest of at least so many deliveries, once so many attempts of it are recorded. */
async function afterAttempts(panel: TestPanel, webhook_id: number, count: number, deliveryCount = 1) {
  for (;;) {
    const found = await deliveries(panel, webhook_id);
    const [newest] = found;
    if (newest !== undefined && found.length >= deliveryCount && newest.attempts.length >= count) return newest;
    await setImmediate();
  }
}

it('sends each event as the feed has it, once, signed so that the reference library accepts it', async () => {
  await using stage = await openStage();
  const { panel, receiver } = stage;
  await addUser(panel, 'before the webhook');
  const { webhook, secret } = await add(panel, receiver.url);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const before = panel.store.events.latestId();
  const id = await addUser(panel);
  await panel.act('extendUser', { id, days: 1 }).catch(() => undefined);
  await panel.act('deleteUser', { id });
  const { body } = await panel.full.call('listEvents', { after: before, limit: 500 });
  await receiver.until((received) => received.length >= body.items.length);
  await afterAttempts(panel, webhook.id, 1);
  const sent = receiver.received.map(({ event }) => event).toSorted((a, b) => Number(a.id) - Number(b.id));
  expect(sent).toEqual(body.items.map((event) => ({ ...event, timestamp: event.at })));
  for (const one of receiver.received) {
    expect(isVerified(secret, one)).toBe(true);
    expect(isVerified(secret, { ...one, body: `${one.body} ` })).toBe(false);
    expect(isVerified(secret, { ...one, headers: { ...one.headers, 'webhook-id': 'evt_1' } })).toBe(false);
    expect(one.id).toBe(`evt_${one.event.id}`);
    expect(one.headers).toMatchObject({ 'content-type': 'application/json' });
  }
  const [listed] = (await panel.act('listWebhooks', {})).items;
  expect(listed).toMatchObject({ has_secret: true, enabled: true, failing_since: null });
  expect(JSON.stringify(listed)).not.toContain('whsec_');
});

it('has many events handed out and recorded by the thread of large writes, and single ones not', async () => {
  const asked = { enqueueDeliveries: 0, recordAttempts: 0 };
  await using panel = await startPanel({
    clock: createTestClock(Date.now()),
    timers: createTestTimers(),
    wrapHeavy: (heavy) => ({
      ...heavy,
      enqueueDeliveries: (now) => {
        asked.enqueueDeliveries += 1;
        return heavy.enqueueDeliveries(now);
      },
      recordAttempts: (attempts, now) => {
        asked.recordAttempts += attempts.length;
        return heavy.recordAttempts(attempts, now);
      },
    }),
  });
  await using receiver = await openReceiver();
  const { webhook } = await add(panel, receiver.url, { types: ['user.created'] });
  await addUser(panel);
  await afterAttempts(panel, webhook.id, 1);
  expect(asked).toEqual({ enqueueDeliveries: 0, recordAttempts: 0 });
  const tariff_id = (await panel.act('listTariffs', {})).items[0]?.id ?? 0;
  const users = Array.from({ length: 150 }, (_, index) => ({ name: `U${index}`, tariff_id }));
  await panel.full.call('createUsers', { users });
  await receiver.until((received) => received.length >= 151);
  while (panel.store.webhooks.countPending(webhook.id) > 0) await setImmediate();
  const attempts = (await deliveries(panel, webhook.id)).map((delivery) => delivery.attempts.length);
  expect(attempts).toEqual(Array(151).fill(1));
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(151);
  expect(receiver.received).toHaveLength(151);
  expect(asked.enqueueDeliveries).toBeGreaterThanOrEqual(2);
  expect(asked.recordAttempts).toBeGreaterThan(75);
});

it('sends only the types that were chosen', async () => {
  await using stage = await openStage();
  const { panel, receiver } = stage;
  const { webhook } = await add(panel, receiver.url, { types: ['user.created'] });
  const id = await addUser(panel);
  await panel.act('deleteUser', { id });
  await addUser(panel, 'Boris');
  await receiver.until((received) => received.length === 2);
  expect(receiver.received.map(({ type }) => type)).toEqual(['user.created', 'user.created']);
  expect(await deliveries(panel, webhook.id)).toHaveLength(2);
});

it('signs with the previous secret too for a day after a rotation', async () => {
  await using stage = await openStage();
  const { panel, receiver, clock, timers } = stage;
  const { webhook, secret: former } = await add(panel, receiver.url, { types: ['user.created'] });
  const { secret, webhook: rotated } = await panel.act('rotateWebhookSecret', { id: webhook.id, password: PASSWORD });
  expect(secret).not.toBe(former);
  expect(rotated.previous_secret_ends_at).toBe(new Date(clock.now() + DAY).toISOString());
  await addUser(panel);
  await receiver.until((received) => received.length === 1);
  const first = receiver.received[0];
  expect(first && [isVerified(secret, first), isVerified(former, first)]).toEqual([true, true]);
  clock.advance(DAY);
  timers.tick();
  await addUser(panel, 'Boris');
  await receiver.until((received) => received.length === 2);
  expect(receiver.received[1]?.headers['webhook-signature']?.split(' ')).toHaveLength(1);
  const places = panel.store.sealed.all().map(({ place }) => place);
  expect(places).toContain(`webhook:${webhook.id}:secret`);
  expect(places).not.toContain(`webhook:${webhook.id}:previous_secret`);
});

it('repeats what fails under the same id with the same bytes, later each time, and gives up after three days', async () => {
  await using stage = await openStage();
  const { panel, receiver, clock, timers } = stage;
  const { webhook } = await add(panel, receiver.url, { types: ['user.created'] });
  receiver.answer = () => ({ status: 500, body: 'canary-reply-body' });
  await addUser(panel);
  const waits: number[] = [];
  let found = await afterAttempts(panel, webhook.id, 1);
  const begun = clock.now();
  for (let attempt = 1; found.next_at !== null; attempt++) {
    waits.push(Date.parse(found.next_at) - clock.now());
    clock.set(Date.parse(found.next_at) - 1);
    timers.tick();
    clock.advance(1);
    timers.tick();
    found = await afterAttempts(panel, webhook.id, attempt + 1);
  }
  expect(found).toMatchObject({ state: 'failed', next_at: null });
  expect(clock.now() - begun).toBe(3 * DAY);
  expect(waits[0]).toBeGreaterThanOrEqual(4 * SECOND);
  expect(waits[0]).toBeLessThanOrEqual(6 * SECOND);
  expect(Math.max(...waits)).toBeLessThanOrEqual(10 * HOUR);
  for (const [index, wait] of waits.slice(0, -1).entries())
    if (index > 0 && index < 8) expect(wait).toBeGreaterThan(waits[index - 1] ?? 0);
  expect(receiver.received).toHaveLength(found.attempts.length);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  expect(found.attempts.map(({ status, error }) => [status, error])).toEqual(found.attempts.map(() => [500, 'status']));
  expect(readFileSync(panel.database).includes('canary-reply-body')).toBe(false);
});

it('waits as long as Retry-After asks, within a day', async () => {
  await using stage = await openStage();
  const { panel, receiver, clock } = stage;
  const { webhook } = await add(panel, receiver.url, { types: ['user.created'] });
  const cases = [
    ['120', 120 * SECOND, 120 * SECOND],
    [new Date(Math.floor(clock.now() / 1000) * 1000 + HOUR).toUTCString(), HOUR - SECOND, HOUR],
    ['99999999', DAY, DAY],
    ['never', 4 * SECOND, 6 * SECOND],
  ] as const;
  for (const [index, [asked, least, most]] of cases.entries()) {
    receiver.answer = () => ({ status: 429, headers: { 'retry-after': asked } });
    await addUser(panel, asked);
    const { next_at } = await afterAttempts(panel, webhook.id, 1, index + 1);
    const wait = Date.parse(next_at ?? '') - clock.now();
    expect([asked, wait >= least && wait <= most]).toEqual([asked, true]);
  }
});

it('disables a webhook that has failed for five days, with an event and an audit row, and goes on where it stopped', async () => {
  await using stage = await openStage();
  const { panel, receiver, clock, timers } = stage;
  const { webhook } = await add(panel, receiver.url, { types: ['user.created'] });
  receiver.answer = () => ({ status: 503 });
  await addUser(panel);
  await afterAttempts(panel, webhook.id, 1);
  clock.advance(5 * DAY);
  timers.tick();
  await afterAttempts(panel, webhook.id, 2);
  const isDisabled = async () => (await panel.act('listWebhooks', {})).items[0];
  expect(await isDisabled()).toMatchObject({ enabled: false, disabled_reason: 'failing' });
  const events = panel.store.events.after(0, 500, ['webhook.disabled']);
  expect(events.map(({ data }) => JSON.parse(data))).toEqual([{ webhook_id: webhook.id }]);
  const { items } = await panel.act('listAudit', { action: 'disableWebhook' });
  expect(items).toMatchObject([
    { target: `webhook:${webhook.id}`, actor: { kind: 'panel' }, detail: { reason: 'failing' } },
  ]);
  receiver.answer = () => ({ status: 200 });
  await addUser(panel, 'while disabled');
  const before = receiver.received.length;
  await expect(panel.act('testWebhook', { id: webhook.id })).rejects.toMatchObject({ code: 'webhook_disabled' });
  await panel.act('enableWebhook', { id: webhook.id, enabled: true });
  await receiver.until((received) => received.length > before);
  expect(receiver.received.at(-1)?.event.data).toMatchObject({ name: 'while disabled' });
});

it('a receiver that answers 410 gets nothing more', async () => {
  await using stage = await openStage();
  const { panel, receiver } = stage;
  const { webhook } = await add(panel, receiver.url, { types: ['user.created'] });
  receiver.answer = () => ({ status: 410 });
  await addUser(panel);
  expect(await afterAttempts(panel, webhook.id, 1)).toMatchObject({ state: 'failed', next_at: null });
  expect((await panel.act('listWebhooks', {})).items).toMatchObject([{ enabled: false, disabled_reason: 'gone' }]);
});

it('follows no redirect', async () => {
  await using stage = await openStage();
  await using other = await openReceiver();
  const { panel, receiver } = stage;
  const { webhook } = await add(panel, receiver.url, { types: ['user.created'] });
  receiver.answer = () => ({ status: 307, headers: { location: other.url } });
  await addUser(panel);
  const { attempts } = await afterAttempts(panel, webhook.id, 1);
  expect(attempts).toMatchObject([{ status: 307, error: 'redirect' }]);
  expect(other.received).toEqual([]);
});

it('a receiver that does not answer holds up no other one, and times out', async () => {
  await using stage = await openStage();
  await using other = await openReceiver();
  const { panel, receiver, timers } = stage;
  receiver.answer = () => null;
  const slow = await add(panel, receiver.url, { types: ['user.created'] });
  await add(panel, other.url, { types: ['user.created'] });
  for (let number = 1; number <= 20; number++) await addUser(panel, `user ${number}`);
  await other.until((received) => received.length === 20);
  expect(receiver.received.length).toBeLessThanOrEqual(8);
  await receiver.until((received) => received.length === 8);
  timers.expire();
  await receiver.until((received) => received.length > 8);
  const timedOut = (await deliveries(panel, slow.webhook.id)).flatMap(({ attempts }) => attempts);
  expect(timedOut.length).toBeGreaterThan(0);
  for (const one of timedOut) expect(one).toMatchObject({ status: null, error: 'timeout' });
});

it('sends nothing more of a backlog once it is disabled, and the rest when it is enabled again', async () => {
  await using stage = await openStage();
  const { panel, receiver, timers } = stage;
  const { webhook } = await add(panel, receiver.url, { types: ['user.created'] });
  const { id } = webhook;
  await panel.act('enableWebhook', { id, enabled: false });
  for (let number = 1; number <= 20; number++) await addUser(panel, `user ${number}`);
  receiver.answer = () => null;
  await panel.act('enableWebhook', { id, enabled: true });
  await receiver.until((received) => received.length === 8);
  await panel.act('enableWebhook', { id, enabled: false });
  timers.expire();
  const attempts = async () => (await deliveries(panel, id)).flatMap((delivery) => delivery.attempts).length;
  await expect.poll(attempts, { timeout: 20_000 }).toBe(8);
  expect(receiver.received).toHaveLength(8);
  receiver.answer = () => ({ status: 204 });
  await panel.act('enableWebhook', { id, enabled: true });
  await receiver.until((received) => new Set(received.map((one) => one.id)).size === 20);
});

it('tests, and delivers again under the same id', async () => {
  await using stage = await openStage();
  const { panel, receiver } = stage;
  const { webhook, secret } = await add(panel, receiver.url, { types: ['user.created'] });
  const made = await panel.act('testWebhook', { id: webhook.id });
  await receiver.until((received) => received.length === 1);
  const [test] = receiver.received;
  expect(test).toMatchObject({ id: made.message_id, type: TEST_TYPE, event: { data: { webhook_id: webhook.id } } });
  expect(test && isVerified(secret, test)).toBe(true);
  expect(await afterAttempts(panel, webhook.id, 1)).toMatchObject({ state: 'delivered', event_id: null });
  await panel.act('redeliverWebhook', { id: made.id });
  await receiver.until((received) => received.length === 2);
  expect(receiver.received[1]).toMatchObject({ id: made.message_id, body: test?.body });
  expect(await afterAttempts(panel, webhook.id, 2)).toMatchObject({ state: 'delivered' });
  await expect(panel.act('redeliverWebhook', { id: made.id + 1 })).rejects.toMatchObject({ code: 'not_found' });
});

it('what is pending survives a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-webhooks-'));
  await using receiver = await openReceiver();
  try {
    // The hour that passes ends now, since the library refuses an old timestamp.
    const clock = createTestClock(Date.now() - HOUR);
    const first = await startPanel({ clock, folder });
    const { webhook, secret } = await add(first, receiver.url, { types: ['user.created'] });
    receiver.answer = () => ({ status: 500 });
    await addUser(first);
    await afterAttempts(first, webhook.id, 1);
    receiver.answer = () => null;
    clock.advance(HOUR);
    await addUser(first, 'Boris');
    await receiver.until((received) => received.length >= 2);
    await first.stop();
    receiver.answer = () => ({ status: 200 });
    const before = receiver.received.length;
    const second = await startPanel({ clock, folder });
    await receiver.until((received) => received.length >= before + 2);
    const names = receiver.received.slice(before).map(({ event }) => Object(event.data).name);
    expect(names.toSorted()).toEqual(['Anna', 'Boris']);
    for (const one of receiver.received.slice(before)) expect(isVerified(secret, one)).toBe(true);
    await second.stop();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it.each([
  ['https://127.0.0.1/', false],
  ['https://2130706433/', false],
  ['https://0x7f.1/', false],
  ['https://[::1]/', false],
  ['https://[::ffff:10.0.0.1]/', true],
  ['https://10.1.2.3/', false],
  ['https://169.254.169.254/latest/meta-data', true],
  ['http://example.com/', false],
  ['https://name:word@example.com/', true],
  ['https://example.com/#part', true],
  ['ftp://example.com/', true],
  ['example.com', true],
  ['', true],
])('refuses %j (private allowed: %s)', async (url, allow_private) => {
  await using stage = await openStage();
  const refused = stage.panel.act('createWebhook', { url, types: null, allow_private, password: PASSWORD });
  await expect(refused).rejects.toMatchObject({
    code: 'validation',
    errors: expect.arrayContaining([expect.objectContaining({ pointer: '#/url' })]),
  });
});

it('checks the addresses of a name with each connection', async () => {
  await using stage = await openStage();
  const { panel, receiver } = stage;
  const url = receiver.url.replace('http://127.0.0.1', 'https://localhost');
  const { webhook } = await panel.act('createWebhook', { url, types: null, allow_private: false, password: PASSWORD });
  await addUser(panel);
  const { attempts } = await afterAttempts(panel, webhook.id, 1);
  expect(attempts).toMatchObject([{ status: null, error: 'address_refused' }]);
  expect(receiver.received).toEqual([]);
});

it('asks for the password where events are sent or a secret is made, and audits without the path of the URL', async () => {
  await using stage = await openStage();
  const { panel, receiver } = stage;
  const { webhook, secret } = await add(panel, `${receiver.url}?token=canary-token`);
  const wrong = { password: 'wrong horse battery' };
  await expect(panel.act('createWebhook', { url: 'https://a.example', types: null, ...wrong })).rejects.toMatchObject({
    code: 'wrong_password',
  });
  await expect(panel.act('changeWebhook', { id: webhook.id, description: 'x', ...wrong })).rejects.toMatchObject({
    code: 'wrong_password',
  });
  await expect(panel.act('rotateWebhookSecret', { id: webhook.id, ...wrong })).rejects.toMatchObject({
    code: 'wrong_password',
  });
  await panel.act('changeWebhook', {
    id: webhook.id,
    description: 'Shop',
    types: ['user.deleted'],
    password: PASSWORD,
  });
  expect((await panel.act('listWebhooks', {})).items).toMatchObject([
    { description: 'Shop', types: ['user.deleted'], allow_private: true },
  ]);
  await expect(
    panel.act('changeWebhook', { id: webhook.id, allow_private: false, password: PASSWORD }),
  ).rejects.toMatchObject({ code: 'validation' });
  await panel.act('deleteWebhook', { id: webhook.id });
  expect((await panel.act('listWebhooks', {})).items).toEqual([]);
  expect(panel.store.sealed.all().filter(({ place }) => place.startsWith('webhook:'))).toEqual([]);
  const rows = JSON.stringify((await panel.act('listAudit', { limit: 200 })).items);
  expect(rows).toContain('deleteWebhook');
  expect(rows).not.toContain('canary-token');
  expect(rows).not.toContain(secret);
  expect((await panel.full.send({ method: 'GET', path: '/webhooks' })).problem.detail).toBe('panel_only');
});

it('takes 16 webhooks and no more', async () => {
  await using stage = await openStage();
  for (let number = 0; number < 16; number++) await add(stage.panel, stage.receiver.url);
  await expect(add(stage.panel, stage.receiver.url)).rejects.toMatchObject({ code: 'webhook_limit' });
});
