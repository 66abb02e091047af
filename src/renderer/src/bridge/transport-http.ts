// Carries calls to the panel door over HTTP, relative to the page's address, so that the code contains no secret path.
import type { PanelTransport } from '../../../bridge/panel-transport.ts';
import { SESSION_HEADER } from '../../../contract/access/session.ts';
import { type CallOptions, isProblem, PanelCallError } from '../../../contract/client.ts';
import { buildProblem } from '../../../contract/errors.ts';
import type { OperationId } from '../../../contract/table.ts';
import type { HttpParts } from './watch-events.ts';
import { watchEvents } from './watch-events.ts';

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;

/** A transport over HTTP. Half of the session token is a cookie that scripts cannot read, the other half is stored for this origin. */
export function createHttpTransport(parts: HttpParts): PanelTransport {
  const memory = { lastEventId: '' };
  return {
    call: (operationId, input, options) => call(parts, operationId, input, options),
    watch: (listener) => watchEvents(parts, memory, listener),
  };
}

async function call(parts: HttpParts, id: OperationId, input: unknown, options: CallOptions = {}): Promise<unknown> {
  const { ifMatch, idempotencyKey, signal, onEtag } = options;
  const headers: Record<string, string> = { 'Content-Type': 'application/json', Accept: 'application/json' };
  if (ifMatch !== undefined) headers['If-Match'] = ifMatch;
  if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
  const secret = parts.sessionSecret.read();
  if (secret !== null) headers[SESSION_HEADER] = secret;
  let response: Response;
  let text: string;
  try {
    response = await parts.fetch(new URL(id, parts.base), {
      method: 'POST',
      headers,
      body: JSON.stringify(input ?? {}),
      credentials: 'same-origin',
      redirect: 'error',
      ...(signal !== undefined && { signal }),
    });
    text = await response.text();
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    parts.reach.onReach('lost');
    throw new PanelCallError(buildProblem('unavailable', 'none'), { cause });
  }
  const given = response.headers.get(SESSION_HEADER);
  if (given !== null) parts.sessionSecret.write(given === '' ? null : given);
  const date = Date.parse(response.headers.get('Date') ?? '');
  if (!Number.isNaN(date)) parts.reach.onServerTime(date);
  const isJson = JSON_TYPE.test(response.headers.get('Content-Type') ?? '');
  const body = isJson ? parse(text) : undefined;
  if (response.ok && (isJson || text === '')) {
    parts.reach.onReach('reached');
    const etag = response.headers.get('ETag');
    if (etag !== null) onEtag?.(etag);
    return body;
  }
  throw toCallError(parts, response, isJson ? body : text);
}

/** A reply that is neither a result nor a problem document does not come from a panel. */
function toCallError({ reach }: HttpParts, response: Response, body: unknown): PanelCallError {
  if (isProblem(body)) {
    reach.onReach('reached');
    return new PanelCallError(body, { retryAfter: parseRetryAfter(response.headers.get('Retry-After')) });
  }
  // A reverse proxy answers with these statuses when the panel does not answer.
  const isAbsent = response.status >= 502 && response.status <= 504;
  reach.onReach(isAbsent ? 'lost' : 'moved');
  return new PanelCallError(buildProblem('unavailable', 'none'), { cause: new Error(`HTTP ${response.status}`) });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseRetryAfter(header: string | null): number | null {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}
