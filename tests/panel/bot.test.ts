// The Telegram bot against a fake Bot API: set up with a token that was tried, updates stored before they are confirmed, messages paced and sent once.
import { createHash } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { type BotRow, PRIORITIES } from '../../src/core/ports/bot.ts';
import type { Store } from '../../src/core/ports/ports.ts';
import type { ProviderRow } from '../../src/core/ports/providers.ts';
import { DAY_MS } from '../../src/domain/limits.ts';
import { BOT_TOKEN, type FakeBotApi, openBotApi } from '../support/bot-api.ts';
import { PASSWORD, startPanel, type TestPanel } from '../support/panel.ts';
import { openStripe } from '../support/providers/stripe.ts';
import { openYookassa } from '../support/providers/yookassa.ts';

const ANNA = 1001;
const STARS = 250;

let panel: TestPanel | null = null;
let api: FakeBotApi | null = null;
afterEach(async () => {
  await panel?.stop();
  await api?.[Symbol.asyncDispose]();
  panel = null;
  api = null;
});

const sleepy = { timeout: 20_000, interval: 20 };

async function open(wrapStore: (store: Store) => Store = (store) => store) {
  const fake = await openBotApi();
  api = fake;
  const own = await startPanel({ wrapStore });
  panel = own;
  const input = { token: BOT_TOKEN, api_root: fake.root, allow_private: true, password: PASSWORD };
  return { fake, own, input, save: () => own.act('saveBot', input) };
}

/** Once the bot is running. */
async function running(wrapStore?: (store: Store) => Store) {
  const opened = await open(wrapStore);
  await opened.save();
  await expect.poll(async () => (await opened.own.act('getBot', {})).state, sleepy).toBe('running');
  return opened;
}

/** An order of a new user that can be paid in Stars of the bot. */
async function openOrder(own: TestPanel) {
  await own.act('updateSettings', { selling: true });
  const [account] = own.store.providers.all();
  const provider =
    account ?? (await own.act('createProvider', { kind: 'stars', name: 'Stars', fields: {}, password: PASSWORD }));
  const plan = await own.act('createTariff', { name: 'Month', duration: { months: 1 } });
  const sold = { kind: 'days', days: 30 } as const;
  const prices = [{ amount: STARS, currency: 'XTR' }];
  const offer = await own.act('createOffer', { tariff_id: plan.id, name: '30 days', sold, prices, on_sale: true });
  const user = await own.act('createUser', { name: 'Anna', tariff_id: plan.id, expires_at: '2030-01-01T00:00:00Z' });
  const { id } = await own.act('createOrder', { user_id: user.id, offer_id: offer.id });
  await own.act('openOrder', { id, provider_id: provider.id });
  return {
    id,
    token: own.store.payments.listInvoices(id)[0]?.token ?? '',
    state: async () => (await own.act('listOrders', { user_id: user.id })).items[0]?.state,
    end: async () => (await own.act('getUser', { id: user.id })).expires_at,
  };
}

const readState = async (own: TestPanel) => {
  const { state, error } = await own.act('getBot', {});
  return { state, error };
};

it('tries a token before it seals it, and shows it nowhere', async () => {
  const { fake, own, input } = await open();
  expect(await own.act('getBot', {})).toMatchObject({ account: null, state: 'off' });
  const refused = (more: object, field: object) =>
    expect(own.act('saveBot', { ...input, ...more })).rejects.toMatchObject({ errors: [field] });
  await refused({ token: '99999:AAunknown-to-telegram' }, { pointer: '#/token', code: 'keys_refused' });
  await refused({ api_root: 'http://bot-api.invalid' }, { pointer: '#/api_root', code: 'no_answer' });
  await refused({ allow_private: false }, { pointer: '#/api_root', code: 'https_required' });
  await refused({ proxy: 'http://127.0.0.1:1' }, { pointer: '#/proxy', code: 'no_answer' });
  fake.fail('getMe', 'garbage', 'redirect');
  await refused({}, { pointer: '#/api_root', code: 'no_answer' });
  await refused({}, { pointer: '#/api_root', code: 'no_answer' });
  expect(own.store.bot.get()).toBeUndefined();

  const saved = await own.act('saveBot', input);
  expect(saved).toMatchObject({ account: { username: 'anna_vpn_bot' }, enabled: true, api_root: fake.root });
  expect(own.store.sealed.get('bot:token')).toBeDefined();
  const shown = [await own.act('getBot', {}), await own.act('listAudit', { limit: 50 }), own.log.lines];
  expect(JSON.stringify(shown)).not.toContain(BOT_TOKEN);
  expect(JSON.stringify(shown)).not.toContain('AAunknown-to-telegram');
  expect(await own.act('deleteBot', {})).toMatchObject({ account: null, state: 'off' });
  expect(own.store.sealed.get('bot:token')).toBeUndefined();
});

