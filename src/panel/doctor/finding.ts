// What the doctor says of one thing.

export type Verdict = 'ok' | 'warning' | 'problem';

/** `advice` is empty where nothing is to be done. */
export interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  readonly found: string;
  readonly advice: string;
}

export function finding(check: string, verdict: Verdict, found: string, advice = ''): Finding {
  return { check, verdict, found, advice };
}
