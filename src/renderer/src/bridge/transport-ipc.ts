// Carries calls and live events over IPC to the panel in the desktop's main process; see transport-http.ts for browsers.
import type { CallEnvelope, DesktopApi, LiveMessage } from '../../../bridge/desktop-api.ts';
import type { LiveListener, PanelTransport, ReachListener } from '../../../bridge/panel-transport.ts';
import { type CallOptions, PanelCallError } from '../../../contract/client.ts';
import { buildProblem } from '../../../contract/errors.ts';

/** Delay in ms before a broken watch is restarted. */
const AGAIN_MS = 1000;

export interface IpcParts {
  readonly api: Pick<DesktopApi, 'call' | 'watch' | 'unwatch' | 'onLive'>;
  readonly reach: ReachListener;
}

/** A transport over IPC. The main process holds the session. */
export function createIpcTransport(parts: IpcParts): PanelTransport {
  const memory: Memory = { lastEventId: null, watches: 0 };
  return {
    call: (operationId, input, options) => call(parts, operationId, input, options),
    watch: (listener) => watchEvents(parts, memory, listener),
  };
}

async function call(parts: IpcParts, id: string, input: unknown, options: CallOptions = {}): Promise<unknown> {
  const { ifMatch, idempotencyKey, signal, onEtag } = options;
  signal?.throwIfAborted();
  const pendingCall = parts.api.call(id, JSON.stringify(input ?? {}), {
    ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  });
  const envelope = await unlessAborted(pendingCall, signal).catch((cause: unknown) => {
    if (signal?.aborted) throw signal.reason;
    parts.reach.onReach('lost');
    throw new PanelCallError(buildProblem('unavailable', 'none'), { cause });
  });
  parts.reach.onReach('reached');
  if (!envelope.ok) throw new PanelCallError(envelope.problem, { retryAfter: envelope.retryAfter });
  if (envelope.etag !== null) onEtag?.(envelope.etag);
  return envelope.text === null ? undefined : JSON.parse(envelope.text);
}

function unlessAborted(pendingCall: Promise<CallEnvelope>, signal: AbortSignal | undefined): Promise<CallEnvelope> {
  if (signal === undefined) return pendingCall;
  const { promise, reject } = Promise.withResolvers<never>();
  const abortCall = () => reject(signal.reason);
  signal.addEventListener('abort', abortCall, { once: true });
  return Promise.race([pendingCall, promise]).finally(() => signal.removeEventListener('abort', abortCall));
}

interface Memory {
  lastEventId: number | null;
  /** The number of watches so far, from which each gets its own. */
  watches: number;
}

function watchEvents({ api, reach }: IpcParts, memory: Memory, listener: LiveListener): () => void {
  let watch = 0;
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const begin = async () => {
    memory.watches += 1;
    watch = memory.watches;
    const mine = watch;
    try {
      const begun = await api.watch(mine, memory.lastEventId);
      if (!begun.ok && !isOver && mine === watch) breakOff(begun.problem.status === 401);
    } catch {
      if (isOver || mine !== watch) return;
      reach.onReach('lost');
      breakOff(false);
    }
  };
  const breakOff = (isSignedOut: boolean) => {
    listener.onLive(false);
    if (isSignedOut) {
      end();
      listener.onSignedOut();
    } else {
      timer = setTimeout(() => void begin(), AGAIN_MS);
    }
  };
  const onMessage = (message: LiveMessage) => {
    if (message.watch !== watch || isOver) return;
    if (message.kind === 'event') {
      memory.lastEventId = message.event.id;
      listener.onEvent(message.event);
    } else if (message.kind === 'ready' || message.kind === 'gone') {
      memory.lastEventId = message.id;
      reach.onReach('reached');
      listener.onLive(true);
      if (message.kind === 'gone') listener.onGap();
    } else {
      breakOff(message.kind === 'signed-out');
    }
  };
  const stopHearing = api.onLive(onMessage);
  const end = () => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    stopHearing();
    void api.unwatch(watch).catch(() => undefined);
  };
  void begin();
  return end;
}
