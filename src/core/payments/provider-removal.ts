// Deletes an account at a payment provider, unless orders or refunds there are still open.

import type { ProviderError } from '../../contract/sales/providers.ts';
import type { Input } from '../../contract/table.ts';
import { DAY_MS } from '../../domain/limits.ts';
import type { AsyncContext, Handlers, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { readList } from './poll-invoice.ts';
import { removeProvider, requireProvider } from './providers.ts';
import { endInvoice, failRefund } from './record.ts';

/** Errors after which the account cannot be read any more, so that waiting for it is useless. */
const LOST: ReadonlySet<ProviderError> = new Set(['unauthorized', 'no_keys']);
/** Age at which no invoice can be paid any more: they are open for hours, at Stripe for a day. */
const INVOICE_END_MS = 7 * DAY_MS;

async function deleteProvider({ id }: Input<'deleteProvider'>, context: AsyncContext<'deleteProvider'>) {
  const { env } = context;
  const row = requireProvider(env, id);
  // Links to pay in Stars never end. Read all payments made so far; the bot then refuses further ones, as their invoices have ended.
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

/** Ends what an account with revoked keys leaves: invoices that are too old to be paid, and refunds whose outcome cannot be read. */
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
