// What the desktop remembers on this computer beside the panel's data: its window, its choices, how it looks. Nothing secret.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Look } from '../bridge/desktop-api.ts';
import { isLanguage } from '../i18n/languages.ts';
import type { WindowState } from './window-state.ts';

export interface DesktopState {
  readonly window: WindowState;
  readonly closeToTray: boolean;
  /** Whether it was said once that a closed window leaves the panel serving. */
  readonly isTrayExplained: boolean;
  readonly staySignedIn: boolean;
  readonly notifications: boolean;
  readonly look: Look;
  /** The version that was declined for good. */
  readonly skippedVersion: string | null;
}

export const DEFAULT_STATE: DesktopState = {
  window: { bounds: null, isMaximized: false, zoom: 0 },
  closeToTray: true,
  isTrayExplained: false,
  staySignedIn: false,
  notifications: true,
  look: { theme: 'system', locale: null },
  skippedVersion: null,
};

export interface StateFile {
  get(): DesktopState;
  /** Writes it at once; where that fails it holds for this run. */
  set(change: Partial<DesktopState>): void;
}

/** A file that is missing or spoilt counts as none; a member of the wrong kind as not said. */
export function openStateFile(path: string): StateFile {
  let state = merged(read(path));
  return {
    get: () => state,
    set(change) {
      state = { ...state, ...change };
      try {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(`${path}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
        renameSync(`${path}.new`, path);
      } catch {
        // A full disk must not keep a window from moving.
      }
    },
  };
}

function read(path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function merged(found: Record<string, unknown>): DesktopState {
  const flag = (name: 'closeToTray' | 'isTrayExplained' | 'staySignedIn' | 'notifications') =>
    typeof found[name] === 'boolean' ? found[name] : DEFAULT_STATE[name];
  return {
    window: windowIn(found.window),
    closeToTray: flag('closeToTray'),
    isTrayExplained: flag('isTrayExplained'),
    staySignedIn: flag('staySignedIn'),
    notifications: flag('notifications'),
    look: lookIn(found.look) ?? DEFAULT_STATE.look,
    skippedVersion: typeof found.skippedVersion === 'string' ? found.skippedVersion : null,
  };
}

function windowIn(value: unknown): WindowState {
  const { bounds, isMaximized, zoom } = isRecord(value) ? value : {};
  const { x, y, width, height } = isRecord(bounds) ? bounds : {};
  const isWhole = [x, y, width, height].every(Number.isFinite);
  return {
    bounds: isWhole ? { x: Number(x), y: Number(y), width: Number(width), height: Number(height) } : null,
    isMaximized: isMaximized === true,
    zoom: typeof zoom === 'number' && Math.abs(zoom) <= 9 ? zoom : 0,
  };
}

/** null for what is no look, wherever it comes from. */
export function lookIn(value: unknown): Look | null {
  if (!isRecord(value)) return null;
  const theme = (['system', 'light', 'dark'] as const).find((one) => one === value.theme);
  const { locale } = value;
  if (theme === undefined || !(locale === null || isLanguage(locale))) return null;
  return { theme, locale };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