it('tells the name, the connection, HTTP and the token apart', async () => {
  const { fake, own, save } = await open();
  await save();
  const tried = async () => (await own.act('testBot', {})).error;
  expect(await tried()).toBeNull();
  fake.fail('getMe', 'garbage', 'down', { retryAfter: 3 });
  expect([await tried(), await tried(), await tried()]).toEqual(['not_bot_api', 'unavailable', 'rate_limited']);
  const row = own.store.bot.get();
  const at = (apiRoot: string, more: object = {}) => {
    if (row) own.store.write(() => own.store.bot.save({ ...row, enabled: false, apiRoot, ...more }));
    return tried();
  };
  expect(await at('http://bot-api.invalid')).toBe('host_unknown');
  expect(await at('http://127.0.0.1:1')).toBe('connection');
  expect(await at(fake.root.replace('http:', 'https:'))).toBe('certificate');
  expect(await at(fake.root, { allowPrivate: false })).toBe('address_refused');
  fake.revoke();
  expect(await at(fake.root)).toBe('unauthorized');
  expect(own.log.lines.join()).not.toContain(BOT_TOKEN);
});

it('shows users their subscription in one message, and strangers how to get one', async () => {
  const { fake, own } = await running();
  const plan = await own.act('createTariff', { name: 'Month', duration: { months: 1 }, traffic_limit: 50_000_000_000 });
  const user = await own.act('createUser', { name: 'Anna <&>', tariff_id: plan.id, telegram_id: ANNA });
  fake.write(ANNA, '/start');
  await expect.poll(() => fake.findLastMessage(ANNA)?.text, sleepy).toContain('Active');
  expect(fake.findLastMessage(ANNA)?.text).toMatch(/0 bytes of 50 GB.*Valid until.*days left/s);
  fake.press(ANNA, 'Link');
  await expect.poll(() => fake.findLastMessage(ANNA)?.text, sleepy).toContain(user.sub_url);
  fake.press(ANNA, 'Back');
  await expect.poll(() => fake.findLastMessage(ANNA)?.text, sleepy).toContain('Active');
  fake.press(ANNA, 'Set up a device');
  await expect.poll(() => fake.findLastMessage(ANNA)?.text, sleepy).toContain('Which device');
  fake.press(ANNA, 'Android');
  await expect.poll(() => fake.findLastMessage(ANNA)?.text, sleepy).toContain('Set up: Android');
  expect(fake.findLastMessage(ANNA)?.buttons.map(({ text }) => text)).toEqual(
    expect.arrayContaining(['Happ', 'v2rayNG']),
  );
  // All of it in the one message.
  expect([...fake.messages.values()].filter(({ chatId }) => chatId === ANNA)).toHaveLength(1);
  fake.press(ANNA, 'Back');
  await expect.poll(() => fake.findLastMessage(ANNA)?.text, sleepy).toContain('Which device');
  fake.press(ANNA, 'Back');
  await expect.poll(() => fake.findLastMessage(ANNA)?.text, sleepy).toContain('Active');
  fake.press(ANNA, 'QR code');
  await expect.poll(() => fake.findLastMessage(ANNA)?.photo?.length ?? 0, sleepy).toBeGreaterThan(300);
  fake.press(ANNA, 'Hide');
  await expect.poll(() => fake.findLastMessage(ANNA)?.photo, sleepy).toBeNull();
  fake.press(ANNA, 'Language');
  await expect
    .poll(() => fake.findLastMessage(ANNA)?.buttons.some(({ text }) => text === 'Русский'), sleepy)
    .toBe(true);
  fake.press(ANNA, 'Русский');
  await expect.poll(() => fake.findLastMessage(ANNA)?.text, sleepy).toContain('Действует до');

  // The name at Telegram says nothing: only the number does.
  fake.write(2002, '/start', { first_name: 'Anna <&>', username: 'anna' });
  await expect.poll(() => fake.findLastMessage(2002)?.text, sleepy).toContain('Your Telegram ID is 2002');
  expect(fake.findLastMessage(2002)?.text).not.toContain(user.sub_url);
}, 60_000);

it('passes over what somebody writes without end, but no payment of it', async () => {
  const { fake, own } = await running();
  const order = await openOrder(own);
  for (let count = 0; count < 200; count += 1) fake.write(ANNA, 'again');
  fake.checkOut(ANNA, order.token, STARS);
  fake.pay(ANNA, order.token, STARS, 'charge-1');
  fake.write(2002, '/start');
  await expect.poll(order.state, sleepy).toBe('paid');
  await expect.poll(() => fake.findLastMessage(2002)?.text, sleepy).toContain('Your Telegram ID is 2002');
  expect(fake.waiting).toEqual([]);
  expect(own.store.bot.countMessages()).toBeLessThan(30);
}, 60_000);

