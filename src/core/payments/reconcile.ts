// Reconciliation: reads a provider's payments of a month, records them, and compares the sums with the recorded payments.

import type { ProviderPermission } from '../../contract/sales/providers.ts';
import type { Input, Output } from '../../contract/table.ts';
import { fromLocal, startOfLocalMonth } from '../../domain/calendar.ts';
import { DAY_MS } from '../../domain/limits.ts';
import { isOwnToken } from '../../domain/sales/own-token.ts';
import { type Difference, reconcile, type TheirPayment } from '../../domain/sales/reconcile.ts';
import type { AsyncContext, Context, Handlers } from '../kernel/context.ts';
import { bodyError } from '../kernel/panel-error.ts';
import { toInstant } from '../kernel/wire.ts';
import type { PaymentRow } from '../ports/payments.ts';
import type {
  PaymentPage,
  PaymentProviders,
  ProviderAccess,
  ProviderFailure,
  ProviderPayment,
  ReadPayments,
} from '../ports/providers.ts';
import { findProblem, recordAnswer } from './account-health.ts';
import { RECORD_PAYMENT } from './provider-call.ts';
import { accessTo, requireClient, requireProvider } from './providers.ts';
import { recordPayment } from './record.ts';

/** Pages of a provider's list that are read; each needs one or more requests. */
const MAX_PAGES = 40;
/** Recorded payments missing in the list that are read one by one. */
const MAX_SINGLE = 100;

interface Found extends ReadPayments {
  /** Whether the list was read to its end. */
  readonly isWhole: boolean;
}

function parseMonth(text: string, zone: string): { readonly from: number; readonly to: number } {
  const [year = 0, month = 1] = text.split('-').map(Number);
  const middle = fromLocal({ year, month, day: 15, hour: 12, minute: 0, second: 0, ms: 0 }, zone);
  const from = startOfLocalMonth(middle, zone);
  return { from, to: startOfLocalMonth(from + 32 * DAY_MS, zone) };
}

/** Merges entries of the same payment: a list may have refunds as entries of their own, with the id of their payment. */
function mergePayments(payments: readonly ProviderPayment[]): readonly ProviderPayment[] {
  const byId = new Map<string, ProviderPayment>();
  for (const payment of payments) {
    const before = byId.get(payment.externalId);
    if (!before) byId.set(payment.externalId, payment);
    else
      byId.set(payment.externalId, {
        ...before,
        paidAt: before.paidAt ?? payment.paidAt,
        refunded: Math.max(before.refunded, payment.refunded),
      });
  }
  return [...byId.values()];
}

async function listPayments(
  client: PaymentProviders,
  access: ProviderAccess,
  from: number,
): Promise<Found | ProviderFailure> {
  const payments: ProviderPayment[] = [];
  const missing = new Set<ProviderPermission>();
  let cursor: string | { readonly from: number } = { from };
  for (let page = 0; page < MAX_PAGES; page++) {
    const found: PaymentPage | ProviderFailure = await client.since(access, cursor);
    if ('error' in found) return found;
    payments.push(...found.payments);
    for (const permission of found.missing ?? []) missing.add(permission);
    cursor = found.cursor;
    if (!found.hasMore) return { payments, missing: [...missing], isWhole: found.isRepeated !== true };
  }
  return { payments, missing: [...missing], isWhole: false };
}

/** Reads recorded payments that the list does not have from the provider, one by one. */
async function readUnlisted(
  client: PaymentProviders,
  access: ProviderAccess,
  rows: readonly PaymentRow[],
  listed: ReadonlySet<string>,
) {
  const payments: ProviderPayment[] = [];
  for (const { externalId } of rows.filter((row) => !listed.has(row.externalId)).slice(0, MAX_SINGLE)) {
    const found = await client.read(access, { externalId, token: '' });
    if ('error' in found) break;
    payments.push(...found.payments);
  }
  return payments;
}

