// The pages that a list's Link header names.
import { describe, expect, it } from 'vitest';
import { linkHeader } from './link-header.ts';

function linksOf(
  raw: Record<string, string>,
  place: Partial<Parameters<typeof linkHeader>[1]>,
): Record<string, string> {
  const header = linkHeader(raw, { total: 250, limit: 100, offset: 0, next_cursor: null, ...place });
  return Object.fromEntries(
    [...header.matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, url, relation]) => [relation, url]),
  );
}

describe('linkHeader', () => {
  it('names the pages around one in the middle', () => {
    expect(linksOf({}, { offset: 100 })).toEqual({
      first: '?limit=100&offset=0',
      prev: '?limit=100&offset=0',
      next: '?limit=100&offset=200',
      last: '?limit=100&offset=200',
    });
  });

  it('names no page before the first nor behind the last', () => {
    expect(Object.keys(linksOf({}, {}))).toEqual(['first', 'next', 'last']);
    expect(Object.keys(linksOf({}, { offset: 200 }))).toEqual(['first', 'prev', 'last']);
    expect(linksOf({}, { offset: 50 }).prev).toBe('?limit=100&offset=0');
    expect(linksOf({}, { offset: 1000 })).toMatchObject({
      prev: '?limit=100&offset=900',
      last: '?limit=100&offset=200',
    });
    expect(linksOf({}, { total: 0 })).toEqual({ first: '?limit=100&offset=0', last: '?limit=100&offset=0' });
    expect(linksOf({}, { total: 200 }).last).toBe('?limit=100&offset=100');
  });

  it('keeps the filters, encoded so that nothing can break out of the header', () => {
    const raw = { q: 'а"<>;, &b', state: 'active', limit: '7', offset: '9', sort: '-id' };
    const { first = '' } = linksOf(raw, { limit: 7 });
    expect(first).toMatch(/^[\x21-\x7e]+$/);
    expect(Object.fromEntries(new URLSearchParams(first))).toEqual({
      q: raw.q,
      state: 'active',
      sort: '-id',
      limit: '7',
      offset: '0',
    });
  });

  it('goes on by cursor where a cursor was given', () => {
    const raw = { cursor: 'abc', tag: 'x' };
    expect(linksOf(raw, { next_cursor: 'de+f' })).toEqual({
      first: '?tag=x&limit=100',
      next: '?tag=x&limit=100&cursor=de%2Bf',
    });
    expect(Object.keys(linksOf(raw, {}))).toEqual(['first']);
  });
});
