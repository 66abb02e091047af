// The lifecycle of one node, as the panel sees it, and what each event makes of it. The reconciler (core/nodes/reconciler.ts) carries steps out and
// reports here what came of them; reconcile.ts decides from it what to do next.
import type { NodeErrorCode, NodeRestartReason } from '../../contract/nodes/nodes.ts';
import { HOUR_MS } from '../limits.ts';

/** What the rules read of an engine's configuration. */
export interface ConfigShape {
  readonly inbounds: readonly unknown[];
}

/** A configuration with what its engine identifies it by. */
export interface Fingerprinted<Config> {
  readonly config: Config;
  readonly fingerprint: string;
}

export interface NodeProblem {
  readonly code: NodeErrorCode;
  readonly message: string;
}

/** A connection that is not served as the records say. */
export interface Unserved extends NodeProblem {
  readonly inboundId: number;
}

/** What an engine would serve of what the records want. */
export interface Servable<Config> extends Fingerprinted<Config> {
  /** Identifies what was wanted. */
  readonly wanted: string;
  readonly unserved: readonly Unserved[];
}

interface Check<Config> {
  /** What the last check found. */
  readonly servable: Servable<Config> | null;
  /** The fingerprint that the engine reported when it was made or carried out. */
  readonly checkedFor: string | null;
  /** Why a changed configuration could not be checked. */
  readonly problem: NodeProblem | null;
  readonly pollsToRetry: number;
  /**
   * Connections over which a start failed although the engine had accepted them. They are tried with the next start: no engine that runs is restarted
   * for them, unless it says by itself what is wrong, and then no longer does.
   */
  readonly failedAtStart: readonly Unserved[];
}

interface Usage {
  /** When the counters were last read, or began; null: not known, as this panel did neither. */
  readonly countedAt: number | null;
  /** When users last moved bytes. */
  readonly onlineAt: ReadonlyMap<number, number>;
  /** In how many polls in a row users have moved bytes who may not connect, since they were last allowed. */
  readonly pollsWhileBlocked: ReadonlyMap<number, number>;
  /** When the engine was last restarted to cut users off. */
  readonly cutOffAt: number;
}

/** What lasts through failures and restarts of the engine. */
export interface NodeMemory<Config> {
  /** The version of the records that the last round began with. */
  readonly version: string;
  /** Rounds that failed and exits of the engine, since the last poll that succeeded. */
  readonly failures: number;
  readonly check: Check<Config>;
  readonly usage: Usage;
  /** The fingerprint of what this panel last started, and the one that the engine reports: its machine may compute another one. */
  readonly started: { readonly fingerprint: string; readonly reported: string | null } | null;
  /** The last change in the lease of the machine when this start of the engine was last seen; null: no start was seen yet. */
  readonly leasedChange: number | null;
  /** The machine knows of links that were replaced before. */
  readonly reissuesUntil: number;
  readonly pollsToDrift: number;
  /** When the engine was last restarted because something else than this panel or its machine had started it. */
  readonly foreignStarts: readonly number[];
}

/**
 * The lifecycle of a node:
 *
 *     unread   disabled   disconnected
 *        └────────┬────────────┘
 *              observe  ◄──────────────────────────────────────┐ each round
 *        ┌────────┼───────────────────────────────┐            │
 *        │ none   │ whom it serves is not known   │ known      │
 *        ▼        ▼                               ▼            │
 *     stopped  unknown                         serving ────────┘
 *        │        │                               │
 *        │        └───────────► restarting ◄──────┘ another configuration, users to cut off
 *        │                          │ stopped
 *        └─────► starting ◄─────────┘
 *                 │    ▲ │
 *                 │    └─┘ a port cannot be had: without its connection
 *                 ▼
 *              serving
 *
 *     any ── a step fails, or the engine exits ──► disconnected      after a pause it is polled
 *     any ── disabled or deleted ──► disabled                        its engine is stopped
 *
 * A remote node that was not joined has no state yet: nothing runs for it.
 */
