// The administrator's door over HTTP: every operation of the table behind a session, live events, and the pages.
import express from 'express';
import { splitInput } from '../contract/input/input.ts';
import type { Operation } from '../contract/operation.ts';
import { type Input, OPERATIONS, type OperationId } from '../contract/table.ts';
import type { Reply } from '../core/call.ts';
import { PanelError } from '../core/panel-error.ts';
import { addBackupFiles } from './backup-files.ts';
import { ifMatch } from './call-headers.ts';
import type { MountedPanel } from './door.ts';
import { type Exchange, send, UNMATCHED } from './exchange.ts';
import { createLive } from './live.ts';
import { addPages } from './pages/routes.ts';
import { bodyOf, inputOf, type PanelDoorParts, requireSession, routeOf, run, visitorOf } from './panel-call.ts';
import { readQuery } from './query-string.ts';
import { requireBodyHeaders } from './request-body.ts';
import { isOwnRead, isOwnRequest } from './same-origin.ts';
import { sessionCookie } from './session-cookie.ts';
import { parseStrictJson } from './strict-json.ts';
import { createTryApi, type TryApi } from './try-api.ts';
import { addUi } from './ui-routes.ts';

/**
 * `POST panel/<operation id>`: the input as one JSON record, as contract/input/input.ts#splitInput takes it apart; the reply or a
 * problem document. `GET panel/events`: see live.ts; `panel/backups`: see backup-files.ts. Everything but the `public` operations needs the session's cookie
 * (401 `signed_out`); everything that may change something must come from the panel's own pages (403 `foreign_origin`).
 * Nothing is passed on: what is not there is a problem document too. `close` ends the streams.
 */
export function createPanelDoor(parts: PanelDoorParts): MountedPanel {
  const live = createLive(parts.core);
  const tryApi = createTryApi(parts.api);
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use(
    '/panel/events',
    routeOf(parts, '/panel/events', 'GET', (exchange, { path, query }) => {
      const { request } = exchange;
      if (path !== '/') throw new PanelError('not_found');
      if (!isOwnRead(request)) throw new PanelError('foreign_origin');
      const { token } = requireSession(parts, request);
      live.open(exchange, token, lastIdOf(request.headers['last-event-id'], query));
    }),
  );
  addBackupFiles(router, parts);
  router.use(
    '/panel',
    routeOf(parts, '/panel/{operation}', 'POST', (exchange, { path }) =>
      operate(parts, tryApi, exchange, path.slice(1)),
    ),
  );
  if (parts.ui) addUi(router, parts, parts.ui);
  else addPages(router, parts);
  router.use(
    routeOf(parts, UNMATCHED, null, () => {
      throw new PanelError('not_found');
    }),
  );
  return { handler: router, close: live.close };
}

async function operate(parts: PanelDoorParts, tryApi: TryApi, exchange: Exchange, id: string): Promise<void> {
  const { request } = exchange;
  if (!isOwnRequest(request)) throw new PanelError('foreign_origin');
  const { actor, token } = visitorOf(parts, request);
  const operation = operationOf(id);
  if (token === null && !isPublic(operation)) throw new PanelError('signed_out');
  if (operation === undefined) throw new PanelError('not_found');
  requireBodyHeaders(exchange);
  const condition = operation.door === 'api' && operation.ifMatch ? ifMatch(exchange) : undefined;
  const body = await bodyOf(exchange);
  const input = inputOf(operation.id, splitInput(operation, body.length === 0 ? {} : parseStrictJson(body)));
  const document = parts.documents[operation.id];
  if (document !== undefined) {
    const { type, body: text } = await document('');
    send(exchange, 200, type, text);
    return;
  }
  if (operation.id === 'tryApi') {
    answer(parts, exchange, { status: 200, body: await tryApi(input as Input<'tryApi'>, request) });
    return;
  }
  answer(parts, exchange, await run(parts, exchange, operation.id, input, actor, condition));
}

function answer({ core }: PanelDoorParts, exchange: Exchange, reply: Reply): void {
  const { status, body, raw, etag, sessionToken } = reply;
  const headers: string[] = [];
  if (etag !== undefined) headers.push('ETag', etag);
  if (sessionToken !== undefined) {
    headers.push(...sessionCookie(exchange.request, core.settings().instanceId, sessionToken));
  }
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  if (text === undefined) send(exchange, status, null, '', headers);
  else send(exchange, status, 'application/json', text, headers);
}

type Known = Operation & { readonly id: OperationId };

function operationOf(id: string): Known | undefined {
  return Object.hasOwn(OPERATIONS, id) ? OPERATIONS[id as OperationId] : undefined;
}

function isPublic(operation: Known | undefined): boolean {
  return operation?.door === 'panel' && operation.access === 'public';
}

/** The id after which a stream goes on: what the browser remembers, else what the page says; -1 where that is no id. */
function lastIdOf(header: string | string[] | undefined, query: string): number | null {
  const text = header ?? readQuery(query).raw.after;
  if (text === undefined || text === '') return null;
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : -1;
}
