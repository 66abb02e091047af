// Electron's IPC without Electron: the functions of the preload over the channels of the main process, with a structured clone each way.
import type { IpcMain, IpcMainInvokeEvent } from 'electron';
import { type DesktopApi, EVENT_CHANNELS, type LiveMessage } from '../../src/bridge/desktop-api.ts';
import { attachIpc, type Handlers } from '../../src/main/ipc.ts';
import type { IpcSession } from '../../src/main/ipc-session.ts';
import { createPanelChannels } from '../../src/main/panel-channels.ts';
import { ORIGIN } from '../../src/main/security.ts';
import { createDesktopApi } from '../../src/preload/api.ts';

export interface FakeIpc {
  readonly api: DesktopApi;
  serve(session: IpcSession): void;
  /** As if the main process had ended: nothing arrives, and watches end. */
  disconnect(): void;
  reconnect(): void;
}

const CONTENTS = 7;
/** Only the members of Electron's event that are read. */
const event = {
  sender: { id: CONTENTS },
  senderFrame: { url: `${ORIGIN}/`, parent: null },
} as unknown as IpcMainInvokeEvent;

export function fakeIpc(): FakeIpc {
  const channels = new Map<string, Parameters<IpcMain['handle']>[1]>();
  const listeners = new Map<string, Set<(event: unknown, message: unknown) => void>>();
  let session: IpcSession | null = null;
  let isDisconnected = false;
  const log = { warn() {}, error() {} };
  const watches = new Set<number>();
  const emit = (_sender: number, message: LiveMessage) => {
    watches.add(message.watch);
    const cloned: unknown = structuredClone(message);
    // Asynchronous, as over a pipe.
    queueMicrotask(() => {
      for (const listener of listeners.get(EVENT_CHANNELS.live) ?? []) listener({}, cloned);
    });
  };
  const { handlers, endWatches } = createPanelChannels({
    whenOpened: async () => {},
    session: () => session,
    log,
    emit,
  });
  const unused = () => {
    throw new Error('not part of this test');
  };
  const others = ['copy', 'save', 'openExternal', 'versions', 'settings', 'changeSettings', 'setAppearance'] as const;
  attachIpc(
    {
      handle: (channel, handler) => void channels.set(channel, handler),
      removeHandler: (channel) => void channels.delete(channel),
    },
    { ...handlers, ...Object.fromEntries(others.map((name) => [name, unused])) } as Handlers,
    { windowContents: () => [CONTENTS], log },
  );

  return {
    api: createDesktopApi({
      async invoke(channel, ...args) {
        if (isDisconnected) throw new Error('the main process is gone');
        const cloned = structuredClone(args);
        const result: unknown = await channels.get(channel)?.(event, ...cloned);
        return structuredClone(result);
      },
      on: (channel, listener) => listeners.set(channel, (listeners.get(channel) ?? new Set()).add(listener)),
      removeListener: (channel, listener) => listeners.get(channel)?.delete(listener),
    }),
    serve(opened) {
      session = opened;
    },
    disconnect() {
      isDisconnected = true;
      endWatches(CONTENTS);
      for (const watch of watches) emit(CONTENTS, { watch, kind: 'ended' });
      watches.clear();
    },
    reconnect() {
      isDisconnected = false;
    },
  };
}
