// A request to a payment provider: with the keys of its account, and what was answered is written in a transaction of the panel.

import type { Action, Env } from '../kernel/context.ts';
import type { ProviderAccess, ProviderFailure, ProviderRow } from '../ports/providers.ts';
import { accessTo } from './providers.ts';

export type ProviderCallEnv = Pick<
  Env,
  'clock' | 'paymentProviders' | 'providerCalls' | 'store' | 'subUrl' | 'transact' | 'vault'
>;

/** What a provider says is recorded. */
export const RECORD_PAYMENT: Action = { name: 'takePayment', by: 'payments' };

/** How a question to a provider went: null: it answered. */
export type PollFailure = ProviderFailure | null;

export interface Called {
  readonly provider: ProviderRow;
  readonly access: ProviderAccess;
}

export const MALFORMED: ProviderFailure = { error: 'malformed', retryAfterMs: 0, isUnclear: true };

export const NO_CLIENT: ProviderFailure = { error: 'unavailable', retryAfterMs: 0, isUnclear: false };

/** Until the next try after one without a clear answer. */
export const RETRY_MS = 60_000;

/** The provider with its keys; a failure where there are none. */
export function prepareCall(
  { store, vault }: Pick<Env, 'store' | 'vault'>,
  providerId: number | null,
): Called | ProviderFailure {
  const provider = providerId === null ? undefined : store.providers.get(providerId);
  const access = provider && accessTo({ store, vault }, provider);
  return provider && access ? { provider, access } : { error: 'no_keys', retryAfterMs: 0, isUnclear: false };
}
