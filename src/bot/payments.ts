// Money in an update: a payment in Stars, or a refund.
import type { Update } from 'grammy/types';
import type { ProviderPayment } from '../core/ports/providers.ts';

type Paid = Pick<
  NonNullable<NonNullable<Update['message']>['successful_payment']>,
  'currency' | 'invoice_payload' | 'telegram_payment_charge_id' | 'total_amount'
>;

/** null: the update has nothing to do with money. */
export function parsePayment({ message }: Update): ProviderPayment | null {
  const given = message?.successful_payment;
  const back = message?.refunded_payment;
  const reported: Paid | undefined = given ?? back;
  if (message === undefined || reported === undefined) return null;
  const { currency, invoice_payload, telegram_payment_charge_id: externalId, total_amount: amount } = reported;
  return {
    externalId,
    token: invoice_payload,
    state: given ? 'paid' : 'refunded',
    paid: { amount, currency },
    refunded: given ? 0 : amount,
    isTest: false,
    paidAt: given ? message.date * 1000 : null,
    // A private chat has the id of the person.
    buyer: String(message.from?.id ?? message.chat.id),
    raw: JSON.stringify({ id: externalId, amount, currency, date: message.date, invoice_payload, incoming: !!given }),
  };
}
