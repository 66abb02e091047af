// A node's machine: joins the panel, runs beside the engine and serves it to the panel, and leaves. The composition root of this package.
//
// Its folder has node.json (0600): the machine's key, its certificate and the pin of the panel's key; ledger.db: what the engine has
// counted and the panel has not acknowledged; the engine's configuration and users with their terms, sealed by lease.key; settings and
// certificate of links (links.ts); the engine's state and log; and in programs/ the engines that `panel node engine` has installed.

import { X509Certificate } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { isPair, isSelfSigned } from '../adapters/certificates/authority.ts';
import { createClockReader, systemClock, systemTimers } from '../adapters/clock.ts';
import { openControlSocket } from '../adapters/control-socket.ts';
import { nodeCrypto } from '../adapters/crypto.ts';
import { findDataFolder, prepareDataFolder } from '../adapters/data-folder.ts';
import { panelVersion } from '../adapters/installation.ts';
import { acquireLock, lockOwner } from '../adapters/instance-lock.ts';
import { openLog } from '../adapters/log.ts';
import { readIfThere, writePrivateFile } from '../adapters/private-file.ts';
import { describeSystemError, isRefusal, refusal } from '../adapters/refusal.ts';
import { findShippedEngine } from '../adapters/shipped-engine.ts';
import { toRefusal } from '../adapters/start-obstacle.ts';
import { openTextSeal, UnsealableError } from '../adapters/text-seal.ts';
import { JOIN_MINUTES } from '../contract/nodes/nodes.ts';
import { type Engine, type EngineConfig, EngineError } from '../core/ports/engines.ts';
import type { Log } from '../core/ports/ports.ts';
import type { Finding } from '../domain/finding.ts';
import { formatFingerprint, readJoinToken } from '../domain/nodes/join-token.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import { connectEngine } from '../engines/connector.ts';
import { findProgram } from '../engines/engine-program.ts';
import { createLocalEngine } from '../engines/local-engine.ts';
import { computePin } from '../engines/remote/node-request.ts';
import { type EnforcedEngine, enforceLease } from './enforcer.ts';
import { createLeaseClock } from './lease-clock.ts';
import { meterEngine } from './ledger-engine.ts';
import { dropLinks, examineLinks, machineCertificate, serveLinks } from './links.ts';
import { createObeyedPanel } from './obeyed-panel.ts';
import type { NodeLedger } from './ports/ledger.ts';
import { findPresentPath, installedPath } from './programs.ts';
import { awaitJoin, type NodeIdentity, type NodeListener, serveNode } from './server.ts';
import { SERVICE_FOLDER } from './service.ts';
import { openNodeLedger } from './store/ledger.ts';
import { superviseEngine } from './supervised-engine.ts';
import { nodeCommand, servePrograms, switchRunning } from './switch-engine.ts';

/** Id of the engine in its folder: a machine has one engine. */
const ENGINE_ID = 1;
/** The database of counters that the panel has not acknowledged. */
const LEDGER = 'ledger.db';
/** The key that seals the lease: users and the engine's configuration. */
const LEASE_KEY = 'lease.key';
const CLOCK_OFFSET = 'clock-offset';

const joinedFile = z.object({
  key: z.string(),
  certificate: z.string(),
  panelPin: z.string().regex(/^[0-9a-f]{64}$/),
  port: z.int().min(1).max(65_535),
});
type Joined = z.output<typeof joinedFile>;

/**
 * The folder of a node's machine: the given one, else $GATEHOUSE_NODE_DATA, else for root the service's, else beside a panel's usual place.
 */
export function findNodeFolder(given: string | undefined): string {
  const named = given || process.env.GATEHOUSE_NODE_DATA;
  if (named) return findDataFolder(named);
  if (process.getuid?.() === 0 && existsSync(SERVICE_FOLDER)) return SERVICE_FOLDER;
  return join(dirname(findDataFolder(undefined)), 'gatehouse-node');
}

function readJoined(folder: string): Joined | null {
  const text = readIfThere(join(folder, 'node.json'));
  if (text === null) return null;
  try {
    const read = joinedFile.parse(parseOwnJson(text));
    if (isPair(read.key, read.certificate) && isSelfSigned(read.certificate)) return read;
  } catch {
    // Reported as settings that do not go together.
  }
  const advice = 'Bring it back, or join this machine again with another token: `panel node join`.';
  throw refusal('data_folder', `${join(folder, 'node.json')} is damaged. ${advice}`);
}

