// What a round does next: each rule alone, and all of them over any interleaving of commits, polls, crashes, kills and refusals.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { times } from '../../../tests/support/long.ts';
import { createNodeModel, MODEL_CALLS, type ModelFault } from '../../../tests/support/node-model.ts';
import { REOPEN_EVERY_MS } from '../limits.ts';
import {
  adopt,
  beginRestart,
  beginStarting,
  completeAdoption,
  createNodeState,
  disable,
  disconnect,
  type NodeState,
  observeServing,
  observeStopped,
  observeUnknown,
  recordAllowed,
  recordBlocked,
  recordCheckProblem,
  recordDriftRepaired,
  recordReopened,
  recordReopenRefused,
  recordServable,
  recordSessions,
  recordSuspects,
  refuseAdoption,
  remember,
  rememberUsage,
  type Servable,
  type Unserved,
} from './node-state.ts';
import { type Desired, isPushDue, type Milestone, type Observed, reconcile } from './reconcile.ts';

interface Config {
  readonly inbounds: readonly string[];
}

const FULL: Config = { inbounds: ['a', 'b'] };
const desired: Desired<Config> = {
  isEnabled: true,
  isPoll: false,
  config: FULL,
  fingerprint: 'full',
  wanted: 'want',
  isComplete: true,
  restartToCutOff: true,
};
const NOW = 10_000_000;
const done = (...milestones: Milestone[]): ReadonlySet<Milestone> => new Set(milestones);
const observed: Observed = {
  now: NOW,
  done: done('observed'),
  hasPending: false,
  batches: 0,
  isAdvancing: false,
  isStale: false,
  isPollDue: false,
};
const refused: Unserved = { inboundId: 2, code: 'config_refused', message: 'b: no' };
const taken: Unserved = { inboundId: 2, code: 'port_taken', message: 'b: port 2 is taken' };
const fullServable: Servable<Config> = { wanted: 'want', config: FULL, fingerprint: 'full', unserved: [] };
const lessServable: Servable<Config> = {
  wanted: 'want',
  config: { inbounds: ['a'] },
  fingerprint: 'less',
  unserved: [refused],
};
const noServable: Servable<Config> = {
  wanted: 'want',
  config: { inbounds: [] },
  fingerprint: 'none',
  unserved: [taken, refused],
};
const FAIL = { type: 'fail', code: 'port_taken', message: 'b: port 2 is taken; b: no' };

const unread = createNodeState<Config>({ cutOffAt: null, reopenedAt: null });
const serving = (fingerprint: string | null, state: NodeState<Config> = unread) =>
  observeServing(state, fingerprint, null, false);
const retryIn = (pollsToRetry: number, state: NodeState<Config>) =>
  remember(state, { check: { ...state.memory.check, pollsToRetry } });
/** An engine that serves all that is wanted, and is known to. */
const served = recordDriftRepaired(adopt(serving('full'), fullServable));
const servedLess = retryIn(30, recordDriftRepaired(adopt(serving('less'), lessServable)));

