// What each request header is read as, and what is refused in it.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PanelError } from '../core/kernel/panel-error.ts';
import {
  buildIdempotency,
  chooseType,
  isTagListed,
  MAX_BODY_BYTES,
  MAX_PUBLIC_BODY_BYTES,
  type RequestHeaders,
  readBearerKey,
  readIdempotencyKey,
  readIfMatch,
  requireJsonHeaders,
} from './headers.ts';

/** The code of what is thrown, with the first error of it; undefined: nothing is. */
function refusal(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    if (!(error instanceof PanelError)) throw error;
    return error.errors === undefined ? error.code : [error.code, error.errors];
  }
}

describe('readBearerKey', () => {
  const read = (authorization: RequestHeaders['authorization']) => readBearerKey({ authorization });

  it('takes the key behind the scheme, in any case, without white space around it', () => {
    for (const header of ['Bearer k3y', 'bearer k3y', 'BEARER k3y', 'Bearer   k3y', 'Bearer k3y \t'])
      expect([header, read(header)]).toEqual([header, 'k3y']);
  });

  it.each([
    undefined,
    null,
    '',
    'Bearer',
    'Bearer ',
    'Bearer  ',
    'Basic k3y',
    'k3y',
    'Bearerk3y',
    'Bearer k3y more',
    ' Bearer k3y',
  ])('finds none in %j', (header) => {
    expect(read(header)).toBeNull();
  });
});

describe('readIdempotencyKey', () => {
  const read = (key: RequestHeaders['idempotency-key']) => readIdempotencyKey({ 'idempotency-key': key });

  it('is 1 to 255 printable characters', () => {
    for (const key of ['k', ' ', '~', 'a b', 'k'.repeat(255)]) expect(read(key)).toBe(key);
    expect(readIdempotencyKey({})).toBeUndefined();
  });

  it.each([null, '', 'k'.repeat(256), 'k\t', '\nk', 'ключ', 'k\x7f', ['a', 'b']])('is not %j', (key) => {
    expect(refusal(() => read(key))).toEqual([
      'bad_header',
      [{ parameter: 'Idempotency-Key', code: 'format', message: 'must be 1 to 255 printable characters' }],
    ]);
  });
});

describe('buildIdempotency', () => {
  it('is the key, who sends what to where, and the value of the body, however it is written', () => {
    const of = (body: unknown) => buildIdempotency('k', 7, 'POST', '/users', body);
    expect(of({ b: [1, { d: null, c: 'x' }], a: 1.0 })).toEqual({
      key: 'k',
      scope: '7 POST /users',
      fingerprint: createHash('sha256').update('{"a":1,"b":[1,{"c":"x","d":null}]}').digest('hex'),
    });
    expect(of({ a: 1, b: 2 })).toEqual(of({ b: 2, a: 1 }));
    expect(of(undefined)).toEqual(of({}));
    expect(of(null)).toEqual(of({}));
    const others = [of({}), of([]), of({ a: 1 }), of({ a: '1' }), of([1, 2]), of([2, 1]), of('a'), of(false)];
    expect(new Set(others.map(({ fingerprint }) => fingerprint)).size).toBe(others.length);
    expect(buildIdempotency('k', null, 'PUT', '/x', {}).scope).toBe('null PUT /x');
  });
});

describe('If-Match', () => {
  const read = (header: string) => readIfMatch({ 'if-match': header });

  it.each([
    ['*', '*'],
    [' * ', '*'],
    ['"1"', '"1"'],
    ['"1", "2"', '"1", "2"'],
    [' "1" ,\tW/"2" ', '"1" ,\tW/"2"'],
    ['""', '""'],
    ['"\xff!#"', '"\xff!#"'],
    [`"${'a'.repeat(998)}"`, `"${'a'.repeat(998)}"`],
  ])('takes %j', (header, value) => {
    expect(read(header)).toBe(value);
  });

  it.each([
    '',
    '1',
    '"1',
    '1"',
    '"1" "2"',
    '"1",',
    ',"1"',
    '*, "1"',
    '"a"b"',
    '"a b"',
    'w/"1"',
    'W/ "1"',
    'x"1"',
    '"1"x',
    `"${'a'.repeat(999)}"`,
  ])('refuses %j', (header) => {
    expect(refusal(() => read(header))).toEqual([
      'bad_header',
      [{ parameter: 'If-Match', code: 'format', message: 'must be * or a list of entity tags' }],
    ]);
  });

  it('may be left out', () => {
    expect(readIfMatch({})).toBeUndefined();
  });
});

describe('isTagListed', () => {
  it('finds a tag in the list, also a weak one, and each by the star', () => {
    for (const header of ['"a"', 'W/"a"', '"b", "a"', '"b",W/"a" ', '*', ' * '])
      expect(isTagListed(header, '"a"')).toBe(true);
    for (const header of ['', 'a', '"b"', '"aa"', '"a" "b"', '"W/a"', '**'])
      expect(isTagListed(header, '"a"')).toBe(false);
  });
});

