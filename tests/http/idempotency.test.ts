// A POST may be repeated: one effect for one Idempotency-Key, however often and however much at once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestClock } from '../support/clock.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { times } from '../support/long.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const KEYS = times(60, 200);
const RETRIES = 20;
const HOUR = 3_600_000;

const clock = createTestClock(Date.parse('2026-11-20T10:00:00Z'));
let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel({ clock });
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

const keyed = (key: string) => ({ 'idempotency-key': key });
const newUser = (name: string) => ({ name, tariff_id: fixtures.tariffs.monthly });
const countUsers = async (q: string) => (await panel.read.call('listUsers', { q, limit: 1 })).body.total;

/** Repeats until the answer is a final one: `idempotency_in_flight` says to come again. */
async function persist<T>(send: () => Promise<Answer<T>>): Promise<Answer<T>> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 409) return answer;
    expect(answer.problem.detail).toBe('idempotency_in_flight');
  }
}

describe('an Idempotency-Key', () => {
  it(`${KEYS} keys with ${RETRIES} repetitions at once each: ${KEYS} effects`, async () => {
    const work = Array.from({ length: KEYS }, async (_, index) => {
      const name = `once-${index}`;
      const send = () => panel.full.call('createUser', newUser(name), keyed(name));
      return Promise.all(Array.from({ length: RETRIES }, () => persist(send)));
    });
    const all = await Promise.all(work);
    for (const answers of all) {
      const texts = new Set(answers.map(({ text }) => text));
      expect(texts.size, 'every repetition gets the same bytes').toBe(1);
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
      expect(new Set(answers.map(({ headers }) => headers.location)).size).toBe(1);
      expect(answers.filter(({ headers }) => headers['idempotency-replayed'] !== 'true')).toHaveLength(1);
    }
    expect(await countUsers('once-')).toBe(KEYS);
    const created = panel.store.events
      .after(0, 100_000, ['user.created'])
      .filter(({ data }) => data.includes('"once-'));
    expect(created).toHaveLength(KEYS);
  });

  it('100 identical creates at once under one key make one user', async () => {
    const sends = Array.from({ length: 100 }, () =>
      persist(() => panel.full.call('createUser', newUser('same'), keyed('same'))),
    );
    const ids = new Set((await Promise.all(sends)).map(({ body }) => body.id));
    expect(ids.size).toBe(1);
    expect(await countUsers('same')).toBe(1);
  });

  it('with another body is refused, and nothing happens', async () => {
    const first = await panel.full.call('createUser', newUser('mismatch'), keyed('m'));
    const other = await panel.full.call('createUser', newUser('mismatch 2'), keyed('m'));
    expect(other.problem).toMatchObject({ status: 422, detail: 'idempotency_mismatch' });
    expect(await countUsers('mismatch')).toBe(1);
    expect((await panel.full.call('createUser', newUser('mismatch'), keyed('m'))).text).toBe(first.text);
  });

  it('is of one API key, one method and one path', async () => {
    const other = panel.full.as((await panel.makeKey('full')).value);
    const { id } = fixtures.users.active;
    const acts = [
      () => panel.full.call('createUser', newUser('scope'), keyed('s')),
      () => other.call('createUser', newUser('scope'), keyed('s')),
      () => panel.full.call('createGrant', { id, bytes: 1, lifetime: 'used' }, keyed('s')),
      () => panel.full.call('resetUserTraffic', { id }, keyed('s')),
      () => panel.full.call('resetUserTraffic', { id: fixtures.users.limited.id }, keyed('s')),
    ];
    for (const act of acts) {
      const answer = await act();
      expect(answer.status).toBeLessThan(300);
      expect(answer.headers['idempotency-replayed']).toBeUndefined();
    }
    expect(await countUsers('scope')).toBe(2);
  });

  it('replays what was answered, not what has become of it since', async () => {
    const first = await panel.full.call('createUser', newUser('replay'), keyed('r'));
    const { id } = first.body;
    await panel.full.call('updateUser', { id, note: 'changed' });
    const again = await panel.full.call('createUser', newUser('replay'), keyed('r'));
    expect(again.text).toBe(first.text);
    expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true', location: first.headers.location });
    await panel.full.call('deleteUser', { id });
    expect((await panel.full.call('createUser', newUser('replay'), keyed('r'))).text).toBe(first.text);
    expect(await countUsers('replay')).toBe(0);
  });

  it('keeps no reply of a dry run, nor of a refusal', async () => {
    const ids = [fixtures.users.active.id];
    const dry = await panel.full.call('bulkUsers', { action: 'extend', ids, days: 1, dry_run: true }, keyed('dry'));
    expect(dry.body).toMatchObject({ dry_run: true, affected: 1 });
    const real = await panel.full.call('bulkUsers', { action: 'extend', ids, days: 1 }, keyed('dry'));
    expect(real.body).toMatchObject({ dry_run: false, affected: 1 });

    const wrong = await panel.full.call('createUser', { name: 'refused', tariff_id: 4_000_000 }, keyed('wrong'));
    expect(wrong.problem.detail).toBe('tariff_not_found');
    expect((await panel.full.call('createUser', newUser('refused'), keyed('wrong'))).status).toBe(201);
  });

  it('does not outlive the access of the key that used it', async () => {
    const { key, value } = await panel.makeKey('full');
    const client = panel.full.as(value);
    expect((await client.call('createUser', newUser('access'), keyed('a'))).status).toBe(201);
    await panel.act('revokeKey', { id: key.id });
    const answer = await client.call('createUser', newUser('access'), keyed('a'));
    expect(answer.problem).toMatchObject({ status: 401, detail: 'unauthorized' });
    expect(answer.headers['idempotency-replayed']).toBeUndefined();
  });

  it('is remembered for 24 hours', async () => {
    const send = () => panel.full.call('createUser', newUser('a day'), keyed('day'));
    const first = await send();
    clock.advance(24 * HOUR - 1);
    expect((await send()).text).toBe(first.text);
    clock.advance(2);
    expect((await send()).body.id).not.toBe(first.body.id);
  });

  it.each([
    ['', 'empty'],
    ['\u00e9', 'not ASCII'],
    ['x'.repeat(256), 'too long'],
    ['a\tb', 'a tab'],
  ])('%j is refused: %s', async (key) => {
    const answer = await panel.full.call('createUser', newUser('bad'), keyed(key));
    expect(answer.problem.detail).toBe('bad_header');
  });

  it('given twice is refused, and other methods take no notice of it', async () => {
    const twice = await panel.full.call('createUser', newUser('bad'), { 'idempotency-key': ['a', 'b'] });
    expect(twice.problem.detail).toBe('bad_header');
    const { id } = fixtures.users.active;
    const patched = [1, 2].map((n) => panel.full.call('updateUser', { id, note: `n${n}` }, keyed('patch')));
    for (const answer of await Promise.all(patched)) expect(answer.headers['idempotency-replayed']).toBeUndefined();
  });
});

