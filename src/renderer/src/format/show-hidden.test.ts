// Names with invisible characters, or that reverse adjacent text: such characters are made visible.
import { describe, expect, it } from 'vitest';
import { showHidden } from './show-hidden.ts';

describe('showHidden', () => {
  it.each([
    ['anna\u202egnp.exe', 'anna‹U+202E›gnp.exe'],
    ['an\u200bna', 'an‹U+200B›na'],
    ['\ufeffanna', '‹U+FEFF›anna'],
    ['anna\u2066x\u2069', 'anna‹U+2066›x‹U+2069›'],
    ['an\u200dna', 'an‹U+200D›na'],
    ['anna\u200c', 'anna‹U+200C›'],
    ['\u3164', '‹U+3164›'],
  ])('names what is hidden in %j', (text, shown) => {
    expect(showHidden(text)).toBe(shown);
  });

  it.each(['Anna Смирнова', 'مرحبا שלום', '👩‍👩‍👧‍👦 🏳️‍🌈 👩🏽‍🚀', 'می\u200cخواهم', 'क्\u200dष', 'Ça va? 日本'])(
    'leaves %j as it is',
    (text) => {
      expect(showHidden(text)).toBe(text);
    },
  );
});
