// A user over the wire: what a patch changes, what reissuing and deleting leave.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { User } from '../../src/contract/users/users.ts';
import { openConnection } from '../../src/store/database.ts';
import { USER_COLUMNS, type UserCells } from '../../src/store/users/row.ts';
import { bareUser } from '../bench/bare-user.ts';
import { createTestClock } from '../support/clock.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const START = Date.parse('2026-11-20T10:00:00Z');
const DAY = 86_400_000;
const MIB = 1_048_576;
const clock = createTestClock(START);

let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel({ clock });
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

const create = async (more: object = {}): Promise<User> => {
  const answer = await panel.full.call('createUser', { name: 'Anna', tariff_id: fixtures.tariffs.monthly, ...more });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const read = async (id: number) => (await panel.full.call('getUser', { id })).body;
const typesSince = (after: number) => panel.store.events.after(after, 1000, null).map(({ type }) => type);

it('a user is written with the bytes that the benchmark compares with', async () => {
  const tags = { external_id: 'order-1', telegram_id: 7, metadata: { source: 'shop' }, tags: ['a', 'b'], note: 'n' };
  for (const more of [{}, tags, { traffic_limit: null, expires_at: null, device_limit: null, inbounds: [] }]) {
    const { id } = await create(more);
    const { text, body } = await panel.full.call('getUser', { id });
    const db = openConnection(panel.database);
    const cells = db.prepare<[number], UserCells>(`SELECT ${USER_COLUMNS} FROM users WHERE id = ?`).raw().get(id);
    db.close();
    const links = body.sub_url?.slice(0, body.sub_url.lastIndexOf('/') + 1);
    expect(cells && JSON.stringify(bareUser(cells, links ?? '', clock.now()))).toBe(text);
  }
});

describe('a patch', () => {
  it('changes what it says, at once and once', async () => {
    const user = await create();
    clock.advance(1000);
    const after = panel.store.events.latestId();
    const patched = await panel.full.call('updateUser', { id: user.id, name: 'Eve', tags: ['x'], note: 'n' });
    const expected = { ...user, name: 'Eve', tags: ['x'], note: 'n', updated_at: new Date(clock.now()).toISOString() };
    expect(patched.body).toEqual(expected);
    expect(await read(user.id)).toEqual(expected);
    expect(typesSince(after)).toEqual(['user.changed']);
  });

  it('that says nothing new changes nothing: no event, the same ETag', async () => {
    const user = await create({ tags: ['a'] });
    const etag = (await panel.full.call('getUser', { id: user.id })).headers.etag;
    const after = panel.store.events.latestId();
    clock.advance(1000);
    for (const body of [
      {},
      { name: 'Anna' },
      { tags: ['a'] },
      { tariff_id: fixtures.tariffs.monthly },
      { traffic_limit: 100 * MIB },
    ]) {
      const answer = await panel.full.call('updateUser', { id: user.id, ...body });
      expect(answer.body, JSON.stringify(body)).toEqual(user);
      expect(answer.headers.etag).toBe(etag);
    }
    expect(typesSince(after)).toEqual([]);
  });

  it('null ends a term, a limit and an allow-list', async () => {
    const user = await create({ inbounds: [] });
    const nothing = { expires_at: null, traffic_limit: null, device_limit: null, inbounds: null, tariff_id: null };
    const { body } = await panel.full.call('updateUser', { id: user.id, ...nothing });
    expect(body).toMatchObject({ ...nothing, traffic_remaining: null, state: 'active', reset_strategy: 'month' });
  });

  it('takes both media types, and no other', async () => {
    const { id } = await create();
    for (const type of ['application/merge-patch+json', 'application/json; charset=utf-8', 'APPLICATION/JSON']) {
      const answer = await panel.full.call('updateUser', { id, note: type }, { 'content-type': type });
      expect(answer.body.note).toBe(type);
    }
    for (const type of ['application/json-patch+json', 'text/json', 'application/json; charset=utf-16', '']) {
      const answer = await panel.full.call('updateUser', { id, note: type }, { 'content-type': type });
      expect(answer.problem.detail, type).toBe('unsupported_media_type');
    }
  });

  it('to another plan: its limits, a new term, the counter reset, grants stay; other fields win', async () => {
    const user = await create();
    await panel.full.call('createGrant', { id: user.id, bytes: 5 * MIB, lifetime: 'used' });
    panel.move({
      nodeId: fixtures.nodeId,
      total: { up: 0, down: 0 },
      users: [{ userId: user.id, up: MIB, down: MIB }],
      inbounds: [],
    });
    const year = await panel.act('createTariff', {
      name: 'Year',
      traffic_limit: 7 * MIB,
      duration: { months: 12 },
      device_limit: 1,
      reset_strategy: 'period',
    });
    clock.set(START + 40 * DAY);
    expect((await read(user.id)).state).toBe('expired');
    const { body } = await panel.full.call('updateUser', { id: user.id, tariff_id: year.id, device_limit: 9 });
    expect(body).toMatchObject({
      state: 'active',
      tariff_id: year.id,
      traffic_limit: 7 * MIB,
      device_limit: 9,
      reset_strategy: 'period',
      used_up: 0,
      used_down: 0,
      total_up: MIB,
      total_down: MIB,
      traffic_extra: 5 * MIB,
      traffic_remaining: 12 * MIB,
      expires_at: '2027-12-30T10:00:00.000Z',
    });
    const held = await panel.full.call('updateUser', { id: user.id, tariff_id: fixtures.tariffs.held });
    expect(held.body).toMatchObject({ state: 'on_hold', hold: { months: 0, days: 30 }, expires_at: null });
    const set = await panel.full.call('updateUser', { id: user.id, expires_at: '2027-06-01T00:00:00Z' });
    expect(set.body, 'a set end ends the hold').toMatchObject({ state: 'active', hold: null });
    expect((await panel.full.call('updateUser', { id: user.id, tariff_id: null })).body).toMatchObject({
      tariff_id: null,
      expires_at: '2027-06-01T00:00:00.000Z',
      state: 'active',
    });
  });

  it('enables and disables, and tells so', async () => {
    const { id } = await create();
    const after = panel.store.events.latestId();
    expect((await panel.full.call('updateUser', { id, enabled: false })).body.state).toBe('disabled');
    expect((await panel.full.call('updateUser', { id, enabled: true })).body.state).toBe('active');
    expect(typesSince(after)).toEqual([
      'user.changed',
      'user.disabled',
      'user.changed',
      'user.enabled',
      'user.activated',
    ]);
  });
});

describe('reissuing', () => {
  const readAccess = (id: number) => ({
    token: panel.store.users.get(id)?.token,
    ...panel.store.users.credentials(id),
  });

  it('makes a new link and new credentials; the old link is dead from the next request on', async () => {
    const user = await create();
    const before = readAccess(user.id);
    const open = (url = '') => panel.full.as(null).send({ method: 'GET', path: url });
    expect((await open(user.sub_url)).status).toBe(200);
    const { body } = await panel.full.call('reissueUser', { id: user.id });
    const after = readAccess(user.id);
    for (const field of ['token', 'uuid', 'password', 'key'] as const) expect(after[field]).not.toBe(before[field]);
    expect(body.sub_url).toBe(`${panel.origin}/sub/${after.token}`);
    expect(body).toEqual({ ...user, sub_url: body.sub_url, updated_at: body.updated_at });
    const dead = await open(user.sub_url);
    expect({ status: dead.status, text: dead.text, names: Object.keys(dead.headers).sort() }).toEqual({
      status: 404,
      text: '',
      names: ['connection', 'content-length', 'date'],
    });
    const alive = await open(body.sub_url);
    expect(alive.status).toBe(200);
    const plain = Buffer.from(alive.text, 'base64').toString();
    expect(plain).toContain(after.uuid);
    expect(plain).not.toContain(before.uuid);
  });

  it('takes an empty body and {}, and nothing else', async () => {
    const { id } = await create();
    const send = (body: string | undefined, type?: string) =>
      panel.full.send({
        method: 'POST',
        path: `/users/${id}/reissue`,
        body,
        headers: type ? { 'content-type': type } : {},
      });
    expect((await send(undefined)).status).toBe(200);
    expect((await send('{}', 'application/json')).status).toBe(200);
    expect((await send('', 'application/json')).status).toBe(200);
    expect((await send('{"a":1}', 'application/json')).problem.detail).toBe('validation');
    expect((await send('null', 'application/json')).problem.detail).toBe('validation');
    expect((await send('{}')).problem.detail).toBe('unsupported_media_type');
  });
});

describe('deleting', () => {
  it('takes the user, its link and its grants; the totals of nodes stay', async () => {
    const user = await create();
    await panel.full.call('createGrant', { id: user.id, bytes: MIB, lifetime: 'used' });
    const total = { up: MIB, down: MIB };
    panel.move({ nodeId: fixtures.nodeId, total, users: [{ userId: user.id, ...total }], inbounds: [] });
    const moved = (await panel.read.call('getServerTraffic', {})).body.total;
    const after = panel.store.events.latestId();
    const answer = await panel.full.call('deleteUser', { id: user.id });
    expect({ status: answer.status, text: answer.text, type: answer.headers['content-type'] }).toEqual({
      status: 204,
      text: '',
      type: undefined,
    });
    for (const path of ['', '/grants', '/traffic']) {
      const gone = await panel.full.send({ method: 'GET', path: `/users/${user.id}${path}` });
      expect(gone.problem).toMatchObject({ status: 404, detail: 'not_found' });
    }
    expect((await panel.full.call('deleteUser', { id: user.id })).status).toBe(404);
    expect((await panel.full.as(null).send({ method: 'GET', path: String(user.sub_url) })).status).toBe(404);
    expect((await panel.read.call('getServerTraffic', {})).body.total).toEqual(moved);
    expect(typesSince(after)).toEqual(['user.deleted']);
  });

  it('honours If-Match', async () => {
    const { id } = await create();
    const etag = String((await panel.full.call('getUser', { id })).headers.etag);
    await panel.full.call('updateUser', { id, note: 'newer' });
    expect((await panel.full.call('deleteUser', { id }, { 'if-match': etag })).problem.detail).toBe(
      'precondition_failed',
    );
    expect((await panel.full.call('deleteUser', { id }, { 'if-match': `${etag}, *` })).problem.detail).toBe(
      'bad_header',
    );
    expect((await panel.full.call('deleteUser', { id }, { 'if-match': '*' })).status).toBe(204);
  });

  it('is the only thing that ever removes a user', async () => {
    const { id } = await create({ expires_at: '2026-12-01T00:00:00Z' });
    clock.set(Date.parse('2099-01-01T00:00:00Z'));
    expect(await read(id)).toMatchObject({ state: 'expired' });
    clock.set(START + 40 * DAY);
  });
});