it('takes Stars for orders: asked before, told after, once, with the mark that the update is done', async () => {
  let isBroken = false;
  const { fake, own } = await running((store) => {
    const insertPayment: typeof store.payments.insertPayment = (row) => {
      if (isBroken) throw new Error('disk is full');
      return store.payments.insertPayment(row);
    };
    return { ...store, payments: { ...store.payments, insertPayment } };
  });
  const order = await openOrder(own);
  const [token, other] = [order.token, (await openOrder(own)).token];
  const asked = async (payload: string, amount: number) => {
    const id = fake.checkOut(ANNA, payload, amount);
    await expect.poll(() => fake.checkouts.get(id)).toBeDefined();
    return fake.checkouts.get(id);
  };
  expect(await asked(token, STARS)).toBe(true);
  expect([await asked(token, STARS - 1), await asked(token, STARS + 1)]).toEqual([false, false]);
  expect(await asked('gh_unknown', STARS)).toBe(false);
  await own.act('updateSettings', { selling: false });
  expect(await asked(token, STARS)).toBe(false);
  await own.act('updateSettings', { selling: true });
  // They are confirmed with the request after them, and not stored.
  await expect.poll(() => fake.waiting).toEqual([]);
  expect(own.store.bot.updateDueAt()).toBeNull();

  // Money whose effect failed ten times is tried once more, and again.
  isBroken = true;
  const failures = () => own.store.bot.nextUpdate(Date.now() + 3_600_000)?.failures;
  fake.pay(ANNA, token, STARS, 'charge-1');
  await expect.poll(failures, sleepy).toBeGreaterThanOrEqual(1);
  const again = (times: number) =>
    own.store.write(() => {
      for (let count = 0; count < times; count += 1) own.store.bot.failUpdate(1, 1);
    });
  again(10);
  await expect.poll(failures, sleepy).toBeGreaterThanOrEqual(12);
  expect(await order.state()).toBe('open');
  isBroken = false;
  again(1);
  await expect.poll(order.state, sleepy).toBe('paid');
  fake.pay(ANNA, token, STARS, 'charge-1');
  await expect.poll(() => fake.findLastMessage(ANNA)?.text, sleepy).toBe(`⭐ ${STARS} received: 30 days. Thank you.`);
  await expect.poll(() => fake.waiting).toEqual([]);
  await own.act('askOrder', { id: order.id });
  await expect.poll(() => own.store.bot.updateDueAt()).toBeNull();
  expect(await order.end()).toBe('2030-01-31T00:00:00.000Z');
  expect(own.store.events.after(0, 500, ['user.extended'])).toHaveLength(1);
  expect([...fake.messages.values()].filter(({ chatId }) => chatId === ANNA)).toHaveLength(1);
  expect(await asked(token, STARS)).toBe(false);

  const reasons = async () => (await own.act('listAttention', {})).items.map(({ reason }) => reason);
  fake.pay(ANNA, token, STARS, 'charge-2');
  await expect.poll(reasons, sleepy).toEqual(['paid_twice']);
  fake.refundCharge('charge-1');
  await expect.poll(reasons, sleepy).toEqual(['paid_twice', 'refunded']);
  // Without an account for it as well.
  const [account] = own.store.providers.all();
  own.store.write(() => own.store.providers.save({ ...account, account: '@another_bot' } as ProviderRow));
  fake.pay(ANNA, other, STARS, 'charge-3');
  await expect
    .poll(() => own.store.payments.paymentByExternalId('stars', false, 'charge-3')?.state, sleepy)
    .toBe('applied');
}, 60_000);

it('refuses, before it is paid, what is for new users once its user has bought', async () => {
  const { fake, own } = await running();
  const { act, store } = own;
  await act('updateSettings', { selling: true });
  const { id: provider_id } = await act('createProvider', {
    kind: 'stars',
    name: 'Stars',
    fields: {},
    password: PASSWORD,
  });
  const { id: tariff_id } = await act('createTariff', { name: 'Month', duration: { months: 1 } });
  const { id: user_id } = await act('createUser', { name: 'Anna', tariff_id, expires_at: '2030-01-01T00:00:00Z' });
  const tokens: string[] = [];
  for (const days of [30, 60]) {
    const offer = { tariff_id, name: `${days} days`, sold: { kind: 'days', days }, audience: 'new' } as const;
    const prices = [{ amount: STARS, currency: 'XTR' }];
    const { id: offer_id } = await act('createOffer', { ...offer, prices, on_sale: true });
    const { id } = await act('createOrder', { user_id, offer_id });
    await act('openOrder', { id, provider_id });
    tokens.push(store.payments.listInvoices(id)[0]?.token ?? '');
  }
  const [first = '', second = ''] = tokens;
  const asked = async () => {
    const id = fake.checkOut(ANNA, second, STARS);
    await expect.poll(() => fake.checkouts.get(id)).toBeDefined();
    return fake.checkouts.get(id);
  };
  expect(await asked()).toBe(true);
  fake.pay(ANNA, first, STARS, 'charge-1');
  await expect
    .poll(() => store.payments.paymentByExternalId('stars', false, 'charge-1')?.state, sleepy)
    .toBe('applied');
  expect(await asked()).toBe(false);
}, 60_000);

