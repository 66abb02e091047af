// The pages that a list's Link header names.
import { describe, expect, it } from 'vitest';
import { linkHeader } from './link-header.ts';

const LIST = 'https://192.0.2.1:8443/secret/api/v1/users';

/** By relation, without the list's address. */
function buildLinks(
  raw: Record<string, string>,
  place: Partial<Parameters<typeof linkHeader>[2]>,
): Record<string, string> {
  const header = linkHeader(LIST, raw, { total: 250, limit: 100, offset: 0, next_cursor: null, ...place });
  const links = [...header.matchAll(/<([^>]*)>; rel="(\w+)"/g)];
  return Object.fromEntries(
    links.map(([, url = '', relation]) => {
      expect(url.startsWith(`${LIST}?`)).toBe(true);
      return [relation, url.slice(LIST.length)];
    }),
  );
}

describe('linkHeader', () => {
  it('names the pages around one in the middle, the next by its cursor', () => {
    expect(buildLinks({}, { offset: 100, next_cursor: 'abc' })).toEqual({
      first: '?limit=100',
      prev: '?limit=100',
      next: '?limit=100&cursor=abc',
      last: '?limit=100&offset=200',
    });
  });

  it('names no page before the first nor behind the last', () => {
    expect(Object.keys(buildLinks({}, { next_cursor: 'abc' }))).toEqual(['first', 'next', 'last']);
    expect(Object.keys(buildLinks({}, { offset: 200 }))).toEqual(['first', 'prev', 'last']);
    expect(buildLinks({}, { offset: 150 }).prev).toBe('?limit=100&offset=50');
    expect(buildLinks({}, { offset: 1000 })).toMatchObject({
      prev: '?limit=100&offset=900',
      last: '?limit=100&offset=200',
    });
    expect(buildLinks({}, { total: 0 })).toEqual({ first: '?limit=100', last: '?limit=100' });
    expect(buildLinks({}, { total: 200 }).last).toBe('?limit=100&offset=100');
  });

  it('keeps the filters, encoded so that nothing can break out of the header', () => {
    const raw = { q: 'а"<>;, &b', state: 'active', limit: '7', offset: '9', sort: '-id' };
    const { last = '' } = buildLinks(raw, { limit: 7 });
    expect(last).toMatch(/^[\x21-\x7e]+$/);
    expect(Object.fromEntries(new URLSearchParams(last))).toEqual({
      q: raw.q,
      state: 'active',
      sort: '-id',
      limit: '7',
      offset: '245',
    });
  });

  it('goes on by cursor where a cursor was given, which has no place to go back from', () => {
    const raw = { cursor: 'abc', tag: 'x' };
    expect(buildLinks(raw, { next_cursor: 'de+f' })).toEqual({
      first: '?tag=x&limit=100',
      next: '?tag=x&limit=100&cursor=de%2Bf',
    });
    expect(Object.keys(buildLinks(raw, {}))).toEqual(['first']);
  });
});
