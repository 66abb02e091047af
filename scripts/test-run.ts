// A place of its own for everything that a test command starts: folders for temporary files and for a home, and a mark in the environment by which
// each descendant is found. What is left in it at the end is a fault, and is removed in any case, also after Ctrl-C.
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The variable that holds the run's folder, in the environment of all its processes. */
export const RUN_VARIABLE = 'GATEHOUSE_TEST_RUN';

/** Short: names of sockets in it must stay below 108 bytes. The id, with the prefix of namespaces, is at most 8 letters. */
const PREFIX = 'gh-run-';
const OWNER = 'owner';
const NAMESPACES = '/run/netns';
const INTERFACES = '/sys/class/net';

/** What programs keep for their next start: fonts, shaders, certificates, compiled code, counts of their use, the token of Vitest's server. */
const CACHES = [
  'home/.cache',
  'home/.config/go',
  'home/.local/share/pki',
  'home/.local/share/vitest',
  'home/.npm',
  'home/.pki',
  't/jiti',
  `t/playwright-transform-cache-${process.getuid?.() ?? ''}`,
];

export interface Leftover {
  readonly kind: 'process' | 'mount' | 'namespace' | 'interface' | 'file';
  /** The command line of a process, the path or the name of the rest. */
  readonly name: string;
}

export interface TestRun {
  readonly folder: string;
  /** The environment of a suite, whose folders no other suite shares. */
  openSuite(name: string): NodeJS.ProcessEnv;
  /** What a suite has left, or all of them together. Waits a few seconds for processes that are about to end. */
  findLeftovers(suite?: string): readonly Leftover[];
  /** Kills the processes of a suite that has to be stopped. */
  killProcesses(suite: string): void;
  /** Ends and removes what a suite has left. */
  removeSuite(name: string): void;
  /** Ends and removes everything. */
  remove(): void;
}

/** The start of the names of network namespaces and interfaces that a test makes: those of a run are found by it. */
export function namespacePrefix(run = process.env[RUN_VARIABLE]): string {
  return run === undefined ? `gh${process.pid}` : `gh${run.slice(run.lastIndexOf(PREFIX) + PREFIX.length)}`;
}

const isWithin = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/** How long a process that is about to end has for it, before it counts as left behind. */
const GRACE_MS = 10_000;
const STEP_MS = 200;

/** Removes first what runs have left that were killed. */
export function openTestRun(graceMs = GRACE_MS, log: (line: string) => void = console.log): TestRun {
  for (const folder of abandonedRuns()) {
    const left = [...findProcesses(folder), ...findMounts(folder), ...findNamespaces(folder)];
    for (const { kind, name } of left) log(`Removed what a killed run had left: ${kind} ${name}`);
    removeAll(folder);
  }
  const folder = join(
    tmpdir(),
    PREFIX +
      randomInt(36 ** 5)
        .toString(36)
        .padStart(5, '0'),
  );
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, OWNER), `${process.pid} ${startTime(process.pid)}`);
  const getSuitePath = (suite = '') => join(folder, suite);
  return {
    folder,
    openSuite(name) {
      const temporary = join(folder, name, 't');
      const home = join(folder, name, 'home');
      const runtime = join(folder, name, 'run');
      for (const path of [temporary, home, runtime]) mkdirSync(path, { recursive: true, mode: 0o700 });
      return {
        [RUN_VARIABLE]: folder,
        TMPDIR: temporary,
        TMP: temporary,
        TEMP: temporary,
        ...(process.platform !== 'win32' && { HOME: home }),
        XDG_CONFIG_HOME: join(home, '.config'),
        XDG_DATA_HOME: join(home, '.local/share'),
        XDG_STATE_HOME: join(home, '.local/state'),
        XDG_CACHE_HOME: join(home, '.cache'),
        XDG_RUNTIME_DIR: runtime,
        // A Chromium with windows would write its settings into a database that stays.
        GSETTINGS_BACKEND: 'memory',
      };
    },
    findLeftovers(suite) {
      const place = getSuitePath(suite);
      const found = [...findRemaining(place, graceMs), ...findMounts(place)];
      if (suite === undefined) found.push(...findNamespaces(folder));
      return [
        ...found,
        ...(suite === undefined ? listSuites(folder) : [suite]).flatMap((name) => findFiles(folder, name)),
      ];
    },
    killProcesses: (suite) => killAll(getSuitePath(suite)),
    removeSuite: (name) => removeFolder(getSuitePath(name)),
    remove: () => removeAll(folder),
  };
}

function listSuites(folder: string): readonly string[] {
  return listFolder(folder).filter((name) => name !== OWNER);
}

/** Folders of runs whose process is gone. */
function abandonedRuns(): readonly string[] {
  const runs = listFolder(tmpdir()).filter((name) => name.startsWith(PREFIX));
  return runs
    .map((name) => join(tmpdir(), name))
    .filter((folder) => {
      const [pid = '', time] = readText(join(folder, OWNER)).split(' ');
      return pid !== '' && startTime(Number(pid)) !== time;
    });
}

