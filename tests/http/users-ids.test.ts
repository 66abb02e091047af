// Ids of other systems and metadata: set, unique, merged and found; lists by ids, several states and exact windows of time.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixtures, fill } from '../support/fixtures.ts';
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
const found = async (query: string) => {
  const answer = await panel.read.send<{ items: { id: number }[]; total: number }>({
    method: 'GET',
    path: `/users?sort=id&${query}`,
  });
  expect(answer.status, answer.text).toBe(200);
  const { items, total } = answer.body;
  expect(total).toBe(items.length);
  return items.map(({ id }) => id);
};
const refusedQuery = async (query: string) => {
  const answer = await panel.read.send({ method: 'GET', path: `/users?${query}` });
  expect(answer.problem, query).toMatchObject({ status: 422, detail: 'validation' });
  return answer.problem.errors?.map(({ parameter, code }) => [parameter, code]);
};

describe('ids of other systems', () => {
  it('are stored, found, changed and cleared', async () => {
    const { id } = await create({ external_id: 'crm-1', telegram_id: 1001 });
    expect(await found('external_id=crm-1')).toEqual([id]);
    expect(await found('telegram_id=1001')).toEqual([id]);
    expect(await found('q=CRM-1')).toEqual([id]);
    await panel.act('updateUser', { id, external_id: 'crm-2', telegram_id: 1002 });
    expect([await found('external_id=crm-1'), await found('telegram_id=1001')]).toEqual([[], []]);
    expect([await found('external_id=crm-2'), await found('q=crm-2')]).toEqual([[id], [id]]);
    const user = await panel.act('updateUser', { id, external_id: null, telegram_id: null });
    expect(user).toMatchObject({ external_id: null, telegram_id: null });
    expect([await found('external_id=crm-2'), await found('q=crm-2')]).toEqual([[], []]);
  });

  it('belong to one user each', async () => {
    const first = await create({ external_id: 'unique', telegram_id: 7001 });
    const second = await create();
    const body = { name: 'B', tariff_id: fixtures.tariffs.free };
    const before = await found('');
    for (const [field, code] of [
      ['external_id', 'external_id_taken'],
      ['telegram_id', 'telegram_id_taken'],
    ] as const) {
      const taken = { [field]: first[field] };
      const created = await panel.full.call('createUser', { ...body, ...taken });
      const changed = await panel.full.call('updateUser', { id: second.id, name: 'New', ...taken });
      for (const { problem } of [created, changed]) {
        expect(problem).toMatchObject({
          status: 409,
          detail: code,
          errors: [{ pointer: `#/${field}`, code: 'taken' }],
        });
      }
      expect((await panel.full.call('updateUser', { id: first.id, ...taken })).status, 'its own').toBe(200);
    }
    expect(await found('')).toEqual(before);
    expect((await panel.full.call('getUser', { id: second.id })).body.name).toBe('Anna');
  });
});

describe('metadata', () => {
  it('is merged by a patch, where null removes a member', async () => {
    const { id } = await create({ metadata: { a: '1', b: '2' } });
    const patched = await panel.act('updateUser', { id, metadata: { b: null, c: '3', gone: null } });
    expect(patched.metadata).toEqual({ a: '1', c: '3' });
    const { updated_at } = patched;
    expect((await panel.act('updateUser', { id, metadata: { a: '1' } })).updated_at).toBe(updated_at);
    expect([await found('metadata[b]=2'), await found('metadata%5Bc%5D=3')]).toEqual([[], [id]]);
    const many = Object.fromEntries(Array.from({ length: 19 }, (_, index) => [`k${index}`, '']));
    const answer = await panel.full.call('updateUser', { id, metadata: many });
    expect(answer.problem.errors).toEqual([
      { pointer: '#/metadata', code: 'too_big', message: 'would have more than 20 members' },
    ]);
    expect((await panel.act('updateUser', { id, metadata: { a: null, ...many } })).metadata).toEqual({
      c: '3',
      ...many,
    });
  });

  it('finds users by one exact member', async () => {
    const [first, second] = [
      await create({ metadata: { plan: 'gold', ref: 'x y&z' } }),
      await create({ metadata: { plan: 'gold' } }),
    ];
    await create({ metadata: { plan: 'golden', other: 'gold' } });
    expect(await found('metadata[plan]=gold')).toEqual([first.id, second.id]);
    expect(await found(`metadata[ref]=${encodeURIComponent('x y&z')}&state=active`)).toEqual([first.id]);
    expect(await refusedQuery('metadata[plan]=')).toEqual([['metadata', 'too_small']]);
    expect(await refusedQuery('metadata=gold')).toEqual([['metadata', 'type']]);
    expect(await refusedQuery('metadata[plan]=gold&metadata=x')).toEqual([['metadata', 'type']]);
    expect(await refusedQuery('metadata[a]=1&metadata[b]=2')).toEqual([['metadata', 'invalid']]);
    expect(await refusedQuery('metadata[]=1')).toEqual([['metadata', 'too_small']]);
    expect(await refusedQuery('metadata[__proto__]=1')).toEqual([['metadata', 'invalid']]);
  });
});

