// `npm run release`: packs the headless panel for this system into dist/gatehouse-<version>-<platform>.tar.gz: the bundle, the packages that
// it loads, a Node to run them and the engine, laid out as an installation. Beside it the packages for npm. The same sources give the same bytes.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { init, parse } from 'es-module-lexer';
import { create } from 'tar';
import { build } from './build.ts';
import { ENGINE_PLATFORMS, enginePackage, ensureEngine } from './engine-packages.ts';
import { root } from './run.ts';

/** What `panel` runs and the threads that it starts. */
const ENTRIES = [
  'cli.js',
  'checkpoint-worker.js',
  'writer-worker.js',
  'backup-worker.js',
  'import-worker.js',
  'place-worker.js',
  'keychain-worker.js',
];
// The parser of imports is WebAssembly.
await init;
/** Of a package: what is never loaded. */
const LEFT_OUT =
  /\.map$|\.d\.[cm]?ts$|(?:^|\/)(?:README|CHANGELOG|HISTORY)[\w.]*$|(?:^|\/)(?:tests?|\.github)(?:\/|$)/i;
const PLATFORM = `${process.platform}-${process.arch}`;
const SOURCES_OF_SQLITE = /better-sqlite3\/(?:deps|src|binding\.gyp)/;

interface Packed {
  /** Files of out/main. */
  readonly files: readonly string[];
  /** Folders of packages, from the root. */
  readonly packages: readonly string[];
}

/** Follows the imports of the bundle, and the dependencies of the packages in them. */
export function collect(): Packed {
  const out = join(root, 'out/main');
  const files = new Set<string>();
  const packages = new Set<string>();

  const addPackage = (name: string, from: string, isOptional: boolean): void => {
    const folder = findPackage(name, from);
    if (folder === null) {
      if (isOptional) return;
      throw new Error(`${name} is not installed`);
    }
    if (packages.has(folder)) return;
    packages.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = readJson(join(folder, 'package.json'));
    for (const each of Object.keys(dependencies)) addPackage(each, folder, each in optionalDependencies);
    for (const each of Object.keys(optionalDependencies)) addPackage(each, folder, true);
  };
  const addFile = (path: string): void => {
    if (files.has(path)) return;
    files.add(path);
    // Without a name: `import.meta`, and what is computed.
    for (const { n: name = '' } of parse(readFileSync(path, 'utf8'))[0]) {
      if (name.startsWith('.')) addFile(join(dirname(path), name));
      else if (isPackage(name)) addPackage(parsePackageName(name), root, false);
    }
  };
  for (const entry of ENTRIES) addFile(join(out, entry));
  return { files: [...files].sort(), packages: [...packages].sort() };
}

function isPackage(name: string): boolean {
  return (
    /^(?:@[\w.-]+\/)?[\w-][\w.-]*(?:\/|$)/.test(name) && !name.startsWith('node:') && !builtinModules.includes(name)
  );
}

const parsePackageName = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');

/** Where Node finds it, from a folder upwards. */
function findPackage(name: string, from: string): string | null {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
  }
  return null;
}

function readJson(path: string): Record<string, Record<string, string> | undefined> {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Copies files and packages into `home`, the folder of a version. */
function stage(home: string, { files, packages }: Packed): void {
  const copyIntoHome = (path: string) => cpSync(path, join(home, relative(root, path)), { recursive: true });
  for (const name of ['bin', 'release.json', 'out/main/migrations', 'out/renderer', 'resources/common-passwords.txt'])
    copyIntoHome(join(root, name));
  for (const path of files) copyIntoHome(path);
  for (const folder of packages) {
    cpSync(folder, join(home, relative(root, folder)), {
      recursive: true,
      // Packages inside of it are of the list themselves.
      filter: (path) => path === folder || isNeeded(relative(folder, path), path),
    });
  }
  if (existsSync(join(enginePackage(PLATFORM), 'xray'))) {
    cpSync(enginePackage(PLATFORM), join(home, `node_modules/gatehouse-engine-${PLATFORM}`), { recursive: true });
  }
  const { name, version, type } = readJson(join(root, 'package.json'));
  writeFileSync(join(home, 'package.json'), `${JSON.stringify({ name, version, type }, null, 2)}\n`);
  // The program alone: how npm installs it is of no use here.
  mkdirSync(join(home, 'node_modules/node/bin'), { recursive: true });
  cpSync(process.execPath, join(home, 'node_modules/node/bin/node'));
}

function isNeeded(path: string, whole: string): boolean {
  if (path.startsWith('node_modules') || LEFT_OUT.test(path) || SOURCES_OF_SQLITE.test(whole)) return false;
  // better-sqlite3 brings its program for every system.
  const isProgram = /better-sqlite3\/prebuilds\/.+/.test(whole);
  return !isProgram || whole.endsWith(`prebuilds/${process.platform}-${process.arch}.node`);
}

/** The members of the archive in one order, whatever the file system's is. */
function listed(folder: string, below: string): readonly string[] {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(below, entry.name);
      return entry.isDirectory() ? [path, ...listed(folder, path)] : [path];
    });
}

export function pack(target: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const staging = mkdtempSync(join(tmpdir(), 'gatehouse-release-'));
  try {
    const top = join(staging, 'gatehouse');
    stage(join(top, 'versions', version), collect());
    writeFileSync(join(top, 'current'), `${version}\n`);
    cpSync(join(root, 'resources/launcher.sh'), join(top, 'panel'));
    mkdirSync(target, { recursive: true });
    const file = join(target, `gatehouse-${version}-${process.platform}-${process.arch}.tar.gz`);
    const members = ['gatehouse', ...listed(staging, 'gatehouse')];
    // `portable`: no owners, no times of access; a fixed time of change; members as listed.
    create({ sync: true, file, cwd: staging, gzip: true, portable: true, noDirRecurse: true, mtime: new Date(0) }, [
      ...members,
    ]);
    return file;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** `npm pack` of the panel, and of the engine for each platform. */
function packForNpm(target: string): readonly string[] {
  const folders = [root, ...ENGINE_PLATFORMS.map(enginePackage)];
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', target];
  const output = execFileSync('npm', [...args, ...folders], { cwd: root, encoding: 'utf8' });
  return output
    .trim()
    .split('\n')
    .map((name) => join(target, name));
}

if (import.meta.main) {
  if (!build('the command line and the pages')) process.exit(1);
  const dist = join(root, 'dist');
  if (process.platform === 'linux') {
    for (const platform of ENGINE_PLATFORMS) await ensureEngine(platform, console.log);
    for (const file of packForNpm(dist)) console.log(file);
  }
  console.log(pack(dist));
}
