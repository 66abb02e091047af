// The door of the Mini App, below the sub path: a page that sends Telegram's signed data, and replies with the subscription page.
import type { Core } from '../core/kernel/core.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { MiniApp, MiniAppRefusal } from '../core/ports/bot.ts';
import type { Clock } from '../core/ports/ports.ts';
import type { LinkSettings } from '../core/ports/settings.ts';
import { computeNetwork } from '../domain/client-network.ts';
import { createRateLimiter, type RateRule } from '../domain/rate-limiter.ts';
import type { MiniAppRequest } from '../subscription/page/mini-app.ts';
import type { Page } from '../subscription/page/page.ts';
import { type CallState, type DoorReply, makeReply, newCallState, type RequestBody, readBytes } from './call.ts';
import { type LinkRequest, pageHeaders, type RenderSubscription, TELEGRAM_WEB } from './subscription.ts';

export type RenderMiniApp = (settings: LinkSettings, request: MiniAppRequest) => Page;

export interface MiniAppDoorParts {
  readonly core: Pick<Core, 'subscription' | 'settings'>;
  readonly miniApp: MiniApp & { readonly render: RenderMiniApp };
  readonly clock: Clock;
  readonly renderSubscription: RenderSubscription;
  rateRule(): RateRule;
}

const MAX_BYTES = 16_384;
/** Per network, for all clients behind its address. */
const SIGN_INS: RateRule = { perMinute: 60, burst: 30 };
const STATUS: Readonly<Record<MiniAppRefusal, number>> = { forged: 403, ended: 403, unknown: 404, wait: 429 };

/** The data of the page; empty if invalid. */
async function readInitData(body: RequestBody): Promise<string> {
  try {
    return new URLSearchParams(new TextDecoder().decode(await readBytes(body, MAX_BYTES))).get('init_data') ?? '';
  } catch (error) {
    if (error instanceof PanelError) return '';
    throw error;
  }
}

/** Handles requests of the Mini App; null: another path, or not available. */
export function createMiniAppDoor(
  parts: MiniAppDoorParts,
): (request: LinkRequest) => DoorReply | Promise<DoorReply> | null {
  const { core, miniApp, clock, renderSubscription, rateRule } = parts;
  const signIns = createRateLimiter<string>();

  const send = (state: CallState, status: number, { body, inline }: Page) =>
    makeReply(state, status, 'text/html; charset=utf-8', body, [
      ...pageHeaders(inline, TELEGRAM_WEB),
      'Vary',
      'Accept-Language, User-Agent',
    ]);

  function answerWith(state: CallState, refusal: MiniAppRefusal | null, { headers }: LinkRequest): DoorReply {
    const page = miniApp.render(core.settings(), { acceptLanguage: headers['accept-language'], refusal });
    return send(state, refusal === null ? 200 : STATUS[refusal], page);
  }

  async function signIn(state: CallState, request: LinkRequest): Promise<DoorReply> {
    const { headers, body, address } = request;
    if (rateRule().perMinute > 0 && !signIns.consumeRequest(computeNetwork(address), SIGN_INS, clock.now()).isAllowed)
      return answerWith(state, 'wait', request);
    const found = miniApp.signIn(await readInitData(body));
    if (typeof found === 'string') return answerWith(state, found, request);
    const subscription = core.subscription(found.link);
    if (subscription === null) return answerWith(state, 'unknown', request);
    const { inline, body: page } = renderSubscription(subscription, core.settings(), {
      format: 'html',
      accept: headers.accept,
      acceptLanguage: headers['accept-language'],
      userAgent: headers['user-agent'],
      now: clock.now(),
      notice: null,
      isInTelegram: true,
    });
    if (!inline) throw new Error('the page of a subscription has no style');
    return send(state, 200, { body: page, inline });
  }

  return (request) => {
    const { id, isStray, method, path, allHeaders } = request;
    // Also for unknown paths, so that the response time does not reveal links.
    const isOwn = miniApp.isAt(path, allHeaders.host?.toString());
    if (!isOwn || isStray || (method !== 'GET' && method !== 'POST')) return null;
    const state = newCallState(id, method);
    state.route = 'subscription';
    return method === 'GET' ? answerWith(state, null, request) : signIn(state, request);
  };
}
