// Refunds payments at their providers. The idempotency key is stored before the request, which is repeated with it until the outcome is clear.

import type { ProviderError } from '../../contract/sales/providers.ts';
import type { Action, Env, Transaction } from '../kernel/context.ts';
import { bodyError, PanelError } from '../kernel/panel-error.ts';
import type { PaymentRow } from '../ports/payments.ts';
import type { ProviderFailure, StartedRefund } from '../ports/providers.ts';
import { recordAnswer } from './account-health.ts';
import {
  type Called,
  NO_CLIENT,
  type PollFailure,
  type ProviderCallEnv,
  prepareCall,
  RECORD_PAYMENT,
  RETRY_MS,
} from './provider-call.ts';
import { endRefund, failRefund } from './record.ts';
import { isId } from './sanitize-payment.ts';

const REFUND: Action = { name: 'refundOrder', by: 'payments' };
/** Interval of polls of a pending refund. */
const REFUND_POLL_MS = 10 * 60_000;

/** Failures after which a refund is not requested again. */
const FINAL: ReadonlySet<ProviderError> = new Set(['refused', 'forbidden', 'unsupported']);

/** Whether a payment can be refunded by its provider. */
export function canRefund({ paymentProviders }: Pick<Env, 'paymentProviders'>, payment: PaymentRow): boolean {
  const { kind, providerId, state, providerState } = payment;
  const isPaid =
    providerId !== null && state !== 'refunded' && (providerState === 'paid' || providerState === 'dispute_won');
  return isPaid && paymentProviders?.facts(kind).canRefund === true;
}

/**
 * Refunds a payment at its provider, then revokes what its order gave. A refund without a clear answer is requested again with the same key.
 * Throws PanelError `provider_failed`, `order_refunded`.
 */
export async function refundPayment(env: ProviderCallEnv, id: number, note: string): Promise<void> {
  await env.vault.prepare();
  await env.transact(RECORD_PAYMENT, (tx) => {
    const payment = tx.store.payments.payment(id);
    if (!payment || !canRefund(env, payment)) throw new PanelError('order_refunded');
    const refundKey = payment.refundKey ?? tx.crypto.uuid();
    tx.store.payments.savePayment({ ...payment, refundKey, note, nextRefundAt: tx.now + RETRY_MS });
  });
  const failed = await requestRefund(env, id, true);
  if (failed) throw bodyError('provider_failed', '#/id', 'no_answer', 'was not given back');
}

/**
 * Requests a refund whose key is stored, or polls a pending one. `isAwaited`: the caller reports a refusal; else the payment is flagged for
 * a decision.
 */
export function requestRefund(env: ProviderCallEnv, id: number, isAwaited = false): Promise<PollFailure> {
  // Negative, because payments and invoices share this map but have their own ids.
  return env.providerCalls.share(-id, async () => {
    const before = env.store.payments.payment(id);
    if (!before || before.refundKey === null || before.nextRefundAt === null) return null;
    const called = prepareCall(env, before.providerId);
    const { externalId, buyer, amount, currency, refundKey: idempotencyKey, refundId } = before;
    if (refundId !== null) return pollRefund(env, id, refundId, called);
    const request = { externalId, buyer, price: { amount, currency }, idempotencyKey };
    const outcome =
      'error' in called ? called : ((await env.paymentProviders?.refund(called.access, request)) ?? NO_CLIENT);
    if ('error' in outcome && outcome.error === 'stopped') return outcome;
    await env.transact(REFUND, (tx) => {
      const isOfKeys = 'error' in outcome && (outcome.error === 'forbidden' || outcome.error === 'unauthorized');
      if (isOfKeys && before.providerId !== null) recordAnswer(tx, before.providerId, outcome);
      recordRefund(tx, id, outcome, isAwaited);
    });
    return 'error' in outcome ? outcome : null;
  });
}

async function pollRefund(
  env: Pick<Env, 'paymentProviders' | 'transact'>,
  id: number,
  refundId: string,
  called: Called | ProviderFailure,
): Promise<PollFailure> {
  const answer =
    'error' in called ? called : ((await env.paymentProviders?.readRefund(called.access, refundId)) ?? NO_CLIENT);
  if ('error' in answer && answer.error === 'stopped') return answer;
  await env.transact(REFUND, (tx) => {
    const payment = tx.store.payments.payment(id);
    if (payment?.refundId !== refundId) return;
    if (!('error' in called)) recordAnswer(tx, called.provider.id, 'error' in answer ? answer : null);
    if ('state' in answer && answer.state === 'done') endRefund(tx, payment);
    else if ('state' in answer && answer.state === 'failed') failRefund(tx, payment);
    else {
      const wait = 'error' in answer ? answer.retryAfterMs : 0;
      tx.store.payments.savePayment({ ...payment, nextRefundAt: tx.now + Math.max(REFUND_POLL_MS, wait) });
    }
  });
  return 'error' in answer ? answer : null;
}

function recordRefund(tx: Transaction, id: number, outcome: StartedRefund | ProviderFailure, isAwaited: boolean): void {
  const payment = tx.store.payments.payment(id);
  // The provider's list has already reported the refund.
  if (!payment || payment.nextRefundAt === null) return;
  if (!('error' in outcome)) {
    const { isDone, refundId } = outcome;
    const known = refundId !== null && isId(refundId) ? refundId : null;
    if (isDone) endRefund(tx, payment);
    else
      tx.store.payments.savePayment({
        ...payment,
        refundId: known,
        nextRefundAt: tx.now + (known === null ? RETRY_MS : REFUND_POLL_MS),
      });
  } else if (!FINAL.has(outcome.error))
    tx.store.payments.savePayment({ ...payment, nextRefundAt: tx.now + Math.max(RETRY_MS, outcome.retryAfterMs) });
  // Providers refuse a repeated key only if they refused the first request.
  else if (isAwaited) tx.store.payments.savePayment({ ...payment, refundKey: null, nextRefundAt: null });
  else failRefund(tx, payment);
}
