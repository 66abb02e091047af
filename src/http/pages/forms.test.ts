// Holds the forms of the plain pages: what each does, what it says when it is refused, and where it leads.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SECRET_PATH } from '../../../tests/support/fake-core.ts';
import { openPanelDoor, type TestPanelDoor } from '../../../tests/support/panel-door.ts';
import { KEY_VALUE, NEXT_SESSION } from '../../../tests/support/stub-core.ts';
import { PanelError } from '../../core/panel-error.ts';

const TOKEN = 't'.repeat(43);
const BASE = `/${SECRET_PATH}`;
const OUT = { cookie: undefined };

let door: TestPanelDoor;
beforeEach(async () => {
  door = await openPanelDoor();
});
afterEach(() => door.close());

const actionsOf = (page: string) => [...page.matchAll(/action="([^"]*)"/g)].map(([, action]) => action);
const refuse = (id: string, error: PanelError) => door.stub.answers.set(id, () => Promise.reject(error));

describe('signing in and out', () => {
  it('sends on to the home page with the cookie', async () => {
    const reply = await door.submit('sign-in', { name: 'admin', password: 'secret word' }, OUT);
    expect([reply.status, reply.headers.location, reply.text]).toEqual([303, `${BASE}/`, '']);
    expect(reply.headers['set-cookie']?.[0]).toContain(`panel-a1b2c3=${NEXT_SESSION}`);
    expect(door.stub.dispatched[0]).toMatchObject({ id: 'signIn', input: { name: 'admin', password: 'secret word' } });
  });

  it.each([
    ['sign_in_failed', 401, undefined, 'The name or the password is wrong.'],
    ['validation', 401, undefined, 'The name or the password is wrong.'],
    ['slow_down', 429, 8, 'Too many failed attempts. Try again in 8 s.'],
    ['slow_down', 429, 600, 'Too many failed attempts. Try again in 10 min.'],
    ['vault_unavailable', 503, undefined, 'The secret store is locked'],
  ] as const)('says %s on the form', async (code, status, retryAfter, text) => {
    refuse('signIn', new PanelError(code, undefined, retryAfter));
    const page = await door.submit('sign-in', { name: 'admin', password: 'secret word' }, OUT);
    expect([page.status, page.headers['retry-after']]).toEqual([status, retryAfter?.toString()]);
    expect(page.text).toContain(text);
    expect(page.text).toContain('value="admin"');
    expect(page.text).not.toContain('secret word');
    expect(page.headers['set-cookie']).toBeUndefined();
  });

  it('clears the cookie at the end', async () => {
    const reply = await door.submit('sign-out', {});
    expect([reply.status, reply.headers.location]).toEqual([303, `${BASE}/?done=signed-out`]);
    expect(reply.headers['set-cookie']?.[0]).toContain('Max-Age=0');
  });

  it('sends who is signed out to sign in, and does nothing', async () => {
    for (const form of ['create-key', 'revoke-key', 'end-session', 'end-other-sessions', 'sign-out']) {
      const reply = await door.submit(form, { id: '1' }, OUT);
      expect([reply.status, reply.headers.location]).toEqual([303, `${BASE}/`]);
    }
    expect(door.stub.dispatched).toEqual([]);
  });
});

describe('setup', () => {
  beforeEach(() => {
    door.stub.isSetUp = false;
  });
  const fields = { token: TOKEN, name: 'admin', password: 'secret word', repeat: 'secret word' };

  it('makes the administrator and signs in', async () => {
    const page = await door.send('GET', `/setup/${TOKEN}`);
    expect(page.text).toContain(`<input type="hidden" name="token" value="${TOKEN}">`);
    const reply = await door.submit('set-up', fields, OUT);
    expect([reply.status, reply.headers.location]).toEqual([303, `${BASE}/`]);
    expect(reply.headers['set-cookie']?.[0]).toContain(NEXT_SESSION);
    const { repeat: _, ...input } = fields;
    expect(door.stub.dispatched.at(-1)).toMatchObject({ id: 'setUp', input });
  });

  it('shows what is wrong beside its field and keeps the name', async () => {
    const differing = await door.submit('set-up', { ...fields, repeat: 'other' }, OUT);
    expect(differing.status).toBe(422);
    expect(differing.text).toContain('<p class="wrong" id="repeat-wrong">The two passwords differ.</p>');
    const short = await door.submit('set-up', { ...fields, name: ' ', password: 'short', repeat: 'short' }, OUT);
    expect(short.status).toBe(422);
    expect(short.text).toContain('id="name-wrong"');
    expect(short.text).toContain('aria-describedby="password-hint password-wrong" aria-invalid="true"');
    expect(differing.text + short.text).not.toMatch(/secret word|value="short"/);
    expect(door.stub.dispatched).toEqual([]);
  });

  it('says that the link is dead when it is', async () => {
    refuse('setUp', new PanelError('not_found'));
    expect((await door.submit('set-up', fields, OUT)).status).toBe(404);
    expect((await door.send('GET', '/setup/nonsense')).status).toBe(404);
    refuse('setUp', new PanelError('already_set_up'));
    expect((await door.submit('set-up', fields, OUT)).status).toBe(409);
    door.stub.isSetUp = true;
    const dead = await door.send('GET', `/setup/${TOKEN}`);
    expect([dead.status, actionsOf(dead.text)]).toEqual([409, []]);
  });
});

