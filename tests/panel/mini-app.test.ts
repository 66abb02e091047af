// The Mini App: the page of a subscription for whom Telegram has signed that it is, where Telegram can open it, and nothing elsewhere.
import { afterEach, expect, it } from 'vitest';
import { DAY_MS } from '../../src/domain/limits.ts';
import { BOT_TOKEN, type FakeBotApi, openBotApi } from '../support/bot-api.ts';
import { initData, APP_NAME as NAME } from '../support/init-data.ts';
import { PASSWORD, startPanel, type TestPanel } from '../support/panel.ts';
import { openStripe } from '../support/providers/stripe.ts';

const ANNA = 1001;
const MENU = 'setChatMenuButton';
const sleepy = { timeout: 20_000, interval: 20 };
const CERTIFICATE = { target: 'panel', source: 'acme', subject: 'CN=a', issuer: 'CN=b', warning: null } as const;

let panel: TestPanel | null = null;
let api: FakeBotApi | null = null;
let served: readonly (Omit<typeof CERTIFICATE, 'source'> & {
  readonly source: 'acme' | 'local';
  readonly names: string[];
})[] = [];
afterEach(async () => {
  await panel?.stop();
  await api?.[Symbol.asyncDispose]();
  panel = null;
  api = null;
});

/** A panel whose bot runs, with links below a public name. */
async function open() {
  const fake = await openBotApi();
  api = fake;
  served = [{ ...CERTIFICATE, names: [NAME] }];
  const own = await startPanel({ served: () => served });
  panel = own;
  own.store.write(() => own.store.settings.set({ publicUrl: `https://${NAME}` }));
  await own.act('updateSettings', { selling: true });
  await own.act('saveBot', { token: BOT_TOKEN, api_root: fake.root, allow_private: true, password: PASSWORD });
  await expect.poll(async () => (await own.act('getBot', {})).state, sleepy).toBe('running');
  const plan = await own.act('createTariff', { name: 'Month', duration: { months: 1 } });
  const expires_at = new Date(Date.now() + 20 * DAY_MS).toISOString();
  const user = await own.act('createUser', { name: 'Anna', tariff_id: plan.id, telegram_id: ANNA, expires_at });
  return { fake, own, user };
}

const appPath = (own: TestPanel) => own.store.bot.get()?.appPath ?? '';
/** As Telegram opens it: by the public name, unless another Host is given. */
const openApp = (own: TestPanel, host = NAME, path = appPath(own)) =>
  own.read.as(null).send({ method: 'GET', path: `${own.origin}/sub/${path}`, headers: { host } });
const signIn = (own: TestPanel, init_data: string, host = NAME) =>
  own.read.as(null).send({
    method: 'POST',
    path: `${own.origin}/sub/${appPath(own)}`,
    headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams({ init_data })),
  });
const menus = (fake: FakeBotApi) =>
  fake.calls.filter(({ method }) => method === MENU).map(({ given }) => given.menu_button);

it('shows the subscription of the account that Telegram has signed, and of no other', async () => {
  const { own, user } = await open();
  const page = await openApp(own);
  expect(page.status).toBe(200);
  expect(page.headers['content-security-policy']).toContain('frame-ancestors https://web.telegram.org');
  expect(page.headers['x-frame-options']).toBeUndefined();
  const reply = await signIn(own, initData(ANNA, Date.now()));
  expect(reply.status).toBe(200);
  expect(reply.headers['cache-control']).toContain('no-store');
  const { text } = reply;
  const token = new URL(user.sub_url ?? '').pathname.split('/').at(-1) ?? '';
  expect(text).toContain(`https://${NAME}/sub/${token}`);
  // Who is in Telegram needs no way there.
  expect(text).not.toContain('https://t.me/');
  // Loaded again within the hour it is the same; later, forged, or of somebody else it is nothing.
  expect((await signIn(own, initData(ANNA, Date.now() - 3_500_000))).status).toBe(200);
  for (const [data, status] of [
    [initData(ANNA, Date.now() - 3_601_000), 403],
    [initData(ANNA, Date.now() + 120_000), 403],
    [initData(ANNA, Date.now(), '7654321:AAanother-bot'), 403],
    [initData(ANNA, Date.now()).replace('1001', '1002'), 403],
    [initData(2002, Date.now()), 404],
    ['', 403],
    ['x'.repeat(20_000), 403],
  ] as const) {
    const refused = await signIn(own, data);
    expect(refused.status).toBe(status);
    expect(refused.text).not.toContain(token);
  }
  // Whose account it is counts when it is shown.
  await own.act('updateUser', { id: user.id, telegram_id: null });
  expect((await signIn(own, initData(ANNA, Date.now()))).status).toBe(404);
  expect(JSON.stringify(own.log.lines)).not.toContain(initData(ANNA, Date.now()).slice(-64));
});

