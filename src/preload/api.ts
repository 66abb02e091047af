// The API of the pages over Electron's IPC: each function calls one channel, and IPC event objects never reach the pages.
import { CALL_CHANNELS, type DesktopApi, EVENT_CHANNELS, type LiveMessage } from '../bridge/desktop-api.ts';

type Listener = (event: unknown, message: unknown) => void;

/** The functions of Electron's ipcRenderer that are used. */
export interface Ipc {
  invoke(channel: string, ...args: unknown[]): Promise<unknown>;
  on(channel: string, listener: Listener): unknown;
  removeListener(channel: string, listener: Listener): unknown;
}

export function createDesktopApi(ipc: Ipc): DesktopApi {
  const invoke =
    <Name extends keyof typeof CALL_CHANNELS>(name: Name) =>
    (...args: unknown[]) =>
      ipc.invoke(CALL_CHANNELS[name], ...args) as never;
  const listen = <Message>(channel: string, listener: (message: Message) => void) => {
    const forward: Listener = (_event, message) => listener(message as Message);
    ipc.on(channel, forward);
    return () => {
      ipc.removeListener(channel, forward);
    };
  };
  return {
    call: invoke('call'),
    watch: invoke('watch'),
    unwatch: invoke('unwatch'),
    onLive: (listener) => listen<LiveMessage>(EVENT_CHANNELS.live, listener),
    onGo: (listener) => listen<string>(EVENT_CHANNELS.go, listener),
    onAct: (listener) => listen<string>(EVENT_CHANNELS.act, listener),
    copy: invoke('copy'),
    save: invoke('save'),
    print: invoke('print'),
    makePdf: invoke('makePdf'),
    openExternal: invoke('openExternal'),
    openRecord: invoke('openRecord'),
    openInMain: invoke('openInMain'),
    closeWindow: invoke('closeWindow'),
    versions: invoke('versions'),
    settings: invoke('settings'),
    changeSettings: invoke('changeSettings'),
    setAppearance: invoke('setAppearance'),
    setActs: invoke('setActs'),
  };
}
