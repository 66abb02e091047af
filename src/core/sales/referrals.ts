// Referrals: accounts that joined by a user's link, and the days for both users with the first paid term, once per Telegram account. Rewards are part
// of the order, in its transaction, so that a refund revokes them.

import { REWARDS_SHOWN, type Referrals } from '../../contract/sales/referrals.ts';
import type { Sold } from '../../contract/sales/sales.ts';
import type { Input } from '../../contract/table.ts';
import { DAY_MS } from '../../domain/limits.ts';
import type { Context, Handlers, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { toInstant, tokenOf } from '../kernel/wire.ts';
import { findRunningBot } from '../notify/active-bot.ts';
import { type FriendLink, REFERRAL_PREFIX } from '../ports/bot.ts';
import type { Result } from '../ports/call.ts';
import type { FulfilledItem, OrderReferral, OrderRow } from '../ports/sales.ts';
import type { UserRow } from '../ports/users.ts';
import { extendForOrder } from './fulfillment.ts';

const CODE_BYTES = 9;
/** Period of the limit of rewards per user. */
const MONTH_MS = 30 * DAY_MS;
/** How long after joining a purchase is rewarded. */
export const REFERRAL_LIFE_MS = 180 * DAY_MS;

/** The user who invited an account, if the account is new: created after joining and without purchases. */
function referrerFor({ store, settings, now }: Context, user: UserRow): UserRow | null {
  if (!settings.referrals.on || user.telegramId === null) return null;
  const found = store.referrals.referral(user.telegramId);
  if (!found || found.referrerId === null || found.orderId !== null || user.createdAt < found.openedAt) return null;
  const referrer = store.users.get(found.referrerId);
  if (!referrer || referrer.id === user.id || referrer.telegramId === user.telegramId) return null;
  if (store.sales.hasBoughtTerm(user.id)) return null;
  const rewards = store.referrals.countRewarded(referrer.id, now - MONTH_MS);
  return rewards < settings.referrals.maxPerMonth ? referrer : null;
}

/** The referral of a new order; null: none. */
export function referralFor(context: Context, user: UserRow, sold: Sold): OrderReferral | null {
  if (sold.kind !== 'days' && sold.kind !== 'months') return null;
  const { referrerDays, friendDays } = context.settings.referrals;
  const referrer = referrerFor(context, user);
  return referrer && { referrerId: referrer.id, referrerDays, friendDays };
}

/** The reward of an order that is being paid; null: another order had it, or the referrer has reached the limit. */
function findDueReward(
  tx: Transaction,
  { referral, userId }: OrderRow,
): { readonly friend: UserRow; readonly referrer: UserRow } | null {
  const friend = userId === null ? undefined : tx.store.users.get(userId);
  const referrer = referral === null || !friend ? null : referrerFor(tx, friend);
  return friend && referrer?.id === referral?.referrerId && referrer ? { friend, referrer } : null;
}

/**
 * Adds the referral days of an order to both users. Skips users who cannot receive days (no expiry). Must be called before the order is stored as
 * paid, and after its items were applied.
 */
export function fulfillReward(tx: Transaction, order: OrderRow): readonly FulfilledItem[] {
  const due = findDueReward(tx, order);
  if (due === null || order.referral === null) return [];
  const { friend, referrer } = due;
  const { telegramId } = friend;
  if (telegramId === null) return [];
  const { referrerDays, friendDays } = order.referral;
  const given: FulfilledItem[] = [];
  const own = addDays(tx, friend, friendDays, order.id);
  if (own) given.push({ kind: 'term', term: own });
  const referrerReward = addDays(tx, referrer, referrerDays, order.id);
  if (referrerReward) {
    given.push({ kind: 'referrer', userId: referrer.id, term: referrerReward });
    tx.audit(`user:${referrer.id}`, { order_id: order.id, referral: true, days: referrerDays });
    tx.publish({ type: 'referrer.rewarded', referrer, days: referrerDays, orderId: order.id });
  }
  tx.store.referrals.reward(telegramId, order.id, tx.now);
  return given;
}

function addDays(tx: Transaction, user: UserRow, days: number, orderId: number) {
  if (days === 0) return null;
  try {
    return extendForOrder(tx, user, { days }, orderId);
  } catch (error) {
    // Nothing was written: the refusal comes before any write.
    if (error instanceof PanelError) return null;
    throw error;
  }
}

/** Records that a Telegram account joined by a user's link; false if the link is unknown or the account has a user. */
export function recordReferral({ store, settings, now }: Transaction, code: string, telegramId: number): boolean {
  const referrerId = store.referrals.userByCode(code);
  if (!settings.referrals.on || referrerId === null || store.users.byTelegramId(telegramId)) return false;
  store.referrals.open(telegramId, referrerId, now);
  return true;
}

/** The referral link of a user with its results. PanelError `bot_off`, also if referrals are off. */
export function buildFriendLink(tx: Transaction, user: UserRow): FriendLink {
  const { store, crypto, now, settings } = tx;
  const bot = findRunningBot(tx);
  if (!bot || !settings.referrals.on) throw new PanelError('bot_off');
  let code = store.referrals.findCode(user.id);
  if (code === null) {
    code = tokenOf(crypto.randomBytes(CODE_BYTES));
    store.referrals.saveCode(user.id, code);
  }
  const { referrerDays, friendDays } = settings.referrals;
  return {
    url: `https://t.me/${bot.username}?start=${REFERRAL_PREFIX}${code}`,
    referrerDays,
    friendDays,
    opened: store.referrals.countOpened(user.id, now - REFERRAL_LIFE_MS),
    rewarded: store.referrals.countRewarded(user.id, 0),
  };
}

function viewReferrals({ store, settings, now }: Context): Referrals {
  const { on, referrerDays, friendDays, maxPerMonth } = settings.referrals;
  const person = (id: number | null) => {
    const user = id === null ? undefined : store.users.get(id);
    return user ? { id: user.id, name: user.name } : null;
  };
  return {
    on,
    referrer_days: referrerDays,
    friend_days: friendDays,
    most_per_month: maxPerMonth,
    opened: store.referrals.countOpened(null, now - MONTH_MS),
    rewarded: store.referrals.countRewarded(null, now - MONTH_MS),
    rewards: store.referrals.rewards(REWARDS_SHOWN).map(({ orderId, referrerId, friendId, rewardedAt }) => ({
      order_id: orderId,
      referrer: person(referrerId),
      friend: person(friendId),
      rewarded_at: toInstant(rewardedAt),
    })),
  };
}

function saveReferrals(input: Input<'saveReferrals'>, tx: Transaction): Result<Referrals> {
  const { on, referrer_days: referrerDays, friend_days: friendDays, most_per_month: maxPerMonth } = input;
  tx.saveSettings({ referrals: { on, referrerDays, friendDays, maxPerMonth } });
  tx.audit(null, input);
  return { body: viewReferrals({ ...tx, settings: tx.env.settings() }) };
}

export const REFERRAL_HANDLERS = {
  getReferrals: { read: (_input, context) => ({ body: viewReferrals(context) }) },
  saveReferrals: { write: saveReferrals },
} satisfies Handlers<'getReferrals' | 'saveReferrals'>;
