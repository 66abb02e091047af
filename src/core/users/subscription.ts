// What a subscription link gives: the user at this moment, and what they may connect to.

import type { Input, Output } from '../../contract/table.ts';
import { canConnect, trafficRemaining } from '../../domain/users/account.ts';
import { botOf } from '../bot/running.ts';
import type { Result } from '../call.ts';
import type { Context, Env } from '../context.ts';
import type { Subscription } from '../core.ts';
import { connectionSecrets } from '../inbounds/inbound-secrets.ts';
import { PanelError } from '../panel-error.ts';
import { offersTo } from '../payments/shop.ts';
import type { UserRow } from '../ports/users.ts';
import { isUnsettled, settledRow } from './change.ts';

// A link's last segment; anything else causes no query.
const TOKEN = /^[A-Za-z0-9_-]{16,64}$/;

/** Of what is offered, by id (null: all). Those of nodes that are drained are left out, unless the user would be left with none. */
export function shownTo<One extends { readonly inbound: { readonly id: number }; readonly isDraining: boolean }>(
  ids: readonly number[] | null,
  offered: readonly One[],
): readonly One[] {
  const own = ids === null ? offered : offered.filter(({ inbound }) => ids.includes(inbound.id));
  const staying = own.filter(({ isDraining }) => !isDraining);
  return staying.length > 0 ? staying : own;
}

function connectionsOf(env: Env, ids: readonly number[] | null): Subscription['connections'] {
  return shownTo(ids, env.store.inbounds.offered()).map(({ inbound, address }) => ({
    inbound,
    address,
    secrets: connectionSecrets(env, inbound),
  }));
}

/** The user behind a token as it is now, with what it presents to connect. */
function userBehind(env: Env, token: string): Pick<Subscription<UserRow>, 'user' | 'credentials'> | null {
  const { store } = env;
  const now = env.clock.now();
  const found = store.users.behindLink(token);
  if (!found) return null;
  if (!isUnsettled(found.row, now)) return { user: found.row, credentials: found.credentials };
  // What has come due depends on the grants too, which another statement reads.
  return store.read(() => {
    const stored = store.users.behindLink(token);
    return stored
      ? { user: settledRow(store, stored.row, now, env.settings()), credentials: stored.credentials }
      : null;
  });
}

/** Used and remaining bytes; null: unlimited. */
export function totalOf(facts: Parameters<typeof trafficRemaining>[0]): number | null {
  const remaining = trafficRemaining(facts);
  return remaining === null ? null : Math.min(Number.MAX_SAFE_INTEGER, facts.used + remaining);
}

/** The subscription behind a token; null if no user has it. */
export function subscriptionOf(env: Env, token: string): Subscription<UserRow> | null {
  if (!TOKEN.test(token)) return null;
  const found = userBehind(env, token);
  if (found === null) return null;
  const { user, credentials } = found;
  const { trafficLimit, extra } = user;
  const mayConnect = canConnect(user.state);
  const connections = mayConnect ? connectionsOf(env, user.inbounds) : [];
  return {
    user,
    credentials,
    canConnect: mayConnect,
    total: totalOf({ trafficLimit, used: user.usedUp + user.usedDown, extra }),
    connections,
    url: env.subUrl(token),
    offers: () => offersTo(env, user),
    bot() {
      const bot = botOf(env);
      if (!bot) return null;
      return { username: bot.username, isTied: user.telegramId !== null, hasFriends: env.settings().referrals.on };
    },
  };
}

/** The page behind a user's link. */
export function readSubscriptionPage(
  { id }: Input<'getSubscriptionPage'>,
  { env, now, settings, store }: Context,
): Result<Output<'getSubscriptionPage'>> {
  const token = store.users.get(id)?.token;
  const subscription = token === undefined ? null : subscriptionOf(env, token);
  if (subscription === null) throw new PanelError('not_found');
  if (!env.subscriptionPage) throw new PanelError('unavailable');
  return { body: { html: env.subscriptionPage(subscription, settings, now) } };
}