describe('without one, calls at once', () => {
  it('two extends both count', async () => {
    const { id, expires_at } = (await panel.full.call('createUser', newUser('two'))).body;
    const clients: Client[] = [panel.full, panel.full.as((await panel.makeKey('full')).value)];
    await Promise.all(clients.map((client) => client.call('extendUser', { id, days: 10 })));
    const after = (await panel.read.call('getUser', { id })).body.expires_at;
    expect(Date.parse(String(after)) - Date.parse(String(expires_at))).toBe(20 * 24 * HOUR);
  });

  it('100 extends at once add up, in the feed and in the log too', async () => {
    const { id, expires_at } = (await panel.full.call('createUser', newUser('hundred'))).body;
    await Promise.all(Array.from({ length: 100 }, () => panel.full.call('extendUser', { id, days: 1 })));
    const after = (await panel.read.call('getUser', { id })).body.expires_at;
    expect(Date.parse(String(after)) - Date.parse(String(expires_at))).toBe(100 * 24 * HOUR);
    const told = panel.store.events
      .after(0, 100_000, ['user.extended'])
      .filter(({ data }) => JSON.parse(data).user_id === id);
    expect(told).toHaveLength(100);
    expect(
      (await panel.act('listAudit', { target: `user:${id}`, action: 'extendUser', limit: 500 })).items,
    ).toHaveLength(100);
  });

  it('100 patches under If-Match: one winner a version', async () => {
    const { id } = (await panel.full.call('createUser', newUser('match'))).body;
    let etag = String((await panel.read.call('getUser', { id })).headers.etag);
    for (let version = 0; version < 3; version++) {
      const patches = Array.from({ length: 100 }, (_, index) =>
        panel.full.call('updateUser', { id, note: `${version}.${index}` }, { 'if-match': etag }),
      );
      const answers = await Promise.all(patches);
      const winners = answers.filter(({ status }) => status === 200);
      expect(winners).toHaveLength(1);
      for (const { status, problem } of answers.filter((answer) => answer.status !== 200)) {
        expect({ status, detail: problem.detail }).toEqual({ status: 412, detail: 'precondition_failed' });
      }
      const now = await panel.read.call('getUser', { id });
      expect(now.body.note).toBe(winners[0]?.body.note);
      expect(now.headers.etag).toBe(winners[0]?.headers.etag);
      expect(now.headers.etag).not.toBe(etag);
      etag = String(now.headers.etag);
    }
  });
});

