// Who may call the API, and how often: a budget for each key, and for each network of requests without a valid key.

import type { Core } from '../core/kernel/core.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { Actor } from '../core/ports/call.ts';
import type { Clock } from '../core/ports/ports.ts';
import { computeNetwork } from '../domain/client-network.ts';
import { createRateLimiter, type RateRule, type RateVerdict } from '../domain/rate-limiter.ts';

/** Requests without a valid key are rare where all is well, so a small budget is enough. */
const FAILED: RateRule = { perMinute: 60, burst: 60 };

export interface AdmissionParts {
  readonly core: Pick<Core, 'authenticateKey' | 'recordKeyUse' | 'recordFailedKey'>;
  readonly clock: Clock;
  /** The budget of a key; `perMinute` 0: neither keys nor failures are limited. */
  rateRule(): RateRule;
}

export interface Admission {
  /** The caller behind a key; null: the request carries none. Throws PanelError `unauthorized`, `rate_limited`. */
  admit(key: string | null, address: string, onVerdict: (verdict: RateVerdict) => void): Actor;
}

/** A failed key never spends a valid key's budget: failures are counted by network. */
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

/** A page that is signed out asks for the state of the panel and signs in: some times a minute. */
const SIGNED_OUT: RateRule = { perMinute: 300, burst: 100 };

export interface Strangers {
  /** Takes one call of the panel's door without a session from the budget of its network. Throws PanelError `rate_limited`. */
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
