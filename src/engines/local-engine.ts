// The engine of a node on this machine: a process of its own, which outlives a killed panel and is adopted by the next one.
//
// Its configuration, with every secret, goes to its standard input and is in no file. A small state file tells the next panel the process,
// when it started (process ids are reused), and where its API listens.
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import {
  type Engine,
  type EngineConfig,
  EngineError,
  type EngineInbound,
  type EngineUser,
  type RunningEngine,
} from '../core/ports/engines.ts';
import type { Clock, Crypto, Timers } from '../core/ports/ports.ts';
import { listTransports } from '../domain/nodes/inbound-shape.ts';
import { describePort } from '../domain/nodes/servable.ts';
import type { EngineApi } from './connector.ts';
import { CALLS_AT_ONCE } from './connector-channel.ts';
import { ATTEMPT_LIMITS, createEngineAttempts } from './engine-attempts.ts';
import {
  computeFingerprint,
  type EngineStart,
  engineConfigText,
  inboundConfigText,
  type StartUser,
} from './engine-config.ts';
import { createEngineLog } from './engine-log.ts';
import { createEngineOutput } from './engine-output.ts';
import { type Current, createEngineProcess } from './engine-process.ts';
import { findProgram } from './engine-program.ts';
import { reopenInbound } from './engine-reopen.ts';
import { pipePath, type State, statePath } from './engine-state.ts';
import { findPortHolder } from './system-process.ts';

export interface LocalEngineParts {
  readonly nodeId: number;
  /** The folder of its log and state. */
  readonly folder: string;
  /** The path of the program; null: `xray` or `v2ray` on PATH. Read at each start. */
  path(): string | null;
  connect(address: { readonly address: '127.0.0.1'; readonly port: number }): EngineApi;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly crypto: Pick<Crypto, 'randomBytes'>;
  /** Set by tests. */
  readonly limits?: Partial<typeof LIMITS>;
}

/** Load average in percent of the cores; null on Windows, which has none. */
function loadPercent(): number | null {
  const [minute = 0] = loadavg();
  return process.platform === 'win32' ? null : Math.round((minute * 100) / availableParallelism());
}

/** All in ms. `term`, `kill`: until a process exits after SIGTERM and after SIGKILL. */
const LIMITS = { ...ATTEMPT_LIMITS, term: 5000, kill: 3000 };

/** How long traffic is watched to find the users with open sessions. */
const SESSION_MS = 500;
/** Beyond this many users sessions are not searched for: reopening an inbound for one user ends everyone's sessions. */
const MAX_SUSPECTS = 500;
/** Users of an inbound that is reopened: they must fit into one message of at most 4 MiB. */
const MAX_REOPENED = 15_000;

/** Path of the log of a node's engine. */
export function logPath(folder: string, nodeId: number): string {
  return join(folder, `node-${nodeId}.log`);
}

