// Budgets over time: token buckets by key, each with a burst and a minute.

/** What is allowed in a minute and at once. `perMinute` 0: no limit. */
export interface RateRule {
  /** Requests in 60 seconds. */
  readonly perMinute: number;
  /** Requests at once; never more than a minute's. They come back evenly, as many as a minute allows. */
  readonly burst: number;
}

/** One budget after a request, in whole requests and seconds. */
export interface Budget {
  readonly quota: number;
  /** The time in which an empty budget becomes full. */
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Until it is full again, rounded up. */
  readonly resetSeconds: number;
}

/** What both budgets say of a request. */
export interface RateVerdict {
  readonly isAllowed: boolean;
  readonly burst: Budget;
  readonly minute: Budget;
  /** After how many seconds the next request is allowed, rounded up; 0: at once. */
  readonly retryAfter: number;
}

export interface RateLimiter<Key> {
  /** Takes one request from both budgets of `key`, if both have one; `now` is epoch ms. */
  consumeRequest(key: Key, rule: RateRule, now: number): RateVerdict;
  /** Gives back to both budgets what was taken for one request. */
  returnRequest(key: Key): void;
}

/** Whole numbers only: after exactly the promised time a request is there. */
interface Bucket {
  /** What is left of the burst, in parts of a request: it grows by `perMinute` parts every millisecond. */
  parts: number;
  at: number;
  /** The minute that is counted: it begins with a request, and ends whatever comes. */
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
      // More than the burst is taken off with the next request.
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