it('is offered by a button of the bot and beside its field, and not where Telegram could not open it', async () => {
  const { fake, own } = await open();
  const url = `https://${NAME}/sub/${appPath(own)}`;
  await expect.poll(() => menus(fake).at(-1), sleepy).toEqual({ type: 'web_app', text: 'My access', web_app: { url } });
  const buttonShown = async () => {
    const before = fake.messages.size;
    fake.write(ANNA, '/start');
    await expect.poll(() => fake.messages.size, sleepy).toBe(before + 1);
    return fake
      .findLastMessage(ANNA)
      ?.buttons.some(({ text, web_app: app }) => app !== undefined && text === 'Open the app');
  };
  expect(await buttonShown()).toBe(true);
  const [good] = served;
  if (!good) throw new Error('there is no certificate');
  const other = { ...good, names: ['other.org'] };
  const local = { ...good, source: 'local' } as const;
  const forLinks = { ...local, target: 'links' as never };
  for (const certificates of [[local], [{ ...good, warning: 'ended' as never }], [other], [good, forLinks]]) {
    served = certificates;
    expect((await openApp(own)).status).toBe(404);
    expect((await signIn(own, initData(ANNA, Date.now()))).status).toBe(404);
  }
  await expect.poll(() => menus(fake).at(-1), sleepy).toEqual({ type: 'default' });
  expect(await buttonShown()).toBe(false);
  served = [good];
  await expect.poll(() => menus(fake).at(-1), sleepy).toMatchObject({ type: 'web_app' });
  await own.act('enableBot', { enabled: false });
  expect((await openApp(own)).status).toBe(404);
}, 60_000);

it('is at a random path of each bot, and answers to the public name alone', async () => {
  const { fake, own } = await open();
  const first = appPath(own);
  expect(first).toMatch(/^[\w-]{32}$/);
  for (const host of [`127.0.0.1:${own.port}`, 'localhost', 'panel.example', `[::1]:${own.port}`]) {
    expect((await openApp(own, host)).status).toBe(404);
    expect((await signIn(own, initData(ANNA, Date.now()), host)).status).toBe(404);
  }
  for (const path of ['app', '', `${first}/`, `${first.slice(0, -1)}A.`, first.toUpperCase()])
    expect((await openApp(own, NAME, path)).status).toBe(404);
  for (const host of [`${NAME}:443`, NAME.toUpperCase()]) expect((await openApp(own, host)).status).toBe(200);
  // The same bot keeps its path, so that buttons in chats go on.
  const save = () =>
    own.act('saveBot', { token: BOT_TOKEN, api_root: fake.root, allow_private: true, password: PASSWORD });
  await save();
  expect(appPath(own)).toBe(first);
  await own.act('deleteBot', { password: PASSWORD });
  expect((await openApp(own, NAME, first)).status).toBe(404);
  await save();
  await expect.poll(async () => (await openApp(own)).status, sleepy).toBe(200);
  expect(appPath(own)).not.toBe(first);
  expect((await openApp(own, NAME, first)).status).toBe(404);
});

