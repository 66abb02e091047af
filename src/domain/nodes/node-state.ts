// The lifecycle of one node as the panel sees it: pure transitions, one for each event. reconcile.ts decides the next step from the state; the
// reconciler (core/nodes/reconciler.ts) carries the steps out and reports their results here.
import type { NodeErrorCode, NodeRestartReason } from '../../contract/nodes/nodes.ts';
import { HOUR_MS } from '../limits.ts';

/** Parts of an engine's configuration that the rules read. */
export interface ConfigShape {
  readonly inbounds: readonly unknown[];
}

/** A configuration and the fingerprint by which its engine identifies it. */
export interface Fingerprinted<Config> {
  readonly config: Config;
  readonly fingerprint: string;
}

export interface NodeProblem {
  readonly code: NodeErrorCode;
  readonly message: string;
}

/** A connection that is not served as the records demand. */
export interface Unserved extends NodeProblem {
  readonly inboundId: number;
}

/** The part of the wanted configuration that an engine can serve. */
export interface Servable<Config> extends Fingerprinted<Config> {
  /** Identifies the wanted configuration. */
  readonly wanted: string;
  readonly unserved: readonly Unserved[];
}

interface Check<Config> {
  /** The result of the last check. */
  readonly servable: Servable<Config> | null;
  /** The fingerprint that the engine reported at the last check or start. */
  readonly checkedFor: string | null;
  /** Why a changed configuration could not be checked. */
  readonly problem: NodeProblem | null;
  readonly pollsToRetry: number;
  /**
   * Connections over which a start failed although the engine had accepted them in the check. They are retried at the next start; a running engine is
   * restarted for them only after it has reported the problem itself and stopped reporting it.
   */
  readonly failedAtStart: readonly Unserved[];
}

interface Usage {
  /** When the counters were last read or started; null: unknown, since this panel did neither. */
  readonly countedAt: number | null;
  /** When users last moved bytes, by user id, epoch ms. */
  readonly onlineAt: ReadonlyMap<number, number>;
  /** Number of consecutive polls in which blocked users moved bytes, by user id, since they were last allowed. */
  readonly pollsWhileBlocked: ReadonlyMap<number, number>;
  /** When the engine was last restarted to cut users off, epoch ms. */
  readonly cutOffAt: number;
  /** Users who were removed while online, or moved bytes since then. Their sessions must still be searched for ones that reopening can end. */
  readonly suspects: ReadonlySet<number>;
  /** The sessions that were found. */
  readonly sessions: readonly OpenSessions[];
  /** When sessions were last ended by reopening. */
  readonly reopenedAt: number;
  /** False: the engine that runs could not. */
  readonly canReopen: boolean;
}

/** Users who may not connect and move bytes over a connection that can be reopened. */
export interface OpenSessions {
  readonly inboundId: number;
  readonly userIds: readonly number[];
}

