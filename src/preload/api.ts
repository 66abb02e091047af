// Makes the pages' API over Electron's IPC: each function asks one channel, and events of IPC never reach the pages.
import { ASK, TELL } from '../bridge/channels.ts';
import type { DesktopApi, LiveMessage } from '../bridge/desktop-api.ts';

type Listener = (event: unknown, told: unknown) => void;

/** The part of Electron's ipcRenderer that is used. */
export interface Ipc {
  invoke(channel: string, ...args: unknown[]): Promise<unknown>;
  on(channel: string, listener: Listener): unknown;
  removeListener(channel: string, listener: Listener): unknown;
}

export function createDesktopApi(ipc: Ipc): DesktopApi {
  const ask =
    <Name extends keyof typeof ASK>(name: Name) =>
    (...args: unknown[]) =>
      ipc.invoke(ASK[name], ...args) as never;
  const hear = <Told>(channel: string, listener: (told: Told) => void) => {
    const pass: Listener = (_event, told) => listener(told as Told);
    ipc.on(channel, pass);
    return () => {
      ipc.removeListener(channel, pass);
    };
  };
  return {
    call: ask('call'),
    watch: ask('watch'),
    unwatch: ask('unwatch'),
    onLive: (listener) => hear<LiveMessage>(TELL.live, listener),
    onGo: (listener) => hear<string>(TELL.go, listener),
    copy: ask('copy'),
    save: ask('save'),
    openExternal: ask('openExternal'),
    versions: ask('versions'),
    settings: ask('settings'),
    changeSettings: ask('changeSettings'),
    look: ask('look'),
  };
}
