// Finds the program of a local engine and its version: at a given path, else `xray` or `v2ray` on PATH.
import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { EngineError, type EngineName } from '../core/ports/engines.ts';

export interface EngineProgram {
  readonly path: string;
  readonly name: EngineName;
  /** Such as `26.3.27`. */
  readonly version: string;
}

const NAMES: readonly EngineName[] = ['xray', 'v2ray'];
const CALL_MS = 5000;
/** v2ray before 5 has no subcommands, and would wait for a configuration; v2ray 5 has only subcommands. */
const VERSION_ARGS: readonly (readonly string[])[] = [['-version'], ['version']];

/** The arguments that make a program read its configuration from standard input. */
export function buildArguments({ name, version }: EngineProgram, isTest: boolean): readonly string[] {
  const hasCommands = name === 'xray' || Number(version.split('.')[0]) >= 5;
  const test = isTest ? ['-test'] : [];
  return hasCommands ? ['run', ...test, '-config', 'stdin:'] : [...test, '-config', 'stdin:'];
}

/**
 * The program at `given`, else the first on PATH. Rejects with EngineError `engine_missing`, whose message lists the places that were
 * searched.
 */
export async function findProgram(given: string | null): Promise<EngineProgram> {
  const paths = given === null ? onPath() : [given];
  for (const path of paths) {
    const program = await identify(path);
    if (program !== null) return program;
  }
  if (given === null) throw new EngineError('engine_missing', 'neither xray nor v2ray is on PATH');
  throw new EngineError('engine_missing', `${given} is neither Xray nor v2ray, or cannot be run`);
}

function onPath(): readonly string[] {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, `${name}${suffix}`))).filter(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

async function identify(path: string): Promise<EngineProgram | null> {
  for (const args of VERSION_ARGS) {
    const [, name, version] = /^(Xray|V2Ray) (\d+\.\d+\.\d+)/.exec(await readOutput(path, args)) ?? [];
    if (version !== undefined) return { path, name: name === 'Xray' ? 'xray' : 'v2ray', version };
  }
  return null;
}

/** The program's output; empty if it cannot be run. */
function readOutput(path: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const options = { timeout: CALL_MS, maxBuffer: 65_536, killSignal: 'SIGKILL', windowsHide: true } as const;
    const child = execFile(path, args, options, (_error, stdout) => resolve(stdout));
    child.stdin?.on('error', () => {});
    child.stdin?.end();
  });
}
