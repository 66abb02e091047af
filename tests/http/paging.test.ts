// Walks through lists while they change: by Link and by next_cursor, nothing comes twice and nothing that was there throughout is missed.
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fill } from '../support/fixtures.ts';
import type { Answer } from '../support/http-client.ts';
import { times } from '../support/long.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';
import { sampleUser } from '../support/temp-store.ts';

interface Page {
  readonly items: readonly { readonly id: number }[];
  readonly total: number;
  readonly next_cursor: string | null;
}

/** How a walk finds the address of the next page; null: that was the last. */
type NextOf = (answer: Answer<Page>, url: string) => string | null;

const byCursor: NextOf = ({ body }, url) => {
  const next = new URL(url);
  next.searchParams.set('cursor', body.next_cursor ?? '');
  return body.next_cursor === null ? null : next.href;
};
const byLink: NextOf = ({ headers }) => /<(https?:[^>]*)>; rel="next"/.exec(String(headers.link))?.[1] ?? null;
const WAYS = [
  ['next_cursor', byCursor],
  ['Link', byLink],
] as const;

let panel: TestPanel;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.stop());

/** Reads all pages from `path` on and returns the ids in the order in which they came. */
async function walk(path: string, findNext: NextOf, betweenPages: () => Promise<void> = async () => {}) {
  const seen: number[] = [];
  let url: string | null = `${panel.baseUrl}${path}`;
  while (url !== null) {
    const answer: Answer<Page> = await panel.read.send<Page>({ method: 'GET', path: url });
    expect(answer.status, answer.text).toBe(200);
    seen.push(...answer.body.items.map(({ id }) => id));
    url = findNext(answer, url);
    await betweenPages();
  }
  return seen;
}

describe('every list', () => {
  const paths: string[] = [];
  beforeAll(async () => {
    const { tariffs } = await fill(panel);
    const { id: user } = await panel.act('createUser', { name: 'A', tariff_id: tariffs.free });
    const { id: node } = await panel.act('createNode', { name: 'N', address: 'n.example.org' });
    for (let index = 0; index < 12; index++) {
      await panel.act('createTariff', { name: `T${index}`, archived: index % 2 === 0 });
      await panel.act('createNode', { name: `N${index}`, address: 'n.example.org' });
      await panel.act('createGrant', { id: user, bytes: 1, lifetime: 'used' });
      const common = { node_id: node, name: 'C', protocol: 'vless', port: 1000 + index } as const;
      await panel.act('createInbound', { ...common, tag: `c${index}` });
    }
    paths.push('/tariffs?', '/tariffs?archived=true&', '/inbounds?', `/inbounds?node_id=${node}&`, '/nodes?');
    paths.push(`/users/${user}/grants?`, '/users?sort=name&');
  });

  it.each(WAYS)('is walked by %s, in whole and in order', async (_name, findNext) => {
    for (const path of paths) {
      const all = (await panel.read.send<Page>({ method: 'GET', path: `${path}limit=500` })).body;
      expect([path, all.items.length, all.next_cursor]).toEqual([path, all.total, null]);
      expect(all.total).toBeGreaterThan(5);
      for (const limit of [1, 5, all.total - 1, all.total]) {
        expect(await walk(`${path}limit=${limit}`, findNext), path).toEqual(all.items.map(({ id }) => id));
      }
    }
  });

  it('takes no cursor of another list, none beside an offset, and none that is made up', async () => {
    const readCursor = async (path: string) =>
      (await panel.read.send<Page>({ method: 'GET', path: `${path}limit=1` })).body.next_cursor;
    const ofNodes = await readCursor('/nodes?');
    const madeUp = ['x', 'null', '[]', '["tariffs"]', '["tariffs","1"]', '["tariffs",1,2]', '["tariffs",1e99]'];
    const cursors = [ofNodes, '', ...madeUp.map((text) => Buffer.from(text).toString('base64url'))];
    const queries = cursors.map((cursor) => `cursor=${cursor}`);
    queries.push(`offset=1&cursor=${await readCursor('/tariffs?')}`);
    for (const query of queries) {
      const answer = await panel.read.send({ method: 'GET', path: `/tariffs?${query}` });
      expect([query, answer.status, answer.problem.errors?.[0]?.parameter]).toEqual([query, 422, 'cursor']);
    }
  });

  it('goes on from an offset by cursor', async () => {
    const all = await walk('/tariffs?limit=3', byCursor);
    expect(await walk('/tariffs?limit=3&offset=5', byLink)).toEqual(all.slice(5));
  });
});

describe('many users, made and deleted while they are walked', () => {
  const USERS = times(5000, 100_000);
  const CHANGES = times(300, 5000);
  const LIMIT = 500;
  /** Users that are inserted by one transaction. */
  const PART = 5000;
  const names = ['anna', 'Boris', 'вера', 'Émile', 'zoe'];
  let tariff = 0;
  let made = 0;
  let present: number[] = [];

  beforeAll(async () => {
    tariff = (await panel.act('createTariff', { name: 'Walked' })).id;
    while (present.length < USERS) {
      const first = present.length;
      panel.store.write(() => {
        for (let index = first; index < first + PART; index++) present.push(panel.store.users.insert(newUser(index)));
      });
      // The panel is in this process: between two parts it serves, and ends idle connections before they are used again.
      await setImmediate();
    }
  });

  const newUser = (index: number) => sampleUser({ name: names[index % names.length] ?? '', tariffId: tariff });

  /** Creates two users for each one that it deletes, all over the list. */
  async function change(): Promise<void> {
    for (let count = 0; count < CHANGES / (USERS / LIMIT); count++) {
      made += 1;
      if (made % 3 === 0) {
        const [id = 0] = present.splice((made * 7919) % present.length, 1);
        await panel.act('deleteUser', { id });
      } else {
        await panel.act('createUser', { name: `${names[made % names.length]} ${made % 7}`, tariff_id: tariff });
      }
    }
  }

  const walks = WAYS.flatMap(([way, findNext]) => ['-id', 'name'].map((sort) => [way, sort, findNext] as const));

  it.each(walks)('by %s under %s', async (_way, sort, findNext) => {
    const seen = await walk(`/users?tariff_id=${tariff}&sort=${sort}&limit=${LIMIT}`, findNext, change);
    const met = new Set(seen);
    expect(seen.length - met.size, 'came twice').toBe(0);
    const throughout = present;
    expect(
      throughout.filter((id) => !met.has(id)),
      'missed',
    ).toEqual([]);
    present = panel.store.users.ids({ tariffId: tariff }, Date.now()) as number[];
  });
});
