// SIGKILL at random moments of a panel that sells at all five providers, which fail, answer late, and report in any order and twice: what was paid there is
// applied once, all of it, whenever the panel ended, and also where it slept for a month in between.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { createTestClock, createTestTimers } from '../support/clock.ts';
import { times } from '../support/long.ts';
import { PASSWORD, startPanel } from '../support/panel.ts';
import { openCryptoPay } from '../support/providers/crypto-pay.ts';
import { advanceClock, type FakeProvider, type Fault } from '../support/providers/fake.ts';
import { openHeleket } from '../support/providers/heleket.ts';
import { openStars } from '../support/providers/stars.ts';
import { openStripe } from '../support/providers/stripe.ts';
import { openYookassa } from '../support/providers/yookassa.ts';

const KILLS = times(6, 300);
const ORDERS = times(25, 1000);
const END = '2030-01-01T00:00:00.000Z';
const PAID_END = '2030-01-31T00:00:00.000Z';
const PRICES = [
  { amount: 499, currency: 'EUR' },
  { amount: 250, currency: 'XTR' },
  { amount: 45_000, currency: 'RUB' },
];
const FAULTS: readonly Fault[] = ['late', 'busy', 'cut', 'down', 'garbage'];
const HOUR = 3_600_000;
/** The day of what the providers say. */
const BEGIN = Date.parse('2026-11-20T10:00:00Z');
const started = Date.now();
const MONTH = 30 * 24 * HOUR;
let slept = 0;
const now = () => BEGIN + Date.now() - started + slept;

