// Promo codes from the form to the order that is paid: one effect, counted once, and never more often than allowed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Input } from '../../src/contract/table.ts';
import { PASSWORD } from '../support/panel.ts';
import type { FakeProvider } from '../support/providers/fake.ts';
import { END, openShop, type Shop } from '../support/shop.ts';

const DAY = 86_400_000;
const proof = { password: PASSWORD };

let folder = '';
let shop: Shop;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-promos-'));
  shop = await openShop(folder);
});
afterEach(async () => {
  await shop[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

type Effect = Input<'createPromo'>['effect'];
const PERCENT: Effect = { kind: 'percent', percent: 20 };
const make = (code: string, effect: Effect, more: object = {}) =>
  shop.panel().act('createPromo', { code, effect, ...more });
const used = async (code: string) => {
  const { items } = await shop.panel().act('listPromos', {});
  const { used: paid, reserved } = items.find((one) => one.code === code) ?? {};
  return { used: paid, reserved };
};
const order = async (code: string, user?: number) =>
  shop.panel().act('createOrder', {
    user_id: user ?? (await shop.buyer()),
    offer_id: shop.offerId,
    promo_code: code,
  });
const open = (id: number, provider_id: number) =>
  shop.panel().act('openOrder', { id, provider_id, email: 'buyer@example.com' });
const readUser = async (id: number) => shop.panel().act('getUser', { id });
async function pay(id: number, fake: FakeProvider) {
  fake.pay(shop.getInvoiceToken(id));
  return shop.pollOrder(id);
}
const later = (days: number) => new Date(Date.parse(END) + days * DAY).toISOString();

describe('an order with a promo code', () => {
  it('costs less, and is paid by the lower price alone', async () => {
    const { id, fake } = await shop.add('stripe');
    await make('autumn', PERCENT, { max_uses: 5 });
    const made = await order('Autumn');
    expect(made).toMatchObject({ amount: 400, currency: 'EUR', promo: { code: 'AUTUMN', effect: PERCENT } });
    // Not while no one pays it.
    expect(await used('AUTUMN')).toEqual({ used: 0, reserved: 0 });
    await open(made.id, id);
    expect(new URLSearchParams(fake.requests.at(-1)?.raw).get('line_items[0][price_data][unit_amount]')).toBe('400');
    expect(await used('AUTUMN')).toEqual({ used: 0, reserved: 1 });
    expect(await pay(made.id, fake)).toMatchObject({ state: 'paid', amount: 400 });
    expect(await used('AUTUMN')).toEqual({ used: 1, reserved: 0 });
    const [entry] = (await shop.panel().act('listAudit', { target: `user:${made.user?.id}` })).items.filter(
      ({ action }) => action === 'takePayment',
    );
    expect(entry?.detail).toMatchObject({ order_id: made.id, promo: 'AUTUMN' });
    // Events say what became of the user, and no code and no sum.
    const events = shop.panel().store.events.after(0, 500, ['user.extended']);
    expect(events.map(({ data }) => data).join()).not.toMatch(/AUTUMN|400|EUR/);
  });

  it.each([
    ['days', { kind: 'days', days: 7 }, later(37), 0],
    ['traffic', { kind: 'traffic', bytes: 5_000_000_000, lifetime: 'used' }, later(30), 5_000_000_000],
    ['traffic for days', { kind: 'traffic_days', bytes: 5_000_000_000, days: 9 }, later(30), 5_000_000_000],
  ] as const)('gives %s more, and a refund takes exactly that back', async (_name, effect, end, bytes) => {
    const { id, fake } = await shop.add('stripe');
    await make('MORE', effect);
    const made = await order('more');
    const userId = made.user?.id ?? 0;
    const { updated_at: _at, ...before } = await readUser(userId);
    expect(made.amount).toBe(499);
    await open(made.id, id);
    await pay(made.id, fake);
    expect(await readUser(userId)).toMatchObject({ expires_at: end });
    const granted = () => shop.panel().act('listGrants', { id: userId });
    expect((await granted()).items.reduce((sum, { bytes: one }) => sum + one, 0)).toBe(bytes);
    expect(await shop.panel().act('previewRefund', { id: made.id })).toMatchObject({
      expires_at: { from: end, to: END },
      bytes,
      nothing: false,
    });
    await shop.panel().act('refundOrder', { id: made.id, ...proof });
    const { updated_at: _later, ...after } = await readUser(userId);
    expect(after).toEqual(before);
    expect((await granted()).items).toEqual([]);
  });

  it('shares what is left of a code with no other: of two at once, one is opened', async () => {
    const { id, fake } = await shop.add('stripe');
    await make('ONCE', PERCENT, { max_uses: 1 });
    const [first, second] = [await order('ONCE'), await order('ONCE')];
    const opened = await Promise.allSettled([open(first.id, id), open(second.id, id)]);
    expect(opened.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(opened.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'promo_refused' } });
    expect(fake.invoices).toHaveLength(1);
    const [winner, loser] = opened[0]?.status === 'fulfilled' ? [first, second] : [second, first];
    // The provider's last word gives it free, and the other can have it.
    fake.expire(shop.getInvoiceToken(winner.id));
    expect(await shop.pollOrder(winner.id)).toMatchObject({ state: 'expired' });
    expect(await used('ONCE')).toEqual({ used: 0, reserved: 0 });
    await open(loser.id, id);
    await pay(loser.id, fake);
    expect(await used('ONCE')).toEqual({ used: 1, reserved: 0 });
    await expect(open(winner.id, id)).rejects.toMatchObject({ code: 'promo_refused' });
  });

  it('that was paid after another had used its code up needs a person', async () => {
    const { id, fake } = await shop.add('stripe');
    await make('ONCE', PERCENT, { max_uses: 1 });
    const first = await order('ONCE');
    await open(first.id, id);
    shop.clock.advance(25 * 3_600_000);
    const second = await order('ONCE');
    await open(second.id, id);
    await pay(second.id, fake);
    expect(await pay(first.id, fake)).toMatchObject({ state: 'open', paid_at: null });
    const [waiting] = (await shop.panel().act('listAttention', {})).items;
    expect(waiting).toMatchObject({
      reason: 'promo_ended',
      order_id: first.id,
      acts: ['apply', 'days', 'refund', 'ignore'],
    });
    await shop.panel().act('resolvePayment', { id: waiting?.id ?? 0, act: 'apply', ...proof });
    expect(await shop.order(first.id)).toMatchObject({ state: 'paid', amount: 400 });
  });

  it('counts by user, and by the Telegram account of one who was deleted', async () => {
    const { id, fake } = await shop.add('stripe');
    await make('HELLO', { kind: 'days', days: 1 });
    const account = { name: 'Ivan', tariff_id: shop.tariffId, expires_at: END, telegram_id: 777 };
    const { id: user } = await shop.panel().act('createUser', account);
    const first = await order('hello', user);
    await open(first.id, id);
    await pay(first.id, fake);
    await expect(order('hello', user)).rejects.toMatchObject({ code: 'promo_refused' });
    await shop.panel().act('deleteUser', { id: user });
    const { id: again } = await shop.panel().act('createUser', account);
    await expect(order('hello', again)).rejects.toMatchObject({ code: 'promo_refused' });
    expect((await order('hello')).promo).not.toBeNull();
  });

  it('is for some plans and offers, within its time, and while it is on', async () => {
    const panel = shop.panel();
    const other = await panel.act('createTariff', { name: 'Other', duration: { months: 1 } });
    const cases: readonly object[] = [
      { tariff_ids: [other.id] },
      { offer_ids: [shop.offerId + 1] },
      { valid_from: '2026-11-21T00:00:00Z' },
      { valid_until: '2026-11-20T10:00:00Z' },
      { enabled: false },
    ];
    for (const [at, more] of cases.entries()) {
      await make(`CODE-${at}`, PERCENT, more);
      await expect(order(`CODE-${at}`), JSON.stringify(more)).rejects.toMatchObject({ code: 'promo_refused' });
    }
    const { id } = await make('RIGHT', PERCENT, { tariff_ids: [shop.tariffId], offer_ids: [shop.offerId] });
    const made = await order('RIGHT');
    // What the code becomes afterwards changes no order.
    await panel.act('changePromo', { id, effect: { kind: 'percent', percent: 90 }, max_uses: null });
    expect(await shop.order(made.id)).toMatchObject({ amount: 400, promo: { effect: PERCENT } });
    // A list that a program left empty is not all of them.
    for (const empty of [{ tariff_ids: [] }, { offer_ids: [] }]) {
      await expect(panel.act('changePromo', { id, ...empty })).rejects.toMatchObject({ code: 'validation' });
      await expect(make('EMPTY', PERCENT, empty)).rejects.toMatchObject({ code: 'validation' });
    }
    expect(await panel.act('changePromo', { id, tariff_ids: null })).toMatchObject({
      tariff_ids: null,
      offer_ids: [shop.offerId],
    });
    await panel.act('deletePromo', { id });
    await expect(order('RIGHT')).rejects.toMatchObject({ code: 'promo_refused' });
    const { id: stripe, fake } = await shop.add('stripe');
    // One that is deleted cannot be opened, as it may have been deleted for that.
    await expect(open(made.id, stripe)).rejects.toMatchObject({ code: 'promo_refused' });
    expect(fake.invoices).toEqual([]);
  });

  it.each(['none', 'MORE'])('with %s in place of its code is not paid by the lower price of before', async (next) => {
    const { id, fake } = await shop.add('crypto_pay');
    await make('ONCE', PERCENT, { max_uses: 1 });
    await make('MORE', { kind: 'days', days: 7 });
    const made = await order('ONCE');
    await open(made.id, id);
    const url = made.page_url ?? '';
    await fetch(`${url}/${next === 'none' ? 'no-promo' : 'promo'}`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ code: next }),
    });
    expect(await shop.order(made.id)).toMatchObject({ amount: 499, promo: next === 'none' ? null : { code: 'MORE' } });
    expect(await pay(made.id, fake)).toMatchObject({ paid_at: null });
    expect((await shop.panel().act('listAttention', {})).items).toMatchObject([
      { reason: 'too_little', order_id: made.id, amount: 400, applied: false },
    ]);
    expect(await used('ONCE')).toEqual({ used: 0, reserved: 0 });
    expect(await used('MORE')).toEqual({ used: 0, reserved: 0 });
  });

  it('that ended is the same order without it, where it is chosen again', async () => {
    const { id, fake } = await shop.add('stripe');
    const promo = await make('SHORT', PERCENT, { valid_until: '2026-11-21T10:00:00Z' });
    const made = await order('SHORT');
    await open(made.id, id);
    const choose = () => shop.panel().act('createOrder', { user_id: made.user?.id ?? 0, offer_id: shop.offerId });
    expect(await choose()).toMatchObject({ id: made.id, amount: 400, promo: { code: 'SHORT' } });
    shop.clock.advance(2 * DAY);
    await expect(open(made.id, id)).rejects.toMatchObject({ code: 'promo_refused' });
    expect(await choose()).toMatchObject({ id: made.id, amount: 499, promo: null });
    await open(made.id, id);
    expect(await pay(made.id, fake)).toMatchObject({ state: 'paid', amount: 499 });
    // One that was deleted can be used by no one.
    const other = await make('OTHER', PERCENT);
    const second = await order('OTHER');
    for (const { id: gone } of [promo, other]) await shop.panel().act('deletePromo', { id: gone });
    const again = { user_id: second.user?.id ?? 0, offer_id: shop.offerId };
    expect(await shop.panel().act('createOrder', again)).toMatchObject({ id: second.id, amount: 499, promo: null });
  });

  it('that ended stays with an order whose payment needs a person', async () => {
    const { id, fake } = await shop.add('crypto_pay');
    await make('SHORT', PERCENT, { valid_until: '2026-11-21T10:00:00Z' });
    const made = await order('SHORT');
    await open(made.id, id);
    await shop.panel().act('updateUser', { id: made.user?.id ?? 0, expires_at: null });
    await pay(made.id, fake);
    await shop.panel().act('updateUser', { id: made.user?.id ?? 0, expires_at: END });
    shop.clock.advance(2 * DAY);
    const again = { user_id: made.user?.id ?? 0, offer_id: shop.offerId };
    expect(await shop.panel().act('createOrder', again)).toMatchObject({ id: made.id, promo: { code: 'SHORT' } });
  });

  it('that was paid by the full price of an earlier invoice has used nothing', async () => {
    const { id, fake } = await shop.add('stripe');
    await make('LATE', PERCENT, { max_uses: 1 });
    const made = await shop.panel().act('createOrder', { user_id: await shop.buyer(), offer_id: shop.offerId });
    await open(made.id, id);
    const token = shop.getInvoiceToken(made.id);
    await order('LATE', made.user?.id);
    expect(await open(made.id, id)).toMatchObject({ amount: 400 });
    expect(fake.invoices.map(({ amount }) => amount)).toEqual(['499', '400']);
    fake.pay(token);
    expect(await shop.pollOrder(made.id)).toMatchObject({ state: 'paid', amount: 499, promo: null });
    expect(await used('LATE')).toEqual({ used: 0, reserved: 0 });
  });
});