function saveJoined(folder: string, joined: Joined): void {
  writePrivateFile(join(folder, 'node.json'), JSON.stringify(joined));
}

function own(folder: string, command: string): { release(): void } {
  prepareDataFolder(folder);
  const lock = acquireLock(folder, command);
  if (lock) return lock;
  const owner = lockOwner(folder);
  const who = owner === null ? 'Another process' : `\`panel ${owner.command}\` (process ${owner.pid})`;
  throw refusal('in_use', `${who} is using the folder ${folder}. Stop it first.`);
}

/** `path`: the program; left out: the one that `panel node engine` has installed, else `shipped`, else on PATH. */
function openEngine(folder: string, path: string | undefined, shipped: string | null = null): Engine {
  return createLocalEngine({
    nodeId: ENGINE_ID,
    folder: join(folder, 'engines'),
    path: () => path ?? installedPath(folder) ?? shipped,
    connect: connectEngine,
    clock: systemClock,
    timers: systemTimers,
    crypto: nodeCrypto,
  });
}

function openLedger(folder: string, lock: { release(): void }, log: Log): NodeLedger {
  const file = join(folder, LEDGER);
  try {
    const ledger = openNodeLedger(file, openTextSeal(join(folder, LEASE_KEY), { clock: systemClock, log }));
    if (!isLeaseReadable(ledger)) {
      // Counters are not sealed, and stay.
      log.error('lease cannot be opened by its key: the panel leaves another one');
      ledger.lease.forget();
    }
    return ledger;
  } catch (error) {
    lock.release();
    const known = toRefusal(error, folder);
    if (isRefusal(known)) throw known;
    const advice = 'Move it away to begin another; what the panel has not taken of it is lost then.';
    throw refusal('data_folder', `${file} cannot be used: ${describeSystemError(error)}. ${advice}`);
  }
}

function isLeaseReadable({ lease }: NodeLedger): boolean {
  try {
    lease.engine();
    lease.shared();
    return true;
  } catch (error) {
    if (error instanceof UnsealableError) return false;
    throw error;
  }
}

async function listening(opening: Promise<NodeListener>, port: number): Promise<NodeListener> {
  try {
    return await opening;
  } catch (error) {
    throw refusal('address', `Port ${port} cannot be listened on: ${describeSystemError(error)}.`);
  }
}

const OTHER_TOKEN = 'Make another token in the panel: that replaces it.';

interface JoinOptions {
  readonly folder: string;
  readonly token: string;
  /** The address to listen on; left out: all addresses. */
  readonly host?: string | undefined;
  /** Called once the machine listens; `fingerprint`: of this machine's key, as the panel will show it. */
  readonly waiting: (port: number, fingerprint: string) => void;
  /** Lowered by tests. */
  readonly limitMs?: number;
}

/**
 * Waits until the panel has joined this machine, and resolves with its fingerprint. Rejects with a refusal if the panel does not join in
 * time, or joins another machine.
 */
export async function joinMachine({ folder, token, host, waiting, limitMs }: JoinOptions): Promise<string> {
  const read = readJoinToken(token);
  if (!read) throw refusal('refused', 'This is no token, or not a whole one: copy it from the panel again.');
  const lock = own(folder, 'node join');
  const log = openLog({ file: join(folder, 'logs', 'node.log') });
  const { port, panelPin, secret } = read;
  try {
    const { issuePinned } = await import('../adapters/certificates/issuer.ts');
    const { key, pem: certificate } = await issuePinned();
    const fingerprint = formatFingerprint(computePin(new X509Certificate(certificate)));
    const done = Promise.withResolvers<void>();
    const save = (identity: NodeIdentity) => {
      saveJoined(folder, { ...identity, port });
      const ledger = openLedger(folder, lock, log);
      // Another panel may have joined, which has no lease here.
      ledger.lease.forget();
      ledger.savePanel(null);
      ledger.close();
    };
    const taken = (pin: string) => {
      const other = `The panel has joined another machine with this token: ${formatFingerprint(pin)}.`;
      done.reject(refusal('refused', `${other} If it is not yours, someone has read the token. ${OTHER_TOKEN}`));
    };
    const identity = { key, certificate, panelPin };
    const parts = { identity, secret, clock: systemClock, log, save, joined: done.resolve, taken };
    const listener = await listening(awaitJoin(parts, { host, port }), port).catch((error: Error) => {
      throw refusal(
        'address',
        `${error.message} If the panel says that a machine was joined, it is another one. ${OTHER_TOKEN}`,
      );
    });
    waiting(listener.port, fingerprint);
    const none = `No panel came within ${JOIN_MINUTES} minutes. If it says that a machine was joined, it is another one. ${OTHER_TOKEN}`;
    const late = setTimeout(() => done.reject(refusal('refused', none)), limitMs ?? JOIN_MINUTES * 60_000);
    try {
      await done.promise;
    } finally {
      clearTimeout(late);
      await listener.close();
    }
    return fingerprint;
  } finally {
    log.close();
    lock.release();
  }
}

