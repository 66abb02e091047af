// Whether the desktop application can be started here: its binary is installed, and there is a screen to show it on.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type Desktop = { readonly binary: string } | { readonly missing: string };

export interface Place {
  readonly root: string;
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  /** The user's id; undefined on Windows. */
  readonly uid: number | undefined;
  /** Whether a user without rights may make namespaces, as Chromium's sandbox does on Linux. */
  readonly canMakeNamespaces?: () => boolean;
}

/** The binary of Electron, or in one sentence why there is no desktop here. */
export function findDesktop({ root, platform, env, uid, canMakeNamespaces = userNamespacesWork }: Place): Desktop {
  const folder = join(root, 'node_modules/electron');
  const named = join(folder, 'path.txt');
  const binary = existsSync(named) ? join(folder, 'dist', readFileSync(named, 'utf8')) : null;
  if (binary === null || !existsSync(binary)) {
    return { missing: 'needs the Electron binary (`npx install-electron` downloads it).' };
  }
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY) return { missing: 'needs a display.' };
  if (platform === 'linux' && uid === 0)
    return { missing: 'needs a user that is not root, as whom Chromium’s sandbox does not run.' };
  if (platform === 'linux' && !hasSetuidSandbox(binary) && !canMakeNamespaces()) {
    return {
      missing:
        'needs user namespaces for Chromium’s sandbox, which this system allows to some programs only (Ubuntu: docs/desktop.md).',
    };
  }
  return { binary };
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
