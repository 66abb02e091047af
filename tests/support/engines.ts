// The real engines and clients, a real certificate authority and a provider's own stand-in, for tests: what is on PATH, else the pinned version, which
// is brought once into a cache that all checkouts share.
import { createHash } from 'node:crypto';
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { atStop } from '../../scripts/run.ts';
import { ensurePackages } from '../../scripts/system-packages.ts';
import { acquireLock } from '../../src/adapters/instance-lock.ts';
import { type Found, installProgram } from './package-clients.ts';
import { PINS, type Pin, type PinnedProgram } from './pinned-programs.ts';

/**
 * `xray-new` and `xray-newest`: an Xray of some months later, whose rules are others. `sing-box-older`: of the minor before. `sing-box-wireguard`: a
 * sing-box with WireGuard, and without the imitation of browsers.
 */
export type EngineProgram =
  | 'xray'
  | 'xray-new'
  | 'xray-newest'
  | 'v2ray'
  | 'sing-box'
  | 'sing-box-older'
  | 'sing-box-wireguard'
  | 'sing-box-older-wireguard'
  | 'mihomo';
/** Let's Encrypt's own authority for tests, and the name server that it asks. */
export type AuthorityProgram = 'pebble' | 'pebble-challtestsrv';
/** Stripe's own stand-in for its API, which holds requests against its description of it; Python with the official libraries of other providers. */
export type ProviderProgram = 'stripe-mock' | 'payment-sdks';
/** A real server of S3-compatible storage, over a folder. */
export type StorageProgram = 'versitygw';
/** A reverse proxy that Debian does not have. */
export type ProxyProgram = 'traefik';
export type Program = EngineProgram | AuthorityProgram | ProviderProgram | StorageProgram | ProxyProgram;

export type FoundEngine = Found;
type FoundPrograms<Name extends Program> = Readonly<Record<Name, Found>>;
export type FoundEngines = FoundPrograms<EngineProgram>;

export const ENGINE_PROGRAMS: readonly EngineProgram[] = [
  'xray',
  'xray-new',
  'xray-newest',
  'v2ray',
  'sing-box',
  'sing-box-older',
  'sing-box-wireguard',
  'sing-box-older-wireguard',
  'mihomo',
];
export const AUTHORITY_PROGRAMS: readonly AuthorityProgram[] = ['pebble', 'pebble-challtestsrv'];
export const PROVIDER_PROGRAMS: readonly ProviderProgram[] = ['stripe-mock', 'payment-sdks'];
export const STORAGE_PROGRAMS: readonly StorageProgram[] = ['versitygw'];
export const PROXY_PROGRAMS: readonly ProxyProgram[] = ['traefik'];

/** Another one than that of PATH, which has the plain name. */
const NEVER_ON_PATH: readonly Program[] = [
  'xray-new',
  'xray-newest',
  'sing-box-older',
  'sing-box-wireguard',
  'sing-box-older-wireguard',
  'payment-sdks',
];

/** The variable that names the cache in a test run, which has a home folder of its own. */
export const CACHE_VARIABLE = 'GATEHOUSE_TEST_PROGRAMS';
export const programCache = (): string => process.env[CACHE_VARIABLE] ?? join(homedir(), '.cache/gatehouse-engines');

/**
 * Finds each of these programs, and builds or installs what is missing where that is possible; each step is reported through `log`.
 * Takes minutes the first time, and no time after it. Never rejects for a program that cannot be had.
 */
export async function ensurePrograms<Name extends Program>(
  programs: readonly Name[],
  log: (line: string) => void = console.log,
): Promise<FoundPrograms<Name>> {
  const found: [Name, Found][] = [];
  for (const program of programs) found.push([program, await ensureProgram(program, log)]);
  return Object.fromEntries(found) as FoundPrograms<Name>;
}

/** Why programs are missing, a line each; null where none is. */
export function listMissing(found: FoundPrograms<Program> | Partial<FoundPrograms<Program>>): string | null {
  const lines = Object.values(found).flatMap((program) => ('missing' in program ? [program.missing] : []));
  return lines.length === 0 ? null : lines.join('\n  ');
}

