// A text and a search for it must be case-folded in the same way, in any script.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldText } from './sort-key.ts';

describe('foldText', () => {
  it.each([
    ['ПРИВЕТ', 'привет'],
    ['İstanbul', 'istanbul'],
    ['ISTANBUL', 'istanbul'],
    ['Straße', 'STRASSE'],
    ['GROẞ', 'groß'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['e\u0301', '\u00e9'],
    ['ǅ', 'ǆ'],
  ])('makes %s and %s one', (a, b) => {
    expect(foldText(a)).toBe(foldText(b));
  });

  it('keeps different letters apart', () => {
    expect(foldText('é')).not.toBe(foldText('e'));
    expect(foldText('й')).not.toBe(foldText('и'));
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('is the same in either case', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aZßẞſıİiσςΣжЁéÅﬁŉǅᾼ12 "') }), (text) => {
        expect(foldText(text.toUpperCase())).toBe(foldText(text.toLowerCase()));
      }),
      { numRuns: 1000 },
    );
  });

  it('folds a part as it folds the whole', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'aBßẞſıİσςΣжЁéÅﬁ12 "') });
    fc.assert(
      fc.property(letters, letters, letters, (before, part, after) => {
        expect(foldText(before + part + after)).toContain(foldText(part));
      }),
      { numRuns: 1000 },
    );
  });
});
