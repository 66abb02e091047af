// Asks payment providers about what is open, in the times of domain/asking.ts, and reads their lists at start and each hour: nothing
// waits to be told. Each provider has a turn of its own, so that one that hangs holds up its own orders only.

import { HOUR_MS } from '../../domain/limits.ts';
import type { Env } from '../context.ts';
import type { ProviderRow } from '../ports/providers.ts';
import { type Asked, askInvoice, askRefund, readPage } from './checkout.ts';

/** After a failure a provider rests, twice as long each time. */
const FIRST_REST_MS = 5000;
const MOST_REST_MS = 10 * 60_000;
/** Of a list in one go: one that never ends must not be read for ever. What is behind them is read later, and orders are asked about meanwhile. */
const MOST_PAGES = 100;
const LIST_REST_MS = 5 * 60_000;

interface Rest {
  readonly until: number;
  readonly failures: number;
}

type Next = { readonly invoice: number } | { readonly refund: number } | 'list';

export interface PaymentAsker {
  /** Asks what is due; resolved when the providers have answered. */
  wake(): Promise<void>;
  /** Waits for what runs, after the providers' client was closed. */
  stop(): Promise<void>;
}

export function createPaymentAsker(env: Env): PaymentAsker {
  const { store, clock, vault, log } = env;
  const running = new Map<number, Promise<void>>();
  const rests = new Map<number, Rest>();
  /** Providers whose list was read to its end since the start. */
  const read = new Set<number>();
  /** When the list of a provider that had more than that is read on. */
  const listRests = new Map<number, number>();

  async function wake(): Promise<void> {
    const isOpen = vault.state() === 'unlocked' || vault.state() === 'headless';
    if (!isOpen || env.isStopping || store.diskSpace.isFull()) return;
    for (const provider of store.providers.all()) {
      if (running.has(provider.id) || isResting(provider.id) || nextOf(provider) === null) continue;
      const turn = work(provider.id)
        .catch((error: unknown) => {
          log.error('asking a payment provider failed', { error: String(error) });
          rest(provider.id, { error: 'unavailable', retryAfterMs: 0 });
        })
        .finally(() => running.delete(provider.id));
      running.set(provider.id, turn);
    }
    await Promise.all(running.values());
  }

  /** Not beyond the longest rest, where the clock was set back. */
  function isResting(id: number): boolean {
    const rest = rests.get(id);
    const left = rest ? rest.until - clock.now() : 0;
    return left > 0 && left <= MOST_REST_MS * 2;
  }

  /** What is to be done next: an invoice to ask about, a refund to ask for again, or a page of the list. */
  function nextOf({ id, enabled }: ProviderRow): Next | null {
    const now = clock.now();
    const due = store.payments.due(id, now);
    if (due) return { invoice: due.id };
    const refund = store.payments.refundDue(id, now);
    if (refund) return { refund: refund.id };
    if (!enabled && !store.payments.hasOpen(id)) return null;
    const { caughtUpAt = null } = store.providers.reading(id) ?? {};
    const left = (listRests.get(id) ?? 0) - now;
    if (left > 0 && left <= LIST_REST_MS) return null;
    const isOld = caughtUpAt === null || Math.abs(now - caughtUpAt) >= HOUR_MS;
    return isOld || !read.has(id) ? 'list' : null;
  }

  async function work(id: number): Promise<void> {
    let pages = 0;
    for (;;) {
      const provider = store.providers.get(id);
      const next = provider && !env.isStopping ? nextOf(provider) : null;
      if (!provider || next === null) return;
      const outcome = await ask(provider, next);
      if (outcome === null && next === 'list') read.add(id);
      if (outcome === 'more') pages += 1;
      if (pages === MOST_PAGES) {
        pages = 0;
        listRests.set(id, clock.now() + LIST_REST_MS);
      }
      if (outcome === null || outcome === 'more') rests.delete(id);
      else return rest(id, outcome);
    }
  }

  function ask(provider: ProviderRow, next: Next): Promise<Asked | 'more'> {
    if (next === 'list') return readPage(env, provider);
    return 'refund' in next ? askRefund(env, next.refund) : askInvoice(env, next.invoice);
  }

  function rest(id: number, { error, retryAfterMs }: Pick<NonNullable<Asked>, 'error' | 'retryAfterMs'>): void {
    if (error === 'stopped') return;
    const failures = (rests.get(id)?.failures ?? 0) + 1;
    const own = Math.min(MOST_REST_MS, FIRST_REST_MS * 2 ** (failures - 1));
    rests.set(id, { failures, until: clock.now() + Math.max(own, Math.min(retryAfterMs, MOST_REST_MS)) });
    log.warn('payment provider fails', { provider: id, error });
  }

  return {
    wake,
    async stop() {
      await Promise.all([...running.values(), ...env.providerCalls.values()].map((one) => one.catch(() => null)));
    },
  };
}
