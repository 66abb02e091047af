// The `panel` command inside the packaged application, which has no Node to run it: `gatehouse panel reset-password`.
import { openSync } from 'node:fs';
import { win32 } from 'node:path';
import { ReadStream } from 'node:tty';

const COMMAND = 'panel';

/** The arguments of the command; null if the application itself is to start, as always in a checkout, where `npx panel` is the command. */
export function findCommand(argv: readonly string[], isPackaged: boolean): readonly string[] | null {
  return isPackaged && argv[1] === COMMAND ? argv.slice(2) : null;
}

/** The command in a terminal of this computer. */
export function commandName(
  isPackaged: boolean,
  { platform, execPath, env }: Pick<NodeJS.Process, 'platform' | 'execPath' | 'env'>,
): string {
  if (!isPackaged) return 'npx panel';
  if (platform === 'win32') return quoted(win32.join(win32.dirname(execPath), 'panel.cmd'));
  // The Debian package puts `gatehouse` on the PATH; an AppImage or a macOS application is wherever the user put it.
  const program = platform === 'linux' ? (env.APPIMAGE ?? 'gatehouse') : execPath;
  return `${quoted(program)} ${COMMAND}`;
}

function quoted(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path;
}

export interface CommandParts {
  readonly process: Pick<NodeJS.Process, 'argv' | 'exitCode' | 'execPath' | 'platform' | 'stdin'>;
  /** Runs the command in `process.argv`; resolves when it has finished. */
  load(): Promise<unknown>;
}

/** Resolves to the exit code. */
export async function runCommand(args: readonly string[], { process, load }: CommandParts): Promise<number> {
  process.argv = [process.execPath, COMMAND, ...args];
  if (process.platform === 'win32' && !process.stdin.isTTY) openConsole(process);
  await load();
  return Number(process.exitCode ?? 0);
}

/** A windowed program on Windows gets no standard input from its console: it is opened by name. With a pipe there is none and none is needed. */
function openConsole(process: CommandParts['process']): void {
  try {
    Object.defineProperty(process, 'stdin', { value: new ReadStream(openSync('\\\\.\\CONIN$', 'r+')) });
  } catch {
    // Standard input is a pipe, or there is no console.
  }
}