describe('a list', () => {
  it('by ids has those that there are', async () => {
    const [a, b] = [(await create()).id, (await create()).id];
    expect(await found(`ids=${b},${a},9007199254740991`)).toEqual([a, b]);
    expect(await found(`ids=${a}`)).toEqual([a]);
    expect(await found(`ids=${a},${b}&state=expired`)).toEqual([]);
    expect(await refusedQuery('ids=')).toEqual([['ids', 'type']]);
    expect(await refusedQuery(`ids=${a},${a}`)).toEqual([['ids', 'invalid']]);
    expect(await refusedQuery(`ids=${a},x`)).toEqual([['ids', 'type']]);
    const many = Array.from({ length: 501 }, (_, index) => index + 1);
    expect(await refusedQuery(`ids=${many}`)).toEqual([['ids', 'too_big']]);
    expect((await found(`ids=${many.slice(1)}&limit=500`)).length).toBeGreaterThan(0);
  });

  it('of several states has the users of each', async () => {
    const { limited, expired, disabled } = fixtures.users;
    expect(await found('state=limited,expired,disabled&tag=fixtures')).toEqual(
      [limited, expired, disabled].map(({ id }) => id).sort((a, b) => a - b),
    );
    expect((await found('state=active,on_hold,limited,expired,disabled')).length).toBe((await found('')).length);
    expect(await refusedQuery('state=')).toEqual([['state', 'invalid']]);
    expect((await refusedQuery('state=active,active'))?.[0]?.[0]).toBe('state');
    expect((await refusedQuery('state=active,none'))?.[0]?.[0]).toBe('state');
    const page = await panel.read.send({ method: 'GET', path: '/users?state=limited,expired&limit=1' });
    expect(page.headers.link).toContain('state=limited%2Cexpired');
  });

  it('has a term that ends at midnight in exactly one of two windows', async () => {
    const midnight = '2031-05-02T00:00:00.000Z';
    const { id } = await create({ expires_at: midnight, tags: ['midnight'] });
    await create({ tags: ['midnight'] });
    const window = (from: string, to: string) => found(`tag=midnight&expires_after=${from}&expires_before=${to}`);
    expect(await window('2031-05-01T00:00:00Z', midnight)).toEqual([]);
    expect(await window(midnight, '2031-05-03T00:00:00Z')).toEqual([id]);
    expect(await found('tag=midnight&expires_after=1970-01-01T00:00:00Z')).toEqual([id]);
    expect(await found('tag=midnight&expires_before=9999-12-31T00:00:00Z')).toEqual([id]);
  });

  it('has users who never expire last ascending and first descending, across pages', async () => {
    const ends = ['2032-01-01T00:00:00.000Z', null, '2031-01-01T00:00:00.000Z', null];
    for (const expires_at of ends) await create({ expires_at, tags: ['endless'] });
    const walk = async (sort: 'expires_at' | '-expires_at') => {
      const seen: (string | null)[] = [];
      let cursor: string | undefined;
      do {
        const { body } = await panel.read.call('listUsers', { tag: 'endless', sort, limit: 1, cursor });
        seen.push(...body.items.map(({ expires_at }) => expires_at));
        cursor = body.next_cursor ?? undefined;
      } while (cursor !== undefined);
      return seen.map((end) => end?.slice(0, 4) ?? null);
    };
    expect(await walk('expires_at')).toEqual(['2031', '2032', null, null]);
    expect(await walk('-expires_at')).toEqual([null, null, '2032', '2031']);
  });

  it('refuses an empty condition', async () => {
    for (const name of ['tag', 'contact', 'external_id']) {
      expect(await refusedQuery(`${name}=`)).toEqual([[name, 'too_small']]);
    }
  });
});

