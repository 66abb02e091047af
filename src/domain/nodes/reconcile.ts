// Decides the next steps of a node's round: pure, from the records, the observations of this round and the state of the node. The reconciler
// (core/nodes/reconciler.ts) carries the steps out in order and calls this again until there are none.
import type { NodeErrorCode, NodeRestartReason } from '../../contract/nodes/nodes.ts';
import { REOPEN_EVERY_MS, RESTART_EVERY_MS } from '../limits.ts';
import {
  type ConfigShape,
  type Fingerprinted,
  isServing,
  listForeignStarts,
  type NodeState,
  type Servable,
} from './node-state.ts';

/**
 * A blocked user who moves bytes in this many consecutive polls is cut off by a restart: the bytes of the first poll may be from before the block.
 */
const POLLS_TO_CUT_OFF = 3;

/** An engine that something else, such as another panel, starts repeatedly is restarted at most this often in an hour. */
const MAX_FOREIGN_STARTS = 3;
const OTHER_PANEL = {
  type: 'fail',
  code: 'other_panel',
  message:
    'something else has started the engine again and again, as another panel with the same data would: it is left alone for an hour',
} as const;

/** The wanted state of a node, by the records. */
export interface Desired<Config> extends Fingerprinted<Config> {
  /** Whether the node exists and is enabled. */
  readonly isEnabled: boolean;
  /** Whether the counters are to be read. */
  readonly isPoll: boolean;
  /** Identifies everything that is wanted, including what is missing in `config`. */
  readonly wanted: string;
  /** Whether `config` is complete: the keys of every connection could be decrypted. */
  readonly isComplete: boolean;
  /** Whether connections of others may be ended to cut users off. */
  readonly restartToCutOff: boolean;
}

/** Steps that are done once in a round. */
export type Milestone =
  | 'observed'
  | 'checked'
  | 'counted'
  | 'blocked_found'
  | 'drift_repaired'
  | 'lease_renewed'
  | 'reported';

/** What this round has observed so far. */
export interface Observed {
  readonly now: number;
  readonly done: ReadonlySet<Milestone>;
  /** Whether changes of users have not been pushed to the running engine yet. */
  readonly hasPending: boolean;
  /** Batches of changes pushed since the engine was started or its counters were read. */
  readonly batches: number;
  /** Whether the last batch made progress. */
  readonly isAdvancing: boolean;
  /** Whether connections have changed since the round began, so that a restart with all users may follow. */
  readonly isStale: boolean;
  /** Whether the counters should be read before more is pushed. */
  readonly isPollDue: boolean;
}

/** The steps of the reconciler. Each ends in a new state or fails. */
export type Step<Config> =
  /** Asks whether the engine runs, and whether its users are known. */
  | { readonly type: 'observe' }
  /** Finds out what the engine would serve. `isRequired`: the round fails if that is unknown. */
  | { readonly type: 'check'; readonly isRequired: boolean }
  /** The running engine serves this already. */
  | { readonly type: 'adopt'; readonly servable: Servable<Config> }
  /** The users on the running engine are unknown: all of them are replaced by those who may connect, without ending a connection. */
  | { readonly type: 'adoptUnknown'; readonly servable: Servable<Config> }
  /** Starts the engine with all users who may connect. */
  | { readonly type: 'start'; readonly servable: Servable<Config> }
  /** Reads the counters, stops the engine and records the reason; a start follows. `userIds`: users who are cut off by it. */
  | {
      readonly type: 'restart';
      readonly servable: Servable<Config>;
      readonly reason: NodeRestartReason;
      readonly userIds: readonly number[];
    }
  /** Reads the counters and stops the engine of a node that is disabled or deleted. */
  | { readonly type: 'halt' }
  /** Pushes the next changes of users. How cautiously is decided by the log of changes. */
  | { readonly type: 'push'; readonly canAllow: boolean }
  /** Reads the counters of the engine, or of its machine. */
  | { readonly type: 'count'; readonly isPoll: boolean }
  /** Finds users who moved bytes and may not connect. */
  | { readonly type: 'findBlocked' }
  /** Finds which of these users, who may not connect, move bytes over connections that can be reopened. */
  | { readonly type: 'findSessions'; readonly served: Config; readonly userIds: readonly number[] }
  /** Reopens a connection on the engine that runs, which ends the sessions over it. `userIds`: who is cut off by it. */
  | {
      readonly type: 'reopen';
      readonly served: Config;
      readonly inboundId: number;
      readonly userIds: readonly number[];
    }
  /** Compares the users on each connection with those of the records. */
  | { readonly type: 'repairDrift'; readonly served: Config }
  /** Updates the lease of its machine. */
  | { readonly type: 'renewLease' }
  /** Records that the node is up. */
  | { readonly type: 'reportUp' }
  /** Nothing can be served: the round fails. */
  | { readonly type: 'fail'; readonly code: NodeErrorCode; readonly message: string };

