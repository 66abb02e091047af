// The shop door, below the sub path: `pay/<token>` is an order page, `<link token>/buy/<offer>` creates an order, `<link token>/telegram` a link into
// the bot, `<link token>/friends` a referral link. Forms have no fields except a promo code and an e-mail address for a receipt; the token in the
// path is the authority, which prevents CSRF.
import { hash } from 'node:crypto';
import { STARS } from '../contract/currencies.ts';
import type { Core, OrderPage } from '../core/kernel/core.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { BotService, FriendLink, Invitation } from '../core/ports/bot.ts';
import type { Clock, Log } from '../core/ports/ports.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { computeNetwork } from '../domain/client-network.ts';
import { createRateLimiter, type RateRule } from '../domain/rate-limiter.ts';
import { IN_TELEGRAM, OPENS_INVOICE, type ShopPlace } from '../domain/sales/shop-place.ts';
import type { OrderNotice, OrderRequest, RenderedOrder } from '../subscription/page/order-page.ts';
import type { TelegramRequest } from '../subscription/page/telegram.ts';
import { type CallState, type DoorReply, makeReply, newCallState, type RequestBody, readBytes } from './call.ts';
import type { LinkDoor, LinkRequest } from './subscription.ts';

export type RenderOrder = (order: OrderPage, settings: SettingValues, request: OrderRequest) => RenderedOrder;

export type RenderTelegram = (
  invitation: Invitation,
  settings: SettingValues,
  request: TelegramRequest,
) => RenderedOrder;

export type RenderFriends = (link: FriendLink, settings: SettingValues, request: TelegramRequest) => RenderedOrder;

export interface OrderDoorParts {
  readonly core: Pick<Core, 'shop' | 'settings' | 'subscription'> & {
    readonly bot: Pick<BotService, 'inviteBehind' | 'friendLink'>;
  };
  readonly clock: Clock;
  readonly render: RenderOrder;
  readonly renderTelegram: RenderTelegram;
  readonly renderFriends: RenderFriends;
  readonly log: Pick<Log, 'error'>;
  /** The origin that may frame these pages, as in the Mini App; undefined: none. */
  framedBy?(): string | undefined;
  /** The budget of a key; `perMinute` 0: unlimited. */
  rateRule(): RateRule;
}

const PAGE = /^\/pay\/([A-Za-z0-9_-]{16,128})(?:\/(?:(ask|promo|no-promo)|open\/(\d{1,9})\/([A-Z]{3})))?$/;
const BUY = /^\/([A-Za-z0-9_-]{16,64})\/buy\/(\d{1,9})$/;
const INTO_BOT = /^\/([A-Za-z0-9_-]{16,64})\/(telegram|friends)$/;
/** Matches no order and no user. */
const NO_TOKEN = '-'.repeat(43);
const NOTICES: readonly OrderNotice[] = ['asked', 'failed', 'wait', 'promo', 'email'];
/** Maximum size of a form. */
const MAX_FORM_BYTES = 1024;

/** Per order or link and network. */
const READS: RateRule = { perMinute: 60, burst: 60 };
const ACTS: RateRule = { perMinute: 10, burst: 5 };
/** Promo codes per network, against guessing. */
const CODES: RateRule = { perMinute: 20, burst: 20 };

/** The field of a form; empty if missing. PanelError `body_too_large`. */
async function readField(body: RequestBody, name: 'code' | 'email'): Promise<string> {
  const form = new URLSearchParams(new TextDecoder().decode(await readBytes(body, MAX_FORM_BYTES)));
  return form.get(name) ?? '';
}

/** Where a page is shown, by its query. */
function readPlace(query: string): ShopPlace {
  return query.split('&').includes(IN_TELEGRAM) ? 'telegram' : 'page';
}

/** The query of a page: where it is shown, and what to tell or do there. */
function buildQuery(place: ShopPlace, word?: OrderNotice | 'refused' | typeof OPENS_INVOICE): string {
  const words = [...(place === 'telegram' ? [IN_TELEGRAM] : []), ...(word === undefined ? [] : [word])];
  return words.length === 0 ? '' : `?${words.join('&')}`;
}

/** Redirects to a page, relative to the form. */
export function redirectTo(state: CallState, to: string): DoorReply {
  return makeReply(state, 303, null, '', ['Location', to]);
}

