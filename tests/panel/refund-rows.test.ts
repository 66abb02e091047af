// A refund leaves the rows that were there before its order: of the user, the grants and the user who had invited, for each kind of
// order and each state of a user, and the preview has said so.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sold } from '../../src/contract/sales/sales.ts';
import type { Input, Output } from '../../src/contract/table.ts';
import { BOT } from '../support/bot-admin.ts';
import { PASSWORD } from '../support/panel.ts';
import type { FakeProvider } from '../support/providers/fake.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { sampleNode } from '../support/temp-store.ts';

const DAY = 86_400_000;
const GB = 1_000_000_000;
const EUR = { amount: 1000, currency: 'EUR' };

let folder = '';
let shop: Shop;
let provider: { readonly id: number; readonly fake: FakeProvider };
let nodeId = 0;
/** A plan whose terms begin with the first connection. */
let held = 0;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-rows-'));
  shop = await openShop(folder);
  provider = await shop.add('stripe');
  nodeId = shop.panel().store.nodes.insert(sampleNode({ name: 'Node', kind: 'remote' }));
  const plan = await shop
    .panel()
    .act('createTariff', { name: 'Held', duration: { months: 1 }, starts: 'on_first_use' });
  held = plan.id;
});
afterEach(async () => {
  await shop[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

type Row = Readonly<Record<string, unknown>>;
type Rows = Readonly<Record<'user' | 'grants' | 'tags' | 'inbounds' | 'credentials', readonly Row[]>>;

/**
 * Every row about a user, without what each change moves: the ETag and its time, where in the log of nodes the user was cut off last, and that the event
 * `user.traffic_low` was emitted.
 */
function readRows(id: number): Rows {
  const db = new Database(shop.panel().database, { readonly: true });
  try {
    const all = (sql: string) => db.prepare<[number], Row>(sql).all(id);
    const [user] = all('SELECT * FROM users WHERE id = ?');
    const { updated_at: _at, version: _version, announced, ...rest } = user ?? {};
    const row = Object.fromEntries(
      Object.entries(rest).filter(([name]) => !/^cut_(change|node_id|up|down)$/.test(name)),
    );
    return {
      user: [{ ...row, expired_announced: Number(announced) & 1 }],
      grants: all('SELECT * FROM grants WHERE user_id = ? ORDER BY id'),
      tags: all('SELECT * FROM user_tags WHERE user_id = ? ORDER BY tag'),
      inbounds: all('SELECT * FROM user_inbounds WHERE user_id = ? ORDER BY inbound_id'),
      credentials: all('SELECT * FROM user_credentials WHERE user_id = ? ORDER BY family'),
    };
  } finally {
    db.close();
  }
}

const panel = () => shop.panel();
const at = (days: number) => new Date(shop.clock.now() + days * DAY).toISOString();
const move = (userId: number, up: number, down: number) =>
  panel().move({ nodeId, total: { up, down }, users: [{ userId, up, down }], inbounds: [] });
const offer = async (tariff_id: number, sold: Sold, more: object = {}) =>
  (
    await panel().act('createOffer', {
      tariff_id,
      name: 'Sold',
      sold,
      prices: [EUR],
      on_sale: true,
      ...more,
    })
  ).id;
const promo = (effect: Input<'createPromo'>['effect']) => panel().act('createPromo', { code: 'AUTUMN', effect });

/** A user in each state, with traffic, grants of both kinds and all that is announced. */
const STATES: Readonly<Record<string, { readonly plan?: object; make(userId: number): Promise<unknown> | unknown }>> = {
  'whose term runs': {
    plan: { expires_at: '2027-06-01T10:00:00.000Z' },
    make: (id) => move(id, 3 * GB, GB),
  },
  'whose term ends tomorrow': {
    plan: { expires_at: '2026-12-21T09:00:00.000Z' },
    make: () => {},
  },
  'whose term ended': { plan: { expires_at: '2026-12-01T10:00:00.000Z' }, make: () => {} },
  'whose term and period ended': {
    plan: { expires_at: '2026-12-19T10:00:00.000Z', reset_strategy: 'period' },
    make: () => {},
  },
  'whose traffic is used up': {
    plan: { expires_at: '2027-06-01T10:00:00.000Z', reset_strategy: 'month' },
    make: (id) => move(id, 20 * GB, 20 * GB),
  },
  'who has not connected': { make: () => {} },
  'who is disabled': {
    plan: { expires_at: '2027-06-01T10:00:00.000Z' },
    make: (id) => panel().act('updateUser', { id, enabled: false }),
  },
};

const isHeld = (state: keyof typeof STATES) => state === 'who has not connected';

async function makeUser(name: string, state: keyof typeof STATES, more: object = {}): Promise<number> {
  const { id } = await panel().act('createUser', {
    name,
    tariff_id: isHeld(state) ? held : shop.tariffId,
    device_limit: 3,
    traffic_limit: 10 * GB,
    tags: ['a', 'b'],
    ...STATES[state]?.plan,
    ...more,
  });
  await panel().act('createGrant', { id, bytes: 5 * GB, lifetime: 'period' });
  await panel().act('createGrant', { id, bytes: 2 * GB, lifetime: 'days', days: 60 });
  // With its traffic a term begins.
  if (!isHeld(state)) move(id, 6 * GB, 5 * GB);
  return id;
}

/** What is sold to a user, and whether one in this state can have it. */
const KINDS: Readonly<
  Record<string, { readonly sold: Sold; readonly effect?: Input<'createPromo'>['effect']; readonly more?: object }>
> = {
  days: { sold: { kind: 'days', days: 30 } },
  months: { sold: { kind: 'months', months: 3 } },
  'traffic until it is used up': { sold: { kind: 'traffic', bytes: 20 * GB, lifetime: 'used' } },
  'traffic until the next reset': { sold: { kind: 'traffic', bytes: 20 * GB, lifetime: 'period' } },
  'traffic for days': { sold: { kind: 'traffic_days', bytes: 20 * GB, days: 9 } },
  'a free trial': { sold: { kind: 'days', days: 3 }, more: { trial: true, prices: [] } },
  'a free trial of traffic': {
    sold: { kind: 'traffic', bytes: GB, lifetime: 'used' },
    more: { trial: true, prices: [] },
  },
  'a code for a lower price': { sold: { kind: 'months', months: 1 }, effect: { kind: 'percent', percent: 20 } },
  'a code for days': { sold: { kind: 'months', months: 1 }, effect: { kind: 'days', days: 7 } },
  'a code for traffic': {
    sold: { kind: 'months', months: 1 },
    effect: { kind: 'traffic', bytes: 5 * GB, lifetime: 'period' },
  },
  'a code for traffic with traffic': {
    sold: { kind: 'traffic', bytes: GB, lifetime: 'used' },
    effect: { kind: 'traffic_days', bytes: 5 * GB, days: 9 },
  },
};

async function buy(userId: number, kind: keyof typeof KINDS): Promise<number> {
  const { sold = { kind: 'days', days: 1 }, effect, more } = KINDS[kind] ?? {};
  if (effect) await promo(effect);
  const { tariff_id: plan } = await panel().act('getUser', { id: userId });
  const made = await panel().act('createOrder', {
    user_id: userId,
    offer_id: await offer(plan ?? 0, sold, more),
    ...(effect && { promo_code: 'AUTUMN' }),
  });
  if (made.state === 'paid') return made.id;
  await panel().act('openOrder', { id: made.id, provider_id: provider.id, email: 'buyer@example.com' });
  provider.fake.pay(shop.getInvoiceToken(made.id));
  expect(await shop.pollOrder(made.id)).toMatchObject({ state: 'paid' });
  return made.id;
}

const preview = (id: number) => panel().act('previewRefund', { id });
const refund = (id: number) => panel().act('refundOrder', { id, password: PASSWORD });

/** What a preview says of the user as the rows after it say it. */
function expectForeseen(seen: Output<'previewRefund'>, before: Rows, after: Rows): void {
  const [was, is] = [before.user[0] ?? {}, after.user[0] ?? {}];
  const instant = (cell: unknown) => (cell === 9_000_000_000_000_000 ? null : new Date(Number(cell)).toISOString());
  const end = { from: instant(was.expires_at), to: instant(is.expires_at) };
  expect(seen.expires_at).toEqual(end.from === end.to ? null : end);
  const left = ({ grants }: Rows) => grants.reduce((sum, { bytes_left }) => sum + Number(bytes_left), 0);
  const gone = before.grants.filter(({ id }) => !after.grants.some((grant) => grant.id === id));
  expect(seen.bytes).toBe(gone.reduce((sum, { bytes_left }) => sum + Number(bytes_left), 0));
  expect(left(after)).toBeGreaterThanOrEqual(left(before) - seen.bytes);
  if (seen.hold !== null) expect(seen.hold).toEqual({ months: is.hold_months, days: is.hold_days });
  expect(seen.nothing).toBe(false);
}

describe.each(Object.keys(STATES))('of a user %s', (state) => {
  it.each(Object.keys(KINDS))('a refund of %s leaves the rows of before', async (kind) => {
    const id = await makeUser('Anna', state);
    shop.clock.advance(30 * DAY);
    await STATES[state]?.make(id);
    await shop.turn();
    const before = readRows(id);
    const order = await buy(id, kind);
    const bought = readRows(id);
    expect(bought).not.toEqual(before);
    const seen = await preview(order);
    await refund(order);
    expect(readRows(id)).toEqual(before);
    expectForeseen(seen, bought, before);
    // Nor does time make a difference.
    shop.clock.advance(DAY / 2);
    await shop.turn();
    expect((await panel().act('listAttention', {})).items).toEqual([]);
  });
});

describe('after an invitation', () => {
  it.each(Object.keys(STATES))('of a user %s, both have the rows of before', async (state) => {
    panel().store.write(() => panel().store.bot.save(BOT));
    await panel().act('saveReferrals', { on: true, referrer_days: 7, friend_days: 3, most_per_month: 2 });
    const boris = await makeUser('Boris', state, { telegram_id: 1001 });
    shop.clock.advance(30 * DAY);
    await STATES[state]?.make(boris);
    const link = (await panel().act('getUser', { id: boris })).sub_url?.split('/').at(-1) ?? '';
    const { url = '' } = (await panel().core.bot.friendLink(link)) ?? {};
    await panel().core.bot.refer((new URL(url).searchParams.get('start') ?? '').slice('ref_'.length), 2002);
    const anna = await makeUser('Anna', 'whose term runs', { telegram_id: 2002 });
    await shop.turn();
    const before = [readRows(boris), readRows(anna)];
    const order = await buy(anna, 'days');
    const [theirs, own] = [readRows(boris), readRows(anna)];
    expect(theirs).not.toEqual(before[0]);
    const seen = await preview(order);
    await refund(order);
    expect([readRows(boris), readRows(anna)]).toEqual(before);
    expectForeseen(seen, own, readRows(anna));
    expect(seen.referrer).toMatchObject({ id: boris, name: 'Boris' });
    expectForeseen({ ...seen, ...seen.referrer }, theirs, readRows(boris));
  });
});

describe('a user who changed since', () => {
  const RUNS = 'whose term runs';

  it('has used part of the term: its end is that of before, and the traffic stays counted', async () => {
    const id = await makeUser('Anna', RUNS, { expires_at: at(-1), reset_strategy: 'period' });
    const [before] = readRows(id).user;
    const order = await buy(id, 'days');
    shop.clock.advance(10 * DAY);
    move(id, GB, GB);
    const [used] = readRows(id).user;
    expect(used).toMatchObject({ used: 2 * GB });
    await refund(order);
    const [after] = readRows(id).user;
    expect(after).toMatchObject({
      expires_at: before?.expires_at,
      term_began_at: before?.term_began_at,
      resets_at: before?.resets_at,
      used: Number(before?.used) + 2 * GB,
      total_up: used?.total_up,
      extra: before?.extra,
      state: 'expired',
    });
  });

  it('has used part of the traffic: what is left goes', async () => {
    const id = await makeUser('Anna', RUNS);
    const before = readRows(id);
    const order = await buy(id, 'traffic for days');
    move(id, 4 * GB, 0);
    const bought = readRows(id);
    const seen = await preview(order);
    expect(seen).toMatchObject({ bytes: 16 * GB, bytes_used: 4 * GB });
    await refund(order);
    const after = readRows(id);
    expectForeseen(seen, bought, after);
    expect(after.grants).toEqual(before.grants);
    expect(after.user[0]).toMatchObject({ used: Number(before.user[0]?.used) + 4 * GB });
  });

  it('was extended by hand: only the time of the order goes', async () => {
    const id = await makeUser('Anna', RUNS);
    const order = await buy(id, 'days');
    await panel().act('extendUser', { id, days: 11 });
    const bought = readRows(id);
    const seen = await preview(order);
    await refund(order);
    expectForeseen(seen, bought, readRows(id));
    expect((await panel().act('getUser', { id })).expires_at).toBe('2027-06-12T10:00:00.000Z');
  });

  it.each([
    [
      'another plan',
      async (id: number) => {
        const other = await panel().act('createTariff', { name: 'Other', duration: { months: 6 } });
        await panel().act('updateUser', { id, tariff_id: other.id });
      },
    ],
    [
      'another term after the end of the one that was bought',
      async (id: number) => {
        shop.clock.advance(300 * DAY);
        await panel().act('extendUser', { id, days: 40 });
      },
    ],
    ['a term without an end', (id: number) => panel().act('updateUser', { id, expires_at: null })],
  ] as const)('has %s: nothing of it goes', async (_, change) => {
    const id = await makeUser('Anna', RUNS);
    const order = await buy(id, 'days');
    await change(id);
    const before = readRows(id);
    expect(await preview(order)).toMatchObject({ expires_at: null, hold: null, nothing: true });
    await refund(order);
    expect(readRows(id)).toEqual(before);
  });

  it.each([
    [
      'a term after the end of the one that the order made longer before it began',
      async (id: number) => {
        move(id, GB, GB);
        shop.clock.advance(300 * DAY);
        await panel().act('extendUser', { id, days: 40 });
      },
    ],
    [
      'another plan, whose term waits for its beginning as well',
      async (id: number) => {
        shop.clock.advance(DAY);
        const other = await panel().act('createTariff', {
          name: 'Other',
          duration: { months: 2 },
          starts: 'on_first_use',
        });
        await panel().act('updateUser', { id, tariff_id: other.id });
      },
    ],
  ] as const)('has %s: nothing of it goes', async (_, change) => {
    const id = await makeUser('Anna', 'who has not connected');
    const order = await buy(id, 'months');
    await change(id);
    await shop.turn();
    const before = readRows(id);
    expect(await preview(order)).toMatchObject({ expires_at: null, nothing: true });
    await refund(order);
    expect(readRows(id)).toEqual(before);
  });

  it('has connected: the time of the order goes from the term that began with that, and renewed before its end', async () => {
    const id = await makeUser('Anna', 'who has not connected');
    const order = await buy(id, 'months');
    move(id, GB, GB);
    await panel().act('extendUser', { id, days: 40 });
    await refund(order);
    // A month of the plan and 40 days are left; the order was asked about for 31 s.
    expect((await panel().act('getUser', { id })).expires_at).toBe('2027-01-29T11:00:31.000Z');
  });

  it('was deleted: the days for the invitation go all the same', async () => {
    panel().store.write(() => panel().store.bot.save(BOT));
    await panel().act('saveReferrals', { on: true, referrer_days: 7, friend_days: 3, most_per_month: 2 });
    const boris = await makeUser('Boris', RUNS, { telegram_id: 1001 });
    const before = readRows(boris);
    const link = (await panel().act('getUser', { id: boris })).sub_url?.split('/').at(-1) ?? '';
    const { url = '' } = (await panel().core.bot.friendLink(link)) ?? {};
    await panel().core.bot.refer((new URL(url).searchParams.get('start') ?? '').slice('ref_'.length), 2002);
    const anna = await makeUser('Anna', RUNS, { telegram_id: 2002 });
    const order = await buy(anna, 'days');
    await panel().act('deleteUser', { id: anna });
    const seen = await preview(order);
    expect(seen).toMatchObject({ expires_at: null, nothing: false, referrer: { name: 'Boris' } });
    const bought = readRows(boris);
    await refund(order);
    expect(readRows(boris)).toEqual(before);
    expectForeseen({ ...seen, ...seen.referrer }, bought, before);
  });
});