type Steps<Config> = readonly Step<Config>[];

/** An empty list ends the round. */
export function reconcile<Config extends ConfigShape>(
  desired: Desired<Config>,
  observed: Observed,
  state: NodeState<Config>,
): Steps<Config> {
  const { done } = observed;
  if (done.has('reported')) return [];
  if (!desired.isEnabled) return [{ type: 'halt' }];
  if (!done.has('observed')) return [{ type: 'observe' }];
  const servable = done.has('checked') ? state.memory.check.servable : null;
  switch (state.name) {
    case 'stopped':
      if (servable !== null) return startOrFail(servable);
      return [
        { type: 'count', isPoll: false },
        { type: 'check', isRequired: true },
      ];
    case 'unknown':
      if (servable === null) return [{ type: 'check', isRequired: true }];
      if (state.adoptableAs !== null && !isEmpty(servable) && isServing(state, state.adoptableAs, servable))
        return [{ type: 'adoptUnknown', servable }];
      if (state.isForeign && listForeignStarts(state, observed.now).length >= MAX_FOREIGN_STARTS) return [OTHER_PANEL];
      return isEmpty(servable) ? [failOver(servable)] : [restart(servable, 'unknown_state')];
    case 'starting':
    case 'restarting':
      return startOrFail(state.servable);
    case 'serving': {
      const next = adjustConfig(desired, observed, state);
      return next.length > 0 ? next : maintain(desired, observed, state);
    }
    default:
      // The engine exited meanwhile: it is observed again after a pause.
      return [];
  }
}

/** Whether none of the wanted connections can be served. */
function isEmpty<Config extends ConfigShape>({ config, unserved }: Servable<Config>): boolean {
  return config.inbounds.length === 0 && unserved.length > 0;
}

function failOver<Config>({ unserved }: Servable<Config>): Step<Config> {
  const code = unserved[0]?.code ?? 'config_refused';
  return { type: 'fail', code, message: unserved.map(({ message }) => message).join('; ') };
}

function startOrFail<Config extends ConfigShape>(servable: Servable<Config>): Steps<Config> {
  return [isEmpty(servable) ? failOver(servable) : { type: 'start', servable }];
}

function restart<Config>(
  servable: Servable<Config>,
  reason: NodeRestartReason,
  userIds: readonly number[] = [],
): Step<Config> {
  return { type: 'restart', servable, reason, userIds };
}

type Serving<Config> = NodeState<Config> & { readonly name: 'serving' };

/** Changes the configuration of a running engine to the wanted one, as far as it can be served. */
function adjustConfig<Config extends ConfigShape>(
  desired: Desired<Config>,
  { done }: Observed,
  state: Serving<Config>,
): Steps<Config> {
  const { config, fingerprint, wanted, isComplete } = desired;
  const { check } = state.memory;
  if (isComplete && isServing(state, state.fingerprint, desired)) {
    return isAdopted(desired, state)
      ? []
      : [{ type: 'adopt', servable: { config, fingerprint, wanted, unserved: [] } }];
  }
  if (done.has('checked') && check.problem !== null) return [];
  const servable = done.has('checked') ? check.servable : findCurrentServable(desired, state);
  if (servable === null) return [{ type: 'check', isRequired: false }];
  if (isServing(state, state.fingerprint, servable)) {
    return state.served?.fingerprint === servable.fingerprint ? [] : [{ type: 'adopt', servable }];
  }
  // The served configuration is unknown, so it may be more than this: do not replace it by nothing, or by a part while keys are locked.
  const isLess = servable.unserved.length > 0 && (servable.config.inbounds.length === 0 || !isComplete);
  return state.served === null && isLess ? [] : [restart(servable, 'configuration')];
}

