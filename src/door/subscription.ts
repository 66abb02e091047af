// The door for users: `/<sub path>/<token>`. It knows neither keys nor sessions, and an unknown token has no reply of its own.
import type { Core, Subscription } from '../core/core.ts';
import type { Log } from '../core/ports/ports.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import type { FormatRequest } from '../subscription/choose-format.ts';
import type { RenderedSubscription } from '../subscription/render.ts';
import { type DoorReply, makeReply, newCallState } from './call.ts';
import type { RequestHeaders } from './headers.ts';
import { readQuery } from './parse.ts';

export type RenderSubscription = (
  subscription: Subscription,
  settings: SettingValues,
  request: FormatRequest,
) => RenderedSubscription;

export interface LinkRequest {
  readonly id: string;
  readonly method: string;
  /** Raw, below the sub path: `/<token>`. */
  readonly path: string;
  /** Raw, without its `?`. */
  readonly query: string;
  readonly headers: Pick<RequestHeaders, 'accept' | 'user-agent'>;
}

export interface SubscriptionDoorParts {
  readonly core: Pick<Core, 'subscription' | 'settings'>;
  readonly render: RenderSubscription;
  readonly log: Pick<Log, 'error'>;
}

const TOKEN = /^\/([A-Za-z0-9_-]{16,128})$/;
const DEFAULT_TYPE = 'text/plain; charset=utf-8';

/** The subscription behind a link; null where there is none, which must look like every other wrong address. */
export function readSubscription(parts: SubscriptionDoorParts, request: LinkRequest): DoorReply | null {
  const { core, render, log } = parts;
  const { id, method, path, query, headers } = request;
  const token = method === 'GET' || method === 'HEAD' ? TOKEN.exec(path)?.[1] : undefined;
  const subscription = token === undefined ? null : core.subscription(token);
  if (subscription === null) return null;
  const state = newCallState(id, method);
  state.route = 'subscription';
  try {
    const rendered = render(subscription, core.settings(), {
      format: readQuery(query).raw.format,
      accept: headers.accept,
      userAgent: headers['user-agent'],
    });
    const { 'content-type': type = DEFAULT_TYPE, ...others } = rendered.headers;
    return makeReply(state, rendered.status, type, rendered.body, Object.entries(others).flat());
  } catch (error) {
    const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log.error('subscription_failed', { requestId: id, cause });
    return makeReply(state, 500, null, '');
  }
}
