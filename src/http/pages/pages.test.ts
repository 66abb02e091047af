// Holds the plain pages: what each shows, that they work without a script, and that no text becomes markup.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SECRET_PATH } from '../../../tests/support/fake-core.ts';
import { openPanelDoor, type TestPanelDoor } from '../../../tests/support/panel-door.ts';
import { KEY_VALUE, keyOf } from '../../../tests/support/stub-core.ts';
import { PanelError } from '../../core/panel-error.ts';

const TOKEN = 't'.repeat(43);
const BASE = `/${SECRET_PATH}`;
const OUT = { cookie: undefined };
const CANARY = `<script>alert(1)</script>"'&`;
const ESCAPED = '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;';

let door: TestPanelDoor;
beforeEach(async () => {
  door = await openPanelDoor();
});
afterEach(() => door.close());

const titleOf = (page: string) => /<title>(.*)<\/title>/.exec(page)?.[1];
const actionsOf = (page: string) => [...page.matchAll(/action="([^"]*)"/g)].map(([, action]) => action);
const refuse = (id: string, error: PanelError) => door.stub.answers.set(id, () => Promise.reject(error));

describe('GET /', () => {
  it('shows the sign-in form to who is signed out', async () => {
    const page = await door.send('GET', '/');
    expect([page.status, titleOf(page.text)]).toEqual([200, 'Sign in · Gatehouse']);
    expect(actionsOf(page.text)).toEqual([`${BASE}/pages/sign-in`]);
    expect(page.text).not.toContain('name="code"');
    door.stub.hasTwoFactor = true;
    expect((await door.send('GET', '/')).text).toContain('autocomplete="one-time-code"');
  });

  it('says how to make the administrator where there is none', async () => {
    door.stub.isSetUp = false;
    const page = await door.send('GET', '/');
    expect(titleOf(page.text)).toBe('No administrator yet · Gatehouse');
    expect(actionsOf(page.text)).toEqual([]);
  });

  it('shows keys, sessions, the address and how many users to who is signed in', async () => {
    const { text } = await door.sendSigned('GET', '/?done=key-revoked');
    expect(text).toContain(`https://192.168.1.10:8443/`);
    expect(text).toContain('4,312<span>186 online</span>');
    expect(text).toContain('<h3>billing bot</h3><span class="chip full">Full</span>');
    expect(text).toContain('last used 20 Nov 2026, 11:15 from 192.168.1.20');
    expect(text).toContain('Revoked and expired (1)');
    expect(text).toContain('<p class="note good" role="status">Key revoked.</p>');
    expect(text).toContain('aria-label="End the session on Safari on iPhone"');
    expect(new Set(actionsOf(text))).toEqual(
      new Set(
        ['sign-out', 'revoke-key', 'create-key', 'end-other-sessions', 'end-session'].map((f) => `${BASE}/pages/${f}`),
      ),
    );
  });

  it('says nothing that the address makes up', async () => {
    for (const done of ['constructor', '<b>', 'x']) {
      expect((await door.sendSigned('GET', `/?done=${done}`)).text).not.toContain('role="status"');
    }
  });

  it('sends on who left out the slash', async () => {
    const bare = await fetch(`${door.origin}${BASE}`, { redirect: 'manual' });
    expect([bare.status, bare.headers.get('location')]).toEqual([308, `${BASE}/`]);
  });

  it('answers HEAD like GET, and nothing else', async () => {
    const head = await door.send('HEAD', '/');
    expect([head.status, head.text]).toEqual([200, '']);
    const posted = await door.send('POST', '/');
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

describe('every page', () => {
  it('runs no script, loads nothing from elsewhere and cannot be framed', async () => {
    door.stub.answers.set('createKey', () => ({ status: 201, body: { key: keyOf(), value: KEY_VALUE } }));
    const pages = [
      await door.send('GET', '/'),
      await door.sendSigned('GET', '/'),
      await door.send('GET', `/setup/${TOKEN}`),
      await door.submit('create-key', { name: 'shop', access: 'read', expiry: '', password: 'x' }),
    ];
    const nonces = new Set<string>();
    for (const { headers, text } of pages) {
      const policy = String(headers['content-security-policy']);
      const nonce = /'nonce-([A-Za-z0-9_-]{24})'/.exec(policy)?.[1] ?? '';
      nonces.add(nonce);
      expect(policy).toBe(
        `default-src 'none'; style-src 'nonce-${nonce}'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
      );
      expect(headers['cache-control']).toBe('no-store');
      expect(text).not.toMatch(/<script|<iframe|javascript:| on[a-z]+="| style="/i);
      expect(text.match(/<style nonce="([^"]*)"/)?.[1]).toBe(nonce);
      expect(text).toContain('<meta name="referrer" content="same-origin">');
      const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const [, target] of text.matchAll(/(?:for|aria-labelledby|aria-describedby)="([^"]*)"/g)) {
        for (const id of (target ?? '').split(' ')) expect(ids).toContain(id);
      }
    }
    expect(nonces.size).toBe(pages.length);
  });

  it("speaks the browser's language, else the panel's", async () => {
    const russian = await door.send('GET', '/', { 'accept-language': 'ru-RU,ru;q=0.9,en;q=0.8' });
    expect(russian.text).toContain('<html lang="ru">');
    expect(titleOf(russian.text)).toBe('Войти · Gatehouse');
    expect((await door.send('GET', '/', { 'accept-language': 'de' })).text).toContain('<html lang="en">');
  });

  it('writes every text as text', async () => {
    door.stub.answers.set('listKeys', () => ({
      status: 200,
      body: {
        items: [
          keyOf({ name: CANARY, prefix: CANARY, last_used_from: CANARY }),
          keyOf({ name: CANARY, state: 'expired' }),
        ],
      },
    }));
    const page = await door.sendSigned('GET', '/');
    expect(page.text).not.toContain('<script>');
    expect(page.text.split(ESCAPED).length).toBeGreaterThan(4);
    refuse('signIn', new PanelError('sign_in_failed'));
    const refused = await door.submit('sign-in', { name: CANARY, password: CANARY }, OUT);
    expect(refused.text).toContain(`value="${ESCAPED}"`);
    expect(refused.text).not.toContain('<script>');
  });
});

describe('the mark', () => {
  it('is a picture', async () => {
    const { headers, text } = await door.send('GET', '/favicon.svg');
    expect(headers['content-type']).toBe('image/svg+xml');
    expect(text).toMatch(/^<svg .*<\/svg>$/);
  });
});
