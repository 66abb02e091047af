// A text that is cut ends with a whole character, whatever it is made of.
import { fc, test } from '@fast-check/vitest';
import { expect, it } from 'vitest';
import { shorten } from './shorten.ts';

it.each([
  ['Семейный · 🚀 1 год — выгодно! 🎁', 32, 'Семейный · 🚀 1 год — выгодно! '],
  ['👨‍👩‍👧‍👦👨‍👩‍👧‍👦', 12, '👨‍👩‍👧‍👦'],
  ['🇩🇪🇫🇷', 5, '🇩🇪'],
  ['e\u0301e\u0301', 3, 'e\u0301'],
  ['short', 5, 'short'],
])('%s in %i', (text, most, expected) => {
  expect(shorten(text, most)).toBe(expected);
});

const words = fc.array(fc.constantFrom('a', 'ж', '🎁', '👩‍🚀', '🇩🇪', '👍🏽', 'é', ' '), { maxLength: 40 });
test.prop([words, fc.integer({ min: 0, max: 60 })])('is a beginning that is well formed', (parts, most) => {
  const short = shorten(parts.join(''), most);
  expect(short.length).toBeLessThanOrEqual(most);
  expect(parts.join('').startsWith(short)).toBe(true);
  expect(short.isWellFormed()).toBe(true);
  // A prefix of whole parts.
  expect(parts.map((_, index) => parts.slice(0, index).join('')).concat(parts.join(''))).toContain(short);
});
