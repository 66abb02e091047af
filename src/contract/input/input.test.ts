import { describe, expect, it } from 'vitest';
import type { Operation } from '../operation.ts';
import { API_OPERATIONS, OPERATIONS as O } from '../table.ts';
import { coerceParams, coerceQuery, parseInput, pathParameters, queryKinds, splitInput } from './input.ts';

const operations = Object.values<Operation>(O);

function errorsIn(operation: Operation, sections: Partial<Parameters<typeof parseInput>[1]>) {
  const parsed = parseInput(operation, { params: {}, query: {}, ...sections });
  return parsed.ok ? [] : parsed.errors.map(({ pointer, parameter, code }) => [pointer ?? parameter, code]);
}

function bodyErrors(operation: Operation, json: string) {
  const params = pathParameters(operation).includes('id') ? { id: 7 } : {};
  return errorsIn(operation, { params, body: JSON.parse(json) });
}

describe('the table of operations', () => {
  it('names a parameter of the path for each place in the template, and no member twice', () => {
    for (const operation of API_OPERATIONS) {
      const { params, query, body } = operation;
      expect(pathParameters(operation)).toEqual(Object.keys(params.shape));
      const members = [params, query, body].flatMap((section) =>
        section !== null && 'shape' in section ? Object.keys(section.shape as object) : [],
      );
      expect(new Set(members).size, operation.id).toBe(members.length);
    }
  });

  it('has examples that validation accepts, at the API door and as one flat record at the panel door', () => {
    for (const operation of operations) {
      const { body, ...rest } = operation.example;
      const { params = {}, query = {} } = operation.door === 'api' ? operation.example : {};
      const direct = parseInput(operation, { params, query, body });
      const flat = splitInput(operation, { ...('params' in rest ? rest.params : {}), ...query, ...(body ?? {}) });
      expect(direct, operation.id).toMatchObject({ ok: true });
      expect(parseInput(operation, flat), operation.id).toEqual(direct);
      if (operation.output !== null) expect(operation.output.safeParse(operation.example.reply).error).toBeUndefined();
    }
  });
});

