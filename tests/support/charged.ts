// What a provider charges, by what it was sent: its own rule for amounts, written apart from that of its adapter.
import type { ProviderKind } from '../../src/contract/sales/providers.ts';

/** https://docs.stripe.com/currencies: how many digits Stripe counts where it is not two. The special cases are below its list, and count. */
const STRIPE_DIGITS: Readonly<Record<string, number>> = Object.fromEntries([
  ...'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0]),
  ...'BHD JOD KWD OMR TND'.split(' ').map((code) => [code, 3]),
  ...'ISK UGX'.split(' ').map((code) => [code, 2]),
]);

/** What a buyer is charged, in the major unit without zeros at the end, by what the provider was sent. */
export function charged(kind: ProviderKind, amount: string, currency: string): string {
  const digits = kind === 'stripe' ? (STRIPE_DIGITS[currency] ?? 2) : null;
  const text =
    digits === null ? amount : amount.padStart(digits + 1, '0').replace(new RegExp(`(.{${digits}})$`), '.$1');
  return text.includes('.') ? text.replace(/\.?0*$/, '') : text;
}
