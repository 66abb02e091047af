// Each adapter against a fake of its provider with every fault: opened once, read exactly, caught up with, and no secret in what it answers.
import { afterEach, describe, expect, it } from 'vitest';
import { createTestClock, createTestTimers } from '../../tests/support/clock.ts';
import { openCryptoPay } from '../../tests/support/providers/crypto-pay.ts';
import type { FakeProvider } from '../../tests/support/providers/fake.ts';
import { openHeleket } from '../../tests/support/providers/heleket.ts';
import { openStars } from '../../tests/support/providers/stars.ts';
import { openStripe } from '../../tests/support/providers/stripe.ts';
import { openYookassa } from '../../tests/support/providers/yookassa.ts';
import { createOutboundAgent } from '../adapters/outbound-agent.ts';
import { createOutboundClient } from '../adapters/outbound-client.ts';
import { PROVIDER_FIELDS, type ProviderKind } from '../contract/sales/providers.ts';
import type { InvoiceRequest, ProviderAccess, ProviderPayment } from '../core/ports/providers.ts';
import { CLIENT_BOUNDS, createProviders } from './providers.ts';

const NOW = Date.UTC(2026, 10, 20, 1);
const FAKES: Readonly<Record<ProviderKind, { open(): Promise<FakeProvider>; readonly currency: string }>> = {
  stars: { open: openStars, currency: 'XTR' },
  crypto_pay: { open: openCryptoPay, currency: 'EUR' },
  yookassa: { open: openYookassa, currency: 'RUB' },
  stripe: { open: openStripe, currency: 'USD' },
  heleket: { open: openHeleket, currency: 'USD' },
};
const KINDS = Object.keys(FAKES) as ProviderKind[];

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function stage(kind: ProviderKind) {
  const { open, currency } = FAKES[kind];
  const fake = await open();
  const limits = createTestTimers();
  const client = createOutboundClient({
    timers: limits,
    ...CLIENT_BOUNDS,
    proxyAgent: async (...to) => createOutboundAgent(...to),
  });
  // Pauses between requests end at once.
  const timers = {
    after(_ms: number, work: () => void) {
      queueMicrotask(work);
      return () => undefined;
    },
  };
  const providers = createProviders({ client, clock: createTestClock(NOW), timers });
  closers.push(providers.close, () => fake[Symbol.asyncDispose]());
  const access: ProviderAccess = {
    id: 1,
    kind,
    isTest: false,
    apiRoot: fake.root,
    allowPrivate: true,
    proxy: null,
    fields: fake.fields,
  };
  const requestOf = (name: string, isRetry = false): InvoiceRequest => ({
    token: `order_${name}_0123456789`,
    idempotencyKey: `key_${name}`,
    price: { amount: 14_950, currency },
    title: 'A month of everything, with a name that is longer than some providers take',
    returnUrl: 'https://panel.example/sub/abc',
    hookUrl: null,
    contact: { email: null, phone: null },
    isRetry,
  });
  const answers: unknown[] = [];
  const noted = async <T extends object>(answer: Promise<T>) => {
    const given = await answer;
    answers.push(given);
    return given;
  };
  /** The payment of an order, from the list where the provider has no other way. */
  const payments = async (name: string): Promise<readonly ProviderPayment[]> => {
    const { token } = requestOf(name);
    const invoice = fake.invoices.find((one) => one.token === token);
    const externalId = kind === 'stars' ? null : (invoice?.id ?? null);
    if (kind !== 'stars') return good(await noted(providers.read(access, { externalId, token }))).payments;
    return (await list()).filter((payment) => payment.externalId === `charge_${invoice?.id}`);
  };
  const list = async (cursor: string | null = null): Promise<readonly ProviderPayment[]> => {
    const page = good(await noted(providers.since(access, cursor)));
    return page.hasMore ? [...page.payments, ...(await list(page.cursor))] : page.payments;
  };
  return { fake, providers, access, requestOf, payments, list, noted, answers, limits, currency };
}

function good<T extends object>(answer: T): Exclude<T, { readonly error: unknown }> {
  if ('error' in answer) throw new Error(`failed: ${String(answer.error)}`);
  return answer as Exclude<T, { readonly error: unknown }>;
}

it('is reached by the proxy that its account has, which looks its name up', async () => {
  const { fake, providers, access } = await stage('stars');
  const proxied = { ...access, apiRoot: 'http://api.invalid', proxy: fake.root };
  expect(await providers.probe(proxied)).toEqual({ account: '@shop_bot', isTest: null });
  expect(await providers.probe({ ...proxied, proxy: null })).toMatchObject({ error: 'host_unknown' });
});

