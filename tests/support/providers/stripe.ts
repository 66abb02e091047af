// A fake Stripe: Checkout sessions by Idempotency-Key, the events of what happened to them, refunds.
import { createHmac } from 'node:crypto';
import { type FakeInvoice, type FakeProvider, type FakeReply, newInvoice, openFake } from './fake.ts';

const KEY = 'sk_test_canaryofstripe';
const HOOKS = 'whsec_canary-of-stripe-hooks';
const PAGE = 2;

function viewOf(invoice: FakeInvoice) {
  const { id, token, amount, currency, createdAt, state, refunded } = invoice;
  const isPaid = state === 'paid';
  return {
    id,
    object: 'checkout.session',
    url: `https://checkout.stripe.com/c/pay/${id}`,
    status: isPaid ? 'complete' : state === 'expired' ? 'expired' : 'open',
    payment_status: isPaid ? 'paid' : 'unpaid',
    amount_total: Number(amount),
    currency,
    client_reference_id: token,
    created: createdAt / 1000,
    livemode: false,
    customer_details: { email: 'buyer@example.com' },
    payment_intent: isPaid
      ? {
          id: `pi_${id}`,
          status: 'succeeded',
          latest_charge: {
            id: `ch_${id}`,
            created: createdAt / 1000,
            // As Stripe, with what is on its way back.
            amount_refunded: refunded === '0' ? 0 : Number(amount),
            refunds: { object: 'list', data: [{ status: 'succeeded', amount: Number(refunded) }] },
            disputed: false,
          },
        }
      : null,
  };
}

export function openStripe(): Promise<FakeProvider> {
  const invoices: FakeInvoice[] = [];
  const refunds: { readonly id: string; readonly of: string; readonly amount: string; status: string }[] = [];
  const replies = new Map<string, FakeReply>();
  const events: { readonly id: string; readonly type: string; readonly created: number; readonly data: unknown }[] = [];
  const note = (type: string, object: unknown) => {
    const number = events.length + 1;
    events.push({ id: `evt_${number}`, type, created: 1_795_000_000 + number, data: { object } });
  };
  const fine = (body: unknown): FakeReply => ({ status: 200, body });
  const error = (status: number, code: string): FakeReply => ({
    status,
    body: { error: { type: 'invalid_request_error', code } },
  });
  const once = (key: string | undefined, work: () => FakeReply): FakeReply => {
    const reply = replies.get(key ?? '') ?? work();
    if (key !== undefined) replies.set(key, reply);
    return reply;
  };
  const page = (all: readonly { readonly id: string }[], after: string | null): FakeReply => {
    const from = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
    return fine({ object: 'list', data: all.slice(from, from + PAGE), has_more: from + PAGE < all.length });
  };
  return openFake({
    kind: 'stripe',
    fields: { secret_key: KEY, webhook_secret: HOOKS },
    invoices,
    answer({ method, path, query, headers, raw }, isHeld) {
      if (headers.authorization !== `Bearer ${KEY}`) return error(401, 'invalid_api_key');
      const form = new URLSearchParams(raw);
      if (path === '/v1/account') return fine({ id: 'acct_fake', object: 'account' });
      if (method === 'POST' && path === '/v1/checkout/sessions')
        return once(headers['idempotency-key'], () => {
          const amount = form.get('line_items[0][price_data][unit_amount]') ?? '';
          const currency = form.get('line_items[0][price_data][currency]') ?? '';
          const token = form.get('client_reference_id') ?? '';
          return fine(viewOf(newInvoice(invoices, 'cs_test_', { token, amount, currency })));
        });
      if (method === 'POST' && path === '/v1/refunds')
        return once(headers['idempotency-key'], () => {
          const invoice = invoices.find(({ id }) => form.get('payment_intent') === `pi_${id}`);
          if (invoice?.state !== 'paid' || invoice.refunded !== '0') return error(400, 'charge_already_refunded');
          const amount = form.get('amount') ?? '';
          const number = refunds.length + 1;
          const status = isHeld ? 'pending' : 'succeeded';
          refunds.push({ id: `re_${number}`, of: invoice.id, amount, status });
          if (!isHeld) invoice.refunded = amount;
          note('charge.refunded', { id: `ch_${invoice.id}`, payment_intent: `pi_${invoice.id}` });
          return fine({ id: `re_${number}`, object: 'refund', status });
        });
      const begun = refunds.find(({ id }) => path === `/v1/refunds/${id}`);
      if (begun) return fine({ ...begun, object: 'refund' });
      if (path === '/v1/events') {
        const since = Number(query.get('created[gte]') ?? 0);
        const found = events.filter(({ type, created }) => query.getAll('types[]').includes(type) && created >= since);
        return page(found.toReversed(), query.get('starting_after'));
      }
      if (path === '/v1/checkout/sessions') {
        const intent = query.get('payment_intent');
        const found = invoices.filter(({ id }) => intent === null || intent === `pi_${id}`);
        return page(found.toReversed().map(viewOf), query.get('starting_after'));
      }
      const invoice = invoices.find(({ id }) => path === `/v1/checkout/sessions/${id}`);
      return invoice ? fine(viewOf(invoice)) : error(404, 'resource_missing');
    },
    pay: (invoice) => note('checkout.session.completed', viewOf(invoice)),
    refund: ({ id }) => note('charge.refunded', { id: `ch_${id}`, payment_intent: `pi_${id}` }),
    settleRefund(invoice, isDone) {
      for (const refund of refunds) {
        if (refund.of !== invoice.id || refund.status !== 'pending') continue;
        refund.status = isDone ? 'succeeded' : 'failed';
        if (isDone) invoice.refunded = refund.amount;
      }
    },
    hook(invoice) {
      const raw = JSON.stringify({
        id: 'evt_1',
        type: 'checkout.session.completed',
        data: { object: viewOf(invoice) },
      });
      const time = String(invoice.createdAt / 1000);
      const signature = createHmac('sha256', HOOKS).update(`${time}.${raw}`).digest('hex');
      return { raw, headers: { 'stripe-signature': `t=${time},v1=${'0'.repeat(64)},v1=${signature}` } };
    },
  });
}
