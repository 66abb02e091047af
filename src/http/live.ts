// Live events for the admin pages as server-sent events.
import { commonHeaders, LOCKED_POLICY } from '../door/call.ts';
import type { Door } from '../door/door.ts';
import type { LiveMessage } from '../door/live.ts';
import { readQuery } from '../door/parse.ts';
import type { Exchange } from './exchange.ts';

/** Maximum bytes buffered for a slow client; beyond it the client is disconnected and resumes. */
const MAX_WAITING_BYTES = 1_048_576;
/** Reconnection time of browsers in ms. */
const RETRY_MS = 2000;

export const EVENTS_ROUTE = '/panel/events';

/** Sends the stream. Throws PanelError `signed_out`, `unavailable`. */
export function openEventStream(
  exchange: Exchange,
  door: Pick<Door, 'watch'>,
  token: () => string | null,
  query: string,
): void {
  const { host, request, response, id, startedAt } = exchange;
  const lastId = readLastId(request.headers['last-event-id'], query);
  // `watch` calls the listener synchronously: a refusal must come before the response head.
  const stop = door.watch(token, lastId, (message) => {
    if (!response.headersSent) {
      response.writeHead(200, [
        ...commonHeaders(id),
        'Content-Security-Policy',
        LOCKED_POLICY,
        'Content-Type',
        'text/event-stream; charset=utf-8',
        // Turns off buffering in nginx.
        'X-Accel-Buffering',
        'no',
      ]);
      host.observe(EVENTS_ROUTE, 'GET', 200, (performance.now() - startedAt) / 1000);
    }
    if (response.destroyed || response.writableEnded) return;
    const text = toEventStream(message);
    if (text === null) response.end();
    else response.write(text);
    if (response.writableLength > MAX_WAITING_BYTES) response.destroy();
  });
  response.on('close', stop);
  response.on('error', stop);
}

/** null: the stream ends. JSON contains no line break, so a message is one line. */
function toEventStream(message: LiveMessage): string | null {
  switch (message.kind) {
    case 'ready':
    case 'gone':
      return `retry: ${RETRY_MS}\nevent: ${message.kind}\nid: ${message.id}\ndata: {}\n\n`;
    case 'event':
      return `id: ${message.event.id}\ndata: ${JSON.stringify(message.event)}\n\n`;
    case 'beat':
      return ':\n\n';
    default:
      return null;
  }
}

/** The id to resume after: Last-Event-ID, else the query; -1 if it is not an id. */
function readLastId(header: string | string[] | undefined, query: string): number | null {
  const text = header ?? readQuery(query).raw.after;
  if (text === undefined || text === '') return null;
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : -1;
}