it('lends its token to Stars that have none, as long as they are its own', async () => {
  const { own, save, input } = await open();
  const stars = { kind: 'stars', name: 'Stars', fields: {}, password: PASSWORD } as const;
  await expect(own.act('createProvider', stars)).rejects.toMatchObject({
    errors: [{ pointer: '#/fields/bot_token', code: 'required' }],
  });
  await save();
  const { id, account, secrets } = await own.act('createProvider', stars);
  expect({ account, secrets }).toEqual({ account: '@anna_vpn_bot', secrets: [] });
  const tried = async () => (await own.act('testProvider', { id })).error;
  expect(await tried()).toBeNull();
  const row = own.store.bot.get() as BotRow;
  own.store.write(() => {
    own.store.bot.save({ ...row, username: 'another_bot', botId: 1 });
    own.store.providers.saveReading(id, '7', 1);
  });
  expect(await tried()).toBe('no_keys');
  await own.act('deleteBot', {});
  expect(await tried()).toBe('no_keys');
  await own.act('saveBot', input);
  expect(await tried()).toBeNull();
  expect(own.store.providers.reading(id)).toEqual({ cursor: null, caughtUpAt: null });
});

it('stores updates once, follows ids that begin again lower, and confirms the last received', async () => {
  const { fake, own } = await running();
  const first = fake.calls.find(({ method }) => method === 'getUpdates');
  expect(first?.given).not.toHaveProperty('offset');
  fake.write(ANNA, 'one');
  await expect.poll(() => fake.waiting).toEqual([]);
  fake.restartIds(7);
  fake.write(ANNA, 'two');
  await expect.poll(() => fake.waiting).toEqual([]);
  expect(fake.calls.findLast(({ method }) => method === 'getUpdates')?.given).toMatchObject({ offset: 8 });
  await expect.poll(() => own.store.bot.updateDueAt()).toBeNull();
  // Those of an id that was stored are not handled again.
  fake.restartIds(7);
  fake.write(ANNA, 'two');
  await expect.poll(() => fake.waiting, sleepy).toEqual([]);
  await expect.poll(() => own.store.bot.countMessages(), sleepy).toBe(0);
  expect(fake.calls.filter(({ method }) => method === 'sendMessage')).toHaveLength(2);
}, 60_000);

it('says that another program has the token, or a webhook, and frees the bot of the latter', async () => {
  const { fake, own } = await running();
  fake.setConflict(true);
  await expect.poll(() => readState(own)).toEqual({ state: 'failing', error: 'conflict' });
  fake.setConflict(false);
  fake.setWebhook('https://other.example/hook');
  // It is asked again at once after each change.
  await own.act('enableBot', { enabled: false });
  expect(await readState(own)).toEqual({ state: 'off', error: null });
  await own.act('enableBot', { enabled: true });
  await expect.poll(() => readState(own)).toEqual({ state: 'failing', error: 'webhook' });
  await own.act('freeBot', {});
  await expect.poll(() => readState(own)).toEqual({ state: 'running', error: null });
});

it('answers others while one chat is written to more than it may be', async () => {
  const { fake, own } = await running();
  const late = { chatId: 3003, dedupeKey: null, method: 'sendMessage', payload: { text: 'Again' }, priority: 0 };
  own.store.write(() => {
    for (let count = 0; count < 500; count += 1) own.store.bot.enqueue(late, 1);
  });
  fake.write(ANNA, '/start');
  await expect.poll(() => fake.findLastMessage(ANNA)?.text, sleepy).toContain('no subscription');
  expect(own.store.bot.countMessages()).toBeGreaterThan(450);
}, 60_000);

it('switches itself off where its token was revoked', async () => {
  const { fake, own } = await running();
  fake.revoke();
  await expect.poll(() => readState(own)).toEqual({ state: 'failing', error: 'unauthorized' });
  expect(await own.act('getBot', {})).toMatchObject({ enabled: false });
  const { items } = await own.act('listAudit', { action: 'enableBot', limit: 5 });
  expect(items).toMatchObject([{ actor: { kind: 'panel' }, detail: { error: 'unauthorized' } }]);
  expect(own.log.lines.join()).not.toContain(BOT_TOKEN);
});

