// Problem documents (RFC 9457): expected failures by code, others as `internal` without details.
import { buildProblem, ERRORS, type ErrorCode } from '../contract/errors.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { Log } from '../core/ports/ports.ts';
import { type CallState, type DoorReply, makeReply } from './call.ts';

export const PROBLEM_TYPE = 'application/problem+json';
const ACCEPT_PATCH = 'application/merge-patch+json, application/json';

/** The problem document of a failure. Unexpected ones are logged with the request id. */
export function replyToFailure(state: CallState, error: unknown, log: Pick<Log, 'error'>): DoorReply {
  if (error instanceof PanelError) return problemReply(state, error.code, error);
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.error('request_failed', { requestId: state.id, route: state.route, cause });
  return problemReply(state, 'internal');
}

function problemReply(state: CallState, code: ErrorCode, error?: PanelError): DoorReply {
  const body = JSON.stringify(buildProblem(code, state.id, error?.errors, error?.inUse));
  return makeReply(state, ERRORS[code].status, PROBLEM_TYPE, body, buildHeaders(state, code, error?.retryAfter));
}

function buildHeaders(state: CallState, code: ErrorCode, retryAfter: number | undefined): string[] {
  const headers: string[] = [];
  if (code === 'unauthorized') headers.push('WWW-Authenticate', 'Bearer');
  if (code === 'method_not_allowed') headers.push('Allow', state.allow ?? '');
  if (code === 'unsupported_media_type' && state.method === 'PATCH') headers.push('Accept-Patch', ACCEPT_PATCH);
  if (retryAfter !== undefined) headers.push('Retry-After', String(Math.max(1, Math.ceil(retryAfter))));
  return headers;
}
