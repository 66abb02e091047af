// The content of a subscription link: the current user, and the connections.

import type { Input, Output } from '../../contract/table.ts';
import { expandHosts } from '../../domain/subscription/hosts.ts';
import { canConnect, trafficTotal } from '../../domain/users/account.ts';
import { selectOffered } from '../../domain/users/offered.ts';
import { readInboundSecrets } from '../inbounds/inbound-secrets.ts';
import type { Context, Env } from '../kernel/context.ts';
import type { Subscription } from '../kernel/core.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { findRunningBot } from '../notify/active-bot.ts';
import { offersTo } from '../payments/shop.ts';
import type { Result } from '../ports/call.ts';
import type { UserRow } from '../ports/users.ts';
import { isUnsettled, settleRow } from '../users/change.ts';

export type SubscriptionEnv = Pick<Env, 'clock' | 'settings' | 'store' | 'subUrl' | 'vault'>;

// The last segment of a link; other texts cause no query.
const TOKEN = /^[A-Za-z0-9_-]{16,64}$/;

function listInbounds(env: Pick<Env, 'store' | 'vault'>, user: UserRow): Subscription['inbounds'] {
  const places = selectOffered(user.inbounds, env.store.inbounds.listOffered()).map(({ inbound, address, engine }) => ({
    inbound,
    address,
    engine,
    secrets: readInboundSecrets(env, inbound),
  }));
  return expandHosts(places, user);
}

/** The settled user of a token, with credentials. */
function userBehind(env: SubscriptionEnv, token: string): Pick<Subscription<UserRow>, 'user' | 'credentials'> | null {
  const { store } = env;
  const now = env.clock.now();
  const found = store.users.behindLink(token);
  if (!found) return null;
  if (!isUnsettled(found.row, now)) return { user: found.row, credentials: found.credentials };
  // Due changes depend on the grants too, which another statement reads.
  return store.read(() => {
    const stored = store.users.behindLink(token);
    return stored ? { user: settleRow(store, stored.row, now, env.settings()), credentials: stored.credentials } : null;
  });
}

/** The subscription of a token; null: unknown token. */
export function findSubscription(env: SubscriptionEnv, token: string): Subscription<UserRow> | null {
  if (!TOKEN.test(token)) return null;
  const found = userBehind(env, token);
  if (found === null) return null;
  const { user, credentials } = found;
  const { trafficLimit, extra } = user;
  const mayConnect = canConnect(user.state);
  const inbounds = mayConnect ? listInbounds(env, user) : [];
  return {
    user,
    credentials,
    canConnect: mayConnect,
    total: trafficTotal({ trafficLimit, used: user.usedUp + user.usedDown, extra }),
    inbounds,
    url: env.subUrl(token),
    offers: (place) => offersTo(env, user, place),
    bot() {
      const bot = findRunningBot(env);
      if (!bot) return null;
      return { username: bot.username, isLinked: user.telegramId !== null, hasFriends: env.settings().referrals.on };
    },
  };
}

/** The page of a user's link. */
export function readSubscriptionPage(
  { id }: Input<'getSubscriptionPage'>,
  { env, now, settings, store }: Context,
): Result<Output<'getSubscriptionPage'>> {
  const token = store.users.get(id)?.token;
  const subscription = token === undefined ? null : findSubscription(env, token);
  if (subscription === null) throw new PanelError('not_found');
  if (!env.subscriptionPage) throw new PanelError('unavailable');
  return { body: { html: env.subscriptionPage(subscription, settings, now) } };
}