export function createLocalEngine(parts: LocalEngineParts): Engine {
  const { nodeId, folder, clock, timers, crypto } = parts;
  const limits = { ...LIMITS, ...parts.limits };
  const log = createEngineLog(logPath(folder, nodeId));
  const output = createEngineOutput({ path: pipePath(folder, nodeId), log, timers });
  const { connect } = parts;
  const engineProcess = createEngineProcess({
    folder,
    file: statePath(folder, nodeId),
    output,
    timers,
    connect,
    limits,
  });
  const attempts = createEngineAttempts({ folder, limits, probe });
  const { present } = engineProcess;
  let isClosed = false;

  function requirePresent(): Current {
    const engine = present();
    if (engine === null) throw new EngineError('engine_unreachable', 'it does not run');
    return engine;
  }

  async function describe({ api, state }: Pick<Current, 'api' | 'state'>): Promise<RunningEngine> {
    const { name, mark, uptime } = await api.identify();
    return {
      name,
      version: state.version,
      boot: mark?.boot ?? null,
      fingerprint: mark?.fingerprint ?? null,
      startedAt: clock.now() - uptime * 1000,
    };
  }

  /** An engine that is just starting may accept a call and never answer it, so each attempt has a separate connection. */
  async function probe(state: State, limit: Promise<null>): Promise<RunningEngine | null> {
    const api = connect({ address: '127.0.0.1', port: state.apiPort });
    const running = describe({ api, state });
    try {
      return await Promise.race([running, limit]);
    } catch {
      return null;
    } finally {
      api.close();
    }
  }

  /** Names the program that occupies a port, before the engine fails on it. */
  async function requireFreePorts({ inbounds }: EngineConfig, ownPid: number | null): Promise<void> {
    for (const inbound of inbounds) {
      if (inbound.sharesPortOf !== null) continue;
      const portOwner = await findPortHolder(inbound.port, listTransports(inbound.protocol));
      if (portOwner === null || (ownPid !== null && portOwner.pid === ownPid)) continue;
      throw new EngineError('port_taken', `${describePort(inbound)} is taken by ${describeProgram(portOwner)}`);
    }
  }

  async function readUsages(inbounds: readonly EngineInbound[], userIds: readonly number[]) {
    const { api } = requirePresent();
    const pairs = inbounds.flatMap((inbound) => userIds.map((userId) => ({ inbound, userId })));
    const usages: { readonly inboundId: number; readonly userId: number; readonly bytes: number }[] = [];
    const work = async () => {
      for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
        const { inbound, userId } = pair;
        usages.push({ inboundId: inbound.id, userId, bytes: await api.readUsage(inbound, userId) });
      }
    };
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
    return usages;
  }

  async function reopen(inbound: EngineInbound, users: readonly EngineUser[]): Promise<void> {
    const { state } = requirePresent();
    const program = await findProgram(parts.path());
    // Another version may encode an inbound differently.
    if (program.name !== 'xray' || program.version !== state.version) {
      throw new EngineError('engine_refused', `the program is ${program.name} ${program.version} by now`);
    }
    const start = {
      name: program.name,
      apiPort: state.apiPort,
      innerPorts: new Map(state.innerPorts),
      boot: '0',
      fingerprint: '0',
      spareKey: createSpareKey(crypto),
    };
    if (users.length > MAX_REOPENED) throw new EngineError('engine_refused', `${users.length} users are too many`);
    const text = inboundConfigText(inbound, users, start);
    await reopenInbound({ program, folder, apiPort: state.apiPort, inbound, text });
  }

  return {
    async findSessions(inbounds, userIds) {
      const some = userIds.slice(0, MAX_SUSPECTS);
      const key = ({ inboundId, userId }: { readonly inboundId: number; readonly userId: number }) =>
        `${inboundId} ${userId}`;
      const before = new Map((await readUsages(inbounds, some)).map((one) => [key(one), one.bytes]));
      await new Promise<void>((resolve) => timers.after(SESSION_MS, resolve));
      const after = await readUsages(inbounds, some);
      return after.flatMap(({ bytes, ...session }) => (bytes > (before.get(key(session)) ?? 0) ? [session] : []));
    },
    reopen: async (inbound, users) => reopen(inbound, await users()),
    async running() {
      const engine = present();
      return engine === null ? null : describe(engine);
    },
    fingerprint: computeFingerprint,
    async check(config) {
      const program = await findProgram(parts.path());
      await requireFreePorts(config, present()?.state.pid ?? null);
      const start: EngineStart = {
        name: program.name,
        apiPort: 1,
        innerPorts: new Map(),
        boot: '0',
        fingerprint: '0',
        spareKey: createSpareKey(crypto),
      };
      await attempts.test(program, config, engineConfigText(config, [], start));
    },
    async start(config, users, boot) {
      if (present() !== null) throw new EngineError('engine_refused', 'it runs already');
      const program = await findProgram(parts.path());
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      await requireFreePorts(config, null);
      const apiPort = await freePort(config);
      const fingerprint = computeFingerprint(config);
      const innerPorts = await findInnerPorts(config, apiPort);
      const start = { name: program.name, apiPort, innerPorts, boot, fingerprint, spareKey: createSpareKey(crypto) };
      const startUsers: StartUser[] = [...users];
      const text = engineConfigText(config, startUsers, start);
      attempts.requireNotAbandoned();
      const engine = engineProcess.launch(program, config, text, { apiPort, innerPorts: [...innerPorts] });
      return engineProcess.withoutReports(async () => {
        try {
          return await attempts.awaitReady(engine, boot, startUsers.length);
        } catch (error) {
          // After `close` the engine runs on, and may already belong to the next panel.
          if (!isClosed) await engineProcess.stop();
          throw error;
        }
      });
    },
    abandonStart: attempts.abandon,
    stop: engineProcess.stop,
    counters: async () => requirePresent().api.counters(),
    readLedgerPage: async () => null,
    protocol: () => null,
    machine: () => ({ load: loadPercent(), clockOffset: null, version: null, certificate: null, waiting: null }),
    apply: async (changes) => requirePresent().api.apply(changes),
    members: async (inbound) => requirePresent().api.members(inbound),
    connected: async () => requirePresent().api.connected(),
    log: () => log.lines(),
    onExit: engineProcess.onExit,
    close() {
      isClosed = true;
      attempts.abandon();
      output.close();
      engineProcess.release();
    },
  };
}

function createSpareKey(crypto: Pick<Crypto, 'randomBytes'>): string {
  return Buffer.from(crypto.randomBytes(32)).toString('base64');
}

function describeProgram({ name, pid }: { readonly name: string | null; readonly pid: number | null }): string {
  if (pid === process.pid) return 'the panel itself';
  if (pid === null) return 'another program';
  return `${name ?? 'a program'} (process ${pid})`;
}

/** A loopback port for each inbound that shares the port of another. */
async function findInnerPorts(config: EngineConfig, apiPort: number): Promise<ReadonlyMap<number, number>> {
  const ports = new Map<number, number>();
  const used = new Set([apiPort]);
  for (const { id, sharesPortOf } of config.inbounds) {
    if (sharesPortOf === null) continue;
    let port = await freePort(config);
    while (used.has(port)) port = await freePort(config);
    used.add(port);
    ports.set(id, port);
  }
  return ports;
}

/** A loopback port that is free now and that no inbound uses. */
async function freePort(config: EngineConfig): Promise<number> {
  const port = await new Promise<number>((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
  return config.inbounds.some((inbound) => inbound.port === port) ? freePort(config) : port;
}