describe('the list of promo codes', () => {
  it('has no code twice, in whatever case, and no times that end before they begin', async () => {
    await make('Ёлка', PERCENT);
    await expect(make('ёЛКА', PERCENT)).rejects.toMatchObject({ code: 'promo_exists' });
    const wrong = { valid_from: '2026-12-02T00:00:00Z', valid_until: '2026-12-01T00:00:00Z' };
    await expect(make('NEXT', PERCENT, wrong)).rejects.toMatchObject({
      code: 'validation',
      errors: [{ pointer: '#/valid_until' }],
    });
    expect(await shop.panel().act('listPromos', { limit: 1 })).toMatchObject({ items: [{ code: 'ЁЛКА' }], total: 1 });
  });

  it('counts the letters of a code as they are stored', async () => {
    const refused = (code: string, reason: string) =>
      expect(make(code, PERCENT), code).rejects.toMatchObject({
        code: 'validation',
        errors: [{ pointer: '#/code', code: reason }],
      });
    // One letter that is three in upper case, and three that are one syllable.
    await refused('\uFB03'.repeat(22), 'too_big');
    await refused('\u1112\u1161\u11AB', 'too_small');
    expect(await make('\uFB03'.repeat(21), PERCENT)).toMatchObject({ code: 'FFI'.repeat(21) });
  });
});

