// A node in memory: records, an engine, and a panel that carries out the steps of domain/nodes/reconcile.ts one at a time, so that commits, crashes and
// refusals can come between any two of them.
import {
  adopt,
  beginCheck,
  beginCounting,
  beginRestart,
  beginRound,
  beginStarting,
  completeAdoption,
  completePoll,
  completeStart,
  createNodeState,
  disable,
  disconnect,
  type Fingerprinted,
  getServed,
  leaveOutAtStart,
  listOnline,
  type NodeState,
  observeServing,
  observeStopped,
  observeUnknown,
  recordAllowed,
  recordBlocked,
  recordCheckProblem,
  recordCounted,
  recordDriftRepaired,
  recordRefused,
  recordReopened,
  recordReopenRefused,
  recordServable,
  recordSessions,
  recordSuspects,
  refuseAdoption,
  type Servable,
  type Unserved,
} from '../../src/domain/nodes/node-state.ts';
import { type Desired, type Milestone, type Observed, reconcile, type Step } from '../../src/domain/nodes/reconcile.ts';

interface Inbound {
  readonly id: number;
  readonly port: number;
}

export interface ModelConfig {
  readonly inbounds: readonly Inbound[];
}

/** What a call to the engine does instead of succeeding. `lost`: it succeeds, but its reply does not arrive. */
export type ModelFault = 'hang' | 'crash' | 'crash_after' | 'lost';

/** Calls to an engine, as `Engine` of core/ports/engines.ts has them. */
export const MODEL_CALLS = [
  'running',
  'check',
  'start',
  'stop',
  'apply',
  'counters',
  'members',
  'lease',
  'findSessions',
  'reopen',
] as const;
type ModelCall = (typeof MODEL_CALLS)[number];

interface ModelEngine {
  readonly boot: string;
  readonly config: ModelConfig;
  readonly users: Set<number>;
  /** Users whose connections are open, also those who may not connect any more. */
  readonly open: Set<number>;
  /** One of its connections was closed, and not opened again. */
  readonly isBroken: boolean;
}

/** The connection that can be reopened, and whose users have theirs over it: those of the others go on until a restart. */
const REOPENABLE = 1;
const isOverReopenable = (userId: number) => userId % 2 === 0;

interface ModelRound {
  readonly desired: Desired<ModelConfig>;
  readonly unreadable: readonly Unserved[];
  readonly done: Set<Milestone>;
  moved: readonly number[];
  batches: number;
  isAdvancing: boolean;
}

type ModelStep = Step<ModelConfig>;
type StepOf<Type extends ModelStep['type']> = Extract<ModelStep, { readonly type: Type }>;

class Failure extends Error {}

/** More than any round takes: one that takes more has no end. */
const MAX_STEPS = 300;
const BATCH = 2;

const originOf = (boot: string): string => boot.split('r')[0] ?? boot;
const fingerprintOf = ({ inbounds }: ModelConfig): string => JSON.stringify(inbounds.map(({ id, port }) => [id, port]));
const fingerprinted = (config: ModelConfig): Fingerprinted<ModelConfig> => ({
  config,
  fingerprint: fingerprintOf(config),
});

function buildUnserved(inboundId: number, code: Unserved['code']): Unserved {
  return { inboundId, code, message: `in-${inboundId}: ${code}` };
}

