// What requests to payment providers share: the account's keys, common failures, and the action under which answers are recorded.

import type { Action, Env } from '../kernel/context.ts';
import type { ProviderAccess, ProviderFailure, ProviderRow } from '../ports/providers.ts';
import { accessTo } from './providers.ts';

export type ProviderCallEnv = Pick<
  Env,
  'clock' | 'paymentProviders' | 'providerCalls' | 'store' | 'subUrl' | 'transact' | 'vault'
>;

/** The action of transactions that record a provider's answers. */
export const RECORD_PAYMENT: Action = { name: 'takePayment', by: 'payments' };

/** The outcome of a call to a provider; null: it answered. */
export type PollFailure = ProviderFailure | null;

export interface Called {
  readonly provider: ProviderRow;
  readonly access: ProviderAccess;
}

export const MALFORMED: ProviderFailure = { error: 'malformed', retryAfterMs: 0, isUnclear: true };

export const NO_CLIENT: ProviderFailure = { error: 'unavailable', retryAfterMs: 0, isUnclear: false };

/** The wait after an attempt without a clear answer. */
export const RETRY_MS = 60_000;

/** The provider with its keys; a failure if it was deleted or has none. */
export function prepareCall(
  { store, vault }: Pick<Env, 'store' | 'vault'>,
  providerId: number | null,
): Called | ProviderFailure {
  const provider = providerId === null ? undefined : store.providers.get(providerId);
  const access = provider && accessTo({ store, vault }, provider);
  return provider && access ? { provider, access } : { error: 'no_keys', retryAfterMs: 0, isUnclear: false };
}
