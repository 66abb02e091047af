// Referrals: days for a user who invites a friend, and for the friend, with the friend's first paid order. In the panel only.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

/** Days of one reward. */
const MAX_DAYS = 365;
/** Listed rewards. */
export const REWARDS_SHOWN = 50;

/** The invitation of an order's user. */
export const orderReferral = z.object({
  referrer: z.object({ id: s.id, name: z.string() }).nullable().meta({ description: 'null: deleted since.' }),
  referrer_days: z.int().min(0),
  friend_days: z.int().min(0),
});

const days = z.int().min(0).max(MAX_DAYS);
const fields = {
  on: z.boolean().meta({ description: 'Whether users have an invitation link.' }),
  referrer_days: days.meta({ description: 'Days for the user who invites.' }),
  friend_days: days.meta({ description: 'Days for the friend, in addition to the purchase.' }),
  most_per_month: z.int().min(1).max(1000).meta({ description: 'Maximum number of rewards for one user in 30 days.' }),
};

const person = z.object({ id: s.id, name: z.string() }).nullable();

const referrals = z
  .object({
    ...fields,
    opened: z.int().min(0).meta({ description: 'Accounts that joined by a link in the last 30 days.' }),
    rewarded: z.int().min(0).meta({ description: 'Rewards in the last 30 days.' }),
    rewards: z
      .array(z.object({ order_id: s.id, referrer: person, friend: person, rewarded_at: s.instant }))
      .meta({ description: 'The latest rewards, newest first. null: deleted since.' }),
  })
  .meta({ id: 'Referrals' });
export type Referrals = z.output<typeof referrals>;

const example: Referrals = {
  on: true,
  referrer_days: 7,
  friend_days: 3,
  most_per_month: 5,
  opened: 4,
  rewarded: 1,
  rewards: [
    {
      order_id: 12,
      referrer: { id: 3, name: 'Boris' },
      friend: { id: 7, name: 'Anna Smirnova' },
      rewarded_at: '2026-11-20T09:00:00.000Z',
    },
  ],
};

export const getReferrals = panelOperation({
  id: 'getReferrals',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read the rewards for inviting friends',
  input: z.strictObject({}),
  output: referrals,
  example: { body: {}, reply: example },
});

export const saveReferrals = panelOperation({
  id: 'saveReferrals',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Set the rewards for inviting friends',
  description: 'Existing orders do not change.',
  input: z.strictObject(fields),
  output: referrals,
  example: { body: { on: true, referrer_days: 7, friend_days: 3, most_per_month: 5 }, reply: example },
});