describe('a round', () => {
  it('observes the engine first, whatever was known of it', () => {
    const states = [unread, disable(unread), disconnect(served, null), served, observeStopped(unread)];
    for (const state of states) {
      expect(reconcile(desired, { ...observed, done: done() }, state)).toEqual([{ type: 'observe' }]);
    }
  });

  it('halts the engine of a node that is disabled, and ends with that', () => {
    const disabled = { ...desired, isEnabled: false };
    expect(reconcile(disabled, { ...observed, done: done() }, served)).toEqual([{ type: 'halt' }]);
    expect(reconcile(disabled, { ...observed, done: done('reported') }, disable(served))).toEqual([]);
  });

  it('counts and checks where no engine runs, and starts what can be served', () => {
    const stopped = observeStopped(served);
    const checked = { ...observed, done: done('observed', 'checked') };
    expect(reconcile(desired, observed, stopped)).toEqual([
      { type: 'count', isPoll: false },
      { type: 'check', isRequired: true },
    ]);
    expect(reconcile(desired, checked, recordServable(stopped, lessServable))).toEqual([
      { type: 'start', servable: lessServable },
    ]);
    expect(reconcile(desired, checked, recordServable(stopped, noServable))).toEqual([FAIL]);
    const nothing = { ...noServable, unserved: [] };
    expect(reconcile(desired, checked, recordServable(stopped, nothing)), 'no connections are wanted').toEqual([
      { type: 'start', servable: nothing },
    ]);
  });

  it('leaves an engine alone that something else starts again and again', () => {
    const checked = { ...observed, done: done('observed', 'checked') };
    let state = served;
    const next = (now: number) => {
      const unknown = recordServable(observeUnknown(state, true, null), fullServable);
      const [step] = reconcile(desired, { ...checked, now }, unknown);
      if (step?.type === 'restart') state = beginRestart(unknown, step.servable, step.reason, now);
      return step?.type;
    };
    expect([0, 5000, 10_000, 15_000, 3_599_999].map(next)).toEqual(['restart', 'restart', 'restart', 'fail', 'fail']);
    expect(next(3_600_000)).toBe('restart');
  });

  it('checks and restarts an engine of which it is not known whom it serves', () => {
    const state = observeUnknown(served, false, null);
    const checked = { ...observed, done: done('observed', 'checked') };
    expect(reconcile(desired, observed, state)).toEqual([{ type: 'check', isRequired: true }]);
    expect(reconcile(desired, checked, recordServable(state, fullServable))).toEqual([
      { type: 'restart', servable: fullServable, reason: 'unknown_state', userIds: [] },
    ]);
    expect(
      reconcile(desired, checked, recordServable(state, noServable)),
      'what serves is not stopped for nothing',
    ).toEqual([FAIL]);
  });

  it('takes over an engine that can tell whom it serves, unless it serves something else', () => {
    const checked = { ...observed, done: done('observed', 'checked') };
    const decide = (adoptableAs: string | null, servable: Servable<Config>) =>
      reconcile(desired, checked, recordServable(observeUnknown(unread, true, adoptableAs), servable))[0]?.type;
    expect(decide('full', fullServable)).toBe('adoptUnknown');
    expect(decide('less', lessServable)).toBe('adoptUnknown');
    expect(decide('old', fullServable)).toBe('restart');
    expect(decide(null, fullServable)).toBe('restart');
    expect(decide('none', noServable)).toBe('fail');
    const unknown = recordServable(observeUnknown(unread, true, 'full'), fullServable);
    expect(reconcile(desired, checked, refuseAdoption(unknown))[0]?.type).toBe('restart');
    const taken = completeAdoption(unknown, fullServable);
    expect(taken).toMatchObject({ name: 'serving', served: { fingerprint: 'full' }, fingerprint: 'full' });
    expect(reconcile(desired, checked, taken)).toEqual([{ type: 'renewLease' }]);
  });

  it('starts after a restart, and again without a connection over which the start failed', () => {
    const restarting = beginRestart(served, lessServable, 'configuration', NOW);
    expect(reconcile(desired, observed, restarting)).toEqual([{ type: 'start', servable: lessServable }]);
    expect(reconcile(desired, observed, beginStarting(restarting, fullServable))).toEqual([
      { type: 'start', servable: fullServable },
    ]);
    expect(reconcile(desired, observed, beginStarting(restarting, noServable))).toEqual([FAIL]);
  });

  it('ends where the engine has ended meanwhile', () => {
    const state = disconnect(served, { code: 'engine_crashed', message: 'panic' });
    expect(reconcile({ ...desired, isPoll: true }, observed, state)).toEqual([]);
  });

  it('renews the lease and reports at its end, once', () => {
    expect(reconcile(desired, observed, served)).toEqual([{ type: 'renewLease' }]);
    const renewed = { ...observed, done: done('observed', 'lease_renewed') };
    expect(reconcile(desired, renewed, served)).toEqual([{ type: 'reportUp' }]);
    expect(reconcile(desired, { ...renewed, done: done('reported') }, served)).toEqual([]);
  });
});

