// Requests to providers, and their answers, held against the official libraries of the providers themselves.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { systemTimers } from '../../src/adapters/clock.ts';
import { createOutboundClient } from '../../src/adapters/outbound-client.ts';
import type { ProviderKind } from '../../src/contract/sales/providers.ts';
import type { InvoiceRequest, ProviderAccess } from '../../src/core/ports/providers.ts';
import { CLIENT_BOUNDS, createProviders, providerFacts } from '../../src/payments/providers.ts';
import { createTestClock } from '../support/clock.ts';
import { openCryptoPay } from '../support/providers/crypto-pay.ts';
import type { FakeProvider } from '../support/providers/fake.ts';
import { openHeleket } from '../support/providers/heleket.ts';
import { openYookassa } from '../support/providers/yookassa.ts';

const found = inject('providers')['payment-sdks'];
const reason = 'missing' in found ? found.missing : '';
const NOW = Date.UTC(2026, 10, 20, 1);

interface HeleketPage {
  readonly items: readonly unknown[];
  readonly paginate: { readonly nextCursor: string | null };
}

interface HeleketStatus {
  readonly final: boolean;
  readonly successful: boolean;
}

type Question = { readonly of: ProviderKind | 'telegram'; readonly do: string } & Readonly<Record<string, unknown>>;

