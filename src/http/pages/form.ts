// How the plain pages are answered: what a form sent, a page under its policy, or the way to the next page.
import { MAX_ERRORS } from '../../contract/input/errors.ts';
import type { OperationId, Output } from '../../contract/table.ts';
import { PanelError } from '../../core/panel-error.ts';
import { type Exchange, type HeaderList, send } from '../exchange.ts';
import { bodyOf, inputOf, type PanelDoorParts, run, type Visitor, visitorOf } from '../panel-call.ts';
import { readQuery } from '../query-string.ts';
import { sessionCookie } from '../session-cookie.ts';
import { policyOf, type View, viewOf } from './layout.ts';

/** One request for a page. */
export interface Visit extends Visitor {
  readonly parts: PanelDoorParts;
  readonly exchange: Exchange;
  readonly view: View;
}

export type Fields = Readonly<Record<string, string>>;

export function visitOf(parts: PanelDoorParts, exchange: Exchange): Visit {
  const { request } = exchange;
  const view = viewOf(parts.core.settings(), request.headers['accept-language']);
  return { parts, exchange, view, ...visitorOf(parts, request) };
}

const FORM_TYPE = /^application\/x-www-form-urlencoded[ \t]*(;|$)/i;

/** What a form sent. Rejects with PanelError `unsupported_media_type`, `body_too_large`, `validation`. */
export async function fieldsOf(exchange: Exchange): Promise<Fields> {
  if (!FORM_TYPE.test(exchange.request.headers['content-type'] ?? '')) throw new PanelError('unsupported_media_type');
  const body = await bodyOf(exchange);
  const { raw, errors } = readQuery(body.toString('utf8'));
  if (errors.length > 0) throw new PanelError('validation', errors.slice(0, MAX_ERRORS));
  return raw;
}

/** Runs a panel operation for the visitor and answers with its output and, where it begins or ends a session, the cookie. */
export async function ask<Id extends OperationId>(
  { parts, exchange, actor }: Visit,
  id: Id,
  body: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly output: Output<Id>; readonly cookies: HeaderList }> {
  const reply = await run(parts, exchange, id, inputOf(id, { params: {}, query: {}, body }), actor);
  const { sessionToken } = reply;
  const { instanceId } = parts.core.settings();
  const cookies = sessionToken === undefined ? [] : sessionCookie(exchange.request, instanceId, sessionToken);
  return { output: reply.body as Output<Id>, cookies };
}

/** Sends a page. `retryAfter` in seconds. */
export function show({ exchange, view }: Visit, status: number, page: string, retryAfter?: number): void {
  const headers = ['Content-Security-Policy', policyOf(view), 'Cross-Origin-Opener-Policy', 'same-origin'];
  if (retryAfter !== undefined) headers.push('Retry-After', String(retryAfter));
  send(exchange, status, 'text/html; charset=utf-8', page, headers);
}

/** What the home page may say was done; named in its address. */
export type Done = 'signed-out' | 'key-revoked' | 'session-ended' | 'sessions-ended';

/** Sends the browser to the home page, so that reloading repeats nothing. */
export function goHome({ exchange, view }: Visit, cookies: HeaderList, done?: Done): void {
  const location = done === undefined ? `${view.base}/` : `${view.base}/?done=${done}`;
  send(exchange, 303, null, '', ['Location', location, ...cookies]);
}
