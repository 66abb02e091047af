// Failures as problem documents (RFC 9457): the expected ones by their code, all others as `internal` and nothing more.
import { ERRORS, type ErrorCode, type FieldError, problemOf } from '../contract/errors.ts';
import { PanelError } from '../core/panel-error.ts';
import type { Log } from '../core/ports/ports.ts';
import { type Exchange, send } from './exchange.ts';

export const PROBLEM_TYPE = 'application/problem+json';
const ACCEPT_PATCH = 'application/merge-patch+json, application/json';

/** Answers with the problem behind `error`. What was not expected goes to the log with the request id. */
export function sendFailure(exchange: Exchange, error: unknown, log: Log): void {
  if (error instanceof PanelError) {
    sendProblem(exchange, error.code, error.errors, error.retryAfter);
    return;
  }
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.error('request_failed', { requestId: exchange.id, route: exchange.route, cause });
  sendProblem(exchange, 'internal');
}

/** Answers with the problem of one code and the headers that belong to it. `retryAfter` in seconds. */
export function sendProblem(
  exchange: Exchange,
  code: ErrorCode,
  errors?: readonly FieldError[],
  retryAfter?: number,
): void {
  const body = JSON.stringify(problemOf(code, exchange.id, errors));
  send(exchange, ERRORS[code].status, PROBLEM_TYPE, body, headersOf(exchange, code, retryAfter));
}

function headersOf(exchange: Exchange, code: ErrorCode, retryAfter: number | undefined): string[] {
  const headers: string[] = [];
  if (code === 'unauthorized') headers.push('WWW-Authenticate', 'Bearer');
  if (code === 'method_not_allowed') headers.push('Allow', exchange.allow ?? '');
  if (code === 'unsupported_media_type' && exchange.request.method === 'PATCH')
    headers.push('Accept-Patch', ACCEPT_PATCH);
  if (retryAfter !== undefined) headers.push('Retry-After', String(Math.max(1, Math.ceil(retryAfter))));
  return headers;
}
