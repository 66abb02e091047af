// Engines that `panel node engine` has installed on a node's machine: each version in a folder of its own, one of them in use, and the
// former one to go back to.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere, writePrivateFile } from '../adapters/private-file.ts';
import { refusal } from '../adapters/refusal.ts';
import { sha256OfFile } from '../adapters/releases/release.ts';
import { syncFolder, unpack, unpackZip } from '../adapters/releases/unpack.ts';
import { findShippedEngine } from '../adapters/shipped-engine.ts';
import type { EngineName } from '../core/ports/engines.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import { type EngineProgram, findProgram } from '../engines/engine-program.ts';

const FOLDER = 'programs';
const POINTER = 'in-use.json';
const PROGRAMS: readonly EngineName[] = ['xray', 'v2ray'];
const SUFFIX = process.platform === 'win32' ? '.exe' : '';
const VERSION_NAME = /^(xray|v2ray)-\d+\.\d+\.\d+$/;

/** Names such as `xray-26.3.27`; null: none is installed, the program on PATH is used. */
export interface ProgramsInUse {
  readonly current: string | null;
  /** The program that was in use before. */
  readonly former: string | null;
}

export function programName({ name, version }: Pick<EngineProgram, 'name' | 'version'>): string {
  return `${name}-${version}`;
}

/** The program used if none is configured: the installed one, else the shipped one; null: on PATH. */
export const findPresentPath = async (folder: string): Promise<string | null> =>
  installedPath(folder) ?? (await findShippedEngine());

/** Names of all installed engines. */
export function listInstalled(folder: string): readonly string[] {
  const place = join(folder, FOLDER);
  return existsSync(place) ? readdirSync(place).filter((name) => VERSION_NAME.test(name)) : [];
}

/** The path of an installed program. */
export function programPath(folder: string, name: string): string {
  const [engine = ''] = name.split('-');
  return join(folder, FOLDER, name, `${engine}${SUFFIX}`);
}

export function readProgramsInUse(folder: string): ProgramsInUse {
  const text = readIfThere(join(folder, FOLDER, POINTER));
  if (text === null) return { current: null, former: null };
  try {
    const { current, former } = parseOwnJson<Partial<Record<string, unknown>>>(text);
    return { current: nameOrNull(current), former: nameOrNull(former) };
  } catch {
    return { current: null, former: null };
  }
}

export function writeProgramsInUse(folder: string, { current, former }: ProgramsInUse): void {
  mkdirSync(join(folder, FOLDER), { recursive: true, mode: 0o700 });
  writePrivateFile(join(folder, FOLDER, POINTER), JSON.stringify({ current, former }));
}

function nameOrNull(value: unknown): string | null {
  return typeof value === 'string' && VERSION_NAME.test(value) ? value : null;
}

/** The installed program in use; null: none, so the one on PATH is used, if any. */
export function installedPath(folder: string): string | null {
  const { current } = readProgramsInUse(folder);
  return current === null ? null : programPath(folder, current);
}

/** How an archive is verified: by its own SHA-256, or by that of the program in it. */
export type ProgramHash = { readonly archive: string } | { readonly program: string };

/**
 * Installs the engine of an archive beside others: a ZIP, as Xray and v2ray publish, or an engine package for npm. It is run only to read
 * its version, and not used yet. Throws a refusal that says what is wrong, and leaves nothing behind then.
 */
export async function installProgram(folder: string, archive: string, hash: ProgramHash): Promise<EngineProgram> {
  if ('archive' in hash) await requireHash(archive, hash.archive);
  const staging = join(folder, FOLDER, `.unpacking-${process.pid}`);
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true, mode: 0o700 });
  try {
    const programs = new Set(PROGRAMS.map((name) => `${name}${SUFFIX}`));
    const isPackage = archive.endsWith('.tgz');
    await (isPackage ? unpack(archive, 'package/', staging) : unpackZip(archive, staging, programs)).catch(
      (error: Error) => {
        throw refusal('refused', `${archive} cannot be unpacked: ${error.message}.`);
      },
    );
    const engine = PROGRAMS.find((name) => readdirSync(staging).includes(`${name}${SUFFIX}`));
    if (engine === undefined) throw refusal('refused', `There is neither xray nor v2ray in ${archive}.`);
    if ('program' in hash) await requireHash(join(staging, `${engine}${SUFFIX}`), hash.program, archive);
    const program = await findProgram(join(staging, `${engine}${SUFFIX}`)).catch(() => null);
    if (program === null || program.name !== engine)
      throw refusal('refused', `The ${engine} in ${archive} does not run on this machine.`);
    const place = join(folder, FOLDER, programName(program));
    rmSync(place, { recursive: true, force: true });
    renameSync(staging, place);
    syncFolder(join(folder, FOLDER));
    return { ...program, path: programPath(folder, programName(program)) };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

async function requireHash(path: string, expected: string, named = path): Promise<void> {
  const found = await sha256OfFile(path);
  if (found === expected.toLowerCase()) return;
  const what = named === path ? named : `the engine in ${named}`;
  throw refusal('refused', `The SHA-256 of ${what} is ${found}, and should be ${expected.toLowerCase()}.`);
}
