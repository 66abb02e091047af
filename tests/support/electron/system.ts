// The stand-in's system: clipboard, power, keys, theme, screens, and a session that records its handlers.
import { EventEmitter } from 'node:events';
import { app } from './app.ts';

let text = '';
export const clipboard = {
  readText: async () => text,
  writeText: async (next: string) => {
    text = next;
  },
  clear() {
    text = '';
  },
};

export const powerMonitor = Object.assign(new EventEmitter(), { isOnBatteryPower: () => false });
export const shortcuts = new Map<string, () => void>();
export const globalShortcut = {
  register(key: string, run: () => void): boolean {
    app.afterReady('globalShortcut');
    shortcuts.set(key, run);
    return true;
  },
  unregister: (key: string) => void shortcuts.delete(key),
};
export const nativeTheme = { themeSource: 'system', shouldUseDarkColors: false };
export const nativeImage = { createFromDataURL: (url: string) => ({ url }) };

const display = { id: 1, workArea: { x: 0, y: 0, width: 1600, height: 1000 } };
export const screen = { getPrimaryDisplay: () => display, getAllDisplays: () => [display] };

class Session extends EventEmitter {
  readonly handlers: Record<string, unknown> = {};
  setPermissionRequestHandler = (handler: unknown) => this.#set('request', handler);
  setPermissionCheckHandler = (handler: unknown) => this.#set('check', handler);
  setDevicePermissionHandler = (handler: unknown) => this.#set('device', handler);
  setDisplayMediaRequestHandler = (handler: unknown) => this.#set('display', handler);
  setSpellCheckerEnabled = (isOn: boolean) => this.#set('spell', isOn);
  #set(name: string, value: unknown): void {
    this.handlers[name] = value;
  }
}
export const session = { defaultSession: new Session() };
