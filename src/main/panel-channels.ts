// The channels of the panel: operations and events over IPC, as the Express application has them over HTTP.
import type { CallEnvelope, CallHeaders, LiveMessage } from '../bridge/desktop-api.ts';
import { buildProblem } from '../contract/errors.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { Log } from '../core/ports/ports.ts';
import { newRequestId } from '../door/call.ts';
import type { Handlers } from './ipc.ts';
import type { IpcSession } from './ipc-session.ts';

/** A page needs one watch; a page with more of them has a defect. */
const MAX_WATCHES = 8;
/** Seconds after which the pages retry while no panel is open. */
const RETRY_S = 1;
const DONE: CallEnvelope = { ok: true, text: null, etag: null };

export interface PanelChannelParts {
  /** null while no panel is open. */
  session(): IpcSession | null;
  /** Resolves when the panel was opened for the first time: the window may be there before. */
  whenOpened(): Promise<void>;
  /** Sends a message to the contents that watch. */
  emit(sender: number, message: LiveMessage): void;
  readonly log: Pick<Log, 'error'>;
}

export interface PanelChannels {
  readonly handlers: Pick<Handlers, 'call' | 'watch' | 'unwatch'>;
  /** Ends all watches of the contents, because their page has been closed. */
  endWatches(sender: number): void;
}

export function createPanelChannels({ session, whenOpened, emit, log }: PanelChannelParts): PanelChannels {
  /** Of each of the contents by the numbers that its page chose. */
  const watches = new Map<number, Map<number, () => void>>();
  const requireSession = (): IpcSession => {
    const open = session();
    if (open === null) throw new PanelError('unavailable', undefined, RETRY_S);
    return open;
  };
  const unwatch = (sender: number, watch: number) => {
    const own = watches.get(sender);
    own?.get(watch)?.();
    own?.delete(watch);
  };
  /** The reply to a request of the window, or the problem. Never rejects. */
  const attempt = async (work: () => CallEnvelope | Promise<CallEnvelope>): Promise<CallEnvelope> => {
    try {
      return await work();
    } catch (error) {
      return toFailure(error, log);
    }
  };
  return {
    handlers: {
      call: (_sender, id, input, headers) =>
        attempt(async () => {
          if (typeof id !== 'string' || typeof input !== 'string') throw new PanelError('bad_json');
          await whenOpened();
          return requireSession().call(id, input, readHeaders(headers));
        }),
      watch: (sender, watch, lastId) =>
        attempt(() => {
          if (!Number.isSafeInteger(watch) || !(lastId === null || Number.isSafeInteger(lastId))) {
            throw new PanelError('bad_json');
          }
          const number = watch as number;
          unwatch(sender, number);
          const own = watches.get(sender) ?? new Map<number, () => void>();
          if (own.size >= MAX_WATCHES) throw new PanelError('unavailable');
          const stop = requireSession().watch(lastId as number | null, (message) => {
            if (message.kind !== 'beat') emit(sender, { ...message, watch: number });
          });
          watches.set(sender, own.set(number, stop));
          return DONE;
        }),
      unwatch: (sender, watch) => {
        if (typeof watch === 'number') unwatch(sender, watch);
      },
    },
    endWatches(sender) {
      for (const stop of watches.get(sender)?.values() ?? []) stop();
      watches.delete(sender);
    },
  };
}

/** The problem of an expected failure; any other error is logged with the request id and answered with `internal` alone. */
export function toFailure(error: unknown, log: Pick<Log, 'error'>): CallEnvelope & { readonly ok: false } {
  const id = newRequestId();
  if (error instanceof PanelError) {
    const { code, errors, retryAfter, inUse } = error;
    return { ok: false, problem: buildProblem(code, id, errors, inUse), retryAfter: retryAfter ?? null };
  }
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.error('IPC call failed', { requestId: id, cause });
  return { ok: false, problem: buildProblem('internal', id), retryAfter: null };
}

/** The headers that a page may set; anything else that it sends is left out. */
function readHeaders(value: unknown): CallHeaders {
  if (typeof value !== 'object' || value === null) return {};
  const { 'if-match': ifMatch, 'idempotency-key': key }: { readonly [Name in keyof CallHeaders]?: unknown } = value;
  return {
    ...(typeof ifMatch === 'string' && { 'if-match': ifMatch }),
    ...(typeof key === 'string' && { 'idempotency-key': key }),
  };
}