describe.each(KINDS)('%s', (kind) => {
  it('knows good keys from bad ones', async () => {
    const { fake, providers, access } = await stage(kind);
    expect(good(await providers.probe(access)).account).not.toBe('');
    for (const { name, isSecret, isRequired } of PROVIDER_FIELDS[kind]) {
      if (!isSecret || !isRequired) continue;
      const fields = { ...fake.fields, [name]: '1:wrong' };
      expect(await providers.probe({ ...access, fields })).toEqual({
        error: 'unauthorized',
        retryAfterMs: 0,
        isUnclear: false,
      });
    }
  });

  it('opens an invoice, sees it paid to the last digit, and given back', async () => {
    const { fake, providers, access, requestOf, payments, currency } = await stage(kind);
    const invoice = good(await providers.open(access, requestOf('a')));
    expect(invoice.payUrl).toMatch(/^https:\/\//);
    expect(invoice.externalId).toBe(kind === 'stars' ? null : fake.invoices[0]?.id);
    expect((await payments('a')).map(({ state }) => state)).toEqual(kind === 'stars' ? [] : ['open']);
    fake.pay(requestOf('a').token);
    expect(await payments('a')).toMatchObject([
      {
        token: requestOf('a').token,
        state: 'paid',
        paid: { amount: 14_950, currency },
        refunded: 0,
        isTest: kind === 'yookassa' || kind === 'stripe',
      },
    ]);
    if (kind === 'crypto_pay') return;
    fake.refund(requestOf('a').token);
    expect((await payments('a')).at(-1)).toMatchObject({ state: 'refunded', refunded: 14_950 });
  });

  it('repeats with the same key after an unclear answer, and no second invoice is made', async () => {
    const { fake, providers, access, requestOf } = await stage(kind);
    const path = { stars: 'createInvoiceLink', crypto_pay: 'createInvoice', stripe: 'sessions' };
    const of = kind in path ? path[kind as keyof typeof path] : '/payment';
    for (const fault of ['late', 'cut'] as const) {
      fake.fail(of, fault);
      expect(await providers.open(access, requestOf(fault))).toMatchObject({ isUnclear: true });
      expect(good(await providers.open(access, requestOf(fault, true))).payUrl).toMatch(/^https:/);
    }
    // The Bot API knows no keys: the order decides which of two links counts.
    expect(fake.invoices).toHaveLength(kind === 'stars' ? 4 : 2);
  });

  it('says what went wrong, and nothing of what was sent', async () => {
    const { fake, providers, access, requestOf, noted, answers, limits } = await stage(kind);
    const open = () => noted(providers.open(access, requestOf('a')));
    fake.fail('', 'busy', 'down', 'garbage', 'endless', 'silent');
    expect(await open()).toMatchObject({ error: 'rate_limited', isUnclear: false });
    expect(await open()).toMatchObject({ error: 'unavailable', isUnclear: true });
    expect(await open()).toMatchObject({ error: 'malformed', isUnclear: true });
    expect(await open()).toMatchObject({ error: 'malformed', isUnclear: true });
    const silent = open();
    await expect.poll(() => fake.requests.length).toBe(5);
    limits.expire();
    expect(await silent).toMatchObject({ error: 'timeout', isUnclear: true });
    await noted(providers.since({ ...access, apiRoot: 'http://127.0.0.1:1' }, null));
    await noted(providers.probe({ ...access, fields: {} }));
    const text = JSON.stringify(answers);
    for (const { name, isSecret } of PROVIDER_FIELDS[kind])
      if (isSecret) expect(text).not.toContain(fake.fields[name] ?? 'missing');
  });

  it('catches up with what happened while it was not asked, without the buyer', async () => {
    const { fake, providers, access, requestOf, list } = await stage(kind);
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) good(await providers.open(access, requestOf(name)));
    const before = await list();
    expect(before.filter(({ state }) => state === 'paid')).toEqual([]);
    for (const name of names.toReversed()) fake.pay(requestOf(name).token);
    const found = await list();
    const tokens = new Set(found.filter(({ state }) => state === 'paid').map(({ token }) => token));
    expect([...tokens].sort()).toEqual(names.map((name) => requestOf(name).token));
    expect(JSON.stringify(found)).not.toMatch(/4477|buyer@example/);
  });

  it('goes on from its cursor', async () => {
    const { fake, providers, access, requestOf } = await stage(kind);
    const read = async (from: string | null): Promise<{ cursor: string; tokens: (string | null)[] }> => {
      const page = good(await providers.since(access, from));
      const tokens = page.payments.filter(({ state }) => state === 'paid').map(({ token }) => token);
      if (!page.hasMore) return { cursor: page.cursor, tokens };
      const rest = await read(page.cursor);
      return { cursor: rest.cursor, tokens: [...tokens, ...rest.tokens] };
    };
    for (const name of ['a', 'b', 'c']) good(await providers.open(access, requestOf(name)));
    fake.pay(requestOf('a').token);
    const first = await read(null);
    expect(first.tokens).toEqual([requestOf('a').token]);
    fake.pay(requestOf('b').token);
    fake.pay(requestOf('c').token);
    expect((await read(first.cursor)).tokens).toEqual(
      expect.arrayContaining(['b', 'c'].map((name) => requestOf(name).token)),
    );
  });
});