describe('the configuration of an engine that runs', () => {
  const adoptFull = [{ type: 'adopt', servable: fullServable }];

  it('is adopted where it is all that is wanted', () => {
    expect(reconcile(desired, observed, serving('full'))).toEqual(adoptFull);
    const byAnotherName = remember(serving('other'), { started: { fingerprint: 'full', reported: 'other' } });
    expect(reconcile(desired, observed, byAnotherName)).toEqual(adoptFull);
    for (const started of [
      { fingerprint: 'full', reported: 'another' },
      { fingerprint: 'another', reported: 'other' },
    ]) {
      const state = remember(serving('other'), { started });
      expect(reconcile(desired, observed, state)).toEqual([{ type: 'check', isRequired: false }]);
    }
  });

  it('is adopted again where something else was checked, or the check failed', () => {
    const problem = recordCheckProblem(served, { code: 'engine_missing', message: 'no program' });
    expect(reconcile(desired, observed, problem)).toEqual(adoptFull);
    expect(reconcile({ ...desired, wanted: 'again' }, observed, served)).toEqual([
      { type: 'adopt', servable: { ...fullServable, wanted: 'again' } },
    ]);
    expect(reconcile(desired, observed, recordServable(served, { ...fullServable, unserved: [refused] }))).toEqual(
      adoptFull,
    );
    expect(reconcile(desired, observed, recordServable(serving('full'), fullServable))).toEqual(adoptFull);
  });

  it('is not complete while keys cannot be read', () => {
    const locked = { ...desired, isComplete: false };
    expect(reconcile(locked, observed, serving('full'))).toEqual([{ type: 'check', isRequired: false }]);
  });

  it('stays where the engine does not say what it would serve', () => {
    const checked = { ...observed, done: done('observed', 'checked') };
    const state = recordCheckProblem(serving('old'), { code: 'engine_missing', message: 'no program' });
    expect(reconcile(desired, checked, state)).toEqual([{ type: 'renewLease' }]);
    expect(reconcile(desired, observed, state), 'checked once more in the next round').toEqual([
      { type: 'check', isRequired: false },
    ]);
  });

  it('is changed by a restart where what can be served is something else', () => {
    const checked = { ...observed, done: done('observed', 'checked') };
    const restart = (servable: Servable<Config>) => [
      { type: 'restart', servable, reason: 'configuration', userIds: [] },
    ];
    expect(reconcile(desired, checked, recordServable(serving('old'), lessServable))).toEqual(restart(lessServable));
    expect(reconcile(desired, checked, recordServable(served, { ...lessServable, wanted: 'x' }))).toEqual([
      { type: 'adopt', servable: fullServable },
    ]);
    const other = { ...desired, fingerprint: 'new' };
    expect(reconcile(other, checked, recordServable(served, noServable)), 'what it serves is known').toEqual(
      restart(noServable),
    );
    expect(reconcile(other, checked, recordServable(serving('old'), noServable)), 'more than nothing').toEqual([
      { type: 'renewLease' },
    ]);
    const empty = { ...noServable, unserved: [] };
    expect(reconcile(other, checked, recordServable(serving('old'), empty)), 'nothing is wanted').toEqual(
      restart(empty),
    );
    const locked = { ...other, isComplete: false };
    expect(reconcile(locked, checked, recordServable(serving('old'), lessServable)), 'keys are locked').toEqual([
      { type: 'renewLease' },
    ]);
    const whole = { ...lessServable, unserved: [] };
    expect(reconcile(locked, checked, recordServable(serving('old'), whole))).toEqual(restart(whole));
  });

  it('is adopted where it is what can be served', () => {
    const checked = { ...observed, done: done('observed', 'checked') };
    expect(reconcile(desired, checked, recordServable(serving('less'), lessServable))).toEqual([
      { type: 'adopt', servable: lessServable },
    ]);
    expect(reconcile(desired, checked, servedLess)).toEqual([{ type: 'renewLease' }]);
    // Its machine has started it again.
    const again = observeServing(servedLess, 'less', null, true);
    expect(reconcile(desired, observed, again)).toEqual([{ type: 'adopt', servable: lessServable }]);
  });

  it('is checked again where something else is wanted or runs', () => {
    const servable = [{ type: 'check', isRequired: false }];
    expect(reconcile(desired, observed, servedLess), 'nothing is new').toEqual([{ type: 'renewLease' }]);
    expect(reconcile({ ...desired, wanted: 'other' }, observed, servedLess)).toEqual(servable);
    expect(reconcile(desired, observed, serving('old', servedLess))).toEqual(servable);
  });

  it('is restarted at the next contact where a restart failed', () => {
    const failed = disconnect(
      beginRestart(recordServable(serving('old'), lessServable), lessServable, 'configuration', NOW),
      null,
    );
    expect(reconcile(desired, observed, serving('old', failed))).toEqual([
      { type: 'restart', servable: lessServable, reason: 'configuration', userIds: [] },
    ]);
  });

  it('is checked again by polls: each time where a port is taken, else after a while', () => {
    const poll = { ...desired, isPoll: true };
    const isChecked = (servable: Servable<Config>, pollsToRetry: number, wanted = poll) => {
      const state = adopt(serving(servable.fingerprint), servable);
      return reconcile(wanted, observed, retryIn(pollsToRetry, state))[0]?.type === 'check';
    };
    expect([isChecked(lessServable, 1), isChecked(lessServable, 0), isChecked(lessServable, -1)]).toEqual([
      false,
      true,
      true,
    ]);
    const takenServable = { ...lessServable, unserved: [refused, taken] };
    expect([isChecked(takenServable, 1), isChecked(takenServable, 1, desired)]).toEqual([true, false]);
    expect([isChecked(lessServable, 0, desired), isChecked({ ...lessServable, unserved: [] }, 0)]).toEqual([
      false,
      false,
    ]);
  });
});

