// Users of other systems: created or changed by their external id, found by a leaked link, and created many at once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallOf } from '../../src/contract/operation.ts';
import type { createUsers } from '../../src/contract/users/users.ts';
import { createTestClock } from '../support/clock.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import type { Answer } from '../support/http-client.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel({ wrapHeavy: (heavy) => heavy });
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

const create = (more: object = {}) =>
  panel.act('createUser', { name: 'Anna', tariff_id: fixtures.tariffs.free, ...more });
const total = async (filter: object = {}) => (await panel.full.call('listUsers', filter)).body.total;

describe('PUT by external id', () => {
  const put = (externalId: string, more: object = {}) =>
    panel.full.call('putUser', { external_id: externalId, name: 'Anna', tariff_id: fixtures.tariffs.monthly, ...more });

  it('creates a user once, however often and whenever it is sent', async () => {
    const clock = createTestClock(Date.parse('2026-11-20T10:00:00Z'));
    await using shop = await startPanel({ clock });
    const { tariffs } = await fill(shop);
    const sale = {
      external_id: 'customer/4711 ü%2F?#',
      name: 'Anna',
      tariff_id: tariffs.monthly,
      metadata: { order: '1' },
    };
    const made = await shop.full.call('putUser', sale);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ external_id: sale.external_id, metadata: { order: '1' } });
    expect(made.headers.location).toMatch(new RegExp(`/users/${made.body.id}$`));
    const before = (await shop.full.call('listUsers', {})).body.total;
    clock.advance(25 * 3_600_000);
    const again = await shop.full.call('putUser', sale);
    expect([again.status, again.headers.location]).toEqual([200, undefined]);
    expect([again.body, again.headers.etag]).toEqual([made.body, made.headers.etag]);
    expect((await shop.full.call('listUsers', {})).body.total).toBe(before);
  });

  it('changes what it names and leaves the rest', async () => {
    const made = await put('put-2', { note: 'stays', metadata: { a: '1' } });
    const changed = await put('put-2', { name: 'Boris', metadata: { b: '2' }, tariff_id: fixtures.tariffs.free });
    const { id, expires_at, traffic_limit } = changed.body;
    expect(changed.body).toMatchObject({
      id: made.body.id,
      name: 'Boris',
      note: 'stays',
      metadata: { a: '1', b: '2' },
    });
    expect(changed.body.tariff_id).toBe(fixtures.tariffs.free);
    expect([expires_at, traffic_limit]).not.toEqual([made.body.expires_at, made.body.traffic_limit]);
    const [last] = (
      await panel.full.call('listEvents', { after: 0, limit: 500, type: ['user.changed'] })
    ).body.items.slice(-1);
    expect(last).toMatchObject({ data: { user_id: id } });
  });

  it('refuses as creating and changing do', async () => {
    const codes = async (answer: ReturnType<typeof put>) => (await answer).problem.errors?.map((error) => error.code);
    expect(await codes(put('put-3', { tariff_id: 4_000_000 }))).toEqual(['tariff_not_found']);
    await create({ telegram_id: 7101 });
    expect(await codes(put('put-3', { telegram_id: 7101 }))).toEqual(['taken']);
    expect(await total({ external_id: 'put-3' })).toBe(0);
    await put('put-3');
    expect(await codes(put('put-3', { telegram_id: 7101, inbounds: [4_000_000] }))).toEqual([
      'inbound_not_found',
      'taken',
    ]);
    expect(await codes(put('put-3', { external_id: 'x'.repeat(101) }))).toEqual(['too_big']);
    expect(await codes(put('put-3', { metadata: { a: null } }))).toEqual(['type']);
    const path = '/users/by-external-id/';
    for (const segment of ['', '%', '%ff', 'a/b']) {
      const sent = { method: 'PUT', path: path + segment, headers: { 'content-type': 'application/json' }, body: '{}' };
      expect((await panel.full.send(sent)).status, segment).toBe(404);
    }
    const read = { method: 'GET', path: `${path}put-3` };
    expect((await panel.full.send(read)).headers.allow).toBe('PUT, OPTIONS');
  });
});

describe('an external id that no path can contain', () => {
  it.each(['.', '..'])('is refused wherever it is written: %s', async (external_id) => {
    const { id } = await create();
    const user = { name: 'Anna', tariff_id: fixtures.tariffs.free, external_id };
    const refused = async (pending: Promise<Answer>) => {
      const { status, problem } = await pending;
      return [
        status,
        ...(problem.errors ?? []).map(({ pointer, parameter, code }) => `${pointer ?? parameter} ${code}`),
      ];
    };
    const own = [422, '#/external_id invalid'];
    expect(await refused(panel.full.call('createUser', user))).toEqual(own);
    expect(await refused(panel.full.call('updateUser', { id, external_id }))).toEqual(own);
    expect(await refused(panel.full.call('createUsers', { users: [user] }))).toEqual([
      422,
      '#/users/0/external_id invalid',
    ]);
    // This client sends the path as it is.
    expect(await refused(panel.full.call('putUser', user))).toEqual([422, 'external_id invalid']);
    expect(await total({ external_id })).toBe(0);
  });
});