describe('keys and sessions', () => {
  const fields = { name: 'shop', access: 'full', expiry: '90', password: 'secret word' };

  it('shows the new key once, with a line to try it', async () => {
    const page = await door.submit('create-key', fields);
    expect(page.status).toBe(201);
    expect(door.stub.dispatched[0]?.input).toEqual({
      name: 'shop',
      access: 'full',
      expires_in_days: 90,
      password: 'secret word',
    });
    expect(page.text).toContain(`<code class="copy">${KEY_VALUE}</code>`);
    expect(page.text).toContain('curl --cacert &#39;/data/Ann&#39;\\&#39;&#39;s/ca.pem&#39; \\\n');
    expect(page.text).toContain(`-H &#39;Authorization: Bearer ${KEY_VALUE}&#39;`);
    expect((await door.sendSigned('GET', '/')).text).not.toContain(KEY_VALUE);
  });

  it('takes a key that never expires, and the code of the second factor', async () => {
    await door.submit('create-key', { ...fields, expiry: '', code: '123456' });
    expect(door.stub.dispatched[0]?.input).toMatchObject({ expires_in_days: null, code: '123456' });
  });

  it.each([
    ['wrong_password', 403, 'The password is wrong. No key was made.'],
    ['slow_down', 429, 'Too many failed attempts.'],
  ] as const)('says %s beside the password and keeps what was typed', async (code, status, text) => {
    refuse('createKey', new PanelError(code, undefined, code === 'slow_down' ? 4 : undefined));
    const page = await door.submit('create-key', fields);
    expect(page.status).toBe(status);
    expect(page.text).toContain(`<p class="wrong" id="password-wrong">${text}`);
    expect(page.text).toContain('value="shop"');
    expect(page.text).toContain('<option value="90" selected>');
    expect(page.text).toContain('value="full" aria-describedby="access-full" checked');
    expect(page.text).not.toContain('secret word');
  });

  it('says what is wrong with a name, and answers a made-up form with a problem', async () => {
    expect((await door.submit('create-key', { ...fields, name: '  ' })).text).toContain('id="name-wrong"');
    for (const change of [{ access: 'root' }, { expiry: '1' }, { expiry: 'x' }]) {
      expect((await door.submit('create-key', { ...fields, ...change })).problem.detail).toBe('validation');
    }
  });

  it.each([
    ['revoke-key', 'revokeKey', { id: '3' }, { id: 3 }, 'key-revoked'],
    ['end-session', 'endSession', { id: '2' }, { id: 2 }, 'session-ended'],
    ['end-other-sessions', 'endOtherSessions', {}, {}, 'sessions-ended'],
  ])('%s does it and goes back', async (form, id, sent, input, done) => {
    const reply = await door.submit(form, sent);
    expect([reply.status, reply.headers.location]).toEqual([303, `${BASE}/?done=${done}`]);
    expect(door.stub.dispatched).toMatchObject([{ id, input }]);
  });

  it('goes back in silence where it is gone already', async () => {
    refuse('revokeKey', new PanelError('not_found'));
    expect((await door.submit('revoke-key', { id: '9' })).headers.location).toBe(`${BASE}/`);
  });
});

describe('forms', () => {
  it.each<[string, () => ReturnType<TestPanelDoor['submit']>, string]>([
    ['another site', () => door.submit('sign-out', {}, { 'sec-fetch-site': 'cross-site' }), 'foreign_origin'],
    ['an unknown form', () => door.submit('nonsense', {}), 'not_found'],
    ['JSON', () => door.submit('sign-out', {}, { 'content-type': 'application/json' }), 'unsupported_media_type'],
    [
      'a field given twice',
      () =>
        door.sendSigned(
          'POST',
          '/pages/revoke-key',
          { 'content-type': 'application/x-www-form-urlencoded' },
          'id=1&id=2',
        ),
      'validation',
    ],
    ['GET', () => door.sendSigned('GET', '/pages/sign-out'), 'method_not_allowed'],
  ])('refuse %s', async (_, send, code) => {
    expect((await send()).problem.detail).toBe(code);
    expect(door.stub.dispatched).toEqual([]);
  });
});