describe('pushing', () => {
  const pending = { ...observed, hasPending: true };
  const PUSH = [{ type: 'push', canAllow: true }];

  it('allows nobody while it is not known what the engine serves', () => {
    expect(reconcile(desired, pending, served)).toEqual(PUSH);
    const unsaid = recordCheckProblem(serving('old'), { code: 'engine_missing', message: 'no program' });
    const checked = { ...pending, done: done('observed', 'checked') };
    expect(reconcile(desired, checked, unsaid)).toEqual([{ type: 'push', canAllow: false }]);
  });

  it('goes on until all is pushed, connections change or a poll is due', () => {
    const cases: readonly (readonly [Partial<Observed>, boolean])[] = [
      [{}, true],
      [{ hasPending: false }, false],
      [{ batches: 1 }, false],
      [{ batches: 1, isAdvancing: true }, true],
      [{ batches: 1, isAdvancing: true, isStale: true }, false],
      [{ batches: 1, isAdvancing: true, isPollDue: true }, false],
      [{ batches: 0, isStale: true, isPollDue: true }, true],
    ];
    for (const [changes, isDue] of cases) expect(isPushDue(desired, { ...pending, ...changes })).toBe(isDue);
  });

  it('is one batch before the counters are read, and the rest after', () => {
    const poll = { ...desired, isPoll: true };
    const first = { ...pending, batches: 1, isAdvancing: true };
    expect(isPushDue(poll, pending)).toBe(true);
    expect(isPushDue(poll, first)).toBe(false);
    expect(isPushDue(poll, { ...first, done: done('observed', 'counted') })).toBe(true);
    expect(reconcile(poll, first, served)).toEqual([{ type: 'count', isPoll: true }]);
  });
});

