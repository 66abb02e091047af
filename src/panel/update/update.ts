// `panel update`: installs another version beside the present one, tries it, and makes the launcher switch. Until the last step nothing
// that runs is changed, so a kill before it leaves the present version, and one after it a version on trial.
import { execFile } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { connectControl } from '../../adapters/control-socket.ts';
import { FILES, hasPanel } from '../../adapters/data-folder.ts';
import {
  type Installation,
  PLATFORM,
  readFormer,
  readPointer,
  readReleaseSource,
  startTrial,
  versionFolder,
  writePointer,
  writeReturned,
} from '../../adapters/installation.ts';
import { acquireLock } from '../../adapters/instance-lock.ts';
import { readIfThere } from '../../adapters/private-file.ts';
import { describeSystemError, isRefusal, refusal } from '../../adapters/refusal.ts';
import { type DownloadLimits, download } from '../../adapters/releases/download.ts';
import { PROBLEM_SENTENCES } from '../../adapters/releases/problem-sentences.ts';
import { archiveName, readKeys, sha256OfFile, verifyArchive } from '../../adapters/releases/release.ts';
import { syncFolder, unpack } from '../../adapters/releases/unpack.ts';
import type { ReleaseManifest, UpdateProblem } from '../../contract/updates.ts';
import { parseOwnJson } from '../../domain/own-json.ts';
import { isNewer, isVersion } from '../../domain/version.ts';
import { openConnection, syncFile } from '../../store/database.ts';
import type { CommandResult } from '../local-commands.ts';
import { runCommand } from '../run-command.ts';

export const UPDATE_STEPS = ['download', 'verify', 'unpack', 'try', 'backup', 'switch', 'wait'] as const;
export type UpdateStep = (typeof UPDATE_STEPS)[number];

export interface UpdateParts {
  readonly installation: Installation;
  readonly data: string | undefined;
  /** Absolute path of the data folder. */
  readonly folder: string;
  readonly keyFile: string | null;
  /** How many seconds the new version may take to start. */
  readonly seconds: number;
  reportStep(step: UpdateStep, version: string): void;
}

export interface Updated {
  readonly from: string;
  readonly to: string;
  /** `waiting`: no panel runs; the next start uses the new version. */
  readonly result: 'updated' | 'rolled_back' | 'waiting';
  /** The path of the backup that was made first; null: there was no data. */
  readonly backup: string | null;
}

const SIGNATURE_LIMITS: DownloadLimits = { maxBytes: 2000, idleMs: 15_000, totalMs: 60_000 };
const IDLE_MS = 30_000;
const DOWNLOAD_MS = 30 * 60_000;
const POLL_MS = 200;
/** Limit of each command that a new version runs before the switch. */
const TRY_MS = 10 * 60_000;
/** The panel finishes its replies before it restarts. */
const STOP_SECONDS = 60;
const run = promisify(execFile);

const refuse = (problem: UpdateProblem) => refusal('refused', `${PROBLEM_SENTENCES[problem]} Nothing was changed.`);

/** Locks the installation, so that only one update runs, and removes leftovers of an interrupted one. */
export async function inInstallation<T>({ root, version }: Installation, work: () => Promise<T>): Promise<T> {
  const pointer = readPointer(root);
  if (pointer === null) throw refusal('refused', `${join(root, 'current')} cannot be read.`);
  if (pointer.trial !== null) {
    throw refusal('refused', `Version ${pointer.version} is on trial since the last update. Start the panel first.`);
  }
  const lock = lockRoot(root);
  try {
    if (pointer.version !== version) {
      throw refusal(
        'refused',
        `This is version ${version}, but ${pointer.version} is installed. Call it by ${root}/panel.`,
      );
    }
    tidy(root, version);
    return await work();
  } catch (error) {
    tidy(root, version);
    if (isRefusal(error) || !(error instanceof Error && 'syscall' in error)) throw error;
    throw refusal('refused', `The update failed: ${describeSystemError(error)}. Version ${version} stays.`);
  } finally {
    lock.release();
  }
}

function lockRoot(root: string) {
  const lock = (() => {
    try {
      return acquireLock(root, 'update');
    } catch (error) {
      throw refusal(
        'refused',
        `${root} cannot be written: ${describeSystemError(error)}. Run this as the owner of that folder.`,
      );
    }
  })();
  if (!lock) throw refusal('in_use', `Another \`panel update\` works in ${root}.`);
  return lock;
}

function tidy(root: string, version: string): void {
  rmSync(workFolder(root), { recursive: true, force: true });
  const present = [version, readFormer(root), readPointer(root)?.version];
  for (const name of readdirSync(join(root, 'versions'))) {
    if (!present.includes(name)) rmSync(join(root, 'versions', name), { recursive: true, force: true });
  }
}

