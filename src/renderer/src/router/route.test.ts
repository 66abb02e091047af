// Addresses after the `#`: parsed and built without loss, whatever they contain.
import { describe, expect, it } from 'vitest';
import { buildHash, changedQuery, parseRoute } from './route.ts';

describe('parseRoute', () => {
  it.each([
    ['', []],
    ['#', []],
    ['#/', []],
    ['#/users', ['users']],
    ['#/users/7', ['users', '7']],
    ['#users/7', ['users', '7']],
    ['#//users//7/', ['users', '7']],
    ['#/users/%2F%3F', ['users', '/?']],
    ['#/users/%E0%A4%A', ['users', '%E0%A4%A']],
  ])('reads %s', (hash, path) => {
    expect(parseRoute(hash).path).toEqual(path);
  });

  it('reads the query apart from the path', () => {
    const { path, query } = parseRoute('#/users/7?state=active&q=a%26b?');
    expect(path).toEqual(['users', '7']);
    expect([...query]).toEqual([
      ['state', 'active'],
      ['q', 'a&b?'],
    ]);
  });
});

describe('buildHash', () => {
  it('leaves out what has no value', () => {
    expect(buildHash(['users'], { state: 'active', q: '', tag: null, online: undefined, page: 0 })).toBe(
      '#/users?state=active&page=0',
    );
    expect(buildHash([])).toBe('#/');
  });

  it('is unchanged by a round trip', () => {
    const segments = ['users', 'a/b', '?q=1', 'имя', '%', '#', '😀'];
    const query = { q: 'a&b=c #x+y', tag: 'семья' };
    const route = parseRoute(buildHash(segments, query));
    expect(route.path).toEqual(segments);
    expect(Object.fromEntries(route.query)).toEqual(query);
  });
});

describe('changedQuery', () => {
  it('changes members, removes null ones, and leaves the former query as it was', () => {
    const before = new URLSearchParams('state=active&q=anna');
    const after = changedQuery(before, { state: null, sort: '-used', q: 'boris' });
    expect(String(after)).toBe('q=boris&sort=-used');
    expect(String(before)).toBe('state=active&q=anna');
  });
});
