// People who ask for access in the bot and wait for the administrator, and encrypted backups into the administrator's chat.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { BackupFile, Backups } from '../../src/core/ports/backups.ts';
import { ADMIN } from '../support/bot-admin.ts';
import { BOT_TOKEN, type FakeBotApi, openBotApi } from '../support/bot-api.ts';
import { PASSWORD, startPanel, type TestPanel } from '../support/panel.ts';
import { enableSecondFactor } from '../support/second-factor.ts';

const sleepy = { timeout: 30_000, interval: 20 };
const PASSPHRASE = 'canary passphrase of backups';
const ANNA = 1001;

let folder = '';
let api: FakeBotApi;
let panel: TestPanel;
let tariffId = 0;
let files: BackupFile[] = [];
let made: (string | null)[] = [];

/** Files of the memory alone. */
function stubBackups(): Backups {
  const add = (encrypted: boolean): BackupFile => {
    const name = `gatehouse-${files.length + 1}.gatehouse-backup`;
    const file = { name, kind: 'manual', createdAt: 1, sizeBytes: 9, encrypted, secrets: 'inside' } as const;
    files.push(file);
    return file;
  };
  const unused = () => Promise.reject(new Error('not used'));
  return {
    folder: '/backups',
    list: () => files,
    create: async (_kind: string, passphrase: string | null) => {
      made.push(passphrase);
      return add(passphrase !== null);
    },
    prune: () => {},
    remove: (name: string) => {
      const before = files.length;
      files = files.filter((file) => file.name !== name);
      return files.length < before;
    },
    check: unused,
    restore: unused,
    open: (name: string) => {
      const file = files.find((one) => one.name === name);
      async function* chunks() {
        yield Buffer.from('bytes');
        yield Buffer.from(' of1');
      }
      return file ? { sizeBytes: file.sizeBytes, chunks: chunks() } : null;
    },
    receive: unused,
    close: () => Promise.resolve(),
  } as unknown as Backups;
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-bot-access-'));
  files = [];
  made = [];
  api = await openBotApi();
  panel = await startPanel({ folder, backups: stubBackups() });
  await panel.act('saveBot', { token: BOT_TOKEN, api_root: api.root, allow_private: true, password: PASSWORD });
  tariffId = (await panel.act('createTariff', { name: 'Month', duration: { months: 1 } })).id;
  api.write(ADMIN, (await panel.act('inviteBotAdmin', { password: PASSWORD })).command, { first_name: 'Boss' });
  await expect.poll(() => api.findLastMessage(ADMIN)?.text, sleepy).toContain('This account is paired');
});
afterEach(async () => {
  await panel.stop();
  await api[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const shown = (chatId: number) => api.findLastMessage(chatId)?.text ?? '';
const pressed = async (chatId: number, text: string, then: string | RegExp) => {
  api.press(chatId, text);
  await expect.poll(() => shown(chatId), sleepy).toMatch(then);
};
const users = async () => (await panel.act('listUsers', { limit: 50, offset: 0 })).items;

it('lets in who asks when the administrator says so, with a plan, once', async () => {
  api.write(ANNA, '/start', { first_name: 'Anna', username: 'anna' });
  await expect.poll(() => shown(ANNA), sleepy).toContain('There is no subscription');
  expect(api.findLastMessage(ANNA)?.buttons.map(({ text }) => text)).not.toContain('Ask for access');
  await panel.act('saveBotRequests', { on: true, buys_first: false });
  api.write(ANNA, '/start', { first_name: 'Anna', username: 'anna' });
  await expect
    .poll(() => api.findLastMessage(ANNA)?.buttons.map(({ text }) => text), sleepy)
    .toContain('Ask for access');
  await pressed(ANNA, 'Ask for access', 'You have asked for access');
  await expect.poll(() => shown(ADMIN), sleepy).toMatch(/Anna.*, ID 1001, asks for access/);
  // Asking again asks the administrator no second time.
  const asked = api.calls.filter(({ given }) => given.chat_id === ADMIN).length;
  api.write(ANNA, '/start');
  await expect.poll(() => shown(ANNA), sleepy).toContain('There is no subscription');
  await pressed(ANNA, 'Ask for access', 'You have asked for access');
  expect(api.calls.filter(({ given }) => given.chat_id === ADMIN)).toHaveLength(asked);
  expect((await panel.act('getBotRequests', {})).items).toMatchObject([{ telegram_id: ANNA }]);
  // A stranger who sends the administrator's button does nothing.
  const accept = String(api.findLastMessage(ADMIN)?.buttons.find(({ text }) => text === 'Month')?.callback_data);
  expect(accept).toBe(`accept:${ANNA}:${tariffId}`);
  api.press(ADMIN, 'Month');
  api.press(ADMIN, 'Month');
  await expect.poll(() => shown(ANNA), sleepy).toBe('You have access now.');
  await expect.poll(() => panel.store.bot.updateDueAt(), sleepy).toBeNull();
  expect(await users()).toMatchObject([{ telegram_id: ANNA, tariff_id: tariffId, state: 'active' }]);
  const { items } = await panel.act('listAudit', { action: 'decideBotRequest', limit: 5 });
  expect(items).toMatchObject([{ actor: { kind: 'bot', id: ADMIN } }]);
  expect((await panel.act('getBotRequests', {})).items).toEqual([]);
  await expect(panel.act('decideBotRequest', { telegram_id: ANNA, tariff_id: tariffId })).rejects.toMatchObject({
    code: 'not_found',
  });
});

it('refuses, remembers that for a while, and lets in without a term who is to buy first', async () => {
  await panel.act('saveBotRequests', { on: true, buys_first: true });
  api.write(ANNA, '/start');
  await expect
    .poll(() => api.findLastMessage(ANNA)?.buttons.map(({ text }) => text), sleepy)
    .toContain('Ask for access');
  await pressed(ANNA, 'Ask for access', 'You have asked for access');
  await expect.poll(() => shown(ADMIN), sleepy).toContain('asks for access');
  await pressed(ADMIN, 'Refuse', 'Refused.');
  await expect.poll(() => shown(ANNA), sleepy).toBe('Your request was refused.');
  api.write(ANNA, '/start');
  await expect.poll(() => shown(ANNA), sleepy).toContain('There is no subscription');
  await pressed(ANNA, 'Ask for access', 'Your request was refused.');
  expect((await panel.act('getBotRequests', {})).items).toEqual([]);
  api.write(2002, '/start');
  await expect
    .poll(() => api.findLastMessage(2002)?.buttons.map(({ text }) => text), sleepy)
    .toContain('Ask for access');
  await pressed(2002, 'Ask for access', 'You have asked for access');
  await expect.poll(async () => (await panel.act('getBotRequests', {})).items.length, sleepy).toBe(1);
  await expect(panel.act('decideBotRequest', { telegram_id: 2002, tariff_id: 999 })).rejects.toMatchObject({
    code: 'tariff_not_found',
  });
  const { user_id } = await panel.act('decideBotRequest', { telegram_id: 2002, tariff_id: tariffId });
  expect(await users()).toMatchObject([{ id: user_id, telegram_id: 2002, state: 'expired' }]);
});

it('sends backups into the chat by a passphrase alone, on demand', async () => {
  await panel.act('createBackup', { password: PASSWORD });
  const [plain] = files;
  await expect(panel.act('sendBackup', { name: plain?.name })).rejects.toMatchObject({ code: 'validation' });
  api.write(ADMIN, '/backup');
  await expect.poll(() => shown(ADMIN), sleepy).toContain('Create a backup and send it here?');
  await pressed(ADMIN, 'Confirm', 'In the chat this needs two-factor sign-in');
  const schedule = { every_hours: 24, keep: 3, password: PASSWORD };
  const code = enableSecondFactor(panel.store);
  api.write(ADMIN, `/code ${code}`);
  await expect.poll(() => shown(ADMIN), sleepy).toContain('The code is right.');
  api.write(ADMIN, '/backup');
  await expect.poll(() => shown(ADMIN), sleepy).toContain('Create a backup and send it here?');
  await pressed(ADMIN, 'Confirm', 'There is no passphrase for backups');
  panel.store.write(() => panel.store.twoFactor.save(null));
  await panel.act('scheduleBackups', { ...schedule, passphrase: PASSPHRASE });
  api.write(ADMIN, '/backup');
  await expect.poll(() => shown(ADMIN), sleepy).toContain('Create a backup and send it here?');
  api.press(ADMIN, 'Confirm');
  api.press(ADMIN, 'Confirm');
  const sent = () => [...api.messages.values()].flatMap(({ document }) => document?.toString() ?? []);
  await expect.poll(sent, sleepy).toEqual(['bytes of1']);
  await expect.poll(() => panel.store.bot.updateDueAt(), sleepy).toBeNull();
  expect(made.filter((one) => one === PASSPHRASE)).toHaveLength(1);
  const encrypted = files.at(-1)?.name ?? '';
  // In the panel a new one needs the password, as any that is made there.
  await expect(panel.act('sendBackup', {})).rejects.toMatchObject({ code: 'proof_required' });
  expect(made.filter((one) => one === PASSPHRASE)).toHaveLength(1);
  expect(await panel.act('sendBackup', { name: encrypted })).toEqual({ name: encrypted, accounts: 1 });
  await expect.poll(sent, sleepy).toHaveLength(2);
  const audit = JSON.stringify([panel.log.lines, await panel.act('listAudit', { limit: 100 }), api.calls]);
  expect(audit).not.toContain(PASSPHRASE);
});
