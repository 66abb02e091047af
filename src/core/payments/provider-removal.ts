// Deleting an account at a payment provider: not while only the provider can say what became of orders.

import type { ProviderError } from '../../contract/sales/providers.ts';
import type { Input } from '../../contract/table.ts';
import { DAY_MS } from '../../domain/limits.ts';
import type { AsyncContext, Handlers, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { readList } from './poll-invoice.ts';
import { removeProvider, requireProvider } from './providers.ts';
import { endInvoice, failRefund } from './record.ts';

/** Where the account cannot be read any more, nothing is learned by waiting. */
const LOST: ReadonlySet<ProviderError> = new Set(['unauthorized', 'no_keys']);
/** No invoice can be paid so long after it was opened: they are opened for hours, or for a day at Stripe. */
const INVOICE_END_MS = 7 * DAY_MS;

async function deleteProvider({ id }: Input<'deleteProvider'>, context: AsyncContext<'deleteProvider'>) {
  const { env } = context;
  const row = requireProvider(env, id);
  // A link to pay in Stars has no end. The ledger says what was paid until now; the bot refuses a payment after that, as the order has ended.
  const isEndless = row.kind === 'stars' && env.store.payments.openInvoices(id).length > 0;
  if (isEndless) {
    await env.vault.prepare();
    const failed = await readList(env, row);
    if (failed && !LOST.has(failed.error)) throw new PanelError('provider_in_use');
  }
  const isLost = row.error !== null && LOST.has(row.error);
  return context.commit((tx) => {
    const present = requireProvider(tx, id);
    if (isEndless) endLinks(tx, id);
    else if (isLost) endByTime(tx, id);
    if (tx.store.payments.hasOpen(id)) throw new PanelError('provider_in_use');
    removeProvider(tx, present);
    return { body: undefined };
  });
}

function endLinks(tx: Transaction, providerId: number): void {
  for (const invoice of tx.store.payments.openInvoices(providerId)) endInvoice(tx, invoice, 'expired');
}

/** What an account whose keys were revoked leaves behind: invoices that have ended by time, and refunds whose end nobody will say. */
function endByTime(tx: Transaction, providerId: number): void {
  const { payments } = tx.store;
  for (const invoice of payments.openInvoices(providerId))
    if (tx.now - invoice.createdAt > INVOICE_END_MS) endInvoice(tx, invoice, 'expired');
  for (const payment of payments.openRefunds(providerId))
    if (tx.now - payment.paidAt > INVOICE_END_MS) failRefund(tx, payment);
}

export const PROVIDER_REMOVAL_HANDLERS = {
  deleteProvider: { run: deleteProvider, isEssential: true },
} satisfies Handlers<'deleteProvider'>;