const workFolder = (root: string) => join(root, 'work');

/** Downloads and installs a release whose description has been verified. */
export async function updateTo(parts: UpdateParts, release: ReleaseManifest): Promise<Updated> {
  const { root, version } = parts.installation;
  requireNewer(release.version, version);
  const file = release.files.find(({ platform }) => platform === PLATFORM);
  if (file === undefined) throw refusal('refused', `Version ${release.version} has no archive for ${PLATFORM}.`);
  const { feed } = readReleaseSource();
  const archive = join(makeWorkFolder(root), 'archive.tar.gz');
  parts.reportStep('download', release.version);
  const url = `${feed}/${encodeURIComponent(file.name)}`;
  await fetchTo(`${url}.minisig`, `${archive}.minisig`, SIGNATURE_LIMITS);
  await fetchTo(url, archive, { maxBytes: file.size, idleMs: IDLE_MS, totalMs: DOWNLOAD_MS });
  if (statSync(archive).size !== file.size) throw refuse('incomplete');
  if ((await sha256OfFile(archive)) !== file.sha256) throw refuse('unsigned');
  return install(parts, archive, release.version);
}

/** Installs an archive from this machine, whose signature is beside it. */
export function updateFrom(parts: UpdateParts, archive: string): Promise<Updated> {
  if (!existsSync(archive)) throw refusal('refused', `${archive} is not there.`);
  return install(parts, archive, null);
}

async function fetchTo(url: string, path: string, limits: DownloadLimits): Promise<void> {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    const problem = await download(url, limits, (chunk) => void writeSync(descriptor, chunk));
    if (problem !== null) throw refuse(problem);
  } finally {
    closeSync(descriptor);
  }
}

function requireNewer(version: string, present: string): void {
  if (isNewer(version, present)) return;
  throw refusal('refused', `Version ${version} is not newer than ${present}, which runs. Nothing was changed.`);
}

/** `expected`: the announced version; null: any newer one. */
async function install(parts: UpdateParts, archive: string, expected: string | null): Promise<Updated> {
  const { folder, data, keyFile, reportStep } = parts;
  const { root, version: present } = parts.installation;
  await requireOwnPanel(parts);
  reportStep('verify', expected ?? archive);
  const version = await verify(archive, expected, present);
  reportStep('unpack', version);
  await unpackVersion(root, archive, version);
  reportStep('try', version);
  await tryVersion(root, folder, version);
  reportStep('backup', version);
  const backup = hasPanel(folder) ? (await runCommand(data, 'backup', { passphrase: null }, { keyFile })).path : null;
  reportStep('switch', version);
  startTrial(root, version, present, parts.seconds);
  rmSync(workFolder(root), { recursive: true, force: true });
  return { from: present, to: version, backup, result: await restart(parts, version, present) };
}

/** The panel that runs on the data folder must have been started by this installation. */
async function requireOwnPanel({ folder, installation: { root } }: UpdateParts): Promise<void> {
  const running = await callRunningPanel(folder, 'update-state');
  if (running === null || (running.root === root && running.launched)) return;
  throw refusal(
    'refused',
    `The panel that runs on ${folder} was not started by ${root}/panel, which would start the new version and watch it. Stop it, start it by \`${root}/panel serve\`, and update again.`,
  );
}

async function callRunningPanel<Name extends 'update-state' | 'update-restart'>(
  folder: string,
  command: Name,
): Promise<CommandResult<Name> | null> {
  const control = await connectControl(folder);
  return control === null
    ? null
    : (control.callPanel(command, {}).finally(control.close) as Promise<CommandResult<Name>>);
}

async function verify(archive: string, expected: string | null, present: string): Promise<string> {
  const keys = readKeys(readReleaseSource().keys);
  if (keys.length === 0) throw refuse('no_source');
  const signature = readIfThere(`${archive}.minisig`);
  if (signature === null) throw refusal('refused', `The signature ${archive}.minisig is missing. Nothing was changed.`);
  const signed = await verifyArchive(archive, signature, keys);
  if ('problem' in signed) throw refuse(signed.problem);
  const { file, version } = signed;
  if (!isVersion(version) || (expected !== null && version !== expected)) throw refuse('wrong_file');
  if (file !== archiveName(version, PLATFORM)) {
    throw refusal('refused', `This is ${file}, which is not for ${PLATFORM}. Nothing was changed.`);
  }
  requireNewer(version, present);
  return version;
}

