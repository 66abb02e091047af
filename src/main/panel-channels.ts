// The panel's operations and events over IPC: what panel-door.ts does over HTTP.
import type { CallEnvelope, LiveMessage } from '../bridge/desktop-api.ts';
import { PanelError } from '../core/panel-error.ts';
import type { Log } from '../core/ports/ports.ts';
import type { InnerDoor } from '../http/inner-door.ts';
import { enveloped } from './envelope.ts';
import type { Handlers } from './ipc.ts';

/** A page watches once; more means that something runs away. */
const MAX_WATCHES = 8;
const NOTHING = { text: null, etag: null };

export interface PanelChannelParts {
  /** null while no panel is open. */
  door(): InnerDoor | null;
  /** Tells the window. */
  tell(message: LiveMessage): void;
  readonly log: Pick<Log, 'error'>;
}

export interface PanelChannels {
  readonly handlers: Pick<Handlers, 'call' | 'watch' | 'unwatch'>;
  /** The page is gone: nobody listens any more. */
  forget(): void;
}

export function createPanelChannels({ door, tell, log }: PanelChannelParts): PanelChannels {
  const watches = new Map<number, () => void>();
  const requireDoor = (): InnerDoor => {
    const open = door();
    if (open === null) throw new PanelError('unavailable', undefined, 1);
    return open;
  };
  const unwatch = (watch: number) => {
    watches.get(watch)?.();
    watches.delete(watch);
  };
  return {
    handlers: {
      call: (_sender, id, input, ifMatch): Promise<CallEnvelope> =>
        enveloped(log, async () => {
          if (typeof id !== 'string' || typeof input !== 'string') throw new PanelError('bad_json');
          return requireDoor().call(id, input, typeof ifMatch === 'string' ? ifMatch : null);
        }),
      watch: (_sender, watch, lastId): Promise<CallEnvelope> =>
        enveloped(log, async () => {
          if (!Number.isSafeInteger(watch) || !(lastId === null || Number.isSafeInteger(lastId))) {
            throw new PanelError('bad_json');
          }
          const number = watch as number;
          unwatch(number);
          if (watches.size >= MAX_WATCHES) throw new PanelError('unavailable');
          watches.set(
            number,
            requireDoor().watch(lastId as number | null, (message) => tell({ ...message, watch: number })),
          );
          return NOTHING;
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