describe.each(['stars', 'yookassa', 'stripe'] as const)('%s', (kind) => {
  it('gives money back once, however often it is asked', async () => {
    const { fake, providers, access, requestOf, payments, currency } = await stage(kind);
    good(await providers.open(access, requestOf('a')));
    fake.pay(requestOf('a').token);
    const [payment] = await payments('a');
    const refund = {
      externalId: payment?.externalId ?? '',
      buyer: payment?.buyer ?? null,
      price: { amount: 14_950, currency },
      idempotencyKey: 'refund_a',
    };
    fake.fail('efund', 'late');
    expect(await providers.refund(access, refund)).toMatchObject({ isUnclear: true });
    expect(await providers.refund(access, refund)).toMatchObject({ isDone: true });
    expect((await payments('a')).at(-1)).toMatchObject({ state: 'refunded', refunded: 14_950 });
  });
});

it.each(['crypto_pay', 'heleket'] as const)('%s has no way to give money back', async (kind) => {
  const { providers, access } = await stage(kind);
  const price = { amount: 1, currency: 'USD' };
  const refund = { externalId: '1', buyer: null, price, idempotencyKey: 'k' };
  expect(await providers.refund(access, refund)).toMatchObject({ error: 'unsupported' });
});

it.each(['crypto_pay', 'yookassa', 'stripe', 'heleket'] as const)(
  '%s is looked up by the order alone',
  async (kind) => {
    const { fake, providers, access, requestOf } = await stage(kind);
    for (const name of ['a', 'b', 'c']) good(await providers.open(access, requestOf(name)));
    fake.expire(requestOf('b').token);
    const asked = (name: string) => providers.read(access, { externalId: null, token: requestOf(name).token });
    expect(good(await asked('a')).payments).toMatchObject([{ state: 'open', token: requestOf('a').token }]);
    expect(good(await asked('b')).payments).toMatchObject([{ state: 'expired' }]);
    expect(good(await asked('none')).payments).toEqual([]);
  },
);

it('too little of coins is a payment of nothing, which a person looks at', async () => {
  const { fake, providers, access, requestOf, payments } = await stage('heleket');
  good(await providers.open(access, requestOf('a')));
  fake.pay(requestOf('a').token, 'short');
  expect(await payments('a')).toMatchObject([{ state: 'paid', paid: { amount: 0 } }]);
});

it('is told where it may report to, with each invoice, where that is on', async () => {
  const { fake, providers, access, requestOf } = await stage('heleket');
  const hookUrl = 'https://panel.example/sub/hook/abc';
  good(await providers.open(access, { ...requestOf('a'), hookUrl }));
  good(await providers.open(access, requestOf('b')));
  const urls = fake.requests.map(({ raw }) => JSON.parse(raw).url_callback);
  expect(urls).toEqual([hookUrl, undefined]);
});

it('the requests of one account wait for one another, those of another do not', async () => {
  const { fake, providers, access } = await stage('stars');
  fake.fail('getMe', 'silent');
  const waits = providers.probe(access);
  const next = providers.probe(access);
  await expect.poll(() => fake.requests.length).toBe(1);
  expect(good(await providers.probe({ ...access, id: 2 })).account).toBe('@shop_bot');
  expect(fake.requests).toHaveLength(2);
  providers.close();
  expect([await waits, await next]).toMatchObject([{ error: 'stopped' }, { error: 'stopped' }]);
});

it('yookassa refuses a payment without a contact for its receipt', async () => {
  const { fake, providers, access, requestOf } = await stage('yookassa');
  const { receipt_contact: _contact, ...fields } = fake.fields;
  expect(await providers.open({ ...access, fields }, requestOf('a'))).toMatchObject({
    error: 'refused',
    isUnclear: false,
  });
  const contact = { email: null, phone: '+79990000000' };
  good(await providers.open({ ...access, fields }, { ...requestOf('a'), contact, idempotencyKey: 'second' }));
  expect(JSON.parse(fake.requests.at(-1)?.raw ?? '').receipt.customer).toEqual({ phone: '79990000000' });
});
