// What the `panel` command is called in a terminal of this computer, and texts that name it.
import { existsSync, realpathSync } from 'node:fs';
import { join, win32 } from 'node:path';
import { findInstallation, PACKAGE } from '../adapters/installation.ts';
import { PLACES } from './install.ts';

/** `isPackaged`: within the desktop application, whose binary is the command; else as this program was installed. */
export function commandName(
  isPackaged: boolean,
  { platform, execPath, env }: Pick<NodeJS.Process, 'platform' | 'execPath' | 'env'>,
): string {
  if (!isPackaged) return installedName(PACKAGE, PLACES.command);
  if (platform === 'win32') return quotePath(win32.join(win32.dirname(execPath), 'panel.cmd'));
  // The Debian package puts `gatehouse` on the PATH; an AppImage or a macOS application is wherever the user put it.
  const program = platform === 'linux' ? (env.APPIMAGE ?? 'gatehouse') : execPath;
  return `${quotePath(program)} panel`;
}

/** A checkout has npm's link to it, a release its launcher with or without a link, and a package of npm is on the PATH. */
export function installedName(folder: string, link: string): string {
  if (existsSync(join(folder, 'src/cli/index.ts'))) return 'npx panel';
  const root = findInstallation(folder)?.root;
  if (root === undefined) return 'panel';
  const launcher = join(root, 'panel');
  return existsSync(link) && realpathSync(link) === realpathSync(launcher) ? 'panel' : quotePath(launcher);
}

let own: string | null = null;

/** Of this process. */
export function ownCommandName(): string {
  own ??= commandName(process.versions.electron !== undefined && !('defaultApp' in process), process);
  return own;
}

/** Those of src/cli/index.ts. */
export const COMMANDS = [
  'serve',
  'setup',
  'key',
  'reset-password',
  'url',
  'rotate-path',
  'backup',
  'promote',
  'restore',
  'doctor',
  'update',
  'install',
  'uninstall',
  'engine',
  'node',
  'openapi',
] as const;
const NAMED = new RegExp(`(?<![\\w/.-])panel (?=(?:${COMMANDS.join('|')})\\b)`, 'g');

/** A text with its commands as they are typed here: `panel setup` as `npx panel setup`. */
export function renderCommands(text: string, name = ownCommandName()): string {
  return text.replace(NAMED, () => `${name} `);
}

function quotePath(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path;
}
