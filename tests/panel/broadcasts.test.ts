// Broadcasts: each person gets one, at the pace that Telegram allows, behind everything that somebody waits for; paused, gone on with, and over an end
// of the panel.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Broadcast } from '../../src/contract/bot/broadcasts.ts';
import { ADMIN } from '../support/bot-admin.ts';
import { BOT_TOKEN, type FakeBotApi, openBotApi } from '../support/bot-api.ts';
import { times } from '../support/long.ts';
import { PASSWORD, startPanel, type TestPanel } from '../support/panel.ts';
import { enableSecondFactor } from '../support/second-factor.ts';

const sleepy = { timeout: 60_000, interval: 20 };
const END = '2030-01-01T00:00:00Z';
const TEXT = 'New server';
const PEOPLE = times(200, 100_000);
const CHECKOUTS = times(100, 10_000);
/** Users of one call. */
const AT_ONCE = 100;

let folder = '';
let api: FakeBotApi;
let panel: TestPanel;
let tariffId = 0;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-broadcasts-'));
  api = await openBotApi();
  panel = await startPanel({ folder });
  await panel.act('saveBot', { token: BOT_TOKEN, api_root: api.root, allow_private: true, password: PASSWORD });
  await panel.act('saveBotNotices', { quiet: null });
  tariffId = (await panel.act('createTariff', { name: 'Month', duration: { months: 1 } })).id;
});
afterEach(async () => {
  await panel.stop();
  await api[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Users with accounts 1001, 1002 and so on. */
async function makeUsers(count: number, more: object = {}): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const named = { name: `User ${number}`, tariff_id: tariffId, expires_at: END, telegram_id: 1000 + number };
    await panel.act('createUser', { ...named, ...more });
  }
}

let keys = 0;
function send(filter: object = { all: true }, text = TEXT) {
  keys += 1;
  const texts = [{ language: 'en' as const, text }];
  return panel.act('createBroadcast', { key: `broadcast-${keys}`, texts, filter: filter as { all: true } });
}
const latest = async () => (await panel.act('listBroadcasts', { limit: 1 })).items[0] as Broadcast;
const state = async () => (await latest()).state;
/** How often each person got it. */
const got = () => {
  const counts = new Map<number, number>();
  for (const { chatId, text } of api.messages.values())
    if (text.startsWith(TEXT)) counts.set(chatId, (counts.get(chatId) ?? 0) + 1);
  return counts;
};
const people = async (id: number, wanted: 'sent' | 'blocked' | 'failed') =>
  (await panel.act('listBroadcastPeople', { id, state: wanted })).items.map(({ user }) => user.name);

it('goes once to each whom the filter names, and says for each what became of it', async () => {
  await makeUsers(5);
  await panel.act('createUser', { name: 'No account', tariff_id: tariffId });
  await panel.act('createUser', { name: 'Off', tariff_id: tariffId, telegram_id: 2000, enabled: false });
  api.block(1002);
  api.fail('sendMessage', { refused: '400 Bad Request: something else' });
  const filter = { state: ['active' as const] };
  expect(await panel.act('previewBroadcast', { filter })).toEqual({ matched: 6, people: 5, blocked: 0, seconds: 1 });
  const made = await send(filter, `${TEXT}, {{name}}`);
  expect(made).toMatchObject({ state: 'running', total: 5 });
  await expect.poll(state, sleepy).toBe('done');
  expect(await latest()).toMatchObject({ sent: 3, blocked: 1, failed: 1, queued: 0, waits: null });
  expect([...got().keys()].sort()).toEqual([1003, 1004, 1005]);
  expect(api.findLastMessage(1003)?.text).toBe('New server, User 3');
  expect(await people(made.id, 'blocked')).toEqual(['User 2']);
  expect(await people(made.id, 'failed')).toEqual(['User 1']);
  // Who has blocked the bot is not written to again.
  expect(await panel.act('previewBroadcast', { filter })).toMatchObject({ people: 5, blocked: 1 });
  const calls = api.calls.length;
  await send(filter);
  await expect.poll(state, sleepy).toBe('done');
  expect(await latest()).toMatchObject({ sent: 4, blocked: 1, failed: 0 });
  expect(api.calls.slice(calls).filter(({ given }) => given.chat_id === 1002)).toEqual([]);
  const { items } = await panel.act('listAudit', { action: 'sendBroadcast', limit: 5 });
  expect(items).toMatchObject([{ detail: { state: 'done', sent: 4 } }, { detail: { state: 'done', sent: 3 } }]);
});

it('is made once by its key, refuses what cannot be sent, and needs a bot', async () => {
  const texts = [{ language: 'en' as const, text: TEXT }];
  const input = { key: 'the-same-key', texts, filter: { all: true as const } };
  const first = await panel.act('createBroadcast', input);
  expect((await panel.act('createBroadcast', input)).id).toBe(first.id);
  const other = { ...input, texts: [{ language: 'en' as const, text: 'Another' }] };
  await expect(panel.act('createBroadcast', other)).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  const draft = await panel.act('createBroadcast', { ...input, key: 'the-draft', start: false });
  const begun = await panel.act('changeBroadcast', { id: draft.id, act: 'start', filter: { all: true } });
  expect((await latest()).created_at).toBe(begun.created_at);
  for (const wrong of ['', 'x'.repeat(3501), 'Hello {{nobody}}'])
    await expect(send({ all: true }, wrong)).rejects.toMatchObject({ code: 'validation' });
  await expect(send({})).rejects.toMatchObject({ code: 'validation' });
  await panel.act('enableBot', { enabled: false });
  await expect(send()).rejects.toMatchObject({ code: 'bot_off' });
  await expect(panel.act('changeBroadcast', { id: 999, act: 'pause' })).rejects.toMatchObject({ code: 'not_found' });
});

it('pauses, goes on, and is stopped, and after an end of the panel it goes on where it was', async () => {
  await makeUsers(130);
  const { id } = await send();
  await expect.poll(() => got().size, sleepy).toBeGreaterThan(3);
  const paused = await panel.act('changeBroadcast', { id, act: 'pause' });
  expect(paused.state).toBe('paused');
  // What waits for its turn is still sent, and nothing more.
  await expect.poll(async () => (await latest()).queued, sleepy).toBe(0);
  const { sent } = await latest();
  expect(sent).toBe(got().size);
  expect(sent).toBeLessThan(130);
  await panel.stop({ keep: true });
  panel = await startPanel({ folder });
  expect(await latest()).toMatchObject({ state: 'paused', sent });
  await panel.act('changeBroadcast', { id, act: 'resume' });
  await expect.poll(state, sleepy).toBe('done');
  expect(got().size).toBe(130);
  expect(new Set(got().values())).toEqual(new Set([1]));
  expect(await latest()).toMatchObject({ sent: 130, blocked: 0, failed: 0 });
  const second = await send();
  await panel.act('changeBroadcast', { id: second.id, act: 'stop' });
  expect(await panel.act('changeBroadcast', { id: second.id, act: 'resume' })).toMatchObject({ state: 'stopped' });
  await expect.poll(async () => (await latest()).queued, sleepy).toBe(0);
  expect((await latest()).sent).toBeLessThan(130);
}, 120_000);

it('waits as long as Telegram says, and holds up no answer and no payment', async () => {
  await makeUsers(40);
  // Before the first message, and again behind some of them.
  api.fail('sendMessage', { retryAfter: 2 }, { retryAfter: 2 });
  const { id } = await send();
  await expect.poll(() => api.calls.filter(({ method }) => method === 'sendMessage').length, sleepy).toBeGreaterThan(0);
  const before = got().size;
  const query = api.checkOut(1001, 'gh_unknown-order-0123456789abcdef', 250);
  await expect.poll(() => api.checkouts.has(query), sleepy).toBe(true);
  api.write(1040, '/start');
  await expect.poll(() => api.findLastMessage(1040)?.text, sleepy).toContain('Active');
  // Both came while the broadcast was held back.
  expect(got().size - before).toBeLessThan(40);
  expect((await latest()).state).toBe('running');
  await expect.poll(state, sleepy).toBe('done');
  expect(got().size).toBe(40);
  expect(new Set(got().values())).toEqual(new Set([1]));
  expect((await panel.act('listBroadcastPeople', { id, limit: 500 })).items).toHaveLength(40);
}, 120_000);

it('is silent in quiet hours, goes one after the other, and ends with its bot', async () => {
  await makeUsers(2);
  await panel.act('saveBotNotices', { quiet: { from: 0, until: 23 } });
  const hour = new Date().getUTCHours();
  await panel.act('saveBotNotices', { quiet: { from: hour, until: (hour + 2) % 24 } });
  const first = await send();
  const second = await send();
  await panel.core.catchUp();
  const { items } = await panel.act('listBroadcasts', {});
  expect(items.map(({ id, waits }) => [id, waits])).toEqual([
    [second.id, 'quiet'],
    [first.id, 'quiet'],
  ]);
  expect(got().size).toBe(0);
  // Another bot does not know these people.
  await panel.act('deleteBot', {});
  await panel.core.catchUp();
  await panel.core.catchUp();
  const ended = (await panel.act('listBroadcasts', {})).items;
  expect(ended.map((one) => one.state)).toEqual(['stopped', 'stopped']);
});

it('is written, tried and sent in the chat of the administrator', async () => {
  await makeUsers(3);
  const shown = () => api.findLastMessage(ADMIN)?.text ?? '';
  const pressed = async (text: string, then: string | RegExp) => {
    api.press(ADMIN, text);
    await expect.poll(shown, sleepy).toMatch(then);
  };
  api.write(1001, '/broadcast New server, from a stranger');
  await expect.poll(() => api.findLastMessage(1001)?.text, sleepy).toContain('Active');
  expect(await panel.act('testBroadcast', { texts: [{ language: 'en', text: TEXT }] })).toEqual({ accounts: 0 });
  api.write(ADMIN, (await panel.act('inviteBotAdmin', { password: PASSWORD })).command, { first_name: 'Anna' });
  await expect.poll(shown, sleepy).toContain('This account is paired');
  await pressed('Broadcast', 'Write /broadcast followed by the text. Placeholders: {{name}}');
  api.write(ADMIN, '/broadcast Hello {{nobody}}');
  await expect.poll(shown, sleepy).toContain('or an unknown placeholder');
  api.write(ADMIN, '/broadcast New server for {{name}} <b>');
  await expect.poll(shown, sleepy).toMatch(/New server for \{\{name\}\} <b>\n\nWho gets it\?/);
  expect((await panel.act('listBroadcasts', {})).items).toEqual([]);
  await pressed('Ending within 7 days', /Ending within 7 days: 0 with a Telegram account/);
  api.write(ADMIN, '/broadcast New server for {{name}} <b>');
  await expect.poll(shown, sleepy).toMatch(/Who gets it\?/);
  await pressed('Active', /Active: 3 with a Telegram account, 0 of them cannot be messaged/);
  api.press(ADMIN, 'Send a test to me');
  await expect.poll(() => got().get(ADMIN), sleepy).toBe(1);
  expect(got().size).toBe(1);
  // A stolen account of Telegram alone sends nothing to everybody.
  const asked = () =>
    [...api.messages.values()]
      .filter(({ chatId }) => chatId === ADMIN)
      .map(({ text }) => text)
      .join();
  api.press(ADMIN, 'Confirm');
  await expect.poll(asked, sleepy).toContain('In the chat this needs two-factor sign-in');
  const code = enableSecondFactor(panel.store);
  api.press(ADMIN, 'Confirm');
  await expect.poll(asked, sleepy).toContain('This needs the code of your authenticator app');
  api.write(ADMIN, '/code 123');
  await expect.poll(shown, sleepy).toBe('That code is not right, or was used already.');
  api.write(1001, `/code ${code}`);
  await expect.poll(() => api.findLastMessage(1001)?.text, sleepy).toContain('Active');
  expect((await panel.act('listBroadcasts', {})).items).toEqual([]);
  api.write(ADMIN, `/code ${code}`);
  await expect.poll(shown, sleepy).toContain('The code is right.');
  api.write(ADMIN, '/broadcast New server for {{name}} <b>');
  await expect.poll(shown, sleepy).toMatch(/Who gets it\?/);
  await pressed('Active', /Active: 3 with a Telegram account/);
  api.press(ADMIN, 'Confirm');
  await expect.poll(state, sleepy).toBe('done');
  const proofs = (await panel.act('listAudit', { action: 'proveBotAdmin', limit: 5 })).items;
  expect(proofs.map(({ outcome, actor }) => [outcome, actor.id])).toEqual([
    ['done', ADMIN],
    ['refused', ADMIN],
  ]);
  expect(JSON.stringify([proofs, panel.log.lines])).not.toContain(code);
  expect(api.findLastMessage(1002)?.text).toBe('New server for User 2 <b>');
  expect([...got().entries()].sort()).toEqual([
    [1001, 1],
    [1002, 1],
    [1003, 1],
    [ADMIN, 1],
  ]);
  const { items } = await panel.act('listAudit', { action: 'changeBroadcast', limit: 5 });
  expect(items).toMatchObject([{ actor: { kind: 'bot', id: ADMIN }, detail: { act: 'start', people: 3 } }]);
});

it('goes to nobody by a button that names no audience it knows', async () => {
  await makeUsers(3);
  api.write(ADMIN, (await panel.act('inviteBotAdmin', { password: PASSWORD })).command, { first_name: 'Anna' });
  await expect.poll(() => api.findLastMessage(ADMIN)?.text, sleepy).toContain('This account is paired');
  api.write(ADMIN, '/broadcast New server');
  await expect.poll(() => api.findLastMessage(ADMIN)?.text, sleepy).toContain('Who gets it?');
  const { id, chatId } = api.findLastMessage(ADMIN) ?? { id: 0, chatId: 0 };
  const data = `castgo:1:everyone:${Math.floor(Date.now() / 1000).toString(36)}`;
  const message = { message_id: id, date: 1, chat: { id: chatId, type: 'private' } };
  api.push({
    callback_query: { id: 'unknown', from: { id: ADMIN, is_bot: false, first_name: 'Anna' }, message, data },
  });
  await expect.poll(() => api.findLastMessage(ADMIN)?.text, sleepy).toContain('Write /broadcast followed by the text');
  expect((await panel.act('listBroadcasts', {})).items).toEqual([]);
});

it(`answers ${CHECKOUTS} who are about to pay while ${PEOPLE} are written to and Telegram asks for patience`, async () => {
  for (let from = 0; from < PEOPLE; from += AT_ONCE) {
    const users = Array.from({ length: AT_ONCE }, (_, index) => ({
      name: `User ${from + index}`,
      tariff_id: tariffId,
      expires_at: END,
      telegram_id: 10_000 + from + index,
    }));
    await panel.act('createUsers', { users });
  }
  const { total } = await send();
  expect(total).toBe(PEOPLE);
  await expect.poll(() => got().size, sleepy).toBeGreaterThan(0);
  const waits: number[] = [];
  for (let count = 0; count < CHECKOUTS; count += 1) {
    if (count % 20 === 0) api.fail('sendMessage', { retryAfter: 1 });
    const began = performance.now();
    const query = api.checkOut(10_000 + count, 'gh_unknown-order-0123456789abcdef', 250);
    while (!api.checkouts.has(query)) await once(api.asked, 'call');
    waits.push(performance.now() - began);
  }
  expect((await latest()).state).toBe('running');
  waits.sort((a, b) => a - b);
  const p99 = waits[Math.floor(waits.length * 0.99)] ?? 0;
  console.info(`pre-checkout answered beside a broadcast: p99 ${p99.toFixed(0)} ms of ${waits.length}`);
  expect(waits).toHaveLength(CHECKOUTS);
}, 3_600_000);
