// Whether a payment provider refuses what it is asked.
import type { ProviderError } from '../../contract/sales/providers.ts';

/** What does not pass by itself: the provider answers, and refuses. */
const REFUSALS = [
  'unauthorized',
  'forbidden',
  'open_refused',
  'refused',
  'list_repeats',
  'no_keys',
] as const satisfies readonly ProviderError[];
export type ProviderRefusal = (typeof REFUSALS)[number];

/** Whether the administrator has to do something about it. */
export function isRefusal(error: ProviderError): error is ProviderRefusal {
  return REFUSALS.some((one) => one === error);
}
