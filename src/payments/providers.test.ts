// Each adapter against a fake of its provider with every fault: opens an invoice once, reads amounts exactly, catches up, leaks no secret.
import Stripe from 'stripe';
import { afterEach, describe, expect, it } from 'vitest';
import { charged } from '../../tests/support/charged.ts';
import { createTestClock, createTestTimers } from '../../tests/support/clock.ts';
import { openCryptoPay } from '../../tests/support/providers/crypto-pay.ts';
import type { FakeProvider } from '../../tests/support/providers/fake.ts';
import { openHeleket } from '../../tests/support/providers/heleket.ts';
import { openStars } from '../../tests/support/providers/stars.ts';
import { openStripe } from '../../tests/support/providers/stripe.ts';
import { openYookassa } from '../../tests/support/providers/yookassa.ts';
import { createOutboundAgent } from '../adapters/outbound-agent.ts';
import { createOutboundClient } from '../adapters/outbound-client.ts';
import { CURRENCIES, minorDigits } from '../contract/currencies.ts';
import { PROVIDER_FIELDS, type ProviderKind } from '../contract/sales/providers.ts';
import type {
  Invoice,
  InvoiceRequest,
  PaymentPage,
  ProviderAccess,
  ProviderFailure,
  ProviderPayment,
} from '../core/ports/providers.ts';
import { acceptsPrice, toDecimal } from '../domain/sales/money.ts';
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
  // No pauses between requests.
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
  const buildRequest = (name: string, isRetry = false): InvoiceRequest => ({
    token: `gh_${name}_0123456789`,
    idempotencyKey: `key_${name}`,
    price: { amount: 14_950, currency },
    title: 'A month of everything, with a name that is longer than some providers take',
    returnUrl: 'https://panel.example/sub/abc',
    hookUrl: null,
    email: 'buyer@example.com',
    isRetry,
  });
  const answers: unknown[] = [];
  const noted = async <T extends object>(answer: Promise<T>) => {
    const given = await answer;
    answers.push(given);
    return given;
  };
  /** The payment of an order, read from the list if the provider has no call for one payment. */
  const payments = async (name: string): Promise<readonly ProviderPayment[]> => {
    const { token } = buildRequest(name);
    const invoice = fake.invoices.find((one) => one.token === token);
    const externalId = kind === 'stars' ? null : (invoice?.id ?? null);
    if (kind !== 'stars') return good(await noted(providers.read(access, { externalId, token }))).payments;
    return (await list()).filter((payment) => payment.externalId === `charge_${invoice?.id}`);
  };
  const list = async (cursor: string | null = null): Promise<readonly ProviderPayment[]> => {
    const page = good(await noted(providers.since(access, cursor)));
    return page.hasMore ? [...page.payments, ...(await list(page.cursor))] : page.payments;
  };
  return { fake, providers, access, buildRequest, payments, list, noted, answers, limits, currency };
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
      expect(await providers.probe({ ...access, fields })).toMatchObject({
        error: 'unauthorized',
        retryAfterMs: 0,
        isUnclear: false,
      });
    }
  });

  it('opens an invoice, sees it paid to the last digit, and given back', async () => {
    const { fake, providers, access, buildRequest, payments, currency } = await stage(kind);
    const invoice = good(await providers.open(access, buildRequest('a')));
    expect(invoice.payUrl).toMatch(/^https:\/\//);
    expect(invoice.externalId).toBe(kind === 'stars' ? null : fake.invoices[0]?.id);
    expect((await payments('a')).map(({ state }) => state)).toEqual(kind === 'stars' ? [] : ['open']);
    fake.pay(buildRequest('a').token);
    expect(await payments('a')).toMatchObject([
      {
        token: buildRequest('a').token,
        state: 'paid',
        paid: { amount: 14_950, currency },
        refunded: 0,
        isTest: kind === 'yookassa' || kind === 'stripe',
      },
    ]);
    if (kind === 'crypto_pay') return;
    fake.refund(buildRequest('a').token);
    expect((await payments('a')).at(-1)).toMatchObject({ state: 'refunded', refunded: 14_950 });
  });

  it('repeats with the same key after an unclear answer, and no second invoice is made', async () => {
    const { fake, providers, access, buildRequest } = await stage(kind);
    const path = { stars: 'createInvoiceLink', crypto_pay: 'createInvoice', stripe: 'sessions' };
    const of = kind in path ? path[kind as keyof typeof path] : '/payment';
    for (const fault of ['late', 'cut'] as const) {
      fake.fail(of, fault);
      expect(await providers.open(access, buildRequest(fault))).toMatchObject({ isUnclear: true });
      expect(good(await providers.open(access, buildRequest(fault, true))).payUrl).toMatch(/^https:/);
    }
    // The Bot API has no idempotency keys: the order decides which of two links counts.
    expect(fake.invoices).toHaveLength(kind === 'stars' ? 4 : 2);
  });

  it('says what went wrong, and nothing of what was sent', async () => {
    const { fake, providers, access, buildRequest, noted, answers, limits } = await stage(kind);
    const open = () => noted(providers.open(access, buildRequest('a')));
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
    const { fake, providers, access, buildRequest, list } = await stage(kind);
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) good(await providers.open(access, buildRequest(name)));
    const before = await list();
    expect(before.filter(({ state }) => state === 'paid')).toEqual([]);
    for (const name of names.toReversed()) fake.pay(buildRequest(name).token);
    const found = await list();
    const tokens = new Set(found.filter(({ state }) => state === 'paid').map(({ token }) => token));
    expect([...tokens].sort()).toEqual(names.map((name) => buildRequest(name).token));
    expect(JSON.stringify(found)).not.toMatch(/4477|buyer@example/);
  });

  it('goes on from its cursor', async () => {
    const { fake, providers, access, buildRequest } = await stage(kind);
    const read = async (from: string | null): Promise<{ cursor: string; tokens: (string | null)[] }> => {
      const page = good(await providers.since(access, from));
      const tokens = page.payments.filter(({ state }) => state === 'paid').map(({ token }) => token);
      if (!page.hasMore) return { cursor: page.cursor, tokens };
      const rest = await read(page.cursor);
      return { cursor: rest.cursor, tokens: [...tokens, ...rest.tokens] };
    };
    for (const name of ['a', 'b', 'c']) good(await providers.open(access, buildRequest(name)));
    fake.pay(buildRequest('a').token);
    const first = await read(null);
    expect(first.tokens).toEqual([buildRequest('a').token]);
    fake.pay(buildRequest('b').token);
    fake.pay(buildRequest('c').token);
    expect((await read(first.cursor)).tokens).toEqual(
      expect.arrayContaining(['b', 'c'].map((name) => buildRequest(name).token)),
    );
  });
});

