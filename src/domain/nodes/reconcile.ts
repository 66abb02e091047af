// What a round of a node does next: pure, from what the records want, what was observed in this round, and the state of the node. The reconciler
// (core/nodes/reconciler.ts) carries the steps out in order and asks again, until there are none.
import type { NodeErrorCode, NodeRestartReason } from '../../contract/nodes/nodes.ts';
import { RESTART_EVERY_MS } from '../limits.ts';
import {
  type ConfigShape,
  type Fingerprinted,
  isServing,
  listForeignStarts,
  type NodeState,
  type Servable,
} from './node-state.ts';

/** A user who may not connect and moves bytes in so many polls in a row is cut off by a restart: in the first, some may be from before. */
const POLLS_TO_CUT_OFF = 3;

/** An engine that something else starts again and again, as another panel, is restarted so often in an hour. */
const MAX_FOREIGN_STARTS = 3;
const OTHER_PANEL = {
  type: 'fail',
  code: 'other_panel',
  message:
    'something else has started the engine again and again, as another panel with the same data would: it is left alone for an hour',
} as const;

/** What the records want. */
export interface Desired<Config> extends Fingerprinted<Config> {
  /** Whether the node is there and enabled. */
  readonly isEnabled: boolean;
  /** Whether the counters are to be read. */
  readonly isPoll: boolean;
  /** Identifies all that is wanted, also what is not in `config`. */
  readonly wanted: string;
  /** Whether `config` has all that is wanted: the keys of each connection can be read. */
  readonly isComplete: boolean;
  /** Whether the engine may be restarted to cut users off. */
  readonly restartToCutOff: boolean;
}

/** What a round has done once. */
export type Milestone =
  | 'observed'
  | 'checked'
  | 'counted'
  | 'blocked_found'
  | 'drift_repaired'
  | 'lease_renewed'
  | 'reported';

/** What this round has seen up to now. */
export interface Observed {
  readonly now: number;
  readonly done: ReadonlySet<Milestone>;
  /** Whether there are changes of users of which the engine that runs was not told. */
  readonly hasPending: boolean;
  /** Batches of them that were pushed since it was started or its counters were read. */
  readonly batches: number;
  /** Whether the last batch brought it nearer. */
  readonly isAdvancing: boolean;
  /** Whether connections have changed since the round began: another start, with everybody, may be next. */
  readonly isStale: boolean;
  /** Whether its counters should be read before more is pushed. */
  readonly isPollDue: boolean;
}

/** What the reconciler can do. Each ends with a new state, or fails. */
export type Step<Config> =
  /** Asks the engine whether it runs, and finds out whether it is known whom it serves. */
  | { readonly type: 'observe' }
  /** Finds out what the engine would serve. `isRequired`: the round fails where it does not say. */
  | { readonly type: 'check'; readonly isRequired: boolean }
  /** The engine that runs serves this already. */
  | { readonly type: 'adopt'; readonly servable: Servable<Config> }
  /** Starts the engine with everybody who may connect. */
  | { readonly type: 'start'; readonly servable: Servable<Config> }
  /** Counts and stops the engine, and records why: it is started next. `userIds`: who is cut off by it. */
  | {
      readonly type: 'restart';
      readonly servable: Servable<Config>;
      readonly reason: NodeRestartReason;
      readonly userIds: readonly number[];
    }
  /** Counts and stops the engine of a node that is disabled or deleted. */
  | { readonly type: 'halt' }
  /** Tells the engine of the next changes of users. `isCautious` is up to the log. */
  | { readonly type: 'push'; readonly canAllow: boolean }
  /** Counts what the engine, or its machine, has counted. */
  | { readonly type: 'count'; readonly isPoll: boolean }
  /** Finds users who moved bytes and may not connect. */
  | { readonly type: 'findBlocked' }
  /** Compares who is on each connection with who should be. */
  | { readonly type: 'repairDrift'; readonly served: Config }
  /** Brings what its machine has to act alone to the records. */
  | { readonly type: 'renewLease' }
  /** Writes that the node is up. */
  | { readonly type: 'reportUp' }
  /** Nothing can be served: the round fails. */
  | { readonly type: 'fail'; readonly code: NodeErrorCode; readonly message: string };

type Steps<Config> = readonly Step<Config>[];

/** Returns an empty list where the round is over. */
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
      // The engine ended meanwhile: it is observed once more after a pause.
      return [];
  }
}

/** Whether nothing of what is wanted can be served. */
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

/** Brings the configuration of an engine that runs to what is wanted, as far as it can be served. */
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
  // What it has now is not known: that is more than nothing, and than what is left while keys are locked.
  const isLess = servable.unserved.length > 0 && (servable.config.inbounds.length === 0 || !isComplete);
  return state.served === null && isLess ? [] : [restart(servable, 'configuration')];
}

/** Whether it is known that the engine serves all that is wanted. */
function isAdopted<Config>({ fingerprint, wanted }: Desired<Config>, { served, memory }: Serving<Config>): boolean {
  const { servable, problem } = memory.check;
  return (
    served?.fingerprint === fingerprint &&
    servable?.wanted === wanted &&
    servable.unserved.length === 0 &&
    problem === null
  );
}

/** What the last check found, unless something else is wanted or runs, or it is time to try again what is not served. */
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

/** Whether changes are pushed next. What is pushed before the counters are read in a poll is one batch. */
export function isPushDue<Config>({ isPoll }: Pick<Desired<Config>, 'isPoll'>, observed: Observed): boolean {
  const { hasPending, batches, isAdvancing, isStale, isPollDue, done } = observed;
  if (!hasPending || batches === 0) return hasPending;
  const isCountDue = isPoll && !done.has('counted');
  return isAdvancing && !isStale && !isPollDue && !isCountDue;
}

/** What is due of an engine whose configuration is as it can be. */
function maintain<Config>(desired: Desired<Config>, observed: Observed, state: Serving<Config>): Steps<Config> {
  const { isPoll } = desired;
  const { done, hasPending } = observed;
  const { served, memory } = state;
  if (isPushDue(desired, observed)) return [{ type: 'push', canAllow: served !== null }];
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

/** Users who may not connect and have moved bytes for so long that only a restart cuts them off. Empty: there is to be none now. */
function findUsersToCutOff<Config>(
  { restartToCutOff }: Desired<Config>,
  { now }: Observed,
  { memory: { usage } }: NodeState<Config>,
): readonly number[] {
  const { cutOffAt, pollsWhileBlocked } = usage;
  if (!restartToCutOff || Math.abs(now - cutOffAt) < RESTART_EVERY_MS) return [];
  const isDue = [...pollsWhileBlocked.values()].some((polls) => polls >= POLLS_TO_CUT_OFF);
  return isDue ? [...pollsWhileBlocked.keys()] : [];
}
