// Electron's IPC without Electron: the preload's own functions over the main process's own channels, with a structured clone each connection.
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
  /** The main process is gone: nothing arrives any more, and watches end. */
  cut(): void;
  mend(): void;
}

const CONTENTS = 7;
/** What the electron package types; only what is read is here. */
const event = {
  sender: { id: CONTENTS },
  senderFrame: { url: `${ORIGIN}/`, parent: null, detached: false },
} as unknown as IpcMainInvokeEvent;

export function fakeIpc(): FakeIpc {
  const channels = new Map<string, Parameters<IpcMain['handle']>[1]>();
  const heard = new Map<string, Set<(event: unknown, told: unknown) => void>>();
  let session: IpcSession | null = null;
  let isCut = false;
  const log = { warn() {}, error() {} };
  const watches = new Set<number>();
  const emit = (message: LiveMessage) => {
    watches.add(message.watch);
    const cloned: unknown = structuredClone(message);
    // As over a pipe: not within the call that caused it.
    queueMicrotask(() => {
      for (const listener of heard.get(EVENT_CHANNELS.live) ?? []) listener({}, cloned);
    });
  };
  const { handlers, endWatches } = createPanelChannels({ session: () => session, log, emit });
  const nobody = () => {
    throw new Error('not of this test');
  };
  const others = ['copy', 'save', 'openExternal', 'versions', 'settings', 'changeSettings', 'setAppearance'] as const;
  attachIpc(
    {
      handle: (channel, handler) => void channels.set(channel, handler),
      removeHandler: (channel) => void channels.delete(channel),
    },
    { ...handlers, ...Object.fromEntries(others.map((name) => [name, nobody])) } as Handlers,
    { windowContents: () => CONTENTS, log },
  );

  return {
    api: createDesktopApi({
      async invoke(channel, ...args) {
        if (isCut) throw new Error('the main process is gone');
        const cloned = structuredClone(args);
        const result: unknown = await channels.get(channel)?.(event, ...cloned);
        return structuredClone(result);
      },
      on: (channel, listener) => heard.set(channel, (heard.get(channel) ?? new Set()).add(listener)),
      removeListener: (channel, listener) => heard.get(channel)?.delete(listener),
    }),
    serve(opened) {
      session = opened;
    },
    cut() {
      isCut = true;
      endWatches();
      for (const watch of watches) emit({ watch, kind: 'ended' });
      watches.clear();
    },
    mend() {
      isCut = false;
    },
  };
}