it.each(['https://203.0.113.7', 'https://panel.local', 'http://links.gatehouse-demo.org'])(
  'is not at %s',
  async (publicUrl) => {
    const { own } = await open();
    own.store.write(() => own.store.settings.set({ publicUrl }));
    await own.act('updateSettings', { selling: false });
    expect((await openApp(own)).status).toBe(404);
  },
);

it.each([true, false])(
  'sells inside Telegram as the chat does: Stars only %s',
  async (isOnly) => {
    await using fake = await openStripe();
    const { own, fake: telegram, user } = await open();
    if (!isOnly) await own.act('updateSettings', { stars_only_in_telegram: false });
    const account = { fields: fake.fields, api_root: fake.root, allow_private: true, password: PASSWORD };
    const cards = await own.act('createProvider', { kind: 'stripe', name: 'Cards', ...account });
    const stars = await own.act('createProvider', { kind: 'stars', name: 'Stars', fields: {}, password: PASSWORD });
    const offered = { tariff_id: user.tariff_id ?? 0, sold: { kind: 'days', days: 30 }, on_sale: true } as const;
    const euros = { amount: 499, currency: 'EUR' };
    await own.act('createOffer', { ...offered, name: 'Both', prices: [euros, { amount: 250, currency: 'XTR' }] });
    await own.act('createOffer', { ...offered, name: 'Card', prices: [euros] });
    const app = (await signIn(own, initData(ANNA, Date.now()))).text;
    expect([app.includes('⭐ 250'), app.includes('€4.99')]).toEqual([isOnly, !isOnly]);
    const [, buy = ''] = /formaction="([^"]+)" aria-label="Both/.exec(app) ?? [];
    expect(buy).toMatch(/^[\w-]+\/buy\/\d+\?app$/);
    const send = (method: 'GET' | 'POST', path: string) =>
      own.read.as(null).send({ method, path: new URL(path, `${own.origin}/sub/`).href, headers: { host: NAME } });
    const follow = async (path: string) => {
      const base = new URL(path, `${own.origin}/sub/`);
      const { status, headers } = await send('POST', path);
      expect(status).toBe(303);
      return new URL(String(headers.location), base).href;
    };
    const page = await follow(buy);
    expect(page).toMatch(/\/sub\/pay\/[\w-]+\?app$/);
    const shown = (await send('GET', page)).text;
    const listActions = (text: string) =>
      [...text.matchAll(/action="([^"]*\/open\/[^"]*)"/g)].map(([, action]) => action);
    const token = new URL(page).pathname.split('/').at(-1);
    const actions = [`${token}/open/${stars.id}/XTR?app`];
    expect(listActions(shown).toSorted()).toEqual(
      isOnly ? actions : [...actions, `${token}/open/${cards.id}/EUR?app`].toSorted(),
    );
    // A button of a page that was loaded before the switch was turned on.
    const other = await follow(`pay/${token}/open/${cards.id}/EUR?app`);
    expect(other).toMatch(isOnly ? /\?app&failed$/ : /^https:\/\/checkout\.stripe\.com\//);
    // The page outside sells all of it, whatever the switch.
    expect(listActions((await send('GET', `pay/${token}`)).text)).toHaveLength(2);
    expect(await follow(`pay/${token}/open/${stars.id}/XTR?app`)).toMatch(/\?app&invoice$/);
    const opened = await send('GET', `pay/${token}?app`);
    const [, slug] = /data-slug="([^"]+)"/.exec(opened.text) ?? [];
    expect(slug).toMatch(/^[\w-]+$/);
    expect(opened.headers['content-security-policy']).toMatch(/; script-src 'sha256-[^']+'; /);
    const sent = telegram.calls.findLast(({ method }) => method === 'createInvoiceLink')?.given;
    telegram.pay(ANNA, String(sent?.payload), 250, 'charge-1');
    await expect.poll(async () => (await send('GET', `pay/${token}?app`)).text, sleepy).toContain('Thank you.');
    expect((await send('GET', `pay/${token}?app&back`)).text).toMatch(
      /href="https:\/\/[^"]+\?app">To your subscription/,
    );
  },
  60_000,
);
