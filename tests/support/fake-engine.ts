// An engine in memory behind the core's port: a process that outlives its panel, counts what users move, and fails when a test says so.
import type { Credentials } from '../../src/core/ports/credentials.ts';
import {
  type ConnectedAddress,
  type Engine,
  type EngineChange,
  type EngineConfig,
  EngineError,
  type EngineUser,
  type MachineFacts,
  type MachinePrograms,
  type RunningEngine,
} from '../../src/core/ports/engines.ts';
import type { UpDown } from '../../src/core/ports/traffic.ts';
import { describePort } from '../../src/domain/nodes/servable.ts';

interface Process {
  readonly boot: string | null;
  readonly config: EngineConfig;
  /** By connection, then by user. */
  readonly members: Map<number, Map<number, Credentials>>;
  readonly users: Map<number, UpDown>;
  /** `users` as they were last read. */
  told: ReadonlyMap<number, UpDown>;
  readonly inbounds: Map<string, UpDown>;
  /** Users whose connections are open, also those who may not connect any more. */
  readonly open: Set<number>;
  /** The same by connection. */
  readonly over: ReadonlyMap<number, Set<number>>;
}

/** What the next calls do instead of succeeding. `late`: they wait until a start is given up. */
export type Fault = 'hang' | 'crash' | 'crash_after' | 'late';

export interface FakeMachine {
  process: Process | null;
  starts: number;
  /** How many calls there were. */
  calls: number;
  /** Called for each call: what it does instead. */
  fault: (method: keyof Engine) => Fault | null;
  /** Letting this user in on this connection ends the engine. */
  readonly poison: Set<string>;
  /** Letting this user in is refused. */
  readonly refuses: Set<number>;
  /** Configurations that it would not start with. */
  refusesConfig: (config: EngineConfig) => boolean;
  /** Ports that other programs have. */
  readonly taken: Set<number>;
  /** Ports on which it cannot listen, which only a start finds. */
  readonly forbidden: Set<number>;
  /** The fingerprint that its machine computes, which may be of another version. */
  reports: (fingerprint: string) => string;
  /** Whether it tells who is on a connection. */
  listsMembers: boolean;
  /** Whether it has the commands by which a connection is reopened. */
  canReopen: boolean;
  /** From where users are connected; null: it cannot tell. */
  addresses: Map<number, readonly ConnectedAddress[]> | null;
  /** What its machine says of itself. */
  facts: MachineFacts | null;
  /** Called before a process is gone with what it had counted. */
  lost: (process: Process) => void;
  /** An open user moves bytes, or one who may connect now; returns whether they moved. */
  move(userId: number, inboundId: number, moved: UpDown): boolean;
  crash(): void;
  /** The engine as one panel sees it; after `abandon` its calls never end, as those of a panel that was killed. */
  attach(): { readonly engine: Engine; abandon(): void };
}

function add<Key>(sums: Map<Key, UpDown>, key: Key, { up, down }: UpDown): void {
  const sum = sums.get(key) ?? { up: 0, down: 0 };
  sums.set(key, { up: sum.up + up, down: sum.down + down });
}

function computeFingerprint({ inbounds, blocksPrivate }: EngineConfig): string {
  return JSON.stringify([blocksPrivate, inbounds.map(({ id, tag, port, protocol }) => [id, tag, port, protocol])]);
}

export function createFakeMachine(): FakeMachine {
  const exits = new Set<(error: EngineError) => void>();
  const machine: FakeMachine = {
    process: null,
    starts: 0,
    calls: 0,
    fault: () => null,
    poison: new Set(),
    refuses: new Set(),
    refusesConfig: () => false,
    taken: new Set(),
    forbidden: new Set(),
    reports: (fingerprint) => fingerprint,
    listsMembers: true,
    canReopen: true,
    addresses: new Map(),
    facts: null,
    lost: () => {},
    move(userId, inboundId, moved) {
      const { process } = machine;
      if (!process) return false;
      const inbound = process.config.inbounds.find(({ id }) => id === inboundId);
      if (!inbound) return false;
      if (process.members.get(inboundId)?.has(userId)) {
        process.open.add(userId);
        process.over.get(inboundId)?.add(userId);
      }
      if (!process.open.has(userId)) return false;
      add(process.users, userId, moved);
      add(process.inbounds, inbound.tag, moved);
      return true;
    },
    crash() {
      if (!machine.process) return;
      machine.lost(machine.process);
      machine.process = null;
      for (const listener of exits) listener(new EngineError('engine_crashed', 'panic: nil pointer'));
    },
    attach() {
      let isAbandoned = false;
      let listener: ((error: EngineError) => void) | null = null;
      const engine = createEngine(
        machine,
        () => isAbandoned,
        (wanted) => {
          if (listener) exits.delete(listener);
          listener = wanted;
          exits.add(wanted);
        },
      );
      return {
        engine,
        abandon() {
          isAbandoned = true;
          if (listener) exits.delete(listener);
        },
      };
    },
  };
  return machine;
}

