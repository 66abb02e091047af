// The one place that touches ipcMain: each channel of the bridge, answered only to the top frames of our own windows.
import type { IpcMain, IpcMainInvokeEvent } from 'electron';
import { CALL_CHANNELS } from '../bridge/desktop-api.ts';
import type { Log } from '../core/ports/ports.ts';
import { isOwnUrl } from './security.ts';

/** `sender` is the id of the calling contents. The arguments are unchecked: each handler validates its own. */
export type Handlers = Record<keyof typeof CALL_CHANNELS, (sender: number, ...args: unknown[]) => unknown>;

export interface IpcParts {
  /** The contents of our windows. */
  windowContents(): readonly number[];
  readonly log: Pick<Log, 'warn'>;
}

/** Returns a function that removes the handlers. */
export function attachIpc(
  ipcMain: Pick<IpcMain, 'handle' | 'removeHandler'>,
  handlers: Handlers,
  { windowContents, log }: IpcParts,
): () => void {
  const names = Object.keys(CALL_CHANNELS) as (keyof typeof CALL_CHANNELS)[];
  for (const name of names) {
    ipcMain.handle(CALL_CHANNELS[name], (event, ...args: unknown[]) => {
      if (!isFromOwnPage(event, windowContents())) {
        log.warn('IPC call refused', { channel: CALL_CHANNELS[name] });
        throw new Error('refused');
      }
      return handlers[name](event.sender.id, ...args);
    });
  }
  return () => {
    for (const name of names) ipcMain.removeHandler(CALL_CHANNELS[name]);
  };
}

/**
 * Item 17 of the checklist: whether a call comes from the main frame of one of our windows, at our own pages. Destroyed frames are refused.
 * `detached` is not checked: after a crash of the renderer, Electron also sets it for the reloaded frame.
 */
export function isFromOwnPage(
  event: Pick<IpcMainInvokeEvent, 'sender' | 'senderFrame'>,
  contents: readonly number[],
): boolean {
  try {
    const { sender, senderFrame: frame } = event;
    if (frame === null || frame === undefined || !contents.includes(sender.id)) return false;
    return frame.parent === null && isOwnUrl(frame.url);
  } catch {
    return false;
  }
}