/** A page with no script but its own, whose forms may redirect to a provider. `framedBy` undefined: no framing. */
export function pageReply(state: CallState, { body, style, script }: RenderedOrder, framedBy?: string): DoorReply {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    ...(script === undefined ? [] : [`script-src 'sha256-${hash('sha256', script, 'base64')}'`]),
    'img-src data:',
    "base-uri 'none'",
    // Browsers apply form-action to redirects too, which lead to the provider.
    "form-action 'self' https:",
    `frame-ancestors ${framedBy ?? "'none'"}`,
  ];
  const frame = framedBy === undefined ? ['X-Frame-Options', 'DENY'] : [];
  const extra = ['Content-Security-Policy', policy.join('; '), ...frame, 'Vary', 'Accept-Language'];
  return makeReply(state, 200, 'text/html; charset=utf-8', body, extra);
}

/** The notice for a failure; unexpected failures are logged. */
function toOrderNotice(log: Pick<Log, 'error'>, id: string, error: unknown): OrderNotice {
  if (error instanceof PanelError) {
    if (error.code === 'promo_refused') return 'promo';
    if (error.code === 'rate_limited') return 'wait';
    if (error.errors?.some(({ pointer }) => pointer === '#/email')) return 'email';
  } else
    log.error('order_failed', { requestId: id, cause: error instanceof Error ? (error.stack ?? '') : String(error) });
  return 'failed';
}