export type Lifecycle<Config> =
  /** This panel has not contacted the engine yet. */
  | { readonly name: 'unread' }
  /** Disabled or deleted in the records: it serves no user. */
  | { readonly name: 'disabled' }
  /** No engine runs. */
  | { readonly name: 'stopped' }
  /** An engine runs, but whom it serves is not known: it has to be restarted with everybody. */
  | {
      readonly name: 'unknown';
      /** Something else has started it since this panel did. */
      readonly isForeign: boolean;
    }
  | { readonly name: 'starting'; readonly servable: Servable<Config> }
  /** The engine runs, and whom it serves is known but for pending changes. */
  | {
      readonly name: 'serving';
      /** Null: its configuration is another one than this panel knows. No user is allowed then: an account of another kind ends some engines. */
      readonly served: Fingerprinted<Config> | null;
      /** As it reports. */
      readonly fingerprint: string | null;
    }
  | {
      readonly name: 'restarting';
      readonly servable: Servable<Config>;
      readonly reason: NodeRestartReason;
      /** While it still runs. */
      readonly served: Fingerprinted<Config> | null;
    }
  | {
      readonly name: 'disconnected';
      /** Null: a fault of the panel itself. */
      readonly reason: NodeProblem | null;
      /** By the last contact. */
      readonly served: Fingerprinted<Config> | null;
    };

export type NodeState<Config> = Lifecycle<Config> & { readonly memory: NodeMemory<Config> };

/** After so many polls a connection that the engine has refused is tried again; one whose port is taken with each poll. */
const RETRY_EVERY_POLLS = 30;
const DRIFT_EVERY_POLLS = 30;
/** The pause after a failure: doubled with each one more. */
const MIN_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

/** `cutOffAt`: when the engine was last restarted to cut users off; null: never. */
export function createNodeState<Config>(cutOffAt: number | null): NodeState<Config> {
  return {
    name: 'unread',
    memory: {
      version: '',
      failures: 0,
      check: { servable: null, checkedFor: null, problem: null, pollsToRetry: 0, failedAtStart: [] },
      usage: {
        countedAt: null,
        onlineAt: new Map(),
        pollsWhileBlocked: new Map(),
        cutOffAt: cutOffAt ?? Number.NEGATIVE_INFINITY,
      },
      started: null,
      leasedChange: null,
      reissuesUntil: 0,
      pollsToDrift: 0,
      foreignStarts: [],
    },
  };
}

/** What the engine is known to serve. */
export function getServed<Config>(state: NodeState<Config>): Fingerprinted<Config> | null {
  return 'served' in state ? state.served : null;
}

/** Whether an engine that reports `fingerprint` was started with a configuration. */
export function isServing<Config>(
  { memory: { started } }: NodeState<Config>,
  reported: string | null,
  { fingerprint }: Pick<Fingerprinted<Config>, 'fingerprint'>,
): boolean {
  return reported === fingerprint || (started?.fingerprint === fingerprint && started.reported === reported);
}

export function computePauseMs({ memory: { failures } }: NodeState<unknown>): number {
  return Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** (failures - 1));
}

export function remember<Config>(state: NodeState<Config>, changes: Partial<NodeMemory<Config>>): NodeState<Config> {
  return { ...state, memory: { ...state.memory, ...changes } };
}

function rememberCheck<Config>({ memory }: NodeState<Config>, changes: Partial<Check<Config>>): NodeMemory<Config> {
  return { ...memory, check: { ...memory.check, ...changes } };
}

export function rememberUsage<Config>(state: NodeState<Config>, changes: Partial<Usage>): NodeState<Config> {
  return remember(state, { usage: { ...state.memory.usage, ...changes } });
}

/** A round begins. `version`: of the records. */
export function beginRound<Config>(state: NodeState<Config>, version: string, isPoll: boolean): NodeState<Config> {
  const { check } = state.memory;
  const memory = isPoll ? rememberCheck(state, { pollsToRetry: check.pollsToRetry - 1 }) : state.memory;
  return { ...state, memory: { ...memory, version } };
}

