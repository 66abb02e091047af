// Output of the API door: headers of every reply, failures, and rate limits.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDoor, problem, type TestDoor } from '../../tests/support/door.ts';
import { READ_KEY, SETTINGS } from '../../tests/support/fake-core.ts';
import { PanelError } from '../core/kernel/panel-error.ts';

let door: TestDoor;
beforeEach(async () => {
  door = await openDoor();
});
afterEach(() => door.close());

const JSON_HEADERS = { 'content-type': 'application/json' };
const read = { authorization: `Bearer ${READ_KEY}` };
const post = (path: string, body: string, headers: Record<string, string> = JSON_HEADERS) =>
  door.call('POST', path, { headers, body });

describe('replies', () => {
  it('carry what every reply carries', async () => {
    for (const [path, headers] of [
      ['/users/7', {}],
      ['/none', {}],
      ['/users/7', { authorization: '' }],
    ] as const) {
      const reply = await door.call('GET', path, { headers });
      expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      });
      for (const name of ['server', 'x-powered-by', 'set-cookie', 'ratelimit', 'ratelimit-policy']) {
        expect(reply.headers.get(name)).toBeNull();
      }
    }
  });

  it('tell where a new record is, its tag, and that it is a repetition', async () => {
    door.core.answer = () => ({
      status: 201,
      body: { id: 8 },
      raw: '{"id": 8}',
      replayed: true,
      location: '/users/8',
      etag: '"8-1"',
    });
    const reply = await post('/users', '{"name":"Anna","tariff_id":1}');
    expect(reply.status).toBe(201);
    expect(await reply.text()).toBe('{"id": 8}');
    expect(new URL(reply.headers.get('location') ?? '', door.base).href).toBe(`${door.base}/users/8`);
    expect([reply.headers.get('etag'), reply.headers.get('idempotency-replayed')]).toEqual(['"8-1"', 'true']);
  });

  it('have no body where there is none', async () => {
    door.core.answer = async () => ({ status: 204, body: undefined });
    const reply = await door.call('DELETE', '/users/7', { headers: { accept: 'text/html' } });
    expect([reply.status, reply.headers.get('content-type'), reply.headers.get('content-length')]).toEqual([
      204,
      null,
      null,
    ]);
  });

  it('of lists link to the other pages, by absolute addresses and to the next by its cursor', async () => {
    door.core.answer = () => ({ status: 200, body: { items: [], total: 30, limit: 10, offset: 0, next_cursor: 'c' } });
    const reply = await door.call('GET', '/users?tag=a%26b&limit=10');
    const [, next = ''] = /<([^>]*)>; rel="next"/.exec(reply.headers.get('link') ?? '') ?? [];
    // The panel's configured address, whatever name the request used.
    const base = `https://127.0.0.1:8443${new URL(door.base).pathname}`;
    expect(next).toBe(`${base}/users?tag=a%26b&limit=10&cursor=c`);
  });

  it('of the core, at once or later, become problems', async () => {
    door.core.answer = () => {
      throw new PanelError('events_gone');
    };
    expect((await problem(door.call('GET', '/events'))).code).toBe('410 events_gone');
    door.core.answer = async () => {
      throw new PanelError('unavailable', undefined, 3);
    };
    const reply = await door.call('DELETE', '/users/7');
    expect(reply.headers.get('retry-after')).toBe('3');
    expect((await problem(reply)).code).toBe('503 unavailable');
  });

  it('tell nothing of what was not expected; the log does', async () => {
    for (const fail of [
      () => Promise.reject(new RangeError('SELECT secret')),
      () => {
        throw new URIError('/etc/passwd');
      },
    ]) {
      door.core.answer = fail;
      const reply = await door.call('DELETE', '/users/7');
      const id = reply.headers.get('x-request-id');
      const { code, errors } = await problem(reply);
      expect([code, errors]).toEqual(['500 internal', undefined]);
      expect(door.log.lines.at(-1)).toMatchObject({
        level: 'error',
        event: 'request_failed',
        fields: { requestId: id },
      });
    }
  });
});

describe('budgets', () => {
  beforeEach(() => {
    door.core.values = { ...SETTINGS, rateLimit: 60 };
  });

  it('are told with every reply and end in 429', async () => {
    const first = await door.call('GET', '/users/7');
    expect([first.headers.get('ratelimit-policy'), first.headers.get('ratelimit')]).toEqual([
      '"burst";q=60;w=60, "minute";q=60;w=60',
      '"burst";r=59;t=1, "minute";r=59;t=60',
    ]);
    for (let left = 58; left >= 0; left--) await door.call('GET', '/users/7');
    const over = await door.call('PUT', '/keys');
    expect([over.headers.get('ratelimit'), over.headers.get('retry-after')]).toEqual([
      '"burst";r=0;t=60, "minute";r=0;t=60',
      '60',
    ]);
    expect((await problem(over)).code).toBe('429 rate_limited');
    expect((await door.call('GET', '/users/7', { headers: read })).status).toBe(200);
    door.clock.ms += 60_000;
    expect((await door.call('GET', '/users/7')).status).toBe(200);
  });

  it('of failed keys hold no valid key back', async () => {
    const failed = async () => (await door.call('GET', '/users/7', { headers: { authorization: 'Bearer x' } })).status;
    for (let count = 0; count < 60; count++) expect(await failed()).toBe(401);
    expect(await failed()).toBe(429);
    expect((await door.call('GET', '/users/7')).status).toBe(200);
  });
});
