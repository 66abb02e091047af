// The door for users: `/<sub path>/<token>`. Knows neither keys nor sessions; an unknown token gets the constant reply.
import type { Core, Subscription } from '../core/core.ts';
import type { Log } from '../core/ports/ports.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import type { Wish } from '../subscription/choose.ts';
import type { RenderedSubscription } from '../subscription/render.ts';
import type { ConstantReply } from './constant-reply.ts';
import type { Door } from './door.ts';
import { type ExchangeHost, openExchange, send } from './exchange.ts';
import { readQuery } from './query-string.ts';

export type RenderSubscription = (
  subscription: Subscription,
  settings: SettingValues,
  wish: Wish,
) => RenderedSubscription;

export interface LinkDoorParts {
  readonly core: Pick<Core, 'subscription' | 'settings'>;
  readonly render: RenderSubscription;
  readonly host: ExchangeHost;
  readonly reply: ConstantReply;
  readonly log: Log;
}

const TOKEN = /^\/([A-Za-z0-9_-]{16,128})(?:\?(.*))?$/;

export function createLinkDoor({ core, render, host, reply, log }: LinkDoorParts): Door {
  return (request, response, rest) => {
    const match = request.method === 'GET' || request.method === 'HEAD' ? TOKEN.exec(rest) : null;
    const subscription = match?.[1] === undefined ? null : core.subscription(match[1]);
    if (match === null || subscription === null) {
      reply.send(request, response);
      return;
    }
    const exchange = openExchange(host, request, response);
    exchange.route = 'subscription';
    try {
      const { accept, 'user-agent': userAgent } = request.headers;
      const wish = { format: readQuery(match[2] ?? '').raw.format, accept, userAgent };
      const { status, headers, body } = render(subscription, core.settings(), wish);
      const { 'content-type': type = 'text/plain; charset=utf-8', ...others } = headers;
      send(exchange, status, type, body, Object.entries(others).flat());
    } catch (error) {
      const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
      log.error('subscription_failed', { requestId: exchange.id, cause });
      send(exchange, 500, null, '');
    }
  };
}
