// Lets a caller in: a valid key, within its budget. Requests without one have a budget per network, which no valid key feels.
import type { Actor } from '../core/call.ts';
import type { Core } from '../core/core.ts';
import { PanelError } from '../core/panel-error.ts';
import type { Clock } from '../core/ports/ports.ts';
import { bearerKey } from './authenticate.ts';
import type { Exchange } from './exchange.ts';
import { createRateLimiter, networkOf, type RateRule, type RateVerdict } from './rate-limit.ts';

/** Requests without a valid key: rare where all is well, so few are enough. */
const FAILED: RateRule = { perMinute: 60, burst: 60 };

export interface AdmissionParts {
  readonly core: Pick<Core, 'authenticateKey' | 'noteKeyUse'>;
  readonly clock: Clock;
  /** The budget of a key; `perMinute` 0: neither keys nor failures are limited. */
  rateRule(): RateRule;
}

export type Admission = (exchange: Exchange, address: string) => Actor;

/** Answers with who calls and notes the budget in the exchange. Throws PanelError `unauthorized`, `rate_limited`. */
export function createAdmission({ core, clock, rateRule }: AdmissionParts): Admission {
  const keys = createRateLimiter<number>();
  const failures = createRateLimiter<string>();
  return (exchange, address) => {
    const key = bearerKey(exchange.request);
    const actor = key === null ? null : core.authenticateKey(key);
    const rule = rateRule();
    if (actor === null || actor.id === null) {
      if (rule.perMinute > 0) spend(exchange, failures.take(networkOf(address), FAILED, clock.now()));
      throw new PanelError('unauthorized');
    }
    if (rule.perMinute > 0) spend(exchange, keys.take(actor.id, rule, clock.now()));
    core.noteKeyUse(actor.id, address);
    return actor;
  };
}

function spend(exchange: Exchange, verdict: RateVerdict): void {
  exchange.rate = verdict;
  if (!verdict.isAllowed) throw new PanelError('rate_limited', undefined, verdict.resetSeconds);
}