export interface NodeMachine {
  readonly port: number;
  /** The port of links; null: none are served. */
  readonly linksPort: number | null;
  /** Ends the service; the engine runs on, and the next process adopts it. */
  close(): Promise<void>;
}

interface RunOptions {
  readonly folder: string;
  readonly host?: string | undefined;
  /** The program of the engine; left out: as `findPresentPath` finds it. */
  readonly enginePath?: string | undefined;
  /** Replaces the engine process in tests. */
  readonly engine?: Engine;
  /** Interval of recording the counters, and delay before a crashed engine is restarted; set by tests. */
  readonly beatMs?: number;
  readonly startAgainMs?: number;
  /** How long a new engine is watched before the switch counts as successful; set by tests. */
  readonly watchMs?: number;
}

/** Serves the panel that has joined this machine. Rejects with a refusal. */
export async function runMachine(options: RunOptions): Promise<NodeMachine> {
  const { folder, host, enginePath, engine: given, beatMs, startAgainMs } = options;
  const lock = own(folder, 'node run');
  const log = openLog({ file: join(folder, 'logs', 'node.log') });
  const supervising = { crypto: nodeCrypto, timers: systemTimers, log };
  // The ledger was created when the machine was joined.
  const isLost = existsSync(join(folder, 'node.json')) && !existsSync(join(folder, LEDGER));
  if (isLost) log.error('ledger is missing: what the panel had not taken of it is lost');
  const ledger = openLedger(folder, lock, log);
  const leaseClock = createLeaseClock({ read: createClockReader(), file: join(folder, CLOCK_OFFSET), log });
  const { lease } = ledger;
  let enforced: EnforcedEngine | null = null;
  const recorded = meterEngine(given ?? openEngine(folder, enginePath, await findShippedEngine()), {
    ledger,
    clock: leaseClock,
    onRefused: (userIds) => enforced?.recordRefused(userIds),
    timers: systemTimers,
    log,
    ...(beatMs !== undefined && { beatMs }),
  });
  const supervised = superviseEngine(recorded, {
    ...supervising,
    lease,
    ...(startAgainMs !== undefined && { pauseMs: startAgainMs }),
  });
  const engine = enforceLease(supervised, { lease, clock: leaseClock, timers: systemTimers, log });
  enforced = engine;
  const closeAll = () => {
    engine.close();
    log.close();
    lock.release();
  };
  try {
    const joined = readJoined(folder);
    if (!joined) throw refusal('refused', 'This machine has not been joined to a panel: `panel node join` does that.');
    const { port, ...identity } = joined;
    const certificate = () => machineCertificate(folder, systemClock.now());
    const check = async (path: string, config: EngineConfig) => {
      const other = openEngine(folder, path);
      try {
        await other.check(config);
      } finally {
        other.close();
      }
    };
    const switching = { folder, engine, check, log, hasOwnPath: enginePath !== undefined, watchMs: options.watchMs };
    const programs = servePrograms({
      folder,
      log,
      hasOwnPath: () => enginePath !== undefined,
      // A node's machine has no shipped engine to return to.
      findShipped: async () => null,
      switchTo: async (name) =>
        name === null ? { outcome: 'refused', reason: 'it is not installed' } : switchRunning(switching, name),
    });
    const parts = {
      identity,
      engine,
      clock: systemClock,
      followPanel: leaseClock.follow,
      log,
      version: panelVersion(),
      certificate,
      programs,
      obeyed: createObeyedPanel(ledger, () => performance.now()),
    };
    const listener = await listening(serveNode(parts, { host, port }), port);
    const control = await openControlSocket(folder, (command, args) => nodeCommand(switching, command, args), log);
    const links = await serveLinks({ folder, lease, clock: leaseClock, timers: systemTimers, log }).catch(
      async (error: unknown) => {
        await control.close();
        await listener.close();
        throw error;
      },
    );
    log.info('node started', { port: listener.port });
    return {
      port: listener.port,
      linksPort: links?.port ?? null,
      async close() {
        await links?.close();
        await control.close();
        await listener.close();
        closeAll();
      },
    };
  } catch (error) {
    closeAll();
    throw toRefusal(error, folder);
  }
}

