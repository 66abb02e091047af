// The `panel` command inside the packed application, where there is no Node to run it with: `gatehouse panel reset-password`.
import { openSync } from 'node:fs';
import { win32 } from 'node:path';
import { ReadStream } from 'node:tty';

const WORD = 'panel';

/**
 * The arguments of the command, or null where the application itself is wanted. `isPacked`: in a checkout Electron's own arguments
 * come first, and the command has a Node of its own.
 */
export function commandIn(argv: readonly string[], isPacked: boolean): readonly string[] | null {
  return isPacked && argv[1] === WORD ? argv.slice(2) : null;
}

/** How a terminal on this computer calls the command. */
export function commandName(
  isPackaged: boolean,
  { platform, execPath, env }: Pick<NodeJS.Process, 'platform' | 'execPath' | 'env'>,
): string {
  if (!isPackaged) return 'npx panel';
  if (platform === 'win32') return quoted(win32.join(win32.dirname(execPath), 'panel.cmd'));
  // The Debian package puts `gatehouse` on the path; an AppImage and a macOS application lie wherever they were put.
  const program = platform === 'linux' ? (env.APPIMAGE ?? 'gatehouse') : execPath;
  return `${quoted(program)} ${WORD}`;
}

function quoted(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path;
}

export interface CommandParts {
  readonly process: Pick<NodeJS.Process, 'argv' | 'exitCode' | 'execPath' | 'platform' | 'stdin'>;
  /** Runs what stands in `process.argv`; done when the command is. */
  load(): Promise<unknown>;
}

/** Resolves to the exit code. */
export async function runCommand(args: readonly string[], { process, load }: CommandParts): Promise<number> {
  process.argv = [process.execPath, WORD, ...args];
  if (process.platform === 'win32' && !process.stdin.isTTY) openConsole(process);
  await load();
  return Number(process.exitCode ?? 0);
}

/** A window program on Windows is given no keyboard: the console's has a name of its own. Behind a pipe there is none, and none is needed. */
function openConsole(process: CommandParts['process']): void {
  try {
    Object.defineProperty(process, 'stdin', { value: new ReadStream(openSync('\\\\.\\CONIN$', 'r+')) });
  } catch {
    // Piped, or started without a console.
  }
}
