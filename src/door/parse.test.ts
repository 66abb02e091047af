// Which queries and JSON texts are read, and what is refused in them.
import { describe, expect, it } from 'vitest';
import type { FieldError } from '../contract/errors.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import { canonicalJson, parseBody, parseStrictJson, readQuery } from './parse.ts';

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

  it('names what is wrong, cut where it is long', () => {
    const message = 'must be percent-encoded UTF-8';
    expect(readQuery('name=%zz&b=1').errors).toEqual([{ parameter: 'name', code: 'encoding', message }]);
    expect(readQuery('%zz=1').errors).toEqual([{ parameter: '', code: 'encoding', message }]);
    expect(readQuery(`${'n'.repeat(101)}=%`).errors).toEqual([
      { parameter: 'n'.repeat(100), code: 'encoding', message },
    ]);
    // Not in the middle of a surrogate pair.
    const half = `${'n'.repeat(99)}%F0%9F%98%80`;
    expect(readQuery(`${half}=1&${half}=2`).errors[0]).toMatchObject({ parameter: `${'n'.repeat(99)}\ufffd` });
    expect(readQuery('b=1&b=2&a=1&a=2').errors.map((error) => error.parameter)).toEqual(['b', 'a']);
  });

  it('reads nothing where there is nothing, and names without a text', () => {
    expect(readQuery('')).toEqual({ raw: {}, errors: [] });
    expect(Object.entries(readQuery('=1').raw)).toEqual([['', '1']]);
    expect(Object.entries(readQuery('a+b').raw)).toEqual([['a b', '']]);
    expect(Object.entries(readQuery('a=+%2B+').raw)).toEqual([['a', ' + ']]);
    expect(Object.entries(readQuery('a=~ x').raw)).toEqual([['a', '~ x']]);
  });

  it('takes __proto__ for a name like any other', () => {
    const { raw } = readQuery('__proto__=1');
    expect(Object.keys(raw)).toEqual(['__proto__']);
  });
});

const onThisThread = (bytes: Uint8Array) => parseStrictJson(bytes) as never;
const parse = (text: string) => parseBody(Buffer.from(text, 'utf8'), onThisThread);

function failure(bytes: Uint8Array): FieldError | undefined {
  try {
    parseBody(bytes, onThisThread);
  } catch (error) {
    if (error instanceof PanelError && error.code === 'bad_json') return error.errors?.[0];
    throw error;
  }
  return undefined;
}
const fault = (text: string) => failure(Buffer.from(text, 'utf8'));