describe('the same body', () => {
  const send = (key: string, body: string) =>
    panel.full.send({
      method: 'POST',
      path: '/users',
      headers: { ...keyed(key), 'content-type': 'application/json' },
      body,
    });
  const tariff = () => fixtures.tariffs.monthly;

  it('is the same JSON value, in whatever order and writing its members come', async () => {
    const first = await send('value', `{"name":"Änne","tariff_id":${tariff()},"tags":["a","b"],"traffic_limit":1000}`);
    expect(first.status).toBe(201);
    for (const body of [
      `{"traffic_limit":1e3,"tags":["a","b"],"tariff_id":${tariff()},"name":"Änne"}`,
      `{ "name": "\\u00c4nne",\n"tariff_id": ${tariff()}.0, "tags": [ "a" , "b" ], "traffic_limit": 1000 }`,
    ]) {
      const again = await send('value', body);
      expect([again.status, again.headers['idempotency-replayed'], again.text]).toEqual([201, 'true', first.text]);
    }
    expect(await countUsers('Änne')).toBe(1);
  });

  it('is another one with another order of a list, a member more, or another value', async () => {
    expect((await send('order', `{"name":"Order","tariff_id":${tariff()},"tags":["a","b"]}`)).status).toBe(201);
    for (const body of [
      `{"name":"Order","tariff_id":${tariff()},"tags":["b","a"]}`,
      `{"name":"Order","tariff_id":${tariff()},"tags":["a","b"],"note":""}`,
      `{"name":"order","tariff_id":${tariff()},"tags":["a","b"]}`,
    ]) {
      expect((await send('order', body)).problem.detail).toBe('idempotency_mismatch');
    }
  });

  it('is none or an empty object where an operation takes none', async () => {
    const { body: user } = await panel.full.call('createUser', newUser('Empty'));
    const path = `/users/${user.id}/reissue`;
    const first = await panel.full.send({ method: 'POST', path, headers: keyed('empty') });
    const headers = { ...keyed('empty'), 'content-type': 'application/json' };
    const again = await panel.full.send({ method: 'POST', path, headers, body: '{ }' });
    expect([again.status, again.headers['idempotency-replayed'], again.text]).toEqual([200, 'true', first.text]);
  });
});
