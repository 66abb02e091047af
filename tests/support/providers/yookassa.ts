// A fake YooKassa: payments by Idempotence-Key, lists by time, refunds, receipts that are demanded where the shop has a VAT code.
import { type FakeInvoice, type FakeProvider, type FakeReply, newInvoice, openFake } from './fake.ts';

const SHOP = '100500';
const KEY = 'test_canary-of-yookassa';
const PAGE = 2;

function buildInvoiceView({ id, token, amount, currency, createdAt, state, refunded }: FakeInvoice) {
  const isPaid = state === 'paid';
  return {
    id,
    status: { open: 'pending', paid: 'succeeded', short: 'pending', expired: 'canceled', failed: 'canceled' }[state],
    paid: isPaid,
    amount: { value: amount, currency },
    refunded_amount: { value: refunded === '0' ? '0.00' : refunded, currency },
    test: true,
    confirmation: { type: 'redirect', confirmation_url: `https://yoomoney.ru/checkout?orderId=${id}` },
    ...(state === 'expired' && { cancellation_details: { party: 'yoo_money', reason: 'expired_on_confirmation' } }),
    payment_method: { type: 'bank_card', card: { last4: '4477' } },
    metadata: { order: token },
    created_at: new Date(createdAt).toISOString(),
    ...(isPaid && { captured_at: new Date(createdAt + 500).toISOString() }),
  };
}

export function openYookassa(): Promise<FakeProvider> {
  const invoices: FakeInvoice[] = [];
  const refunds: { readonly id: string; readonly payment_id: string; readonly value: string; status: string }[] = [];
  const replies = new Map<string, FakeReply>();
  const error = (status: number, code: string): FakeReply => ({ status, body: { type: 'error', id: 'e', code } });
  /** The same reply to every request with one key. */
  const once = (key: string | undefined, work: () => FakeReply): FakeReply => {
    const reply = replies.get(key ?? '') ?? work();
    if (key !== undefined) replies.set(key, reply);
    return reply;
  };
  const page = (all: readonly unknown[], cursor: string | null): FakeReply => {
    const from = Number(cursor ?? 0);
    const items = all.slice(from, from + PAGE);
    const next = from + PAGE < all.length ? { next_cursor: String(from + PAGE) } : {};
    return { status: 200, body: { type: 'list', items, ...next } };
  };
  return openFake({
    kind: 'yookassa',
    fields: { shop_id: SHOP, secret_key: KEY, vat_code: '1' },
    path: '/v3',
    invoices,
    answer({ method, path, query, headers, raw }, isHeld) {
      const expected = `Basic ${Buffer.from(`${SHOP}:${KEY}`).toString('base64')}`;
      if (headers.authorization !== expected) return error(401, 'invalid_credentials');
      if (path === '/me')
        return {
          status: 200,
          body: { account_id: SHOP, test: true, status: 'enabled' },
        };
      const given = raw === '' ? {} : JSON.parse(raw);
      if (method === 'POST' && path === '/payments')
        return once(headers['idempotence-key'], () => {
          const { customer } = given.receipt ?? {};
          // yookassa 3.13.0 has a measure for each item; a fraction is refused for receipts of the self-employed.
          const [item] = given.receipt?.items ?? [];
          if (item?.measure === undefined || !Number.isInteger(item.quantity)) return error(400, 'invalid_request');
          if (customer?.email === undefined && customer?.phone === undefined) return error(400, 'invalid_request');
          const { value: amount, currency } = given.amount;
          const invoice = newInvoice(invoices, '2d-', { token: given.metadata.order, amount, currency });
          return { status: 200, body: buildInvoiceView(invoice) };
        });
      if (method === 'POST' && path === '/refunds')
        return once(headers['idempotence-key'], () => {
          const invoice = invoices.find(({ id }) => id === given.payment_id);
          if (invoice?.state !== 'paid' || invoice.refunded !== '0') return error(400, 'invalid_request');
          const { value } = given.amount;
          if (!isHeld) invoice.refunded = value;
          const status = isHeld ? 'pending' : 'succeeded';
          const refund = { id: `r${refunds.length}`, payment_id: invoice.id, value, status };
          refunds.push(refund);
          return { status: 200, body: refund };
        });
      const from = Date.parse(query.get('created_at.gte') ?? '1970-01-01');
      if (path === '/payments')
        return page(
          invoices
            .filter(({ createdAt }) => createdAt >= from)
            .toReversed()
            .map(buildInvoiceView),
          query.get('cursor'),
        );
      const begun = refunds.find(({ id }) => path === `/refunds/${id}`);
      if (begun) return { status: 200, body: begun };
      if (path === '/refunds') return page(refunds, query.get('cursor'));
      const invoice = invoices.find(({ id }) => path === `/payments/${id}`);
      return invoice ? { status: 200, body: buildInvoiceView(invoice) } : error(404, 'not_found');
    },
    refund(invoice) {
      refunds.push({ id: `r${refunds.length}`, payment_id: invoice.id, value: invoice.amount, status: 'succeeded' });
    },
    settleRefund(invoice, isDone) {
      for (const refund of refunds) {
        if (refund.payment_id !== invoice.id || refund.status !== 'pending') continue;
        refund.status = isDone ? 'succeeded' : 'canceled';
        if (isDone) invoice.refunded = refund.value;
      }
    },
    hook: (invoice) => ({
      raw: JSON.stringify({ type: 'notification', event: 'payment.succeeded', object: buildInvoiceView(invoice) }),
      headers: {},
    }),
  });
}
