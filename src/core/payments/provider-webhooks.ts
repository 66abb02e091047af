// What providers report by themselves is a hint alone: nothing in it is believed, and the provider is asked at once. The hint is stored
// before it is answered, as the time at which the provider is to be asked, so that a crash loses none.

import { HOUR_MS } from '../../domain/limits.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import type { Hint, ProviderRow, Webhook } from '../ports/providers.ts';
import { RECORD_PAYMENT } from './provider-call.ts';
import { accessTo, getPollInterval } from './providers.ts';

type ProviderWebhooksEnv = Pick<Env, 'clock' | 'paymentProviders' | 'store' | 'transact' | 'vault'>;

/** Between two readings of a provider's list for hints. */
const LIST_EVERY_MS = 60_000;

/** Stores what a webhook hints at; false where it is not the provider's, or tells nothing. Rejects where it cannot be judged at the moment. */
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

/** Has an invoice that is not paid asked about as soon as its provider allows. Anything else is in the provider's list, as a refund is. */
function applyHint({ env, store, now }: Transaction, { id, kind }: ProviderRow, { token, externalId }: Hint): void {
  const { payments, providers } = store;
  const invoice =
    (token === null ? undefined : payments.invoiceByToken(token)) ??
    (externalId === null ? undefined : payments.invoiceByExternalId(id, externalId));
  if (invoice?.providerId === id && invoice.state !== 'paid') {
    const due = Math.max(now, (invoice.polledAt ?? 0) + getPollInterval(env, kind));
    // One that had ended may have been paid after all, and be older than what is read of the list.
    if (invoice.nextPollAt === null) payments.saveInvoice({ ...invoice, state: 'open', nextPollAt: due });
    else if (due < invoice.nextPollAt) payments.saveInvoice({ ...invoice, nextPollAt: due });
    return;
  }
  const reading = providers.reading(id);
  if (reading?.caughtUpAt == null) return;
  const age = Math.abs(now - reading.caughtUpAt);
  // It is due within that time as it is.
  if (age >= HOUR_MS - LIST_EVERY_MS && age < HOUR_MS) return;
  const soon = Math.max(0, reading.caughtUpAt + LIST_EVERY_MS - HOUR_MS);
  providers.saveReading(id, reading.cursor, age < LIST_EVERY_MS ? soon : null);
}
