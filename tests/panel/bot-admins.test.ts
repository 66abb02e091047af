// The administrator's Telegram accounts: paired by a link that works once, told of what happens, each once, and silent in quiet hours.
import { createHash } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import type { Actor } from '../../src/core/ports/call.ts';
import { HOUR_MS } from '../../src/domain/limits.ts';
import { ADMIN, pairAdmin } from '../support/bot-admin.ts';
import { BOT_TOKEN, type FakeBotApi, openBotApi } from '../support/bot-api.ts';
import { createTestClock, createTestTimers } from '../support/clock.ts';
import { PASSWORD, startPanel, type TestPanel } from '../support/panel.ts';

const START = Date.parse('2026-12-01T12:00:00Z');
const sleepy = { timeout: 20_000, interval: 20 };

let panel: TestPanel | null = null;
let api: FakeBotApi | null = null;
afterEach(async () => {
  await panel?.stop();
  await api?.[Symbol.asyncDispose]();
  panel = null;
  api = null;
});

it('pairs accounts by a link that works once, tells the others, and forgets who is removed', async () => {
  const fake = await openBotApi();
  api = fake;
  const own = await startPanel();
  panel = own;
  await expect(own.act('inviteBotAdmin', { password: PASSWORD })).rejects.toMatchObject({ code: 'bot_off' });
  await own.act('saveBot', { token: BOT_TOKEN, api_root: fake.root, allow_private: true, password: PASSWORD });
  const made = () => own.act('inviteBotAdmin', { password: PASSWORD });
  const paired = async () => (await own.act('getBotAdmins', {})).items.map(({ id }) => id);
  const { url, command } = await made();
  expect(url).toMatch(/^https:\/\/t\.me\/anna_vpn_bot\?start=admin_[A-Za-z0-9_-]{20,58}$/);
  expect(url.endsWith(command.slice('/start '.length))).toBe(true);
  // A newer one ends it; a link for users pairs no administrator, and the reverse.
  const { command: second } = await made();
  fake.write(ADMIN, command);
  await expect.poll(() => fake.findLastMessage(ADMIN)?.text, sleepy).toContain('was used already or has expired');
  const { id: tariff_id } = await own.act('createTariff', { name: 'Month', duration: { months: 1 } });
  const user = await own.act('createUser', { name: 'Boris', tariff_id });
  const link = new URL((await own.act('inviteToBot', { user_id: user.id })).url).searchParams.get('start') ?? '';
  fake.write(6006, `/start admin_${link.slice('link_'.length)}`);
  await expect.poll(() => fake.findLastMessage(6006)?.text, sleepy).toContain('was used already or has expired');
  fake.write(7007, `/start link_${second.slice('/start admin_'.length)}`);
  await expect.poll(() => fake.findLastMessage(7007)?.text, sleepy).toContain('was used already or has expired');
  expect(await paired()).toEqual([]);

  fake.write(ADMIN, second, { first_name: 'Anna', username: 'anna' });
  await expect.poll(() => fake.findLastMessage(ADMIN)?.text, sleepy).toContain('This account is paired');
  expect((await own.act('getBotAdmins', {})).items).toMatchObject([{ id: ADMIN, name: 'Anna (@anna)' }]);
  const { items } = await own.act('listAudit', { action: 'pairBotAdmin', limit: 5 });
  expect(items).toMatchObject([
    { actor: { kind: 'bot', id: ADMIN, name: 'Anna (@anna)' }, detail: { telegram_id: ADMIN } },
  ]);
  fake.write(6006, second);
  await expect.poll(() => fake.messages.size, sleepy).toBeGreaterThan(4);
  expect(await paired()).toEqual([ADMIN]);

  const { command: third } = await made();
  fake.write(6006, third, { first_name: 'Boris' });
  await expect.poll(() => fake.findLastMessage(ADMIN)?.text, sleepy).toContain('Another Telegram account was paired');
  expect(fake.findLastMessage(ADMIN)?.text).toContain('Boris, ID 6006');
  await own.act('removeBotAdmin', { id: 6006 });
  expect(await paired()).toEqual([ADMIN]);
  await expect(own.act('removeBotAdmin', { id: 6006 })).rejects.toMatchObject({ code: 'not_found' });
  // Too old.
  const { command: late } = await made();
  const tokenHash = createHash('sha256').update(late.slice('/start admin_'.length)).digest('hex');
  const row = own.store.bot.invitation(tokenHash);
  if (!row) throw new Error('no invitation is stored');
  own.store.write(() => own.store.bot.invite({ ...row, expiresAt: 1 }));
  fake.write(8008, late);
  await expect.poll(() => fake.findLastMessage(8008)?.text, sleepy).toContain('was used already or has expired');
  const stored = JSON.stringify([own.log.lines, await own.act('listAudit', { limit: 50 })]);
  for (const each of [command, second, third, late]) expect(stored).not.toContain(each.slice('/start admin_'.length));
}, 60_000);

