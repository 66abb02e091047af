// Operations of the panel door: who may call them, from where, with what, and the replies.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPanelDoor, SIGNED, type TestPanelDoor } from '../../tests/support/panel-door.ts';
import { createStub, NEXT_SESSION } from '../../tests/support/stub-core.ts';
import { OPERATIONS } from '../contract/table.ts';
import { PanelError } from '../core/kernel/panel-error.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:152.0) Gecko/20100101 Firefox/152.0';
const JSON_TYPE = { 'content-type': 'application/json' };
const SESSION_OPERATIONS = Object.values(OPERATIONS).filter(({ access }) => access !== 'public');

let door: TestPanelDoor;
beforeEach(async () => {
  door = await openPanelDoor();
});
afterEach(() => door.close());

describe('POST panel/<operation id>', () => {
  it('runs an operation of the panel for the administrator', async () => {
    const reply = await door.operate('endSession', { id: 2 }, { 'user-agent': FIREFOX });
    expect([reply.status, reply.text]).toEqual([204, '']);
    const [asked] = door.stub.dispatched;
    expect(asked).toMatchObject({ id: 'endSession', input: { id: 2 } });
    expect(asked?.call).toMatchObject({
      actor: { kind: 'administrator', sessionId: 1 },
      address: '127.0.0.1',
      device: 'Firefox on Linux',
      requestId: reply.headers['x-request-id'],
    });
  });

  it('runs an operation of the API too, its parameters and body in one record', async () => {
    door.stub.answers.set('updateUser', () => ({ status: 200, body: { id: 7 }, etag: '"7-3"' }));
    const reply = await door.operate('updateUser', { id: 7, note: 'x' }, { 'if-match': '"7-2"' });
    expect([reply.status, reply.body, reply.headers.etag]).toEqual([200, { id: 7 }, '"7-3"']);
    expect(door.stub.dispatched[0]).toMatchObject({ input: { id: 7, note: 'x' }, call: { ifMatch: '"7-2"' } });
  });

  it('takes an Idempotency-Key where the API takes one', async () => {
    const key = { 'idempotency-key': 'part 1' };
    door.stub.answers.set('bulkUsers', () => ({ status: 200, body: {} }));
    door.stub.answers.set('updateUser', () => ({ status: 200, body: {} }));
    await door.operate('bulkUsers', { action: 'disable', ids: [7] }, key);
    await door.operate('bulkUsers', { ids: [7], action: 'disable' }, key);
    await door.operate('updateUser', { id: 7, note: 'x' }, key);
    const [first, second, third] = door.stub.dispatched.map(({ call }) => call.idempotency);
    expect(first).toMatchObject({ key: 'part 1', scope: 'null POST /bulkUsers' });
    expect(second).toEqual(first);
    expect(third).toBeUndefined();
  });

  it('takes no body for an empty record', async () => {
    const reply = await door.sendSigned('POST', '/panel/listKeys');
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'application/json']);
    expect(door.stub.dispatched[0]?.input).toEqual({});
  });

  it('answers with the documents that the doors make', async () => {
    const openapi = await door.operate('getOpenApi');
    expect([openapi.status, openapi.body]).toEqual([200, { openapi: '3.1.1' }]);
    const metrics = await door.operate('getMetrics');
    expect(metrics.headers['content-type']).toContain('text/plain');
    expect(metrics.text).toContain('panel_users{state="active"} 3900');
    expect((await door.operate('getOpenApi', { nonsense: 1 })).problem.detail).toBe('validation');
  });

  it('carries the headers of every reply inside the secret path, and nothing about the server', async () => {
    for (const reply of [await door.operate('listKeys'), await door.operate('nonsense')]) {
      expect(reply.headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
      expect(Object.keys(reply.headers)).not.toContain('x-powered-by');
      expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('access', () => {
  it.each(SESSION_OPERATIONS.map(({ id }) => id))('%s asks for a session', async (id) => {
    const { cookie = '', 'panel-session': half } = SIGNED;
    for (const headers of [
      { cookie: undefined, 'panel-session': undefined },
      { cookie: undefined },
      { 'panel-session': undefined },
      { 'panel-session': 'x'.repeat(43) },
      { cookie: `panel-a1b2c3=${'x'.repeat(43)}` },
      { cookie: cookie.replace('a1b2c3', 'zzzzzz') },
      // Both halves of the token in the cookie.
      { cookie: `${cookie}${half}`, 'panel-session': undefined },
    ]) {
      const reply = await door.operate(id, {}, headers);
      expect([reply.status, reply.problem.detail]).toEqual([401, 'signed_out']);
    }
    const withKey = await door.operate(id, {}, { cookie: undefined, authorization: 'Bearer full-key' });
    expect(withKey.problem.detail).toBe('signed_out');
    expect(door.stub.dispatched).toEqual([]);
  });

  it('lets the public operations in without one', async () => {
    const state = await door.operate('panelState', {}, { cookie: undefined });
    expect(state.body).toMatchObject({ set_up: true, signed_in: null, base_url: null });
    expect(door.stub.dispatched[0]?.call.actor).toEqual({ kind: 'unknown', id: null, name: '', access: 'read' });
    expect((await door.operate('panelState')).body).toMatchObject({ signed_in: { name: 'admin' } });
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another port of this machine', { 'sec-fetch-site': 'same-site' }],
    ['who says nothing', { 'sec-fetch-site': undefined }],
    ['a foreign Origin', { 'sec-fetch-site': undefined, origin: 'https://evil.example' }],
  ])('refuses %s, whatever the operation', async (_, headers) => {
    for (const id of ['signIn', 'panelState', 'revokeKey', 'listKeys', 'nonsense']) {
      const reply = await door.operate(id, {}, headers);
      expect([reply.status, reply.problem.detail]).toEqual([403, 'foreign_origin']);
    }
    expect(door.stub.dispatched).toEqual([]);
  });

  it('takes the own Origin from who does not send Sec-Fetch-Site', async () => {
    const reply = await door.operate('listKeys', {}, { 'sec-fetch-site': undefined, origin: door.origin });
    expect(reply.status).toBe(200);
  });
});

const NEXT_HALF = NEXT_SESSION.slice(43);

describe('the cookie', () => {
  it('comes with the session and goes with it, as does the page’s half', async () => {
    const signedIn = await door.operate('signIn', { name: 'admin', password: 'x' }, { cookie: undefined });
    expect(signedIn.headers['set-cookie']).toEqual([`panel-a1b2c3=${NEXT_HALF}; Path=/; HttpOnly; SameSite=Strict`]);
    expect(signedIn.headers['panel-session']).toBe(NEXT_HALF);
    expect(signedIn.text).toBe('{"name":"admin"}');
    const signedOut = await door.operate('signOut');
    expect(signedOut.headers['set-cookie']?.[0]).toBe('panel-a1b2c3=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0');
    expect(signedOut.headers['panel-session']).toBe('');
    const listed = (await door.operate('listKeys')).headers;
    expect([listed['set-cookie'], listed['panel-session']]).toEqual([undefined, undefined]);
  });

  it('is secure where a reverse proxy serves the browser over TLS', async () => {
    const origin = door.origin.replace('http:', 'https:');
    const reply = await door.operate('signIn', { name: 'admin', password: 'x' }, { origin });
    expect(reply.headers['set-cookie']).toEqual([
      `__Host-panel-a1b2c3=${NEXT_HALF}; Path=/; HttpOnly; SameSite=Strict; Secure`,
    ]);
  });
});

describe('failures', () => {
  const post = (body: string, headers = {}) =>
    door.sendSigned('POST', '/panel/revokeKey', { ...JSON_TYPE, ...headers }, body);

  it.each<[string, () => ReturnType<typeof post>, number, string]>([
    ['no JSON', () => post('{"id":'), 400, 'bad_json'],
    ['a member given twice', () => post('{"id":1,"id":2}'), 400, 'bad_json'],
    ['another media type', () => post('id=1', { 'content-type': 'text/plain' }), 415, 'unsupported_media_type'],
    ['a body over 1 MiB', () => post(`{"id":1,"x":"${'x'.repeat(1_048_576)}"}`), 413, 'body_too_large'],
    ['an unknown member', () => post('{"id":1,"x":1}'), 422, 'validation'],
    ['no record', () => post('[1]'), 422, 'validation'],
    ['an unknown operation', () => door.operate('nonsense'), 404, 'not_found'],
    ['a name that every object has', () => door.operate('constructor'), 404, 'not_found'],
    ['no operation', () => door.operate(''), 404, 'not_found'],
    ['a path below an operation', () => door.operate('revokeKey/1', { id: 1 }), 404, 'not_found'],
    ['an operation in other letters', () => door.operate('REVOKEKEY', { id: 1 }), 404, 'not_found'],
    ['a malformed path', () => door.operate('%', { id: 1 }), 404, 'not_found'],
    ['another method', () => door.sendSigned('GET', '/panel/revokeKey'), 405, 'method_not_allowed'],
    ['an unknown path', () => door.sendSigned('GET', '/nonsense'), 404, 'not_found'],
    ['an unknown path with a percent sign', () => door.sendSigned('PUT', '/%c0%ff'), 404, 'not_found'],
  ])('answers %s with a problem document', async (_, send, status, code) => {
    const reply = await send();
    expect([reply.status, reply.problem.detail]).toEqual([status, code]);
    expect(reply.problem.instance).toBe(`urn:panel:request:${reply.headers['x-request-id']}`);
    expect(door.stub.dispatched).toEqual([]);
  });

  it("passes the core's refusals on, with when to try again", async () => {
    door.stub.answers.set('signIn', () => Promise.reject(new PanelError('slow_down', undefined, 8)));
    const reply = await door.operate('signIn', { name: 'admin', password: 'x' });
    expect([reply.status, reply.problem.detail, reply.headers['retry-after']]).toEqual([429, 'slow_down', '8']);
  });

  it('answers the unexpected as internal, with nothing of it but in the log', async () => {
    door.stub.answers.set('listKeys', () => {
      throw new Error('SQLITE_CORRUPT near pnl_');
    });
    const reply = await door.operate('listKeys');
    expect([reply.status, reply.problem.detail]).toEqual([500, 'internal']);
    expect(reply.text).not.toContain('SQLITE');
    expect(JSON.stringify(door.log.lines)).toContain('SQLITE_CORRUPT');
  });

  it('answers every failed sign-in with the same bytes, but for the request', async () => {
    door.stub.answers.set('signIn', () => Promise.reject(new PanelError('sign_in_failed')));
    const bodies = new Set<string>();
    for (const input of [
      { name: 'admin', password: 'x' },
      { name: 'nobody', password: '' },
      { name: '', password: 'y' },
    ]) {
      const reply = await door.operate('signIn', input);
      bodies.add(reply.text.replaceAll(String(reply.headers['x-request-id']), ''));
    }
    expect(bodies.size).toBe(1);
  });
});

describe('a panel whose secret path has changed', () => {
  it('is found under the new one at once, and not under the former', async () => {
    const secretPath = 'another-secret-path-0123';
    const moved = await openPanelDoor(createStub({ secretPath }));
    expect(await moved.operate('listKeys')).toMatchObject({ status: 404, text: '' });
    const page = await fetch(`${moved.origin}/${secretPath}/`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const counted = await fetch(`${moved.origin}/${secretPath}/panel/panelState`, { method: 'POST' });
    expect(await counted.json()).toMatchObject({ detail: 'foreign_origin' });
    await moved.close();
  });
});
