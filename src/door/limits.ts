// Who may call the API, and how often: token buckets per key, and per network for requests without a valid key.
import { isIPv6 } from 'node:net';
import type { Actor } from '../core/call.ts';
import type { Core } from '../core/core.ts';
import { PanelError } from '../core/panel-error.ts';
import type { Clock } from '../core/ports/ports.ts';

/** What is allowed on average and at once. `perMinute` 0: no limit. */
export interface RateRule {
  /** Requests in 60 seconds. */
  readonly perMinute: number;
  /** Requests at once, before the average counts; never more than a minute's. */
  readonly burst: number;
}

/** The state of a budget after one request, in whole requests and seconds. */
export interface RateVerdict {
  readonly rule: RateRule;
  readonly isAllowed: boolean;
  /** Requests left at this moment. */
  readonly remaining: number;
  /** Seconds until the budget is full again, rounded up: `t` of RateLimit, and Retry-After. */
  readonly resetSeconds: number;
}

export interface RateLimiter<Key> {
  /** Takes one request from the budget of `key`; `now` is epoch ms. */
  take(key: Key, rule: RateRule, now: number): RateVerdict;
}

interface Bucket {
  tokens: number;
  at: number;
}

const MS_PER_MINUTE = 60_000;

/** A limiter with at most `capacity` buckets; beyond that the oldest bucket is dropped, so its key starts with a full budget. */
export function createRateLimiter<Key>(capacity = 10_000): RateLimiter<Key> {
  const buckets = new Map<Key, Bucket>();

  function bucketOf(key: Key, rule: RateRule, burst: number, now: number): Bucket {
    const known = buckets.get(key);
    if (known !== undefined) {
      // A clock that was set back must not freeze a budget.
      const passed = Math.max(0, now - known.at);
      known.tokens = Math.min(burst, known.tokens + (passed * rule.perMinute) / MS_PER_MINUTE);
      known.at = now;
      return known;
    }
    if (buckets.size >= capacity) {
      for (const oldest of buckets.keys()) {
        buckets.delete(oldest);
        break;
      }
    }
    const bucket = { tokens: burst, at: now };
    buckets.set(key, bucket);
    return bucket;
  }

  return {
    take(key, rule, now) {
      const burst = Math.min(rule.burst, rule.perMinute);
      const bucket = bucketOf(key, rule, burst, now);
      const isAllowed = bucket.tokens >= 1;
      if (isAllowed) bucket.tokens -= 1;
      const missing = burst - bucket.tokens;
      return {
        rule,
        isAllowed,
        remaining: Math.floor(bucket.tokens),
        resetSeconds: Math.max(1, Math.ceil((missing * MS_PER_MINUTE) / rule.perMinute / 1000)),
      };
    },
  };
}

/** What counts as one caller: an IPv4 address, or the /64 of an IPv6 address, since a household has the whole of it. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail ? tail.split(':') : [];
  const gap = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array<string>(gap).fill('0'), ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** Requests without a valid key are rare where all is well, so a small budget is enough. */
const FAILED: RateRule = { perMinute: 60, burst: 60 };

export interface AdmissionParts {
  readonly core: Pick<Core, 'authenticateKey' | 'noteKeyUse'>;
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
      if (rule.perMinute > 0) {
        const now = clock.now();
        const verdict = isValid ? keys.take(actor.id, rule, now) : failures.take(networkOf(address), FAILED, now);
        onVerdict(verdict);
        if (!verdict.isAllowed) throw new PanelError('rate_limited', undefined, verdict.resetSeconds);
      }
      if (!isValid) throw new PanelError('unauthorized');
      core.noteKeyUse(actor.id, address);
      return actor;
    },
  };
}