/** For a suite's setup: the programs that it needs. Under CI it throws where one is missing, else it says what is not tested. */
export async function requirePrograms<Name extends Program>(
  what: string,
  programs: readonly Name[],
): Promise<FoundPrograms<Name>> {
  const found = await ensurePrograms(programs);
  const missing = listMissing(found);
  if (missing !== null && (process.env.CI === 'true' || process.env.CI === '1'))
    throw new Error(`${what} not tested: ${missing}`);
  if (missing !== null) console.warn(`\n  !!! NOT TESTED: ${what}: ${missing}\n`);
  return found;
}

/** The path of a program that is there already, on PATH or built earlier. */
export function findProgram(program: Program): string | null {
  const onPath = NEVER_ON_PATH.includes(program) ? null : findOnPath(program);
  if (onPath !== null || program === 'v2ray') return onPath;
  const path = join(cachedFolder(program), program);
  return isExecutable(path) ? path : null;
}

async function ensureProgram(program: Program, log: (line: string) => void): Promise<Found> {
  const present = findProgram(program);
  if (present !== null) return { path: present };
  if (program === 'v2ray') return installV2ray(log);

  mkdirSync(programCache(), { recursive: true });
  const lock = await waitForLock(program, log);
  try {
    // Another process may have built it meanwhile.
    const path = findProgram(program);
    return path === null ? await install(program, log) : { path };
  } finally {
    lock.release();
  }
}

async function installV2ray(log: (line: string) => void): Promise<Found> {
  const missing = await ensurePackages({ v2ray: 'v2ray' }, log);
  const path = findOnPath('v2ray');
  return path === null ? { missing: missing ?? 'needs v2ray: its package brings no such program' } : { path };
}

/** One build at a time on the machine: each uses all cores. */
async function waitForLock(program: string, log: (line: string) => void) {
  for (let isFirst = true; ; isFirst = false) {
    const lock = acquireLock(programCache(), `build ${program}`);
    if (lock !== null) return lock;
    if (isFirst) log(`Waiting for another process that builds programs in ${programCache()}`);
    await sleep(1000);
  }
}

/** Brings a program into the cache, whole or not at all. */
async function install(program: PinnedProgram, log: (line: string) => void): Promise<Found> {
  const { kind, version } = PINS[program];
  const effort = kind === 'go' ? 'a build, takes minutes' : 'a download';
  log(`Installing ${program} ${version}, once, into ${programCache()} (${effort})`);
  const startedAt = performance.now();
  const scratch = mkdtempSync(join(programCache(), 'build-'));
  const removeScratch = () => rmSync(scratch, { recursive: true, force: true });
  const forget = atStop(removeScratch);
  try {
    const target = join(scratch, 'program');
    mkdirSync(target);
    const installed = await installProgram(program, PINS[program], target, scratch, log);
    if ('missing' in installed) return { missing: `needs ${program}: ${installed.missing}` };
    rmSync(cachedFolder(program), { recursive: true, force: true });
    renameSync(target, cachedFolder(program));
    log(`Installed ${program} ${version} in ${Math.round((performance.now() - startedAt) / 1000)} s`);
    return { path: join(cachedFolder(program), program) };
  } finally {
    removeScratch();
    forget();
  }
}

/** Another pin is another folder, so that what was built by the one before is not taken for it. */
function cachedFolder(program: PinnedProgram): string {
  const pin: Pin = PINS[program];
  const file = pin.kind === 'binding' ? pin.script : pin.kind === 'libraries' ? pin.requirements : null;
  const text = file === null ? '' : readFileSync(join(import.meta.dirname, file), 'utf8');
  const key = createHash('sha256').update(JSON.stringify(pin) + text);
  return join(programCache(), `${program}-${pin.version}-${key.digest('hex').slice(0, 8)}`);
}

export function findOnPath(program: string): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, program)).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** By hand: `npx node tests/support/engines.ts`. */
if (import.meta.main) {
  const programs: readonly Program[] = [
    ...ENGINE_PROGRAMS,
    ...AUTHORITY_PROGRAMS,
    ...PROVIDER_PROGRAMS,
    ...STORAGE_PROGRAMS,
    ...PROXY_PROGRAMS,
  ];
  for (const [program, found] of Object.entries(await ensurePrograms(programs)))
    console.log(`${program}: ${'path' in found ? found.path : found.missing}`);
}
