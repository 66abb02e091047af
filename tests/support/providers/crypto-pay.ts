// A fake Crypto Pay: createInvoice without idempotence, getInvoices, and the webhook signed over its raw body.
import { createHash, createHmac } from 'node:crypto';
import { type FakeInvoice, type FakeProvider, type FakeReply, newInvoice, openFake } from './fake.ts';

const TOKEN = '12345:AAcanary-of-crypto-pay';

function buildInvoiceView({ id, token, amount, currency, createdAt, state }: FakeInvoice) {
  return {
    invoice_id: Number(id),
    hash: `h${id}`,
    status: state === 'open' || state === 'paid' ? { open: 'active', paid: 'paid' }[state] : 'expired',
    currency_type: 'fiat',
    fiat: currency,
    amount,
    bot_invoice_url: `https://t.me/CryptoBot?start=h${id}`,
    payload: token,
    created_at: new Date(createdAt).toISOString(),
    ...(state === 'paid' && {
      paid_at: new Date(createdAt + 500).toISOString(),
      paid_asset: 'USDT',
      paid_amount: '1.234567',
    }),
  };
}

export function openCryptoPay(): Promise<FakeProvider> {
  const invoices: FakeInvoice[] = [];
  /** Their numbers are not given again. */
  const deleted: FakeInvoice[] = [];
  const fine = (result: unknown): FakeReply => ({ status: 200, body: { ok: true, result } });
  return openFake({
    kind: 'crypto_pay',
    fields: { api_token: TOKEN },
    denial: { ok: false, error: { code: 403, name: 'METHOD_DISABLED' } },
    invoices,
    answer({ path, headers, raw }) {
      if (headers['crypto-pay-api-token'] !== TOKEN)
        return { status: 401, body: { ok: false, error: { code: 401, name: 'UNAUTHORIZED' } } };
      const given = raw === '' ? {} : JSON.parse(raw);
      if (path === '/api/getMe') return fine({ app_id: 7, name: 'Shop', payment_processing_bot_username: 'CryptoBot' });
      if (path === '/api/createInvoice') {
        const { payload: token, amount, fiat: currency } = given;
        return fine(buildInvoiceView(newInvoice(invoices, '', { token, amount, currency }, deleted.length)));
      }
      if (path === '/api/deleteInvoice') {
        const index = invoices.findIndex(({ id, state }) => id === `${given.invoice_id}` && state === 'open');
        if (index < 0) return { status: 400, body: { ok: false, error: { code: 400, name: 'INVOICE_NOT_FOUND' } } };
        deleted.push(...invoices.splice(index, 1));
        return fine(true);
      }
      const ids = String(given.invoice_ids ?? '').split(',');
      const found = invoices
        .map(buildInvoiceView)
        .filter(
          ({ status, invoice_id: id }) =>
            (given.status ?? status) === status && (ids[0] === '' || ids.includes(`${id}`)),
        );
      return fine({ items: found.reverse().slice(given.offset ?? 0, (given.offset ?? 0) + (given.count ?? 100)) });
    },
    hook(invoice) {
      const raw = JSON.stringify({ update_id: 1, update_type: 'invoice_paid', payload: buildInvoiceView(invoice) });
      const key = createHash('sha256').update(TOKEN).digest();
      return { raw, headers: { 'crypto-pay-api-signature': createHmac('sha256', key).update(raw).digest('hex') } };
    },
  });
}