it('sends again what failed, edits by posting what was deleted, and gives up chats that blocked the bot', async () => {
  const { fake, own } = await running();
  fake.fail('sendMessage', 'down', { retryAfter: 1 });
  fake.write(ANNA, '/start');
  await expect.poll(() => fake.findLastMessage(ANNA)?.text, sleepy).toContain('no subscription');
  const [id] = fake.messages.keys();
  fake.press(ANNA, 'Language');
  fake.fail('editMessageText', { refused: '400 Bad Request: message to edit not found' });
  await expect.poll(() => [...fake.messages.values()].find((one) => one.id !== id)?.text, sleepy).toBe('Language');
  fake.block(ANNA);
  fake.write(ANNA, '/start');
  await expect.poll(() => own.store.bot.chat(ANNA)?.unreachableAt ?? null, sleepy).not.toBeNull();
  await expect.poll(() => own.store.bot.countMessages(), sleepy).toBe(0);
}, 60_000);

it('gives up notices that are too old by the time they could be sent', async () => {
  const { fake, own } = await running();
  const notice = { chatId: ANNA, dedupeKey: null, method: 'sendMessage', priority: PRIORITIES.notice };
  own.store.write(() => {
    for (const [text, age] of [
      ['ends in 3 days', DAY_MS],
      ['ends in 1 day', 0],
    ] as const)
      own.store.bot.enqueue({ ...notice, payload: { text } }, Date.now() - age);
  });
  fake.write(ANNA, '/start');
  await expect.poll(() => own.store.bot.countMessages(), sleepy).toBe(0);
  await expect.poll(() => fake.messages.size, sleepy).toBe(2);
  const texts = [...fake.messages.values()].map(({ text }) => text);
  expect(texts).toContain('ends in 1 day');
  expect(texts).not.toContain('ends in 3 days');
}, 60_000);

/** What a link into the bot is followed by in /start. */
const parseStart = (url: string) => new URL(url).searchParams.get('start') ?? '';

it('links an account by a link that works once, and moves no user to another by the page alone', async () => {
  const { fake, own } = await running();
  const expires_at = '2030-01-01T00:00:00Z';
  const { id: tariff_id } = await own.act('createTariff', { name: 'Month', duration: { months: 1 } });
  const user = await own.act('createUser', { name: 'Anna', tariff_id, expires_at });
  const other = await own.act('createUser', { name: 'Boris', tariff_id, telegram_id: 3003, expires_at });
  const getTelegramId = async (id: number) => (await own.act('getUser', { id })).telegram_id;
  const press = (chatId: number, url: string) => fake.write(chatId, `/start ${parseStart(url)}`);
  const { url } = await own.act('inviteToBot', { user_id: user.id });
  expect(url).toMatch(/^https:\/\/t\.me\/anna_vpn_bot\?start=[A-Za-z0-9_-]{1,64}$/);
  // The account of another user is that user's.
  press(3003, url);
  await expect.poll(() => fake.findLastMessage(3003)?.text, sleepy).toContain('is linked to another subscription');
  expect(await getTelegramId(user.id)).toBeNull();
  press(ANNA, url);
  await expect.poll(() => fake.findLastMessage(ANNA)?.text, sleepy).toContain('Active');
  expect(await getTelegramId(user.id)).toBe(ANNA);
  press(2002, url);
  await expect.poll(() => fake.findLastMessage(2002)?.text, sleepy).toContain('was used already or has expired');

  // By the page: 15 minutes, and never away from who has it.
  const link = new URL(user.sub_url ?? '');
  const page = await fetch(`${own.origin}${link.pathname}`, {
    headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0' },
  });
  expect(await page.text()).toContain('href="https://t.me/anna_vpn_bot"');
  const reply = await fetch(`${own.origin}${link.pathname}/telegram`, { method: 'POST' });
  const [, made = ''] = /href="(https:\/\/t\.me\/[^"]*)"/.exec(await reply.text()) ?? [];
  press(2002, made);
  await expect.poll(() => fake.findLastMessage(2002)?.text, sleepy).toContain('is linked to another Telegram account');
  expect([await getTelegramId(user.id), await getTelegramId(other.id)]).toEqual([ANNA, 3003]);
  // A new link ends what was given on the page of the old one.
  const given = createHash('sha256').update(parseStart(made).slice('link_'.length)).digest('hex');
  expect(own.store.bot.invitation(given)).toMatchObject({ purpose: 'page', userId: user.id });
  await own.act('reissueUser', { id: user.id });
  expect(own.store.bot.invitation(given)).toBeUndefined();
  // The administrator may move him, and the link of before is void.
  const { url: first } = await own.act('inviteToBot', { user_id: user.id });
  const { url: second } = await own.act('inviteToBot', { user_id: user.id });
  press(2002, first);
  await expect.poll(() => fake.findLastMessage(2002)?.text, sleepy).toContain('was used already or has expired');
  press(2002, second);
  await expect.poll(() => getTelegramId(user.id), sleepy).toBe(2002);
  const stored = JSON.stringify([own.log.lines, await own.act('listAudit', { limit: 50 })]);
  for (const each of [url, made, first, second]) expect(stored).not.toContain(parseStart(each));
  // Too old.
  const { url: late } = await own.act('inviteToBot', { user_id: user.id });
  const tokenHash = createHash('sha256').update(parseStart(late).slice('link_'.length)).digest('hex');
  const row = own.store.bot.invitation(tokenHash);
  if (!row) throw new Error('no invitation is stored');
  own.store.write(() => own.store.bot.invite({ ...row, expiresAt: 1 }));
  press(ANNA, late);
  await expect.poll(() => fake.findLastMessage(ANNA)?.text, sleepy).toContain('was used already or has expired');
  await own.act('enableBot', { enabled: false });
  await expect(own.act('inviteToBot', { user_id: user.id })).rejects.toMatchObject({ code: 'bot_off' });
}, 60_000);

