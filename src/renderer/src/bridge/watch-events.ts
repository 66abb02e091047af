// Keeps the stream of the panel's events open: resumes after the last event, with growing delays after failures.
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { LiveListener, ReachListener } from '../../../bridge/panel-transport.ts';
import { SESSION_HEADER } from '../../../contract/access/session.ts';
import { isProblem } from '../../../contract/client.ts';
import type { Event } from '../../../contract/event-types.ts';

/** The panel sends a heartbeat every 15 s; after this long without one, in ms, the connection counts as dead. */
const SILENCE_MS = 40_000;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

/** The id of the last received event, for the next connection. */
export interface StreamMemory {
  lastEventId: string;
}

/** Watches until the returned function is called. */
export function watchEvents(parts: HttpParts, memory: StreamMemory, listener: LiveListener): () => void {
  const controller = new AbortController();
  void run(parts, memory, listener, controller.signal);
  return () => controller.abort();
}

async function run(parts: HttpParts, memory: StreamMemory, listener: LiveListener, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    const end = await listen(parts, memory, listener, signal);
    if (signal.aborted) break;
    listener.onLive(false);
    if (end === 'signed-out') {
      listener.onSignedOut();
      return;
    }
    failures = end === 'ended' ? 0 : failures + 1;
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1));
    await pause(wait * (0.75 + parts.random() / 4), signal);
  }
}

/** One connection, from start to end. `ended`: called with whether it had worked. */
async function listen(
  parts: HttpParts,
  memory: StreamMemory,
  listener: LiveListener,
  signal: AbortSignal,
): Promise<'ended' | 'failed' | 'signed-out'> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  let hasWorked = false;
  try {
    const secret = parts.sessionSecret.read();
    const response = await parts.fetch(new URL('events', parts.base), {
      headers: {
        Accept: 'text/event-stream',
        ...(memory.lastEventId && { 'Last-Event-ID': memory.lastEventId }),
        ...(secret !== null && { [SESSION_HEADER]: secret }),
      },
      credentials: 'same-origin',
      redirect: 'error',
      cache: 'no-store',
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok || response.body === null) return await classifyFailure(response);
    parts.reach.onReach('reached');
    const parser = createParser({ onEvent: (message) => deliver(message, memory, listener) });
    for (const reader = response.body.pipeThrough(new TextDecoderStream()).getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) return 'ended';
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      if (!hasWorked) listener.onLive(true);
      hasWorked = true;
      parser.feed(value);
    }
  } catch {
    if (!signal.aborted) parts.reach.onReach('lost');
    return hasWorked ? 'ended' : 'failed';
  } finally {
    clearTimeout(timer);
  }
}

async function classifyFailure(response: Response): Promise<'failed' | 'signed-out'> {
  const body: unknown = await response.json().catch(() => undefined);
  return isProblem(body) && body.status === 401 ? 'signed-out' : 'failed';
}

function deliver({ event, data, id }: EventSourceMessage, memory: StreamMemory, listener: LiveListener): void {
  if (id !== undefined) memory.lastEventId = id;
  if (event === 'gone') listener.onGap();
  if (event === undefined) listener.onEvent(JSON.parse(data) as Event);
}

/** Waits `ms` milliseconds, or until the browser is online again. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => {
    clearTimeout(timer);
    globalThis.removeEventListener?.('online', done);
    signal.removeEventListener('abort', done);
    resolve();
  };
  const timer = setTimeout(done, ms);
  globalThis.addEventListener?.('online', done);
  signal.addEventListener('abort', done);
  return promise;
}

/** Where the page's half of the session's token is stored; null: none. */
export interface SessionSecret {
  read(): string | null;
  write(secret: string | null): void;
}

export interface HttpParts {
  /** Address of the panel door, with a slash at its end. */
  readonly base: string;
  readonly fetch: typeof globalThis.fetch;
  readonly reach: ReachListener;
  readonly sessionSecret: SessionSecret;
  /** From 0 to 1, so that many pages do not reconnect at the same moment. */
  random(): number;
}
