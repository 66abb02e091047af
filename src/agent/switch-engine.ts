// `panel node engine …`: installs another version of the engine on a node's machine, checks the present configuration with it, switches,
// and rolls back if the new engine does not stay up.
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { connectControl } from '../adapters/control-socket.ts';
import { prepareDataFolder } from '../adapters/data-folder.ts';
import { type EngineRelease, PLATFORM, readReleaseSource } from '../adapters/installation.ts';
import { refusal } from '../adapters/refusal.ts';
import { download } from '../adapters/releases/download.ts';
import { PROBLEM_SENTENCES } from '../adapters/releases/problem-sentences.ts';
import { findShippedEngine } from '../adapters/shipped-engine.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import { type EngineConfig, EngineError, type EngineJob, type MachinePrograms } from '../core/ports/engines.ts';
import type { Log } from '../core/ports/ports.ts';
import { type EngineDifference, engineDifference, isOlder } from '../domain/nodes/engine-facts.ts';
import { type EngineProgram, findProgram } from '../engines/engine-program.ts';
import {
  findPresentPath,
  installProgram,
  listInstalled,
  type ProgramsInUse,
  programName,
  programPath,
  readProgramsInUse,
  writeProgramsInUse,
} from './programs.ts';
import { type FailedStart, RESTART_MS, type SupervisedEngine } from './supervised-engine.ts';

const ARCHIVE_LIMITS = { maxBytes: 300_000_000, idleMs: 30_000, totalMs: 30 * 60_000 };
const WATCH_MS = 60_000;
const LOOK_MS = 1000;
/** If the engine does not answer at the end of the watch, it is asked for this much longer. */
const SILENCE_MS = 10_000;
/** Offered versions that the panel is sent. */
const MAX_OFFERED = 100;
const MAX_REASON = 1000;
const BUSY = 'another engine is being brought there';

/** The outcome of a switch. */
const switched = z.object({
  outcome: z.enum(['switched', 'same', 'refused', 'taken_back']),
  /** The engine's own message; empty: no error. */
  reason: z.string(),
});
export type Switched = z.output<typeof switched>;

export interface EngineWanted {
  /** Such as `26.3.27`; left out: the newest that this release names. */
  readonly version?: string | undefined;
  /** An archive on this machine instead of a download. */
  readonly file?: string | undefined;
  /** The archive's SHA-256, if this release does not name it. */
  readonly sha256?: string | undefined;
}

