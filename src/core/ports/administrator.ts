// The administrator and the second factor, as the store has them.

export interface AdministratorRow {
  readonly name: string;
  readonly passwordHash: string;
  readonly createdAt: number;
  readonly passwordChangedAt: number;
}

export interface AdministratorStore {
  get(): AdministratorRow | undefined;
  /** There is one administrator at most: the row is inserted or replaced. */
  save(administrator: AdministratorRow): void;
  /** Failed attempts of a scope since its last success, and the time of the last one; shared by all factors. */
  attempts(scope: string): { readonly failed: number; readonly lastAt: number };
  /** `failed` 0: the scope is forgotten. */
  setAttempts(scope: string, failed: number, lastAt: number): void;
  clearAttempts(): void;
  /**
   * Drops those whose last failure was before `before`, and where there are more than `most`, the oldest of networks (scopes `network:` and
   * `around:`): an attacker has as many as he likes, so that they must not push out the others, of which there are few.
   */
  dropOldAttempts(before: number, most: number): void;
  /** The one-time setup token's hash and end; null if there is none. */
  setupToken(): { readonly hash: string; readonly endsAt: number } | null;
  setSetupToken(token: { readonly hash: string; readonly endsAt: number } | null): void;
}

export interface TwoFactorRow {
  readonly enabledAt: number;
  /** The last time step that was accepted; no step up to it is accepted again. */
  readonly lastStep: number;
}

/** The state of the second factor; its secret is sealed, recovery codes are hashes. */
export interface TwoFactorStore {
  /** null: off. */
  get(): TwoFactorRow | null;
  /** Turns it on, or with null off, which drops the recovery codes. */
  save(row: TwoFactorRow | null): void;
  /** Moves `lastStep` on; false if it is not before `step`, which is then used already. */
  spendStep(step: number): boolean;
  /** Replaces all former recovery codes with these. */
  replaceCodes(hashes: readonly string[]): void;
  /** Uses a recovery code up; false if there is no such unused one. */
  spendCode(hash: string): boolean;
  countCodes(): number;
  /** Until when an enrolment that was begun may be confirmed; null if none is. */
  pending(): { readonly sessionId: number; readonly endsAt: number } | null;
  setPending(pending: { readonly sessionId: number; readonly endsAt: number } | null): void;
}
