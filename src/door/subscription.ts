// The door for users: `/<sub path>/<token>`. It knows neither keys nor sessions, and an unknown token has no reply of its own.
import { hash } from 'node:crypto';
import type { ConfigurationFormat } from '../contract/subscription/formats.ts';
import type { Core, Subscription } from '../core/kernel/core.ts';
import type { Clock, Log } from '../core/ports/ports.ts';
import type { LinkSettings } from '../core/ports/settings.ts';
import { clientApp } from '../domain/client-app.ts';
import { computeNetwork } from '../domain/client-network.ts';
import { isGuessable, MAX_LINK_CANDIDATES, parseLinkPath } from '../domain/imports/link-token.ts';
import { createRateLimiter, type RateRule } from '../domain/rate-limiter.ts';
import { IN_TELEGRAM } from '../domain/sales/shop-place.ts';
import type { RenderedSubscription, RenderRequest } from '../subscription/render.ts';
import { type CallState, type DoorReply, type HeaderList, makeReply, newCallState, type RequestBody } from './call.ts';
import { isTagListed, type RequestHeaders } from './headers.ts';
import { readQuery } from './parse.ts';

export type RenderSubscription = (
  subscription: Subscription,
  settings: LinkSettings,
  request: RenderRequest,
) => RenderedSubscription;

export interface LinkRequest {
  readonly id: string;
  /** It is not below the sub path: nothing is behind it, and it costs what an unknown link costs. */
  readonly isStray: boolean;
  readonly method: string;
  /** Raw, below the sub path: `/<token>`. */
  readonly path: string;
  /** Raw, without its `?`. */
  readonly query: string;
  readonly headers: Pick<RequestHeaders, 'accept' | 'accept-language' | 'if-none-match' | 'user-agent'>;
  /** All that came, by lower-case name. */
  readonly allHeaders: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: RequestBody;
  /** The client's address. */
  readonly address: string;
}

/** A door for some paths below the sub path. */
export interface LinkDoor {
  isOwn(path: string): boolean;
  /** Answers; null where there is nothing, which must look like every other wrong address. */
  answer(request: LinkRequest): DoorReply | Promise<DoorReply> | null;
}

export interface SubscriptionDoorParts {
  readonly core: Pick<Core, 'recordLinkRead'> & {
    subscription(token: string): Subscription | null;
    /** What is behind a link of another panel; default: nothing. */
    importedSubscription?(token: string): Subscription | null;
    settings(): LinkSettings;
  };
  readonly clock: Clock;
  readonly render: RenderSubscription;
  readonly log: Pick<Log, 'error'>;
  /** Whose pages may frame a page, as where it is opened from the Mini App; undefined: none. */
  framedBy?(): string | undefined;
  /** The budget of a key. */
  rateRule(): RateRule;
}

/** What is behind a link of another panel, and the format that its path asks for. */
interface ImportedLink {
  readonly subscription: Subscription;
  readonly format: ConfigurationFormat | undefined;
}

const TOKEN = /^\/([A-Za-z0-9_-]{16,128})$/;
/** No user has it: tokens are random. */
const NO_TOKEN = '-'.repeat(43);
/** Of tokens of other panels that can be guessed. */
const GUESSES: RateRule = { perMinute: 10, burst: 10 };
/** What became of a purchase that was not made. */
const NOTICES = ['refused', 'wait'] as const;
const DEFAULT_TYPE = 'text/plain; charset=utf-8';

/** An application reads its link some times a day, and a person some times a minute: no less than this. */
const LEAST_PER_MINUTE = 60;
/** Where keys may ask more often, a link may ask this part of it. */
const PART_OF_KEY = 20;