async function unpackVersion(root: string, archive: string, version: string): Promise<void> {
  const target = versionFolder(root, version);
  const fresh = join(makeWorkFolder(root), version);
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh);
  try {
    await unpack(archive, `gatehouse/versions/${version}/`, fresh);
  } catch (error) {
    throw refusal(
      'refused',
      `The archive cannot be unpacked: ${describeSystemError(error)}. Version ${version} is not installed.`,
    );
  }
  const { version: inside } = parseOwnJson<{ readonly version?: unknown }>(
    readFileSync(join(fresh, 'package.json'), 'utf8'),
  );
  if (inside !== version) throw refuse('wrong_file');
  for (const entry of readdirSync(fresh, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) syncFile(join(entry.parentPath, entry.name));
  }
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
  syncFolder(join(root, 'versions'));
}

function makeWorkFolder(root: string): string {
  mkdirSync(workFolder(root), { recursive: true, mode: 0o700 });
  return workFolder(root);
}

/** Asks a version for its number, and to migrate and open a copy of the present data. */
async function tryVersion(root: string, folder: string, version: string): Promise<void> {
  const home = versionFolder(root, version);
  const own = join(home, 'node_modules/node/bin/node');
  const call = async (args: readonly string[]) => {
    const command = existsSync(own) ? own : process.execPath;
    return (await run(command, [join(home, 'bin/panel.mjs'), ...args], { timeout: TRY_MS })).stdout.trim();
  };
  try {
    const output = await call(['--version']);
    if (output !== version) throw new Error(`it says that it is ${output}`);
    if (!hasPanel(folder)) return;
    await call(['try-database', copyOfData(root, folder)]);
  } catch (error) {
    if (isRefusal(error)) throw error;
    throw refusal('refused', `Version ${version} cannot run here: ${describeError(error)}. Nothing was changed.`);
  }
}

/** A snapshot, while the panel runs on. */
function copyOfData(root: string, folder: string): string {
  const trial = join(makeWorkFolder(root), 'trial');
  rmSync(trial, { recursive: true, force: true });
  mkdirSync(trial);
  const copy = join(trial, FILES.database);
  const live = openConnection(join(folder, FILES.database), { readonly: true });
  try {
    live.prepare('VACUUM INTO ?').run(copy);
  } finally {
    live.close();
  }
  return copy;
}

/** The end of a failed program's output. */
function describeError(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  return stderr === '' ? describeSystemError(error) : (stderr.split('\n').at(-1) ?? stderr);
}

/** Makes the launcher start the version that `current` names now, and waits for the outcome. */
async function restart(parts: UpdateParts, to: string, from: string): Promise<Updated['result']> {
  const { folder, seconds, reportStep } = parts;
  const { root } = parts.installation;
  if ((await callRunningPanel(folder, 'update-restart')) === null) return 'waiting';
  reportStep('wait', to);
  for (let waited = 0; waited < (seconds + STOP_SECONDS) * 1000; waited += POLL_MS) {
    const pointer = readPointer(root);
    if (pointer?.version === from && pointer.trial === null && (await runs(folder, from))) return 'rolled_back';
    if (pointer?.version === to && pointer.trial === null && (await runs(folder, to))) return 'updated';
    await wait(POLL_MS);
  }
  throw refusal('refused', `Version ${to} neither came up nor was replaced. See the output of \`panel serve\`.`);
}

async function runs(folder: string, version: string): Promise<boolean> {
  const running = await callRunningPanel(folder, 'update-state').catch(() => null);
  return running?.version === version;
}

/** Goes back to the version before the last update; `restoresData`: even if it cannot read the present database. */
export async function returnToFormer(parts: UpdateParts, restoresData: boolean): Promise<Updated> {
  const { folder, data, keyFile, reportStep } = parts;
  const { root, version: present } = parts.installation;
  const former = readFormer(root);
  if (former === null || former === present) throw refusal('refused', 'There is no former version here.');
  await requireOwnPanel(parts);
  if (!restoresData) {
    reportStep('try', former);
    await tryVersion(root, folder, former).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      throw refusal(
        'refused',
        `Version ${former} cannot read the present data. With --restore-data it gets those of before the update; the present ones are moved to the backups.`,
      );
    });
  }
  reportStep('backup', present);
  const backup = hasPanel(folder) ? (await runCommand(data, 'backup', { passphrase: null }, { keyFile })).path : null;
  reportStep('switch', former);
  writeReturned(root, { version: former, failed: present, reason: 'asked' });
  rmSync(join(root, 'former'), { force: true });
  writePointer(root, { version: former, trial: null });
  rmSync(workFolder(root), { recursive: true, force: true });
  return { from: present, to: former, backup, result: await restart(parts, former, present) };
}
