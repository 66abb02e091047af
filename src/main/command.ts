// The `panel` command inside the packaged application, which has no Node to run it: `gatehouse panel reset-password`.
import { openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { CommandLine } from 'electron';

const COMMAND = 'panel';
/** An AppImage adds it as the first argument if the system limits user namespaces; root must add it by hand. */
const NO_SANDBOX = '--no-sandbox';

/** The arguments of the command; null if the application itself is to start, as always in a checkout, where `npx panel` is the command. */
export function findCommand(argv: readonly string[], isPackaged: boolean): readonly string[] | null {
  const args = argv.slice(argv[1] === NO_SANDBOX ? 2 : 1);
  if (!isPackaged) return null;
  if (args[0] === COMMAND) return args.slice(1);
  return args.length === 1 && ANSWERED.includes(args[0]) ? args : null;
}

/** Arguments that every program answers in a terminal; the command answers them. */
const ANSWERED: readonly unknown[] = ['--version', '--help', '-h'];

/** Switches of Chromium by which another program can control the pages. Fuses only turn off those of Node. */
const DEBUG_SWITCHES = ['remote-debugging-port', 'remote-debugging-pipe'];

export function findDebugSwitch(commandLine: Pick<CommandLine, 'hasSwitch'>): string | null {
  return DEBUG_SWITCHES.find((name) => commandLine.hasSwitch(name)) ?? null;
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

/** Opens the console by name, because a windowed program on Windows gets no standard input from it. Not needed with a pipe. */
function openConsole(process: CommandParts['process']): void {
  try {
    Object.defineProperty(process, 'stdin', { value: new ReadStream(openSync('\\\\.\\CONIN$', 'r+')) });
  } catch {
    // Standard input is a pipe, or there is no console.
  }
}
