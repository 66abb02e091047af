// The real `panel` command in processes of its own, on data folders that go with the test.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { FILES } from '../../src/adapters/data-folder.ts';
import { stopStrays } from '../../src/engines/engine-state.ts';

const COMMAND = join(import.meta.dirname, '../../bin/panel.mjs');
const here = (name: string) => pathToFileURL(join(import.meta.dirname, name)).href;
const END_WITH_PARENT = here('end-with-parent.ts');
/** A module that makes hashes cheap in a process: `--import` loads it. */
export const CHEAP_SCRYPT = here('cheap-scrypt.ts');
export const PASSWORD = 'correct horse battery';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Serving {
  readonly process: ChildProcess;
  /** What it printed until it was up. */
  readonly printed: string;
  /** Everything that it has said since, on both streams. */
  said(): string;
  readonly panelUrl: string;
  readonly baseUrl: string;
  readonly caPath: string | null;
  /** null: there was an administrator. */
  readonly setupUrl: string | null;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

export interface CommandLine extends AsyncDisposable {
  readonly folder: string;
  /** Runs a command on the folder; `input` is what comes by stdin. */
  run(args: readonly string[], input?: string): Promise<Finished>;
  /** As `run`, for a process that may be killed. */
  spawn(args: readonly string[]): { readonly finished: Promise<Finished>; kill(): void };
  /** As `run`, with a stdout that nobody reads: it is closed at once. */
  runUnread(args: readonly string[]): Promise<Pick<Finished, 'code' | 'stderr'>>;
  /** Runs `panel serve` on a free port unless `args` name one, until it says that it is up. Rejects with what it said if it ends. */
  serve(args?: readonly string[]): Promise<Serving>;
}

/**
 * A fresh folder and the command line on it. What still runs at the end is killed, also when this process is. `environment`: beside
 * that of this process. Passwords and passphrases are hashed at a low cost unless `hashing` is real. `packed`: the command within this packed
 * application, which loads no other modules: it hashes at the real cost.
 */
export function openCommandLine(
  environment: Readonly<Record<string, string>> = {},
  { hashing = 'cheap', packed }: { readonly hashing?: 'cheap' | 'real'; readonly packed?: string } = {},
): CommandLine {
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'));
  const folder = join(parent, 'data');
  const children = new Set<ChildProcess>();
  const preloads = [END_WITH_PARENT, ...(hashing === 'cheap' ? [CHEAP_SCRYPT] : [])];
  const imports = preloads.flatMap((module) => ['--import', module]);
  const program = packed ?? process.execPath;
  const before = packed === undefined ? [...imports, COMMAND] : ['panel'];

  const start = (args: readonly string[], stdin: 'pipe' | 'ignore') => {
    // Where a panel makes a key file of its own, and as on a server.
    const own = {
      GATEHOUSE_DATA: folder,
      XDG_CONFIG_HOME: join(folder, '../config'),
      DISPLAY: '',
      WAYLAND_DISPLAY: '',
    };
    const env = { ...process.env, ...own, NO_COLOR: '1', ...environment };
    const child = spawn(program, [...before, ...args], {
      env,
      stdio: [stdin, 'pipe', 'pipe', ...(packed === undefined ? (['ipc'] as const) : [])],
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  };

  return {
    folder,
    async run(args, input = '') {
      const child = start(args, 'pipe');
      child.stdin?.on('error', () => undefined).end(input);
      const exit = once(child, 'close');
      const [stdout, stderr] = await Promise.all([readStream(child.stdout), readStream(child.stderr)]);
      const [code] = await exit;
      return { code, stdout, stderr };
    },
    spawn(args) {
      const child = start(args, 'ignore');
      const exit = once(child, 'close');
      const finish = async () => {
        const [stdout, stderr] = await Promise.all([readStream(child.stdout), readStream(child.stderr)]);
        const [code] = await exit;
        return { code, stdout, stderr };
      };
      return { finished: finish(), kill: () => child.kill('SIGKILL') };
    },
    async runUnread(args) {
      const child = start(args, 'ignore');
      child.stdout?.destroy();
      const exit = once(child, 'close');
      const stderr = await readStream(child.stderr);
      const [code] = await exit;
      return { code, stderr };
    },
    async serve(args = ['--port', '0']) {
      const child = start(['serve', ...args], 'ignore');
      const printed = await untilUp(child);
      let said = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream?.on('data', (chunk: Buffer | string) => {
          said += chunk;
        });
      }
      const after = (label: string) => new RegExp(`^  ${label} +(\\S+)$`, 'm').exec(printed)?.[1] ?? null;
      return {
        process: child,
        printed,
        said: () => said,
        panelUrl: after('Panel') ?? '',
        baseUrl: after('base_url') ?? '',
        caPath: after('CA file'),
        setupUrl: /^ {4}(https?:\S+\/setup\/\S+)$/m.exec(printed)?.[1] ?? null,
        async end(name) {
          const exit = once(child, 'exit');
          child.kill(name);
          const [code, signal] = await exit;
          return { code, signal };
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(
        [...children].map((child) => {
          const exit = once(child, 'exit');
          child.kill('SIGKILL');
          return exit;
        }),
      );
      // Engines outlive a panel that is killed.
      await stopStrays(join(folder, FILES.engines), new Set());
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

const readStream = (stream: NodeJS.ReadableStream | null) => (stream === null ? '' : text(stream));

function untilUp(child: ChildProcess): Promise<string> {
  let out = '';
  let err = '';
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
      // The last thing of every introduction.
      if (/Then try it:.*\n/.test(out)) resolve(out);
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      err += chunk;
    });
    child.once('close', (code) => reject(new Error(`panel serve ended with exit code ${code}: ${err}${out}`)));
  });
}
