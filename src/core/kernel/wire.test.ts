// Conversions: base64url both ways for any text, and merge patches that change only the named members.
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { PanelError } from './panel-error.ts';
import {
  etagOf,
  fromBase64Url,
  isSameJson,
  patchReader,
  requireMatch,
  toBase64Url,
  toInstant,
  toInstantOrNull,
  tokenOf,
} from './wire.ts';

describe('base64url', () => {
  test.prop([fc.string({ unit: 'grapheme' })])('gives back any text', (text) => {
    const encoded = toBase64Url(text);
    expect(encoded).toMatch(/^[A-Za-z0-9_-]*$/);
    expect(fromBase64Url(encoded)).toBe(text);
  });

  it.each(['a+b', 'a=', 'ä', '_w', '%20'])('refuses %s', (encoded) => {
    expect(fromBase64Url(encoded)).toBeNull();
  });

  it('writes tokens without padding', () => {
    expect(tokenOf(Uint8Array.from([251, 255, 254]))).toBe('-__-');
  });
});

describe('moments', () => {
  test.prop([fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z') })])(
    'are written as Date writes them',
    (date) => {
      expect(toInstant(date.getTime())).toBe(date.toISOString());
    },
  );

  it('are so before 1970 and after many days too', () => {
    for (const ms of [-1, -86_400_001, 0, 4_102_444_800_000]) expect(toInstant(ms)).toBe(new Date(ms).toISOString());
    for (let day = 0; day < 5000; day += 1) toInstant(day * 86_400_000);
    expect(toInstant(1)).toBe('1970-01-01T00:00:00.001Z');
  });
});

describe('merge', () => {
  it('sets the columns of the members that are there, null too', () => {
    const toColumns = patchReader<
      { first_name?: string | undefined; age?: number | undefined; note?: string | null },
      { firstName: string; age: number; note: string | null }
    >({ first_name: 'firstName', age: 'age', note: 'note' });
    expect(toColumns({ first_name: 'Anna', age: undefined, note: null })).toEqual({ firstName: 'Anna', note: null });
  });

  it('compares JSON', () => {
    expect(isSameJson(['a', 1], ['a', 1])).toBe(true);
    expect(isSameJson({ a: null }, { a: 0 })).toBe(false);
  });

  it('keeps null instants', () => {
    expect(toInstantOrNull(null)).toBeNull();
    expect(toInstantOrNull(0)).toBe('1970-01-01T00:00:00.000Z');
  });
});

describe('If-Match', () => {
  const tag = etagOf({ id: 7, version: 3 });
  const check = (header: string | undefined) => () => requireMatch(header, tag);

  it.each([undefined, '*', '"7-3"', '"7-2", "7-3"', '"7-3","7-4"'])('is met by %s', (header) => {
    expect(check(header)).not.toThrow();
  });

  it.each(['"7-2"', 'W/"7-3"', '7-3', '', '"7-33"', '"17-3"'])('is not met by %s', (header) => {
    expect(check(header)).toThrow(new PanelError('precondition_failed'));
  });
});
