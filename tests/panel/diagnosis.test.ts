// The diagnosis of a user and what a pasted text is, by a real panel: the records behind each form, and that no text remains.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestClock, createTestTimers } from '../support/clock.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const clock = createTestClock(Date.parse('2026-11-20T10:00:00Z'));
const timers = createTestTimers();
let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel({ clock, timers });
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

const listCodes = async (id: number) => (await panel.act('diagnoseUser', { id })).findings.map(({ code }) => code);
const identify = (text: string) => panel.act('identify', { text });
const readSubscriptionUrl = async (id: number, query = '') => `${(await panel.act('getUser', { id })).sub_url}${query}`;
const openLink = (link: string, agent: string, method = 'GET') =>
  panel.full.as(null).send({ method, path: link, headers: { 'user-agent': agent } });

describe('a diagnosis', () => {
  it.each([
    ['disabled', 'enable'],
    ['expired', 'extend'],
    ['limited', 'add_traffic'],
  ] as const)('names %s first, with what would mend it', async (state, remedy) => {
    const { verdict, findings } = await panel.act('diagnoseUser', { id: fixtures.users[state].id });
    expect(verdict).toBe('cannot');
    expect(findings.find(({ code }) => code === state)).toMatchObject({ severity: 'blocking', remedy });
  });

  it('goes through node, link and use of a user who may connect', async () => {
    const { id } = await panel.act('createUser', { name: 'Sound', tariff_id: fixtures.tariffs.free });
    expect(await listCodes(id)).toEqual([
      'link_loopback',
      'node_not_synced',
      'link_never_read',
      'may_connect',
      'never_online',
    ]);
    const { findings } = await panel.act('diagnoseUser', { id });
    expect(findings.find(({ code }) => code === 'node_not_synced')?.figures).toMatchObject({ id: fixtures.nodeId });
  });

  it('names the application that last read the link, and stores it', async () => {
    const { id } = await panel.act('createUser', { name: 'Reader', tariff_id: fixtures.tariffs.free });
    const link = await readSubscriptionUrl(id);
    expect((await openLink(link, 'Happ/3.1 (iPhone)')).status).toBe(200);
    clock.advance(60_000);
    // A person who looks at the page has no application yet.
    await panel.full.as(null).send({
      method: 'GET',
      path: link,
      headers: { 'user-agent': 'Mozilla/5.0', accept: 'text/html' },
    });
    const { findings } = await panel.act('diagnoseUser', { id });
    expect(findings.find(({ code }) => code === 'link_read')?.figures).toEqual({
      at: new Date(clock.now() - 60_000).toISOString(),
      name: 'Happ/3.1',
    });
    timers.tick();
    await expect.poll(() => panel.store.linkReads.get(id)).toMatchObject({ app: 'Happ/3.1' });
  });

  it('finds that no connection is allowed', async () => {
    const { id } = await panel.act('createUser', { name: 'None', tariff_id: fixtures.tariffs.free, inbounds: [] });
    expect((await panel.act('diagnoseUser', { id })).findings).toContainEqual({
      code: 'none_granted',
      severity: 'blocking',
      figures: { count: 4 },
      remedy: 'allow_all_connections',
    });
  });

  it('of no user is not found', async () => {
    await expect(panel.act('diagnoseUser', { id: 999_999 })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a pasted text', () => {
  it('leads from each share link, the link itself, its token, contact, name and id to the user', async () => {
    const { id } = await panel.act('createUser', {
      name: 'Anna Pasted',
      contact: '@anna-pasted',
      tariff_id: fixtures.tariffs.free,
      telegram_id: 77_001,
    });
    const link = await readSubscriptionUrl(id);
    const shares = (await openLink(`${link}?format=plain`, 'curl/8')).text.trim().split('\n');
    expect(shares).toHaveLength(4);
    for (const share of shares)
      expect(await identify(share), share).toMatchObject({ kind: 'share_link', user: { id } });
    const token = link.slice(link.lastIndexOf('/') + 1);
    for (const [text, kind] of [
      [link, 'subscription_link'],
      [`happ://add/${link}`, 'subscription_link'],
      [token, 'subscription_link'],
      ['@anna-pasted', 'contact'],
      ['anna pasted', 'name'],
      [`#${id}`, 'id'],
      ['77001', 'id'],
    ] as const) {
      expect(await identify(text), text).toMatchObject({ kind, user: { id, name: 'Anna Pasted' }, keys: [] });
    }
    await panel.act('reissueUser', { id });
    expect(await identify(String(shares[0]))).toMatchObject({ kind: 'share_link', user: null });
    expect(await identify(link)).toMatchObject({ kind: 'subscription_link', user: null });
  });

  it('leads from the receipt of an order and from its page to who paid', async () => {
    const tariff_id = fixtures.tariffs.monthly;
    const price = { amount: 30_000, currency: 'RUB' } as const;
    const { id } = await panel.act('createUser', { name: 'Paid Once', tariff_id });
    const sold = { kind: 'days', days: 7 } as const;
    const offer = await panel.act('createOffer', { tariff_id, name: 'Week', sold, prices: [price], on_sale: true });
    const payment = { user_id: id, offer_id: offer.id, method: 'transfer', reference: 'SBP-99181', ...price } as const;
    const order = await panel.act('recordPayment', { key: 'diagnosed-1', ...payment });
    const named = { kind: 'order', user: { id }, order: { id: order.id, state: 'paid', user_name: 'Paid Once' } };
    expect(await identify(' SBP-99181 ')).toMatchObject(named);
    expect(await identify('SBP-9918')).toMatchObject({ kind: 'unknown', order: null });
  });

  it('leads from a key or its beginning to the key', async () => {
    const { key, value } = await panel.makeKey('read');
    const known = { id: key.id, name: key.name, prefix: key.prefix, state: 'active' };
    expect(await identify(value)).toMatchObject({ kind: 'key', user: null, keys: [known] });
    expect((await identify(key.prefix)).keys).toContainEqual(known);
    expect(await identify(`${value.slice(0, -1)}${value.endsWith('a') ? 'b' : 'a'}`)).toMatchObject({ keys: [] });
  });

  it('leads from the id of a request to what it did', async () => {
    const answer = await panel.full.call('createUser', { name: 'Asked', tariff_id: fixtures.tariffs.free });
    const requestId = String(answer.headers['x-request-id']);
    const { kind, entries } = await identify(requestId);
    expect(kind).toBe('request');
    expect(entries).toMatchObject([{ action: 'createUser', target: `user:${answer.body.id}` }]);
  });

  it('is found nowhere afterwards', async () => {
    const texts = ['vless://5eC2e7aa-1111-4222-8333-444455556666@canary-pasted.example:443', 'canary-pasted-words'];
    for (const text of texts) expect((await identify(text)).user).toBeNull();
    const files = readdirSync(panel.folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const bytes = Buffer.concat(files.map((entry) => readFileSync(join(entry.parentPath, entry.name)))).toString(
      'latin1',
    );
    expect(bytes + JSON.stringify(panel.log)).not.toMatch(/canary-pasted|5eC2e7aa/i);
  });
});
