// The store's port for referrals: codes in users' links, and the Telegram accounts that joined by them.

/** A Telegram account that joined by a referral link. */
export interface ReferralRow {
  readonly telegramId: number;
  /** null: the user was deleted since. */
  readonly referrerId: number | null;
  readonly openedAt: number;
  /** The order that earned the reward; null: none yet. */
  readonly orderId: number | null;
}

/** A reward. */
export interface RewardRow {
  readonly orderId: number;
  readonly referrerId: number | null;
  readonly friendId: number | null;
  readonly rewardedAt: number;
}

export interface ReferralStore {
  findCode(userId: number): string | null;
  saveCode(userId: number, code: string): void;
  userByCode(code: string): number | null;
  /** Does nothing if the account has joined by a link before. */
  open(telegramId: number, referrerId: number, now: number): void;
  referral(telegramId: number): ReferralRow | undefined;
  reward(telegramId: number, orderId: number, now: number): void;
  /** Accounts that have joined since by the link of a user, or by any (null). */
  countOpened(referrerId: number | null, since: number): number;
  /** Rewards since then of a user, or of all (null). */
  countRewarded(referrerId: number | null, since: number): number;
  /** Newest first. */
  rewards(limit: number): readonly RewardRow[];
  /** Deletes accounts that joined before and bought nothing. */
  prune(before: number): void;
}