describe('a poll', () => {
  const poll = { ...desired, isPoll: true };
  const counted = { ...observed, done: done('observed', 'counted') };
  const found = { ...observed, done: done('observed', 'counted', 'blocked_found') };

  it('counts, finds who may not connect, and repairs drift from time to time', () => {
    expect(reconcile(poll, observed, served)).toEqual([{ type: 'count', isPoll: true }]);
    expect(reconcile(poll, counted, served)).toEqual([{ type: 'findBlocked' }]);
    expect(reconcile(poll, found, served)).toEqual([{ type: 'renewLease' }]);
    const due = remember(served, { pollsToDrift: 0 });
    expect(reconcile(poll, found, due)).toEqual([{ type: 'repairDrift', served: FULL }]);
    expect(reconcile(poll, found, remember(served, { pollsToDrift: 1 }))).toEqual([{ type: 'renewLease' }]);
    expect(reconcile(desired, observed, due), 'in a poll only').toEqual([{ type: 'renewLease' }]);
    const busy = { ...found, hasPending: true, batches: 1 };
    expect(reconcile(poll, busy, due), 'not while changes are pending').toEqual([{ type: 'renewLease' }]);
    const repaired = { ...found, done: done('observed', 'counted', 'blocked_found', 'drift_repaired') };
    expect(reconcile(poll, repaired, due)).toEqual([{ type: 'renewLease' }]);
    const unsaid = recordCheckProblem(serving('old'), { code: 'engine_missing', message: 'no program' });
    const checked = { ...found, done: new Set([...found.done, 'checked' as const]) };
    expect(reconcile(poll, checked, unsaid), 'not where it is not known what is served').toEqual([
      { type: 'renewLease' },
    ]);
  });

  it('restarts the engine over users who may not connect and moved bytes in three polls, once in ten minutes', () => {
    const blocked = (polls: number, state = served) => {
      let next = state;
      for (let count = 0; count < polls; count += 1) next = recordBlocked(next, new Set([7, 8]));
      return next;
    };
    const cutOff = [{ type: 'restart', servable: fullServable, reason: 'cut_off', userIds: [7, 8, 9] }];
    const withLate = recordBlocked(blocked(2), new Set([7, 8, 9]));
    expect(reconcile(poll, found, blocked(2))).toEqual([{ type: 'renewLease' }]);
    expect(reconcile(poll, found, withLate)).toEqual(cutOff);
    expect(reconcile(poll, counted, withLate)).toEqual([{ type: 'findBlocked' }]);
    expect(reconcile(desired, observed, withLate)).toEqual([{ type: 'renewLease' }]);
    expect(reconcile({ ...poll, restartToCutOff: false }, found, withLate)).toEqual([{ type: 'renewLease' }]);
    const restartedAt = (cutOffAt: number) => reconcile(poll, found, rememberUsage(withLate, { cutOffAt }))[0]?.type;
    expect([NOW - 599_999, NOW - 600_000, NOW + 599_999, NOW + 600_000].map(restartedAt)).toEqual([
      'renewLease',
      'restart',
      'renewLease',
      'restart',
    ]);
    expect(reconcile(poll, found, recordAllowed(withLate, [7, 8]))).toEqual([{ type: 'renewLease' }]);
    const former = { ...lessServable, config: FULL, fingerprint: 'new' };
    const checked = recordServable(blocked(3, servedLess), lessServable);
    expect(reconcile(poll, found, checked)).toEqual([
      { type: 'restart', servable: lessServable, reason: 'cut_off', userIds: [7, 8] },
    ]);
    // What it serves is started again, not what could not be served instead.
    const problem = recordCheckProblem(recordServable(blocked(3, servedLess), former), {
      code: 'engine_missing',
      message: 'no',
    });
    const failed = { ...found, done: new Set([...found.done, 'checked' as const]) };
    expect(reconcile(poll, failed, problem)).toEqual([
      { type: 'restart', servable: lessServable, reason: 'cut_off', userIds: [7, 8] },
    ]);
    const unknown = recordCheckProblem(blocked(3, serving('old')), { code: 'engine_missing', message: 'no' });
    expect(reconcile(poll, failed, unknown)).toEqual([{ type: 'renewLease' }]);
  });
});

