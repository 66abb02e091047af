// What a subscription link gives: the user at this moment, and what they may connect to.

import { canConnect, trafficRemaining } from '../../domain/account.ts';
import type { Env } from '../context.ts';
import type { Subscription } from '../core.ts';
import { connectionSecrets } from '../inbound-secrets.ts';
import type { InboundRow } from '../ports/plans.ts';
import type { Store } from '../ports/ports.ts';
import { settledRow } from './change.ts';

// A link's last segment; anything else causes no query.
const TOKEN = /^[A-Za-z0-9_-]{16,64}$/;

function allowed(store: Store, ids: readonly number[] | null): readonly InboundRow[] {
  const all = store.inbounds.all().filter(({ enabled }) => enabled);
  return ids === null ? all : all.filter(({ id }) => ids.includes(id));
}

/** The subscription behind a token; null if no user has it. */
export function subscriptionOf(env: Env, token: string): Subscription | null {
  const { store, clock } = env;
  if (!TOKEN.test(token)) return null;
  return store.read(() => {
    const stored = store.users.byToken(token);
    if (!stored) return null;
    const user = settledRow(store, stored, clock.now(), env.settings());
    const used = user.usedUp + user.usedDown;
    const remaining = trafficRemaining({ trafficLimit: user.trafficLimit, used, extra: user.extra });
    const mayConnect = canConnect(user.state);
    const nodes = new Map(store.nodes.page(store.nodes.count(), 0).map((node) => [node.id, node]));
    const connections = allowed(store, mayConnect ? user.inbounds : []).flatMap((inbound) => {
      const node = nodes.get(inbound.nodeId);
      if (!node?.enabled) return [];
      return [{ inbound, address: inbound.host ?? node.address, secrets: connectionSecrets(env, inbound) }];
    });
    const total = remaining === null ? null : Math.min(Number.MAX_SAFE_INTEGER, used + remaining);
    const credentials = store.users.credentials(user.id);
    return { user, credentials, canConnect: mayConnect, total, connections, url: env.subUrl(token) };
  });
}
