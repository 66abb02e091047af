// A buyer's walk in the chat of the bot: a trial, the first purchase with a promo code, a renewal before the end and one after it, a pack, and refunds, by the
// buttons that the chat shows, paid in Stars.
import { expect, it } from 'vitest';
import { DAY_MS } from '../../src/domain/limits.ts';
import { BOT_TOKEN, openBotApi } from '../support/bot-api.ts';
import { PASSWORD, startPanel } from '../support/panel.ts';

const ANNA = 1001;
const sleepy = { timeout: 20_000, interval: 20 };

it('a buyer tries, buys, renews, adds and is refunded in the chat', async () => {
  await using api = await openBotApi();
  await using panel = await startPanel();
  const { act } = panel;
  await act('updateSettings', { selling: true });
  await act('saveBot', { token: BOT_TOKEN, api_root: api.root, allow_private: true, password: PASSWORD });
  await act('createProvider', { kind: 'stars', name: 'Stars', fields: {}, password: PASSWORD });
  const { id: tariff_id } = await act('createTariff', {
    name: 'Month',
    duration: { months: 1 },
    traffic_limit: 10 ** 10,
  });
  const offer = (
    name: string,
    sold: { kind: 'days'; days: number } | { kind: 'traffic'; bytes: number; lifetime: 'used' },
    stars: number,
  ) =>
    act('createOffer', {
      tariff_id,
      name,
      sold,
      prices: stars === 0 ? [] : [{ amount: stars, currency: 'XTR' }],
      trial: stars === 0,
      on_sale: true,
    });
  await offer('Trial', { kind: 'days', days: 3 }, 0);
  await offer('Thirty', { kind: 'days', days: 30 }, 250);
  await offer('Pack', { kind: 'traffic', bytes: 20_000_000_000, lifetime: 'used' }, 100);
  await act('createPromo', { code: 'AUTUMN', effect: { kind: 'percent', percent: 20 } });
  const ended = () => new Date(Date.now() - DAY_MS).toISOString();
  const { id } = await act('createUser', {
    name: 'Anna',
    tariff_id,
    telegram_id: ANNA,
    expires_at: ended(),
  });

  const user = () => act('getUser', { id });
  /** The end of the term, in days from now, rounded. */
  const days = async () => Math.round((Date.parse((await user()).expires_at ?? '') - Date.now()) / DAY_MS);
  const orders = async () => (await act('listOrders', { user_id: id, limit: 50 })).items;
  const shown = () => api.findLastMessage(ANNA)?.text ?? '';
  const idle = async () => {
    await expect.poll(() => panel.store.bot.updateDueAt(), sleepy).toBeNull();
    await expect.poll(() => panel.store.bot.countMessages(), sleepy).toBe(0);
  };
  const press = async (button: string, text: string | RegExp) => {
    api.press(ANNA, button);
    await expect.poll(shown, sleepy).toMatch(text);
    await idle();
  };
  /** The message of the menu is a new one. */
  const start = async (text: RegExp) => {
    const last = api.findLastMessage(ANNA)?.id;
    api.write(ANNA, '/start');
    await expect.poll(() => api.findLastMessage(ANNA)?.id, sleepy).not.toBe(last);
    expect(shown()).toMatch(text);
    await idle();
  };
  const choose = async (button: string, text: RegExp) => {
    await start(/^Gatehouse/);
    await press('Renew or add traffic', /Renew/);
    await press(button, text);
  };
  const invoices = () => [...api.messages.values()].flatMap(({ invoice }) => invoice ?? []);
  /** Pays by the invoice in the chat: Telegram asks the bot first, then tells it. */
  const pay = async (stars: number, what: string) => {
    const before = invoices().length;
    api.press(ANNA, `Pay ⭐ ${stars}: Telegram Stars`);
    await expect.poll(() => invoices().length, sleepy).toBe(before + 1);
    const invoice = invoices().at(-1);
    expect(invoice?.stars).toBe(stars);
    const asked = api.checkOut(ANNA, invoice?.payload ?? '', stars);
    await expect.poll(() => api.checkouts.get(asked), sleepy).toBe(true);
    api.pay(ANNA, invoice?.payload ?? '', stars, `charge-${before}`);
    await expect.poll(shown, sleepy).toBe(`⭐ ${stars} received: ${what}. Thank you.`);
    await idle();
  };

  await choose('Trial · Free', /Paid.*Your free trial has started/s);
  expect(await days()).toBe(3);
  await start(/Active/);
  await press('Renew or add traffic', /Renew/);
  expect(shown()).not.toContain('Trial');

  // The first purchase, by a promo code that was wrong at first.
  await press('Thirty · ⭐ 250', /Order no\. 2/);
  await press('Promo code', /Send the promo code/);
  api.write(ANNA, 'winter');
  await expect.poll(shown, sleepy).toContain('cannot be used for this order');
  await idle();
  await press('Promo code', /Send the promo code/);
  api.write(ANNA, 'autumn');
  await expect.poll(shown, sleepy).toMatch(/AUTUMN, 20% off.*⭐ 200/s);
  await idle();
  await pay(200, 'Thirty');
  expect(await days()).toBe(33);
  expect((await orders())[0]).toMatchObject({ state: 'paid', amount: 200, renewal: false });

  await choose('Thirty · ⭐ 250', /Order no\. 3/);
  await pay(250, 'Thirty');
  expect(await days()).toBe(63);
  expect((await orders())[0]).toMatchObject({ state: 'paid', renewal: true });

  await act('updateUser', { id, expires_at: ended() });
  await start(/Expired/);
  await choose('Thirty · ⭐ 250', /Order no\. 4/);
  const before = await user();
  await pay(250, 'Thirty');
  expect(await days()).toBe(30);

  await choose('Pack · ⭐ 100', /Order no\. 5/);
  await pay(100, 'Pack');
  expect((await user()).traffic_extra).toBe(20_000_000_000);

  // Both are given back: the pack first, then the renewal after the end.
  const [pack, renewal] = await orders();
  for (const order of [pack, renewal])
    expect(await act('refundOrder', { id: order?.id ?? 0, note: '', password: PASSWORD })).toMatchObject({
      state: 'refunded',
    });
  await idle();
  const { updated_at: _, ...after } = await user();
  expect(before).toMatchObject(after);
  expect((await orders()).map(({ state }) => state)).toEqual(['refunded', 'refunded', 'paid', 'paid', 'paid']);
  expect((await act('listAttention', {})).items).toEqual([]);
}, 120_000);