/** When a process was started, in the kernel's count; empty where there is none. */
function startTime(pid: number): string {
  if (process.platform === 'linux') return readProcessStat(pid)?.startTime ?? '';
  try {
    process.kill(pid, 0);
    return 'running';
  } catch {
    return '';
  }
}

function readProcessStat(
  pid: number,
): { readonly state: string; readonly parent: number; readonly startTime: string } | null {
  const text = readText(`/proc/${pid}/stat`);
  // The name, in brackets, may have brackets and blanks.
  const [state = '', parent = '', ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return text === '' ? null : { state, parent: Number(parent), startTime: rest[17] ?? '' };
}

interface Process extends Leftover {
  readonly pid: number;
}

/**
 * The processes whose environment, command line or working folder names the folder, and all that they have started. Linux only.
 */
function findProcesses(folder: string): readonly Process[] {
  const pids = listFolder('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid);
  const marked = new Set(pids.filter((pid) => isMarked(pid, folder)));
  const parents = new Map(pids.map((pid) => [pid, readProcessStat(pid)?.parent ?? 0]));
  for (let size = -1; size !== marked.size; ) {
    size = marked.size;
    for (const [pid, parent] of parents) if (marked.has(parent)) marked.add(pid);
  }
  return [...marked].flatMap((pid) => {
    const state = readProcessStat(pid)?.state;
    if (state === undefined || state === 'Z' || state === 'X') return [];
    const command = readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
    return [
      { kind: 'process' as const, pid, name: `${pid}: ${(command || readText(`/proc/${pid}/comm`)).slice(0, 300)}` },
    ];
  });
}

function isMarked(pid: number, folder: string): boolean {
  const mentions = (text: string) => text.split(/[\0=:\s]/).some((path) => isWithin(path, folder));
  return (
    mentions(readText(`/proc/${pid}/environ`)) ||
    mentions(readText(`/proc/${pid}/cmdline`)) ||
    isWithin(readLinkTarget(`/proc/${pid}/cwd`), folder)
  );
}

/** Those that do not end by themselves soon. */
function findRemaining(folder: string, graceMs: number): readonly Process[] {
  for (let waited = 0; ; waited += STEP_MS) {
    const found = findProcesses(folder);
    if (found.length === 0 || waited >= graceMs) return found;
    pause(STEP_MS);
  }
}

/** Blocks, as what is called at a signal must be done before the process exits. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function killAll(folder: string): void {
  for (let waited = 0; waited < GRACE_MS; waited += STEP_MS) {
    const found = findProcesses(folder);
    if (found.length === 0) return;
    for (const { pid } of found) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
    pause(STEP_MS);
  }
}

/** The last mounted first. */
function findMounts(folder: string): readonly Leftover[] {
  const paths = readText('/proc/self/mountinfo')
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? []);
  return paths
    .filter((path) => path.startsWith(`${folder}/`))
    .map((name) => ({ kind: 'mount' as const, name }))
    .toReversed();
}

function findNamespaces(folder: string): readonly Leftover[] {
  const isOfRun = (name: string) => name.startsWith(namespacePrefix(folder));
  const namespaces = listFolder(NAMESPACES).filter(isOfRun);
  const interfaces = listFolder(INTERFACES).filter(isOfRun);
  return [
    ...namespaces.map((name) => ({ kind: 'namespace' as const, name })),
    ...interfaces.map((name) => ({ kind: 'interface' as const, name })),
  ];
}

/** What is in the folders of a suite and is no cache: of a home its files, as its folders are made on the way to a cache. */
function findFiles(folder: string, suite: string): readonly Leftover[] {
  const place = join(folder, suite);
  const temporary = ['t', 'run'].flatMap((name) =>
    listFolder(join(place, name)).map((entry) => join(place, name, entry)),
  );
  const isCache = (path: string) => CACHES.map((cache) => join(place, cache)).some((cache) => isWithin(path, cache));
  return [...temporary, ...listFiles(join(place, 'home'))]
    .filter((path) => !isCache(path))
    .map((name) => ({ kind: 'file' as const, name }));
}

function listFiles(folder: string): readonly string[] {
  const entries = listFolder(folder).length === 0 ? [] : readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}

function removeFolder(folder: string): void {
  killAll(folder);
  for (const { name } of findMounts(folder)) attempt('umount', '-l', name);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function removeAll(folder: string): void {
  removeFolder(folder);
  for (const { kind, name } of findNamespaces(folder)) {
    if (kind === 'namespace') attempt('ip', 'netns', 'del', name);
    else attempt('ip', 'link', 'del', name);
  }
}

function attempt(command: string, ...args: readonly string[]): void {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
  } catch {
    // Gone already, or not allowed: the look for leftovers names it.
  }
}

function listFolder(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Empty where it cannot be read: a process may end meanwhile. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function readLinkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
