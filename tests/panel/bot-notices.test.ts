// Notices to users by the bot: each once, over restarts and a sleep of any length, silent in quiet hours, in the text that was set.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/domain/limits.ts';
import { BOT, dequeueSent } from '../support/bot-admin.ts';
import { createTestClock, createTestTimers } from '../support/clock.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const START = Date.parse('2026-12-01T12:00:00Z');
const END = START + 10 * DAY_MS;
const ANNA = 1001;

let panel: TestPanel | null = null;
const folders: string[] = [];
afterEach(async () => {
  await panel?.stop();
  panel = null;
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A panel with a bot whose token is not here: what is to be sent waits. */
async function open() {
  const clock = createTestClock(START);
  const timers = createTestTimers();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bot-notices-'));
  folders.push(folder);
  let own = await startPanel({ clock, timers, folder });
  panel = own;
  own.store.write(() => own.store.bot.save(BOT));
  /** What was queued since the last call. */
  const queued = () => dequeueSent(own.store, ANNA, clock.now());
  return {
    clock,
    panel: () => own,
    async at(ms: number) {
      clock.set(ms);
      await own.core.catchUp();
      return queued();
    },
    async restart() {
      await own.stop({ keep: true });
      own = await startPanel({ clock, timers, folder });
      panel = own;
    },
  };
}

it('says each once, and after a sleep only what is still true', async () => {
  const shop = await open();
  const own = shop.panel();
  const { id: tariff_id } = await own.act('createTariff', { name: 'Month', duration: { months: 1 } });
  const { id } = await own.act('createUser', {
    name: 'Anna',
    tariff_id,
    telegram_id: ANNA,
    expires_at: new Date(END).toISOString(),
  });
  await own.act('createUser', { name: 'Nobody', tariff_id, expires_at: new Date(END).toISOString() });
  expect(await shop.at(END - 4 * DAY_MS)).toEqual([]);
  expect(await shop.at(END - 3 * DAY_MS)).toEqual([
    'Gatehouse: your access ends in 3 days, on 11 December 2026. Renew it in time to stay connected.',
  ]);
  expect(await shop.at(END - 2 * DAY_MS)).toEqual([]);
  await shop.restart();
  expect(await shop.at(END - 2 * DAY_MS)).toEqual([]);
  // Asleep over that of the last day and the end.
  expect(await shop.at(END + DAY_MS + HOUR_MS)).toEqual([expect.stringContaining('your access ended on 11 December')]);
  expect(await shop.at(END + 30 * DAY_MS)).toEqual([]);
  // Another end has notices of its own, and who is disabled none.
  const again = END + 40 * DAY_MS;
  await shop.panel().act('updateUser', { id, expires_at: new Date(again).toISOString() });
  // In the language of the chat, whose dates end without the mark of the year.
  const { store } = shop.panel();
  store.write(() =>
    store.bot.saveChat({ chatId: ANNA, language: 'ru', toldLanguage: null, unreachableAt: null, prompt: null }),
  );
  expect(await shop.at(again - DAY_MS)).toEqual([
    'Gatehouse: доступ скоро закончится, он действует до 20 января 2027. Продлите его, чтобы остаться на связи.',
  ]);
  await shop.panel().act('updateUser', { id, enabled: false });
  expect(await shop.at(again + HOUR_MS)).toEqual([]);
}, 30_000);

it('says when 80 % and all of the traffic is used, in the text and the hours that were set', async () => {
  const shop = await open();
  const own = shop.panel();
  const { id: tariff_id } = await own.act('createTariff', { name: 'Month', duration: { months: 1 } });
  const { id } = await own.act('createUser', {
    name: 'Anna',
    tariff_id,
    telegram_id: ANNA,
    traffic_limit: 10_000_000_000,
    expires_at: '2027-12-01T00:00:00Z',
  });
  const use = (usedDown: number) =>
    own.store.write(() => {
      const row = own.store.users.get(id);
      if (row) own.store.users.save(row, { ...row, usedDown });
    });
  use(7_900_000_000);
  expect(await shop.at(START)).toEqual([]);
  use(8_000_000_000);
  // In quiet hours nothing is said, and later what is true by then.
  expect(await shop.at(START + 11 * HOUR_MS)).toEqual([]);
  const texts = [{ kind: 'traffic_80', language: 'en', text: '{{name}}: {{left}} of {{total}}' }] as const;
  const saved = await own.act('saveBotNotices', { on: ['traffic_80', 'traffic_100'], texts: [...texts] });
  expect(saved.texts.find(({ kind, language }) => kind === 'traffic_80' && language === 'en')).toMatchObject({
    text: '{{name}}: {{left}} of {{total}}',
    usual: expect.stringContaining('{{used}} of {{total}}'),
  });
  expect(await shop.at(START + 20 * HOUR_MS)).toEqual(['Anna: 2 GB of 10 GB']);
  expect(await shop.at(START + 21 * HOUR_MS)).toEqual([]);
  use(10_000_000_000);
  expect(await shop.at(START + 22 * HOUR_MS)).toEqual(['Gatehouse: your traffic is used up (10 GB).']);
  const wrong = [{ kind: 'ended', language: 'en', text: '{{password}}' }] as const;
  await expect(own.act('saveBotNotices', { texts: [...wrong] })).rejects.toMatchObject({ code: 'validation' });
  // Who blocked the bot is left alone.
  own.store.write(() =>
    own.store.bot.saveChat({ chatId: ANNA, language: 'ru', toldLanguage: null, unreachableAt: START, prompt: null }),
  );
  await own.act('resetUserTraffic', { id });
  use(9_000_000_000);
  await own.act('saveBotNotices', { quiet: null });
  expect(await shop.at(START + 40 * DAY_MS)).toEqual([]);
}, 30_000);