/** A poll succeeded. */
export function completePoll<Config>(state: NodeState<Config>): NodeState<Config> {
  return state.name === 'disconnected' ? state : remember(state, { failures: 0 });
}

/** No engine runs. */
export function observeStopped<Config>(state: NodeState<Config>): NodeState<Config> {
  return { name: 'stopped', memory: rememberCheck(state, { pollsToRetry: 0, failedAtStart: [] }) };
}

/** An engine runs of which it is not known whom it serves. */
export function observeUnknown<Config>({ memory }: NodeState<Config>, isForeign: boolean): NodeState<Config> {
  return { name: 'unknown', isForeign, memory };
}

/** The engine runs that ran before. `isOtherStart`: its machine has started it again. */
export function observeServing<Config>(
  state: NodeState<Config>,
  fingerprint: string | null,
  leasedChange: number | null,
  isOtherStart: boolean,
): NodeState<Config> {
  const before = isOtherStart ? null : getServed(state);
  const served = before !== null && isServing(state, fingerprint, before) ? before : null;
  const { memory } = remember(isOtherStart ? rememberUsage(state, { pollsWhileBlocked: new Map() }) : state, {
    leasedChange,
  });
  return { name: 'serving', served, fingerprint, memory };
}

/** What is to be served is checked with the engine. Returns also what is known of it since the last time: that is not checked again. */
export function beginCheck<Config>(
  state: NodeState<Config>,
  wanted: string,
): { readonly state: NodeState<Config>; readonly known: readonly Unserved[] } {
  const { servable, pollsToRetry, failedAtStart } = state.memory.check;
  const isSame = servable?.wanted === wanted;
  const known = isSame && pollsToRetry > 0 ? servable.unserved : [];
  const memory = rememberCheck(state, {
    pollsToRetry: known.length === 0 ? RETRY_EVERY_POLLS : pollsToRetry,
    failedAtStart: isSame ? failedAtStart : [],
  });
  return { state: { ...state, memory }, known };
}

/** The engine refuses these by itself. */
export function recordRefused<Config>(state: NodeState<Config>, refused: readonly Unserved[]): NodeState<Config> {
  const isRefused = (one: Unserved) => refused.some(({ inboundId }) => inboundId === one.inboundId);
  const failedAtStart = state.memory.check.failedAtStart.filter((one) => !isRefused(one));
  return { ...state, memory: rememberCheck(state, { failedAtStart }) };
}

function reportedBy<Config>(state: NodeState<Config>): string | null {
  return state.name === 'serving' ? state.fingerprint : state.memory.check.checkedFor;
}

export function recordServable<Config>(state: NodeState<Config>, servable: Servable<Config>): NodeState<Config> {
  return { ...state, memory: rememberCheck(state, { servable, problem: null, checkedFor: reportedBy(state) }) };
}

/** The engine does not say what it would serve. */
export function recordCheckProblem<Config>(state: NodeState<Config>, problem: NodeProblem): NodeState<Config> {
  return { ...state, memory: rememberCheck(state, { problem, checkedFor: reportedBy(state) }) };
}

/** The engine that runs serves this already. */
export function adopt<Config>(state: NodeState<Config>, servable: Servable<Config>): NodeState<Config> {
  const { config, fingerprint } = servable;
  const { memory } = recordServable(state, servable);
  return { name: 'serving', served: { config, fingerprint }, fingerprint: reportedBy(state), memory };
}

/** Those within the last hour. */
export function listForeignStarts({ memory }: NodeState<unknown>, now: number): readonly number[] {
  return memory.foreignStarts.filter((at) => Math.abs(now - at) < HOUR_MS);
}

export function beginRestart<Config>(
  state: NodeState<Config>,
  servable: Servable<Config>,
  reason: NodeRestartReason,
  now: number,
): NodeState<Config> {
  const isForeign = state.name === 'unknown' && state.isForeign;
  const counted = isForeign ? remember(state, { foreignStarts: [...listForeignStarts(state, now), now] }) : state;
  const { memory } = reason === 'cut_off' ? rememberUsage(counted, { cutOffAt: now }) : counted;
  return { name: 'restarting', servable, reason, served: getServed(state), memory };
}

