// Every two panels are in an order on which all nodes agree.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { classifyClaim, type PanelClaim, readClaim, writeClaim } from './panel-claim.ts';

const hex = fc
  .array(fc.constantFrom(...'0123456789abcdef'), { minLength: 32, maxLength: 32 })
  .map((all) => all.join(''));
const claim: fc.Arbitrary<PanelClaim> = fc.record({
  epoch: fc.integer({ min: 1, max: 3 }),
  startedAt: fc.nat(3),
  run: hex,
});

it('of two panels that ask at the same time one is obeyed, by every node', () => {
  fc.assert(
    fc.property(claim, claim, (one, other) => {
      fc.pre(one.run !== other.run);
      const verdicts = [classifyClaim(one, other, true), classifyClaim(other, one, true)];
      expect(verdicts.filter((verdict) => verdict === 'obeyed')).toHaveLength(1);
    }),
  );
});

it('a lower epoch is never obeyed, however long the other panel is silent', () => {
  fc.assert(
    fc.property(claim, claim, fc.boolean(), (one, other, isHeld) => {
      fc.pre(one.epoch < other.epoch);
      expect(classifyClaim(one, other, isHeld)).toBe('superseded');
    }),
  );
});

it('a copy that was started earlier is obeyed once the lease has ended', () => {
  const run = '0'.repeat(32);
  const [earlier, later] = [
    { epoch: 1, startedAt: 1, run },
    { epoch: 1, startedAt: 2, run: '1'.repeat(32) },
  ];
  expect(classifyClaim(earlier, later, true)).toBe('other_panel');
  expect(classifyClaim(earlier, later, false)).toBe('obeyed');
  expect(classifyClaim(earlier, null, true)).toBe('obeyed');
});

it('is read as it was written, and nothing else is', () => {
  fc.assert(
    fc.property(claim, (one) => {
      expect(readClaim(writeClaim(one))).toEqual(one);
    }),
  );
  const run = '0'.repeat(32);
  for (const text of ['', `0 1 ${run}`, `1000000001 1 ${run}`, `1 -1 ${run}`, `1 1 ${run}0`, ` 1 1 ${run}`, '1 1 x'])
    expect([text, readClaim(text)]).toEqual([text, null]);
});
