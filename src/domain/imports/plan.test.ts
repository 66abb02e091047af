// A second import: what changed in the source is taken, what changed here stays.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IMPORTED_FIELDS, type ImportedFacts, mergeUser } from './plan.ts';

const FACTS: ImportedFacts = {
  name: 'ann',
  contact: '',
  note: '',
  tags: [],
  externalId: null,
  telegramId: null,
  metadata: {},
  enabled: true,
  term: { expiresAt: 1000, hold: null },
  trafficLimit: 10,
  resetStrategy: 'none',
  deviceLimit: null,
  concurrentLimit: null,
  inbounds: [1],
  access: 'a',
  links: 'l',
  used: { up: 1, down: 2 },
  total: { up: 3, down: 4 },
};
const NOTHING = { changed: [], kept: [], counters: null, hasNewLinks: false };

describe('a second import', () => {
  it('takes a change of the source, and keeps one of the panel', () => {
    const next = { ...FACTS, note: 'theirs', trafficLimit: 20, term: { expiresAt: 2000, hold: null } };
    const here = { ...FACTS, note: 'mine', name: 'Anna' };
    expect(mergeUser(FACTS, next, here)).toEqual({
      changed: ['term', 'trafficLimit'],
      kept: ['note'],
      counters: null,
      hasNewLinks: false,
    });
    expect(mergeUser(FACTS, FACTS, here)).toEqual(NOTHING);
    expect(mergeUser(FACTS, next, next)).toEqual(NOTHING);
  });

  it('adds what moved in the source to what moved here', () => {
    const next = { ...FACTS, used: { up: 11, down: 2 }, total: { up: 13, down: 4 } };
    const here = { ...FACTS, used: { up: 1, down: 102 }, total: { up: 3, down: 104 } };
    expect(mergeUser(FACTS, next, here).counters).toEqual({
      used: { up: 11, down: 102 },
      total: { up: 13, down: 104 },
    });
  });

  it('follows a reset of the source, and never lowers a total', () => {
    const next = { ...FACTS, used: { up: 0, down: 1 }, total: { up: 3, down: 5 } };
    expect(mergeUser(FACTS, next, FACTS).counters).toEqual({ used: { up: 0, down: 1 }, total: { up: 3, down: 5 } });
    const lower = { ...FACTS, total: { up: 0, down: 0 } };
    expect(mergeUser(FACTS, lower, FACTS).counters?.total).toEqual(FACTS.total);
  });

  it('has nothing to do once more, whatever the three were', () => {
    const bytes = fc.record({ up: fc.nat(100), down: fc.nat(100) });
    const facts = fc.record({ note: fc.constantFrom('', 'a', 'b'), enabled: fc.boolean(), used: bytes, total: bytes });
    fc.assert(
      fc.property(facts, facts, facts, (a, b, c) => {
        const [then, next, here] = [a, b, c].map((each) => ({ ...FACTS, ...each })) as never as [
          ImportedFacts,
          ImportedFacts,
          ImportedFacts,
        ];
        const merge = mergeUser(then, next, here);
        const taken = Object.fromEntries(merge.changed.map((field) => [field, next[field]]));
        const after = { ...here, ...taken, ...merge.counters };
        expect(mergeUser(next, next, after)).toEqual(NOTHING);
        expect(IMPORTED_FIELDS.filter((field) => merge.kept.includes(field) && merge.changed.includes(field))).toEqual(
          [],
        );
      }),
    );
  });
});
