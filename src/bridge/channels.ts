// The channels between the desktop's window and its main process: this list and no other.
import type { DesktopApi } from './desktop-api.ts';

type Asked = Exclude<keyof DesktopApi, 'onLive' | 'onGo'>;

/** Asked by the window, answered by main. */
export const ASK = {
  call: 'panel:call',
  watch: 'panel:watch',
  unwatch: 'panel:unwatch',
  copy: 'host:copy',
  save: 'host:save',
  openExternal: 'host:open-external',
  versions: 'host:versions',
  settings: 'host:settings',
  changeSettings: 'host:change-settings',
  look: 'host:look',
} as const satisfies Record<Asked, string>;

/** Told by main to the window. */
export const TELL = { live: 'panel:live', go: 'host:go' } as const;