/** Answers what is behind a link; null where there is nothing, which must look like every other wrong address. */
export function createSubscriptionDoor(parts: SubscriptionDoorParts): (request: LinkRequest) => DoorReply | null {
  const { core, clock, render, log, rateRule } = parts;
  const limiter = createRateLimiter<string>();
  const guesses = createRateLimiter<string>();

  /** Seconds to wait; null: it may. Counted for a link and a network, so that a link that became public does not lock its user out. */
  function consumeRequest(link: string, address: string): number | null {
    const { perMinute } = rateRule();
    if (perMinute === 0) return null;
    const limit = Math.max(LEAST_PER_MINUTE, Math.ceil(perMinute / PART_OF_KEY));
    const rule = { perMinute: limit, burst: limit };
    const { isAllowed, retryAfter } = limiter.consumeRequest(`${link} ${computeNetwork(address)}`, rule, clock.now());
    return isAllowed ? null : retryAfter;
  }

  /** Tokens that can be guessed may be tried a few times a minute from a network. */
  function mayTry(token: string, address: string): boolean {
    return !isGuessable(token) || guesses.consumeRequest(computeNetwork(address), GUESSES, clock.now()).isAllowed;
  }

  /** A link of another panel. It costs as many look-ups whatever the path is. */
  function findImported(path: string, address: string, isRead: boolean): ImportedLink | null {
    if (!core.importedSubscription) return null;
    const candidates = parseLinkPath(path);
    let found: ImportedLink | null = null;
    for (let index = 0; index < MAX_LINK_CANDIDATES; index += 1) {
      const { token = NO_TOKEN, format } = candidates[index] ?? {};
      const isTried = isRead ? mayTry(token, address) : !isGuessable(token);
      const subscription = core.importedSubscription(isTried ? token : NO_TOKEN);
      if (subscription !== null) found ??= { subscription, format };
    }
    return isRead ? found : null;
  }

  return ({ id, isStray, method, path, query, headers, allHeaders, address }) => {
    const isRead = !isStray && (method === 'GET' || method === 'HEAD');
    const given = TOKEN.exec(path)?.[1];
    const token = isRead ? given : undefined;
    // The same look-ups in any case: the time of the reply must not tell where links are.
    const own = core.subscription(token ?? NO_TOKEN);
    const below = isStray ? path.slice(path.lastIndexOf('/')) : path;
    const imported = own === null ? findImported(below, address, isRead) : null;
    const subscription = own ?? imported?.subscription ?? null;
    if (subscription === null) return null;
    const state = newCallState(id, method);
    state.route = 'subscription';
    // A link of another panel can be spelled in many ways.
    const wait = consumeRequest(imported ? `user ${subscription.user.id}` : path, address);
    if (wait !== null) return makeReply(state, 429, null, '', ['Retry-After', String(wait)]);
    try {
      const { format = imported?.format, connection } = readQuery(query).raw;
      const words = query.split('&');
      const rendered = render(subscription, core.settings(), {
        format,
        connection,
        accept: headers.accept,
        acceptLanguage: headers['accept-language'],
        userAgent: headers['user-agent'],
        allHeaders,
        now: clock.now(),
        notice: NOTICES.find((one) => words.includes(one)) ?? null,
        isInTelegram: words.includes(IN_TELEGRAM),
      });
      if (rendered.isRefused) return null;
      // The forms of a page are below its own link.
      if (rendered.inline && imported) return makeReply(state, 302, null, '', ['Location', imported.subscription.url]);
      // Who opens the page in a browser has no application yet.
      if (!rendered.inline) core.recordLinkRead(subscription.user.id, clientApp(headers['user-agent']));
      return replyWith(state, rendered, headers['if-none-match'], rendered.inline ? parts.framedBy?.() : undefined);
    } catch (error) {
      const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
      log.error('subscription_failed', { requestId: id, cause });
      return makeReply(state, 500, null, '');
    }
  };
}

/**
 * 200, or 304 where the client has this very body. The ETag is the body's alone and a 304 has all other headers too, so that an application
 * shows the traffic of now with the connections that it has. By time nothing is left out: a second is too coarse.
 */
function replyWith(
  state: CallState,
  rendered: RenderedSubscription,
  known: string | undefined,
  framedBy: string | undefined,
): DoorReply {
  const { status, headers, body, inline } = rendered;
  const { 'content-type': type = DEFAULT_TYPE, ...others } = headers;
  const tag = `"${hash('sha256', body, 'base64url')}"`;
  const all = [...Object.entries(others).flat(), 'ETag', tag, 'Vary', 'Accept, Accept-Language, User-Agent'];
  if (inline) all.push(...pageHeaders(inline, framedBy));
  if (known !== undefined && isTagListed(known, tag)) return makeReply(state, 304, null, '', all);
  return makeReply(state, status, type, body, all);
}

/** Telegram's clients for browsers show a Mini App in a frame. All pages around a page must be of this. */
export const TELEGRAM_WEB = 'https://web.telegram.org';

/** A page may do nothing but what stands in it. `framedBy`: left out: nothing frames it. */
export function pageHeaders(
  { style, script }: NonNullable<RenderedSubscription['inline']>,
  framedBy?: string,
): HeaderList {
  const policy = [
    "default-src 'none'",
    `style-src '${sourceHash(style)}'`,
    `script-src '${sourceHash(script)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${framedBy ?? "'none'"}`,
  ];
  return ['Content-Security-Policy', policy.join('; '), ...(framedBy === undefined ? ['X-Frame-Options', 'DENY'] : [])];
}

const hashes = new Map<string, string>();

/** The page's style and script are constants, so each is hashed once. */
function sourceHash(source: string): string {
  let known = hashes.get(source);
  if (known === undefined) {
    known = `sha256-${hash('sha256', source, 'base64')}`;
    hashes.set(source, known);
  }
  return known;
}