/** The engine does not run, and is to be started. */
export function beginStarting<Config>(state: NodeState<Config>, servable: Servable<Config>): NodeState<Config> {
  return { name: 'starting', servable, memory: rememberCheck(state, { servable, problem: null }) };
}

/** A new start is recorded: its counters begin at zero. */
export function beginCounting<Config>(state: NodeState<Config>, now: number): NodeState<Config> {
  return rememberUsage(state, { onlineAt: new Map(), pollsWhileBlocked: new Map(), countedAt: now });
}

export function completeStart<Config>(
  state: NodeState<Config>,
  { config, fingerprint }: Servable<Config>,
  reported: string | null,
): NodeState<Config> {
  const memory = { ...rememberCheck(state, { checkedFor: reported }), started: { fingerprint, reported } };
  return { name: 'serving', served: { config, fingerprint }, fingerprint: reported, memory };
}

/** A connection over which the start failed is left out of the next one. */
export function leaveOutAtStart<Config>(
  state: NodeState<Config>,
  failed: Unserved,
  rest: Servable<Config>,
): NodeState<Config> {
  const { failedAtStart } = state.memory.check;
  const others = failedAtStart.filter(({ inboundId }) => inboundId !== failed.inboundId);
  const { memory } = beginStarting(state, rest);
  return {
    name: 'starting',
    servable: rest,
    memory: rememberCheck({ ...state, memory }, { failedAtStart: [...others, failed] }),
  };
}

/** The node was disabled or deleted, and its engine stopped. */
export function disable<Config>(state: NodeState<Config>): NodeState<Config> {
  return { name: 'disabled', memory: rememberCheck(state, { servable: null }) };
}

/** A step failed, or the engine ended by itself. */
export function disconnect<Config>(state: NodeState<Config>, reason: NodeProblem | null): NodeState<Config> {
  const { memory } = remember(state, { failures: state.memory.failures + 1 });
  return { name: 'disconnected', reason, served: getServed(state), memory };
}

/** The counters were read at `countedAt`. `moved`: ids of users who have moved bytes since. */
export function recordCounted<Config>(
  state: NodeState<Config>,
  moved: readonly number[],
  countedAt: number,
  now: number,
): NodeState<Config> {
  if (moved.length === 0) return rememberUsage(state, { countedAt });
  const onlineAt = new Map(state.memory.usage.onlineAt);
  for (const userId of moved) onlineAt.set(userId, now);
  return rememberUsage(state, { countedAt, onlineAt });
}

/** Users who moved bytes before `until` are not online any more. */
export function forgetOnline<Config>(state: NodeState<Config>, until: number): NodeState<Config> {
  const { onlineAt } = state.memory.usage;
  return rememberUsage(state, { onlineAt: new Map([...onlineAt].filter(([, at]) => at > until)) });
}

/** A poll has found who moved bytes and may not connect. */
export function recordBlocked<Config>(state: NodeState<Config>, blocked: ReadonlySet<number>): NodeState<Config> {
  const { pollsWhileBlocked: before } = state.memory.usage;
  const pollsWhileBlocked = new Map([...blocked].map((id) => [id, (before.get(id) ?? 0) + 1]));
  const next = rememberUsage(state, { pollsWhileBlocked });
  return remember(next, { pollsToDrift: state.memory.pollsToDrift - 1 });
}

/** Users were allowed again. */
export function recordAllowed<Config>(state: NodeState<Config>, allowed: readonly number[]): NodeState<Config> {
  const { pollsWhileBlocked: before } = state.memory.usage;
  if (before.size === 0) return state;
  const pollsWhileBlocked = new Map(before);
  for (const userId of allowed) pollsWhileBlocked.delete(userId);
  return rememberUsage(state, { pollsWhileBlocked });
}

/** The users on the engine's connections are those of the records. */
export function recordDriftRepaired<Config>(state: NodeState<Config>): NodeState<Config> {
  return remember(state, { pollsToDrift: DRIFT_EVERY_POLLS });
}
