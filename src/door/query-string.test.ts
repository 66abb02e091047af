// How a query is read, and what is refused in it.
import { describe, expect, it } from 'vitest';
import { readQuery } from './query-string.ts';

describe('readQuery', () => {
  it('decodes names and values', () => {
    expect({ ...readQuery('q=%D0%BF+a%2Bb&state=active&x&y=').raw }).toEqual({
      q: 'п a+b',
      state: 'active',
      x: '',
      y: '',
    });
    expect(readQuery('a=1&&').errors).toEqual([]);
    expect({ ...readQuery('a=b=c').raw }).toEqual({ a: 'b=c' });
  });

  it.each(['a=%', 'a=%2', 'a=%zz', 'a=%ff', 'a=%C3', 'a=%ED%A0%80', '%=1', 'a=\xe9', 'a=п'])(
    'refuses the encoding of %s',
    (query) => {
      expect(readQuery(query).errors).toMatchObject([{ code: 'encoding' }]);
    },
  );

  it('refuses a repeated parameter, once, also under another spelling', () => {
    expect(readQuery('a=1&a=1&%61=2').errors).toEqual([
      { parameter: 'a', code: 'repeated', message: 'must be given once' },
    ]);
  });

  it('takes __proto__ for a name like any other', () => {
    const { raw } = readQuery('__proto__=1');
    expect(Object.keys(raw)).toEqual(['__proto__']);
  });
});
