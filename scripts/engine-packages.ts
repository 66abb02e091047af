// `npm run engines`: builds the Xray that comes with the panel into packages/engine-*, of the pinned source, and compares each program with the
// SHA-256 in release.json. Needs Go; the same sources and the same Go give the same bytes.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readReleaseSource } from '../src/adapters/installation.ts';
import { sha256OfFile } from '../src/adapters/releases/release.ts';
import { installProgram } from '../tests/support/package-clients.ts';
import { PINS } from '../tests/support/pinned-programs.ts';
import { atStop, root } from './run.ts';

/** Of Go's names, by Node's. */
const ARCHITECTURES = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' } as const;
export type EnginePlatform = keyof typeof ARCHITECTURES;
export const ENGINE_PLATFORMS = Object.keys(ARCHITECTURES) as EnginePlatform[];
/** The Go whose output release.json names; any newer Go downloads it where it is another one. */
const TOOLCHAIN = 'go1.26.8';

export const enginePackage = (platform: string) => join(root, 'packages', `engine-${platform}`);

/** Builds the program of a platform unless it is there; throws where it cannot be built or is another than the pinned one. */
export async function ensureEngine(platform: EnginePlatform, log: (line: string) => void): Promise<void> {
  const { engine } = readReleaseSource();
  if (engine === null) throw new Error('release.json names no engine');
  const path = join(enginePackage(platform), engine.name);
  const expected = engine.sha256[platform];
  if (existsSync(path) && (await sha256OfFile(path)) === expected) return;
  log(`Building ${engine.name} ${engine.version} for ${platform} (takes minutes) …`);
  const scratch = mkdtempSync(join(tmpdir(), 'gatehouse-engine-'));
  const removeScratch = () => rmSync(scratch, { recursive: true, force: true });
  const forget = atStop(removeScratch);
  try {
    Object.assign(process.env, { GOOS: 'linux', GOARCH: ARCHITECTURES[platform], GOTOOLCHAIN: TOOLCHAIN, GOFLAGS: '' });
    const target = join(scratch, 'program');
    mkdirSync(target);
    const built = await installProgram(engine.name, PINS['xray-new'], target, scratch, log);
    if ('missing' in built) throw new Error(`${engine.name} for ${platform} needs ${built.missing}`);
    const found = await sha256OfFile(built.path);
    if (found !== expected)
      throw new Error(`the SHA-256 of ${engine.name} for ${platform} is ${found}, not ${expected}`);
    cpSync(built.path, path);
  } finally {
    removeScratch();
    forget();
  }
}

if (import.meta.main) for (const platform of ENGINE_PLATFORMS) await ensureEngine(platform, console.log);
