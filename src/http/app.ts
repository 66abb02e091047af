// The Express application: REST API, subscription links and admin pages, each a handler that calls the door.

import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import { SESSION_FIELD } from '../contract/access/session.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { Clock, Log } from '../core/ports/ports.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { isPrivateHost } from '../domain/host.ts';
import {
  type DoorReply,
  makeReply,
  NO_BODY,
  newCallState,
  type RequestBody,
  readBytes,
  UNMATCHED,
} from '../door/call.ts';
import type { Door } from '../door/door.ts';
import { hostTexts } from '../i18n/host.ts';
import {
  browserCookie,
  deviceName,
  isEncrypted,
  isOwnRead,
  isOwnRequest,
  readBrowserCookie,
  readSession,
  sessionHeaders,
} from './browser.ts';
import { createClientAddress } from './client-address.ts';
import { compressReply } from './compress.ts';
import {
  answer,
  type Exchange,
  type ExchangeHost,
  getRequestBody,
  openExchange,
  readHeaders,
  send,
  splitUrl,
} from './exchange.ts';
import {
  type ConstantReply,
  createConstantReply,
  createGuard,
  LINK_PREFIX,
  SECRET_PREFIX,
  STRAY_PREFIX,
} from './guards.ts';
import { EVENTS_ROUTE, openEventStream } from './live.ts';
import type { Pages } from './pages.ts';

/** Functions are called on each request, so changes apply at once. */
export interface AppParts {
  readonly door: Door;
  readonly core: {
    settings(): Pick<SettingValues, 'secretPath' | 'subPath' | 'instanceId' | 'language'>;
    linkPaths?(): readonly string[];
  };
  readonly clock: Clock;
  readonly log: Log;
  /** Names accepted in Host besides IP literals and `localhost`; lower case. */
  hosts(): ReadonlySet<string>;
  /** Addresses and CIDR ranges whose X-Forwarded-For is trusted. */
  trustedProxies(): readonly string[];
  /** Whether the served certificate is publicly trusted; default: no. */
  isTrusted?(): boolean;
  /** Whether a socket was accepted by a listening address on trial. */
  isOnTrial?(socket: object): boolean;
  /** The panel door with its pages (null: not built); absent if this host has no panel door on a socket. */
  readonly panel?: { readonly pages: Pages | null };
}

export interface App {
  /** Handles a server's requests. `linksOnly`: the secret path is unknown there. */
  listener(linksOnly: boolean): (request: IncomingMessage, response: ServerResponse) => void;
  readonly constantReply: ConstantReply;
  /** The last private peer whose X-Forwarded-For was ignored, probably an untrusted proxy; null: none. */
  ignoredProxy(): string | null;
  /** From now on, replies close their connections. */
  close(): void;
}

const HSTS = 'max-age=31536000';