it('finds, extends, grants, disables and sends the link in the chat: each confirmed, once, and in the audit log', async () => {
  const fake = await openBotApi();
  api = fake;
  const own = await startPanel();
  panel = own;
  await own.act('saveBot', { token: BOT_TOKEN, api_root: fake.root, allow_private: true, password: PASSWORD });
  const { id: tariff_id } = await own.act('createTariff', {
    name: 'Month',
    duration: { months: 1 },
    traffic_limit: 50_000_000_000,
  });
  const expires_at = '2030-01-01T00:00:00Z';
  const { id, sub_url } = await own.act('createUser', { name: 'Boris <&>', tariff_id, expires_at, telegram_id: 6006 });
  await own.act('createUser', { name: 'Boris B', tariff_id });
  const user = () => own.act('getUser', { id });
  const shown = (chatId = ADMIN) => fake.findLastMessage(chatId)?.text ?? '';
  const pressed = async (text: string, then: string | RegExp) => {
    fake.press(ADMIN, text);
    await expect.poll(() => shown(), sleepy).toMatch(then);
  };
  fake.write(ADMIN, (await own.act('inviteBotAdmin', { password: PASSWORD })).command, { first_name: 'Anna' });
  await expect
    .poll(() => shown(), sleepy)
    .toMatch(/This account is paired.*Users: 2, active 2, online 0.*Nodes that answer/s);
  fake.write(ADMIN, 'bor');
  await expect.poll(() => shown(), sleepy).toBe('Found: 2 of 2');
  await pressed(`🟢 Boris <&> · ${id}`, 'A Telegram account is linked.');
  expect(shown()).toContain('Boris <&>');

  await pressed('Extend', 'Extend Boris <&> by how much');
  await pressed('30 days', 'Extend Boris <&> by 30 days');
  expect((await user()).expires_at).toBe('2030-01-01T00:00:00.000Z');
  const confirm = String(fake.findLastMessage(ADMIN)?.buttons.find(({ text }) => text === 'Confirm')?.callback_data);
  // Two presses extend once.
  fake.press(ADMIN, 'Confirm');
  await pressed('Confirm', /^Extended\./);
  await expect.poll(() => own.store.bot.updateDueAt(), sleepy).toBeNull();
  expect((await user()).expires_at).toBe('2030-01-31T00:00:00.000Z');
  const { items } = await own.act('listAudit', { actor: 'bot', action: 'extendUser', limit: 5 });
  expect(items).toMatchObject([{ actor: { id: ADMIN, name: 'Anna' }, target: `user:${id}`, detail: { days: 30 } }]);
  const { items: events } = await own.act('listEvents', { type: ['user.extended'], limit: 5, wait: 0 });
  expect(events).toMatchObject([{ actor: { kind: 'administrator', key_id: null } }]);

  await pressed('Add traffic', 'How much traffic');
  await pressed('10 GB', 'Add 10 GB of traffic for Boris <&>');
  await pressed('Confirm', /^Traffic added\./);
  expect((await user()).traffic_extra).toBe(10_000_000_000);
  await pressed('Disable', 'The connection ends at once');
  await pressed('Confirm', /^Disabled\..*Disabled/s);
  expect((await user()).enabled).toBe(false);
  await pressed('Enable', /^Enable Boris/);
  await pressed('Confirm', /^Enabled\./);
  await pressed('Send the link', 'in the chat with this bot');
  await pressed('Confirm', 'The link is being sent.');
  await expect.poll(() => shown(6006), sleepy).toContain(sub_url);
  expect((await own.act('listAudit', { actor: 'bot', limit: 50 })).items.map(({ action }) => action)).toEqual([
    'sendUserLink',
    'updateUser',
    'updateUser',
    'createGrant',
    'extendUser',
    'pairBotAdmin',
  ]);

  // What was to be confirmed long ago is asked again, and who is not paired can do nothing.
  const press = (chatId: number, data: string) =>
    fake.push({
      callback_query: {
        id: `own-${data}-${chatId}`,
        from: { id: chatId, is_bot: false, first_name: 'X' },
        chat_instance: '1',
        message: {
          message_id: fake.findLastMessage(chatId)?.id,
          date: 1_764_000_000,
          chat: { id: chatId, type: 'private', first_name: 'X' },
        },
        data,
      },
    });
  press(ADMIN, confirm.replace(/[^:]*$/, '1'));
  await expect.poll(() => shown(), sleepy).toContain('Extend Boris <&> by 30 days');
  for (const data of [confirm, `user:${id}`, 'admin', `invite:${id}`, `ask:disable:${id}:0`]) press(6006, data);
  fake.write(6006, 'Boris B');
  await expect.poll(() => own.store.bot.updateDueAt(), sleepy).toBeNull();
  await expect.poll(() => own.store.bot.countMessages(), sleepy).toBe(0);
  expect(shown(6006)).not.toMatch(/Users:|Found|extended/);
  expect((await user()).expires_at).toBe('2030-01-31T00:00:00.000Z');
  await own.act('removeBotAdmin', { id: ADMIN });
  press(ADMIN, confirm);
  await expect.poll(() => shown(), sleepy).toContain('no subscription');
  expect((await user()).expires_at).toBe('2030-01-31T00:00:00.000Z');
}, 120_000);

