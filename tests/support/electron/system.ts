// The stand-in's system: clipboard, theme, screens, and a session that records its handlers.
import { EventEmitter } from 'node:events';

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

export const nativeTheme = { themeSource: 'system' };
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