async function compare(input: Input<'reconcilePayments'>, context: AsyncContext<'reconcilePayments'>) {
  const { env } = context;
  const provider = requireProvider(env, input.provider_id);
  const { from, to } = parseMonth(input.month, env.settings().timeZone);
  const startedAt = env.clock.now();
  if (from > startedAt) throw bodyError('validation', '#/month', 'too_big', 'must not lie in the future');
  await env.vault.prepare();
  const access = accessTo(env, provider);
  if (!access) throw bodyError('provider_failed', '#/provider_id', 'no_answer', 'has no keys here');
  const client = requireClient(env);
  const { lookbackMs, listReachMs } = client.facts(provider.kind);
  const since = Math.max(0, from - lookbackMs);
  const list = await listPayments(client, access, since);
  if ('error' in list) {
    await env.transact({ name: 'reconcilePayments', by: 'payments' }, (tx) => recordAnswer(tx, provider.id, list));
    throw bodyError('provider_failed', '#/provider_id', 'no_answer', `does not answer: ${list.error}`);
  }
  const own = list.payments.filter(({ token }) => isOwnToken(token));
  // Record the answer first, as after any other reading of the list.
  await env.transact(RECORD_PAYMENT, (tx) => {
    recordAnswer(tx, provider.id, findProblem(list));
    for (const payment of own) recordPayment(tx, provider, payment);
  });
  const rows = env.store.payments.paidBetween(provider.id, from, to);
  const more = await readUnlisted(client, access, rows, new Set(own.map(({ externalId }) => externalId)));
  return context.commit((tx) => {
    const recorded = tx.store.payments.paidBetween(provider.id, from, to);
    const theirs: readonly TheirPayment[] = mergePayments([...own, ...more])
      .filter(({ state }) => state !== 'open' && state !== 'held' && state !== 'expired' && state !== 'failed')
      .map(({ externalId, paid, refunded }) => ({ externalId, ...paid, refunded }));
    const { sums, differences } = reconcile(theirs, recorded);
    const foreign = sumForeignPayments(list.payments, from, to);
    tx.audit(`provider:${provider.id}`, { month: input.month, differences: differences.length });
    const isWhole = list.isWhole && (listReachMs === null || since >= startedAt - listReachMs);
    const items = differences.map((one) => viewDifference(tx, one));
    return { body: { asked_at: toInstant(startedAt), whole: isWhole, sums: [...sums], differences: items, foreign } };
  });
}

/** Sums, by currency, of the month's payments that other programs have received in this account. */
function sumForeignPayments(payments: readonly ProviderPayment[], from: number, to: number) {
  const sums = new Map<string, { readonly currency: string; readonly amount: number; readonly payments: number }>();
  for (const { token, paid, refunded, paidAt, state } of mergePayments(payments)) {
    if (isOwnToken(token) || paidAt === null || paidAt < from || paidAt >= to) continue;
    if (state === 'open' || state === 'held' || state === 'expired' || state === 'failed') continue;
    const { currency } = paid;
    const sum = sums.get(currency) ?? { currency, amount: 0, payments: 0 };
    const amount = sum.amount + Math.max(0, paid.amount - refunded);
    sums.set(currency, { currency, amount, payments: sum.payments + 1 });
  }
  return [...sums.values()];
}

type DifferenceView = Output<'reconcilePayments'>['differences'][number];

function viewDifference({ store }: Context, { reason, payment, theirs, ours }: Difference): DifferenceView {
  const order = payment.orderId === null ? undefined : store.sales.order(payment.orderId);
  const user = order?.userId == null ? undefined : store.users.get(order.userId);
  return {
    reason,
    payment_id: payment.id,
    external_id: payment.externalId,
    order_id: payment.orderId,
    order_state: order?.state ?? null,
    user: user ? { id: user.id, name: user.name } : null,
    paid_at: toInstant(payment.paidAt),
    theirs,
    ours,
  };
}

export const RECONCILE_HANDLERS = {
  reconcilePayments: { run: compare },
} satisfies Handlers<'reconcilePayments'>;
