// The engine shipped with the panel: a package for this platform, whose program has the SHA-256 that release.json names.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE, readReleaseSource, type ShippedRelease } from './installation.ts';
import { sha256OfFile } from './releases/release.ts';

/** In an archive or an npm installation, beside the panel if npm installs both, and in a checkout that has built it. */
const FOLDERS = ['node_modules/gatehouse-engine', '../gatehouse-engine', 'packages/engine'];
const PLATFORM = `${process.platform}-${process.arch}`;

let shipped: Promise<string | null> | null = null;

/** Path of the shipped engine's program; null: none for this platform. Cached, as it never changes while a version runs. */
export function findShippedEngine(): Promise<string | null> {
  shipped ??= examineShippedEngine(PACKAGE, () => readReleaseSource().engine);
  return shipped;
}

/** null also if the program is not the pinned one, which is then never started. */
export async function examineShippedEngine(
  folder: string,
  readPinned: () => ShippedRelease | null,
): Promise<string | null> {
  const path = FOLDERS.map((each) => join(folder, `${each}-${PLATFORM}`, 'xray')).find((each) => existsSync(each));
  if (path === undefined) return null;
  const expected = readPinned()?.sha256[PLATFORM];
  return expected !== undefined && (await sha256OfFile(path)) === expected ? path : null;
}