export function createOrderDoor(parts: OrderDoorParts): LinkDoor {
  const { core, clock, render, renderTelegram, renderFriends, log, rateRule } = parts;
  const showPage = (state: CallState, page: RenderedOrder) => pageReply(state, page, parts.framedBy?.());
  const reads = createRateLimiter<string>();
  const acts = createRateLimiter<string>();
  const codes = createRateLimiter<string>();

  /** Seconds to wait; 0: allowed. */
  function waitFor(limiter: typeof reads, rule: RateRule, token: string, address: string): number {
    if (rateRule().perMinute === 0) return 0;
    const { isAllowed, retryAfter } = limiter.consumeRequest(`${token} ${computeNetwork(address)}`, rule, clock.now());
    return isAllowed ? 0 : Math.max(1, retryAfter);
  }

  function show(
    state: CallState,
    token: string,
    { headers, query }: LinkRequest,
    notice: OrderNotice | null,
  ): DoorReply {
    const place = readPlace(query);
    const order = core.shop.order(token, place);
    if (order === null) return makeReply(state, 404, null, '');
    const request = { token, acceptLanguage: headers['accept-language'], notice, place };
    return showPage(state, render(order, core.settings(), request));
  }

  async function open(
    state: CallState,
    token: string,
    providerId: number,
    currency: string,
    { body, query }: LinkRequest,
  ): Promise<DoorReply> {
    const place = readPlace(query);
    const page = `../../../${token}`;
    try {
      const email = await readField(body, 'email');
      const payUrl = await core.shop.pay(token, { providerId, currency, email, place });
      // Stars are paid over the page, which has the invoice now.
      const isOverPage = place === 'telegram' && currency === STARS;
      return redirectTo(state, isOverPage ? `${page}${buildQuery(place, OPENS_INVOICE)}` : payUrl);
    } catch (error) {
      return redirectTo(state, `${page}${buildQuery(place, toOrderNotice(log, state.id, error))}`);
    }
  }

  /** Polls the order and ignores failures: the page shows the known state. */
  async function pollOrder(state: CallState, token: string): Promise<void> {
    await core.shop.pollOrder(token).catch((error: unknown) => toOrderNotice(log, state.id, error));
  }

  /** The page with a link into the bot; without a bot, the subscription page. */
  async function inviteTo(state: CallState, link: string, { headers }: LinkRequest): Promise<DoorReply> {
    const invitation = await core.bot.inviteBehind(link);
    if (invitation === null) return redirectTo(state, `../${link}`);
    return showPage(state, renderTelegram(invitation, core.settings(), { acceptLanguage: headers['accept-language'] }));
  }

  /** The page with the referral link; if referrals are off, the subscription page. */
  async function showFriends(state: CallState, link: string, { headers }: LinkRequest): Promise<DoorReply> {
    const found = await core.bot.friendLink(link);
    if (found === null) return redirectTo(state, `../${link}`);
    return showPage(state, renderFriends(found, core.settings(), { acceptLanguage: headers['accept-language'] }));
  }

  async function changePromo(
    state: CallState,
    token: string,
    isSet: boolean,
    { body, query }: LinkRequest,
  ): Promise<DoorReply> {
    const place = readPlace(query);
    try {
      if (isSet) await core.shop.enterPromo(token, await readField(body, 'code'));
      else await core.shop.removePromo(token);
      return redirectTo(state, `../${token}${buildQuery(place)}`);
    } catch (error) {
      return redirectTo(state, `../${token}${buildQuery(place, toOrderNotice(log, state.id, error))}`);
    }
  }

  /** A promo code is applied if given; its refusal is shown on the order page. */
  async function buy(state: CallState, link: string, offerId: number, request: LinkRequest): Promise<DoorReply> {
    const place = readPlace(request.query);
    try {
      const code = (await readField(request.body, 'code')).trim();
      const mayTry = code !== '' && waitFor(codes, CODES, '', request.address) === 0;
      const token = await core.shop.buy(link, offerId);
      const toPage = (notice?: OrderNotice) => redirectTo(state, `../../pay/${token}${buildQuery(place, notice)}`);
      if (code === '') return toPage();
      if (!mayTry) return toPage('wait');
      // A trial is paid already.
      if (core.shop.order(token, place)?.state !== 'unpaid') return toPage();
      return await core.shop.enterPromo(token, code).then(
        () => toPage(),
        (error: unknown) => toPage(toOrderNotice(log, state.id, error)),
      );
    } catch (error) {
      toOrderNotice(log, state.id, error);
      const isOften = error instanceof PanelError && error.code === 'order_limit';
      return redirectTo(state, `../../${link}${buildQuery(place, isOften ? 'wait' : 'refused')}`);
    }
  }

  /** Handles forms of a subscription page. */
  function answerLink(
    request: LinkRequest,
    link: string,
    /** undefined: a link into the bot was requested. */
    offer: number | undefined,
    isForFriends: boolean,
  ): Promise<DoorReply> | DoorReply | null {
    const { id, isStray, method, address } = request;
    const isPossible = !isStray && method === 'POST';
    const subscription = core.subscription(isPossible ? link : NO_TOKEN);
    if (!isPossible || subscription === null) return null;
    const state = newCallState(id, method);
    state.route = 'order';
    const wait = waitFor(acts, ACTS, link, address);
    const query = buildQuery(readPlace(request.query), 'wait');
    if (wait > 0) return redirectTo(state, `${offer === undefined ? '../' : '../../'}${link}${query}`);
    if (offer !== undefined) return buy(state, link, offer, request);
    return isForFriends ? showFriends(state, link, request) : inviteTo(state, link, request);
  }

  function answerPage(
    request: LinkRequest,
    [, given = '', act, provider, currency = '']: RegExpExecArray,
  ): Promise<DoorReply> | DoorReply | null {
    const { id, isStray, method, query, address } = request;
    const place = readPlace(query);
    const words = query.split('&');
    const isAct = act !== undefined || provider !== undefined;
    const isPossible = !isStray && (isAct ? method === 'POST' : method === 'GET' || method === 'HEAD');
    // Always one look-up, so that the response time does not reveal which orders exist.
    const order = core.shop.order(isPossible ? given : NO_TOKEN, place);
    if (!isPossible || order === null) return null;
    const state = newCallState(id, method);
    state.route = 'order';
    const wait = waitFor(reads, READS, given, address);
    if (wait > 0) return makeReply(state, 429, null, '', ['Retry-After', String(wait)]);
    const isBack = method === 'GET' && !isAct && words.includes('back');
    if (!isAct && !isBack) return show(state, given, request, NOTICES.find((one) => words.includes(one)) ?? null);
    const mayAct =
      waitFor(acts, ACTS, given, address) === 0 && (act !== 'promo' || waitFor(codes, CODES, '', address) === 0);
    // After returning from the provider: show the known state.
    if (isBack)
      return (mayAct ? pollOrder(state, given) : Promise.resolve()).then(() => show(state, given, request, 'asked'));
    const depth = act === undefined ? '../../../' : '../';
    if (!mayAct) return redirectTo(state, `${depth}${given}${buildQuery(place, 'wait')}`);
    if (provider !== undefined) return open(state, given, Number(provider), currency, request);
    if (act !== 'ask') return changePromo(state, given, act === 'promo', request);
    return pollOrder(state, given).then(() => redirectTo(state, `../${given}${buildQuery(place, 'asked')}`));
  }

  return {
    isOwn: (path) => PAGE.test(path) || BUY.test(path) || INTO_BOT.test(path),
    answer(request) {
      const [, link, offer] = BUY.exec(request.path) ?? [];
      if (link !== undefined) return answerLink(request, link, Number(offer), false);
      const [, token, kind] = INTO_BOT.exec(request.path) ?? [];
      if (token !== undefined) return answerLink(request, token, undefined, kind === 'friends');
      const page = PAGE.exec(request.path);
      return page ? answerPage(request, page) : null;
    },
  };
}
