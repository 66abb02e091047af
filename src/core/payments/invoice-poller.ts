// Polls payment providers about open invoices at the intervals of domain/sales/poll-interval.ts, and reads their lists at start and each hour,
// so that no payment depends on a webhook. Each provider has its own loop: one that hangs delays only its own orders.

import { HOUR_MS } from '../../domain/limits.ts';
import type { Env } from '../kernel/context.ts';
import type { ProviderRow } from '../ports/providers.ts';
import { pollInvoice, readPage } from './poll-invoice.ts';
import type { PollFailure, ProviderCallEnv } from './provider-call.ts';
import { requestRefund } from './refund-payment.ts';

type InvoicePollerEnv = ProviderCallEnv & Pick<Env, 'log' | 'tasks'>;

/** Back-off after a failure, doubled with each further failure. */
const FIRST_BACKOFF_MS = 5000;
const MAX_REST_MS = 10 * 60_000;
/** Pages of a list in one go, so that an endless list does not block polling. The rest is read after LIST_BACKOFF_MS. */
const MAX_PAGES = 100;
const LIST_BACKOFF_MS = 5 * 60_000;

interface Backoff {
  readonly until: number;
  readonly failures: number;
}

type Next = { readonly invoice: number } | { readonly refund: number } | 'list';

export interface InvoicePoller {
  /** Polls everything that is due; resolves when the providers have answered. */
  wake(): Promise<void>;
}

export function createInvoicePoller(env: InvoicePollerEnv): InvoicePoller {
  const { store, clock, vault, log, tasks } = env;
  const running = new Map<number, Promise<void>>();
  const backoffs = new Map<number, Backoff>();
  /** Providers whose list was read to its end since the start. */
  const read = new Set<number>();
  /** By provider, when reading of its list goes on (epoch ms), after MAX_PAGES or a refusal. */
  const listBackoffs = new Map<number, number>();

  async function wake(): Promise<void> {
    const isOpen = vault.state() === 'unlocked' || vault.state() === 'headless';
    if (!isOpen || tasks.isStopping() || store.diskSpace.isFull()) return;
    for (const provider of store.providers.all()) {
      if (running.has(provider.id) || isResting(provider.id) || findNextTask(provider) === null) continue;
      const turn = tasks
        .run(() => work(provider.id))
        .catch((error: unknown) => {
          log.error('asking a payment provider failed', { error: String(error) });
          backOff(provider.id, { error: 'unavailable', retryAfterMs: 0 });
        })
        .finally(() => running.delete(provider.id));
      running.set(provider.id, turn);
    }
    await Promise.all(running.values());
  }

  /** Whether a provider is in its back-off. The upper bound ends a back-off that became long because the clock was set back. */
  function isResting(id: number): boolean {
    const backOff = backoffs.get(id);
    const left = backOff ? backOff.until - clock.now() : 0;
    return left > 0 && left <= MAX_REST_MS * 2;
  }

  /** The next task at a provider: a due invoice, a due refund, or a page of the list; null: none. */
  function findNextTask({ id, enabled }: ProviderRow): Next | null {
    const now = clock.now();
    const due = store.payments.due(id, now);
    if (due) return { invoice: due.id };
    const refund = store.payments.refundDue(id, now);
    if (refund) return { refund: refund.id };
    if (!enabled && !store.payments.hasOpen(id)) return null;
    const { caughtUpAt = null } = store.providers.reading(id) ?? {};
    const left = (listBackoffs.get(id) ?? 0) - now;
    if (left > 0 && left <= LIST_BACKOFF_MS) return null;
    const isOld = caughtUpAt === null || Math.abs(now - caughtUpAt) >= HOUR_MS;
    return isOld || !read.has(id) ? 'list' : null;
  }

  async function work(id: number): Promise<void> {
    let pages = 0;
    for (;;) {
      const provider = store.providers.get(id);
      const next = provider && !tasks.isStopping() ? findNextTask(provider) : null;
      if (!provider || next === null) return;
      const outcome = await pollNext(provider, next);
      if (outcome === null && next === 'list') read.add(id);
      if (outcome === 'more') pages += 1;
      if (pages === MAX_PAGES) {
        pages = 0;
        listBackoffs.set(id, clock.now() + LIST_BACKOFF_MS);
      }
      if (outcome === null || outcome === 'more') backoffs.delete(id);
      // Keys that may not read the list may still read single orders.
      else if (next === 'list' && outcome.error === 'forbidden') listBackoffs.set(id, clock.now() + LIST_BACKOFF_MS);
      else return backOff(id, outcome);
    }
  }

  function pollNext(provider: ProviderRow, next: Next): Promise<PollFailure | 'more'> {
    if (next === 'list') return readPage(env, provider);
    return 'refund' in next ? requestRefund(env, next.refund) : pollInvoice(env, next.invoice);
  }

  function backOff(
    id: number,
    { error, retryAfterMs }: Pick<NonNullable<PollFailure>, 'error' | 'retryAfterMs'>,
  ): void {
    if (error === 'stopped') return;
    const failures = (backoffs.get(id)?.failures ?? 0) + 1;
    const own = Math.min(MAX_REST_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1));
    backoffs.set(id, { failures, until: clock.now() + Math.max(own, Math.min(retryAfterMs, MAX_REST_MS)) });
    log.warn('payment provider fails', { provider: id, error });
  }

  return { wake };
}
