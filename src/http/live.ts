// Server-sent events for the administrator's pages: every event once, in order, also over a broken connection.
import type { ServerResponse } from 'node:http';
import type { LiveEvent } from '../core/call.ts';
import type { Core } from '../core/core.ts';
import { PanelError } from '../core/panel-error.ts';
import type { Exchange } from './exchange.ts';
import { missedSince, shownEvent } from './missed-events.ts';

/** How often an open stream shows that it lives and proves that its session still does. */
const BEAT_MS = 15_000;
/** What may wait for a slow client, in bytes; beyond it the client is cut off and resumes where it was. */
const MAX_WAITING_BYTES = 1_048_576;
/** A browser opens a few; more means that something runs away. */
const MAX_STREAMS = 64;
/** How soon a browser comes back, in ms. */
const RETRY_MS = 2000;

interface Stream {
  readonly response: ServerResponse;
  readonly token: string;
  lastId: number;
}

export interface Live {
  /**
   * Answers with the stream. `lastId` is what the client has seen: what came since is sent first; null: from now on. Where
   * that is no longer kept the first event is `gone`, and the client has to read anew. PanelError `unavailable` if too many are open.
   */
  open(exchange: Exchange, token: string, lastId: number | null): void;
  /** Sends a sign of life to all and ends the streams whose session has ended; runs by itself every 15 s. */
  beat(): void;
  /** Ends all streams and opens no more. */
  close(): void;
}

type LiveCore = Pick<Core, 'subscribe' | 'eventsAfter' | 'latestEventId' | 'authenticateSession'>;

export function createLive(core: LiveCore): Live {
  const streams = new Set<Stream>();
  let unsubscribe: (() => void) | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isClosed = false;

  function begin(): void {
    unsubscribe = core.subscribe((event) => {
      for (const stream of streams) tell(stream, event);
    });
    timer = setInterval(beat, BEAT_MS);
    timer.unref();
  }

  function rest(): void {
    unsubscribe?.();
    unsubscribe = null;
    if (timer !== null) clearInterval(timer);
    timer = null;
  }

  function drop(stream: Stream): void {
    if (streams.delete(stream) && streams.size === 0) rest();
  }

  function write({ response }: Stream, text: string): void {
    if (response.destroyed || response.writableEnded) return;
    response.write(text);
    if (response.writableLength > MAX_WAITING_BYTES) response.destroy();
  }

  function tell(stream: Stream, event: LiveEvent): void {
    if (event.id <= stream.lastId) return;
    stream.lastId = event.id;
    write(stream, messageOf(event));
  }

  function beat(): void {
    for (const stream of [...streams]) {
      if (core.authenticateSession(stream.token, false) === null) stream.response.end();
      else write(stream, ':\n\n');
    }
  }

  return {
    open(exchange, token, lastId) {
      if (isClosed || streams.size >= MAX_STREAMS) throw new PanelError('unavailable');
      const { response } = exchange;
      const latest = core.latestEventId();
      const missed = lastId === null ? [] : missedSince(core, lastId, latest);
      writeHead(exchange);
      const stream = { response, token, lastId: missed === null ? latest : (lastId ?? latest) };
      streams.add(stream);
      response.on('close', () => drop(stream));
      response.on('error', () => drop(stream));
      if (unsubscribe === null) begin();
      write(
        stream,
        `retry: ${RETRY_MS}\nevent: ${missed === null ? 'gone' : 'ready'}\nid: ${stream.lastId}\ndata: {}\n\n`,
      );
      for (const event of missed ?? []) tell(stream, event);
    },
    beat,
    close() {
      isClosed = true;
      for (const { response } of streams) response.end();
      rest();
    },
  };
}

/** JSON has no line break in it, so it stays one line. */
function messageOf(event: LiveEvent): string {
  return `id: ${event.id}\ndata: ${JSON.stringify(shownEvent(event))}\n\n`;
}

function writeHead({ host, request, response, id, route, startedAt }: Exchange): void {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'X-Request-Id': id,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    // nginx would hold the events back otherwise.
    'X-Accel-Buffering': 'no',
  });
  host.observe(route, request.method ?? '', 200, (performance.now() - startedAt) / 1000);
}