async function silentPanel() {
  const clock = createTestClock(START);
  const own = await startPanel({ clock, timers: createTestTimers(), timeZone: 'UTC' });
  panel = own;
  const { queued } = pairAdmin(own.store);
  return { own, clock, queued: () => queued(clock.now()) };
}

it('says once that money came and that a payment needs a decision, where that is switched on', async () => {
  const { own, queued } = await silentPanel();
  const { id: tariff_id } = await own.act('createTariff', { name: 'Month', duration: { months: 1 } });
  const sold = { kind: 'days', days: 30 } as const;
  const prices = [{ amount: 250, currency: 'XTR' }];
  await own.act('updateSettings', { selling: true });
  const offer = await own.act('createOffer', { tariff_id, name: '30 days', sold, prices, on_sale: true });
  const user = await own.act('createUser', { name: 'Boris', tariff_id, expires_at: '2030-01-01T00:00:00Z' });
  const pay = async (externalId: string, amount = 250) => {
    const { id } = await own.act('createOrder', { user_id: user.id, offer_id: offer.id });
    const token = own.store.sales.order(id)?.token ?? '';
    const paid = { amount, currency: 'XTR' };
    const payment = {
      token,
      externalId,
      state: 'paid',
      paid,
      refunded: 0,
      isTest: false,
      paidAt: START,
      buyer: null,
      raw: '{}',
    };
    const report = async () => {
      const update = { id: 1, botId: 7, updateId: 1, body: 'null', failures: 0 };
      await own.core.bot.finish(update, { messages: [], chats: [], payment: { ...payment, state: 'paid' } });
    };
    await report();
    await report();
  };
  await pay('charge-1');
  expect(queued()).toEqual(['⭐ 250 received: 30 days, Boris.']);
  await pay('charge-2', 1);
  expect(queued()).toEqual([expect.stringMatching(/^A payment needs a decision: ⭐ 1, Boris\. It is too little\./)]);
  const { on } = await own.act('saveAdminNotices', { on: ['attention'] });
  expect(on).toEqual(['attention']);
  await pay('charge-3');
  expect(queued()).toEqual([]);
  // Nobody is told of what a bot that is off cannot say.
  await own.act('enableBot', { enabled: false });
  await pay('charge-4', 1);
  expect(queued()).toEqual([]);
});

