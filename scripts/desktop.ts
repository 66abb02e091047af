// Whether the desktop application can be started here: its binary is installed, and there is a screen to show it on.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Desktop = { readonly binary: string } | { readonly missing: string };

export interface Place {
  readonly root: string;
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  /** The user's id; undefined on Windows. */
  readonly uid: number | undefined;
}

/** The binary of Electron, or in one sentence why there is no desktop here. */
export function findDesktop({ root, platform, env, uid }: Place): Desktop {
  const folder = join(root, 'node_modules/electron');
  const named = join(folder, 'path.txt');
  const binary = existsSync(named) ? join(folder, 'dist', readFileSync(named, 'utf8')) : null;
  if (binary === null || !existsSync(binary)) {
    return { missing: 'needs the Electron binary (`npx install-electron` downloads it).' };
  }
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY) return { missing: 'needs a display.' };
  if (platform === 'linux' && uid === 0)
    return { missing: 'needs a user that is not root, as whom Chromium’s sandbox does not run.' };
  return { binary };
}