/** Installs an engine beside the others; does not switch to it. */
export async function installEngine(
  folder: string,
  { version, file, sha256 }: EngineWanted,
  reportStep: (what: 'download' | 'unpack', name: string) => void,
): Promise<EngineProgram> {
  prepareDataFolder(folder);
  if (file !== undefined && !existsSync(file)) throw refusal('refused', `${file} is not there.`);
  if (file !== undefined && sha256 !== undefined) {
    reportStep('unpack', file);
    return installProgram(folder, file, { archive: sha256 });
  }
  const { engines, engine } = readReleaseSource();
  const built = engine?.sha256[PLATFORM];
  // The engine package that is shipped with the panel.
  if (file?.endsWith('.tgz') && built !== undefined) {
    reportStep('unpack', file);
    return installProgram(folder, file, { program: built });
  }
  const release = findRelease(engines, version);
  if (file !== undefined) {
    reportStep('unpack', file);
    return installProgram(folder, file, { archive: release.sha256 });
  }
  const work = mkdtempSync(join(folder, 'download-'));
  try {
    const archive = join(work, 'engine.zip');
    reportStep('download', programName(release));
    await fetchTo(release.url, archive);
    reportStep('unpack', programName(release));
    const program = await installProgram(folder, archive, { archive: release.sha256 });
    if (program.version !== release.version)
      throw refusal('refused', `The archive has version ${program.version} instead of ${release.version}.`);
    return program;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function findRelease(engines: readonly EngineRelease[], version: string | undefined): EngineRelease {
  const compatible = engines.filter(({ platform }) => platform === PLATFORM);
  const wanted = version === undefined ? compatible : compatible.filter((release) => release.version === version);
  const [newest] = wanted.toSorted(
    (a, b) => Number(isOlder(a.version, b.version)) - Number(isOlder(b.version, a.version)),
  );
  if (newest !== undefined) return newest;
  const what = version === undefined ? 'no engine' : `no version ${version} of an engine`;
  const names = compatible.map((release) => programName(release)).join(', ');
  const known = names === '' ? '' : ` It names ${names}.`;
  throw refusal(
    'refused',
    `This release of Gatehouse names ${what} for ${PLATFORM}.${known} Give an archive of the engine's project, and the SHA-256 that it publishes: --file <archive> --sha256 <hash>.`,
  );
}

async function fetchTo(url: string, path: string): Promise<void> {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    const problem = await download(url, ARCHIVE_LIMITS, (chunk) => void writeSync(descriptor, chunk));
    if (problem !== null) throw refusal('refused', PROBLEM_SENTENCES[problem]);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Switches to an installed engine: a running service checks it first and rolls back if it does not stay up; otherwise it is used from the
 * next start. `name` such as `xray-26.3.27`.
 */
export async function switchEngine(folder: string, name: string | null): Promise<Switched> {
  const client = await connectControl(folder);
  if (client !== null) {
    try {
      return switched.parse(await client.callPanel('engine-switch', { name }));
    } finally {
      client.close();
    }
  }
  const before = readProgramsInUse(folder);
  if (before.current === name) return { outcome: 'same', reason: '' };
  if (name !== null) await findProgram(programPath(folder, name));
  writeProgramsInUse(folder, { current: name, former: before.current });
  return { outcome: 'switched', reason: '' };
}

/** Features that users would gain and lose by another engine program; empty if there is no present one. */
export async function readEngineDifference(folder: string, program: EngineProgram): Promise<EngineDifference> {
  const present = await findProgram(await findPresentPath(folder)).catch(() => null);
  return present === null ? { gained: [], lost: [] } : engineDifference(present, program);
}

/** Like `rollBackEngine`, for a data folder: before the first installed engine, the shipped one or the one on PATH was used. */
export async function rollBackPanelEngine(folder: string): Promise<{ readonly name: string } & Switched> {
  const { current, former } = readProgramsInUse(folder);
  if (current === null && former === null)
    throw refusal('refused', 'No other engine was in use on this machine before.');
  return { name: former ?? 'The engine that came along', ...(await switchEngine(folder, former)) };
}

/** Switches to the engine that was in use before. */
export async function rollBackEngine(folder: string): Promise<{ readonly name: string } & Switched> {
  const { former } = readProgramsInUse(folder);
  if (former === null) throw refusal('refused', 'No other engine was in use on this machine before.');
  return { name: former, ...(await switchEngine(folder, former)) };
}

/** The parts of the running service that a switch needs. */
export interface SwitchParts {
  readonly folder: string;
  readonly engine: SupervisedEngine;
  /** Checks whether the program at a path would start with a configuration. Rejects with EngineError. */
  readonly check: (path: string, config: EngineConfig) => Promise<void>;
  readonly log: Log;
  /** Whether --engine names the program: then installed ones are not used. */
  readonly hasOwnPath: boolean;
  readonly watchMs?: number | undefined;
}

const switchArgs = z.strictObject({ name: z.string().regex(/^(xray|v2ray)-\d+\.\d+\.\d+$/) });

/** Carries out a command of the command line in the running service. */
export async function nodeCommand(parts: SwitchParts, command: string, args: unknown): Promise<Switched> {
  const read = switchArgs.safeParse(args);
  if (command !== 'engine-switch' || !read.success) throw new PanelError('validation');
  return switchRunning(parts, read.data.name);
}

/** Engines that are being switched or watched. */
const switching = new WeakSet<SupervisedEngine>();

/** Switches the running service to an installed engine. */
export async function switchRunning(parts: SwitchParts, name: string): Promise<Switched> {
  const { engine } = parts;
  if (switching.has(engine)) return { outcome: 'refused', reason: BUSY };
  switching.add(engine);
  try {
    return await switchAlone(parts, name);
  } finally {
    switching.delete(engine);
  }
}

async function switchAlone(parts: SwitchParts, name: string): Promise<Switched> {
  const { folder, engine, check, log, hasOwnPath, watchMs = WATCH_MS } = parts;
  const before = readProgramsInUse(folder);
  if (hasOwnPath)
    return { outcome: 'refused', reason: 'its service was started with --engine, which names another program' };
  if (before.current === name) return { outcome: 'same', reason: '' };
  try {
    const { path } = await findProgram(programPath(folder, name));
    const served = engine.served();
    if (served !== null) await check(path, served);
  } catch (error) {
    return { outcome: 'refused', reason: describeError(error) };
  }
  const after: ProgramsInUse = { current: name, former: before.current };
  writeProgramsInUse(folder, after);
  log.info('engine switched', { from: before.current, to: name });
  try {
    await engine.restart();
    if (engine.served() === null) return { outcome: 'switched', reason: '' };
    await watch(engine, watchMs, async ({ config, error }) => {
      if (await isFormerWilling(parts, before.current, config)) throw error;
      log.warn('engine not started', { error: describeError(error) });
    });
    return { outcome: 'switched', reason: '' };
  } catch (error) {
    const reason = describeError(error);
    log.warn('engine taken back', { from: name, to: before.current, reason });
    writeProgramsInUse(folder, before);
    await engine.restart().catch((failure: unknown) => {
      // The supervisor tries again, as after any crash.
      log.warn('engine not started again', { error: String(failure) });
    });
    return { outcome: 'taken_back', reason };
  }
}

/** Whether the former engine would start with a configuration. */
async function isFormerWilling(
  { folder, check }: SwitchParts,
  name: string | null,
  config: EngineConfig,
): Promise<boolean> {
  try {
    await check(
      name === null ? (await findProgram(await findShippedEngine())).path : programPath(folder, name),
      config,
    );
    return true;
  } catch {
    return false;
  }
}

/**
 * Rejects if the engine ends within `ms`, or does not answer at the end. The panel may stop and start it meanwhile, as after a change of an
 * inbound: that does not count as an end. `checkFailedStart`: rejects if a start that the panel requested failed by the engine's fault.
 */
async function watch(
  engine: SupervisedEngine,
  ms: number,
  checkFailedStart: (failed: FailedStart) => Promise<void>,
): Promise<void> {
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  engine.onExit(ended.reject);
  const until = performance.now() + ms;
  /** Additional time: for a busy machine to answer, or for the panel to start the engine. */
  let longer = 0;
  /** The error if it did not answer the last time. */
  let silence: EngineError | null = null;
  let failedStart: FailedStart | null = null;
  while (performance.now() < until + longer) {
    const pause = new Promise<null>((resolve) => setTimeout(resolve, Math.min(LOOK_MS, ms), null));
    await Promise.race([pause, ended.promise]);
    const status = await engine.status().catch((error: unknown) => {
      if (error instanceof EngineError && error.code === 'engine_unreachable') return error;
      throw error;
    });
    silence = status instanceof EngineError ? status : null;
    longer = silence === null ? 0 : SILENCE_MS;
    if (status instanceof EngineError) continue;
    if (status.state === 'ended') throw new EngineError('engine_crashed', 'it does not run any more');
    if (status.state !== 'restarting') continue;
    longer = RESTART_MS + SILENCE_MS;
    if (status.failed === null || status.failed === failedStart) continue;
    failedStart = status.failed;
    await checkFailedStart(failedStart);
  }
  if (silence !== null) throw silence;
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export interface ProgramsParts extends Pick<SwitchParts, 'folder' | 'log'> {
  /** Whether a configured program is used instead of the installed ones. */
  hasOwnPath(): boolean;
  /** null: the shipped engine. */
  switchTo(name: string | null): Promise<Switched>;
  /** The shipped engine, to which it can return; null: none. */
  findShipped(): Promise<string | null>;
}

/** The engines of a machine; `begin` installs another one in the background. */
export interface Programs {
  read(): Promise<MachinePrograms>;
  begin(name: string | null): void;
}

export function servePrograms({ folder, log, hasOwnPath, switchTo, findShipped }: ProgramsParts): Programs {
  let job: EngineJob | null = null;

  /** Before the first installed engine, the shipped one was used. */
  async function findFormer(): Promise<string | null> {
    const { current, former } = readProgramsInUse(folder);
    return former ?? (current === null ? null : findShipped());
  }

  async function installAndSwitch(name: string | null): Promise<Switched> {
    const wanted = name ?? (await findFormer());
    if (wanted === null) return { outcome: 'refused', reason: 'no other engine was in use on this machine before' };
    if (hasOwnPath() || existsSync(programPath(folder, wanted))) return switchTo(wanted);
    if (wanted === (await findShipped())) return switchTo(null);
    const [, version] = wanted.split('-');
    const program = await installEngine(folder, { version }, (what, of) => log.info('engine', { act: what, name: of }));
    if (programName(program) !== wanted) return { outcome: 'refused', reason: `it is ${programName(program)}` };
    return switchTo(wanted);
  }

  return {
    async read() {
      const shipped = await findShipped();
      const present = await findProgram(await findPresentPath(folder)).catch(() => null);
      const offered = readReleaseSource().engines.filter(({ platform }) => platform === PLATFORM);
      const current = present && programName(present);
      const all = [...offered.map(programName), ...listInstalled(folder), ...(shipped === null ? [] : [shipped])];
      const names = [...new Set(all)].filter((name) => name !== current);
      const former = await findFormer();
      return { current, former, offered: names.slice(0, MAX_OFFERED), hasOwnPath: hasOwnPath(), job };
    },
    begin(name) {
      if (job?.state === 'running') throw new EngineError('engine_refused', BUSY);
      job = { name, state: 'running', reason: '' };
      installAndSwitch(name).then(
        ({ outcome, reason }) => {
          job = { name, state: outcome, reason: reason.slice(0, MAX_REASON) };
        },
        (error: unknown) => {
          job = { name, state: 'failed', reason: describeError(error).slice(0, MAX_REASON) };
        },
      );
    },
  };
}
