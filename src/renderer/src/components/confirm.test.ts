// The text that confirms a deletion: the name, or the id if the name is hard to type.
import { describe, expect, it } from 'vitest';
import { wordToType } from './confirm.tsx';

describe('wordToType', () => {
  it('is the name of a record', () => {
    expect(wordToType('Anna Smirnova', 7)).toBe('Anna Smirnova');
  });

  it('is the id where the name is long or has hidden characters', () => {
    expect(wordToType('م'.repeat(100), 7)).toBe('7');
    expect(wordToType('Anna\u202eSmirnova', 7)).toBe('7');
  });
});
