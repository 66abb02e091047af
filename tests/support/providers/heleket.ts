// A fake Heleket: invoices by order_id, requests and webhooks signed by md5 over base64. As Heleket's own SDKs send it, the cursor of a list is in the
// query of its address: heleket-sdk 0.3.0, types.py, says that it is no member of the body.
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

/** Coins for one unit of the invoice's currency. */
const RATE = 1.25;

function buildInvoiceView(invoice: FakeInvoice) {
  const { id, token, amount, currency, createdAt, paidAt, state, refunded } = invoice;
  const ofState = { open: 'check', paid: 'paid', short: 'wrong_amount', expired: 'cancel', failed: 'fail' }[state];
  const status = invoice.status ?? ofState;
  const arrived = invoice.arrived ?? { open: '0', paid: amount, short: '0', expired: '0', failed: '0' }[state];
  return {
    uuid: id,
    order_id: token,
    amount,
    currency,
    // What the buyer is to send, and has sent, in the coin of his choice.
    payer_currency: 'USDT',
    payer_amount: (Number(amount) * RATE).toFixed(8),
    payment_amount: (Number(arrived) * RATE).toFixed(8),
    payment_status: refunded === '0' ? status : 'refund_paid',
    url: `https://pay.heleket.com/pay/${id}`,
    is_final: !OPEN.has(status),
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(paidAt ?? createdAt + 500).toISOString(),
  };
}

const OPEN: ReadonlySet<string> = new Set(['check', 'confirm_check', 'process', 'wrong_amount_waiting']);

/** `isDeaf`: it answers each page of the list with the first one. */
export function openHeleket(isDeaf = false): Promise<FakeProvider> {
  const invoices: FakeInvoice[] = [];
  const fine = (result: unknown): FakeReply => ({ status: 200, body: { state: 0, result } });
  return openFake({
    kind: 'heleket',
    fields: { merchant: MERCHANT, payment_key: KEY },
    path: '/v1',
    invoices,
    answer({ path, query, headers, raw }) {
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
      const from = isDeaf ? 0 : Number(query.get('cursor') ?? 0);
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