/** Stops the engine and forgets the panel, which cannot reach this machine afterwards. */
export async function leaveMachine(folder: string): Promise<void> {
  const lock = own(folder, 'node leave');
  const engine = openEngine(folder, undefined);
  try {
    if (!existsSync(join(folder, 'node.json')))
      throw refusal('refused', 'This machine has not been joined to a panel.');
    await engine.stop();
    for (const name of ['node.json', LEASE_KEY, CLOCK_OFFSET, LEDGER, `${LEDGER}-wal`, `${LEDGER}-shm`])
      rmSync(join(folder, name), { force: true });
    dropLinks(folder);
  } finally {
    engine.close();
    lock.release();
  }
}

/** Finds what is wrong with this machine as a node, in the order in which a person would check it. */
export async function examineMachine(folder: string, enginePath: string | undefined): Promise<readonly Finding[]> {
  const joined = existsSync(folder) ? readJoined(folder) : null;
  if (!joined) {
    const advice = 'Make a token in the panel (Nodes), then run `panel node join` here.';
    return [{ check: 'panel', verdict: 'problem', found: 'not joined', advice }, await checkEngine(folder, enginePath)];
  }
  const fingerprint = formatFingerprint(computePin(new X509Certificate(joined.certificate)));
  const owner = findOwner(folder);
  return [
    { check: 'panel', verdict: 'ok', found: `joined, on port ${joined.port}, fingerprint ${fingerprint}`, advice: '' },
    owner
      ? { check: 'service', verdict: 'ok', found: owner, advice: '' }
      : { check: 'service', verdict: 'problem', found: 'does not run', advice: 'Start it: panel node run' },
    await checkEngine(folder, enginePath),
    ...checkLinks(folder),
  ];
}

function checkLinks(folder: string): readonly Finding[] {
  const links = examineLinks(folder, systemClock.now());
  if (links === null) return [];
  const { port, daysLeft, isLate, isOrdered, failure } = links;
  const isMissing = daysLeft === null && !isOrdered;
  const isEnded = daysLeft === null ? isMissing || failure !== null : daysLeft < 0;
  const left =
    daysLeft === null
      ? `whose certificate ${isMissing ? 'is missing or damaged' : 'is to come'}`
      : daysLeft < 0
        ? 'with a certificate that has ended'
        : `${daysLeft} days left of the certificate`;
  const failed =
    failure && `, the last order failed (${failure.text}), the next is at ${new Date(failure.nextAt).toISOString()}`;
  const given = isLate ? 'Give it the next one: `panel node links on` with the new files.' : '';
  const ordered = failure ? 'Its names must lead to this machine, and the port of the challenge too.' : '';
  return [
    {
      check: 'links',
      verdict: isEnded ? 'problem' : isLate || failure ? 'warning' : 'ok',
      found: `on port ${port}, ${left}${failed ?? ''}`,
      advice: isOrdered ? ordered : given,
    },
  ];
}

/** The process that has locked the folder; null: none. */
function findOwner(folder: string): string | null {
  const lock = acquireLock(folder, 'node doctor');
  lock?.release();
  if (lock) return null;
  const owner = lockOwner(folder);
  return owner === null ? 'runs' : `panel ${owner.command} (process ${owner.pid})`;
}

async function checkEngine(folder: string, path: string | undefined): Promise<Finding> {
  try {
    const { name, version, path: found } = await findProgram(path ?? (await findPresentPath(folder)));
    return { check: 'engine', verdict: 'ok', found: `${name} ${version} (${found})`, advice: '' };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return {
      check: 'engine',
      verdict: 'problem',
      found: error.message,
      advice: 'Install one with `panel node engine install`, or name its program with --engine.',
    };
  }
}