it('sells in the chat: one order and one invoice for two presses, paid by it once', async () => {
  const { fake, own } = await running();
  await own.act('updateSettings', { selling: true });
  await own.act('createProvider', { kind: 'stars', name: 'Stars', fields: {}, password: PASSWORD });
  const plan = await own.act('createTariff', { name: 'Month', duration: { months: 1 } });
  const sold = { kind: 'days', days: 30 } as const;
  const prices = [{ amount: STARS, currency: 'XTR' }];
  const offer = await own.act('createOffer', { tariff_id: plan.id, name: 'Thirty', sold, prices, on_sale: true });
  const end = '2030-01-01T00:00:00Z';
  const user = await own.act('createUser', { name: 'Anna', tariff_id: plan.id, telegram_id: ANNA, expires_at: end });
  const shown = () => fake.findLastMessage(ANNA)?.text ?? '';
  const invoices = () => [...fake.messages.values()].flatMap(({ invoice }) => invoice ?? []);
  fake.write(ANNA, '/start');
  await expect.poll(shown, sleepy).toContain('Active');
  fake.press(ANNA, 'Renew or add traffic');
  await expect.poll(shown, sleepy).toContain('Thirty: 30 days');
  const [offered] = fake.findLastMessage(ANNA)?.buttons ?? [];
  // Pressed when the offer has become another: nothing is ordered.
  await own.act('changeOffer', { id: offer.id, prices: [{ amount: 300, currency: 'XTR' }] });
  fake.press(ANNA, offered?.text ?? '');
  await expect.poll(shown, sleepy).toContain('offers have changed');
  await own.act('changeOffer', { id: offer.id, prices });
  fake.press(ANNA, `Thirty · ⭐ 300`);
  await expect.poll(shown, sleepy).toMatch(/offers have changed.*⭐ 250/s);
  expect((await own.act('listOrders', {})).items).toEqual([]);
  fake.press(ANNA, `Thirty · ⭐ ${STARS}`);
  fake.press(ANNA, `Thirty · ⭐ ${STARS}`);
  await expect.poll(shown, sleepy).toContain('Order no. 1');
  fake.press(ANNA, `Pay ⭐ ${STARS}: Telegram Stars`);
  fake.press(ANNA, `Pay ⭐ ${STARS}: Telegram Stars`);
  await expect.poll(() => invoices().length, sleepy).toBe(1);
  await expect.poll(() => own.store.bot.updateDueAt()).toBeNull();
  await expect.poll(() => own.store.bot.countMessages(), sleepy).toBe(0);
  expect((await own.act('listOrders', {})).items).toHaveLength(1);
  const [invoice] = invoices();
  if (!invoice) throw new Error('there is no invoice');
  const asked = fake.checkOut(ANNA, invoice.payload, invoice.stars);
  await expect.poll(() => fake.checkouts.get(asked)).toBe(true);
  fake.pay(ANNA, invoice.payload, invoice.stars, 'charge-1');
  await expect.poll(shown, sleepy).toBe(`⭐ ${STARS} received: Thirty. Thank you.`);
  expect((await own.act('getUser', { id: user.id })).expires_at).toBe('2030-01-31T00:00:00.000Z');
  // The button of the order that is paid shows that it is.
  fake.press(ANNA, `Pay ⭐ ${STARS}: Telegram Stars`);
  await expect
    .poll(() => [...fake.messages.values()].some(({ text }) => text.includes('Order no. 1 · Paid')), sleepy)
    .toBe(true);
  expect(invoices()).toHaveLength(1);
  // Where the code of an order ended meanwhile, no invoice is sent, and the offer can be had without it.
  const promo = await own.act('createPromo', { code: 'LATE', effect: { kind: 'percent', percent: 20 }, max_uses: 5 });
  await own.act('createOrder', { user_id: user.id, offer_id: offer.id, promo_code: 'LATE' });
  const choose = async (price: number) => {
    fake.write(ANNA, '/start');
    await expect.poll(shown, sleepy).toContain('Active');
    fake.press(ANNA, 'Renew or add traffic');
    await expect.poll(shown, sleepy).toContain('Thirty: 30 days');
    fake.press(ANNA, `Thirty · ⭐ ${STARS}`);
    await expect.poll(shown, sleepy).toMatch(new RegExp(`Order no. 2.*⭐ ${price}$`, 's'));
  };
  await choose(200);
  await own.act('changePromo', { id: promo.id, enabled: false });
  fake.press(ANNA, 'Pay ⭐ 200: Telegram Stars');
  await expect.poll(shown, sleepy).toContain('The promo code of this order can no longer be used.');
  expect(invoices()).toHaveLength(1);
  await own.act('changePromo', { id: promo.id, enabled: true });
  fake.press(ANNA, 'Pay ⭐ 200: Telegram Stars');
  await expect.poll(() => invoices().length, sleepy).toBe(2);
  expect((await own.act('listPromos', {})).items).toMatchObject([{ used: 0, reserved: 1 }]);
  await own.act('changePromo', { id: promo.id, enabled: false });
  await choose(STARS);
  for (const [command, text] of [
    ['/terms', 'You buy access'],
    ['/paysupport', 'Questions about a payment'],
  ]) {
    fake.write(ANNA, command ?? '');
    await expect.poll(shown, sleepy).toContain(text);
  }
}, 60_000);

