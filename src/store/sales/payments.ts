// Invoices at providers, which are polled, and reported payments.
import type { InvoiceRow, PaymentRow, PaymentStore } from '../../core/ports/payments.ts';
import type { Connection } from '../database.ts';
import { limitTo } from '../statements.ts';

type PaymentCells = Omit<PaymentRow, 'isTest'> & { readonly isTest: number };

const INVOICE_COLUMNS = `id, order_id AS orderId, provider_id AS providerId, token, key, state, amount, currency, external_id AS externalId,
  pay_url AS payUrl, return_url AS returnUrl, email, tries, created_at AS createdAt, polled_at AS polledAt, next_poll_at AS nextPollAt`;

const PAYMENT_COLUMNS = `id, kind, provider_id AS providerId, external_id AS externalId, is_test AS isTest, order_id AS orderId, amount,
  currency, refunded, refunded_at AS refundedAt, paid_at AS paidAt, buyer, raw, state, provider_state AS providerState, reason, act, note, resolved_at AS resolvedAt,
  refund_key AS refundKey, refund_id AS refundId, next_refund_at AS nextRefundAt, created_at AS createdAt`;

function decodePayment(cells: PaymentCells): PaymentRow {
  return { ...cells, isTest: cells.isTest === 1 };
}

function encodePayment<Row extends Omit<PaymentRow, 'id'>>(row: Row) {
  return { ...row, isTest: row.isTest ? 1 : 0 };
}

/** No poll is scheduled later than a day from now; a later one comes from a clock that was set back. */
const FAR_MS = 2 * 86_400_000;

