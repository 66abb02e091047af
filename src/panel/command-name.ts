// What the `panel` command is called in a terminal of this computer.
import { win32 } from 'node:path';

/** `isPackaged`: within the desktop application, whose binary is the command; else in a checkout. */
export function commandName(
  isPackaged: boolean,
  { platform, execPath, env }: Pick<NodeJS.Process, 'platform' | 'execPath' | 'env'>,
): string {
  if (!isPackaged) return 'npx panel';
  if (platform === 'win32') return quoted(win32.join(win32.dirname(execPath), 'panel.cmd'));
  // The Debian package puts `gatehouse` on the PATH; an AppImage or a macOS application is wherever the user put it.
  const program = platform === 'linux' ? (env.APPIMAGE ?? 'gatehouse') : execPath;
  return `${quoted(program)} panel`;
}

function quoted(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path;
}