describe('find-link', () => {
  const find = (link: string) => panel.full.call('findUserByLink', { link });

  it('finds the user of a link or of its last segment, and of no other', async () => {
    const user = await create();
    const link = user.sub_url ?? '';
    const token = link.slice(link.lastIndexOf('/') + 1);
    for (const text of [link, token, `${link}?format=plain#anna`, `https://elsewhere.example/other/${token}`]) {
      expect((await find(text)).body).toEqual(user);
    }
    expect((await find(token.slice(1))).problem.detail).toBe('not_found');
    expect((await find(`${link}/`)).problem.detail).toBe('not_found');
    await panel.act('reissueUser', { id: user.id });
    expect((await find(link)).problem.detail).toBe('not_found');
    expect((await find('')).problem.detail).toBe('validation');
    expect((await panel.read.call('findUserByLink', { link })).problem.detail).toBe('read_only_key');
  });
});

describe('a batch', () => {
  type Users = CallOf<typeof createUsers>['users'];
  const batch = (users: Users, more: object = {}, headers = {}) =>
    panel.full.call('createUsers', { users, ...more }, headers);
  const tariff_id = () => fixtures.tariffs.monthly;

  it('creates those that can be created and says why the others cannot', async () => {
    await create({ external_id: 'taken', telegram_id: 8001 });
    const before = await total();
    const users: Users = [
      { name: 'One', tariff_id: tariff_id(), external_id: 'batch-1' },
      { name: 'Two', tariff_id: 4_000_000 },
      { name: 'Three', tariff_id: tariff_id(), external_id: 'taken', telegram_id: 8001 },
      { name: 'Four', tariff_id: tariff_id(), external_id: 'batch-1' },
      { name: 'Five', tariff_id: tariff_id(), inbounds: [4_000_000] },
      { name: 'Six', tariff_id: tariff_id() },
    ];
    const outcomes = (body: { results: readonly { outcome: string; errors?: readonly object[] | undefined }[] }) =>
      body.results.map(
        ({ outcome, errors }) => errors?.map((error) => Object.values(error).slice(0, 2).join(' ')) ?? outcome,
      );
    const expected = [
      'created',
      ['#/users/1/tariff_id tariff_not_found'],
      ['#/users/2/external_id taken', '#/users/2/telegram_id taken'],
      ['#/users/3/external_id taken'],
      ['#/users/4/inbounds/0 inbound_not_found'],
      'created',
    ];
    const dry = (await batch(users, { dry_run: true })).body;
    expect([dry.dry_run, dry.created, dry.failed, outcomes(dry)]).toEqual([true, 2, 4, expected]);
    expect(await total()).toBe(before);
    const real = (await batch(users)).body;
    expect([real.dry_run, real.created, real.failed, outcomes(real)]).toEqual([false, 2, 4, expected]);
    expect(real.results[0]?.user).toMatchObject({ name: 'One', external_id: 'batch-1', state: 'active' });
    expect(real.results[0]?.user?.sub_url).toMatch(/\/sub\//);
    expect(await total()).toBe(before + 2);
  });

  it('creates 500 once under an Idempotency-Key, with an event each', async () => {
    const users = Array.from({ length: 500 }, (_, index) => ({
      name: `B${index}`,
      tariff_id: tariff_id(),
      tags: ['b500'],
    }));
    const latest = panel.store.events.latestId();
    const key = { 'idempotency-key': 'batch-500' };
    const first = await batch(users, {}, key);
    expect([first.status, first.body.created]).toEqual([200, 500]);
    expect((await batch(users, {}, key)).text).toBe(first.text);
    expect(await total({ tag: 'b500' })).toBe(500);
    expect(panel.store.events.latestId()).toBe(latest + 500);
  });

  it('is refused as a whole where it is not valid', async () => {
    const one = { name: 'A', tariff_id: tariff_id() };
    const before = await total();
    expect((await batch([])).problem.errors?.[0]).toMatchObject({ pointer: '#/users', code: 'too_small' });
    const wrong = await batch([one, { ...one, name: '' }]);
    expect(wrong.problem.errors?.map(({ pointer }) => pointer)).toEqual(['#/users/1/name']);
    expect((await batch(Array.from({ length: 501 }, () => one))).problem.detail).toBe('validation');
    expect(await total()).toBe(before);
  });
});
