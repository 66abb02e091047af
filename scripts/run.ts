// Runs commands for the checks and the tests: each with a limit for what hangs, and as many at once as the machine carries.
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';

/** The project's root folder. */
export const root = join(import.meta.dirname, '..');

export type Finished = {
  /** True when the command ended by itself with exit code 0. */
  ok: boolean;
  exitCode: number | null;
  timedOut: boolean;
  /** stdout and stderr as they came. */
  output: string;
  durationMs: number;
};

/** What Node has compiled is read again by the next process: compilers and test runners are megabytes of it. */
const COMPILED = join(root, 'node_modules/.cache/node');

const running = new Set<() => void>();
const cleanUps = new Set<() => void>();
const stop = () => {
  for (const kill of running) kill();
  for (const cleanUp of cleanUps) cleanUp();
  process.exit(130);
};
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
process.on('SIGHUP', stop);

/** Calls this when the process is stopped by a signal, after the commands that it runs were killed. Returns what takes that back. */
export function atStop(cleanUp: () => void): () => void {
  cleanUps.add(cleanUp);
  return () => cleanUps.delete(cleanUp);
}

/**
 * Runs `command` (its first word is looked up in node_modules/.bin first) in the project's root.
 * After `limitMs` the command and everything it started are killed. Never rejects.
 */
export function run(command: readonly string[], limitMs: number, env: NodeJS.ProcessEnv = {}): Promise<Finished> {
  const [file = '', ...args] = command;
  const path = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`;
  const started = performance.now();
  const { promise, resolve } = Promise.withResolvers<Finished>();
  const onWindows = process.platform === 'win32';
  const child = spawn(file, args, {
    cwd: root,
    env: { NODE_COMPILE_CACHE: COMPILED, ...process.env, PATH: path, NO_COLOR: '1', FORCE_COLOR: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group, so that its children die with it. Windows has none and finds .cmd files only by a shell.
    detached: !onWindows,
    shell: onWindows,
  });

  let output = '';
  let timedOut = false;
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(onWindows ? child.pid : -child.pid, 'SIGKILL');
    } catch {
      // Gone already.
    }
  };
  const timer = setTimeout(() => {
    timedOut = true;
    kill();
  }, limitMs);
  const finish = (exitCode: number | null) => {
    clearTimeout(timer);
    running.delete(kill);
    resolve({ ok: exitCode === 0 && !timedOut, exitCode, timedOut, output, durationMs: performance.now() - started });
  };

  running.add(kill);
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.on('error', (error) => {
    output += `${file}: ${error.message}\n`;
    finish(null);
  });
  child.on('close', finish);
  return promise;
}

/** Output worth reading: without npm's own warnings and blank edges. */
export function readable(output: string): string {
  return output
    .split('\n')
    .filter((line) => !line.startsWith('npm warn '))
    .join('\n')
    .trim();
}

/** One line of a report: mark, name, seconds. */
export function line(ok: boolean, name: string, durationMs: number, rest = ''): string {
  return `${ok ? '✓' : '✗'} ${name.padEnd(18)} ${(durationMs / 1000).toFixed(1).padStart(6)} s  ${rest}`.trimEnd();
}

export interface Task {
  /** How many cores it keeps busy. */
  readonly cores: 1 | 2;
  run(): Promise<void>;
}

/**
 * How many cores' worth of tasks run at once on the two cores that all times are meant for: tests wait for disks, intervals and
 * other processes for more than half of their time.
 */
const CORES = 5;

/** Runs tasks in their order, as many at once as keep two cores busy. */
export async function runWithinCores(tasks: readonly Task[]): Promise<void> {
  const waiting = [...tasks];
  const active = new Set<Promise<void>>();
  let free = CORES;
  while (waiting.length > 0 || active.size > 0) {
    for (let next = waiting[0]; next !== undefined && next.cores <= free; next = waiting[0]) {
      waiting.shift();
      const { cores } = next;
      free -= cores;
      const ended = next.run().finally(() => {
        free += cores;
        active.delete(ended);
      });
      active.add(ended);
    }
    await Promise.race(active);
  }
}