describe.each(['stars', 'yookassa', 'stripe'] as const)('%s', (kind) => {
  it('gives money back once, however often it is asked', async () => {
    const { fake, providers, access, buildRequest, payments, currency } = await stage(kind);
    good(await providers.open(access, buildRequest('a')));
    fake.pay(buildRequest('a').token);
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

/** From Crypto Pay's documentation; tests/payments compares them with its library. */
const CRYPTO_PAY_FIAT = 'USD EUR RUB BYN UAH GBP CNY KZT UZS GEL TRY AMD THB INR BRL IDR AZN AED PLN ILS KGS TJS'.split(
  ' ',
);

/** Whether a provider does not accept a currency. */
const NOT_TAKEN: Readonly<Record<ProviderKind, (currency: string) => boolean>> = {
  stars: (currency) => currency !== 'XTR',
  crypto_pay: (currency) => !CRYPTO_PAY_FIAT.includes(currency),
  yookassa: (currency) => currency !== 'RUB',
  // Units of account and Stars, which Stripe does not have.
  stripe: (currency) => ['XTR', 'IQD', 'LYD', 'CLF', 'UYW', 'UYI'].includes(currency),
  heleket: (currency) => currency === 'XTR',
};

it.each(KINDS)('%s charges the price to the last digit, and reports it so, in every currency', async (kind) => {
  const { fake, providers, access, buildRequest, payments, list, currency: usual } = await stage(kind);
  const sold = new Map<string, { readonly amount: number; readonly currency: string }>();
  for (const currency of CURRENCIES) {
    for (const amount of [1_234_567_800, 1]) {
      const price = { amount, currency };
      const name = `${currency}_${amount}`;
      const before = fake.requests.length;
      const opened = await providers.open(access, { ...buildRequest(name), price });
      if ('error' in opened) {
        expect(acceptsPrice(providers.facts(kind), price), name).toBe(false);
        expect(opened, name).toMatchObject({ error: 'unsupported', isUnclear: false });
        expect(fake.requests).toHaveLength(before);
        // Stripe accepts only whole units or multiples of ten in these currencies.
        const isPart = kind === 'stripe' && amount === 1 && (minorDigits(currency) === 3 || currency === 'MGA');
        const isSmall = amount < (providers.facts(kind).minimums[currency] ?? 0);
        expect(NOT_TAKEN[kind](currency) || isPart || isSmall, name).toBe(true);
        continue;
      }
      expect(NOT_TAKEN[kind](currency), name).toBe(false);
      const { token } = buildRequest(name);
      const invoice = fake.invoices.find((one) => one.token === token);
      expect(charged(kind, invoice?.amount ?? '', currency), name).toBe(charged('heleket', toDecimal(price), currency));
      fake.pay(token);
      const [paid] = await payments(name);
      expect(paid, name).toMatchObject({ state: 'paid', paid: price, refunded: 0 });
      sold.set(token, price);
      if (kind === 'crypto_pay' || kind === 'heleket') continue;
      const refund = { externalId: paid?.externalId ?? '', buyer: paid?.buyer ?? null, price, idempotencyKey: name };
      expect(await providers.refund(access, refund), name).toMatchObject({ isDone: true });
      expect((await payments(name)).at(-1), name).toMatchObject({ state: 'refunded', refunded: amount });
    }
  }
  expect([...sold.values()].map(({ currency }) => currency)).toContain(usual);
  const listed = (await list()).filter(({ state }) => state === 'paid' || state === 'refunded');
  expect(new Set(listed.map(({ token }) => token).filter((token) => token !== null))).toEqual(new Set(sold.keys()));
  for (const { token, paid } of listed) if (token !== null) expect(paid, token).toEqual(sold.get(token));
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
    const { fake, providers, access, buildRequest } = await stage(kind);
    for (const name of ['a', 'b', 'c']) good(await providers.open(access, buildRequest(name)));
    fake.expire(buildRequest('b').token);
    const asked = (name: string) => providers.read(access, { externalId: null, token: buildRequest(name).token });
    expect(good(await asked('a')).payments).toMatchObject([{ state: 'open', token: buildRequest('a').token }]);
    expect(good(await asked('b')).payments).toMatchObject([{ state: 'expired' }]);
    expect(good(await asked('none')).payments).toEqual([]);
  },
);

it('too little of coins is a payment of nothing, which a person looks at', async () => {
  const { fake, providers, access, buildRequest, payments } = await stage('heleket');
  good(await providers.open(access, buildRequest('a')));
  fake.pay(buildRequest('a').token, 'short');
  expect(await payments('a')).toMatchObject([{ state: 'paid', paid: { amount: 0 } }]);
});

it('is told where it may report to, with each invoice, where that is on', async () => {
  const { fake, providers, access, buildRequest } = await stage('heleket');
  const hookUrl = 'https://panel.example/sub/hook/abc';
  good(await providers.open(access, { ...buildRequest('a'), hookUrl }));
  good(await providers.open(access, buildRequest('b')));
  const urls = fake.requests.map(({ raw }) => JSON.parse(raw).url_callback);
  expect(urls).toEqual([hookUrl, undefined]);
});

it('stripe is asked as its own library asks, which sees the same refusals', async () => {
  await using fake = await openStripe(['checkout_session_write']);
  const { providers, access: other, buildRequest } = await stage('stripe');
  const access = { ...other, apiRoot: fake.root, fields: fake.fields };
  const opened = good(await providers.open(access, buildRequest('a')));
  fake.pay(buildRequest('a').token);
  const id = opened.externalId ?? '';
  const { hostname: host, port } = new URL(fake.root);
  const key = fake.fields.secret_key ?? '';
  const library = new Stripe(key, { host, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false });
  const asked = (from: number) =>
    fake.requests
      .slice(from)
      .map(({ method, path, query }) => `${method} ${path} ${decodeURIComponent(String(query))}`);

  const begin = fake.requests.length;
  const expand = ['payment_intent.latest_charge.refunds'];
  const forbidden = { type: 'StripePermissionError', statusCode: 403 };
  await expect(library.checkout.sessions.retrieve(id, { expand })).rejects.toMatchObject(forbidden);
  expect(await library.checkout.sessions.retrieve(id)).toMatchObject({ payment_status: 'paid' });
  const theirs = asked(begin);
  const missing = ['charges_read'];
  const read = good(await providers.read(access, { externalId: id, token: buildRequest('a').token }));
  expect(read).toMatchObject({ payments: [{ state: 'paid', paid: { amount: 14_950, currency: 'USD' } }], missing });
  // The library numbers the members of `expand`.
  expect(asked(begin + theirs.length)).toEqual(theirs.map((request) => request.replace('[0]', '[]')));
  await expect(library.events.list({ limit: 1 })).rejects.toMatchObject(forbidden);
  expect(await providers.since(access, null)).toMatchObject({ error: 'forbidden', missing: ['events_read'] });

  await expect(library.refunds.create({ payment_intent: 'pi_none' })).rejects.toMatchObject(forbidden);
  const all = [...missing, 'refunds_write', 'events_read'];
  expect(await providers.probe(access)).toMatchObject({ error: 'forbidden', missing: all });
  fake.granted.add('charge_write').add('event_read');
  // A request that names no object is refused for that reason only.
  const unknown = { type: 'StripeInvalidRequestError' };
  await expect(library.refunds.create({ payment_intent: 'pi_none' })).rejects.toMatchObject(unknown);
  await expect(library.checkout.sessions.expire('cs_none')).rejects.toMatchObject(unknown);
  expect(await providers.probe(access)).toMatchObject({ isTest: true });
  expect(fake.invoices).toMatchObject([{ state: 'paid', refunded: '0' }]);
});

it('the requests of one account wait for one another, those of another do not', async () => {
  const { fake, providers, access } = await stage('stars');
  fake.fail('getMe', 'silent');
  const waits = providers.probe(access);
  const next = providers.probe(access);
  await expect.poll(() => fake.requests.length).toBe(1);
  expect(good(await providers.probe({ ...access, id: 2 })).account).toBe('@shop_bot');
  expect(fake.requests.map(({ path }) => path.split('/').at(-1))).toEqual(['getMe', 'getMe', 'getStarTransactions']);
  providers.close();
  expect([await waits, await next]).toMatchObject([{ error: 'stopped' }, { error: 'stopped' }]);
});

it('yookassa is asked for no receipt without the e-mail address of the buyer, and for none without a VAT code', async () => {
  const { fake, providers, access, buildRequest } = await stage('yookassa');
  expect(await providers.open(access, { ...buildRequest('a'), email: null })).toMatchObject({
    error: 'refused',
    isUnclear: false,
    codes: ['receipt.customer.email'],
  });
  expect(fake.requests).toEqual([]);
  good(await providers.open(access, buildRequest('a')));
  const sent = () => JSON.parse(fake.requests.at(-1)?.raw ?? '');
  expect(sent().receipt.customer).toEqual({ email: 'buyer@example.com' });
  await providers.open(
    { ...access, fields: { ...access.fields, vat_code: '' } },
    { ...buildRequest('b'), email: null },
  );
  expect(sent().receipt).toBeUndefined();
});

describe('reading the events of Stripe', () => {
  /** Creates `count` events of each type that belong to another program in the same account. */
  async function stageForeign(count: number) {
    const staged = await stage('stripe');
    const { providers, access, buildRequest, fake } = staged;
    const request = { ...buildRequest('a'), token: 'another program' };
    for (let index = 0; index < count; index++) {
      good(await providers.open(access, { ...request, idempotencyKey: `foreign_${index}` }));
      const invoice = fake.invoices.at(-1);
      if (invoice) Object.assign(invoice, { token: `foreign_${index}` });
      fake.pay(`foreign_${index}`);
      if (index % 2 === 0) fake.refund(`foreign_${index}`);
    }
    return staged;
  }
  const readAll = async (since: (cursor: string | null) => ReturnType<ReturnType<typeof createProviders>['since']>) => {
    const payments: ProviderPayment[] = [];
    for (let cursor: string | null = null; ; ) {
      const page: PaymentPage = good(await since(cursor));
      payments.push(...page.payments);
      if (!page.hasMore) return payments;
      cursor = page.cursor;
    }
  };

  it('asks nothing about those of other programs', async () => {
    const { providers, access, fake, buildRequest } = await stageForeign(20);
    good(await providers.open(access, buildRequest('own')));
    fake.pay(buildRequest('own').token);
    const before = fake.requests.length;
    const found = await readAll((cursor) => providers.since(access, cursor));
    expect(found).toMatchObject([{ token: buildRequest('own').token, state: 'paid' }]);
    const asked = fake.requests.slice(before).map(({ path }) => path);
    expect(asked.filter((path) => path !== '/v1/events')).toEqual([`/v1/checkout/sessions/${found[0]?.externalId}`]);
  });

  it('shows them where they are to be compared', async () => {
    const { providers, access } = await stageForeign(3);
    let first: { readonly from: number } | null = { from: 0 };
    const found = await readAll((cursor) => {
      const start = first;
      first = null;
      return providers.since(access, start ?? cursor);
    });
    expect(new Set(found.map(({ token }) => token))).toEqual(new Set(['foreign_0', 'foreign_1', 'foreign_2']));
  });
});

it.each(KINDS)('%s: a payment is opened between two requests of a list that is read', async (kind) => {
  const { fake, providers, access, buildRequest } = await stage(kind);
  for (const name of ['a', 'b', 'c', 'd', 'e']) good(await providers.open(access, buildRequest(name)));
  for (const name of ['a', 'b', 'c', 'd', 'e']) fake.pay(buildRequest(name).token);
  const before = fake.requests.length;
  const opened: Promise<Invoice | ProviderFailure>[] = [];
  // A buyer's request arrives during the first request of the reading.
  fake.deny(() => {
    if (opened.length === 0) opened.push(providers.open(access, buildRequest('buyer')));
    return false;
  });
  const reads = [providers.since(access, null), providers.since(access, null), providers.since(access, null)];
  await expect.poll(() => opened.length).toBe(1);
  expect(good(await (opened[0] ?? Promise.reject())).payUrl).toMatch(/^https:/);
  const place = fake.requests.findIndex(({ raw }) => raw.includes(buildRequest('buyer').token)) - before;
  // The buyer's request runs before the next reading at the latest.
  expect(place).toBe(1);
  for (const read of reads) good(await read);
});

it('finds a session by its token among more than the limit of replies holds with all that is expanded', async () => {
  const { fake, providers, access, buildRequest } = await stage('stripe');
  good(await providers.open(access, buildRequest('wanted')));
  fake.pay(buildRequest('wanted').token);
  for (let index = 0; index < 60; index++) good(await providers.open(access, buildRequest(`other_${index}`)));
  const before = fake.requests.length;
  const found = good(await providers.read(access, { externalId: null, token: buildRequest('wanted').token }));
  expect(found.payments).toMatchObject([{ state: 'paid', paid: { amount: 14_950 } }]);
  for (const { path, query } of fake.requests.slice(before, -1)) {
    expect(path).toBe('/v1/checkout/sessions');
    expect(query.has('expand[]')).toBe(false);
    expect(Number(query.get('limit'))).toBeLessThanOrEqual(50);
  }
});

it.each(KINDS)('%s: a name that is cut ends with a whole character', async (kind) => {
  const { fake, providers, access, buildRequest } = await stage(kind);
  for (const title of [
    'Семейный · 🚀 1 год — выгодно! 🎁',
    '👨‍👩‍👧‍👦'.repeat(200),
    `${'ж'.repeat(127)}🎁`,
    `${'ж'.repeat(249)}🎁`,
  ]) {
    const name = String(fake.requests.length);
    good(await providers.open(access, { ...buildRequest(name), title }));
    const { raw } = fake.requests.at(-1) ?? { raw: '' };
    expect(raw).not.toMatch(/\\ud[89a-f][0-9a-f]{2}|%EF%BF%BD/i);
  }
});

it.each([
  [{ status: 'disabled' }, '1', 'shop.disabled'],
  [{ status: 'enabled', fiscalization: { enabled: true } }, '', 'vat_code'],
  [{ status: 'enabled', fiscalization_enabled: true }, '', 'vat_code'],
])('yookassa: a shop that says %j is not accepted', async (shop, vat_code, code) => {
  const { fake, providers, access } = await stage('yookassa');
  fake.answerNext('/me', { status: 200, body: { account_id: '100500', test: true, ...shop } });
  const probed = await providers.probe({ ...access, fields: { ...fake.fields, vat_code } });
  expect(probed).toMatchObject({ error: 'refused', codes: [code] });
  good(await providers.probe(access));
});