describe('a bulk act', () => {
  const bulk = (body: object) => panel.full.call('bulkUsers', body as never);
  const readErrors = async (body: object) =>
    (await bulk(body)).problem.errors?.map(({ pointer, code }) => [pointer, code]);

  it('is refused where an empty text or list would widen it', async () => {
    const all = (await found('')).length;
    for (const action of ['delete', 'disable', 'reset'] as const) {
      const by = (filter: object) => readErrors({ action, filter, expect_matched: all });
      for (const name of ['q', 'tag', 'contact', 'external_id']) {
        expect(await by({ [name]: '' })).toEqual([[`#/filter/${name}`, 'too_small']]);
      }
      expect(await by({ ids: [] })).toEqual([['#/filter/ids', 'too_small']]);
      expect((await by({ state: [] }))?.[0]?.[0]).toBe('#/filter/state');
      expect(await by({ metadata: {} })).toEqual([['#/filter/metadata', 'invalid']]);
      expect(await by({ metadata: { plan: '' } })).toEqual([['#/filter/metadata/plan', 'too_small']]);
      expect(await by({})).toEqual([['#/filter', 'invalid']]);
      expect(await by({ all: true, tag: 'a' })).toEqual([['#/filter/all', 'invalid']]);
      expect(await by({ all: false })).toEqual([['#/filter/all', 'invalid']]);
    }
    expect((await found('')).length).toBe(all);
  });

  it('deletes by a filter only as many as were expected', async () => {
    for (let index = 0; index < 2; index += 1) await create({ tags: ['goner'] });
    const filter = { tag: 'goner' };
    expect(await readErrors({ action: 'delete', filter })).toEqual([['#/expect_matched', 'required']]);
    const dry = await bulk({ action: 'delete', filter, dry_run: true });
    expect(dry.body.matched).toBe(2);
    expect((await bulk({ action: 'delete', filter, expect_matched: 1 })).problem.detail).toBe('bulk_changed');
    expect((await bulk({ action: 'delete', filter, expect_matched: 2 })).body.affected).toBe(2);
  });

  it('takes ids, several states, ids of other systems and metadata as a filter', async () => {
    const { id } = await create({
      external_id: 'by-filter',
      telegram_id: 5005,
      metadata: { group: 'f' },
      enabled: false,
    });
    const { id: other } = await create({ metadata: { group: 'f' } });
    const matched = async (filter: object) => {
      const { body } = await bulk({ action: 'enable', filter, dry_run: true });
      return body.results.map((line) => line.id).sort((a, b) => a - b);
    };
    expect(await matched({ external_id: 'by-filter' })).toEqual([id]);
    expect(await matched({ telegram_id: 5005 })).toEqual([id]);
    expect(await matched({ metadata: { group: 'f' } })).toEqual([id, other]);
    expect(await matched({ ids: [id, other], state: ['disabled', 'limited'] })).toEqual([id]);
    expect(await matched({ ids: [id, other], state: 'active' })).toEqual([other]);
  });
});

describe('events', () => {
  it('of several types come in their order', async () => {
    const after = panel.store.events.latestId();
    const { id } = await create();
    await panel.act('updateUser', { id, enabled: false });
    await panel.act('updateUser', { id, enabled: true });
    const read = async (type: string) => {
      const answer = await panel.read.send<{ items: { type: string }[] }>({
        method: 'GET',
        path: `/events?after=${after}&type=${type}`,
      });
      return answer.body.items?.map((event) => event.type) ?? answer.problem.errors;
    };
    expect(await read('user.enabled,user.created,user.disabled')).toEqual([
      'user.created',
      'user.disabled',
      'user.enabled',
    ]);
    expect(await read('user.disabled')).toEqual(['user.disabled']);
    for (const type of ['', 'user.disabled,', 'user.disabled,user.disabled', 'none']) {
      expect(await read(type), type).toMatchObject([{ parameter: 'type' }]);
    }
  });
});
