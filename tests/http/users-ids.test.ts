// Ids of other systems and metadata: set, unique, merged and found; lists by ids, several states and exact windows of time.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallOf } from '../../src/contract/operation.ts';
import type { createUsers } from '../../src/contract/users.ts';
import { createTestClock } from '../support/clock.ts';
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
    const { total } = (await shop.full.call('listUsers', {})).body;
    clock.advance(25 * 3_600_000);
    const again = await shop.full.call('putUser', sale);
    expect([again.status, again.headers.location]).toEqual([200, undefined]);
    expect([again.body, again.headers.etag]).toEqual([made.body, made.headers.etag]);
    expect((await shop.full.call('listUsers', {})).body.total).toBe(total);
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
    expect(await found('external_id=put-3')).toEqual([]);
    await put('put-3');
    expect(await codes(put('put-3', { telegram_id: 7101, inbounds: [4_000_000] }))).toEqual(['inbound_not_found']);
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
    const before = (await found('')).length;
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
    expect((await found('')).length).toBe(before);
    const real = (await batch(users)).body;
    expect([real.dry_run, real.created, real.failed, outcomes(real)]).toEqual([false, 2, 4, expected]);
    expect(real.results[0]?.user).toMatchObject({ name: 'One', external_id: 'batch-1', state: 'active' });
    expect(real.results[0]?.user?.sub_url).toMatch(/^https:/);
    expect((await found('')).length).toBe(before + 2);
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
    expect((await panel.full.call('listUsers', { tag: 'b500' })).body.total).toBe(500);
    expect(panel.store.events.latestId()).toBe(latest + 500);
  });

  it('is refused as a whole where it is not valid', async () => {
    const one = { name: 'A', tariff_id: tariff_id() };
    const before = (await found('')).length;
    expect((await batch([])).problem.errors?.[0]).toMatchObject({ pointer: '#/users', code: 'too_small' });
    const wrong = await batch([one, { ...one, name: '' }]);
    expect(wrong.problem.errors?.map(({ pointer }) => pointer)).toEqual(['#/users/1/name']);
    expect((await batch(Array.from({ length: 501 }, () => one))).problem.detail).toBe('validation');
    expect((await found('')).length).toBe(before);
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
  const errorsOf = async (body: object) =>
    (await bulk(body)).problem.errors?.map(({ pointer, code }) => [pointer, code]);

  it('is refused where an empty text or list would widen it', async () => {
    const all = (await found('')).length;
    for (const action of ['delete', 'disable', 'reset'] as const) {
      const by = (filter: object) => errorsOf({ action, filter, expect_matched: all });
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
    expect(await errorsOf({ action: 'delete', filter })).toEqual([['#/expect_matched', 'required']]);
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