describe('the page of an order', () => {
  const send = (url: string, fields: Record<string, string>) =>
    fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) });
  const text = async (url: string) =>
    (await (await fetch(url, { headers: { 'accept-language': 'en' } })).text()).replaceAll('\u00a0', ' ');

  async function page() {
    const made = await shop.panel().act('createOrder', { user_id: await shop.buyer(), offer_id: shop.offerId });
    return { id: made.id, url: made.page_url ?? '' };
  }

  it('takes a code, shows what it makes of the price, and gives it up', async () => {
    await shop.add('stripe');
    await make('AUTUMN', PERCENT);
    const { id, url } = await page();
    expect(await text(url)).toContain('<label for="code">Promo code</label>');
    const reply = await send(`${url}/promo`, { code: ' autumn' });
    expect([reply.status, new URL(reply.headers.get('location') ?? '', `${url}/promo`).href]).toEqual([303, url]);
    const html = await text(url);
    for (const part of [
      'Test provider (Stripe)</span> <b>€4</b>',
      'instead of €4.99',
      '20% off',
      'Remove the code AUTUMN',
    ])
      expect(html).toContain(part);
    await send(`${url}/no-promo`, {});
    expect(await shop.order(id)).toMatchObject({ promo: null, amount: 499 });
    expect(await text(url)).toContain('Test provider (Stripe)</span> <b>€4.99</b>');
  });

  it('says of a wrong code only that it cannot be used, and lets no one try many', async () => {
    await shop.add('stripe');
    await make('OVER', PERCENT, { valid_until: '2026-11-20T00:00:00Z' });
    const { url } = await page();
    const to = async (code: string) => (await send(`${url}/promo`, { code })).headers.get('location');
    const name = url.split('/').at(-1);
    expect(await to('OVER')).toBe(`../${name}?promo`);
    expect(await to('')).toBe(`../${name}?promo`);
    expect(await text(`${url}?promo`)).toContain('This promo code cannot be used for this order.');
    for (let time = 0; time < 8; time++) expect(await to(`GUESS${time}`)).toBe(`../${name}?promo`);
    await make('RIGHT', PERCENT);
    expect(await to('RIGHT')).toBe(`../${name}?wait`);
    shop.clock.advance(3_600_001);
    expect(await to('RIGHT')).toBe(`../${name}`);
    // Those that come at once are as many as one after the other.
    shop.clock.advance(3_600_001);
    const ends = await Promise.all(Array.from({ length: 40 }, (_, index) => to(`AT-ONCE-${index}`)));
    expect(ends.filter((end) => end === `../${name}?promo`)).toHaveLength(10);
    expect(ends.filter((end) => end === `../${name}?wait`)).toHaveLength(30);
    shop.clock.advance(3_600_001);
    // A body without an end is not read to it.
    expect(await to('x'.repeat(4000))).toBe(`../${name}?failed`);
  });
});
