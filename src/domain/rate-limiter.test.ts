// Budgets over time.
import { describe, expect, it } from 'vitest';
import { createRateLimiter } from './rate-limiter.ts';

const rule = { perMinute: 1200, burst: 100 };

describe('createRateLimiter', () => {
  it('allows the burst at once and then the average', () => {
    const limiter = createRateLimiter<number>();
    for (let left = 99; left >= 0; left--) {
      expect(limiter.consumeRequest(1, rule, 0)).toMatchObject({ isAllowed: true, burst: { remaining: left } });
    }
    expect(limiter.consumeRequest(1, rule, 0)).toMatchObject({
      isAllowed: false,
      burst: { quota: 100, windowSeconds: 5, remaining: 0, resetSeconds: 5 },
      minute: { quota: 1200, windowSeconds: 60, remaining: 1100, resetSeconds: 60 },
      retryAfter: 1,
    });
    expect(limiter.consumeRequest(1, rule, 49).isAllowed).toBe(false);
    expect(limiter.consumeRequest(1, rule, 50).isAllowed).toBe(true);
    expect(limiter.consumeRequest(1, rule, 60).isAllowed).toBe(false);
  });

  it('is full again after the seconds that it tells', () => {
    const limiter = createRateLimiter<number>();
    let verdict = limiter.consumeRequest(1, rule, 0);
    while (verdict.isAllowed) verdict = limiter.consumeRequest(1, rule, 0);
    expect(limiter.consumeRequest(1, rule, verdict.burst.resetSeconds * 1000).burst.remaining).toBe(99);
  });

  it('keeps to what it allows a minute', () => {
    const limiter = createRateLimiter<number>();
    let allowed = 0;
    for (let ms = 0; ms < 60_000; ms += 10) if (limiter.consumeRequest(1, rule, ms).isAllowed) allowed += 1;
    expect(allowed).toBe(1200);
    const next = limiter.consumeRequest(1, rule, 60_000);
    expect(next).toMatchObject({ isAllowed: true, minute: { remaining: 1199, resetSeconds: 60 } });
  });

  it('counts each key apart', () => {
    const limiter = createRateLimiter<string>();
    const small = { perMinute: 1, burst: 1 };
    expect(limiter.consumeRequest('a', small, 0).isAllowed).toBe(true);
    expect(limiter.consumeRequest('a', small, 0).isAllowed).toBe(false);
    expect(limiter.consumeRequest('b', small, 0).isAllowed).toBe(true);
  });

  it('goes on when the clock is set back, and gives no more than the burst when it jumps ahead', () => {
    const limiter = createRateLimiter<number>();
    const small = { perMinute: 60, burst: 2 };
    limiter.consumeRequest(1, small, 1_000_000);
    limiter.consumeRequest(1, small, 1_000_000);
    expect(limiter.consumeRequest(1, small, 0).isAllowed).toBe(false);
    expect(limiter.consumeRequest(1, small, 1000).isAllowed).toBe(true);
    expect(limiter.consumeRequest(1, small, 10 ** 12)).toMatchObject({ isAllowed: true, burst: { remaining: 1 } });
  });

  it('follows a budget that is changed', () => {
    const limiter = createRateLimiter<number>();
    limiter.consumeRequest(1, rule, 0);
    expect(limiter.consumeRequest(1, { perMinute: 60, burst: 10 }, 0).burst.remaining).toBe(9);
  });

  it('gives no more at once than in a minute', () => {
    expect(createRateLimiter<number>().consumeRequest(1, { perMinute: 10, burst: 100 }, 0).burst.remaining).toBe(9);
  });

  it('takes back what was not needed, and no more than that', () => {
    const limiter = createRateLimiter<string>();
    const small = { perMinute: 2, burst: 2 };
    expect(limiter.consumeRequest('a', small, 0).isAllowed).toBe(true);
    expect(limiter.consumeRequest('a', small, 0).isAllowed).toBe(true);
    expect(limiter.consumeRequest('a', small, 0).isAllowed).toBe(false);
    limiter.returnRequest('a');
    limiter.returnRequest('b');
    expect(limiter.consumeRequest('a', small, 0)).toMatchObject({
      isAllowed: true,
      burst: { remaining: 0 },
      minute: { remaining: 0 },
    });
    for (let count = 0; count < 5; count += 1) limiter.returnRequest('a');
    expect(limiter.consumeRequest('a', small, 0)).toMatchObject({
      isAllowed: true,
      burst: { remaining: 1 },
      minute: { remaining: 1 },
    });
  });

  it('remembers no more keys than its capacity', () => {
    const limiter = createRateLimiter<number>(2);
    const single = { perMinute: 1, burst: 1 };
    for (const key of [1, 2, 3]) limiter.consumeRequest(key, single, 0);
    expect(limiter.consumeRequest(3, single, 0).isAllowed).toBe(false);
    expect(limiter.consumeRequest(1, single, 0).isAllowed).toBe(true);
  });
});