export function createPaymentStore(db: Connection): PaymentStore {
  const insertInvoice = db.prepare<[Omit<InvoiceRow, 'id'>]>(
    `INSERT INTO invoices (order_id, provider_id, token, key, state, amount, currency, external_id, pay_url, return_url, email, tries, created_at,
       polled_at, next_poll_at)
     VALUES (:orderId, :providerId, :token, :key, :state, :amount, :currency, :externalId, :payUrl, :returnUrl, :email, :tries, :createdAt,
       :polledAt, :nextPollAt)`,
  );
  // Once it is opened, or is not to be, the address of the buyer is of no more use.
  const saveInvoice = db.prepare<[InvoiceRow]>(
    `UPDATE invoices SET state = :state, external_id = :externalId, pay_url = :payUrl,
       email = CASE :state WHEN 'opening' THEN :email END, tries = :tries, polled_at = :polledAt,
       next_poll_at = :nextPollAt WHERE id = :id`,
  );
  const invoice = db.prepare<[number], InvoiceRow>(`SELECT ${INVOICE_COLUMNS} FROM invoices WHERE id = ?`);
  const invoiceByToken = db.prepare<[string], InvoiceRow>(`SELECT ${INVOICE_COLUMNS} FROM invoices WHERE token = ?`);
  const invoiceByExternalId = db.prepare<[string, number], InvoiceRow>(
    `SELECT ${INVOICE_COLUMNS} FROM invoices WHERE external_id = ? AND provider_id = ?`,
  );
  const listInvoices = db.prepare<[number], InvoiceRow>(
    `SELECT ${INVOICE_COLUMNS} FROM invoices WHERE order_id = ? ORDER BY id DESC`,
  );
  // Also selects invoices that a clock that was set back has postponed.
  const due = db.prepare<[{ readonly id: number; readonly now: number; readonly far: number }], InvoiceRow>(
    `SELECT ${INVOICE_COLUMNS} FROM invoices WHERE provider_id = :id AND (next_poll_at <= :now OR next_poll_at > :far)
     ORDER BY next_poll_at LIMIT 1`,
  );
  const openInvoices = db.prepare<[number], InvoiceRow>(
    `SELECT ${INVOICE_COLUMNS} FROM invoices WHERE provider_id = ? AND next_poll_at IS NOT NULL ORDER BY id`,
  );
  const hasOpen = db
    .prepare<[{ readonly id: number }], number>(
      `SELECT 1 FROM invoices WHERE provider_id = :id AND next_poll_at IS NOT NULL
       UNION ALL SELECT 1 FROM payments WHERE provider_id = :id AND next_refund_at IS NOT NULL LIMIT 1`,
    )
    .pluck();
  const insertPayment = db.prepare<[Omit<PaymentCells, 'id'>]>(
    `INSERT INTO payments (kind, provider_id, external_id, is_test, order_id, amount, currency, refunded, refunded_at, paid_at, buyer, raw, state,
       provider_state, reason, act, note, resolved_at, refund_key, refund_id, next_refund_at, created_at)
     VALUES (:kind, :providerId, :externalId, :isTest, :orderId, :amount, :currency, :refunded, :refundedAt, :paidAt, :buyer, :raw, :state,
       :providerState, :reason, :act, :note, :resolvedAt, :refundKey, :refundId, :nextRefundAt, :createdAt)`,
  );
  const savePayment = db.prepare<[PaymentCells]>(
    `UPDATE payments SET order_id = :orderId, amount = :amount, currency = :currency, refunded = :refunded, refunded_at = :refundedAt, raw = :raw, state = :state, provider_state = :providerState,
       reason = :reason, act = :act, note = :note, resolved_at = :resolvedAt, refund_key = :refundKey, refund_id = :refundId,
       next_refund_at = :nextRefundAt
     WHERE id = :id`,
  );
  const payment = db.prepare<[number], PaymentCells>(`SELECT ${PAYMENT_COLUMNS} FROM payments WHERE id = ?`);
  const byExternalId = db.prepare<[string, number, string], PaymentCells>(
    `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE kind = ? AND is_test = ? AND external_id = ?`,
  );
  const paidBetween = db.prepare<[number, number, number], PaymentCells>(
    `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE provider_id = ? AND paid_at >= ? AND paid_at < ? ORDER BY paid_at, id`,
  );
  const refundDue = db.prepare<[{ readonly id: number; readonly now: number; readonly far: number }], PaymentCells>(
    `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE provider_id = :id AND (next_refund_at <= :now OR next_refund_at > :far) LIMIT 1`,
  );
  const openRefunds = db.prepare<[number], PaymentCells>(
    `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE provider_id = ? AND next_refund_at IS NOT NULL ORDER BY id`,
  );
  const findAppliedPayment = db.prepare<[number], PaymentCells>(
    `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE order_id = ? AND state <> 'unapplied' ORDER BY id LIMIT 1`,
  );
  const OPEN = 'reason IS NOT NULL AND resolved_at IS NULL';
  const undecided = db
    .prepare<[number], number>(`SELECT 1 FROM payments WHERE order_id = ? AND state = 'unapplied' AND ${OPEN} LIMIT 1`)
    .pluck();
  const pages = [OPEN, 'reason IS NOT NULL'].map((where) => ({
    page: db.prepare<[number, number], PaymentCells>(
      `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE ${where} AND id < ? ORDER BY id DESC ${limitTo('?')}`,
    ),
    count: db.prepare<[], number>(`SELECT count(*) FROM payments WHERE ${where}`).pluck(),
  }));
  const getPages = (isOpen: boolean) => pages[isOpen ? 0 : 1];
  const found = (cells: PaymentCells | undefined) => cells && decodePayment(cells);
  return {
    insertInvoice: (row) => Number(insertInvoice.run(row).lastInsertRowid),
    saveInvoice: (row) => {
      saveInvoice.run(row);
    },
    invoice: (id) => invoice.get(id),
    invoiceByToken: (token) => invoiceByToken.get(token),
    invoiceByExternalId: (providerId, externalId) => invoiceByExternalId.get(externalId, providerId),
    listInvoices: (orderId) => listInvoices.all(orderId),
    due: (providerId, now) => due.get({ id: providerId, now, far: now + FAR_MS }),
    openInvoices: (providerId) => openInvoices.all(providerId),
    hasOpen: (providerId) => hasOpen.get({ id: providerId }) !== undefined,
    insertPayment: (row) => Number(insertPayment.run(encodePayment(row)).lastInsertRowid),
    savePayment: (row) => {
      savePayment.run(encodePayment(row));
    },
    payment: (id) => found(payment.get(id)),
    paymentByExternalId: (kind, isTest, externalId) => found(byExternalId.get(kind, isTest ? 1 : 0, externalId)),
    paidBetween: (providerId, from, to) => paidBetween.all(providerId, from, to).map(decodePayment),
    findAppliedPayment: (orderId) => found(findAppliedPayment.get(orderId)),
    refundDue: (providerId, now) => found(refundDue.get({ id: providerId, now, far: now + FAR_MS })),
    openRefunds: (providerId) => openRefunds.all(providerId).map(decodePayment),
    hasUndecided: (orderId) => undecided.get(orderId) !== undefined,
    attention: ({ before, limit, isOpen }) =>
      (getPages(isOpen)?.page.all(before ?? Number.MAX_SAFE_INTEGER, limit) ?? []).map(decodePayment),
    countAttention: (isOpen) => getPages(isOpen)?.count.get() ?? 0,
  };
}
