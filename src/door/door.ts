// The doors of a panel: one function from a request to a reply, independent of the transport.
import type { Core } from '../core/kernel/core.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { BotService, MiniApp } from '../core/ports/bot.ts';
import type { ParseLargeJson } from '../core/ports/json.ts';
import type { Clock, Log, Timers } from '../core/ports/ports.ts';
import type { RateRule } from '../domain/rate-limiter.ts';
import { createApiDoor } from './api.ts';
import { type ApiRequest, type CallState, type DoorReply, newCallState, type PanelRequest } from './call.ts';
import { createOrderDoor, type RenderFriends, type RenderOrder, type RenderTelegram } from './checkout.ts';
import { createDocuments } from './documents.ts';
import { createHookDoor } from './hook.ts';
import { createAdmission, createStrangers } from './limits.ts';
import { createLive, type Live } from './live.ts';
import { createWaits } from './long-poll.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createMiniAppDoor, type RenderMiniApp } from './mini-app.ts';
import { createPanelDoor } from './panel.ts';
import { parseStrictJson } from './parse.ts';
import { replyToFailure } from './problems.ts';
import { createRefusals } from './refusals.ts';
import {
  createSubscriptionDoor,
  type LinkDoor,
  type LinkRequest,
  type RenderSubscription,
  TELEGRAM_WEB,
} from './subscription.ts';

/** Functions are called on each request, so changes apply at once. */
export interface DoorParts {
  readonly core: Pick<
    Core,
    | 'call'
    | 'authenticateKey'
    | 'recordKeyUse'
    | 'recordFailedKey'
    | 'authenticateSession'
    | 'settings'
    | 'baseUrl'
    | 'subscribe'
    | 'onEndedSessions'
    | 'eventsAfter'
    | 'latestEventId'
    | 'figures'
    | 'subscription'
    | 'recordLinkRead'
    | 'shop'
    | 'backupFiles'
  > & { readonly bot: Pick<BotService, 'inviteBehind' | 'friendLink'> };
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** The panel's version. */
  readonly version: string;
  /** The budget of a key. */
  rateLimit(): RateRule;
  /** The OpenAPI document for the current address. */
  openapi(): object;
  readonly renderSubscription: RenderSubscription;
  readonly renderOrder: RenderOrder;
  readonly renderTelegram: RenderTelegram;
  readonly renderFriends: RenderFriends;
  /** Default: none. */
  readonly miniApp?: (MiniApp & { readonly render: RenderMiniApp }) | undefined;
  /** Additional links below the sub path, used by the demonstration. */
  readonly extraLinks?: LinkDoor | undefined;
  /** Like `parseStrictJson` on another thread; default: on this one. */
  readonly parseLargeBody?: ParseLargeJson;
  /** Whether the API replies `unavailable` to every valid key; links still work. */
  isPaused?(): boolean;
}

export interface Door {
  /** Replies to every call; a failure is a problem document. Never throws or rejects. */
  call(request: ApiRequest | PanelRequest): DoorReply | Promise<DoorReply>;
  /** Handles a link: subscription, order, or webhook of a provider; null: unknown. */
  link(request: LinkRequest): DoorReply | Promise<DoorReply> | null;
  /** Watches events: see live.ts. */
  watch: Live['watch'];
  /** The reply to a failure that an adapter found before the call. */
  fail(state: CallState, error: unknown): DoorReply;
  /** Records a reply for metrics: see metrics.ts. */
  observe: Metrics['observe'];
  /** Ends all watches and waiting requests. */
  close(): void;
}

export function createDoor(parts: DoorParts): Door {
  const { core, clock, timers, log, renderSubscription: render } = parts;
  const metrics = createMetrics(core, clock, parts.version);
  const documents = createDocuments(core, metrics, parts.openapi);
  const live = createLive(core, clock);
  const admission = createAdmission({ core, clock, rateRule: parts.rateLimit });
  const strangers = createStrangers({ clock, rateRule: parts.rateLimit });
  const waits = createWaits({ core, clock, timers });
  const { parseLargeBody = async (bytes) => parseStrictJson(bytes) } = parts;
  const isPaused = () => parts.isPaused?.() ?? false;
  const callApi = createApiDoor({ core, documents, admission, waits, parseLargeBody, isPaused });
  const callPanel = createPanelDoor({
    core,
    documents,
    strangers,
    parseLargeBody,
    callApi: (request) => call(request),
  });
  const refusals = createRefusals({ clock, timers, log });
  const { miniApp } = parts;
  const framedBy = () => ((miniApp?.url() ?? null) === null ? undefined : TELEGRAM_WEB);
  const rateRule = parts.rateLimit;
  const app = miniApp ? createMiniAppDoor({ core, miniApp, clock, renderSubscription: render, rateRule }) : null;
  const subscription = createSubscriptionDoor({ core, clock, render, log, framedBy, rateRule });
  const hooks = createHookDoor({ core, clock, log });
  const orders = createOrderDoor({
    core,
    clock,
    render: parts.renderOrder,
    renderTelegram: parts.renderTelegram,
    renderFriends: parts.renderFriends,
    log,
    framedBy,
    rateRule,
  });
  const fail = (state: CallState, error: unknown) => {
    if (error instanceof PanelError) refusals.recordRefusal(state, error.code);
    return replyToFailure(state, error, log);
  };

  function call(request: ApiRequest | PanelRequest): DoorReply | Promise<DoorReply> {
    const state = newCallState(request.id, request.method);
    try {
      const reply = request.door === 'api' ? callApi(request, state) : callPanel(request, state);
      return reply instanceof Promise ? reply.catch((error: unknown) => fail(state, error)) : reply;
    } catch (error) {
      return fail(state, error);
    }
  }

  return {
    call,
    link(request) {
      if (hooks.isOwn(request.path)) return hooks.answer(request);
      if (parts.extraLinks?.isOwn(request.path)) return parts.extraLinks.answer(request);
      const opened = app?.(request) ?? null;
      if (opened !== null) return opened;
      return orders.isOwn(request.path) ? orders.answer(request) : subscription(request);
    },
    watch: live.watch,
    fail,
    observe: metrics.observe,
    close() {
      live.close();
      waits.close();
      refusals.close();
    },
  };
}
