// The paths that are routes and those that are none.
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../contract/openapi/openapi.ts';
import { API_OPERATIONS } from '../contract/table.ts';
import { mountedRoutes } from './api.ts';
import { createRouter } from './routes.ts';

const router = createRouter();
const template = (path: string) => router.match(path)?.route.template ?? null;

describe('match', () => {
  it('finds every operation of the table under its own method', () => {
    for (const { method, path, id } of API_OPERATIONS) {
      const match = router.match(path.replace(/\{\w+\}/g, '7'));
      expect(match?.route.operations.get(method)?.id).toBe(id);
    }
  });

  it('names the path parameters', () => {
    expect(router.match('/users/7/grants/31')?.params).toEqual({ id: 7, grant_id: 31 });
    expect(router.match(`/users/${Number.MAX_SAFE_INTEGER}`)?.params).toEqual({ id: Number.MAX_SAFE_INTEGER });
    expect(router.match('/users')?.params).toEqual({});
  });

  it('prefers a fixed segment to a parameter', () => {
    expect(template('/users/bulk')).toBe('/users/bulk');
    expect(template('/users/7')).toBe('/users/{id}');
  });

  it.each([
    '',
    '/',
    '//',
    '/users/',
    '/Users',
    '/user',
    '/users//7',
    '//users',
    'users',
    '/users/7/',
    '/users/7/extend/',
    '/us%65rs',
    '/users/%37',
    '/users/./7',
    '/users/../users',
    '/users/7;a=1',
    '/users/7/unknown',
    '/grants',
    '/users/0',
    '/users/-1',
    '/users/007',
    '/users/1.0',
    '/users/1e3',
    '/users/ 7',
    '/users/٧',
    '/users/abc',
    '/users/9007199254740992',
    '/users/99999999999999999999',
    '/stats',
    '/openapi',
    '/constructor',
    '/__proto__',
  ])('finds nothing at %j', (path) => {
    expect(router.match(path)).toBeNull();
  });
});

describe('routes', () => {
  it('tell the methods that work', () => {
    expect(router.match('/users')?.route.allow).toBe('GET, HEAD, POST, OPTIONS');
    expect(router.match('/users/7')?.route.allow).toBe('GET, HEAD, PATCH, DELETE, OPTIONS');
    expect(router.match('/users/bulk')?.route.allow).toBe('POST, OPTIONS');
  });

  it('are the operations of the OpenAPI file, no more and no fewer', () => {
    const { paths = {} } = openApiDocument({ serverUrl: 'https://127.0.0.1:8443/secret/api/v1' });
    const documented = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect([...mountedRoutes()].sort()).toEqual(documented.sort());
  });
});
