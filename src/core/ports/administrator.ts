// The store's port for the administrator and the second factor.

export interface AdministratorRow {
  readonly name: string;
  readonly passwordHash: string;
  readonly createdAt: number;
  readonly passwordChangedAt: number;
}

export interface AdministratorStore {
  get(): AdministratorRow | undefined;
  /** There is at most one administrator: the row is inserted or replaced. */
  save(administrator: AdministratorRow): void;
  /** Failed attempts of a scope since its last success, and the time of the last one; shared by all factors. */
  attempts(scope: string): { readonly failed: number; readonly lastAt: number };
  /** `failed` 0 deletes the scope. */
  setAttempts(scope: string, failed: number, lastAt: number): void;
  clearAttempts(): void;
  /**
   * Deletes scopes whose last failure was before `before`; above `most`, the oldest of networks (`network:` and `around:`), since an attacker can
   * create any number of them and must not displace the few others.
   */
  dropOldAttempts(before: number, most: number): void;
  /** The hash and expiry of the one-time setup token; null: none. */
  setupToken(): { readonly hash: string; readonly endsAt: number } | null;
  setSetupToken(token: { readonly hash: string; readonly endsAt: number } | null): void;
}

export interface TwoFactorRow {
  readonly enabledAt: number;
  /** The last accepted time step; earlier steps are refused. */
  readonly lastStep: number;
}

/** The second factor; its secret is sealed, recovery codes are hashes. */
export interface TwoFactorStore {
  /** null: off. */
  get(): TwoFactorRow | null;
  /** Turns it on; null turns it off and deletes the recovery codes. */
  save(row: TwoFactorRow | null): void;
  /** Advances `lastStep`; false if `step` is not later, and so was used. */
  spendStep(step: number): boolean;
  /** Replaces all recovery codes. */
  replaceCodes(hashes: readonly string[]): void;
  /** Uses a recovery code; false if it does not exist or was used. */
  spendCode(hash: string): boolean;
  countCodes(): number;
  /** The pending enrolment and its expiry; null: none. */
  pending(): { readonly sessionId: number; readonly endsAt: number } | null;
  setPending(pending: { readonly sessionId: number; readonly endsAt: number } | null): void;
}