describe('sessions that end when their connection is reopened', () => {
  const poll = { ...desired, isPoll: true };
  const found = { ...observed, done: done('observed', 'counted', 'blocked_found') };
  const suspected = recordSuspects(served, [7, 8]);
  const FIND = [{ type: 'findSessions', served: FULL, userIds: [7, 8] }];
  const RENEW = [{ type: 'renewLease' }];

  it('are looked for as soon as all changes were pushed, and ended in the same round', () => {
    expect(reconcile(desired, observed, suspected)).toEqual(FIND);
    expect(reconcile(desired, { ...observed, hasPending: true }, suspected)[0]?.type).toBe('push');
    expect(reconcile({ ...desired, restartToCutOff: false }, observed, suspected)).toEqual(RENEW);
    const open = recordSessions(suspected, [
      { inboundId: 3, userIds: [7] },
      { inboundId: 4, userIds: [7, 8] },
    ]);
    const reopen = (inboundId: number, userIds: number[]) => [{ type: 'reopen', served: FULL, inboundId, userIds }];
    expect(reconcile(desired, observed, open)).toEqual(reopen(3, [7]));
    const one = recordReopened(open, 3, NOW);
    expect(reconcile(desired, observed, one), 'the others as well').toEqual(reopen(4, [7, 8]));
    expect(reconcile(desired, observed, recordReopened(one, 4, NOW))).toEqual(RENEW);
    expect(reconcile(desired, observed, recordSessions(suspected, []))).toEqual(RENEW);
    expect(reconcile(desired, observed, recordAllowed(open, [7]))).toEqual(reopen(4, [8]));
    expect(reconcile(desired, observed, recordAllowed(suspected, [7, 8]))).toEqual(RENEW);
  });

  it('are not ended again within two minutes, for which no engine is restarted meanwhile', () => {
    let state = served;
    for (let polls = 0; polls < 3; polls += 1) state = recordSuspects(recordBlocked(state, new Set([7])), [7]);
    const after = (ms: number) => reconcile(poll, found, rememberUsage(state, { reopenedAt: NOW - ms }))[0]?.type;
    expect([0, 119_999, 120_000].map(after)).toEqual(['renewLease', 'renewLease', 'findSessions']);
    const isOther = recordSessions(state, []);
    expect(reconcile(poll, found, isOther)[0]?.type, 'they are over something else').toBe('restart');
    const ended = recordReopened(recordSessions(state, [{ inboundId: 3, userIds: [7] }]), 3, NOW);
    expect(reconcile(poll, found, ended)).toEqual(RENEW);
  });

  it('are left to a restart where the engine cannot, until it is another one', () => {
    let state = recordReopenRefused(suspected);
    for (let polls = 0; polls < 3; polls += 1) state = recordSuspects(recordBlocked(state, new Set([7])), [7]);
    expect(reconcile(poll, found, state)[0]?.type).toBe('restart');
    expect(reconcile(desired, observed, recordSuspects(state, [7]))).toEqual(RENEW);
    const again = recordSuspects(adopt(observeServing(state, 'full', null, true), fullServable), [7]);
    expect(reconcile(desired, observed, again)[0]?.type).toBe('findSessions');
  });
});

type Action =
  | { readonly type: 'advance'; readonly steps: number }
  | { readonly type: 'user' | 'drift' | 'port' | 'refuseUser' | 'block'; readonly id: number }
  | { readonly type: 'machine'; readonly canAdopt: boolean; readonly canTellMembers: boolean }
  | { readonly type: 'refuse'; readonly id: number; readonly code: 'config_refused' | 'port_taken' | 'start' }
  | { readonly type: 'poll' | 'pause' | 'crash' | 'restartByMachine' | 'restore' | 'kill' | 'open' | 'enable' | 'lock' }
  | { readonly type: 'fault'; readonly call: (typeof MODEL_CALLS)[number]; readonly fault: ModelFault };

const id = fc.integer({ min: 1, max: 4 });
const inboundId = fc.integer({ min: 1, max: 3 });
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constant('advance' as const), steps: fc.integer({ min: 1, max: 12 }) }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom('poll' as const, 'poll' as const, 'pause' as const) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('user' as const), id }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constantFrom('drift' as const, 'refuseUser' as const, 'block' as const), id }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('port' as const), id: inboundId }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('machine' as const),
      canAdopt: fc.boolean(),
      canTellMembers: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('refuse' as const),
      id: inboundId,
      code: fc.constantFrom('config_refused' as const, 'port_taken' as const, 'start' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom(
        'crash' as const,
        'restartByMachine' as const,
        'restore' as const,
        'kill' as const,
        'open' as const,
        'open' as const,
        'enable' as const,
        'lock' as const,
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('fault' as const),
      call: fc.constantFrom(...MODEL_CALLS),
      fault: fc.constantFrom('hang' as const, 'crash' as const, 'crash_after' as const, 'lost' as const),
    }),
  },
);

/** How many interleavings are tried. */
const INTERLEAVINGS = times(2000, 50_000);

