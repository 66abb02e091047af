// Whether the desktop application can be started here: its binary is installed or can be, and there is a screen to show it on.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type Desktop =
  | { readonly binary: string }
  | { readonly missing: string; readonly lacksBinary: boolean; readonly canDownload: boolean };

export interface Place {
  readonly root: string;
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  /** The user's id; undefined on Windows. */
  readonly uid: number | undefined;
  /** Whether a user without rights may make namespaces, as Chromium's sandbox does on Linux. */
  readonly canMakeNamespaces?: () => boolean;
}

const INSTALLER = join(import.meta.dirname, 'electron-installer.mjs');
const MISSING_BINARY =
  'needs the Electron binary. `npm start` downloads it in a terminal with a display, where CI is not set.';

/** The binary of Electron, or in one sentence why there is no desktop here. */
export function findDesktop(place: Place): Desktop {
  const binary = findBinary(place);
  const obstacle = findObstacle(place, binary);
  if (binary !== null && obstacle === null) return { binary };
  const named = place.env.ELECTRON_OVERRIDE_DIST_PATH;
  const missing = named
    ? `needs the Electron binary, which is not in ${named} (ELECTRON_OVERRIDE_DIST_PATH).`
    : MISSING_BINARY;
  return {
    missing: obstacle ?? missing,
    lacksBinary: binary === null,
    canDownload: binary === null && obstacle === null && !named,
  };
}

/** As `findDesktop`; downloads the binary first where a person is at a terminal with a display. */
export function ensureDesktop(place: Place, hasTerminal: boolean): Desktop {
  const found = findDesktop(place);
  if ('binary' in found || !found.canDownload || !hasTerminal || place.env.CI) return found;
  console.log('Downloading Electron for the desktop application, once (about 120 MB) …');
  const failure = downloadElectron(place);
  if (failure === null) return findDesktop(place);
  return { ...found, missing: `needs the Electron binary, which could not be downloaded: ${failure}` };
}

function findBinary({ root, platform, env }: Place): string | null {
  const folder = join(root, 'node_modules/electron');
  const named = join(folder, 'path.txt');
  const name = existsSync(named) ? readFileSync(named, 'utf8') : null;
  const override = env.ELECTRON_OVERRIDE_DIST_PATH;
  const binary = override
    ? join(override, name ?? defaultName(platform))
    : name === null
      ? null
      : join(folder, 'dist', name);
  return binary !== null && existsSync(binary) ? binary : null;
}

function defaultName(platform: NodeJS.Platform): string {
  if (platform === 'win32') return 'electron.exe';
  return platform === 'darwin' ? 'Electron.app/Contents/MacOS/Electron' : 'electron';
}

function findObstacle({ platform, env, uid, canMakeNamespaces = userNamespacesWork }: Place, binary: string | null) {
  if (platform !== 'linux') return null;
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return 'needs a display.';
  if (uid === 0) return 'needs a user that is not root, as whom Chromium’s sandbox does not run.';
  if ((binary === null || !hasSetuidSandbox(binary)) && !canMakeNamespaces())
    return 'needs user namespaces for Chromium’s sandbox, which this system allows to some programs only (Ubuntu: docs/desktop.md).';
  return null;
}

/** Runs Electron's own installer, with its progress bar and its cache; returns why it failed. */
function downloadElectron({ root, env }: Place): string | null {
  const { status, output, error } = spawnSync(
    process.execPath,
    [INSTALLER, join(root, 'node_modules/electron/install.js')],
    { env, stdio: ['ignore', 'inherit', 'inherit', 'pipe'], encoding: 'utf8' },
  );
  if (status === 0) return null;
  const [first = ''] = (output?.[3] ?? error?.message ?? '').split('\n');
  return first.replace(/^\w*Error: /, '') || `its installer ended with ${status}`;
}

/** The other sandbox of Chromium: a program beside Electron's that runs as root. */
function hasSetuidSandbox(binary: string): boolean {
  const stats = statSync(join(dirname(binary), 'chrome-sandbox'), { throwIfNoEntry: false });
  return stats?.uid === 0 && (stats.mode & 0o4000) !== 0;
}

/** Tried with the program that does nothing else; true where that is missing. */
function userNamespacesWork(): boolean {
  const { error, status } = spawnSync('unshare', ['--user', '--map-root-user', 'true'], { stdio: 'ignore' });
  return error !== undefined || status === 0;
}
