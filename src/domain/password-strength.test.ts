// The strength of passwords: what is guessed first is called weak, and length counts for more than odd characters.
import { describe, expect, it } from 'vitest';
import { guessBits, secretBits, strengthOf } from './password-strength.ts';

describe('strengthOf', () => {
  it('says how much is missing', () => {
    expect(strengthOf('')).toEqual({ level: 0, note: 'short', missing: 8 });
    expect(strengthOf('abc def')).toEqual({ level: 0, note: 'short', missing: 1 });
    // Counted as people count, not in halves of a surrogate pair.
    expect(strengthOf('😀😀😀😀')).toMatchObject({ level: 0, missing: 4 });
  });

  it.each([
    ['password123', 'common'],
    ['Qwerty2024', 'common'],
    ['пароль2024', 'common'],
    ['aaaaaaaaaaaa', 'repeats'],
    ['12345678901', 'sequence'],
    ['abcdefghij', 'sequence'],
  ])('calls %s weak and says why', (password, note) => {
    expect(strengthOf(password)).toMatchObject({ level: 1, note });
  });

  it("does not count the administrator's own name", () => {
    expect(strengthOf('administrator1', 'administrator')).toMatchObject({ level: 1, note: 'name' });
    expect(strengthOf('xkcd.boris.2931!', 'boris').level).toBeLessThan(strengthOf('xkcd.boris.2931!').level);
    // What the name holds is text, not a pattern.
    expect(strengthOf('correct horse battery', '.*.*').level).toBe(4);
  });

  it('calls four unrelated words strong', () => {
    expect(strengthOf('correct horse battery staple')).toEqual({ level: 4, note: null, missing: 0 });
    expect(strengthOf('правильно лошадь батарея')).toMatchObject({ level: 4 });
  });

  it('stands in the middle for short odd ones', () => {
    expect(strengthOf('gT7#pQ2x').level).toBe(2);
    expect(strengthOf('gT7#pQ2xVm9').level).toBe(3);
  });

  it('never falls as a password grows', () => {
    const long = 'violet otter under 27 bridges';
    for (let length = 8; length < long.length; length++) {
      expect(guessBits(long.slice(0, length + 1))).toBeGreaterThanOrEqual(guessBits(long.slice(0, length)));
    }
  });
});

describe('secretBits', () => {
  it('finds 128 bits in what is random, and not in words', () => {
    for (const path of [
      'q3VnT8xK1mR5wZ7yB2cD4fG6',
      'vJ0c_Rk2Xw-9LmTq5sYb8HdZ4pNf7GaE',
      '8f14e45fceea167a5a36dedd4bea2543',
    ]) {
      expect(secretBits(path)).toBeGreaterThanOrEqual(128);
    }
    for (const path of [
      'my-secret-panel-path-2024',
      'correct-horse-battery-staple-violet-otter',
      'a'.repeat(64),
      'gatehouse-gatehouse-gatehouse-1',
    ]) {
      expect(secretBits(path)).toBeLessThan(128);
    }
  });
});
