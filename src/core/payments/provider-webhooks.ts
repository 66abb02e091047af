// A provider's webhook is a hint only: its content is not trusted, and the payment is read from the provider at once. The time of that poll is
// stored before the webhook is acknowledged, so that a crash loses no hint.

import { HOUR_MS } from '../../domain/limits.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import type { Hint, ProviderRow, Webhook } from '../ports/providers.ts';
import { RECORD_PAYMENT } from './provider-call.ts';
import { accessTo, getPollInterval } from './providers.ts';

type ProviderWebhooksEnv = Pick<Env, 'clock' | 'paymentProviders' | 'store' | 'transact' | 'vault'>;

/** The shortest time between two readings of a provider's list that hints cause. */
const LIST_EVERY_MS = 60_000;

/**
 * Schedules the poll that a webhook hints at. false: the webhook is not signed by the provider, or names no payment. Rejects if it cannot be
 * checked at present, so that the provider repeats it.
 */
export async function handleProviderWebhook(
  env: ProviderWebhooksEnv,
  provider: ProviderRow,
  webhook: Omit<Webhook, 'now'>,
  wake: () => void,
): Promise<boolean> {
  await env.vault.prepare();
  const access = accessTo(env, provider);
  const hint = access
    ? ((await env.paymentProviders?.hint(access, { ...webhook, now: env.clock.now() })) ?? null)
    : null;
  if (hint === null) return false;
  if ('error' in hint) throw new Error('the webhook could not be judged');
  await env.transact(RECORD_PAYMENT, (tx) => applyHint(tx, provider, hint));
  wake();
  return true;
}

/** Schedules the poll of an unpaid invoice, else a reading of the provider's list, which has everything else, such as refunds. */
function applyHint({ env, store, now }: Transaction, { id, kind }: ProviderRow, { token, externalId }: Hint): void {
  const { payments, providers } = store;
  const invoice =
    (token === null ? undefined : payments.invoiceByToken(token)) ??
    (externalId === null ? undefined : payments.invoiceByExternalId(id, externalId));
  if (invoice?.providerId === id && invoice.state !== 'paid') {
    const due = Math.max(now, (invoice.polledAt ?? 0) + getPollInterval(env, kind));
    // An ended invoice may have been paid late, and may be too old for the list. Opening it again makes it polled.
    if (invoice.nextPollAt === null) payments.saveInvoice({ ...invoice, state: 'open', nextPollAt: due });
    else if (due < invoice.nextPollAt) payments.saveInvoice({ ...invoice, nextPollAt: due });
    return;
  }
  const reading = providers.reading(id);
  if (reading?.caughtUpAt == null) return;
  const age = Math.abs(now - reading.caughtUpAt);
  // The list is due within LIST_EVERY_MS anyway.
  if (age >= HOUR_MS - LIST_EVERY_MS && age < HOUR_MS) return;
  const soon = Math.max(0, reading.caughtUpAt + LIST_EVERY_MS - HOUR_MS);
  providers.saveReading(id, reading.cursor, age < LIST_EVERY_MS ? soon : null);
}
