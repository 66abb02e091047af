// Starting with the computer: a login item on macOS and Windows, on Linux a file in the autostart folder of desktops (freedesktop.org).
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from 'electron';

/** An application that is started at login starts without a window. */
export const HIDDEN = '--hidden';

export interface LoginItem {
  /** null: a checkout on Linux has no program that a desktop could start. */
  isOn(): boolean | null;
  /** Throws the file system's error. */
  set(isOn: boolean): void;
}

interface LoginItemParts {
  readonly app: Pick<App, 'getLoginItemSettings' | 'setLoginItemSettings' | 'getPath' | 'isPackaged'>;
  readonly process: Pick<NodeJS.Process, 'platform' | 'execPath' | 'env'>;
}

export function createLoginItem({ app, process: { platform, execPath, env } }: LoginItemParts): LoginItem {
  if (platform === 'darwin' || platform === 'win32') {
    return {
      isOn: () => app.getLoginItemSettings({ args: [HIDDEN] }).openAtLogin,
      set: (isOn) => app.setLoginItemSettings({ openAtLogin: isOn, args: [HIDDEN] }),
    };
  }
  if (!app.isPackaged) return { isOn: () => null, set: () => {} };
  // The system's folder for configuration: $XDG_CONFIG_HOME, by default ~/.config.
  const folder = join(app.getPath('appData'), 'autostart');
  const path = join(folder, 'gatehouse.desktop');
  // The path of the program within an AppImage is valid only while it runs.
  const entry = desktopEntry(env.APPIMAGE ?? execPath);
  return {
    // A file for an AppImage that has moved since starts nothing.
    isOn: () => read(path) === entry,
    set(isOn) {
      if (!isOn) return rmSync(path, { force: true });
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(path, entry, { mode: 0o644 });
    },
  };
}

function desktopEntry(program: string): string {
  const lines = ['Type=Application', 'Name=Gatehouse', `Exec=${quoteArgument(program)} ${HIDDEN}`, 'Terminal=false'];
  return `[Desktop Entry]\n${lines.join('\n')}\n`;
}

/** An argument of Exec: quoted, then escaped as every value is, with `%`, which begins a field code, doubled. */
function quoteArgument(argument: string): string {
  const escaped = argument.replace(/["`$\\]/g, '\\$&').replaceAll('\\', '\\\\');
  return `"${escaped.replaceAll('%', '%%')}"`;
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
