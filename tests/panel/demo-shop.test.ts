// The test provider of a demonstration: one buys there as at any provider, odd payments need attention, and no other panel has it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoShop } from '../../src/demo/demo-shop.ts';
import { prepareDemoFolder } from '../../src/demo/folder.ts';
import { TEST_ROOT } from '../../src/demo/test-provider.ts';
import { newRequestId } from '../../src/door/call.ts';
import { openPanel, type Panel } from '../../src/panel/panel.ts';
import { type Administrator, createAdministrator } from '../support/administrator.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import { freePort } from '../support/free-port.ts';
import { openOwnPanel, PASSWORD } from '../support/own-panel.ts';

const parent = mkdtempSync(join(tmpdir(), 'gatehouse-demo-shop-'));
const folder = join(parent, 'data');
const port = await freePort();
let panel: Panel;
let administrator: Administrator;
const call: Administrator['call'] = (id, input) => administrator.call(id, input);

async function open(isDemo = true): Promise<void> {
  const keyFile = join(parent, 'secrets.key');
  const own = { port, rateLimit: 0, passwordCost: CHEAP_COST };
  panel = await openPanel({ folder, keyFile, openEngine: () => null, ...own, ...(isDemo && { openDemoShop }) });
  if (panel.setupUrl !== null) await panel.core.local.setUp('admin', PASSWORD);
  administrator = createAdministrator(panel.panelUrl, readFileSync(panel.caPath ?? '', 'utf8'));
  await act(call('signIn', { name: 'admin', password: PASSWORD }));
}
async function close(): Promise<void> {
  administrator.close();
  await panel.close();
}
beforeAll(async () => {
  prepareDemoFolder(folder, 20);
  await open();
}, 60_000);
afterAll(async () => {
  await close();
  rmSync(parent, { recursive: true, force: true });
});

async function act<T>(calling: Promise<{ readonly status: number; readonly body: T }>): Promise<T> {
  const { status, body } = await calling;
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return body;
}

/** What is behind an address below the sub path, for a browser. */
async function send(method: 'GET' | 'POST', url: string, of = panel) {
  const { pathname, search } = new URL(url);
  const headers = { accept: 'text/html', 'accept-language': 'en', 'user-agent': 'Mozilla/5.0' };
  return of.door.link({
    id: newRequestId(),
    isStray: false,
    method,
    path: pathname.slice('/sub'.length),
    query: search.slice(1),
    headers: { ...headers, 'if-none-match': undefined },
    allHeaders: headers,
    body: '',
    address: '192.0.2.1',
  });
}
async function get(url: string): Promise<string> {
  const reply = await send('GET', url);
  expect(reply?.status, url).toBe(200);
  return String(reply?.body).replaceAll('\u00a0', ' ');
}
/** Sends a form; where it leads. */
async function press(url: string): Promise<string> {
  const reply = await send('POST', url);
  expect(reply?.status, url).toBe(303);
  const headers = reply?.headers ?? [];
  return new URL(headers[headers.indexOf('Location') + 1] ?? '', url).href;
}

/** A user with the plan Standard, of this test alone. */
async function buyer(name: string) {
  const plans = await act(call('listTariffs', {}));
  const plan = plans.items.find(({ name: one }) => one === 'Standard');
  return act(call('createUser', { name, tariff_id: plan?.id ?? 0 }));
}

/** From the page of the subscription to that of the provider; both addresses. */
async function begin(name: string, offer = '1 month') {
  const user = await buyer(name);
  const text = await get(user.sub_url);
  const [, id] = new RegExp(`formaction="[^"]*/buy/(\\d+)" aria-label="${offer}, `).exec(text) ?? [];
  const order = await press(`${user.sub_url}/buy/${id}`);
  const provider = (await act(call('listProviders', {}))).items.find(({ api_root }) => api_root === TEST_ROOT);
  return { user, order, pay: await press(`${order}/open/${provider?.id}/EUR`) };
}
const readOrder = async (user: { readonly id: number }) =>
  (await act(call('listOrders', { user_id: user.id, limit: 1 }))).items[0];
const readAttention = async (orderId: number | undefined) =>
  (await act(call('listAttention', { limit: 100 }))).items.filter(({ order_id }) => order_id === orderId);

