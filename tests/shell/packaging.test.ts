// What is packed, and how it is closed: electron-builder.yml, the files it names, and the release that is made with it.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { LINK_SCHEME } from '../../src/main/deep-link.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const builder = parse(read('electron-builder.yml'));
const { dependencies, devDependencies, desktopName } = JSON.parse(read('package.json'));
/** Packages that the build bundles, as it does with all that are no dependencies. */
const BUNDLED: ReadonlySet<string> = new Set(['@noble/post-quantum']);

it('is configured as electron-builder’s own schema says', () => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  const isValid = ajv.compile(JSON.parse(read('node_modules/app-builder-lib/scheme.json')));
  isValid(builder);
  expect(isValid.errors).toBeNull();
});

it('has every fuse set, so that nothing can be run with it but itself', () => {
  expect(builder.electronFuses).toEqual({
    runAsNode: false,
    enableCookieEncryption: false,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    grantFileProtocolExtraPrivileges: false,
    loadBrowserProcessSpecificV8Snapshot: false,
    resetAdHocDarwinSignature: true,
  });
  expect(builder.asar).toBe(true);
});

describe('the archive', () => {
  it('leaves addons outside, where they can be loaded', () => {
    expect(builder.asarUnpack).toEqual(
      expect.arrayContaining(['node_modules/better-sqlite3/**', 'node_modules/keytar/**']),
    );
    expect(existsSync(join(root, 'node_modules/better-sqlite3/prebuilds'))).toBe(true);
    expect(builder.npmRebuild).toBe(false);
  });

  it('gets every package that is loaded at run time, as the dependencies of the project', () => {
    const sources = globSync('src/**/*.ts', { cwd: root }).filter(
      (path) => !path.startsWith('src/renderer/') && !/\.test\.ts$/.test(path),
    );
    const imported = new Set(
      sources.flatMap((path) =>
        [...read(path).matchAll(/(?:^(?:import|export|\}) ?.*from |import\()'([^'.][^']*)'/gm)].map(
          ([, name = '']) => name,
        ),
      ),
    );
    const packages = [...imported]
      .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name) && name !== 'electron')
      .map((name) =>
        name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/'),
      );
    expect(packages.length).toBeGreaterThan(5);
    for (const name of packages) {
      expect(BUNDLED.has(name) ? devDependencies : dependencies, name).toHaveProperty([name]);
    }
  });

  it('is chosen by one list, since a list of a platform that only leaves out packs the whole folder', () => {
    for (const system of ['linux', 'mac', 'win']) expect(builder[system], system).not.toHaveProperty('files');
  });
});

describe('each system', () => {
  it('gets its usual packages', () => {
    expect(builder.linux.target).toEqual(['AppImage', 'deb', 'rpm']);
    expect(builder.win.target).toEqual(['nsis']);
    expect(builder.mac.target).toEqual([
      { target: 'dmg', arch: 'universal' },
      { target: 'zip', arch: 'universal' },
    ]);
  });

  it('on Linux has windows that belong to its entry in the menu, by class and by application id', () => {
    expect(desktopName).toBe(`${builder.linux.executableName}.desktop`);
    expect(builder.linux.desktop.entry.StartupWMClass).toBe(builder.productName);
  });

  it('opens the links that the application follows', () => {
    expect(builder.protocols).toEqual([{ name: 'Gatehouse', schemes: [LINK_SCHEME] }]);
  });

  it('has icons of every size that is asked for', () => {
    const size = (path: string) => readFileSync(join(root, path)).readUInt32BE(16);
    expect(size('resources/icon.png')).toBe(1024);
    for (const width of [16, 32, 48, 64, 128, 256, 512]) {
      expect(size(`resources/icons/${width}x${width}.png`)).toBe(width);
    }
  });

  it('on macOS is hardened, and may do nothing more than compile scripts', () => {
    const { hardenedRuntime, entitlements, entitlementsInherit } = builder.mac;
    expect(hardenedRuntime).toBe(true);
    expect(entitlementsInherit).toBe(entitlements);
    expect([...read(entitlements).matchAll(/<key>(.+)<\/key>/g)].map(([, key]) => key)).toEqual([
      'com.apple.security.cs.allow-jit',
    ]);
  });

  it('on Windows has the command in a terminal, which waits for it and passes its exit code on', () => {
    const [{ from, to }] = builder.win.extraFiles;
    expect(to).toBe('panel.cmd');
    expect(read(from)).toMatch(/start "" \/wait \/b "%~dp0Gatehouse\.exe" panel %\*\r\nexit \/b %ERRORLEVEL%\r\n$/);
    expect(builder.win.requestedExecutionLevel).toBe('asInvoker');
    expect(builder.nsis.deleteAppDataOnUninstall).toBe(false);
  });
});

describe('a release', () => {
  const release = parse(read('.github/workflows/release.yml'));
  const steps = (job: string): { uses?: string; run?: string }[] => release.jobs[job].steps;

  it('is tested on three systems before anything is packed, and packed for all three', () => {
    const systems = ['macos-15', 'ubuntu-24.04', 'windows-2025'];
    expect([...release.jobs.test.strategy.matrix.os].sort()).toEqual(systems);
    expect(release.jobs.package.needs).toBe('test');
    const packed = release.jobs.package.strategy.matrix.include as { os: string; args: string }[];
    expect(packed.map(({ os }) => os).sort()).toEqual(systems);
    expect(steps('test').some(({ run }) => run?.includes('test:desktop'))).toBe(true);
  });

  it('looks at the fuses of what was packed', () => {
    expect(steps('package').map(({ run }) => run)).toContain('node scripts/packed-fuses.ts');
  });

  it('is built twice on Linux, to the same files', () => {
    expect(steps('package').map(({ run }) => run)).toContainEqual(
      expect.stringMatching(/packed-list\.ts > first[\s\S]*npm run build[\s\S]*packed-list\.ts \| diff first/),
    );
  });

  it('may write nothing but the draft of the release', () => {
    expect(release.permissions).toEqual({ contents: 'read' });
    // Attestations of where the files come from need the identity of the job.
    const permissions = { contents: 'write', attestations: 'write', 'id-token': 'write' };
    expect(release.jobs.draft.permissions).toEqual(permissions);
    expect(steps('draft').some(({ run }) => run?.includes('--draft'))).toBe(true);
  });

  it('has the binaries of both processors in the universal application, at the version that is locked', () => {
    const lock = JSON.parse(read('package-lock.json')).packages;
    const { version } = lock['node_modules/keytar'];
    const added = steps('package')
      .map(({ run = '' }) => run)
      .filter((run) => run.includes('@napi-rs/keyring-'));
    expect(added).toHaveLength(2);
    for (const run of added) {
      for (const [, asked] of run.matchAll(/keyring-[\w-]+@(\S+)/g)) expect(asked).toBe(version);
    }
  });
});

it('runs no script of a package at the installation but those that are listed, and none that reports', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { hasInstallScript?: true }>;
  };
  const running = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript);
  expect(running.map((path) => path.replace(/^.*node_modules\//, '')).toSorted()).toEqual([
    'electron-winstaller',
    'meta-json-schema',
    'node',
    'protobufjs',
    // Builds a faster cipher where a compiler is, and succeeds without.
    'ssh2',
  ]);
});
