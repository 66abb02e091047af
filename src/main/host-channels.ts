// What the pages ask of the desktop itself: clipboard, files, links, how the application behaves.
import type { App, NativeTheme } from 'electron';
import type { DesktopSettings, Versions } from '../bridge/desktop-api.ts';
import type { Copier } from './clipboard.ts';
import { isRecord, lookIn, type StateFile } from './desktop-state.ts';
import type { Handlers } from './ipc.ts';
import { externalUrl } from './security.ts';

export interface HostChannelParts {
  readonly app: Pick<App, 'getLoginItemSettings' | 'setLoginItemSettings'>;
  readonly nativeTheme: Pick<NativeTheme, 'themeSource'>;
  readonly platform: NodeJS.Platform;
  readonly versions: Versions;
  readonly state: StateFile;
  readonly copier: Copier;
  save(name: unknown, content: unknown): Promise<boolean>;
  openExternal(url: string): Promise<void>;
  /** Begins to keep the session of now, or forgets it. False where the keychain does not keep it. */
  staySignedIn(stays: boolean): Promise<boolean>;
  /** The language or the choices have changed. */
  onChange(): void;
}

/** An application that is started at login begins without a window. */
export const HIDDEN = '--hidden';

export function createHostChannels(parts: HostChannelParts): Omit<Handlers, 'call' | 'watch' | 'unwatch'> {
  const { app, state, copier } = parts;
  const hasLoginItems = parts.platform === 'darwin' || parts.platform === 'win32';

  const settings = (): DesktopSettings => {
    const { closeToTray, staySignedIn, notifications } = state.get();
    const startAtLogin = hasLoginItems ? app.getLoginItemSettings({ args: [HIDDEN] }).openAtLogin : null;
    return { closeToTray, startAtLogin, staySignedIn, notifications };
  };

  return {
    copy: (_sender, text, isSecret) => copier.copy(text, isSecret === true),
    save: (_sender, name, content) => parts.save(name, content),
    async openExternal(_sender, url) {
      const allowed = typeof url === 'string' ? externalUrl(url) : null;
      if (allowed === null) return false;
      await parts.openExternal(allowed);
      return true;
    },
    versions: () => parts.versions,
    settings,
    async changeSettings(_sender, change) {
      const { closeToTray, notifications, startAtLogin, staySignedIn } = isRecord(change) ? change : {};
      if (typeof closeToTray === 'boolean') state.set({ closeToTray });
      if (typeof notifications === 'boolean') state.set({ notifications });
      if (typeof startAtLogin === 'boolean' && hasLoginItems) {
        app.setLoginItemSettings({ openAtLogin: startAtLogin, args: [HIDDEN] });
      }
      if (typeof staySignedIn === 'boolean' && (await parts.staySignedIn(staySignedIn))) state.set({ staySignedIn });
      parts.onChange();
      return settings();
    },
    look(_sender, given) {
      const look = lookIn(given);
      if (look === null) return;
      parts.nativeTheme.themeSource = look.theme;
      state.set({ look });
      parts.onChange();
    },
  };
}
