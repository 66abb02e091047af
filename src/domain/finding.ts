// Findings of `panel doctor` and `panel node doctor`.

export type Verdict = 'ok' | 'warning' | 'problem';

/** The result of one check. `advice` is empty if nothing needs to be done. */
export interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  readonly found: string;
  readonly advice: string;
}