export function createNodeModel() {
  /** Users in the records, and whether they may connect. */
  const users = new Map<number, boolean>([
    [1, true],
    [2, true],
    [3, false],
  ]);
  const log: number[] = [];
  const ports = new Map([
    [1, 1001],
    [2, 2001],
    [3, 3001],
  ]);
  const records = { isEnabled: true, isLocked: false, version: 0, restartToCutOff: true };
  const stored: { boot: string | null; position: number | null; cutOffAt: number | null; reopenedAt: number | null } = {
    reopenedAt: null,
    boot: null,
    position: null,
    cutOffAt: null,
  };
  const refused = new Map<number, Unserved['code']>();
  /** Ports with which only a start fails. */
  const forbidden = new Set<number>();
  const refusedUsers = new Set<number>();
  const quarantined = new Set<number>();
  /** What the next call of each kind does. */
  const faults = new Map<ModelCall, ModelFault>();
  const seen = {
    steps: new Map<string, number>(),
    states: new Set<string>(),
    restarts: [] as { readonly reason: string; readonly isRequired: boolean }[],
    reopened: [] as { readonly isRequired: boolean; readonly at: number }[],
    starts: 0,
  };
  const panel: {
    state: NodeState<ModelConfig>;
    requested: 'nothing' | 'round' | 'poll';
    isPaused: boolean;
    round: Generator<void> | null;
  } = { state: createNodeState({ cutOffAt: null, reopenedAt: null }), requested: 'poll', isPaused: false, round: null };
  const world: {
    engine: ModelEngine | null;
    now: number;
    boots: number;
    canAdopt: boolean;
    canTellMembers: boolean;
  } = {
    engine: null,
    canAdopt: false,
    canTellMembers: true,
    now: 1_000_000,
    boots: 0,
  };

  function setState(state: NodeState<ModelConfig>): void {
    panel.state = state;
    seen.states.add(state.name);
  }

  function crash(): void {
    if (world.engine === null) return;
    world.engine = null;
    setState(disconnect(panel.state, { code: 'engine_crashed', message: 'panic' }));
    panel.isPaused = true;
  }

  /** Calls the engine as its next fault lets it. */
  function call<T>(name: ModelCall, work: () => T): T {
    const fault = faults.get(name) ?? null;
    faults.delete(name);
    if (fault === 'hang') throw new Failure('no answer');
    if (fault === 'crash') {
      crash();
      throw new Failure('connection refused');
    }
    const result = work();
    if (fault === 'crash_after') crash();
    if (fault !== null) throw new Failure('no answer');
    return result;
  }

  function requireEngine(): ModelEngine {
    if (world.engine === null) throw new Failure('connection refused');
    return world.engine;
  }

  function allowedUsers(): readonly number[] {
    return [...users].flatMap(([id, isAllowed]) => (isAllowed && !quarantined.has(id) ? [id] : []));
  }

  function wantedConfig(): ModelConfig {
    return { inbounds: [...ports].map(([id, port]) => ({ id, port })) };
  }

  function buildRound(isPoll: boolean): ModelRound {
    const all = wantedConfig();
    const isReadable = ({ id }: Inbound) => !records.isLocked || id !== 3;
    const wanted = fingerprinted({ inbounds: all.inbounds.filter(isReadable) });
    const unreadable = records.isLocked ? [buildUnserved(3, 'config_refused')] : [];
    const desired: Desired<ModelConfig> = {
      ...wanted,
      isEnabled: records.isEnabled,
      isPoll,
      wanted: `${wanted.fingerprint} ${unreadable.length}`,
      isComplete: unreadable.length === 0,
      restartToCutOff: records.restartToCutOff,
    };
    return { desired, unreadable, done: new Set(), moved: [], batches: 0, isAdvancing: false };
  }

  const hasPending = () => stored.position !== null && stored.position < log.length;

  function look({ done, batches, isAdvancing }: ModelRound): Observed {
    return {
      now: world.now,
      done,
      hasPending: hasPending() && world.engine?.boot === stored.boot,
      batches,
      isAdvancing,
      isStale: String(records.version) !== panel.state.memory.version,
      isPollDue: panel.requested === 'poll',
    };
  }

  function observe({ done }: ModelRound): void {
    const running = call('running', () => world.engine);
    done.add('observed');
    if (running === null) {
      setState(observeStopped(panel.state));
      return;
    }
    const { boot, config } = running;
    const isOrigin = stored.boot !== null && originOf(boot) === originOf(stored.boot);
    if (stored.position === null || !isOrigin) {
      const adoptableAs = world.canAdopt ? fingerprintOf(config) : null;
      setState(observeUnknown(panel.state, stored.boot !== null && !isOrigin, adoptableAs));
      return;
    }
    const isOtherStart = boot !== stored.boot;
    stored.boot = boot;
    setState(observeServing(panel.state, fingerprintOf(config), null, isOtherStart));
  }

  function checkEngine({ inbounds }: ModelConfig): readonly Unserved[] {
    const isOwn = (port: number) => world.engine?.config.inbounds.some((one) => one.port === port) === true;
    return call('check', () =>
      inbounds.flatMap(({ id, port }) => {
        const code = refused.get(port);
        return code === undefined || (code === 'port_taken' && isOwn(port)) ? [] : [buildUnserved(id, code)];
      }),
    );
  }

  function checkConfig({ desired, unreadable }: ModelRound): void {
    const { state, known } = beginCheck(panel.state, desired.wanted);
    setState(state);
    const wasFailing = state.memory.check.failedAtStart.map(({ inboundId }) => inboundId);
    const skipped = known.filter(
      ({ inboundId, code }) =>
        code !== 'port_taken' &&
        !wasFailing.includes(inboundId) &&
        desired.config.inbounds.some(({ id }) => id === inboundId),
    );
    const isSkipped = ({ id }: Inbound) => skipped.some(({ inboundId }) => inboundId === id);
    const found = checkEngine({ inbounds: desired.config.inbounds.filter((one) => !isSkipped(one)) });
    setState(recordRefused(panel.state, found));
    const { failedAtStart } = panel.state.memory.check;
    const unserved = [...unreadable, ...skipped, ...found, ...failedAtStart];
    const isServed = ({ id }: Inbound) => !unserved.some(({ inboundId }) => inboundId === id);
    const inbounds = desired.config.inbounds.filter(isServed);
    const before = getServed(panel.state)?.config.inbounds ?? [];
    const former = before.filter(
      (one) => !isServed(one) && !inbounds.some(({ id, port }) => id === one.id || port === one.port),
    );
    const config = { inbounds: [...inbounds, ...former].toSorted((a, b) => a.id - b.id) };
    setState(recordServable(panel.state, { wanted: desired.wanted, ...fingerprinted(config), unserved }));
  }

  function start(round: ModelRound, servable: Servable<ModelConfig>): void {
    setState(beginStarting(panel.state, servable));
    world.boots += 1;
    const boot = `b${world.boots}`;
    stored.boot = boot;
    stored.position = log.length;
    setState(beginCounting(panel.state, world.now));
    const culprit = servable.config.inbounds.find(({ port }) => forbidden.has(port));
    if (culprit) {
      const failed = buildUnserved(culprit.id, 'config_refused');
      const rest = fingerprinted({ inbounds: servable.config.inbounds.filter((one) => one !== culprit) });
      setState(
        leaveOutAtStart(panel.state, failed, { ...servable, ...rest, unserved: [...servable.unserved, failed] }),
      );
      return;
    }
    call('start', () => {
      if (world.engine !== null) throw new Error('an engine runs already');
      seen.starts += 1;
      world.engine = {
        boot,
        config: servable.config,
        users: new Set(allowedUsers()),
        open: new Set(),
        isBroken: false,
      };
    });
    round.batches = 0;
    setState(completeStart(panel.state, servable, servable.fingerprint));
  }

  function adoptUnknown(round: ModelRound, servable: Servable<ModelConfig>): void {
    const isTaken = call('members', () => world.canTellMembers && !requireEngine().isBroken);
    if (!isTaken) {
      setState(refuseAdoption(panel.state));
      return;
    }
    stored.boot = requireEngine().boot;
    stored.position = null;
    const from = log.length;
    call('apply', () => {
      const engine = requireEngine();
      engine.users.clear();
      for (const id of allowedUsers()) engine.users.add(id);
    });
    stored.position = from;
    setState(completeAdoption(panel.state, servable));
    round.done.add('drift_repaired');
  }

  function isRestartRequired({ servable, reason, userIds }: StepOf<'restart'>): boolean {
    if (reason === 'unknown_state')
      return stored.position === null || originOf(world.engine?.boot ?? '') !== stored.boot;
    if (reason === 'configuration')
      return world.engine === null || fingerprintOf(world.engine.config) !== servable.fingerprint;
    const { canReopen } = panel.state.memory.usage;
    return userIds.some(
      (id) => world.engine?.open.has(id) && users.get(id) !== true && !(canReopen && isOverReopenable(id)),
    );
  }

  /** As domain/nodes/engine-facts.ts says of a connection. */
  const hasReopenable = () => getServed(panel.state)?.config.inbounds.some(({ id }) => id === REOPENABLE) === true;

  function suspect(ids: readonly number[]): void {
    if (hasReopenable()) setState(recordSuspects(panel.state, ids));
  }

  function findSessions({ userIds }: StepOf<'findSessions'>): void {
    const found = call('findSessions', () =>
      userIds.filter((id) => requireEngine().open.has(id) && isOverReopenable(id)),
    );
    setState(recordSessions(panel.state, found.length === 0 ? [] : [{ inboundId: REOPENABLE, userIds: found }]));
  }

  function reopen({ inboundId, userIds }: StepOf<'reopen'>): void {
    const engine = requireEngine();
    seen.reopened.push({
      isRequired: inboundId === REOPENABLE && userIds.some((id) => engine.open.has(id) && users.get(id) !== true),
      at: world.now,
    });
    setState(recordReopened(panel.state, inboundId, world.now));
    stored.reopenedAt = world.now;
    const { position } = stored;
    // The program lacks the commands: nothing was changed.
    if (faults.get('reopen') === 'hang') {
      faults.delete('reopen');
      setState(recordReopenRefused(panel.state));
      return;
    }
    stored.position = null;
    // A call that fails may have closed it.
    world.engine = { ...engine, isBroken: true };
    call('reopen', () => {
      world.engine = { ...engine, users: new Set(allowedUsers()), isBroken: false };
      for (const id of engine.open) if (isOverReopenable(id)) engine.open.delete(id);
    });
    stored.position = position;
  }

  function stop(): void {
    call('stop', () => {
      world.engine = null;
    });
  }

  function push(round: ModelRound, canAllow: boolean): void {
    round.batches += 1;
    round.isAdvancing = false;
    const position = stored.position ?? 0;
    const ids = log.slice(position, position + BATCH);
    call('apply', () => {
      const engine = requireEngine();
      for (const id of ids) {
        const isAllowed = users.get(id) === true && !quarantined.has(id);
        if (!isAllowed) engine.users.delete(id);
        else if (canAllow && refusedUsers.has(id)) quarantined.add(id);
        else if (canAllow) engine.users.add(id);
      }
    });
    suspect(
      listOnline(
        panel.state,
        ids.filter((id) => users.get(id) !== true),
      ),
    );
    if (!canAllow) return;
    setState(
      recordAllowed(
        panel.state,
        ids.filter((id) => users.get(id) === true),
      ),
    );
    stored.position = position + ids.length;
    round.isAdvancing = true;
  }

  function countMoved(round: ModelRound, isPoll: boolean): void {
    const moved = world.engine === null ? [] : call('counters', () => [...requireEngine().open]);
    setState(recordCounted(panel.state, moved, world.now, world.now));
    if (!isPoll) return;
    round.moved = moved;
    round.batches = 0;
    round.done.add('counted');
  }

  function repairDrift({ done }: ModelRound): void {
    call('members', () => {
      const engine = requireEngine();
      engine.users.clear();
      for (const id of allowedUsers()) engine.users.add(id);
    });
    setState(recordDriftRepaired(panel.state));
    done.add('drift_repaired');
  }

  const steps: {
    readonly [Type in ModelStep['type']]: (round: ModelRound, step: StepOf<Type>) => void;
  } = {
    observe,
    check: (round, { isRequired }) => {
      try {
        checkConfig(round);
      } catch (error) {
        if (isRequired || !(error instanceof Failure)) throw error;
        setState(recordCheckProblem(panel.state, { code: 'engine_unreachable', message: error.message }));
      }
      round.done.add('checked');
    },
    adopt: (_round, { servable }) => setState(adopt(panel.state, servable)),
    adoptUnknown: (round, { servable }) => adoptUnknown(round, servable),
    start: (round, { servable }) => start(round, servable),
    restart: (round, step) => {
      seen.restarts.push({ reason: step.reason, isRequired: isRestartRequired(step) });
      setState(beginRestart(panel.state, step.servable, step.reason, world.now));
      stop();
      if (step.reason !== 'cut_off') return;
      stored.cutOffAt = world.now;
      round.done.add('drift_repaired');
    },
    halt: ({ done }) => {
      stop();
      stored.position = null;
      done.add('reported');
      setState(disable(panel.state));
    },
    push: (round, { canAllow }) => push(round, canAllow),
    count: (round, { isPoll }) => countMoved(round, isPoll),
    findBlocked: ({ moved, done }) => {
      done.add('blocked_found');
      const blocked = moved.filter((id) => users.get(id) !== true);
      setState(recordBlocked(panel.state, new Set(blocked)));
      suspect(blocked);
    },
    findSessions: (_round, step) => findSessions(step),
    reopen: (_round, step) => reopen(step),
    repairDrift,
    renewLease: ({ done }) => {
      call('lease', () => {});
      done.add('lease_renewed');
    },
    reportUp: ({ done }) => {
      done.add('reported');
    },
    fail: (_round, { message }) => {
      throw new Failure(message);
    },
  };

  function perform<Type extends ModelStep['type']>(round: ModelRound, step: StepOf<Type>): void {
    const type: Type = step.type;
    seen.steps.set(type, (seen.steps.get(type) ?? 0) + 1);
    steps[type](round, step);
  }

  function* runRound(isPoll: boolean): Generator<void> {
    try {
      setState(beginRound(panel.state, String(records.version), isPoll));
      const round = buildRound(isPoll);
      const decide = () => reconcile(round.desired, look(round), panel.state);
      let performed = 0;
      for (let next = decide(); next.length > 0; next = decide()) {
        for (const step of next) {
          performed += 1;
          if (performed > MAX_STEPS) throw new Error('a round has no end');
          perform(round, step);
          yield;
        }
      }
      if (isPoll) setState(completePoll(panel.state));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      setState(disconnect(panel.state, { code: 'engine_unreachable', message: error.message }));
      panel.isPaused = true;
    }
  }

  /** One step of the round at hand, or of the next one that was requested. Returns whether there was one. */
  function advance(): boolean {
    if (panel.round === null) {
      if (panel.requested === 'nothing' || panel.isPaused) return false;
      const isPoll = panel.requested === 'poll';
      panel.requested = 'nothing';
      panel.round = runRound(isPoll);
    }
    if (panel.round.next().done === true) panel.round = null;
    return true;
  }

  /** As after each commit. */
  function wake(): void {
    if (panel.requested !== 'nothing') return;
    const isOther = String(records.version) !== panel.state.memory.version;
    if (isOther || (records.isEnabled && (stored.position === null || hasPending()))) panel.requested = 'round';
  }

  function change(id: number, isAllowed: boolean): void {
    users.set(id, isAllowed);
    quarantined.delete(id);
    log.push(id);
    wake();
  }

  function changeConfig(change: () => void): void {
    change();
    records.version += 1;
    wake();
  }

  return {
    records,
    refused,
    forbidden,
    refusedUsers,
    faults,
    seen,
    advance,
    change,
    isAllowed: (id: number) => users.get(id) === true,
    /** Whether the machine holds a lease, and whether its engine tells whom it serves. */
    setMachine(canAdopt: boolean, canTellMembers: boolean) {
      Object.assign(world, { canAdopt, canTellMembers });
    },
    setPort: (id: number, port: number) => changeConfig(() => ports.set(id, port)),
    portOf: (id: number) => ports.get(id) ?? 0,
    setEnabled: (isEnabled: boolean) =>
      changeConfig(() => {
        records.isEnabled = isEnabled;
      }),
    /** The keys of a connection cannot be read, or can again, which no commit says. */
    lock(isLocked: boolean) {
      records.isLocked = isLocked;
    },
    poll() {
      world.now += 100_000;
      panel.requested = 'poll';
    },
    endPause() {
      if (!panel.isPaused) return;
      panel.isPaused = false;
      panel.requested = 'poll';
    },
    crash,
    /** Users open a connection each. */
    open() {
      for (const id of world.engine?.users ?? []) world.engine?.open.add(id);
    },
    /** The machine starts its engine again, with the users whom it had. */
    restartByMachine() {
      const { engine } = world;
      if (engine === null) return;
      world.engine = {
        ...engine,
        boot: `${originOf(engine.boot)}r${world.now}`,
        open: new Set(),
        isBroken: false,
      };
      world.now += 1;
    },
    /** Somebody else changes who is on the engine. */
    drift(id: number) {
      const { engine } = world;
      if (engine !== null && !engine.users.delete(id)) engine.users.add(id);
    },
    /** A backup is restored: how far engines were brought is not known. */
    restore() {
      stored.position = null;
      wake();
    },
    /** The panel is killed, and started again. */
    kill() {
      Object.assign(panel, { requested: 'poll', isPaused: false, round: null });
      setState(createNodeState(stored));
    },
    /** Who is on the engine, and with what; null: none runs. */
    present: () =>
      world.engine && {
        fingerprint: world.engine.isBroken ? 'broken' : fingerprintOf(world.engine.config),
        users: [...world.engine.users].sort(),
      },
    /** By the records. */
    wanted: () => ({ fingerprint: fingerprintOf(wantedConfig()), users: allowedUsers().toSorted() }),
    stateName: () => panel.state.name,
  };
}