export function createApp(parts: AppParts): App {
  const { door, core, clock, log } = parts;
  const constantReply = createConstantReply(clock);
  let isClosing = false;
  const host: ExchangeHost = { observe: door.observe, isClosing: () => isClosing };
  let ignoredProxy: string | null = null;
  const getClientAddress = createClientAddress(
    () => parts.trustedProxies(),
    (peer) => {
      if (isPrivateHost(peer)) ignoredProxy = peer;
    },
  );

  const app = express();
  for (const setting of ['x-powered-by', 'etag', 'trust proxy', 'query parser']) app.disable(setting);
  app.enable('case sensitive routing');
  app.enable('strict routing');

  app.use(SECRET_PREFIX, (request, response, next) => {
    // Only inside the secret path: other replies must not identify the panel. With the own authority, HSTS would lock out clients that have not
    // installed it.
    if (isEncrypted(request) && parts.isTrusted?.()) response.setHeader('Strict-Transport-Security', HSTS);
    next();
  });
  app.use(`${SECRET_PREFIX}/api/v1`, (request, response) => {
    const exchange = openExchange(host, request, response);
    const { path, query } = splitUrl(request.url);
    answer(exchange, () => {
      const reply = door.call({
        door: 'api',
        id: exchange.id,
        method: request.method,
        path,
        query,
        headers: readHeaders(request),
        body: getRequestBody(exchange),
        address: getClientAddress(request),
        onGone: (listener) => void response.once('close', listener),
      });
      const compress = (made: DoorReply) => compressReply(request, made);
      return reply instanceof Promise ? reply.then(compress) : compress(reply);
    });
  });
  app.use([LINK_PREFIX, STRAY_PREFIX], (request, response) => {
    const exchange = openExchange(host, request, response);
    const { path, query } = splitUrl(request.url);
    const reply = door.link({
      id: exchange.id,
      isStray: request.baseUrl !== LINK_PREFIX,
      method: request.method,
      path,
      query,
      headers: request.headers,
      allHeaders: request.headers,
      body: getRequestBody(exchange),
      address: getClientAddress(request),
    });
    if (reply === null) constantReply.send(request, response);
    else answer(exchange, () => reply);
  });
  if (parts.panel) app.use(SECRET_PREFIX, panelRouter(parts, host, getClientAddress, parts.panel.pages));
  app.use((request, response) => constantReply.send(request, response));
  const onError: ErrorRequestHandler = (error, request, response, _next) => {
    log.error('http_failed', { cause: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    if (response.headersSent) request.socket.destroy();
    else constantReply.send(request, response);
  };
  app.use(onError);

  const guardParts = {
    settings: core.settings,
    linkPaths: () => core.linkPaths?.() ?? [],
    hosts: parts.hosts,
    app,
  };
  return {
    listener: (linksOnly) => createGuard(guardParts, linksOnly),
    constantReply,
    ignoredProxy: () => ignoredProxy,
    close() {
      isClosing = true;
    },
  };
}

/** The panel door: operations and backup files below `/panel`, live events, and the pages. */
function panelRouter(
  { core, door, isOnTrial }: AppParts,
  host: ExchangeHost,
  getClientAddress: (request: IncomingMessage) => string,
  pages: Pages | null,
): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  const instanceId = () => core.settings().instanceId;
  const getSession = (request: IncomingMessage) => readSession(request, instanceId());

  router.use(
    EVENTS_ROUTE,
    route(door, host, EVENTS_ROUTE, ['GET'], (exchange) => {
      const { path, query } = splitUrl(exchange.request.url ?? '');
      if (path !== '/') throw new PanelError('not_found');
      if (!isOwnRead(exchange.request)) throw new PanelError('foreign_origin');
      const session = getSession(exchange.request);
      const { secretPath } = core.settings();
      // A stream under an old secret path ends, like the path itself.
      openEventStream(exchange, door, () => (core.settings().secretPath === secretPath ? session : null), query);
    }),
  );
  router.use('/panel', (request, response) => {
    const exchange = openExchange(host, request, response);
    const { path, query } = splitUrl(request.url);
    const isOwn = request.method === 'GET' ? isOwnRead(request) : isOwnRequest(request);
    const isForm = isFormOfBackup(request, path);
    answer(exchange, async () => {
      const body = getRequestBody(exchange);
      const reply = await door.call({
        door: 'panel',
        id: exchange.id,
        // Browsers download by submitting a form, which cannot set headers and sends the page's half of the token as a field.
        method: isForm ? 'GET' : request.method,
        path,
        query,
        headers: readHeaders(request),
        body: isForm ? NO_BODY : body,
        session: isForm ? await readFormSession(request, instanceId(), body) : getSession(request),
        browserToken: readBrowserCookie(request, instanceId()),
        address: getClientAddress(request),
        device: deviceName(request.headers['user-agent']),
        isForeign: !isOwn,
        isOnTrial: isOnTrial?.(request.socket) ?? false,
      });
      const { sessionToken, browserToken } = reply;
      if (sessionToken === undefined) return reply;
      const session = sessionHeaders(request, instanceId(), sessionToken);
      const own = browserToken === undefined ? [] : browserCookie(request, instanceId(), browserToken);
      return { ...reply, headers: [...reply.headers, ...session, ...own] };
    });
  });
  addPages(router, { core, door }, host, pages);
  return router;
}

const FORM_TYPE = 'application/x-www-form-urlencoded';
const MAX_FORM_BYTES = 1024;

/** Whether a form requests a backup file. */
function isFormOfBackup({ method, headers }: IncomingMessage, path: string): boolean {
  return method === 'POST' && path.startsWith('/backups/') && headers['content-type'] === FORM_TYPE;
}

/** The session of a form request; null also if the form is not from a page of the panel. */
async function readFormSession(
  request: IncomingMessage,
  instanceId: string,
  body: RequestBody,
): Promise<string | null> {
  try {
    const fields = new URLSearchParams(new TextDecoder().decode(await readBytes(body, MAX_FORM_BYTES)));
    return readSession(request, instanceId, fields.get(SESSION_FIELD));
  } catch {
    return null;
  }
}

/** Format of a setup link token; the page behind the `#` validates it. */
const SETUP_TOKEN = /^\/[A-Za-z0-9_-]{1,200}$/;

/** `/`, the built files, and the redirect of printed setup links; everything else is `not_found`. */
function addPages(
  router: Router,
  { core, door }: Pick<AppParts, 'core' | 'door'>,
  host: ExchangeHost,
  pages: Pages | null,
): void {
  const home = () => `/${core.settings().secretPath}/`;
  const redirect = (exchange: Exchange, routeName: string, status: number, to: string) => {
    const state = { ...newCallState(exchange.id, 'GET'), route: routeName };
    send(exchange, makeReply(state, status, null, '', ['Location', to]));
  };
  router.use(
    '/setup',
    route(door, host, '/setup/{token}', ['GET', 'HEAD'], (exchange) => {
      const { path } = splitUrl(exchange.request.url ?? '');
      if (!SETUP_TOKEN.test(path)) throw new PanelError('not_found');
      // The fragment is sent to no server and appears in no log.
      redirect(exchange, '/setup/{token}', 302, `${home()}#/setup/${path.slice(1)}`);
    }),
  );
  router.use((request, response, next) => {
    const { path } = splitUrl(request.url);
    if (path !== '/' || (request.method !== 'GET' && request.method !== 'HEAD')) return next();
    const exchange = openExchange(host, request, response);
    // Relative URLs in the pages must keep the secret segment.
    if (!request.originalUrl.startsWith(`${SECRET_PREFIX}/`)) return redirect(exchange, UNMATCHED, 308, home());
    if (pages === null) {
      const state = { ...newCallState(exchange.id, request.method), route: '/' };
      // Only missing in a checkout.
      const text = hostTexts(core.settings().language, 'server')('notBuilt', { command: 'npx panel' });
      return send(exchange, makeReply(state, 200, 'text/plain; charset=utf-8', text));
    }
    const { headers, body } = pages.index();
    const all = ['X-Request-Id', exchange.id, ...headers, 'Content-Length', String(body.length)];
    return send(exchange, { status: 200, headers: all, body: body.toString(), route: '/' });
  });
  router.use((request, response, next) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || pages === null || !pages.has(splitUrl(request.url).path)) return next();
    const { id, startedAt } = openExchange(host, request, response);
    response.setHeader('X-Request-Id', id);
    if (host.isClosing()) response.setHeader('Connection', 'close');
    response.once('finish', () => {
      host.observe('/{file}', request.method, response.statusCode, (performance.now() - startedAt) / 1000);
    });
    return pages.files(request, response, next);
  });
  router.use(
    route(door, host, UNMATCHED, null, () => {
      throw new PanelError('not_found');
    }),
  );
}

/** A handler for `methods` (null: any) whose failures become problem documents. `name`: the route label of metrics. */
function route(
  door: Pick<Door, 'fail'>,
  host: ExchangeHost,
  name: string,
  methods: readonly string[] | null,
  handle: (exchange: Exchange) => void,
): RequestHandler {
  return (request: Request, response: Response) => {
    const exchange = openExchange(host, request, response);
    try {
      if (methods?.includes(request.method) === false) throw new PanelError('method_not_allowed');
      handle(exchange);
    } catch (error) {
      const state = newCallState(exchange.id, request.method);
      state.route = name;
      state.allow = methods?.join(', ') ?? null;
      send(exchange, door.fail(state, error));
    }
  };
}
