// Rate limits: token buckets by key, each with a burst and a limit per minute.

/** Requests allowed per minute and at once. `perMinute` 0: no limit. */
export interface RateRule {
  /** Requests in 60 seconds. */
  readonly perMinute: number;
  /** Requests at once, at most `perMinute`. They refill evenly at the rate per minute. */
  readonly burst: number;
}

/** One budget after a request, in whole requests and seconds. */
export interface Budget {
  readonly quota: number;
  /** The time in which an empty budget refills. */
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Seconds until it is full again, rounded up. */
  readonly resetSeconds: number;
}

/** The result of both budgets for a request. */
export interface RateVerdict {
  readonly isAllowed: boolean;
  readonly burst: Budget;
  readonly minute: Budget;
  /** Seconds until the next request is allowed, rounded up; 0: now. */
  readonly retryAfter: number;
}

export interface RateLimiter<Key> {
  /** Takes one request from both budgets of `key` if both have one left; `now` is epoch ms. */
  consumeRequest(key: Key, rule: RateRule, now: number): RateVerdict;
  /** Returns one request to both budgets. */
  returnRequest(key: Key): void;
}

/** Integers only, so that a request is allowed after exactly the announced time. */
interface Bucket {
  /** Tokens left in the burst, in parts of a request: it grows by `perMinute` parts every millisecond. */
  parts: number;
  at: number;
  /** Start of the current minute: the first request after the previous minute ended. */
  minuteBeganAt: number;
  used: number;
}

const MS_PER_MINUTE = 60_000;
const PARTS = MS_PER_MINUTE;

/** A limiter with at most `capacity` buckets; beyond that the oldest bucket is dropped, so its key starts with a full budget. */
export function createRateLimiter<Key>(capacity = 10_000): RateLimiter<Key> {
  const buckets = new Map<Key, Bucket>();

  function getBucket(key: Key, { perMinute }: RateRule, burst: number, now: number): Bucket {
    const known = buckets.get(key);
    if (known !== undefined) {
      // A clock that was set back must not freeze a budget.
      const passed = Math.max(0, now - known.at);
      known.parts = Math.min(burst * PARTS, known.parts + passed * perMinute);
      known.at = now;
      known.minuteBeganAt = Math.min(known.minuteBeganAt, now);
      if (now - known.minuteBeganAt >= MS_PER_MINUTE) {
        known.minuteBeganAt = now;
        known.used = 0;
      }
      return known;
    }
    if (buckets.size >= capacity) {
      for (const oldest of buckets.keys()) {
        buckets.delete(oldest);
        break;
      }
    }
    const bucket = { parts: burst * PARTS, at: now, minuteBeganAt: now, used: 0 };
    buckets.set(key, bucket);
    return bucket;
  }

  return {
    returnRequest(key) {
      const bucket = buckets.get(key);
      if (bucket === undefined) return;
      // An excess over the burst is removed by the next request.
      bucket.parts += PARTS;
      bucket.used = Math.max(0, bucket.used - 1);
    },
    consumeRequest(key, rule, now) {
      const { perMinute } = rule;
      const burst = Math.min(rule.burst, perMinute);
      const bucket = getBucket(key, rule, burst, now);
      const isAllowed = bucket.parts >= PARTS && bucket.used < perMinute;
      if (isAllowed) {
        bucket.parts -= PARTS;
        bucket.used += 1;
      }
      const { parts, used } = bucket;
      const burstWait = Math.max(0, PARTS - parts) / perMinute;
      const minuteLeft = bucket.minuteBeganAt + MS_PER_MINUTE - now;
      return {
        isAllowed,
        burst: {
          quota: burst,
          windowSeconds: seconds((burst * PARTS) / perMinute),
          remaining: Math.floor(parts / PARTS),
          resetSeconds: seconds((burst * PARTS - parts) / perMinute),
        },
        minute: {
          quota: perMinute,
          windowSeconds: 60,
          remaining: Math.max(0, perMinute - used),
          resetSeconds: seconds(minuteLeft),
        },
        retryAfter: Math.ceil(Math.max(burstWait, used < perMinute ? 0 : minuteLeft) / 1000),
      };
    },
  };
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