function createEngine(
  machine: FakeMachine,
  isAbandoned: () => boolean,
  onExit: (listener: (error: EngineError) => void) => void,
): Engine {
  const abandonment = Promise.withResolvers<never>();
  abandonment.promise.catch(() => {});

  /** Runs a call as the machine lets it. */
  async function call<T>(method: keyof Engine, work: () => T): Promise<T> {
    machine.calls += 1;
    await Promise.resolve();
    if (isAbandoned()) return new Promise<T>(() => {});
    const fault = machine.fault(method);
    if (fault === 'late') return abandonment.promise;
    if (fault === 'hang') throw new EngineError('engine_unreachable', 'no answer in 5 s');
    if (fault === 'crash') {
      machine.crash();
      throw new EngineError('engine_crashed', 'panic: nil pointer');
    }
    const result = work();
    if (fault === 'crash_after') {
      machine.crash();
      throw new EngineError('engine_crashed', 'panic: nil pointer');
    }
    return result;
  }

  function running(): Process {
    if (!machine.process) throw new EngineError('engine_unreachable', 'connection refused');
    return machine.process;
  }

  function applyOne({ inbound, user, isAllowed }: EngineChange): EngineError | null {
    const members = running().members.get(inbound.id);
    if (!members) return new EngineError('engine_refused', 'handler not found');
    if (!isAllowed) {
      members.delete(user.userId);
      return null;
    }
    if (machine.poison.has(`${user.userId} ${inbound.id}`)) {
      machine.crash();
      throw new EngineError('engine_crashed', 'panic: wrong account');
    }
    if (machine.refuses.has(user.userId)) return new EngineError('engine_refused', 'bad account');
    members.set(user.userId, user.credentials);
    return null;
  }

  function requireAccepted(config: EngineConfig): void {
    const isOwn = (port: number) => machine.process?.config.inbounds.some((inbound) => inbound.port === port);
    const taken = config.inbounds.find(({ port }) => machine.taken.has(port) && !isOwn(port));
    if (taken) throw new EngineError('port_taken', `${describePort(taken)} is taken by nginx`);
    if (machine.refusesConfig(config)) throw new EngineError('config_refused', 'unknown cipher');
  }

  function startWith(
    config: EngineConfig,
    users: Iterable<EngineUser & { readonly inbounds: readonly number[] }>,
    boot: string,
  ) {
    if (machine.process) throw new Error('an engine runs already');
    requireAccepted(config);
    const denied = config.inbounds.find(({ port }) => machine.forbidden.has(port));
    if (denied) throw new EngineError('config_refused', `${describePort(denied)}: permission denied`);
    machine.starts += 1;
    const members = new Map(config.inbounds.map(({ id }) => [id, new Map<number, Credentials>()]));
    for (const { userId, credentials, inbounds } of users) {
      for (const id of inbounds) members.get(id)?.set(userId, credentials);
    }
    machine.process = {
      boot,
      config,
      members,
      users: new Map(),
      told: new Map(),
      inbounds: new Map(),
      open: new Set(),
      over: new Map(config.inbounds.map(({ id }) => [id, new Set<number>()])),
    };
    return describe(machine.process);
  }

  function describe({ boot, config }: Process): RunningEngine {
    const fingerprint = machine.reports(computeFingerprint(config));
    return { name: 'xray', version: '26.3.27', boot, fingerprint, startedAt: 1000 };
  }

  return {
    running: () => call('running', () => machine.process && describe(machine.process)),
    fingerprint: computeFingerprint,
    check: (config) => call('check', () => requireAccepted(config)),
    abandonStart: () => abandonment.reject(new EngineError('engine_unreachable', 'its start was given up')),
    start: (config, users, boot) => call('start', () => startWith(config, users, boot)),
    stop: () =>
      call('stop', () => {
        if (machine.process) machine.lost(machine.process);
        machine.process = null;
      }),
    counters: () =>
      call('counters', () => {
        const process = running();
        const { boot, users, inbounds } = process;
        process.told = new Map(users);
        return { boot, users: new Map(users), inbounds: new Map(inbounds) };
      }),
    readLedgerPage: async () => null,
    protocol: () => null,
    machine: () => machine.facts,
    apply: (changes) => call('apply', () => changes.map(applyOne)),
    members: (inbound) =>
      call('members', () => (machine.listsMembers ? [...(running().members.get(inbound.id)?.keys() ?? [])] : null)),
    connected: () =>
      call('connected', () => {
        running();
        return machine.addresses && new Map(machine.addresses);
      }),
    findSessions: (inbounds, userIds) =>
      call('findSessions', () =>
        inbounds.flatMap(({ id: inboundId }) =>
          [...(running().over.get(inboundId) ?? [])]
            .filter((userId) => userIds.includes(userId))
            .map((userId) => ({ inboundId, userId })),
        ),
      ),
    async reopen(inbound, users) {
      const allowed = await users();
      await call('reopen', () => {
        const { members, over, open } = running();
        if (!machine.canReopen) throw new EngineError('engine_refused', 'unknown command');
        members.set(inbound.id, new Map(allowed.map(({ userId, credentials }) => [userId, credentials])));
        const ended = [...(over.get(inbound.id) ?? [])];
        over.get(inbound.id)?.clear();
        for (const userId of ended) if (![...over.values()].some((some) => some.has(userId))) open.delete(userId);
      });
    },
    log: () => [],
    onExit,
    close: () => {},
  };
}

/** Marks of starts that are each another: 1, 2, 3. */
export function createCountingCrypto(): { randomBytes(): Uint8Array } {
  let made = 0;
  return {
    randomBytes() {
      made += 1;
      return Uint8Array.of(made);
    },
  };
}

/** The programs of a machine on which the panel installs no engine. */
export const NO_PROGRAMS = {
  read: async (): Promise<MachinePrograms> => ({
    current: null,
    former: null,
    offered: [],
    hasOwnPath: true,
    job: null,
  }),
  begin(): void {
    throw new EngineError('engine_refused', 'this machine has an engine of its own path');
  },
};
