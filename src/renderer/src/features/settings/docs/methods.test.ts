// The search finds methods by path, name and summary, with words in any order.
import { describe, expect, it } from 'vitest';
import { isMatching } from './methods.ts';

const extend = { method: 'post', path: '/users/{id}/extend', id: 'extendUser', summary: 'Extend the term of a user' };

describe('isMatching', () => {
  it.each(['extend', 'USERS post', '/users/{id}', 'term user', ' extend  term ', 'extenduser'])(
    'finds it by %j',
    (text) => {
      expect(isMatching(extend, text)).toBe(true);
    },
  );

  it.each(['grants', 'get extend', 'extend traffic'])('does not find it by %j', (text) => {
    expect(isMatching(extend, text)).toBe(false);
  });
});
