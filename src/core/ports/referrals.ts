// The store's port for referrals: the codes in users' links, and the Telegram accounts that came by them.

/** A Telegram account that came by a link. */
export interface ReferralRow {
  readonly telegramId: number;
  /** null: the user was deleted since. */
  readonly referrerId: number | null;
  readonly openedAt: number;
  /** The order that rewarded it; null: none has. */
  readonly orderId: number | null;
}

/** A reward that was given. */
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
  /** Nothing where the account came by a link before. */
  open(telegramId: number, referrerId: number, now: number): void;
  referral(telegramId: number): ReferralRow | undefined;
  reward(telegramId: number, orderId: number, now: number): void;
  /** Accounts that came since by the link of a user, or by any (null). */
  countOpened(referrerId: number | null, since: number): number;
  /** Rewards since of a user, or of all (null). */
  countRewarded(referrerId: number | null, since: number): number;
  /** The newest first. */
  rewards(limit: number): readonly RewardRow[];
  /** Forgets accounts that came before and bought nothing. */
  prune(before: number): void;
}