it('says that somebody signed in from a browser that is not known, after quiet hours', async () => {
  const { own, clock, queued } = await silentPanel();
  const stranger: Actor = { kind: 'unknown', id: null, name: '', access: 'read' };
  const signIn = (requestId: string, browserToken?: string) =>
    own.core.call(
      'signIn',
      { name: 'admin', password: PASSWORD },
      {
        actor: stranger,
        requestId,
        address: '192.0.2.7',
        device: 'Firefox on Linux',
        ...(browserToken && { browserToken }),
      },
    );
  const { browserToken } = await signIn('one');
  expect(queued()).toEqual([
    'Sign-in from an unknown browser: Firefox on Linux, 192.0.2.7, 1 December 2026 at 12:00. If that was not you, change the password in the panel.',
  ]);
  await signIn('two', browserToken);
  expect(queued()).toEqual([]);
  await own.act('saveAdminNotices', { quiet: { from: 22, until: 8 } });
  clock.set(START + 11 * HOUR_MS);
  await signIn('three');
  expect(queued()).toEqual([]);
  clock.set(START + 20 * HOUR_MS - 1);
  expect(queued()).toEqual([]);
  clock.set(START + 20 * HOUR_MS);
  expect(queued()).toEqual([expect.stringContaining('1 December 2026 at 23:00')]);
  // In the language of the chat.
  own.store.write(() =>
    own.store.bot.saveChat({ chatId: ADMIN, language: 'ru', toldLanguage: null, unreachableAt: null, prompt: null }),
  );
  await signIn('four');
  expect(queued()).toEqual([
    expect.stringMatching(/^Вход из незнакомого браузера: Firefox on Linux, 192\.0\.2\.7, 2 декабря 2026/),
  ]);
});

it('says at most once an hour that the disk is full, and that it has space again', async () => {
  const clock = createTestClock(START);
  const timers = createTestTimers();
  let isFull = false;
  const own = await startPanel({
    clock,
    timers,
    wrapStore: (store) => ({ ...store, diskSpace: { ...store.diskSpace, isFull: () => isFull } }),
  });
  panel = own;
  const { queued } = pairAdmin(own.store);
  // The check, which does not run beside itself, has had its turn.
  const set = async (toBeFull: boolean) => {
    isFull = toBeFull;
    timers.tick();
    await own.act('getBotAdmins', {});
  };
  const told = async (toBeFull: boolean) => {
    await set(toBeFull);
    await expect.poll(() => own.store.bot.countMessages()).toBeGreaterThan(0);
    return queued(clock.now());
  };
  expect(await told(true)).toEqual([expect.stringMatching(/^The disk of the panel is full/)]);
  expect(await told(false)).toEqual(['The disk of the panel has space again.']);
  // A third and a fourth change in this hour are not said; those of the next are.
  for (const again of [true, false]) await set(again);
  expect(own.store.bot.countMessages()).toBe(0);
  clock.advance(HOUR_MS);
  expect(await told(true)).toEqual([expect.stringMatching(/^The disk of the panel is full/)]);
});
