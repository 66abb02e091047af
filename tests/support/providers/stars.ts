// A fake Bot API, as far as Stars go: links to invoices, the ledger, refunds, and its errors for unknown tokens.
import { type FakeInvoice, type FakeProvider, type FakeReply, newInvoice, openFake } from './fake.ts';

const TOKEN = '7654321:AAcanary-of-the-bot';
const BUYER = 4242;

interface Transaction {
  readonly id: string;
  readonly amount: number;
  readonly date: number;
  readonly source?: unknown;
  readonly receiver?: unknown;
}

export function openStars(): Promise<FakeProvider> {
  const invoices: FakeInvoice[] = [];
  const ledger: Transaction[] = [];
  const fine = (result: unknown): FakeReply => ({ status: 200, body: { ok: true, result } });
  const error = (status: number, description: string): FakeReply => ({
    status,
    body: { ok: false, error_code: status, description },
  });
  const user = {
    type: 'user',
    transaction_type: 'invoice_payment',
    user: { id: BUYER, is_bot: false, first_name: 'Anna' },
  };
  const refundInvoice = ({ id, amount, createdAt }: FakeInvoice) => {
    const { type, user: buyer } = user;
    const receiver = { type, transaction_type: 'invoice_payment', user: buyer };
    ledger.push({ id: `charge_${id}`, amount: Number(amount), date: createdAt / 1000 + 60, receiver });
  };
  return openFake({
    kind: 'stars',
    fields: { bot_token: TOKEN },
    denial: { ok: false, error_code: 403, description: 'Forbidden: not for this bot' },
    invoices,
    answer({ path, raw }) {
      const [, bot, method] = path.split('/');
      if (bot !== `bot${TOKEN}`) return error(401, 'Unauthorized');
      const given = JSON.parse(raw);
      switch (method) {
        case 'getMe':
          return fine({ id: 7_654_321, is_bot: true, username: 'shop_bot' });
        case 'createInvoiceLink': {
          const [price, ...others] = given.prices;
          const isRight = given.currency === 'XTR' && given.provider_token === '' && others.length === 0;
          // JSON with a half of a pair is no UTF-8 for the Bot API (tdlib/td, JsonBuilder.cpp).
          const isText = [given.title, given.description, price.label].every((text) => text.isWellFormed());
          if (!isRight || !isText || given.title.length > 32) return error(400, 'Bad Request: STARS_INVOICE_INVALID');
          const invoice = newInvoice(invoices, '', {
            token: given.payload,
            amount: `${price.amount}`,
            currency: 'XTR',
          });
          return fine(`https://t.me/$${invoice.id}`);
        }
        case 'getStarTransactions':
          return fine({ transactions: ledger.slice(given.offset, given.offset + given.limit) });
        case 'refundStarPayment': {
          const charge = given.telegram_payment_charge_id;
          const invoice = invoices.find(({ id }) => charge === `charge_${id}`);
          if (invoice?.state !== 'paid' || given.user_id !== BUYER) return error(400, 'Bad Request: CHARGE_NOT_FOUND');
          if (invoice.refunded !== '0') return error(400, 'Bad Request: CHARGE_ALREADY_REFUNDED');
          invoice.refunded = invoice.amount;
          refundInvoice(invoice);
          return fine(true);
        }
        default:
          return error(404, 'Not Found');
      }
    },
    pay({ id, token, amount, createdAt }) {
      const source = { ...user, invoice_payload: token };
      ledger.push({ id: `charge_${id}`, amount: Number(amount), date: createdAt / 1000, source });
    },
    refund: refundInvoice,
    hook: () => ({ raw: '{}', headers: {} }),
  });
}
