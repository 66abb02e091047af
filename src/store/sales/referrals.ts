// Referral codes in users' links, and the Telegram accounts that joined by them.
import type { ReferralRow, ReferralStore, RewardRow } from '../../core/ports/referrals.ts';
import type { Connection } from '../database.ts';
import { limitTo } from '../statements.ts';

interface OfReferrer {
  readonly referrer: number | null;
  readonly since: number;
}

export function createReferralStore(db: Connection): ReferralStore {
  const findCode = db.prepare<[number], string>('SELECT code FROM referral_codes WHERE user_id = ?').pluck();
  const saveCode = db.prepare<[number, string]>('INSERT INTO referral_codes (user_id, code) VALUES (?, ?)');
  const userByCode = db.prepare<[string], number>('SELECT user_id FROM referral_codes WHERE code = ?').pluck();
  const open = db.prepare<[number, number, number]>(
    'INSERT INTO referrals (telegram_id, referrer_id, opened_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const referral = db.prepare<[number], ReferralRow>(
    `SELECT telegram_id AS telegramId, referrer_id AS referrerId, opened_at AS openedAt, order_id AS orderId FROM referrals
     WHERE telegram_id = ?`,
  );
  const reward = db.prepare<[number, number, number]>(
    'UPDATE referrals SET order_id = ?, rewarded_at = ? WHERE telegram_id = ?',
  );
  const opened = db
    .prepare<[OfReferrer], number>(
      'SELECT count(*) FROM referrals WHERE (:referrer IS NULL OR referrer_id = :referrer) AND opened_at >= :since',
    )
    .pluck();
  const rewarded = db
    .prepare<[OfReferrer], number>(
      'SELECT count(*) FROM referrals WHERE (:referrer IS NULL OR referrer_id = :referrer) AND rewarded_at >= :since',
    )
    .pluck();
  const rewards = db.prepare<[number], RewardRow>(
    `SELECT order_id AS orderId, referrer_id AS referrerId, orders.user_id AS friendId, rewarded_at AS rewardedAt
     FROM referrals JOIN orders ON orders.id = order_id ORDER BY rewarded_at DESC, order_id DESC ${limitTo('?')}`,
  );
  const prune = db.prepare<[number]>('DELETE FROM referrals WHERE order_id IS NULL AND opened_at < ?');
  return {
    findCode: (userId) => findCode.get(userId) ?? null,
    saveCode: (userId, code) => {
      saveCode.run(userId, code);
    },
    userByCode: (code) => userByCode.get(code) ?? null,
    open: (telegramId, referrerId, now) => {
      open.run(telegramId, referrerId, now);
    },
    referral: (telegramId) => referral.get(telegramId),
    reward: (telegramId, orderId, now) => {
      reward.run(orderId, now, telegramId);
    },
    countOpened: (referrer, since) => opened.get({ referrer, since }) ?? 0,
    countRewarded: (referrer, since) => rewarded.get({ referrer, since }) ?? 0,
    rewards: (limit) => rewards.all(limit),
    prune: (before) => {
      prune.run(before);
    },
  };
}
