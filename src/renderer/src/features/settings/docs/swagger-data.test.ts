// The drawn description has the examples of filters as text and fills none of them in; path parameters have theirs as values.
import { describe, expect, it } from 'vitest';
import { copyDescription, pathBelow, responseOf } from './swagger-data.ts';

const document = {
  paths: {
    '/users/{id}': {
      get: {
        parameters: [
          { in: 'path', name: 'id', required: true, example: 7 },
          { in: 'query', name: 'q', schema: { type: 'string', description: 'A part of the name.' }, example: 'anna' },
          { in: 'query', name: 'sort' },
          { in: 'query', name: 'metadata', schema: { type: 'object' } },
        ],
      },
      delete: {},
    },
  },
};

it('describes examples in text where they would be sent', () => {
  const before = structuredClone(document);
  expect(copyDescription(document)).toMatchObject({
    paths: {
      '/users/{id}': {
        get: {
          parameters: [
            { name: 'id', example: 7 },
            { name: 'q', description: 'A part of the name. Example: `anna`.' },
            { in: 'query', name: 'sort' },
            { name: 'metadata', example: {} },
          ],
        },
      },
    },
  });
  expect(JSON.stringify(copyDescription(document))).not.toContain('"example":"anna"');
  expect(document).toEqual(before);
});

// What is tried stays below the API's address, and its answer reads as one of a fetch.

const base = 'https://10.0.0.2:8443/secret/api/v1';

describe('pathBelow', () => {
  it('removes the address', () => {
    expect(pathBelow(base, `${base}/users?limit=5&search=a%20b`)).toBe('/users?limit=5&search=a%20b');
  });

  it.each([`${base}`, `${base}x/users`, 'https://elsewhere.example/users', '/users'])('refuses %s', (url) => {
    expect(pathBelow(base, url)).toBeNull();
  });
});

describe('responseOf', () => {
  it('carries status, headers and body', async () => {
    const response = responseOf({
      status: 401,
      headers: { 'content-type': 'application/problem+json' },
      body: '{"a":1}',
    });
    expect([response.status, response.headers.get('Content-Type')]).toEqual([401, 'application/problem+json']);
    expect(await response.json()).toEqual({ a: 1 });
  });

  it('accepts an answer without a body', () => {
    expect(responseOf({ status: 204, headers: {}, body: '' }).body).toBeNull();
  });
});