describe('splitInput', () => {
  it('puts the members of the path apart and the rest where the method has them', () => {
    expect(splitInput(O.extendUser, { id: 7, months: 1 })).toEqual({
      params: { id: 7 },
      query: {},
      body: { months: 1 },
    });
    expect(splitInput(O.getUserTraffic, { id: 7, range: '7d' })).toEqual({ params: { id: 7 }, query: { range: '7d' } });
    expect(splitInput(O.deleteGrant, { id: 7, grant_id: 3 })).toEqual({ params: { id: 7, grant_id: 3 }, query: {} });
    expect(splitInput(O.endSession, { id: 2 })).toEqual({ params: {}, query: {}, body: { id: 2 } });
  });

  it('takes nothing for an empty record and refuses what is none', () => {
    expect(parseInput(O.getOverview, splitInput(O.getOverview, undefined))).toEqual({ ok: true, value: {} });
    for (const flat of [null, [], 'x', 7]) {
      expect(errorsIn(O.getOverview, splitInput(O.getOverview, flat))).toEqual([['#', 'type']]);
      expect(errorsIn(O.signOut, splitInput(O.signOut, flat))).toEqual([['#', 'type']]);
    }
  });

  it('keeps __proto__ a member like any other, which is refused', () => {
    for (const operation of [O.getOverview, O.createUser, O.resetUserTraffic, O.signOut]) {
      const flat: unknown = JSON.parse('{"id":7,"name":"a","tariff_id":1,"__proto__":{"polluted":1}}');
      expect(
        errorsIn(operation, splitInput(operation, flat)).map(([place]) => String(place).replace('#/', '')),
      ).toContain('__proto__');
    }
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

describe('coerceQuery', () => {
  it('knows the kind of every parameter through optional, default and nullable', () => {
    expect(Object.fromEntries(queryKinds(O.listUsers))).toMatchObject({
      limit: 'integer',
      offset: 'integer',
      tariff_id: 'integer',
      online: 'boolean',
      q: 'string',
      sort: 'string',
    });
    expect(queryKinds(O.getUser).size).toBe(0);
  });

  it('reads whole numbers and booleans, and leaves the rest as text', () => {
    const raw = { limit: '50', offset: '-3', tariff_id: '01', online: 'true', q: '7' };
    expect(coerceQuery(O.listUsers, raw)).toEqual({ limit: 50, offset: -3, tariff_id: '01', online: true, q: '7' });
    for (const text of ['', ' 1', '1 ', '+1', '1.0', '1e3', '0x1', '-0', '12345678901234567', '١']) {
      expect(coerceQuery(O.listUsers, { limit: text }), text).toEqual({ limit: text });
    }
    for (const text of ['TRUE', '1', 'yes', ''])
      expect(coerceQuery(O.listUsers, { online: text })).toEqual({ online: text });
  });

  it('gives one id one spelling', () => {
    expect(coerceParams(O.getUser, { id: '7' })).toEqual({ id: 7 });
    for (const id of ['007', '7.0', '7abc', '', '%37']) {
      const params = coerceParams(O.getUser, { id });
      expect(parseInput(O.getUser, { params, query: {} }), id).toMatchObject({ ok: false, where: 'params' });
    }
    const tooLarge = coerceParams(O.getUser, { id: '9007199254740993' });
    expect(parseInput(O.getUser, { params: tooLarge, query: {} })).toMatchObject({ ok: false, where: 'params' });
  });

  it('does not touch prototypes', () => {
    const raw: Record<string, string> = JSON.parse('{"__proto__":"1","constructor":"2"}');
    const query = coerceQuery(O.listUsers, raw);
    expect(errorsIn(O.listUsers, { query }).toSorted()).toEqual([
      ['__proto__', 'unknown'],
      ['constructor', 'unknown'],
    ]);
  });
});

describe('parseInput', () => {
  it('joins the sections and fills in defaults', () => {
    const parsed = parseInput(O.listUsers, { params: {}, query: { state: 'active' } });
    expect(parsed).toEqual({ ok: true, value: { state: 'active', limit: 100, offset: 0, sort: '-id' } });
    const body = { months: 1 };
    expect(parseInput(O.extendUser, { params: { id: 7 }, query: {}, body })).toEqual({
      ok: true,
      value: { id: 7, months: 1 },
    });
  });

  it('takes an empty body or {} where there is none to send, and nothing else', () => {
    for (const body of [undefined, {}]) {
      expect(parseInput(O.resetUserTraffic, { params: { id: 7 }, query: {}, body })).toEqual({
        ok: true,
        value: { id: 7 },
      });
    }
    expect(bodyErrors(O.resetUserTraffic, '{"hard":true}')).toEqual([['#/hard', 'unknown']]);
    expect(bodyErrors(O.resetUserTraffic, 'null')).toEqual([['#', 'type']]);
  });

  it('asks for a body where there is one to send', () => {
    expect(errorsIn(O.createUser, {})).toEqual([['#', 'required']]);
    expect(bodyErrors(O.updateUser, '[]')).toEqual([['#', 'type']]);
  });

  it('lists every failure of every section', () => {
    const body = {
      name: '',
      tariff_id: 1.5,
      contact: null,
      tags: ['a', 'a'],
      expires_at: 'soon',
      inbounds: [1, 'x'],
      is_admin: true,
    };
    const parsed = parseInput(O.createUser, { params: {}, query: { dry: '1' }, body });
    expect(parsed).toEqual({
      ok: false,
      where: 'fields',
      errors: [
        { parameter: 'dry', code: 'unknown', message: 'is unknown' },
        { pointer: '#/name', code: 'too_small', message: 'must have at least 1 character' },
        { pointer: '#/tariff_id', code: 'type', message: 'must be a whole number' },
        { pointer: '#/contact', code: 'type', message: 'must be text' },
        { pointer: '#/tags', code: 'invalid', message: 'must not repeat a tag' },
        {
          pointer: '#/expires_at',
          code: 'format',
          message:
            'must be a time as in 2026-12-20T21:00:00Z or 2026-12-21T00:00:00+03:00 (RFC 3339; in an address + is %2B)',
        },
        { pointer: '#/inbounds/1', code: 'type', message: 'must be a whole number' },
        { pointer: '#/is_admin', code: 'unknown', message: 'is unknown' },
      ],
    });
  });

  it('tells of one bound, its own, where a number breaks several', () => {
    const parseTariff = (traffic_limit: number) =>
      parseInput(O.createTariff, { params: {}, query: {}, body: { name: 'P', traffic_limit } });
    const told = (code: string, message: string) => ({ errors: [{ pointer: '#/traffic_limit', code, message }] });
    for (const value of [2 ** 50 + 1, 2 ** 53, 1e300])
      expect(parseTariff(value)).toMatchObject(told('too_big', `must be at most ${2 ** 50}`));
    for (const value of [0, -(2 ** 53), -1e300])
      expect(parseTariff(value)).toMatchObject(told('too_small', 'must be at least 1'));
  });

  it('says required of what is missing, whatever its type', () => {
    expect(bodyErrors(O.createInbound, '{"name":"DE"}')).toEqual([
      ['#/node_id', 'required'],
      ['#/tag', 'required'],
      ['#/protocol', 'required'],
      ['#/port', 'required'],
    ]);
    expect(bodyErrors(O.createGrant, '{"bytes":1,"lifetime":"days"}')).toEqual([['#/days', 'required']]);
    expect(bodyErrors(O.createGrant, '{"bytes":1,"lifetime":"used","days":3}')).toEqual([['#/days', 'invalid']]);
  });

  it('explains the alternative that was meant', () => {
    expect(bodyErrors(O.createTariff, '{"name":"P","duration":{"days":0}}')).toEqual([
      ['#/duration/days', 'too_small'],
    ]);
    expect(bodyErrors(O.createTariff, '{"name":"P","duration":{"days":"x"}}')).toEqual([['#/duration/days', 'type']]);
    expect(bodyErrors(O.createTariff, '{"name":"P","duration":{}}')).toEqual([['#/duration', 'invalid']]);
    expect(bodyErrors(O.createTariff, '{"name":"P","duration":5}')).toEqual([['#/duration', 'type']]);
    const key = { name: 'bot', access: 'full', expires_in_days: 31, password: 'x' };
    expect(parseInput(O.createKey, { params: {}, query: {}, body: key })).toMatchObject({
      errors: [{ pointer: '#/expires_in_days', code: 'invalid', message: 'must be one of 30, 90, 365' }],
    });
  });

  it('escapes pointers, whatever a member is called', () => {
    expect(bodyErrors(O.createTariff, '{"name":"P","a/b~c %\\"é":1}')).toEqual([
      ['#/a~1b~0c%20%25%22%C3%A9', 'unknown'],
    ]);
    expect(bodyErrors(O.createTariff, '{"name":"P","\\ud800":1}')).toEqual([['#/%EF%BF%BD', 'unknown']]);
    expect(bodyErrors(O.createTariff, '{"name":"P","":1}')).toEqual([['#/', 'unknown']]);
    expect(bodyErrors(O.createTariff, '{"name":"P","__proto__":1}')).toEqual([['#/__proto__', 'unknown']]);
    const long = bodyErrors(O.createTariff, JSON.stringify({ name: 'P', ['k'.repeat(5000)]: 1 }));
    expect(String(long[0]?.[0]).length).toBeLessThan(120);
  });

  it('never repeats a value', () => {
    const secret = 'hunter2-hunter2';
    const body = { name: secret.repeat(50), access: secret, expires_in_days: secret, password: 7, code: [secret] };
    const parsed = parseInput(O.createKey, { params: {}, query: {}, body });
    expect(parsed.ok).toBe(false);
    expect(JSON.stringify(parsed)).not.toContain('hunter2');
  });

  it('keeps the list short however much is wrong', () => {
    const ids = Array.from({ length: 10_000 }, () => 'x');
    expect(bodyErrors(O.bulkUsers, JSON.stringify({ action: 'enable', ids }))).toHaveLength(100);
    const unknown = Object.fromEntries(ids.map((_, index) => [`k${index}`, 1]));
    expect(bodyErrors(O.createTariff, JSON.stringify(unknown))).toHaveLength(100);
  });

  it('says where a failure of the path is, beside the others', () => {
    const parsed = parseInput(O.extendUser, { params: { id: 'x' }, query: {}, body: { days: 0 } });
    expect(parsed).toMatchObject({
      ok: false,
      where: 'params',
      errors: [
        { parameter: 'id', code: 'type' },
        { pointer: '#/days', code: 'too_small' },
      ],
    });
  });
});
