// A fake Heleket: invoices by order_id, requests and webhooks signed by md5 over base64.
import { createHash } from 'node:crypto';
import { type FakeInvoice, type FakeProvider, type FakeReply, newInvoice, openFake } from './fake.ts';

const MERCHANT = '8b03432e-385b-4670-8d06-064591096795';
const KEY = 'canary-of-heleket';
const PAGE = 2;

function sign(json: string): string {
  return createHash('md5')
    .update(`${Buffer.from(json).toString('base64')}${KEY}`)
    .digest('hex');
}

function buildInvoiceView({ id, token, amount, currency, createdAt, paidAt, state, refunded }: FakeInvoice) {
  const status = { open: 'check', paid: 'paid', short: 'wrong_amount', expired: 'cancel', failed: 'fail' }[state];
  return {
    uuid: id,
    order_id: token,
    amount,
    currency,
    payment_status: refunded === '0' ? status : 'refund_paid',
    url: `https://pay.heleket.com/pay/${id}`,
    is_final: state !== 'open',
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(paidAt ?? createdAt + 500).toISOString(),
  };
}

export function openHeleket(): Promise<FakeProvider> {
  const invoices: FakeInvoice[] = [];
  const fine = (result: unknown): FakeReply => ({ status: 200, body: { state: 0, result } });
  return openFake({
    kind: 'heleket',
    fields: { merchant: MERCHANT, payment_key: KEY },
    path: '/v1',
    invoices,
    answer({ path, headers, raw }) {
      if (headers.merchant !== MERCHANT || headers.sign !== sign(raw)) return { status: 401, body: { state: 1 } };
      const given = JSON.parse(raw);
      const known = invoices.find(({ id, token }) => id === given.uuid || token === given.order_id);
      if (path === '/payment') {
        const { order_id: token, amount, currency } = given;
        return fine(buildInvoiceView(known ?? newInvoice(invoices, 'u-', { token, amount, currency })));
      }
      if (path === '/payment/info')
        return known ? fine(buildInvoiceView(known)) : { status: 422, body: { state: 1, errors: {} } };
      // By when they were made, whenever they were paid.
      const [begin, end] = [given.date_from, given.date_to].map((date) => Date.parse(`${date}Z`));
      const listed = invoices.filter(({ createdAt }) => createdAt >= (begin ?? 0) && createdAt <= (end ?? 0));
      const from = Number(given.cursor ?? 0);
      const next = from + PAGE < listed.length ? String(from + PAGE) : null;
      return fine({ items: listed.slice(from, from + PAGE).map(buildInvoiceView), paginate: { nextCursor: next } });
    },
    // As PHP writes JSON: slashes are escaped.
    hook(invoice) {
      const body = JSON.stringify({ type: 'payment', ...buildInvoiceView(invoice), status: 'paid' }).replaceAll(
        '/',
        '\\/',
      );
      return { raw: `${body.slice(0, -1)},"sign":"${sign(body)}"}`, headers: {} };
    },
  });
}
