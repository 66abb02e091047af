// Referrals: days for a user who invites a friend, and for the friend, with the friend's first paid order. In the panel only.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

/** The most days that one reward gives. */
const MOST_DAYS = 365;
/** Rewards that are listed. */
export const REWARDS_SHOWN = 50;

/** What an order has of the invitation of its user. */
export const orderReferral = z.object({
  referrer: z.object({ id: s.id, name: z.string() }).nullable().meta({ description: 'null: was deleted since.' }),
  referrer_days: z.int().min(0),
  friend_days: z.int().min(0),
});

const days = z.int().min(0).max(MOST_DAYS);
const fields = {
  on: z.boolean().meta({ description: 'Whether users have a link for friends.' }),
  referrer_days: days.meta({ description: 'Days for who invited.' }),
  friend_days: days.meta({ description: 'Days for the friend, with what is bought.' }),
  most_per_month: z.int().min(1).max(1000).meta({ description: 'Rewards for one user in 30 days.' }),
};

const person = z.object({ id: s.id, name: z.string() }).nullable();

const referrals = z
  .object({
    ...fields,
    opened: z.int().min(0).meta({ description: 'Accounts that came by a link in the last 30 days.' }),
    rewarded: z.int().min(0).meta({ description: 'Rewards of the last 30 days.' }),
    rewards: z
      .array(z.object({ order_id: s.id, referrer: person, friend: person, rewarded_at: s.instant }))
      .meta({ description: 'The latest, the newest first. null: was deleted since.' }),
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
  summary: 'What users get for inviting friends',
  input: z.strictObject({}),
  output: referrals,
  example: { body: {}, reply: example },
});

export const saveReferrals = panelOperation({
  id: 'saveReferrals',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Set what users get for inviting friends',
  description: 'Orders that are made already keep what they were made with.',
  input: z.strictObject(fields),
  output: referrals,
  example: { body: { on: true, referrer_days: 7, friend_days: 3, most_per_month: 5 }, reply: example },
});
