// The real panel under strace: every write to the database's journal, every sync of it and every reply, in the order of their happening.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHEAP_SCRYPT } from '../support/cli.ts';

const COMMAND = join(import.meta.dirname, '../../bin/panel.mjs');
const CALLS = 'pwrite64,pwritev,write,writev,sendmsg,sendto,fdatasync,fsync';

export interface Traced extends AsyncDisposable {
  readonly folder: string;
  readonly baseUrl: string;
  readonly panelUrl: string;
  /** The one-time token of the printed link. */
  readonly setupToken: string;
  /** Ends the panel; what it did. */
  end(): Promise<readonly Happening[]>;
}

/** `sync` says that it succeeded; `reply` carries the request's id. */
export type Happening =
  | { readonly kind: 'write' }
  | { readonly kind: 'sync' }
  | { readonly kind: 'reply'; readonly id: string };

/** Serves a fresh folder over plain HTTP; `preload` is a module that is loaded before the panel. */
export async function tracePanel(preload: string | null): Promise<Traced> {
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-traced-'));
  const folder = join(parent, 'data');
  const trace = join(parent, 'trace');
  const preloads = [CHEAP_SCRYPT, ...(preload === null ? [] : [preload])];
  const node = [process.execPath, ...preloads.flatMap((module) => ['--import', module]), COMMAND];
  const flags = ['--http', '--port', '0', '--rate-limit', '0', '--key-file', join(parent, 'key')];
  const serve = ['serve', ...flags, '--data', folder];
  const child = spawn(
    'strace',
    ['-f', '--seccomp-bpf', '-y', '-s', '120', '-e', `trace=${CALLS}`, '-o', trace, ...node, ...serve],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const exited = once(child, 'exit');
  const printed = await untilUp(child.stdout, child.stderr);
  // A signal to strace itself waits for the panel's end.
  const { pid } = JSON.parse(readFileSync(join(folder, 'owner.json'), 'utf8'));
  const match = (pattern: RegExp) => pattern.exec(printed)?.[1] ?? '';
  return {
    folder,
    baseUrl: match(/^ {2}base_url +(\S+)$/m),
    panelUrl: match(/^ {2}Panel +(\S+)$/m),
    setupToken: match(/\/setup\/(\S+)$/m),
    async end() {
      process.kill(pid, 'SIGTERM');
      await exited;
      return happeningsIn(readFileSync(trace, 'utf8'));
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        process.kill(pid, 'SIGKILL');
        await exited;
      }
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

async function untilUp(out: NodeJS.ReadableStream, err: NodeJS.ReadableStream): Promise<string> {
  let printed = '';
  let said = '';
  err.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  for await (const chunk of out) {
    printed += chunk;
    // The last thing of every introduction.
    if (/Then try it:.*\n/.test(printed)) return printed;
  }
  throw new Error(`panel serve ended: ${said}${printed}`);
}

/** `123 fdatasync(23</…/panel.db-wal>) = 0`, or in two lines where another thread comes between. */
const LINE = /^(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\()(.*)$/;
const WRITES: ReadonlySet<string> = new Set(['pwrite64', 'pwritev', 'write', 'writev']);
const SYNCS: ReadonlySet<string> = new Set(['fdatasync', 'fsync']);

/** A write counts from its beginning, a sync from its end, a reply from its beginning: so no doubt is to the panel's favour. */
export function happeningsIn(trace: string): readonly Happening[] {
  const found: Happening[] = [];
  const syncing = new Set<string>();
  for (const line of trace.split('\n')) {
    const [, thread = '', resumed, called, rest = ''] = LINE.exec(line) ?? [];
    const isJournal = rest.includes('panel.db-wal>');
    const isDone = / = 0$/.test(rest);
    if (called !== undefined && WRITES.has(called) && isJournal) found.push({ kind: 'write' });
    else if (called !== undefined && SYNCS.has(called) && isJournal && isDone) found.push({ kind: 'sync' });
    else if (called !== undefined && SYNCS.has(called) && isJournal) syncing.add(thread);
    else if (resumed !== undefined && SYNCS.has(resumed) && syncing.delete(thread) && isDone)
      found.push({ kind: 'sync' });
    const id = called === undefined ? undefined : /HTTP\/1\.1 2\d\d .*?X-Request-Id: ([0-9a-f]{32})/.exec(rest)?.[1];
    if (id !== undefined) found.push({ kind: 'reply', id });
  }
  return found;
}
