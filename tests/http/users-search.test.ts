// Finding users: by a text in any case and script, by filters alone and together, and what is refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallOf } from '../../src/contract/operation.ts';
import type { listUsers, User } from '../../src/contract/users/users.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

type Query = CallOf<typeof listUsers>;

let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel();
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

const list = async (query: Query) => {
  const answer = await panel.read.call('listUsers', query);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const names = async (query: Query) => (await list({ limit: 500, ...query })).items.map(({ name }) => name);
const create = (name: string, more: object = {}) =>
  panel.act('createUser', { name, tariff_id: fixtures.tariffs.free, ...more } as never) as Promise<User>;

describe('the search', () => {
  beforeAll(async () => {
    await create('Привет Мир', { contact: '@privet', tags: ['друг'] });
    await create('STRASSE 100%_x', { note: 'Ärger in der Straße' });
    await create('中文用户', { contact: 'wx:小明' });
    await create('O"Brien \' OR 1=1 --', { note: 'NEAR(a b) AND * ^ {x}' });
    await create('Ünï', { tags: ['a b', '🇩🇪'] });
  });

  it.each([
    ['ПРИВ', ['Привет Мир']],
    ['привет м', ['Привет Мир']],
    ['рИ', ['Привет Мир']],
    ['М', ['Привет Мир']],
    ['@PRIVET', ['Привет Мир']],
    ['ДРУГ', ['Привет Мир']],
    ['strasse', ['STRASSE 100%_x']],
    ['ärger', ['STRASSE 100%_x']],
    ['100%_', ['STRASSE 100%_x']],
    ['%_', ['STRASSE 100%_x']],
    ['文用', ['中文用户']],
    ['小', ['中文用户']],
    ['O"B', ['O"Brien \' OR 1=1 --']],
    ["' OR 1=1", ['O"Brien \' OR 1=1 --']],
    ['near(A B) and *', ['O"Brien \' OR 1=1 --']],
    ['🇩🇪', ['Ünï']],
    ['A B', ['Ünï', 'O"Brien \' OR 1=1 --']],
    ['ÜNÏ', ['Ünï']],
    ['no such text', []],
  ])('%j finds %j', async (q, expected) => {
    expect((await names({ q })).sort()).toEqual([...expected].sort());
    expect((await list({ q })).total).toBe(expected.length);
  });

  it('finds an id, and an empty text finds all', async () => {
    const { id, name } = await create('by its id');
    expect(await names({ q: String(id) })).toContain(name);
    expect((await list({ q: '' })).total).toBe((await list({})).total);
  });

  it('goes with every other filter', async () => {
    expect(await names({ q: 'привет', tag: 'друг' })).toEqual(['Привет Мир']);
    expect(await names({ q: 'привет', tag: 'дру' })).toEqual([]);
    expect(await names({ q: 'привет', state: 'active', contact: '@privet' })).toEqual(['Привет Мир']);
    expect(await names({ q: 'привет', state: 'disabled' })).toEqual([]);
  });

  it('follows a change at once', async () => {
    const { id } = await create('before it', { note: 'oldnote' });
    await panel.full.call('updateUser', { id, name: 'after it', note: 'newnote' });
    expect(await names({ q: 'oldnote' })).toEqual([]);
    expect(await names({ q: 'newnote' })).toEqual(['after it']);
    await panel.full.call('deleteUser', { id });
    expect(await names({ q: 'newnote' })).toEqual([]);
  });
});

describe('filters', () => {
  it('by time: from a moment to before another, and who never expires is in neither', async () => {
    const at = '2031-05-01T00:00:00.000Z';
    const near = (ms: number) => new Date(Date.parse(at) + ms).toISOString();
    for (const by of [-1, 0, 1]) await create(`time ${by}`, { expires_at: near(by), tags: ['time'] });
    await create('time never', { tags: ['time'] });
    const tag = 'time';
    expect((await names({ tag, expires_before: at })).sort()).toEqual(['time -1']);
    expect((await names({ tag, expires_after: at })).sort()).toEqual(['time 0', 'time 1']);
    expect((await names({ tag, expires_after: near(-2), expires_before: near(2) })).sort()).toEqual([
      'time -1',
      'time 0',
      'time 1',
    ]);
    expect(await names({ tag, sort: 'expires_at' })).toEqual(['time -1', 'time 0', 'time 1', 'time never']);
    expect(await names({ tag, sort: '-expires_at' })).toEqual(['time never', 'time 1', 'time 0', 'time -1']);
  });

  it('by change: inclusive', async () => {
    const { id, updated_at } = await create('changed', { tags: ['changed'] });
    expect(await names({ tag: 'changed', updated_since: updated_at })).toEqual(['changed']);
    const later = new Date(Date.parse(updated_at) + 1).toISOString();
    expect(await names({ tag: 'changed', updated_since: later })).toEqual([]);
    panel.move({
      nodeId: fixtures.nodeId,
      total: { up: 1, down: 1 },
      users: [{ userId: id, up: 1, down: 1 }],
      inbounds: [],
    });
    expect((await list({ tag: 'changed', online: true })).total, 'traffic is not a change').toBe(1);
    expect((await list({ tag: 'changed' })).items[0]?.updated_at).toBe(updated_at);
  });

  it('by connection, by traffic and by node, and sorted by when they were last online', async () => {
    const tag = 'reach';
    const node_id = (await panel.act('createNode', { name: 'Oslo', address: '192.0.2.77' })).id;
    const inbound = await panel.act('createInbound', {
      node_id,
      tag,
      name: tag,
      protocol: 'shadowsocks',
      method: 'aes-256-gcm',
      port: 46_001,
    });
    const bare = (await panel.act('createNode', { name: 'Bare', address: '192.0.2.78' })).id;
    const never = await create('reach never', { tags: [tag], inbounds: [] });
    const low = await create('reach low', { tags: [tag], traffic_limit: 100, inbounds: [inbound.id] });
    const fine = await create('reach fine', { tags: [tag], traffic_limit: 100 });
    const move = (userId: number, up: number) =>
      panel.move({ nodeId: node_id, total: { up, down: 0 }, users: [{ userId, up, down: 0 }], inbounds: [] });
    move(low.id, 80);
    move(fine.id, 79);
    const last = panel.store.users.get(fine.id);
    if (last) panel.store.write(() => panel.store.users.save(last, { ...last, onlineAt: 1 }));
    expect(await names({ tag, connected: false })).toEqual([never.name]);
    expect(await names({ tag, connected: true, sort: 'id' })).toEqual([low.name, fine.name]);
    expect(await names({ tag, traffic_low: true })).toEqual([low.name]);
    expect(await names({ tag, traffic_low: false, sort: 'id' })).toEqual([never.name, fine.name]);
    expect(await names({ tag, node_id, sort: 'id' })).toEqual([low.name, fine.name]);
    expect(await names({ tag, node_id: fixtures.nodeId })).toEqual([fine.name]);
    expect(await names({ tag, node_id: bare })).toEqual([]);
    expect(await names({ tag, sort: 'online_at' })).toEqual([never.name, fine.name, low.name]);
    expect(await names({ tag, sort: '-online_at' })).toEqual([low.name, fine.name, never.name]);
    await panel.act('createGrant', { id: low.id, bytes: 1, lifetime: 'used' });
    expect(await names({ tag, traffic_low: true })).toEqual([]);
  });

  it.each([
    'limit=0',
    'limit=501',
    'limit=x',
    'limit=1.5',
    'limit=-1',
    'limit=',
    'offset=-1',
    'offset=9007199254740993',
    'state=Active',
    'state=',
    'sort=email',
    'sort=--id',
    'online=1',
    'online=TRUE',
    'tariff_id=0',
    'tariff_id=01',
    'expires_before=2026-01-01',
    'unknown=1',
    'limit=1&limit=1',
    'cursor=x',
    'cursor=',
    `q=${'x'.repeat(101)}`,
    'q=%ff',
    'limit=10&cursor=W10&offset=5',
    '__proto__=1',
  ])('%s is refused', async (query) => {
    const { problem } = await panel.read.send({ method: 'GET', path: `/users?${query}` });
    expect(problem).toMatchObject({ status: 422, detail: 'validation' });
    const named = new Set(problem.errors?.map(({ parameter }) => parameter));
    expect([...named].every((name) => query.includes(String(name)))).toBe(true);
  });

  it('a cursor is of one sort', async () => {
    const { next_cursor } = await list({ limit: 1, sort: 'name' });
    const answer = await panel.read.call('listUsers', { limit: 1, sort: 'id', cursor: String(next_cursor) });
    expect(answer.problem).toMatchObject({ detail: 'validation', errors: [{ parameter: 'cursor' }] });
  });
});
