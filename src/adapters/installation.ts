// Where this version is installed, and whether it can be replaced: an unpacked release has its versions side by side, and the file
// `current` names the one that runs.
//
//   panel               the launcher (resources/launcher.sh)
//   current             "<version>", or, while a version is on trial, "<version> <former> <seconds>"
//   former              the version before
//   starts              how often the version on trial was started
//   returned            "<version> <failed> <reason>": the launcher went back; the panel reports it and removes the file
//   versions/<version>/ bin, out, node_modules, package.json, release.json

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ROLLBACK_REASONS } from '../contract/updates.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import { isVersion } from '../domain/version.ts';
import { readIfThere, writePrivateFile } from './private-file.ts';

/** Two folders up both from the sources and from the bundle. */
export const PACKAGE = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** The name of this system in releases. */
export const PLATFORM = `${process.platform}-${process.arch}`;

/** Environment variable that the launcher sets for the panel it starts. */
export const LAUNCHED = 'GATEHOUSE_LAUNCHED';
/** The exit code by which a panel asks its launcher for another start. */
export const RESTART_CODE = 75;

export interface Installation {
  readonly root: string;
  /** The running version. */
  readonly version: string;
}

export interface Pointer {
  readonly version: string;
  /** While the version is on trial: the version to return to, and how many seconds it may take to start. */
  readonly trial: { readonly former: string; readonly seconds: number } | null;
}

export interface Returned {
  /** The version that runs again after the return. */
  readonly version: string;
  readonly failed: string;
  readonly reason: (typeof ROLLBACK_REASONS)[number];
}

/** An archive of an engine that a release names, as its project publishes it. */
const engineRelease = z.object({
  name: z.enum(['xray', 'v2ray']),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  /** Such as `linux-x64`. */
  platform: z.string(),
  url: z.url(),
  /** Lower-case hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type EngineRelease = z.output<typeof engineRelease>;

const shippedRelease = z.object({
  name: z.literal('xray'),
  version: z.string(),
  /** By platform, such as `linux-x64`. */
  sha256: z.record(z.string(), z.string()),
});
export type ShippedRelease = z.output<typeof shippedRelease>;

const source = z.object({
  channel: z.string(),
  feed: z.url().nullable(),
  keys: z.array(z.string()),
  engines: z.array(engineRelease).default([]),
  /** The engine shipped with the panel. */
  engine: shippedRelease.nullable().default(null),
  /** The version did not exist before this day, so a clock that is earlier is wrong. */
  builtAfter: z.iso.date().nullable().default(null),
});
export type ReleaseSource = z.output<typeof source>;

/** release.json: where releases come from, whose signature they need, which engine is shipped and which ones can be installed. */
export function readReleaseSource(): ReleaseSource {
  return source.parse(parseOwnJson(readFileSync(join(PACKAGE, 'release.json'), 'utf8')));
}

/** From package.json. */
export function panelVersion(): string {
  const { version } = parseOwnJson<{ readonly version?: unknown }>(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
  return String(version);
}

/** null: this panel was not unpacked from a release. */
export function findInstallation(folder = PACKAGE): Installation | null {
  const versions = dirname(folder);
  const root = dirname(versions);
  if (basename(versions) !== 'versions' || !existsSync(join(root, 'current'))) return null;
  return { root, version: basename(folder) };
}

export function versionFolder(root: string, version: string): string {
  return join(root, 'versions', version);
}

/** null: the file is missing or has another form. */
export function readPointer(root: string): Pointer | null {
  const [version = '', former, seconds] = (readIfThere(join(root, 'current')) ?? '').trim().split(' ');
  if (!isVersion(version)) return null;
  if (former === undefined || !isVersion(former)) return { version, trial: null };
  return { version, trial: { former, seconds: Number(seconds) } };
}

/** Atomic: a reader sees the old line or the new one. */
export function writePointer(root: string, { version, trial }: Pointer): void {
  const line = trial === null ? version : `${version} ${trial.former} ${trial.seconds}`;
  writePrivateFile(join(root, 'current'), `${line}\n`);
}

export function readFormer(root: string): string | null {
  const version = (readIfThere(join(root, 'former')) ?? '').trim();
  return isVersion(version) && existsSync(versionFolder(root, version)) ? version : null;
}

/** Puts a version on trial; the launcher returns to the present one if the new one does not start. */
export function startTrial(root: string, version: string, former: string, seconds: number): void {
  rmSync(join(root, 'starts'), { force: true });
  rmSync(join(root, 'returned'), { force: true });
  writePrivateFile(join(root, 'former'), `${former}\n`);
  writePointer(root, { version, trial: { former, seconds } });
}

export function readReturned(root: string): Returned | null {
  const [version = '', failed = '', reason = ''] = (readIfThere(join(root, 'returned')) ?? '').trim().split(' ');
  const known = ROLLBACK_REASONS.find((each) => each === reason);
  return isVersion(version) && isVersion(failed) && known !== undefined ? { version, failed, reason: known } : null;
}

export function writeReturned(root: string, { version, failed, reason }: Returned): void {
  writePrivateFile(join(root, 'returned'), `${version} ${failed} ${reason}\n`);
}

export function removeReturned(root: string): void {
  rmSync(join(root, 'returned'), { force: true });
}