describe('any interleaving of commits, polls, crashes, kills and refusals', () => {
  /** `steps`: of the panel afterwards. */
  function act(model: ReturnType<typeof createNodeModel>, one: Action, steps = 0): void {
    const { records, refused: refusals, forbidden, refusedUsers, faults } = model;
    if (one.type === 'advance') for (let step = 0; step < one.steps; step += 1) model.advance();
    else if (one.type === 'user') model.change(one.id, !model.isAllowed(one.id));
    else if (one.type === 'port') model.setPort(one.id, model.portOf(one.id) + 1);
    else if (one.type === 'drift') model.drift(one.id);
    else if (one.type === 'block') {
      // The user goes on moving bytes over connections that are open.
      model.open();
      if (model.isAllowed(one.id)) model.change(one.id, false);
      for (let polls = 0; polls < 4; polls += 1) act(model, { type: 'poll' }, 12);
    } else if (one.type === 'refuseUser') refusedUsers.add(one.id);
    else if (one.type === 'fault') faults.set(one.call, one.fault);
    else if (one.type === 'machine') model.setMachine(one.canAdopt, one.canTellMembers);
    else if (one.type === 'enable') model.setEnabled(!records.isEnabled);
    else if (one.type === 'lock') model.lock(!records.isLocked);
    else if (one.type === 'pause') model.endPause();
    else if (one.type === 'refuse') {
      const port = model.portOf(one.id);
      if (one.code === 'start') forbidden.add(port);
      else if (!refusals.delete(port)) refusals.set(port, one.code);
    } else model[one.type]();
    for (let step = 0; step < steps; step += 1) model.advance();
  }

  function settle(model: ReturnType<typeof createNodeModel>, polls: number): void {
    for (let count = 0; count < polls; count += 1) {
      model.endPause();
      model.poll();
      while (model.advance());
    }
  }

  it(`ends with the engine as the records say, with no restart that was not required (${INTERLEAVINGS})`, () => {
    const seen = { runs: 0, steps: new Map<string, number>(), states: new Set<string>(), reasons: new Set<string>() };
    const check = (actions: readonly Action[]) => {
      const model = createNodeModel();
      for (const one of actions) act(model, one);
      model.faults.clear();
      model.refused.clear();
      model.forbidden.clear();
      model.lock(false);
      model.records.restartToCutOff = false;
      if (!model.records.isEnabled) {
        settle(model, 3);
        expect([model.present(), model.stateName()]).toEqual([null, 'disabled']);
        model.setEnabled(true);
      }
      // What was refused is tried again after 30 polls.
      settle(model, 33);
      // What only a start refused is tried with the next one.
      if (actions.some((one) => one.type === 'refuse' && one.code === 'start')) model.crash();
      settle(model, 33);
      expect(model.present()).toEqual(model.wanted());
      expect(model.stateName()).toBe('serving');
      expect(model.seen.restarts.filter(({ isRequired }) => !isRequired)).toEqual([]);
      expect(model.seen.reopened.filter(({ isRequired }) => !isRequired)).toEqual([]);
      const between = model.seen.reopened.map(({ at }, index) => at - (model.seen.reopened[index - 1]?.at ?? 0));
      expect(between.filter((ms) => ms < REOPEN_EVERY_MS)).toEqual([]);
      const { starts, restarts } = model.seen;
      settle(model, 33);
      expect([model.seen.starts, model.seen.restarts.length], 'nothing more').toEqual([starts, restarts.length]);
      seen.runs += 1;
      for (const [type, count] of model.seen.steps) seen.steps.set(type, (seen.steps.get(type) ?? 0) + count);
      for (const name of model.seen.states) seen.states.add(name);
      for (const { reason } of model.seen.restarts) seen.reasons.add(reason);
    };
    fc.assert(fc.property(fc.array(action, { minLength: 5, maxLength: 60 }), check), { numRuns: INTERLEAVINGS });
    expect(seen.runs).toBe(INTERLEAVINGS);
    expect(seen.steps.size, 'each step was taken').toBe(16);
    expect(seen.states.size, 'and each state was reached').toBe(8);
    expect([...seen.reasons].sort()).toEqual(['configuration', 'cut_off', 'unknown_state']);
  });
});