const END_WITH_PARENT = pathToFileURL(join(import.meta.dirname, '..', 'support', 'end-with-parent.ts')).href;
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-provider-kill-'));
const fakes: FakeProvider[] = [];
afterEach(async () => {
  advanceClock(-slept);
  for (const fake of fakes) await fake[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

function startVictim(): ChildProcess {
  const args = ['--import', END_WITH_PARENT, join(import.meta.dirname, 'provider-victim.ts'), folder, String(now())];
  return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}

/** By which each provider reports. */
const hookTokens = new Map<FakeProvider, string>();

/** Users who each have an order that is not opened. */
async function openShop(): Promise<void> {
  await using panel = await startPanel({ folder, clock: createTestClock(BEGIN) });
  const { act } = panel;
  await act('updateSettings', { selling: true });
  for (const fake of fakes) {
    const { kind, fields, root } = fake;
    const account = { kind, name: kind, fields, api_root: root, allow_private: true, password: PASSWORD };
    const { id } = await act('createProvider', account);
    if (kind === 'stars') continue;
    const { hook_url: url } = await act('setProviderHook', { id, enabled: true });
    hookTokens.set(fake, url?.split('/').at(-1) ?? '');
  }
  const plan = await act('createTariff', { name: 'Month', duration: { months: 1 } });
  const sold = { kind: 'days', days: 30 } as const;
  const offer = await act('createOffer', { tariff_id: plan.id, name: '30 days', sold, prices: PRICES, on_sale: true });
  for (let count = 0; count < ORDERS; count += 1) {
    const user = await act('createUser', { name: `User ${count}`, tariff_id: plan.id, expires_at: END });
    await act('createOrder', { user_id: user.id, offer_id: offer.id });
  }
}

it(`loses and doubles nothing in ${KILLS} kills at five providers`, async () => {
  fakes.push(await openStars(), await openCryptoPay(), await openYookassa(), await openStripe(), await openHeleket());
  await openShop();
  /** Tokens that were met. */
  const seen = new Set<string>();
  /** Expired, and paid all the same some rounds later. */
  const late: { readonly fake: FakeProvider; readonly token: string; readonly round: number }[] = [];
  /** Webhooks that were taken as hints. */
  let taken = 0;
  let ticks = 0;
  /** Requests when a fault was last chosen: one that no request meets stays for the next request, so there are no more than requests. */
  let asked = 0;
  const progress = () => fakes.reduce((sum, { requests }) => sum + requests.length, 0);
  /** Webhooks about what was paid, the newest first, each twice: the panel that runs may end over any of them. */
  const report = (child: ChildProcess, paid: readonly { readonly fake: FakeProvider; readonly token: string }[]) => {
    for (const { fake, token } of paid.toReversed()) {
      const hook = { token: hookTokens.get(fake), ...fake.hook(token) };
      if (hook.token !== undefined) for (const one of [hook, hook]) child.send(one, () => {});
    }
  };
  const buy = (round: number, isLast = false) => {
    const paid: { readonly fake: FakeProvider; readonly token: string }[] = [];
    const pay = (fake: FakeProvider, token: string) => {
      fake.pay(token);
      paid.push({ fake, token });
    };
    const isAsked = progress() > asked;
    asked = progress();
    for (const [at, fake] of fakes.entries()) {
      for (const { token, state } of fake.invoices) {
        if (seen.has(token) || state !== 'open') continue;
        seen.add(token);
        if (isLast || seen.size % 4 !== 0) pay(fake, token);
        else {
          fake.expire(token);
          late.push({ fake, token, round: round + 1 + (seen.size % 3) });
        }
      }
      ticks += 1;
      const fault = FAULTS[ticks % FAULTS.length];
      if (!isLast && isAsked && fault !== undefined && ticks % 7 === at) fake.fail('', fault);
    }
    for (const one of late.splice(0)) {
      if (one.round <= round || isLast) pay(one.fake, one.token);
      else late.push(one);
    }
    return paid;
  };
  for (let round = 0; round < KILLS; round += 1) {
    // What was still to be paid is paid while it sleeps.
    if (round === Math.floor(KILLS / 2)) {
      buy(round, true);
      slept = MONTH;
      advanceClock(MONTH);
    }
    const child = startVictim();
    child.on('message', () => {
      taken += 1;
    });
    const until = progress() + 2 + ((round * 5) % 17);
    while (progress() < until && child.exitCode === null) {
      report(child, buy(round));
      await wait(2);
    }
    child.kill('SIGKILL');
    await once(child, 'close');
  }

  // The rest of them, by a panel whose time goes faster.
  const clock = createTestClock(now() + HOUR);
  await using panel = await startPanel({ folder, clock, timers: createTestTimers() });
  const { act, core, store } = panel;
  const providers = (await act('listProviders', {})).items;
  const open = async () => {
    for (const state of ['opening', 'new', 'failed', 'expired'] as const)
      for (const { id } of (await act('listOrders', { state, limit: 500 })).items)
        await act('openOrder', {
          id,
          provider_id: providers[id % providers.length]?.id ?? 0,
          email: 'buyer@example.com',
        }).catch(() => null);
  };
  const unpaid = async () => ORDERS - (await act('listOrders', { state: 'paid', limit: 1 })).total;
  for (let turn = 0; turn < 40 && (await unpaid()) > 0; turn += 1) {
    await open();
    buy(KILLS, true);
    clock.advance(HOUR + 1000);
    await core.catchUp();
  }
  expect(await unpaid()).toBe(0);
  // What was paid after its order was paid otherwise is known too.
  for (let turn = 0; turn < 20; turn += 1) {
    clock.advance(HOUR + 1000);
    await core.catchUp();
  }
  const paid = new Set(
    fakes.flatMap(({ invoices }) => invoices.filter(({ state }) => state === 'paid').map(({ token }) => token)),
  );
  const payments = providers.flatMap(({ id }) => store.payments.paidBetween(id, 0, Number.MAX_SAFE_INTEGER));
  expect(payments).toHaveLength(paid.size);
  const applied = payments.filter(({ state }) => state === 'applied');
  expect(applied).toHaveLength(ORDERS);
  expect(new Set(applied.map(({ orderId }) => orderId)).size).toBe(ORDERS);
  const waiting = payments.filter(({ state }) => state !== 'applied').map(({ reason }) => reason);
  expect(new Set(waiting).size <= 1 && waiting.every((reason) => reason === 'paid_twice')).toBe(true);
  expect(store.events.after(0, 2 * ORDERS, ['user.extended'])).toHaveLength(ORDERS);
  const ends = store.users.rows(store.users.ids({}, clock.now())).map(({ expiresAt }) => expiresAt);
  expect(new Set(ends)).toEqual(new Set([Date.parse(PAID_END)]));
  expect(ends).toHaveLength(ORDERS);
  for (const { kind, invoices } of fakes) expect(invoices.length, kind).toBeGreaterThan(0);
  expect(taken).toBeGreaterThan(0);
}, 3_600_000);
