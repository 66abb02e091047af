// The request of "Try it" has the entered parameters only, in the encoding that the API expects.
import { describe, expect, it } from 'vitest';
import type { Parameter } from './reference.ts';
import { formatBody, missingIn, requestPath } from './request.ts';

const parameters: readonly Parameter[] = [
  { in: 'path', name: 'id', required: true, schema: { type: 'integer' }, example: 7 },
  { in: 'query', name: 'q', schema: { type: 'string' }, example: 'anna' },
  { in: 'query', name: 'state', schema: { type: 'array' } },
  { in: 'query', name: 'metadata', schema: { type: 'object' } },
];

describe('requestPath', () => {
  it.each([
    [{ id: ' 7 ' }, '/users/7/traffic'],
    [{ id: 'a/b?c' }, '/users/a%2Fb%3Fc/traffic'],
    [{ id: '7', q: "Ann & Bob's" }, "/users/7/traffic?q=Ann%20%26%20Bob's"],
    [{ id: '7', state: 'active,on_hold', q: ' ' }, '/users/7/traffic?state=active,on_hold'],
    [{ id: '7', metadata: 'a b = c=d&e' }, '/users/7/traffic?metadata[a%20b]=c%3Dd%26e'],
  ])('of %j', (typed, path) => {
    expect(requestPath('/users/{id}/traffic', parameters, typed)).toBe(path);
  });
});

it('names what has to be typed', () => {
  expect(missingIn(parameters, { id: ' ' })).toEqual(['id']);
  expect(missingIn(parameters, { id: '7' })).toEqual([]);
});

it('writes JSON with a line for each member, and anything else as it came', () => {
  expect(formatBody('{"a":[1]}', 'application/problem+json')).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(formatBody('{"a":', 'application/json')).toBe('{"a":');
  expect(formatBody('panel_users 1', 'text/plain; version=0.0.4')).toBe('panel_users 1');
});