it('sells from the page of a subscription and by a link, and takes the money back', async () => {
  const { user, order, pay } = await begin('Anna');
  expect(await readOrder(user)).toMatchObject({ state: 'open' });
  const text = await get(pay);
  for (const part of ['Test provider', 'No money is moved', 'Standard · 1 month', 'Pay €4.99'])
    expect(text).toContain(part);
  expect(await press(`${pay}/pay`)).toBe(`${order}?back`);
  expect(await get(`${order}?back`)).toContain('Thank you. The payment has arrived.');
  const paid = await readOrder(user);
  expect(paid).toMatchObject({ state: 'paid', amount: 499, method: 'stripe' });
  const extended = await act(call('getUser', { id: user.id }));
  expect(extended.expires_at).not.toBe(user.expires_at);
  const refund = call('refundOrder', { id: paid?.id ?? 0, note: '', password: PASSWORD });
  expect(await act(refund)).toMatchObject({ state: 'refunded' });
  expect((await act(call('getUser', { id: user.id }))).expires_at).toBe(user.expires_at);
  expect(await get(pay)).toContain('>Refunded<');

  const other = await buyer('Boris');
  const offer = (await act(call('listOffers', { tariff_id: other.tariff_id ?? 0 }))).items.find(
    ({ name }) => name === '50 GB more',
  );
  const made = await act(call('createOrder', { user_id: other.id, offer_id: offer?.id ?? 0 }));
  const [account] = (await act(call('listProviders', {}))).items;
  const leads = await press(`${made.page_url}/open/${account?.id}/USD`);
  expect(await press(`${leads}/pay`)).toBe(`${made.page_url}?back`);
  await get(`${made.page_url}?back`);
  expect(await readOrder(other)).toMatchObject({ state: 'paid', amount: 349, currency: 'USD' });
});

it.each([
  ['less', 'too_little', 'new'],
  ['more', 'too_much', 'paid'],
  ['other', 'currency', 'new'],
])('shows a payment that is %s in what needs attention', async (what, reason) => {
  const { user, order, pay } = await begin(`Payer of ${what}`);
  await press(`${pay}/${what}`);
  await get(`${order}?back`);
  expect(await readAttention((await readOrder(user))?.id)).toMatchObject([{ reason, act: null }]);
});

/** The list of the provider, read now rather than within the minute in which its webhook has it read. */
async function readList(): Promise<void> {
  const [account] = (await act(call('listProviders', {}))).items;
  await act(call('reconcilePayments', { provider_id: account?.id ?? 0, month: new Date().toISOString().slice(0, 7) }));
}

it.each([
  ['fail', 'failed'],
  ['expire', 'expired'],
] as const)('ends an order by %s, which can be paid late all the same', async (what, state) => {
  const { user, order, pay } = await begin(`Late, ${what}`);
  expect(await press(`${pay}/late`)).toBe(pay);
  await press(`${pay}/${what}`);
  await get(`${order}?back`);
  expect(await readOrder(user)).toMatchObject({ state });
  expect(await get(pay)).toMatch(/Pay .* late/);
  await press(`${pay}/late`);
  await readList();
  expect(await readOrder(user)).toMatchObject({ state: 'paid' });
});

it.each([
  ['again', 'paid_twice', false],
  ['refund', 'refunded', true],
  ['dispute', 'disputed', true],
] as const)('shows what became of a payment by %s', async (what, reason, applied) => {
  const { user, order, pay } = await begin(`Paid, then ${what}`);
  await press(`${pay}/pay`);
  await get(`${order}?back`);
  expect(await press(`${pay}/${what}`)).toBe(pay);
  await readList();
  expect(await readAttention((await readOrder(user))?.id)).toMatchObject([{ reason, applied }]);
});

it('remembers what happened there over a restart', async () => {
  const { user, order, pay } = await begin('Clara');
  await close();
  await open();
  await press(`${pay}/pay`);
  await get(`${order}?back`);
  expect(await readOrder(user)).toMatchObject({ state: 'paid' });
  expect((await act(call('listProviders', {}))).items).toHaveLength(1);
});

it('is in no other panel', async () => {
  await using plain = await openOwnPanel({ keyFile: join(parent, 'other.key') });
  expect((await plain.administrator.call('listProviders', {})).body.items).toEqual([]);
  const asked = { kind: 'stripe', name: 'Test provider', api_root: TEST_ROOT, password: PASSWORD } as const;
  const made = await plain.administrator.call('createProvider', {
    ...asked,
    fields: { secret_key: 'sk_test_demonstration' },
  });
  expect(made.problem).toMatchObject({ detail: 'provider_failed' });
  const { pay } = await begin('Dora');
  const [account] = (await act(call('listProviders', {}))).items;
  expect(await send('GET', pay)).not.toBeNull();
  for (const method of ['GET', 'POST'] as const) expect(await send(method, pay, plain.panel)).toBeNull();
  // The folder of a demonstration, without --demo.
  await close();
  await open(false);
  expect(await send('GET', pay)).toBeNull();
  expect(await act(call('testProvider', { id: account?.id ?? 0 }))).toMatchObject({ error: 'host_unknown' });
});
