// What a check of `panel doctor` or `panel node doctor` has found.

export type Verdict = 'ok' | 'warning' | 'problem';

/** The result of one check. `advice` is empty where nothing is to be done. */
export interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  readonly found: string;
  readonly advice: string;
}