describe('parseStrictJson', () => {
  it.each([
    '{}',
    '[]',
    'null',
    '"a"',
    ' {"a":[1,{"a":1}],"b":{"a":"\\"{"}} ',
    '{"a":"\\\\","b":"\\u00e9😀"}',
    '{"":1}',
  ])('reads %s as JSON.parse does', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it.each(['', ' ', '{', '{"a":1,}', "{'a':1}", '{"a":NaN}', '[1,]', '{"a":01}', '\ufeff{}', '{} {}', '{"a":"\t"}'])(
    'refuses %j as no JSON',
    (text) => {
      expect(fault(text)).toMatchObject({ pointer: '#', code: 'syntax' });
    },
  );

  it('refuses a member given twice, at any depth and however it is written', () => {
    expect(fault('{"a":1,"b":2,"a":3}')).toMatchObject({ pointer: '#/a', code: 'duplicate' });
    expect(fault('{"a":1,"\\u0061":3}')).toMatchObject({ pointer: '#/a', code: 'duplicate' });
    expect(fault('{"x":[0,{"y/z":1,"y/z":2}]}')).toMatchObject({ pointer: '#/x/1/y~1z', code: 'duplicate' });
    expect(fault('{"__proto__":1,"__proto__":2}')).toMatchObject({ code: 'duplicate' });
    expect(fault('{"x":{"a":1},"y":{"a":1},"z":"a\\",\\"a"}')).toBeUndefined();
    expect(fault('[{"a":1},{"a":1}]')).toBeUndefined();
  });

  it('takes 32 levels and refuses 33', () => {
    expect(fault('['.repeat(32) + ']'.repeat(32))).toBeUndefined();
    expect(fault('['.repeat(33) + ']'.repeat(33))).toMatchObject({ code: 'depth' });
    expect(fault(`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`)).toMatchObject({ code: 'depth' });
    expect(fault(`"${'['.repeat(100)}"`)).toBeUndefined();
  });

  it('refuses what is not UTF-8 and halves of surrogate pairs', () => {
    expect(failure(Buffer.from('{"a":"\xff"}', 'latin1'))).toMatchObject({ code: 'encoding' });
    expect(failure(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toMatchObject({ code: 'encoding' });
    expect(fault('{"a":"\\ud83d"}')).toMatchObject({ code: 'encoding' });
    expect(fault('{"\\udc00":1}')).toMatchObject({ code: 'encoding' });
    expect(fault('{"a":"\\ud83d\\ude00"}')).toBeUndefined();
  });

  it('keeps a member named __proto__ a member like any other', () => {
    const value = parse('{"__proto__":{"isAdmin":true}}') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(value.isAdmin).toBeUndefined();
  });

  it('refuses what is nested too deeply before it is parsed, and takes no bracket in a text for one', () => {
    const deep = '['.repeat(33);
    for (const text of [deep, `{"a":${deep}`, `${deep}"`, `["\\\\",${deep}`])
      expect(fault(text)).toMatchObject({ code: 'depth' });
    for (const text of [`"${deep}"`, `"\\"${deep}"`, `["\\\\","${deep}"]`, '[[],[],[]]']) {
      expect(fault(text)).toBeUndefined();
    }
    expect(fault(`"${deep}`)).toMatchObject({ code: 'syntax' });
  });

  it('takes a deep or long body in linear time', () => {
    expect(fault(`"${'\\\\'.repeat(250_000)}"`)).toBeUndefined();
    expect(fault('['.repeat(500_000))).toMatchObject({ code: 'depth' });
  });

  it('counts values before it parses, and leaves what is large to another thread', () => {
    const members = (count: number) => `{${Array.from({ length: count }, (_, index) => `"${index}":1`).join()}}`;
    const many = { code: 'values', message: 'must not have more than 50000 values' };
    expect(fault(members(90_000))).toMatchObject(many);
    expect(
      fault(
        `[${Array(20_000)
          .fill(`${'['.repeat(25)}${']'.repeat(25)}`)
          .join()}]`,
      ),
    ).toMatchObject(many);
    const large: number[] = [];
    const parseLarge = async ({ length }: Uint8Array) => large.push(length);
    for (const text of [`"${'x'.repeat(300_000)}"`, members(10_000), members(9000)])
      void parseBody(Buffer.from(text), parseLarge);
    expect(large).toEqual([300_002, members(10_000).length]);
  });
});

describe('what parseStrictJson says', () => {
  it('has words for each thing that is wrong', () => {
    expect(fault('')).toEqual({ pointer: '#', code: 'syntax', message: 'a body is required' });
    expect(fault('{')).toEqual({ pointer: '#', code: 'syntax', message: 'must be valid JSON' });
    expect(fault('['.repeat(33))).toEqual({
      pointer: '#',
      code: 'depth',
      message: 'must not be nested deeper than 32 levels',
    });
    expect(failure(Buffer.from([0xff]))).toEqual({ pointer: '#', code: 'encoding', message: 'must be UTF-8' });
    expect(fault('{"a":1,"a":1}')).toEqual({ pointer: '#/a', code: 'duplicate', message: 'must be given once' });
    expect(fault('{"a":["x","\\ud83d"]}')).toEqual({
      pointer: '#/a/1',
      code: 'encoding',
      message: 'must not contain half a surrogate pair',
    });
  });

  it('points to the place, behind what was closed, and behind commas in texts', () => {
    expect(fault('{"a":{"b":[1,2]},"c":[{"d":1},{"e":",","e":1}]}')).toMatchObject({ pointer: '#/c/1/e' });
    expect(fault('[[],[1,2,{}],{"a":0,"a":0}]')).toMatchObject({ pointer: '#/2/a' });
    expect(fault('{"a":"b","b":"a","x":{"a":"\\"","a":1}}')).toMatchObject({ pointer: '#/x/a' });
    expect(fault('[["\\ud83d"]]')).toMatchObject({ pointer: '#/0/0' });
    expect(fault('"\\ud83d"')).toMatchObject({ pointer: '#' });
    // A text that is the same as a name is none.
    expect(fault('{"a":"a","b":["a","a"]}')).toBeUndefined();
    expect(fault('{"a":"\\u0061","b":"b"}')).toBeUndefined();
  });
});

describe('canonicalJson', () => {
  it('is one text for all texts of a value', () => {
    expect(canonicalJson({ b: 1, a: [{ d: 1, c: 2 }, null, 'x'], B: true })).toBe(
      '{"B":true,"a":[{"c":2,"d":1},null,"x"],"b":1}',
    );
    expect([
      canonicalJson(null),
      canonicalJson('a"'),
      canonicalJson(1e2),
      canonicalJson([]),
      canonicalJson({}),
    ]).toEqual(['null', '"a\\""', '100', '[]', '{}']);
  });
});
