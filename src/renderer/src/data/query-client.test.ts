// Calls are retried only if that can help: a refusal is final.
import { describe, expect, it } from 'vitest';
import { PanelCallError } from '../../../contract/client.ts';
import { buildProblem, ERRORS, type ErrorCode } from '../../../contract/errors.ts';
import { isWorthRetrying } from './query-client.ts';

const failure = (code: ErrorCode, retryAfter: number | null = null) =>
  new PanelCallError(buildProblem(code, 'r1'), { retryAfter });

describe('isWorthRetrying', () => {
  it('tries a panel out of reach twice more', () => {
    expect([0, 1, 2].map((failures) => isWorthRetrying(failures, failure('unavailable')))).toEqual([true, true, false]);
  });

  it('retries when a panel says when, unless that is long', () => {
    expect(isWorthRetrying(0, failure('rate_limited', 5))).toBe(true);
    expect(isWorthRetrying(0, failure('rate_limited', 600))).toBe(false);
  });

  it('does not retry any other code', () => {
    for (const code of Object.keys(ERRORS) as ErrorCode[]) {
      if (code !== 'unavailable' && code !== 'rate_limited')
        expect(isWorthRetrying(0, failure(code)), code).toBe(false);
    }
    expect(isWorthRetrying(0, new Error('a defect of the pages'))).toBe(false);
  });
});