async function ask<Answers extends readonly unknown[]>(...questions: readonly Question[]): Promise<Answers> {
  if (!('path' in found)) throw new Error(reason);
  const child = spawn(found.path, [join(import.meta.dirname, 'official_sdks.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  child.stdin.end(JSON.stringify(questions));
  const answers = (await json(child.stdout)) as Answers;
  await ended;
  return answers;
}

const stack = new AsyncDisposableStack();
afterEach(() => stack.disposeAsync());

const client = createOutboundClient({ timers: systemTimers, ...CLIENT_BOUNDS });

/** An account at a fake provider. */
function connect(fake: FakeProvider, fields: ProviderAccess['fields'] = fake.fields) {
  const timers = {
    after(_ms: number, work: () => void) {
      queueMicrotask(work);
      return () => undefined;
    },
  };
  const providers = createProviders({ client, clock: createTestClock(NOW), timers });
  const access: ProviderAccess = {
    id: 1,
    kind: fake.kind,
    isTest: false,
    apiRoot: fake.root,
    allowPrivate: true,
    proxy: null,
    fields,
  };
  return { providers, access };
}

function buildRequest(name: string, currency: string): InvoiceRequest {
  return {
    token: `gh_${name.padEnd(32, '0')}`,
    idempotencyKey: `key_${name}`,
    price: { amount: 14_950, currency },
    title: 'Семейный · 🚀 1 год — выгодно! 🎁',
    returnUrl: 'https://panel.example/sub/abc',
    hookUrl: 'https://panel.example/sub/hook/abc',
    email: 'buyer@example.com',
    isRetry: false,
  };
}

describe.skipIf(reason !== '')(`official libraries ${reason}`.trim(), () => {
  describe('heleket-sdk', () => {
    let fake: FakeProvider;
    beforeEach(async () => {
      fake = await openHeleket();
    });
    afterEach(() => fake[Symbol.asyncDispose]());
    const root = () => fake.root.replace(/\/v1$/, '');
    const requests = (from: number) =>
      fake.requests.slice(from).map(({ method, path, query, headers, raw }) => ({
        method,
        url: `${path}?${query}`,
        merchant: headers.merchant,
        body: JSON.parse(raw),
      }));

    it('sends the same requests, page by page, and is answered the same', async () => {
      const { providers, access } = connect(fake);
      const own = { of: 'heleket', root: root(), fields: fake.fields } as const;
      for (const name of ['a', 'b', 'c', 'd', 'e']) await providers.open(access, buildRequest(name, 'USD'));
      const opened = requests(0)[0];
      fake.requests.length = 0;
      let cursor: string | null = null;
      for (let hasMore = true; hasMore; ) {
        const page = await providers.since(access, cursor);
        if ('error' in page) throw new Error(page.error);
        ({ cursor, hasMore } = page);
      }
      const ours = requests(0);
      expect(ours).toHaveLength(3);
      expect(ours.map(({ url }) => url)).toEqual([
        '/payment/list?',
        '/payment/list?cursor=2',
        '/payment/list?cursor=4',
      ]);
      fake.requests.length = 0;
      const lists = ours.map(({ url, body }) => {
        const next = new URLSearchParams(url.split('?')[1]).get('cursor');
        return { ...own, do: 'list', with: { ...body, cursor: next } };
      });
      const created = { ...own, do: 'create', with: opened?.body };
      const [one, ...pages] = await ask<[unknown, ...(readonly HeleketPage[])]>(created, ...lists);
      expect(requests(0)).toEqual([opened, ...ours]);
      expect(one).toMatchObject({ order_id: buildRequest('a', 'USD').token, payment_status: 'check' });
      expect(pages.map(({ items, paginate }) => [items.length, paginate.nextCursor])).toEqual([
        [2, '2'],
        [2, '4'],
        [1, null],
      ]);
    });

    it('takes the accuracy of an account', async () => {
      const { providers, access } = connect(fake, { ...fake.fields, accuracy_payment_percent: '3' });
      await providers.open(access, buildRequest('a', 'USD'));
      const body = requests(0)[0]?.body;
      expect(await ask({ of: 'heleket', do: 'check', body })).toEqual([body]);
      expect(body.accuracy_payment_percent).toBe('3');
    });

    it('knows the same states, and each has the effect that it says', async () => {
      const { providers, access } = connect(fake);
      await providers.open(access, buildRequest('a', 'USD'));
      const { token } = buildRequest('a', 'USD');
      const [statuses] = await ask<[Readonly<Record<string, HeleketStatus>>]>({ of: 'heleket', do: 'statuses' });
      const effects: Record<string, unknown> = {};
      for (const status of Object.keys(statuses)) {
        Object.assign(fake.invoices[0] ?? {}, { status, arrived: status === 'paid_over' ? '200.00' : '100.00' });
        const read = await providers.read(access, { externalId: null, token });
        if ('error' in read) throw new Error(`${status}: ${read.error}`);
        const [payment] = read.payments;
        effects[status] = [payment?.state, payment?.paid.amount];
        const { final, successful } = statuses[status] ?? {};
        if (successful) expect(payment?.state, status).toBe('paid');
        // Held and being refunded are asked again by what they are recorded as.
        if (!final && status !== 'refund_process') expect(payment?.state, status).toBe('open');
        if (final) expect(payment?.state, status).not.toBe('open');
      }
      expect(effects).toEqual({
        paid: ['paid', 14_950],
        paid_over: ['paid', 20_000],
        wrong_amount: ['paid', 10_000],
        process: ['open', 14_950],
        confirm_check: ['open', 14_950],
        wrong_amount_waiting: ['open', 14_950],
        check: ['open', 14_950],
        fail: ['failed', 14_950],
        cancel: ['expired', 14_950],
        system_fail: ['failed', 14_950],
        refund_process: ['paid', 14_950],
        refund_fail: ['paid', 14_950],
        refund_paid: ['refunded', 14_950],
        locked: ['held', 10_000],
      });
    });
  });

  it('yookassa accepts a payment with its receipt', async () => {
    await using fake = await openYookassa();
    const { providers, access } = connect(fake);
    const opened = await providers.open(access, buildRequest('a', 'RUB'));
    expect(opened).toMatchObject({ payUrl: expect.any(String) });
    const body = JSON.parse(fake.requests.at(-1)?.raw ?? '{}');
    const [seen] = await ask<[{ readonly receipt: { readonly items: readonly object[] } }]>({
      of: 'yookassa',
      do: 'payment',
      body,
    });
    expect(seen).toMatchObject({ amount: { value: '149.50', currency: 'RUB' }, capture: true });
    expect(seen.receipt.items).toMatchObject([{ measure: 'piece', quantity: '1.0', vat_code: 1 }]);
    expect(body.receipt.items[0].quantity).toBe(1);
  });

  describe('aiosend', () => {
    it('knows the currencies in which payments are offered', async () => {
      const [known] = await ask<[readonly string[]]>({ of: 'crypto_pay', do: 'currencies' });
      expect(Object.keys(providerFacts('crypto_pay').prices).toSorted()).toEqual(known.toSorted());
    });

    it('makes, finds and deletes invoices by the same requests', async () => {
      await using fake = await openCryptoPay();
      const { providers, access } = connect(fake);
      const opened = await providers.open(access, buildRequest('a', 'EUR'));
      if ('error' in opened) throw new Error(opened.error);
      const { externalId } = opened;
      const token = buildRequest('a', 'EUR').token;
      await providers.read(access, { externalId, token });
      expect(await providers.end(access, { externalId, token })).toEqual({ isEnded: true });
      // The library asks first whose token it is.
      const requests = () =>
        fake.requests
          .filter(({ path }) => path !== '/api/getMe')
          .map(({ path, headers, raw }) => [path, headers['crypto-pay-api-token'], JSON.parse(raw)]);
      const ours = requests();
      fake.requests.length = 0;
      const own = { of: 'crypto_pay', root: fake.root, fields: fake.fields } as const;
      const answers = await ask(
        { ...own, do: 'create_invoice', with: ours[0]?.[2] },
        { ...own, do: 'get_invoices', with: { invoice_ids: [2] } },
        { ...own, do: 'delete_invoice', with: { invoice_id: 2 } },
        { ...own, do: 'delete_invoice', with: { invoice_id: 2 } },
      );
      const theirs = requests().slice(0, 3);
      expect(theirs.map(([path, key]) => [path, key])).toEqual(ours.map(([path, key]) => [path, key]));
      const [made, found, gone] = theirs.map(([, , body]) => body);
      expect(made).toEqual({ ...ours[0]?.[2], amount: made.amount });
      expect(Number(made.amount)).toBe(Number(ours[0]?.[2].amount));
      expect(found).toEqual({ invoice_ids: String(2) });
      expect(gone).toEqual({ invoice_id: 2 });
      expect(ours[1]?.[2]).toEqual({ invoice_ids: '1' });
      expect(ours[2]?.[2]).toEqual({ invoice_id: 1 });
      expect(answers[2]).toBe(true);
      expect(answers[3]).toMatchObject({ refused: expect.stringContaining('INVOICE_NOT_FOUND') });
      // Of one that is gone already the panel hears that it could not be ended.
      expect(await providers.end(access, { externalId, token })).toEqual({ isEnded: false });
    });
  });
});
