// Admission to the API: a budget for each key, and for each network without a valid key.

import type { Core } from '../core/kernel/core.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { Actor } from '../core/ports/call.ts';
import type { Clock } from '../core/ports/ports.ts';
import { computeNetwork } from '../domain/client-network.ts';
import { createRateLimiter, type RateRule, type RateVerdict } from '../domain/rate-limiter.ts';

/** Requests without a valid key are rare in normal operation. */
const FAILED: RateRule = { perMinute: 60, burst: 60 };

export interface AdmissionParts {
  readonly core: Pick<Core, 'authenticateKey' | 'recordKeyUse' | 'recordFailedKey'>;
  readonly clock: Clock;
  /** The budget of a key; `perMinute` 0: keys and failures are unlimited. */
  rateRule(): RateRule;
}

export interface Admission {
  /** The caller of a key; null: the request has none. Throws PanelError `unauthorized`, `rate_limited`. */
  admit(key: string | null, address: string, onVerdict: (verdict: RateVerdict) => void): Actor;
}

/** Failed keys are counted by network, so they never use up a valid key's budget. */
export function createAdmission({ core, clock, rateRule }: AdmissionParts): Admission {
  const keys = createRateLimiter<number>();
  const failures = createRateLimiter<string>();
  return {
    admit(key, address, onVerdict) {
      const actor = key === null ? null : core.authenticateKey(key);
      const rule = rateRule();
      const isValid = actor !== null && actor.id !== null;
      if (rule.perMinute === 0 && !isValid && key !== null) core.recordFailedKey(address, false);
      if (rule.perMinute > 0) {
        const now = clock.now();
        const verdict = isValid
          ? keys.consumeRequest(actor.id, rule, now)
          : failures.consumeRequest(computeNetwork(address), FAILED, now);
        onVerdict(verdict);
        if (!isValid && key !== null) core.recordFailedKey(address, !verdict.isAllowed);
        if (!verdict.isAllowed) throw new PanelError('rate_limited', undefined, verdict.retryAfter);
      }
      if (!isValid) throw new PanelError('unauthorized');
      core.recordKeyUse(actor.id, address);
      return actor;
    },
  };
}

/** Enough for signed-out pages, which read the panel's state and sign in. */
const SIGNED_OUT: RateRule = { perMinute: 300, burst: 100 };

export interface Strangers {
  /** Counts one unauthenticated call of the panel door for its network. Throws PanelError `rate_limited`. */
  admit(address: string): void;
}

export function createStrangers({ clock, rateRule }: Pick<AdmissionParts, 'clock' | 'rateRule'>): Strangers {
  const calls = createRateLimiter<string>();
  return {
    admit(address) {
      if (rateRule().perMinute === 0) return;
      const { isAllowed, retryAfter } = calls.consumeRequest(computeNetwork(address), SIGNED_OUT, clock.now());
      if (!isAllowed) throw new PanelError('rate_limited', undefined, retryAfter);
    },
  };
}