it('shows more offers than a message has buttons page by page, and does not delete what is too old', async () => {
  const { fake, own } = await running();
  await own.act('updateSettings', { selling: true });
  await own.act('createProvider', { kind: 'stars', name: 'Stars', fields: {}, password: PASSWORD });
  const plan = await own.act('createTariff', { name: 'Month', duration: { months: 1 } });
  const prices = [{ amount: STARS, currency: 'XTR' }];
  for (let days = 1; days <= 110; days++) {
    const sold = { kind: 'days', days } as const;
    await own.act('createOffer', { tariff_id: plan.id, name: `Offer ${days}`, sold, prices, on_sale: true });
  }
  const end = '2030-01-01T00:00:00Z';
  await own.act('createUser', { name: 'Anna', tariff_id: plan.id, telegram_id: ANNA, expires_at: end });
  const names = () => (fake.findLastMessage(ANNA)?.buttons ?? []).map(({ text }) => text);
  const offers = () => names().filter((text) => text.startsWith('Offer'));
  fake.write(ANNA, '/start');
  await expect.poll(() => fake.findLastMessage(ANNA)?.text, sleepy).toContain('Active');
  fake.press(ANNA, 'Renew or add traffic');
  await expect.poll(offers, sleepy).toHaveLength(20);
  const seen = new Set(offers());
  for (let page = 2; page <= 6; page++) {
    fake.press(ANNA, `${page}/6 ›`);
    await expect.poll(names, sleepy).toContain(`‹ ${page - 1}/6`);
    for (const name of offers()) seen.add(name);
  }
  expect(seen.size).toBe(110);
  fake.press(ANNA, '‹ 5/6');
  await expect.poll(names, sleepy).toContain('6/6 ›');

  fake.press(ANNA, 'Back');
  await expect.poll(() => fake.findLastMessage(ANNA)?.text, sleepy).toContain('Active');
  fake.press(ANNA, 'QR code');
  await expect.poll(() => fake.findLastMessage(ANNA)?.photo?.length ?? 0, sleepy).toBeGreaterThan(300);
  fake.age(49 * 3_600_000);
  fake.press(ANNA, 'Hide');
  await expect.poll(names, sleepy).toEqual([]);
  expect(fake.findLastMessage(ANNA)?.photo).not.toBeNull();
});

