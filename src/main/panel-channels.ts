// The panel's operations and events over IPC: what the Express application does over HTTP.
import type { CallEnvelope, LiveMessage } from '../bridge/desktop-api.ts';
import { problemOf } from '../contract/errors.ts';
import { PanelError } from '../core/panel-error.ts';
import type { Log } from '../core/ports/ports.ts';
import { newRequestId } from '../door/call.ts';
import type { Handlers } from './ipc.ts';
import type { IpcSession } from './ipc-session.ts';

/** A page watches once; more means that something runs away. */
const MAX_WATCHES = 8;
/** Seconds after which the pages call again while no panel is open. */
const RETRY_S = 1;
const DONE: CallEnvelope = { ok: true, text: null, etag: null };

export interface PanelChannelParts {
  /** null while no panel is open. */
  session(): IpcSession | null;
  /** Sends a message to the window. */
  emit(message: LiveMessage): void;
  readonly log: Pick<Log, 'error'>;
}

export interface PanelChannels {
  readonly handlers: Pick<Handlers, 'call' | 'watch' | 'unwatch'>;
  /** The page is gone, and its watches with it. */
  forget(): void;
}

export function createPanelChannels({ session, emit, log }: PanelChannelParts): PanelChannels {
  const watches = new Map<number, () => void>();
  const requireSession = (): IpcSession => {
    const open = session();
    if (open === null) throw new PanelError('unavailable', undefined, RETRY_S);
    return open;
  };
  const unwatch = (watch: number) => {
    watches.get(watch)?.();
    watches.delete(watch);
  };
  /** What the window asks, or why it fails. Never rejects. */
  const attempt = async (work: () => CallEnvelope | Promise<CallEnvelope>): Promise<CallEnvelope> => {
    try {
      return await work();
    } catch (error) {
      return toFailure(error, log);
    }
  };
  return {
    handlers: {
      call: (_sender, id, input, ifMatch) =>
        attempt(() => {
          if (typeof id !== 'string' || typeof input !== 'string') throw new PanelError('bad_json');
          return requireSession().call(id, input, typeof ifMatch === 'string' ? ifMatch : null);
        }),
      watch: (_sender, watch, lastId) =>
        attempt(() => {
          if (!Number.isSafeInteger(watch) || !(lastId === null || Number.isSafeInteger(lastId))) {
            throw new PanelError('bad_json');
          }
          const number = watch as number;
          unwatch(number);
          if (watches.size >= MAX_WATCHES) throw new PanelError('unavailable');
          const stop = requireSession().watch(lastId as number | null, (message) => {
            if (message.kind !== 'beat') emit({ ...message, watch: number });
          });
          watches.set(number, stop);
          return DONE;
        }),
      unwatch: (_sender, watch) => {
        if (typeof watch === 'number') unwatch(watch);
      },
    },
    forget() {
      for (const watch of [...watches.keys()]) unwatch(watch);
    },
  };
}

/** The problem of an expected failure; anything else goes to the log under an id, and becomes `internal` and nothing more. */
export function toFailure(error: unknown, log: Pick<Log, 'error'>): CallEnvelope & { readonly ok: false } {
  const id = newRequestId();
  if (error instanceof PanelError) {
    const { code, errors, retryAfter } = error;
    return { ok: false, problem: problemOf(code, id, errors), retryAfter: retryAfter ?? null };
  }
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.error('call_failed', { requestId: id, cause });
  return { ok: false, problem: problemOf('internal', id), retryAfter: null };
}
