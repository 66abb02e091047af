// The name of the `panel` command on this computer, and texts that contain it.
import { existsSync, realpathSync } from 'node:fs';
import { join, win32 } from 'node:path';
import { findInstallation, PACKAGE } from '../adapters/installation.ts';
import { PLACES } from './install.ts';

/** `isPackaged`: inside the desktop application, whose binary is the command; otherwise depends on the installation. */
export function commandName(
  isPackaged: boolean,
  { platform, execPath, env }: Pick<NodeJS.Process, 'platform' | 'execPath' | 'env'>,
): string {
  if (!isPackaged) return installedName(PACKAGE, PLACES.command);
  if (platform === 'win32') return quotePath(win32.join(win32.dirname(execPath), 'panel.cmd'));
  // The Debian package adds `gatehouse` to the PATH; an AppImage or macOS application can be anywhere.
  const program = platform === 'linux' ? (env.APPIMAGE ?? 'gatehouse') : execPath;
  return `${quotePath(program)} panel`;
}

/** npm links the command in a checkout; a release has a launcher, with or without a link; an npm package is on the PATH. */
export function installedName(folder: string, link: string): string {
  if (existsSync(join(folder, 'src/cli/index.ts'))) return 'npx panel';
  const root = findInstallation(folder)?.root;
  if (root === undefined) return 'panel';
  const launcher = join(root, 'panel');
  return existsSync(link) && realpathSync(link) === realpathSync(launcher) ? 'panel' : quotePath(launcher);
}

let own: string | null = null;

/** The name of the command for this process. */
export function ownCommandName(): string {
  own ??= commandName(process.versions.electron !== undefined && !('defaultApp' in process), process);
  return own;
}

/** The commands of src/cli/index.ts. */
export const COMMANDS = [
  'serve',
  'setup',
  'key',
  'reset-password',
  'url',
  'rotate-path',
  'backup',
  'export',
  'import',
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

/** Replaces the commands in a text by their names here: `panel setup` becomes `npx panel setup`. */
export function renderCommands(text: string, name = ownCommandName()): string {
  return text.replace(NAMED, () => `${name} `);
}

function quotePath(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path;
}
