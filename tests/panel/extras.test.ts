// Extra devices and referrals: what each gives, when it ends, and that a refund takes back exactly that.
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
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-extras-'));
  shop = await openShop(folder);
});
afterEach(async () => {
  await shop[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const makeUser = (more: object = {}) =>
  shop.panel().act('createUser', { name: 'Ivan', tariff_id: shop.tariffId, expires_at: END, device_limit: 3, ...more });
const read = (id: number) => shop.panel().act('getUser', { id });
const recordOf = async (id: number) => {
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
const at = (days: number) => new Date(shop.clock.now() + days * DAY).toISOString();

describe('extra devices', () => {
  const make = (more: object = {}) =>
    shop.panel().act('createOffer', {
      tariff_id: shop.tariffId,
      name: 'One more',
      sold: { kind: 'devices', devices: 2, min_days: 7 },
      prices: [EUR, { amount: 1, currency: 'XTR' }],
      on_sale: true,
      ...more,
    });

  it('cost what is left of the term, rounded up to the smallest unit, and some days at least', async () => {
    const { id } = await make();
    const user = await makeUser({ expires_at: at(17.5) });
    const made = await order(user.id, id);
    expect(made).toMatchObject({
      amount: 180,
      currency: 'EUR',
      sold: { kind: 'devices', devices: 2, days: 18, until: at(17.5) },
    });
    // On the same day the same order; on the next one its price is another.
    expect((await order(user.id, id)).id).toBe(made.id);
    shop.clock.advance(DAY);
    const next = await order(user.id, id);
    expect(next).toMatchObject({ amount: 170, sold: { days: 17 } });
    const { id: provider_id } = await shop.add('stripe');
    const open = (one: number) => shop.panel().act('openOrder', { id: one, provider_id });
    await expect(open(made.id)).rejects.toMatchObject({ code: 'order_ended' });
    expect(await open(next.id)).toMatchObject({ state: 'open' });
    const short = await makeUser({ expires_at: at(1) });
    expect(await order(short.id, id)).toMatchObject({ amount: 70, sold: { days: 1 } });
  });

  it('are for users with a limit and a term that runs, up to the most devices', async () => {
    const { id } = await make();
    const refused = { code: 'validation', errors: [{ pointer: '#/offer_id' }] };
    for (const more of [
      { device_limit: null },
      { device_limit: 99 },
      { expires_at: null },
      { expires_at: '2026-01-01T00:00:00Z' },
    ]) {
      const user = await makeUser(more);
      await expect(order(user.id, id)).rejects.toMatchObject(refused);
      await expect(pay(user.id, id)).rejects.toMatchObject(refused);
    }
    await expect(make({ trial: true, prices: [] })).rejects.toMatchObject({ errors: [{ pointer: '#/trial' }] });
    const price = (await shop.panel().act('getTariff', { id: shop.tariffId })).price;
    expect(price).toEqual({ amount: 499, currency: 'EUR' });
  });

  it('raise the limit until the end of the term that was, and are gone then', async () => {
    const { id } = await make();
    const user = await makeUser({ expires_at: at(10) });
    await pay(user.id, id);
    expect(await read(user.id)).toMatchObject({ device_limit: 5 });
    await shop.panel().act('extendUser', { id: user.id, days: 30 });
    shop.clock.advance(10 * DAY - 1);
    await shop.turn();
    expect(await read(user.id)).toMatchObject({ device_limit: 5 });
    shop.clock.advance(1);
    await shop.turn();
    expect(await read(user.id)).toMatchObject({ device_limit: 3, state: 'active' });
    const [event] = shop.panel().store.events.after(0, 500, ['user.changed']).slice(-1);
    expect(JSON.parse(event?.changed ?? '[]')).toEqual(['device_limit']);
    const [row] = (await shop.panel().act('listAudit', { action: 'endDevices', limit: 5 })).items;
    expect(row).toMatchObject({ target: `user:${user.id}`, detail: { device_limit: 3 } });
    await shop.turn();
    expect((await shop.panel().act('listAudit', { action: 'endDevices', limit: 5 })).items).toHaveLength(1);
  });

  it('are taken back by a refund, exactly, whatever came after', async () => {
    const { id } = await make();
    const user = await makeUser();
    const before = await recordOf(user.id);
    const first = await pay(user.id, id);
    const second = await pay(user.id, id);
    expect(await read(user.id)).toMatchObject({ device_limit: 7 });
    expect(await shop.panel().act('previewRefund', { id: first.id })).toMatchObject({ devices: 2, nothing: false });
    await refund(first.id);
    expect(await read(user.id)).toMatchObject({ device_limit: 5 });
    await refund(second.id);
    expect(await recordOf(user.id)).toEqual(before);
    // What ended by itself, or with another plan, is not taken a second time.
    const third = await pay(user.id, id);
    const plan = await shop.panel().act('createTariff', { name: 'Other', device_limit: 4, duration: { months: 1 } });
    await shop.panel().act('updateUser', { id: user.id, tariff_id: plan.id });
    expect(await shop.panel().act('previewRefund', { id: third.id })).toMatchObject({ devices: 0, nothing: true });
    await refund(third.id);
    expect(await read(user.id)).toMatchObject({ device_limit: 4 });
    const unlimited = await makeUser();
    const fourth = await pay(unlimited.id, id);
    await shop.panel().act('updateUser', { id: unlimited.id, device_limit: null });
    await refund(fourth.id);
    expect(await read(unlimited.id)).toMatchObject({ device_limit: null });
  });

  it('need a decision where they are paid for after their end', async () => {
    const { id } = await make();
    const { id: provider_id, fake } = await shop.add('stripe');
    const user = await makeUser({ expires_at: at(3) });
    const made = await order(user.id, id);
    await shop.panel().act('openOrder', { id: made.id, provider_id });
    shop.clock.advance(4 * DAY);
    fake.pay(shop.tokenOf(made.id));
    await shop.turn();
    const { items } = await shop.panel().act('listAttention', {});
    expect(items).toMatchObject([{ reason: 'not_applicable', order_id: made.id }]);
    expect(await read(user.id)).toMatchObject({ device_limit: 3 });
  });
});

describe('a referral', () => {
  const rules = { on: true, referrer_days: 7, friend_days: 3, most_per_month: 2 };
  const invite = async (id: number) => {
    const link = await shop.panel().core.bot.friendLink((await read(id)).sub_url?.split('/').at(-1) ?? '');
    if (!link) throw new Error('there is no link for friends');
    return link;
  };
  const come = (url: string, telegramId: number) =>
    shop.panel().core.bot.refer((new URL(url).searchParams.get('start') ?? '').slice('ref_'.length), telegramId);
  const endOf = async (id: number) => (await read(id)).expires_at;
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
    const before = [await recordOf(boris.id), await recordOf(anna.id)];
    const first = await pay(anna.id, shop.offerId);
    expect(first.referral).toEqual({ referrer: { id: boris.id, name: 'Boris' }, referrer_days: 7, friend_days: 3 });
    expect([await endOf(boris.id), await endOf(anna.id)]).toEqual([plus(7), plus(33)]);
    expect(await invite(boris.id)).toMatchObject({ opened: 1, rewarded: 1 });
    expect(await shop.panel().act('getReferrals', {})).toMatchObject({
      opened: 1,
      rewarded: 1,
      rewards: [{ order_id: first.id, referrer: { name: 'Boris' }, friend: { name: 'Anna' } }],
    });
    const second = await pay(anna.id, shop.offerId);
    expect(second.referral).toBeNull();
    expect([await endOf(boris.id), await endOf(anna.id)]).toEqual([plus(7), plus(63)]);
    await refund(second.id);
    expect(await shop.panel().act('previewRefund', { id: first.id })).toMatchObject({ referrer: { name: 'Boris' } });
    await refund(first.id);
    expect([await recordOf(boris.id), await recordOf(anna.id)]).toEqual(before);
    // A refund opens no second reward.
    await pay(anna.id, shop.offerId);
    expect([await endOf(boris.id), await endOf(anna.id)]).toEqual([END, plus(30)]);
  });

  it('rewards nobody for himself, for who was here before, for traffic, a trial, or a returning account', async () => {
    const boris = await makeUser({ name: 'Boris', telegram_id: 1001 });
    const { url } = await invite(boris.id);
    expect(await come(url, 1001)).toBe(false);
    expect(await come(url.replace(/.{4}$/, 'zzzz'), 3003)).toBe(false);
    // A user from before the link was opened, whose account is tied later.
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
    const end = await endOf(boris.id);
    await pay(anna.id, shop.offerId);
    expect(await endOf(boris.id)).not.toBe(end);
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
      made.push(await shop.panel().act('openOrder', { id: one.id, provider_id }));
    }
    // What they were made with stays.
    await shop.panel().act('saveReferrals', { ...rules, referrer_days: 100 });
    for (const { id } of made) fake.pay(shop.tokenOf(id));
    await shop.turn();
    for (const { id } of made) expect(await shop.ask(id)).toMatchObject({ state: 'paid' });
    expect(await endOf(boris.id)).toBe(plus(14));
    // The provider lists the newest first.
    const ends = await Promise.all(friends.map(({ id }) => endOf(id)));
    expect(ends.sort()).toEqual([plus(30), plus(33), plus(33)]);
    shop.clock.advance(31 * DAY);
    await come(url, 14);
    const late = await makeUser({ telegram_id: 14 });
    expect((await pay(late.id, shop.offerId)).referral).toMatchObject({ referrer_days: 100 });
  });
});
