// Whether a payment provider refuses requests.
import type { ProviderError } from '../../contract/sales/providers.ts';

/** Errors that do not pass by themselves: the provider answers with a refusal. */
const REFUSALS = [
  'unauthorized',
  'forbidden',
  'open_refused',
  'refused',
  'list_repeats',
  'no_keys',
] as const satisfies readonly ProviderError[];
export type ProviderRefusal = (typeof REFUSALS)[number];

/** Whether the administrator has to act. */
export function isRefusal(error: ProviderError): error is ProviderRefusal {
  return REFUSALS.some((one) => one === error);
}
