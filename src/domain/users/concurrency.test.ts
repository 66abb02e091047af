// Too many addresses at once: when it is announced, when a cut and the excess end.
import { describe, expect, it } from 'vitest';
import {
  CUT_OFF_MS,
  type CutOffScope,
  computeCutOffScope,
  EXCESS_ENDS_AFTER_MS,
  isNewExcess,
  nextExcess,
  settleExcess,
} from './concurrency.ts';

const NOW = 1_000_000_000;
const NOTICE = { addresses: 3, at: NOW, cutOffUntil: null, cutOffNode: null };
const CUT = { addresses: 3, at: NOW, cutOffUntil: NOW + CUT_OFF_MS, cutOffNode: null };
const HERE = { ...CUT, cutOffNode: 7 };
const found = (addresses: number, scope: CutOffScope, nodeId = 7) => ({ addresses, scope, nodeId });

describe('an excess', () => {
  it('is announced when it begins, and when it cuts off', () => {
    expect(nextExcess(null, found(3, 'none'), NOW)).toEqual(NOTICE);
    expect(nextExcess(null, found(3, 'everywhere'), NOW)).toEqual(CUT);
    expect(nextExcess(CUT, found(5, 'everywhere'), NOW + 1)).toEqual({ ...CUT, addresses: 5, at: NOW + 1 });
    expect(nextExcess(CUT, found(5, 'none'), NOW + 1)).toEqual({ ...CUT, addresses: 5, at: NOW + 1 });
    expect([isNewExcess(null, NOTICE), isNewExcess(null, CUT), isNewExcess(NOTICE, CUT)]).toEqual([true, true, true]);
    expect([isNewExcess(NOTICE, NOTICE), isNewExcess(CUT, CUT)]).toEqual([false, false]);
  });

  it('cuts off at the node that found it alone, and everywhere once a second node has found it', () => {
    expect(nextExcess(null, found(3, 'here'), NOW)).toEqual(HERE);
    expect(nextExcess(HERE, found(3, 'here'), NOW)).toEqual(HERE);
    expect(nextExcess(HERE, found(3, 'none', 8), NOW)).toEqual(HERE);
    const everywhere = nextExcess(HERE, found(3, 'here', 8), NOW);
    expect([everywhere, isNewExcess(HERE, everywhere), isNewExcess(HERE, HERE)]).toEqual([CUT, true, false]);
  });

  it.each([
    ['one node', { 7: ['a', 'b'] }, 'here'],
    ['another node', { 7: ['a'], 8: ['b', 'c'] }, 'none'],
    ['two nodes together, each of which could have invented its part', { 7: ['a'], 8: ['b'] }, 'none'],
    ['two nodes, each by itself', { 7: ['a', 'b'], 8: ['c', 'd'] }, 'everywhere'],
    ['three nodes together', { 7: ['a'], 8: ['b'], 9: ['c'] }, 'everywhere'],
    ['one of three nodes', { 7: ['a', 'b', 'c'], 8: ['a'], 9: ['a'] }, 'here'],
  ] as const)('found by %s', (_by, names, scope) => {
    const namesByNode = new Map(Object.entries(names).map(([id, own]) => [Number(id), own]));
    expect(computeCutOffScope(namesByNode, 1, 7)).toBe(scope);
  });

  it('cuts off for 5 minutes, and is over 10 minutes after it was last found', () => {
    expect(settleExcess(null, NOW)).toBeNull();
    expect(settleExcess(CUT, NOW + CUT_OFF_MS - 1)).toBe(CUT);
    expect(settleExcess(CUT, NOW + CUT_OFF_MS)).toEqual(NOTICE);
    expect(settleExcess(NOTICE, NOW + EXCESS_ENDS_AFTER_MS - 1)).toBe(NOTICE);
    expect(settleExcess(NOTICE, NOW + EXCESS_ENDS_AFTER_MS)).toBeNull();
    expect(settleExcess(CUT, NOW + EXCESS_ENDS_AFTER_MS)).toBeNull();
  });

  it('is not made longer by a clock that was set back', () => {
    expect(settleExcess(CUT, NOW - 1)).toBeNull();
    expect(settleExcess(NOTICE, NOW - 1)).toBeNull();
  });
});
