// The engine that comes with the panel: a package for this platform beside it, whose program has the SHA-256 that release.json names.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE, readReleaseSource, type ShippedRelease } from './installation.ts';
import { sha256OfFile } from './releases/release.ts';

/** Within an archive or an npm installation, beside the panel where npm installs both, and in a checkout that has built it. */
const FOLDERS = ['node_modules/gatehouse-engine', '../gatehouse-engine', 'packages/engine'];
const PLATFORM = `${process.platform}-${process.arch}`;

let shipped: Promise<string | null> | null = null;

/** The path of its program; null: none came along for this platform. Examined once, for it never changes while a version runs. */
export function findShippedEngine(): Promise<string | null> {
  shipped ??= examineShippedEngine(PACKAGE, () => readReleaseSource().engine);
  return shipped;
}

/** null also where the program is not the pinned one, which is never started then. */
export async function examineShippedEngine(
  folder: string,
  readPinned: () => ShippedRelease | null,
): Promise<string | null> {
  const path = FOLDERS.map((each) => join(folder, `${each}-${PLATFORM}`, 'xray')).find((each) => existsSync(each));
  if (path === undefined) return null;
  const expected = readPinned()?.sha256[PLATFORM];
  return expected !== undefined && (await sha256OfFile(path)) === expected ? path : null;
}
