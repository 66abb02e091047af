// A fake Stripe over a socket: that of a demonstration, with faults.
import { createFakeStripe } from '../../../src/panel/demo/fake-stripe.ts';
import { type FakeInvoice, type FakeProvider, newInvoice, openFake } from './fake.ts';

const KEY = 'sk_test_canaryofstripe';
const HOOKS = 'whsec_canary-of-stripe-hooks';
const PAGE = 2;

export function openStripe(): Promise<FakeProvider> {
  const invoices: FakeInvoice[] = [];
  const fake = createFakeStripe<FakeInvoice>({
    data: { sessions: invoices, refunds: [], events: [], replies: {} },
    secretKey: KEY,
    webhookSecret: HOOKS,
    pageSize: PAGE,
    urlOf: (id) => `https://checkout.stripe.com/c/pay/${id}`,
    makeSession: (given) => newInvoice(invoices, 'cs_test_', given),
    eventTime: (number) => 1_795_000_000 + number,
  });
  return openFake({
    kind: 'stripe',
    fields: { secret_key: KEY, webhook_secret: HOOKS },
    invoices,
    answer: fake.answer,
    pay: fake.noteSession,
    refund: fake.noteRefund,
    settleRefund: fake.settleRefund,
    hook: (invoice) => fake.hook(invoice, invoice.createdAt / 1000),
  });
}
