// The API door over a real socket: keys, routes and the order of the checks.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDoor, problem, type TestDoor } from '../../tests/support/door.ts';
import { FULL_KEY, READ_KEY } from '../../tests/support/fake-core.ts';
import { exchangeRaw, readReply } from '../../tests/support/raw-http.ts';
import { PANEL_ONLY_PATHS } from '../contract/table.ts';

let door: TestDoor;
beforeEach(async () => {
  door = await openDoor();
});
afterEach(() => door.close());

const JSON_HEADERS = { 'content-type': 'application/json' };
const read = { authorization: `Bearer ${READ_KEY}` };

describe('keys', () => {
  const variants: Record<string, Record<string, string>> = {
    none: { authorization: '' },
    unknown: { authorization: 'Bearer nobody' },
    'another scheme': { authorization: `Basic ${FULL_KEY}` },
    'the key alone': { authorization: FULL_KEY },
    'more than the key': { authorization: `Bearer ${FULL_KEY} x` },
    'in a cookie': { authorization: '', cookie: `key=${FULL_KEY}; Authorization=Bearer ${FULL_KEY}` },
    'in another header': { authorization: '', 'x-api-key': FULL_KEY },
  };

  it('get one and the same refusal, whatever is wrong', async () => {
    const bodies = new Set<string>();
    for (const headers of Object.values(variants)) {
      const reply = await door.call('GET', `/users?key=${FULL_KEY}&access_token=${FULL_KEY}`, { headers });
      expect(reply.headers.get('www-authenticate')).toBe('Bearer');
      const { instance, ...body } = await problem(reply);
      expect(body.code).toBe('401 unauthorized');
      const others = [...reply.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
      bodies.add(JSON.stringify([body, others]));
    }
    expect(bodies.size).toBe(1);
    expect(door.core.asked).toEqual([]);
  });

  it('are taken from exactly one header, whose scheme may be in any case', async () => {
    const request = (headers: string) =>
      exchangeRaw(
        door.port,
        `GET ${new URL(door.base).pathname}/users/7 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n\r\n`,
      );
    const header = `Authorization: Bearer ${FULL_KEY}`;
    expect(readReply(await request(header)).status).toBe(200);
    expect(readReply(await request(`authorization: bEARER   ${FULL_KEY}  `)).status).toBe(200);
    expect(readReply(await request(`${header}\r\n${header}`)).status).toBe(401);
  });

  it('are checked on each request of an open connection', async () => {
    expect((await door.call('GET', '/users/7')).status).toBe(200);
    door.core.keys.delete(FULL_KEY);
    expect((await door.call('GET', '/users/7')).status).toBe(401);
  });

  it('are noted as used, with the address', async () => {
    await door.call('GET', '/users/7');
    expect(door.core.used).toEqual([[1, '127.0.0.1']]);
  });
});

describe('the order of the checks', () => {
  it('is that of the contract: what comes first is answered', async () => {
    const bad = { 'content-type': 'text/plain', accept: 'text/html', 'if-match': 'x', 'idempotency-key': '\xe4' };
    const steps: [string, string, string, Record<string, string>, string][] = [
      ['POST', '/keys', '{', { ...bad, authorization: 'Bearer x' }, '401 unauthorized'],
      ['POST', '/keys/7?x=%', '{', { ...bad, ...read }, '403 panel_only'],
      ['PUT', '/nothing', '{', { ...bad, ...read }, '404 not_found'],
      ['PUT', '/users/7?x=%', '{', { ...bad, ...read }, '405 method_not_allowed'],
      ['POST', '/users?x=%', '{', { ...bad, ...read }, '403 read_only_key'],
      ['POST', '/users?x=%', '{', bad, '406 not_acceptable'],
      ['POST', '/users?x=%', 'x'.repeat(1_048_577), { 'content-type': 'text/plain' }, '413 body_too_large'],
      ['POST', '/users?x=%', '{', { ...bad, accept: '*/*' }, '415 unsupported_media_type'],
      ['POST', '/users?x=%', '{', { ...JSON_HEADERS, 'idempotency-key': 'x'.repeat(256) }, '400 bad_header'],
      ['POST', '/users?x=%', '{', JSON_HEADERS, '400 bad_json'],
      ['POST', '/users?x=%', '{}', JSON_HEADERS, '422 validation'],
    ];
    for (const [method, path, body, headers, code] of steps) {
      expect((await problem(door.call(method, path, { headers, body }))).code).toBe(code);
    }
    expect(door.core.asked).toEqual([]);
  });
});

describe('routes', () => {
  it.each(PANEL_ONLY_PATHS)('say that %s is done in the panel', async (path) => {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      expect((await problem(door.call(method, `/${path}`))).code).toBe('403 panel_only');
      expect((await problem(door.call(method, `/${path}/7?x=1`))).code).toBe('403 panel_only');
    }
  });

  it.each(['', '/', '/users/', '/users/abc', '/users/007', '/users/7/none', '/users/9007199254740992', '/Users'])(
    'do not know %j',
    async (path) => {
      for (const method of ['GET', 'OPTIONS', 'PUT']) {
        expect((await problem(door.call(method, path))).code).toBe('404 not_found');
      }
    },
  );

  it.each(['PUT', 'POST', 'PROPFIND', 'QUERY'])(
    'refuse %s where it is no method, and say which are',
    async (method) => {
      const reply = await door.call(method, '/users/7');
      expect(reply.headers.get('allow')).toBe('GET, HEAD, PATCH, DELETE, OPTIONS');
      expect((await problem(reply)).code).toBe('405 method_not_allowed');
    },
  );

  it('refuse TRACE and do not echo it', async () => {
    const path = `${new URL(door.base).pathname}/users/7`;
    const text = await exchangeRaw(
      door.port,
      `TRACE ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${FULL_KEY}\r\n\r\n`,
    );
    expect(readReply(text).status).toBe(405);
    expect(text).not.toContain(FULL_KEY);
  });

  it('answer OPTIONS with the methods and nothing about origins', async () => {
    const reply = await door.call('OPTIONS', '/users', { headers: { ...read, origin: 'https://a.example' } });
    expect([reply.status, reply.headers.get('allow'), await reply.text()]).toEqual([
      204,
      'GET, HEAD, POST, OPTIONS',
      '',
    ]);
    expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('answer HEAD as GET without the body', async () => {
    door.core.answer = () => ({ status: 200, body: { id: 7 }, etag: '"7-1"' });
    const [get, head] = [await door.call('GET', '/users/7'), await door.call('HEAD', '/users/7')];
    const ofTheConnection = ['x-request-id', 'date', 'connection', 'keep-alive'];
    const names = (reply: Response) => [...reply.headers].filter(([name]) => !ofTheConnection.includes(name));
    expect(names(head)).toEqual(names(get));
    expect([head.status, await head.text(), head.headers.get('content-length')]).toEqual([200, '', '8']);
    expect(door.core.asked.map(({ operation }) => operation)).toEqual(['getUser', 'getUser']);
  });
});
