// Password strength: common passwords are weak, and length counts more than special characters.
import { describe, expect, it } from 'vitest';
import { computeStrength, guessBits, isWeak, secretBits } from './password-strength.ts';

describe('computeStrength', () => {
  it('says how much is missing', () => {
    expect(computeStrength('')).toEqual({ level: 0, note: 'short', missing: 8 });
    expect(computeStrength('abc def')).toEqual({ level: 0, note: 'short', missing: 1 });
    // Counted as people count, not in halves of a surrogate pair.
    expect(computeStrength('😀😀😀😀')).toMatchObject({ level: 0, missing: 4 });
  });

  it.each([
    ['password123', 'common'],
    ['Qwerty2024', 'common'],
    ['пароль2024', 'common'],
    ['aaaaaaaaaaaa', 'repeats'],
    ['12345678901', 'sequence'],
    ['abcdefghij', 'sequence'],
  ])('calls %s weak and says why', (password, note) => {
    expect(computeStrength(password)).toMatchObject({ level: 1, note });
  });

  it("does not count the administrator's own name", () => {
    expect(computeStrength('administrator1', 'administrator')).toMatchObject({ level: 1, note: 'name' });
    expect(computeStrength('xkcd.boris.2931!', 'boris').level).toBeLessThan(computeStrength('xkcd.boris.2931!').level);
    // What the name holds is text, not a pattern.
    expect(computeStrength('correct horse battery', '.*.*').level).toBe(4);
  });

  it('calls four unrelated words strong', () => {
    expect(computeStrength('correct horse battery staple')).toEqual({ level: 4, note: null, missing: 0 });
    expect(computeStrength('правильно лошадь батарея')).toMatchObject({ level: 4 });
  });

  it('stands in the middle for short odd ones', () => {
    expect(computeStrength('gT7#pQ2x').level).toBe(2);
    expect(computeStrength('gT7#pQ2xVm9').level).toBe(3);
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

/** A password in which no two adjacent characters are equal or neighbours on a keyboard or in the alphabet. */
const APART = 'qzpmwakrbtxehusfnc';
const bits = (count: number, alphabet: number) => count * Math.log2(alphabet);

describe('guessBits', () => {
  it('is the number of characters, by how many kinds of them there are', () => {
    expect(guessBits('')).toBe(0);
    expect(guessBits('qzpmwa')).toBeCloseTo(bits(6, 26));
    expect(guessBits('QZPMWA')).toBeCloseTo(bits(6, 26));
    expect(guessBits('279406')).toBeCloseTo(bits(6, 10));
    expect(guessBits('#%&(*,')).toBeCloseTo(bits(6, 24));
    expect(guessBits('жтмуае')).toBeCloseTo(bits(6, 33));
    expect(guessBits('zP2#ж')).toBeCloseTo(bits(5, 26 + 26 + 10 + 24 + 33));
    expect(guessBits('qzP')).toBeCloseTo(bits(3, 52));
  });

  it.each([
    'abcdefghijklmnopqrstuvwxyz',
    '0123456789',
    'qwertyuiop',
    'asdfghjkl',
    'zxcvbnm',
    'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
    'йцукенгшщзхъ',
    'фывапролджэ',
    'ячсмитьбю',
  ])('counts %s once, forwards and backwards, in any case', (row) => {
    const one = guessBits(row);
    expect(one).toBeCloseTo(guessBits(row[0] ?? ''));
    expect(guessBits([...row].reverse().join(''))).toBeCloseTo(one);
    const mixed = [...row].map((letter, index) => (index % 2 === 0 ? letter : letter.toUpperCase())).join('');
    expect(guessBits(mixed)).toBeLessThan(2 * one + 1);
  });

  it('counts what repeats once, and few characters twice at the most', () => {
    expect(guessBits('qqqqzzzz')).toBeCloseTo(bits(2, 26));
    expect(guessBits('qQqQ')).toBeCloseTo(bits(1, 52));
    expect(guessBits('zpzpzpzp')).toBeCloseTo(bits(4, 26));
    // Two apart in a row do not follow one another.
    expect(guessBits('acacac')).toBeCloseTo(bits(4, 26));
    expect(guessBits('aceg')).toBeCloseTo(bits(4, 26));
  });
});

describe('the level', () => {
  const computeLevel = (length: number) => computeStrength(APART.slice(0, length)).level;

  it('rises at 40, 56 and 76 bits', () => {
    expect([7, 8, 9, 11, 12, 16, 17].map(computeLevel)).toEqual([0, 1, 2, 2, 3, 3, 4]);
    expect([8, 9].map((length) => isWeak(APART.slice(0, length), ''))).toEqual([true, false]);
    expect(isWeak('short', ''), 'that is refused for its length').toBe(false);
    expect(isWeak(`${APART.slice(0, 9)}mallory`, 'mallory')).toBe(false);
    expect(isWeak(`${APART.slice(0, 8)}mallory`, 'MALLORY')).toBe(true);
  });

  it('counts a common word for 8 bits, wherever it stands', () => {
    for (const word of ['password', 'passwd', 'LetMeIn', 'iloveyou', 'йцукен', 'Привет', 'gatehouse', 'panel']) {
      const [before, behind] = [APART.slice(0, 4), APART.slice(4, 9)];
      expect([word, computeStrength(before + word + behind).level]).toEqual([word, 2]);
      expect([word, computeStrength(APART.slice(0, 6) + word)]).toEqual([
        word,
        { level: 1, note: 'common', missing: 0 },
      ]);
    }
  });

  it('counts no name, in any case, from three letters on', () => {
    const rest = APART.slice(0, 8);
    expect(computeStrength(`${rest}Anna`, 'anna')).toEqual({ level: 1, note: 'name', missing: 0 });
    expect(computeStrength(`Eva${rest}`, 'eva')).toMatchObject({ level: 1, note: 'name' });
    expect(computeStrength(`${rest}jo`, 'jo').note).toBe('hint');
    expect(computeStrength(rest, 'anna').note).toBe('hint');
  });

  it('says of what is weak the first thing that is wrong with it, and nothing of what is good', () => {
    expect(computeStrength('qqqqqqqqq').note).toBe('repeats');
    expect(computeStrength('qpzqpzqpz').note, 'a third of its characters differ').toBe('repeats');
    expect(computeStrength('qpzqpzqm').note, 'more than a third differ').toBe('hint');
    expect(computeStrength('QqQqQqQqQ').note).toBe('repeats');
    expect(computeStrength('qpzmwabcd').note).toBe('sequence');
    expect(computeStrength('qpzmwabc').note, 'three in a row are none').toBe('hint');
    expect(computeStrength('dcbawmzpq').note).toBe('sequence');
    expect(computeStrength(`${APART.slice(0, 14)}abcd`).note).toBeNull();
  });
});

describe('what a secret is worth', () => {
  it('is the number of its characters by their kinds, and thirteen bits a word', () => {
    expect(secretBits('')).toBe(0);
    expect(secretBits('qz7p')).toBeCloseTo(bits(4, 36));
    expect(secretBits('qZ7-')).toBeCloseTo(bits(4, 64));
    expect(secretBits('7294')).toBeCloseTo(bits(4, 10));
    expect(secretBits('-_-_')).toBeCloseTo(bits(4, 2));
    expect(secretBits('7777')).toBeCloseTo(bits(1, 10));
    expect(secretBits('72727272')).toBeCloseTo(bits(4, 10));
    for (const word of ['horse', 'Horse', 'HORSE']) expect(secretBits(word)).toBeCloseTo(13);
    expect(secretBits('hors')).toBeCloseTo(bits(4, 26));
    expect(secretBits('horse-horse')).toBeCloseTo(13 + bits(1, 28));
    expect(secretBits('horse-staple')).toBeCloseTo(26 + bits(1, 28));
  });
});