/** State that survives failures and restarts of the engine. */
export interface NodeMemory<Config> {
  /** The version of the records at the start of the last round. */
  readonly version: string;
  /** Failed rounds and exits of the engine since the last successful poll. */
  readonly failures: number;
  readonly check: Check<Config>;
  readonly usage: Usage;
  /**
   * The fingerprint of the configuration that this panel last started, and the one that the engine reports, which its machine may compute
   * differently.
   */
  readonly started: { readonly fingerprint: string; readonly reported: string | null } | null;
  /** The last change in the machine's lease when this start of the engine was last observed; null: no start observed yet. */
  readonly leasedChange: number | null;
  /** The machine knows about links replaced before this time, epoch ms. */
  readonly reissuesUntil: number;
  readonly pollsToDrift: number;
  /** Restarts of an engine that something other than this panel or its machine had started, epoch ms. */
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
 *     stopped  unknown ───────────────────────► serving ────────┘
 *        │        │     its machine can tell    │
 *        │        │     its users: adopted        │
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
  /** An engine runs, but the users on it are unknown: it must be brought to all allowed users, by a restart where it cannot be adopted. */
  | {
      readonly name: 'unknown';
      /** Whether something else has started it since this panel did. */
      readonly isForeign: boolean;
      /** As reported by the engine; null: it cannot be adopted. */
      readonly adoptableAs: string | null;
    }
  | { readonly name: 'starting'; readonly servable: Servable<Config> }
  /** The engine runs, and its users are known except for pending changes. */
  | {
      readonly name: 'serving';
      /** Null: its configuration is unknown to this panel. No users are added then, since an account of another protocol crashes some engines. */
      readonly served: Fingerprinted<Config> | null;
      /** As reported by the engine. */
      readonly fingerprint: string | null;
    }
  | {
      readonly name: 'restarting';
      readonly servable: Servable<Config>;
      readonly reason: NodeRestartReason;
      /** The configuration that still runs. */
      readonly served: Fingerprinted<Config> | null;
    }
  | {
      readonly name: 'disconnected';
      /** Null: an internal error of the panel. */
      readonly reason: NodeProblem | null;
      /** As of the last contact. */
      readonly served: Fingerprinted<Config> | null;
    };

export type NodeState<Config> = Lifecycle<Config> & { readonly memory: NodeMemory<Config> };

/** Number of polls after which a refused connection is retried. One whose port is taken is retried with every poll. */
const RETRY_EVERY_POLLS = 30;
const DRIFT_EVERY_POLLS = 30;
/** The pause after the first failure; it doubles with each further one. */
const MIN_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

/** Initial memory: no users are known that must be cut off from the running engine. */
const NOBODY = { pollsWhileBlocked: new Map(), suspects: new Set<number>(), sessions: [], canReopen: true } as const;

/** When the engine was last restarted, and sessions last ended, to cut users off; null: never. */
export interface LastCuts {
  readonly cutOffAt: number | null;
  readonly reopenedAt: number | null;
}

export function createNodeState<Config>({ cutOffAt, reopenedAt }: LastCuts): NodeState<Config> {
  return {
    name: 'unread',
    memory: {
      version: '',
      failures: 0,
      check: { servable: null, checkedFor: null, problem: null, pollsToRetry: 0, failedAtStart: [] },
      usage: {
        countedAt: null,
        onlineAt: new Map(),
        cutOffAt: cutOffAt ?? Number.NEGATIVE_INFINITY,
        reopenedAt: reopenedAt ?? Number.NEGATIVE_INFINITY,
        ...NOBODY,
      },
      started: null,
      leasedChange: null,
      reissuesUntil: 0,
      pollsToDrift: 0,
      foreignStarts: [],
    },
  };
}

/** The configuration that the engine is known to serve; null: unknown. */
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

/** Starts a round. `version`: of the records. */
export function beginRound<Config>(state: NodeState<Config>, version: string, isPoll: boolean): NodeState<Config> {
  const { check } = state.memory;
  const memory = isPoll ? rememberCheck(state, { pollsToRetry: check.pollsToRetry - 1 }) : state.memory;
  return { ...state, memory: { ...memory, version } };
}

/** Records a successful poll. */
export function completePoll<Config>(state: NodeState<Config>): NodeState<Config> {
  return state.name === 'disconnected' ? state : remember(state, { failures: 0 });
}

export function observeStopped<Config>(state: NodeState<Config>): NodeState<Config> {
  return { name: 'stopped', memory: rememberCheck(state, { pollsToRetry: 0, failedAtStart: [] }) };
}

/** The engine runs, but the users on it are unknown. `adoptableAs`: the fingerprint of its configuration; null: it cannot be adopted. */
export function observeUnknown<Config>(
  { memory }: NodeState<Config>,
  isForeign: boolean,
  adoptableAs: string | null,
): NodeState<Config> {
  return { name: 'unknown', isForeign, adoptableAs, memory };
}

/** The engine did not report its users. */
export function refuseAdoption<Config>(state: NodeState<Config>): NodeState<Config> {
  return state.name === 'unknown' ? { ...state, adoptableAs: null } : state;
}

/** Exactly the allowed users are on the engine now, which goes on as before. */
export function completeAdoption<Config>(
  state: NodeState<Config>,
  { config, fingerprint }: Servable<Config>,
): NodeState<Config> {
  const { memory } = rememberUsage(state, { onlineAt: new Map(), pollsWhileBlocked: new Map(), countedAt: null });
  const reported = state.name === 'unknown' ? state.adoptableAs : null;
  return { name: 'serving', served: { config, fingerprint }, fingerprint: reported, memory };
}

/** The same engine runs as before. `isOtherStart`: its machine has restarted it. */
export function observeServing<Config>(
  state: NodeState<Config>,
  fingerprint: string | null,
  leasedChange: number | null,
  isOtherStart: boolean,
): NodeState<Config> {
  const before = isOtherStart ? null : getServed(state);
  const served = before !== null && isServing(state, fingerprint, before) ? before : null;
  const { memory } = remember(isOtherStart ? rememberUsage(state, NOBODY) : state, {
    leasedChange,
  });
  return { name: 'serving', served, fingerprint, memory };
}

/** Starts a check of the wanted configuration. `known`: problems of the last check, which are not checked again yet. */
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

/** Connections that the check itself refuses. */
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

/** The engine's check of the configuration failed to run. */
export function recordCheckProblem<Config>(state: NodeState<Config>, problem: NodeProblem): NodeState<Config> {
  return { ...state, memory: rememberCheck(state, { problem, checkedFor: reportedBy(state) }) };
}

/** The running engine serves this already. */
export function adopt<Config>(state: NodeState<Config>, servable: Servable<Config>): NodeState<Config> {
  const { config, fingerprint } = servable;
  const { memory } = recordServable(state, servable);
  return { name: 'serving', served: { config, fingerprint }, fingerprint: reportedBy(state), memory };
}

/** Foreign starts within the last hour. */
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

/** The engine is stopped and will be started. */
export function beginStarting<Config>(state: NodeState<Config>, servable: Servable<Config>): NodeState<Config> {
  return { name: 'starting', servable, memory: rememberCheck(state, { servable, problem: null }) };
}

/** Records a new start, whose counters begin at zero. */
export function beginCounting<Config>(state: NodeState<Config>, now: number): NodeState<Config> {
  return rememberUsage(state, { onlineAt: new Map(), countedAt: now, ...NOBODY });
}

export function completeStart<Config>(
  state: NodeState<Config>,
  { config, fingerprint }: Servable<Config>,
  reported: string | null,
): NodeState<Config> {
  const memory = { ...rememberCheck(state, { checkedFor: reported }), started: { fingerprint, reported } };
  return { name: 'serving', served: { config, fingerprint }, fingerprint: reported, memory };
}

/** Leaves out the connection over which the start failed. */
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

/** A step failed, or the engine exited. */
export function disconnect<Config>(state: NodeState<Config>, reason: NodeProblem | null): NodeState<Config> {
  const { memory } = remember(state, { failures: state.memory.failures + 1 });
  return { name: 'disconnected', reason, served: getServed(state), memory };
}

/** The counters were read at `countedAt`. `moved`: ids of users who moved bytes since the reading before. */
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

/** Removes users who last moved bytes before `until` from the online ones. */
export function forgetOnline<Config>(state: NodeState<Config>, until: number): NodeState<Config> {
  const { onlineAt } = state.memory.usage;
  return rememberUsage(state, { onlineAt: new Map([...onlineAt].filter(([, at]) => at > until)) });
}

/** `blocked`: users who moved bytes in this poll and may not connect. */
export function recordBlocked<Config>(state: NodeState<Config>, blocked: ReadonlySet<number>): NodeState<Config> {
  const { pollsWhileBlocked: before } = state.memory.usage;
  const pollsWhileBlocked = new Map([...blocked].map((id) => [id, (before.get(id) ?? 0) + 1]));
  const next = rememberUsage(state, { pollsWhileBlocked });
  return remember(next, { pollsToDrift: state.memory.pollsToDrift - 1 });
}

/** These users may still have a session open, which is of interest where the engine could end it alone. */
export function recordSuspects<Config>(state: NodeState<Config>, userIds: Iterable<number>): NodeState<Config> {
  const { suspects, canReopen } = state.memory.usage;
  return canReopen ? rememberUsage(state, { suspects: new Set([...suspects, ...userIds]) }) : state;
}

/** The removed users who were online. */
export function listOnline({ memory }: NodeState<unknown>, userIds: readonly number[]): readonly number[] {
  return userIds.filter((id) => memory.usage.onlineAt.has(id));
}

/** Sessions of the suspects were looked for. */
export function recordSessions<Config>(state: NodeState<Config>, sessions: readonly OpenSessions[]): NodeState<Config> {
  return rememberUsage(state, { suspects: new Set(), sessions });
}

/** A connection was reopened: the sessions over it have ended. */
export function recordReopened<Config>(state: NodeState<Config>, inboundId: number, now: number): NodeState<Config> {
  const { sessions, pollsWhileBlocked: before } = state.memory.usage;
  const pollsWhileBlocked = new Map(before);
  for (const one of sessions) {
    if (one.inboundId === inboundId) for (const userId of one.userIds) pollsWhileBlocked.delete(userId);
  }
  const others = sessions.filter((one) => one.inboundId !== inboundId);
  return rememberUsage(state, { sessions: others, pollsWhileBlocked, reopenedAt: now });
}

/** The engine that runs cannot reopen a connection. */
export function recordReopenRefused<Config>(state: NodeState<Config>): NodeState<Config> {
  return rememberUsage(state, { suspects: new Set(), sessions: [], canReopen: false });
}

/** Users were allowed again. */
export function recordAllowed<Config>(state: NodeState<Config>, allowed: readonly number[]): NodeState<Config> {
  const { pollsWhileBlocked: before, suspects: suspected, sessions: found } = state.memory.usage;
  if (before.size + suspected.size + found.length === 0 || allowed.length === 0) return state;
  const isAllowed = new Set(allowed);
  const pollsWhileBlocked = new Map([...before].filter(([id]) => !isAllowed.has(id)));
  const suspects = new Set([...suspected].filter((id) => !isAllowed.has(id)));
  const sessions = found
    .map(({ inboundId, userIds }) => ({ inboundId, userIds: userIds.filter((id) => !isAllowed.has(id)) }))
    .filter(({ userIds }) => userIds.length > 0);
  return rememberUsage(state, { pollsWhileBlocked, suspects, sessions });
}

/** The users on the engine's connections match the records again. */
export function recordDriftRepaired<Config>(state: NodeState<Config>): NodeState<Config> {
  return remember(state, { pollsToDrift: DRIFT_EVERY_POLLS });
}