/** Whether the engine is known to serve everything that is wanted. */
function isAdopted<Config>({ fingerprint, wanted }: Desired<Config>, { served, memory }: Serving<Config>): boolean {
  const { servable, problem } = memory.check;
  return (
    served?.fingerprint === fingerprint &&
    servable?.wanted === wanted &&
    servable.unserved.length === 0 &&
    problem === null
  );
}

/** The result of the last check, unless something else is wanted or runs, or a retry of unserved connections is due. */
function findCurrentServable<Config>(
  { wanted, isPoll }: Desired<Config>,
  { fingerprint, memory }: Serving<Config>,
): Servable<Config> | null {
  const { servable, checkedFor, pollsToRetry } = memory.check;
  if (servable === null || servable.wanted !== wanted || checkedFor !== fingerprint) return null;
  const isTaken = servable.unserved.some(({ code }) => code === 'port_taken');
  const isRetryDue = isPoll && servable.unserved.length > 0 && (pollsToRetry <= 0 || isTaken);
  return isRetryDue ? null : servable;
}

/** Whether changes are pushed next. In a poll, at most one batch is pushed before the counters are read. */
export function isPushDue<Config>({ isPoll }: Pick<Desired<Config>, 'isPoll'>, observed: Observed): boolean {
  const { hasPending, batches, isAdvancing, isStale, isPollDue, done } = observed;
  if (!hasPending || batches === 0) return hasPending;
  const isCountDue = isPoll && !done.has('counted');
  return isAdvancing && !isStale && !isPollDue && !isCountDue;
}

/** Steps that are due for an engine with the right configuration. */
function maintain<Config>(desired: Desired<Config>, observed: Observed, state: Serving<Config>): Steps<Config> {
  const { isPoll } = desired;
  const { done, hasPending } = observed;
  const { served, memory } = state;
  if (isPushDue(desired, observed)) return [{ type: 'push', canAllow: served !== null }];
  if (served !== null && !hasPending) {
    const step = endSessions(desired, observed, state, served.config);
    if (step !== null) return [step];
  }
  if (isPoll && !done.has('counted')) return [{ type: 'count', isPoll: true }];
  if (isPoll && !done.has('blocked_found')) return [{ type: 'findBlocked' }];
  if (isPoll && !done.has('drift_repaired')) {
    const { servable } = memory.check;
    const userIds = findUsersToCutOff(desired, observed, state);
    if (userIds.length > 0 && served !== null && servable !== null) {
      return [restart({ ...servable, ...served }, 'cut_off', userIds)];
    }
    if (memory.pollsToDrift <= 0 && !hasPending && served !== null) {
      return [{ type: 'repairDrift', served: served.config }];
    }
  }
  return done.has('lease_renewed') ? [{ type: 'reportUp' }] : [{ type: 'renewLease' }];
}

/** Ends sessions of users who may not connect, over the connections where that does not take a restart. */
function endSessions<Config>(
  { restartToCutOff }: Desired<Config>,
  { now }: Observed,
  { memory: { usage } }: NodeState<Config>,
  served: Config,
): Step<Config> | null {
  const { suspects, sessions, reopenedAt, canReopen } = usage;
  if (!restartToCutOff || !canReopen) return null;
  const [next] = sessions;
  if (next !== undefined) return { type: 'reopen', served, ...next };
  if (suspects.size === 0 || Math.abs(now - reopenedAt) < REOPEN_EVERY_MS) return null;
  return { type: 'findSessions', served, userIds: [...suspects] };
}

/** Blocked users who have moved bytes for so long that only a restart cuts them off. Empty if a restart is not allowed now. */
function findUsersToCutOff<Config>(
  { restartToCutOff }: Desired<Config>,
  { now }: Observed,
  { memory: { usage } }: NodeState<Config>,
): readonly number[] {
  const { cutOffAt, pollsWhileBlocked, suspects } = usage;
  if (!restartToCutOff || Math.abs(now - cutOffAt) < RESTART_EVERY_MS) return [];
  // Suspects are looked for first: less may do.
  const isDue = [...pollsWhileBlocked].some(([id, polls]) => polls >= POLLS_TO_CUT_OFF && !suspects.has(id));
  return isDue ? [...pollsWhileBlocked.keys()] : [];
}