it.each([true, false])(
  'offers other ways than Stars in the chat only where that is allowed: Stars only %s',
  async (isOnly) => {
    await using fake = await openStripe();
    const { fake: api, own } = await running();
    await own.act('updateSettings', { selling: true });
    const fields = { name: 'One', api_root: fake.root, allow_private: true, password: PASSWORD };
    await own.act('createProvider', { kind: 'stripe', fields: fake.fields, ...fields });
    await own.act('createProvider', { kind: 'stars', name: 'Stars', fields: {}, password: PASSWORD });
    expect(await own.act('getPanelSettings', {})).toMatchObject({ stars_only_in_telegram: true });
    if (!isOnly) await own.act('updateSettings', { stars_only_in_telegram: false });
    const plan = await own.act('createTariff', { name: 'Month', duration: { months: 1 } });
    const sold = { kind: 'days', days: 30 } as const;
    const euros = { amount: 499, currency: 'EUR' };
    const offered = { tariff_id: plan.id, sold, on_sale: true };
    await own.act('createOffer', { ...offered, name: 'Both', prices: [euros, { amount: STARS, currency: 'XTR' }] });
    await own.act('createOffer', { ...offered, name: 'Card', prices: [euros] });
    const end = '2030-01-01T00:00:00Z';
    const user = await own.act('createUser', { name: 'Anna', tariff_id: plan.id, telegram_id: ANNA, expires_at: end });
    const names = () => (api.findLastMessage(ANNA)?.buttons ?? []).map(({ text }) => text);
    api.write(ANNA, '/start');
    await expect.poll(names, sleepy).toContain('Renew or add traffic');
    api.press(ANNA, 'Renew or add traffic');
    const first = isOnly ? `Both · ⭐ ${STARS}` : 'Both · €4.99';
    await expect.poll(names, sleepy).toEqual([first, ...(isOnly ? [] : ['Card · €4.99']), 'Back']);
    api.press(ANNA, first);
    const stars = `Pay ⭐ ${STARS}: Telegram Stars`;
    await expect.poll(names, sleepy).toContain(stars);
    expect(names().filter((name) => name.startsWith('Pay'))).toHaveLength(isOnly ? 1 : 2);
    // The page outside of Telegram sells all of it.
    const { page_url: page } = (await own.act('listOrders', { user_id: user.id })).items[0] ?? {};
    expect(await (await fetch(page ?? '')).text()).toContain('€4.99');
  },
);

it('asks for the e-mail address of the buyer before it opens a payment with a receipt', async () => {
  await using fake = await openYookassa();
  const { fake: api, own } = await running();
  await own.act('updateSettings', { selling: true, stars_only_in_telegram: false });
  const fields = { name: 'Cards', api_root: fake.root, allow_private: true, password: PASSWORD };
  await own.act('createProvider', { kind: 'yookassa', fields: fake.fields, ...fields });
  const plan = await own.act('createTariff', { name: 'Month', duration: { months: 1 } });
  const sold = { kind: 'days', days: 30 } as const;
  const prices = [{ amount: 45_000, currency: 'RUB' }];
  await own.act('createOffer', { tariff_id: plan.id, name: 'Thirty', sold, prices, on_sale: true });
  const expires_at = '2030-01-01T00:00:00Z';
  await own.act('createUser', { name: 'Anna', tariff_id: plan.id, telegram_id: ANNA, expires_at });
  const shown = () => (api.findLastMessage(ANNA)?.text ?? '').replaceAll('\u00a0', ' ');
  const posts = () => fake.requests.filter(({ method }) => method === 'POST');
  const pay = async () => {
    api.press(ANNA, findButton('Pay'));
    await expect.poll(shown, sleepy).toContain('Send your e-mail address');
  };
  const findButton = (begin: string) =>
    (api.findLastMessage(ANNA)?.buttons ?? []).map(({ text }) => text).find((text) => text.startsWith(begin)) ?? '';
  api.write(ANNA, '/start');
  await expect.poll(shown, sleepy).toContain('Active');
  api.press(ANNA, 'Renew or add traffic');
  await expect.poll(shown, sleepy).toContain('Thirty: 30 days');
  api.press(ANNA, findButton('Thirty'));
  await expect.poll(shown, sleepy).toContain('Order no. 1');
  await pay();
  api.write(ANNA, 'anna at example.org');
  await expect.poll(shown, sleepy).toContain('This is not an e-mail address.');
  // Back ends the question: the next message is no answer.
  api.press(ANNA, 'Back');
  await expect.poll(shown, sleepy).toContain('Order no. 1');
  api.write(ANNA, 'anna@example.org');
  await expect.poll(shown, sleepy).toContain('Active');
  expect(posts()).toEqual([]);
  api.press(ANNA, 'Renew or add traffic');
  await expect.poll(shown, sleepy).toContain('Thirty: 30 days');
  api.press(ANNA, findButton('Thirty'));
  await expect.poll(shown, sleepy).toContain('Order no. 1');
  await pay();
  api.write(ANNA, ' anna@example.org ');
  await expect.poll(() => findButton('To the payment'), sleepy).not.toBe('');
  expect(posts().map(({ raw }) => JSON.parse(raw).receipt.customer)).toEqual([{ email: 'anna@example.org' }]);
  expect(own.store.bot.chat(ANNA)?.prompt).toBeNull();
});
