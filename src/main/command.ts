// The `panel` command inside the packaged application, which has no Node to run it: `gatehouse panel reset-password`.
import { openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { CommandLine } from 'electron';

const COMMAND = 'panel';
/** An AppImage puts it before the arguments where the system limits user namespaces; root has to give it by hand. */
const NO_SANDBOX = '--no-sandbox';

/** The arguments of the command; null if the application itself is to start, as always in a checkout, where `npx panel` is the command. */
export function findCommand(argv: readonly string[], isPackaged: boolean): readonly string[] | null {
  const args = argv.slice(argv[1] === NO_SANDBOX ? 2 : 1);
  if (!isPackaged) return null;
  if (args[0] === COMMAND) return args.slice(1);
  return args.length === 1 && ANSWERED.includes(args[0]) ? args : null;
}

/** What any program answers in a terminal, as the command does. */
const ANSWERED: readonly unknown[] = ['--version', '--help', '-h'];

/** Switches of Chromium by which another program takes over the pages. Fuses turn off those of Node alone. */
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

/** A windowed program on Windows gets no standard input from its console: it is opened by name. With a pipe there is none and none is needed. */
function openConsole(process: CommandParts['process']): void {
  try {
    Object.defineProperty(process, 'stdin', { value: new ReadStream(openSync('\\\\.\\CONIN$', 'r+')) });
  } catch {
    // Standard input is a pipe, or there is no console.
  }
}
