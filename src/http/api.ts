// The API door: takes a request through every check in the contract's order, calls the core and sends its reply.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PANEL_ONLY_PATHS } from '../contract/table.ts';
import { PanelError } from '../core/panel-error.ts';
import { createAdmission } from './admission.ts';
import { idempotencyKey, idempotencyOf, ifMatch } from './call-headers.ts';
import type { Door, DoorParts } from './door.ts';
import { type Exchange, openExchange, send } from './exchange.ts';
import { createInvoke, type Visit } from './invoke.ts';
import { chooseType } from './negotiate.ts';
import { sendFailure } from './problem.ts';
import type { RateRule } from './rate-limit.ts';
import { readBody, requireBodyHeaders } from './request-body.ts';
import { createRouter } from './routes.ts';

export interface ApiParts extends DoorParts {
  /** The budget of a key. */
  rateRule(): RateRule;
  /** Whether the administrator has paused this door. */
  isPaused(): boolean;
}

/** Seconds after which a bot should ask a paused door again. */
const PAUSE_RETRY_S = 60;

const router = createRouter();
const panelOnly: ReadonlySet<string> = new Set(PANEL_ONLY_PATHS);

/** Every method and path that the door answers, as `GET /users/{id}`; HEAD and OPTIONS are left out. */
export function mountedRoutes(): readonly string[] {
  return router.routes.flatMap(({ template, operations }) =>
    [...operations.keys()].filter((method) => method !== 'HEAD').map((method) => `${method} ${template}`),
  );
}

/** A door whose `rest` is what follows base_url in the raw URL. */
export function createApi({ core, clock, log, host, documents, addressOf, rateRule, isPaused }: ApiParts): Door {
  const admit = createAdmission({ core, clock, rateRule });
  const invoke = createInvoke(core, documents, log);

  function answer(exchange: Exchange, rest: string): void {
    const { request } = exchange;
    const address = addressOf(request);
    const actor = admit(exchange, address);
    if (isPaused()) throw new PanelError('unavailable', undefined, PAUSE_RETRY_S);
    const mark = rest.indexOf('?');
    const path = mark < 0 ? rest : rest.slice(0, mark);
    if (isPanelOnly(path)) throw new PanelError('panel_only');
    const match = router.match(path);
    if (match === null) throw new PanelError('not_found');
    const { route, params } = match;
    exchange.route = route.template;
    exchange.allow = route.allow;
    const operation = route.operations.get(request.method ?? '');
    if (operation === undefined) {
      if (request.method !== 'OPTIONS') throw new PanelError('method_not_allowed');
      send(exchange, 204, null, '', ['Allow', route.allow]);
      return;
    }
    if (operation.access === 'full' && actor.access !== 'full') throw new PanelError('read_only_key');
    const type = operation.output === null ? '' : chooseType(request.headers.accept, operation.produces);
    if (type === null) throw new PanelError('not_acceptable');
    const query = mark < 0 ? '' : rest.slice(mark + 1);
    visit({ exchange, operation, actor, address, path, query, params, type });
  }

  function visit(call: Visit): void {
    const { exchange, operation, actor, path } = call;
    const { method } = operation;
    const takesBody = method === 'POST' || method === 'PATCH';
    if (takesBody) requireBodyHeaders(exchange);
    const condition = operation.ifMatch ? ifMatch(exchange) : undefined;
    const key = method === 'POST' ? idempotencyKey(exchange) : undefined;
    if (!takesBody) {
      invoke(call, undefined, condition, undefined);
      return;
    }
    const fail = (error: unknown) => sendFailure(exchange, error, log);
    const proceed = (body: Buffer) => {
      try {
        const repetition = key === undefined ? undefined : idempotencyOf(key, actor.id, method, path, body);
        invoke(call, body, condition, repetition);
      } catch (error) {
        fail(error);
      }
    };
    readBody(exchange, proceed, fail);
  }

  return (request: IncomingMessage, response: ServerResponse, rest: string) => {
    const exchange = openExchange(host, request, response);
    try {
      answer(exchange, rest);
    } catch (error) {
      sendFailure(exchange, error, log);
    }
  };
}

function isPanelOnly(path: string): boolean {
  const slash = path.indexOf('/', 1);
  return panelOnly.has(path.slice(1, slash < 0 ? path.length : slash));
}
