// Input of the API door: bodies, and the call that the core receives.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDoor, problem, type TestDoor } from '../../tests/support/door.ts';
import { FULL_KEY, READ_KEY } from '../../tests/support/fake-core.ts';
import { exchangeRaw, readReply } from '../../tests/support/raw-http.ts';

let door: TestDoor;
beforeEach(async () => {
  door = await openDoor();
});
afterEach(() => door.close());

const JSON_HEADERS = { 'content-type': 'application/json' };
const read = { authorization: `Bearer ${READ_KEY}` };
const post = (path: string, body: string, headers: Record<string, string> = JSON_HEADERS) =>
  door.call('POST', path, { headers, body });

describe('bodies', () => {
  const user = '{"name":"Anna","tariff_id":1}';
  const patch = (type: string) =>
    door.call('PATCH', '/users/7', { headers: { 'content-type': type }, body: '{"note":"x"}' });

  it.each([
    'application/json',
    'Application/JSON ; charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/json; v=1',
  ])('may be %s', async (type) => {
    expect((await post('/users', user, { 'content-type': type })).status).toBe(200);
    expect((await patch(type)).status).toBe(200);
  });

  it.each([
    'text/plain',
    'application/json; charset=latin1',
    'application/json;charset=',
    'json',
    'application/jsonx',
    'a/b/c',
    '',
  ])('may not be %j', async (type) => {
    const reply = await patch(type);
    expect(reply.headers.get('accept-patch')).toBe('application/merge-patch+json, application/json');
    expect((await problem(reply)).code).toBe('415 unsupported_media_type');
    const other = await post('/users', user, { 'content-type': type });
    expect(other.headers.get('accept-patch')).toBeNull();
  });

  it('may be a merge patch for PATCH only', async () => {
    expect((await patch('application/merge-patch+json')).status).toBe(200);
    expect((await post('/users', user, { 'content-type': 'application/merge-patch+json' })).status).toBe(415);
  });

  it('may not be compressed', async () => {
    const headers = { ...JSON_HEADERS, 'content-encoding': 'gzip' };
    expect((await problem(post('/users', user, headers))).code).toBe('415 unsupported_media_type');
    expect((await post('/users', user, { ...JSON_HEADERS, 'content-encoding': 'identity' })).status).toBe(200);
  });

  it('may be left out, or be {}, where none is needed', async () => {
    expect((await door.call('POST', '/users/7/reissue')).status).toBe(200);
    expect((await post('/users/7/reissue', '{}')).status).toBe(200);
    expect((await problem(post('/users/7/reissue', '{"x":1}'))).code).toBe('422 validation');
    expect((await problem(post('/users/7/reissue', '[]'))).code).toBe('422 validation');
    expect((await problem(post('/users/7/reissue', '{'))).code).toBe('400 bad_json');
    expect((await problem(post('/users/7/reissue', '{}', {}))).code).toBe('415 unsupported_media_type');
    expect((await problem(door.call('POST', '/users/7/extend'))).code).toBe('400 bad_json');
  });

  it('are passed over where a method takes none', async () => {
    expect((await door.call('DELETE', '/users/7', { body: 'x' })).status).toBe(200);
  });

  it('are read to their last byte and refused beyond it, announced or not', async () => {
    const full = `{"name":"Anna","tariff_id":1}${' '.repeat(1_048_576 - user.length)}`;
    expect((await post('/users', full)).status).toBe(200);
    expect((await problem(post('/users', `${full} `))).code).toBe('413 body_too_large');
    const path = `${new URL(door.base).pathname}/users`;
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer ${FULL_KEY}\r\n`;
    const chunk = `${(65_536).toString(16)}\r\n${' '.repeat(65_536)}\r\n`;
    const chunked = await exchangeRaw(door.port, `${head}Transfer-Encoding: chunked\r\n\r\n`, chunk.repeat(17));
    expect(readReply(chunked)).toMatchObject({ status: 413 });
    expect(readReply(chunked).headers.get('connection')).toBe('close');
    const announced = await exchangeRaw(door.port, `${head}Content-Length: 99999999\r\nExpect: 100-continue\r\n\r\n`);
    expect(readReply(announced)).toMatchObject({ status: 413 });
  });

  it('are asked for by 100 only where they are wanted', async () => {
    const path = `${new URL(door.base).pathname}/users`;
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n`;
    const expecting = `${head}Expect: 100-continue\r\nContent-Length: ${user.length}\r\nAuthorization: Bearer `;
    expect(await exchangeRaw(door.port, `${expecting}${FULL_KEY}\r\n\r\n`, user)).toMatch(
      /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /,
    );
    expect(readReply(await exchangeRaw(door.port, `${expecting}nobody\r\n\r\n`)).status).toBe(401);
  });

  it('that break off are answered as such', async () => {
    const path = `${new URL(door.base).pathname}/users`;
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer ${FULL_KEY}\r\n`;
    const reply = readReply(await exchangeRaw(door.port, `${head}Transfer-Encoding: chunked\r\n\r\n`, 'nonsense\r\n'));
    expect([reply.status, reply.headers.get('connection')]).toEqual([400, 'close']);
    expect(JSON.parse(reply.body)).toMatchObject({
      detail: 'bad_json',
      errors: [{ pointer: '#', code: 'incomplete' }],
    });
  });
});

describe('what the core hears', () => {
  it('is the flat input, the actor, the address and the request id', async () => {
    const reply = await door.call('GET', '/users?limit=5&state=active&q=%D0%90', { headers: read });
    const [asked] = door.core.asked;
    expect(asked).toMatchObject({
      operation: 'listUsers',
      input: { limit: 5, offset: 0, sort: '-id', state: 'active', q: 'А' },
      call: { actor: { id: 2, access: 'read' }, address: '127.0.0.1', requestId: reply.headers.get('x-request-id') },
    });
    expect(asked?.call.ifMatch).toBeUndefined();
    expect(asked?.call.idempotency).toBeUndefined();
  });

  it('is an Idempotency-Key with its scope and the fingerprint of the value of the body', async () => {
    const headers = { ...JSON_HEADERS, 'idempotency-key': 'payment 4411' };
    await post('/users/7/extend?', '{"days":1}', headers);
    await post('/users/7/extend', ' {"days": 1.0}', headers);
    await post('/users/7/extend', '{"days":2}', headers);
    const [first, second, third] = door.core.asked.map(({ call }) => call.idempotency);
    expect(first).toMatchObject({ key: 'payment 4411', scope: '1 POST /users/7/extend' });
    expect(first?.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(second?.scope).toBe(first?.scope);
    expect(second?.fingerprint).toBe(first?.fingerprint);
    expect(third?.fingerprint).not.toBe(first?.fingerprint);
  });

  it('is an If-Match where it is honoured', async () => {
    const headers = { ...JSON_HEADERS, 'if-match': '"7-1", W/"x"' };
    await door.call('PATCH', '/users/7', { headers, body: '{}' });
    await door.call('DELETE', '/users/7', { headers: { 'if-match': '*' } });
    expect(door.core.asked.map(({ call }) => call.ifMatch)).toEqual(['"7-1", W/"x"', '*']);
    for (const wrong of ['7-1', '"a" "b"', '"a', '*, "a"', `"${'a'.repeat(1000)}"`]) {
      const reply = door.call('PATCH', '/users/7', { headers: { ...JSON_HEADERS, 'if-match': wrong }, body: '{}' });
      expect((await problem(reply)).code).toBe('400 bad_header');
    }
  });

  it('lists all failures of query and body at once', async () => {
    const { code, errors } = await problem(post('/users?x=1&y=1&y=2', '{"name":"","z":1}'));
    expect(code).toBe('422 validation');
    expect(errors?.map(({ parameter, pointer }) => parameter ?? pointer).sort()).toEqual(
      ['#/name', '#/tariff_id', '#/z', 'x', 'y', 'y'].sort(),
    );
  });
});
