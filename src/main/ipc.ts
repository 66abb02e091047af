// The one place that touches ipcMain: each channel of the bridge, answered to our own window's own page and to nobody else.
import type { IpcMain, IpcMainInvokeEvent } from 'electron';
import { ASK } from '../bridge/channels.ts';
import type { Log } from '../core/ports/ports.ts';
import { isOwnUrl } from './security.ts';

/** `sender` is the id of the contents that ask. What arrives is anything a page may send: each handler judges it. */
export type Handlers = Record<keyof typeof ASK, (sender: number, ...args: unknown[]) => unknown>;

export interface IpcParts {
  /** The contents of our window; null while there is none. */
  windowContents(): number | null;
  readonly log: Pick<Log, 'warn'>;
}

/** Returns how to take the channels away again. */
export function attachIpc(
  ipcMain: Pick<IpcMain, 'handle' | 'removeHandler'>,
  handlers: Handlers,
  { windowContents, log }: IpcParts,
): () => void {
  const names = Object.keys(ASK) as (keyof typeof ASK)[];
  for (const name of names) {
    ipcMain.handle(ASK[name], (event, ...args: unknown[]) => {
      if (!isFromOwnPage(event, windowContents())) {
        log.warn('a call from elsewhere', { channel: ASK[name] });
        throw new Error('refused');
      }
      return handlers[name](event.sender.id, ...args);
    });
  }
  return () => {
    for (const name of names) ipcMain.removeHandler(ASK[name]);
  };
}

/** Item 17 of the checklist: the top frame of our own window, at our own pages. A frame that is gone by now is nobody's. */
export function isFromOwnPage(
  event: Pick<IpcMainInvokeEvent, 'sender' | 'senderFrame'>,
  contents: number | null,
): boolean {
  try {
    const { sender, senderFrame: frame } = event;
    if (frame === null || frame === undefined || contents === null || sender.id !== contents) return false;
    return !frame.detached && frame.parent === null && isOwnUrl(frame.url);
  } catch {
    return false;
  }
}
