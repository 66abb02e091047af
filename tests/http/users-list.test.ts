// The list of users: every sort, exact totals, and paging that neither skips nor repeats while users come and go.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallOf } from '../../src/contract/operation.ts';
import { type listUsers, SORTS, type Sort, type User } from '../../src/contract/users/users.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const DAY = 86_400_000;
const MANY = 2000;
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
const create = (name: string, more: object = {}) =>
  panel.act('createUser', { name, tariff_id: fixtures.tariffs.free, ...more } as never) as Promise<User>;

describe(`${MANY} users`, () => {
  const base = 'walk';
  let ids: number[] = [];
  beforeAll(async () => {
    for (let index = 0; index < MANY; index++) {
      // Many ties in name, time and traffic, so that the order hangs on the id.
      const more = {
        tags: [base],
        expires_at: index % 5 === 0 ? null : new Date(Date.now() + (1 + (index % 7)) * DAY).toISOString(),
      };
      ids.push((await create(`Walk ${index % 11}`, more)).id);
    }
    const users = ids.map((userId, index) => ({ userId, up: 0, down: index % 4 }));
    panel.move({ nodeId: fixtures.nodeId, total: { up: 0, down: 0 }, users, inbounds: [] });
  });

  const sortedBy = (user: User, sort: Sort): string | number => {
    const field = sort.replace('-', '') as (typeof SORTS)[number];
    if (field === 'used') return user.used_up + user.used_down;
    if (field === 'name') return user.name.toLowerCase();
    if (field === 'expires_at') return user.expires_at ?? '9999';
    if (field === 'online_at') return user.online_at ?? '';
    if (field === 'tariff_id') return user.tariff_id ?? 0;
    return user[field];
  };

  it.each(SORTS.flatMap((field) => [field, `-${field}`] as const))(
    'walked by cursor under %s while users come and go',
    async (sort) => {
      const expected = new Set(ids);
      const seen: User[] = [];
      let cursor: string | undefined;
      let round = 0;
      do {
        const page: Awaited<ReturnType<typeof list>> = await list({
          tag: base,
          sort,
          limit: 97,
          ...(cursor !== undefined && { cursor }),
        });
        seen.push(...page.items);
        cursor = page.next_cursor ?? undefined;
        // One comes at either end of the order and one that was not seen yet goes.
        round += 1;
        expect(round, 'a walk without an end').toBeLessThan(100);
        await create(round % 2 ? 'Aaa' : 'Zzz', { tags: [base] });
        const met = new Set(seen.map(({ id }) => id));
        const going = ids.find((id) => !met.has(id));
        if (going !== undefined && round % 5 === 0) {
          await panel.act('deleteUser', { id: going });
          expected.delete(going);
          ids = ids.filter((id) => id !== going);
        }
      } while (cursor !== undefined);
      const met = seen.map(({ id }) => id);
      expect(new Set(met).size, 'nobody twice').toBe(met.length);
      expect(
        [...expected].filter((id) => !met.includes(id)),
        'nobody left out',
      ).toEqual([]);
      const direction = sort.startsWith('-') ? -1 : 1;
      for (const [index, user] of seen.entries()) {
        const next = seen[index + 1];
        if (!next) break;
        const [a, b] = [sortedBy(user, sort), sortedBy(next, sort)];
        const inOrder = a === b ? (user.id - next.id) * direction < 0 : a < b === (direction === 1);
        expect(inOrder, `${sort}: ${a} ${user.id} before ${b} ${next.id}`).toBe(true);
      }
    },
  );

  it('every total is exact', async () => {
    const state = 'active';
    const all: User[] = [];
    for (let offset = 0; ; offset += 500) {
      const { items } = await list({ offset, limit: 500, sort: 'id' });
      all.push(...items);
      if (items.length < 500) break;
    }
    const count = (is: (user: User) => boolean) => all.filter(is).length;
    expect((await list({ limit: 1 })).total).toBe(all.length);
    expect((await list({ state, limit: 1 })).total).toBe(count((user) => user.state === state));
    expect((await list({ tariff_id: fixtures.tariffs.free, limit: 1 })).total).toBe(
      count((user) => user.tariff_id === fixtures.tariffs.free),
    );
    expect((await list({ q: 'walk 1', limit: 1 })).total).toBe(
      count((user) => user.name.toLowerCase().includes('walk 1')),
    );
    const both = { state, tariff_id: fixtures.tariffs.monthly } as const;
    expect((await list({ ...both, limit: 1 })).total).toBe(
      count((user) => user.state === state && user.tariff_id === fixtures.tariffs.monthly),
    );
  });

  /** The targets of a Link header by relation; all are absolute. */
  function parseLinks(header: unknown): Record<string, URL> {
    const links = [...String(header).matchAll(/<([^>]*)>; rel="(\w+)"/g)];
    return Object.fromEntries(links.map(([, target = '', relation]) => [relation, new URL(target)]));
  }

  it('Link headers lead to the end under the same filters, never by offset, and back from there by jumps', async () => {
    const get = (url: string) => panel.read.send<{ items: User[] }>({ method: 'GET', path: url });
    const first = `${panel.baseUrl}/users?tag=${base}&sort=name&limit=300`;
    const seen: number[] = [];
    let url = first;
    let last = '';
    for (;;) {
      const answer = await get(url);
      const links = parseLinks(answer.headers.link);
      seen.push(...answer.body.items.map(({ id }) => id));
      expect(links.first?.href).toBe(first);
      last = links.last?.href ?? last;
      if (!links.next) break;
      expect(links.next.searchParams.get('offset')).toBeNull();
      expect(links.next.searchParams.get('tag')).toBe(base);
      url = links.next.href;
    }
    expect(new Set(seen).size).toBe((await list({ tag: base, limit: 1 })).total);
    expect(seen).toHaveLength(new Set(seen).size);
    let back = 1;
    for (let links = parseLinks((await get(last)).headers.link); links.prev; back++) {
      links = parseLinks((await get(links.prev.href)).headers.link);
    }
    expect(back).toBe(Math.ceil(seen.length / 300));
  });
});