describe('requireJsonHeaders', () => {
  const of = (headers: RequestHeaders, { isEmpty = false, isPatch = false, most = MAX_BODY_BYTES } = {}) =>
    refusal(() => requireJsonHeaders(headers, isEmpty, isPatch, most));
  const typed = (type: string, isPatch = false) => of({ 'content-type': type }, { isPatch });
  const json = { 'content-type': 'application/json' };

  it('refuses by its length what is too long, before it is read', () => {
    expect([MAX_BODY_BYTES, MAX_PUBLIC_BODY_BYTES]).toEqual([1_048_576, 8192]);
    expect(of({ ...json, 'content-length': '1048576' })).toBeUndefined();
    expect(of({ ...json, 'content-length': '1048577' })).toBe('body_too_large');
    expect(of({ ...json, 'content-length': '8193' }, { most: 8192 })).toBe('body_too_large');
    expect(of({ ...json, 'content-length': '8192' }, { most: 8192 })).toBeUndefined();
    expect(refusal(() => requireJsonHeaders({ ...json, 'content-length': '1048577' }, false, false))).toBe(
      'body_too_large',
    );
    // Before its type is looked at.
    expect(of({ 'content-type': 'text/html', 'content-length': '1048577' })).toBe('body_too_large');
  });

  it('takes no coding but none', () => {
    for (const coding of ['identity', 'Identity', ' identity '])
      expect(of({ ...json, 'content-encoding': coding })).toBeUndefined();
    for (const coding of ['gzip', '', 'identity, gzip'])
      expect(of({ ...json, 'content-encoding': coding })).toBe('unsupported_media_type');
  });

  it('needs a type where there is a body', () => {
    expect(of({})).toBe('unsupported_media_type');
    expect(of({}, { isEmpty: true })).toBeUndefined();
    expect(of({ 'content-type': 'text/html' }, { isEmpty: true })).toBe('unsupported_media_type');
  });

  it.each([
    'application/json',
    'Application/JSON',
    ' application/json ',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json ; charset="utf-8"',
    'application/json; a=b; charset = utf-8 ; c=d',
    'application/json;',
    'application/json; a=b',
  ])('takes %j', (type) => {
    expect(typed(type)).toBeUndefined();
  });

  it.each([
    'text/json',
    'application/jsonx',
    'xapplication/json',
    'application/json x',
    'application',
    'application/merge-patch+json',
    'application/json; charset=latin1',
    'application/json; charset="utf-8',
    'application/json; charset=',
    'application/json; charset',
    'application/json; charset="latin1"',
    'application/json, text/html',
    '',
  ])('refuses %j', (type) => {
    expect(typed(type)).toBe('unsupported_media_type');
  });

  it('takes the type of a patch for a patch', () => {
    expect(typed('application/merge-patch+json', true)).toBeUndefined();
    expect(typed('Application/Merge-Patch+JSON; charset=utf-8', true)).toBeUndefined();
    expect(typed('application/json', true)).toBeUndefined();
    expect(typed('application/json-patch+json', true)).toBe('unsupported_media_type');
  });
});

const json = ['application/json'];
const metrics = ['text/plain', 'application/openmetrics-text'];

describe('chooseType', () => {
  it.each([
    undefined,
    '*/*',
    '',
    'application/json',
    'application/*',
    'Application/JSON; charset=utf-8',
    'text/html, application/json;q=0.5',
    'text/html, */*;q=0.1',
    'application/json;q=0.001',
    'nonsense',
    '*/*;q=0, application/json',
  ])('answers %j with JSON', (accept) => {
    expect(chooseType(accept, json)).toBe('application/json');
  });

  it.each([
    'text/html',
    'application/xml, text/*',
    'application/json;q=0',
    '*/*;q=0',
    'application/json;q=0, */*',
    'application/*;q=0.0, */*;q=1',
    'application/problem+json',
  ])('finds nothing for %j', (accept) => {
    expect(chooseType(accept, json)).toBeNull();
  });

  it('takes the type that is wanted most', () => {
    expect(chooseType('*/*', metrics)).toBe('text/plain');
    expect(
      chooseType('application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1', metrics),
    ).toBe('application/openmetrics-text');
    expect(chooseType('application/openmetrics-text; q=0.3, text/plain; q=0.5', metrics)).toBe('text/plain');
    expect(chooseType('application/openmetrics-text, text/plain', metrics)).toBe('text/plain');
  });

  it('takes the most specific range, and of two for one type the better', () => {
    expect(chooseType('text/*;q=0.2, */*;q=0.9', metrics)).toBe('application/openmetrics-text');
    expect(chooseType('text/plain;q=0, text/*, application/*;q=0', metrics)).toBeNull();
    expect(chooseType('text/plain;q=0.1, text/plain;q=0.9, application/*;q=0.5', metrics)).toBe('text/plain');
    expect(chooseType('text/plain;q=0.4, application/*;q=0.5', metrics)).toBe('application/openmetrics-text');
    // Between 0 and 1, with three digits at the most: else it is none.
    expect(chooseType('text/plain; q=0.5, application/openmetrics-text; q=1.0', metrics)).toBe(
      'application/openmetrics-text',
    );
    expect(chooseType('text/plain; Q = 0.499 , application/openmetrics-text; v=1; q=0.5', metrics)).toBe(
      'application/openmetrics-text',
    );
    expect(chooseType('text/plain;q=0.5, application/openmetrics-text;q=1.5', metrics)).toBe(
      'application/openmetrics-text',
    );
    expect(chooseType('text/plain;v=1, application/openmetrics-text', metrics)).toBe('text/plain');
    expect(chooseType('text, plain', metrics)).toBe('text/plain');
    expect(chooseType('text/plain', [])).toBeNull();
    expect(chooseType(undefined, [])).toBeNull();
  });

  it('reads a hostile header in linear time', () => {
    expect(chooseType(`text/html${';a=1'.repeat(4000)}`, json)).toBeNull();
    expect(chooseType(`text/html;${' '.repeat(16_000)}x`, json)).toBeNull();
  });
});
