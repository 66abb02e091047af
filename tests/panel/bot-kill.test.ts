// SIGKILL at random moments of a panel whose bot is written to and paid all the time: what came is done once, each of it, whenever the panel
// ended.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { openDatabase } from '../../src/store/index.ts';
import { BOT_TOKEN, openBotApi } from '../support/bot-api.ts';
import { isFull, times } from '../support/long.ts';
import { PASSWORD, startPanel } from '../support/panel.ts';

const KILLS = times(10, 300);
const ORDERS = times(40, 10_000);
/** Payments come with every so many messages. */
const PAID_EACH = 4;
const PAID_AT_ONCE = times(1, 10);
const STARS = 250;
const END = '2030-01-01T00:00:00.000Z';
const PAID_END = Date.parse('2030-01-31T00:00:00.000Z');
const CHATS = 7;
/** Of one run, at most: a fast machine kills before its panel has all of them. */
const MAX_ROUND = 40;

const END_WITH_PARENT = pathToFileURL(join(import.meta.dirname, '..', 'support', 'end-with-parent.ts')).href;
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bot-kill-'));
function startVictim(): ChildProcess {
  const args = ['--import', END_WITH_PARENT, join(import.meta.dirname, 'bot-victim.ts'), folder];
  return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Orders of so many users, open in Stars of the bot: the tokens by which they are paid. */
async function openShop(root: string): Promise<readonly string[]> {
  await using panel = await startPanel({ folder });
  const { act, store } = panel;
  await act('saveBot', { token: BOT_TOKEN, api_root: root, allow_private: true, password: PASSWORD });
  await act('enableBot', { enabled: false });
  await act('updateSettings', { selling: true });
  const stars = await act('createProvider', { kind: 'stars', name: 'Stars', fields: {}, password: PASSWORD });
  const plan = await act('createTariff', { name: 'Month', duration: { months: 1 } });
  const sold = { kind: 'days', days: 30 } as const;
  const prices = [{ amount: STARS, currency: 'XTR' }];
  const offer = await act('createOffer', { tariff_id: plan.id, name: '30 days', sold, prices, on_sale: true });
  const tokens: string[] = [];
  for (let count = 0; count < ORDERS; count += 1) {
    const user = await act('createUser', { name: `User ${count}`, tariff_id: plan.id, expires_at: END });
    const { id } = await act('createOrder', { user_id: user.id, offer_id: offer.id });
    await act('openOrder', { id, provider_id: stars.id });
    tokens.push(store.payments.listInvoices(id)[0]?.token ?? '');
  }
  await act('enableBot', { enabled: true });
  return tokens;
}

it(
  `loses and doubles nothing in ${KILLS} kills`,
  async () => {
    await using fake = await openBotApi();
    const tokens = await openShop(fake.root);
    let written = 0;
    let paid = 0;
    const pay = () => {
      const token = tokens[paid];
      if (token === undefined) return;
      fake.pay(1 + (paid % CHATS), token, STARS, `charge-${paid}`);
      // Told twice, by updates of their own.
      if (paid % 3 === 0) fake.pay(1 + (paid % CHATS), token, STARS, `charge-${paid}`);
      paid += 1;
    };
    const write = () => {
      fake.write(1 + (written % CHATS), `/start ${written}`);
      written += 1;
      if (written % PAID_EACH === 0) for (let count = 0; count < PAID_AT_ONCE; count += 1) pay();
    };
    /** Polls and answers that the fake was asked for until now. */
    const progress = () => fake.calls.length;

    for (let round = 0; round < KILLS; round += 1) {
      const child = startVictim();
      const before = progress();
      // Killed after some requests of it, another number each time: between storing, confirming, handling and sending.
      const until = before + 2 + ((round * 7) % 23);
      while (progress() < until && child.exitCode === null) {
        if (written < (round + 1) * MAX_ROUND) write();
        await new Promise((resolve) => setImmediate(resolve));
        await once(fake.asked, 'call');
      }
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    // The last one comes to the end of it.
    if (isFull) while (paid < ORDERS) pay();
    const last = startVictim();
    await expect.poll(() => fake.waiting.length, { timeout: times(60_000, 1_800_000) }).toBe(0);
    const database = join(folder, 'data', 'panel.db');
    const count = (sql: string) => {
      const db = openDatabase(database, { readonly: true });
      try {
        return db.prepare(sql).pluck().get();
      } finally {
        db.close();
      }
    };
    await expect
      .poll(() => count('SELECT count(*) FROM bot_updates WHERE done_at IS NULL'), {
        timeout: times(60_000, 1_800_000),
      })
      .toBe(0);
    last.kill('SIGKILL');
    await once(last, 'close');
    const told = paid + Math.ceil(paid / 3);
    expect(count('SELECT count(*) FROM bot_updates')).toBe(written + told);
    // An answer to each message, and one message for each payment.
    expect(count("SELECT count(*) FROM bot_messages WHERE method = 'sendMessage'")).toBe(written + paid);
    expect(count('SELECT count(*) FROM payments')).toBe(paid);
    expect(count("SELECT count(*) FROM payments WHERE state = 'applied' AND reason IS NULL")).toBe(paid);
    expect(count("SELECT count(*) FROM orders WHERE state = 'paid'")).toBe(paid);
    expect(count(`SELECT count(*) FROM users WHERE expires_at = ${PAID_END}`)).toBe(paid);
    expect(count("SELECT count(*) FROM events WHERE type = 'user.extended'")).toBe(paid);
    expect(paid).toBeGreaterThan(Math.min(KILLS, ORDERS - 1));
    expect(written).toBeGreaterThan(KILLS);
  },
  times(600_000, 7_200_000),
);
