// The desktop's own state in a file beside the panel's data: window, settings, appearance. Nothing secret.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Appearance } from '../bridge/desktop-api.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import { isLanguage } from '../i18n/languages.ts';
import type { WindowState, WindowStates } from './window.ts';

export interface DesktopState {
  readonly windows: WindowStates;
  /** Of the windows of records. */
  readonly recordWindows: WindowStates;
  readonly closeToTray: boolean;
  /** Whether it was explained that the panel keeps running after the window is closed. */
  readonly isTrayExplained: boolean;
  readonly staySignedIn: boolean;
  readonly notifications: boolean;
  readonly quickSearch: boolean;
  readonly appearance: Appearance;
  /** The version that is not to be offered again. */
  readonly skippedVersion: string | null;
}

export const DEFAULT_STATE: DesktopState = {
  windows: {},
  recordWindows: {},
  closeToTray: true,
  isTrayExplained: false,
  staySignedIn: false,
  notifications: true,
  quickSearch: false,
  appearance: { theme: 'system', locale: null },
  skippedVersion: null,
};

export interface StateFile {
  get(): DesktopState;
  /** Writes the file at once; if that fails, the change is valid until the application ends. */
  set(change: Partial<DesktopState>): void;
}

/** A missing or invalid file, or a member of the wrong type, means the defaults. */
export function openStateFile(path: string): StateFile {
  let state = parseState(read(path));
  return {
    get: () => state,
    set(change) {
      state = { ...state, ...change };
      try {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(`${path}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
        renameSync(`${path}.new`, path);
      } catch {
        // A full disk must not stop the application.
      }
    },
  };
}

function read(path: string): Record<string, unknown> {
  try {
    const value: unknown = parseOwnJson(readFileSync(path, 'utf8'));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function parseState(found: Record<string, unknown>): DesktopState {
  const flag = (name: 'closeToTray' | 'isTrayExplained' | 'staySignedIn' | 'notifications' | 'quickSearch') =>
    typeof found[name] === 'boolean' ? found[name] : DEFAULT_STATE[name];
  return {
    windows: parseWindows(found.windows),
    recordWindows: parseWindows(found.recordWindows),
    closeToTray: flag('closeToTray'),
    isTrayExplained: flag('isTrayExplained'),
    staySignedIn: flag('staySignedIn'),
    notifications: flag('notifications'),
    quickSearch: flag('quickSearch'),
    appearance: parseAppearance(found.appearance) ?? DEFAULT_STATE.appearance,
    skippedVersion: typeof found.skippedVersion === 'string' ? found.skippedVersion : null,
  };
}

function parseWindows(value: unknown): WindowStates {
  const entries = Object.entries(isRecord(value) ? value : {});
  return Object.fromEntries(entries.flatMap(([name, state]) => (isRecord(state) ? [[name, parseWindow(state)]] : [])));
}

function parseWindow({ bounds, isMaximized, zoom }: Record<string, unknown>): WindowState {
  const { x, y, width, height } = isRecord(bounds) ? bounds : {};
  const isComplete = [x, y, width, height].every(Number.isFinite);
  return {
    bounds: isComplete ? { x: Number(x), y: Number(y), width: Number(width), height: Number(height) } : null,
    isMaximized: isMaximized === true,
    zoom: typeof zoom === 'number' && Math.abs(zoom) <= 9 ? zoom : 0,
  };
}

/** null if the value, from the file or from a page, is not an appearance. */
export function parseAppearance(value: unknown): Appearance | null {
  if (!isRecord(value)) return null;
  const theme = (['system', 'light', 'dark'] as const).find((known) => known === value.theme);
  const { locale } = value;
  if (theme === undefined || !(locale === null || isLanguage(locale))) return null;
  return { theme, locale };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
