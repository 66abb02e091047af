// Referrals: what they give, to whom, and that a refund takes back exactly that.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BOT } from '../support/bot-admin.ts';
import { PASSWORD } from '../support/panel.ts';
import { END, openShop, type Shop } from '../support/shop.ts';

const DAY = 86_400_000;
const EUR = { amount: 300, currency: 'EUR' };
const proof = { password: PASSWORD };

let folder = '';
let shop: Shop;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-referrals-'));
  shop = await openShop(folder);
});
afterEach(async () => {
  await shop[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const makeUser = (more: object = {}) =>
  shop.panel().act('createUser', { name: 'Ivan', tariff_id: shop.tariffId, expires_at: END, ...more });
const read = (id: number) => shop.panel().act('getUser', { id });
const readRecord = async (id: number) => {
  const { updated_at: _moved, ...user } = await read(id);
  return user;
};
const order = (user_id: number, offer_id: number) => shop.panel().act('createOrder', { user_id, offer_id });
let keys = 0;
const pay = (user_id: number, offer_id: number) => {
  keys += 1;
  const payment = { key: `by-hand-${keys}`, user_id, offer_id, ...EUR, method: 'cash', ...proof } as const;
  return shop.panel().act('recordPayment', payment);
};
const refund = (id: number) => shop.panel().act('refundOrder', { id, ...proof });

describe('a referral', () => {
  const rules = { on: true, referrer_days: 7, friend_days: 3, most_per_month: 2 };
  const invite = async (id: number) => {
    const link = await shop.panel().core.bot.friendLink((await read(id)).sub_url?.split('/').at(-1) ?? '');
    if (!link) throw new Error('there is no link for friends');
    return link;
  };
  const come = (url: string, telegramId: number) =>
    shop.panel().core.bot.refer((new URL(url).searchParams.get('start') ?? '').slice('ref_'.length), telegramId);
  const readEnd = async (id: number) => (await read(id)).expires_at;
  const plus = (days: number) => new Date(Date.parse(END) + days * DAY).toISOString();

  beforeEach(async () => {
    shop.panel().store.write(() => shop.panel().store.bot.save(BOT));
    await shop.panel().act('saveReferrals', rules);
  });

  it('gives both their days with the first paid term, once, and a refund takes both back', async () => {
    const boris = await makeUser({ name: 'Boris', telegram_id: 1001 });
    const { url } = await invite(boris.id);
    expect(url).toMatch(/^https:\/\/t\.me\/anna_vpn_bot\?start=ref_[A-Za-z0-9_-]{12}$/);
    expect((await invite(boris.id)).url).toBe(url);
    expect(await come(url, 2002)).toBe(true);
    const anna = await makeUser({ name: 'Anna', telegram_id: 2002 });
    const before = [await readRecord(boris.id), await readRecord(anna.id)];
    const first = await pay(anna.id, shop.offerId);
    expect(first.referral).toEqual({ referrer: { id: boris.id, name: 'Boris' }, referrer_days: 7, friend_days: 3 });
    expect([await readEnd(boris.id), await readEnd(anna.id)]).toEqual([plus(7), plus(33)]);
    expect(await invite(boris.id)).toMatchObject({ opened: 1, rewarded: 1 });
    expect(await shop.panel().act('getReferrals', {})).toMatchObject({
      opened: 1,
      rewarded: 1,
      rewards: [{ order_id: first.id, referrer: { name: 'Boris' }, friend: { name: 'Anna' } }],
    });
    const second = await pay(anna.id, shop.offerId);
    expect(second.referral).toBeNull();
    expect([await readEnd(boris.id), await readEnd(anna.id)]).toEqual([plus(7), plus(63)]);
    await refund(second.id);
    expect(await shop.panel().act('previewRefund', { id: first.id })).toMatchObject({ referrer: { name: 'Boris' } });
    await refund(first.id);
    expect([await readRecord(boris.id), await readRecord(anna.id)]).toEqual(before);
    // A refund opens no second reward.
    await pay(anna.id, shop.offerId);
    expect([await readEnd(boris.id), await readEnd(anna.id)]).toEqual([END, plus(30)]);
  });

  it('rewards nobody for himself, for who was here before, for traffic, a trial, or a returning account', async () => {
    const boris = await makeUser({ name: 'Boris', telegram_id: 1001 });
    const { url } = await invite(boris.id);
    expect(await come(url, 1001)).toBe(false);
    expect(await come(url.replace(/.{4}$/, 'zzzz'), 3003)).toBe(false);
    // A user from before the link was opened, whose account is linked later.
    const old = await makeUser({ name: 'Old' });
    shop.clock.advance(1000);
    expect(await come(url, 3003)).toBe(true);
    await shop.panel().act('updateUser', { id: old.id, telegram_id: 3003 });
    expect((await pay(old.id, shop.offerId)).referral).toBeNull();
    // Who invited takes the account over himself.
    await come(url, 4004);
    await shop.panel().act('updateUser', { id: boris.id, telegram_id: 4004 });
    expect((await pay(boris.id, shop.offerId)).referral).toBeNull();
    const sold = { kind: 'traffic', bytes: 1e9, lifetime: 'used' } as const;
    const offer = { tariff_id: shop.tariffId, on_sale: true, prices: [EUR] };
    const pack = await shop.panel().act('createOffer', { ...offer, name: '1 GB', sold });
    const trial = { name: 'Trial', sold: { kind: 'days' as const, days: 3 }, trial: true, prices: [] };
    const { id: trialId } = await shop.panel().act('createOffer', { ...offer, ...trial });
    await come(url, 5005);
    const anna = await makeUser({ name: 'Anna', telegram_id: 5005 });
    expect((await pay(anna.id, pack.id)).referral).toBeNull();
    expect((await order(anna.id, trialId)).referral).toBeNull();
    const end = await readEnd(boris.id);
    await pay(anna.id, shop.offerId);
    expect(await readEnd(boris.id)).not.toBe(end);
    // The same account as another user.
    await shop.panel().act('deleteUser', { id: anna.id });
    expect(await come(url, 5005)).toBe(true);
    const again = await makeUser({ name: 'Anna', telegram_id: 5005 });
    expect((await pay(again.id, shop.offerId)).referral).toBeNull();
  });

  it('has a most in 30 days, and orders that were made before it was reached give none', async () => {
    const boris = await makeUser({ name: 'Boris' });
    const { url } = await invite(boris.id);
    const { id: provider_id, fake } = await shop.add('stripe');
    const friends = [];
    for (const telegram_id of [11, 12, 13]) {
      await come(url, telegram_id);
      friends.push(await makeUser({ name: `Friend ${telegram_id}`, telegram_id }));
    }
    const made = [];
    for (const friend of friends) {
      const one = await order(friend.id, shop.offerId);
      expect(one.referral).toMatchObject({ referrer_days: 7 });
      made.push(await shop.panel().act('openOrder', { id: one.id, provider_id, email: 'buyer@example.com' }));
    }
    // What they were made with stays.
    await shop.panel().act('saveReferrals', { ...rules, referrer_days: 100 });
    for (const { id } of made) fake.pay(shop.getInvoiceToken(id));
    await shop.turn();
    for (const { id } of made) expect(await shop.pollOrder(id)).toMatchObject({ state: 'paid' });
    expect(await readEnd(boris.id)).toBe(plus(14));
    // The provider lists the newest first.
    const ends = await Promise.all(friends.map(({ id }) => readEnd(id)));
    expect(ends.sort()).toEqual([plus(30), plus(33), plus(33)]);
    shop.clock.advance(31 * DAY);
    await come(url, 14);
    const late = await makeUser({ telegram_id: 14 });
    expect((await pay(late.id, shop.offerId)).referral).toMatchObject({ referrer_days: 100 });
  });
});
