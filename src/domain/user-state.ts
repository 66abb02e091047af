// A user's state follows from the facts alone, here and nowhere else, so that no read, filter or event can disagree.

import type { Hold, UserState } from '../contract/users.ts';
import { addBytes } from './limits.ts';

/** Everything that a state follows from. Bytes; `used` is up and down of this period, `extra` what is left in grants. */
export interface StateFacts {
  readonly enabled: boolean;
  readonly expiresAt: number | null;
  readonly hold: Hold | null;
  readonly trafficLimit: number | null;
  readonly used: number;
  readonly extra: number;
}

/** The state at `now` (epoch ms): disabled, else expired, else limited, else on hold, else active. */
export function userState(facts: StateFacts, now: number): UserState {
  if (!facts.enabled) return 'disabled';
  if (facts.expiresAt !== null && facts.expiresAt <= now) return 'expired';
  if (facts.trafficLimit !== null && facts.used >= facts.trafficLimit && facts.extra === 0) return 'limited';
  if (facts.hold !== null) return 'on_hold';
  return 'active';
}

/** Whether a user in this state may connect. One on hold may: the first connection begins the term. */
export function canConnect(state: UserState): boolean {
  return state === 'active' || state === 'on_hold';
}

/** Bytes that may still move: what the limit leaves and what the grants hold (at most 2^53-1); null = unlimited. */
export function trafficRemaining(facts: Pick<StateFacts, 'trafficLimit' | 'used' | 'extra'>): number | null {
  if (facts.trafficLimit === null) return null;
  return addBytes(Math.max(0, facts.trafficLimit - facts.used), facts.extra);
}
