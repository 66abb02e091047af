// Holds the session's cookie: its name and marks over TLS and without, and that nothing malformed is read as one.
import type { IncomingMessage } from 'node:http';
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { readSessionCookie, sessionCookie } from './session-cookie.ts';

const TOKEN = 'kJ3_-xQ9'.repeat(5);
const OTHER = 'zZ0_-yY8'.repeat(5);
const SECURE = '__Host-panel-a1b2';
const PLAIN = 'panel-a1b2';

function requestOf(headers: Record<string, string>, encrypted = true): IncomingMessage {
  return { headers, socket: { encrypted } } as unknown as IncomingMessage;
}
const read = (cookie: string, encrypted = true) => readSessionCookie(requestOf({ cookie }, encrypted), 'a1b2');

describe('readSessionCookie', () => {
  it.each([
    ['alone', `${SECURE}=${TOKEN}`],
    ['among others', `theme=dark; ${SECURE}=${TOKEN}; ${SECURE}x=${OTHER}; a=b`],
    ['without spaces', `a=b;${SECURE}=${TOKEN}`],
    ['given twice alike', `${SECURE}=${TOKEN}; ${SECURE}=${TOKEN}`],
  ])('reads one %s', (_, cookie) => {
    expect(read(cookie)).toBe(TOKEN);
  });

  it.each([
    ['of another instance', `__Host-panel-zzzz=${TOKEN}`],
    ['in other letters', `__host-panel-a1b2=${TOKEN}`],
    ['in quotes', `${SECURE}="${TOKEN}"`],
    ['too short', `${SECURE}=abc`],
    ['empty', `${SECURE}=`],
    ['too long', `${SECURE}=${'a'.repeat(129)}`],
    ['percent-encoded', `${SECURE}=${TOKEN.replace('_', '%5F')}`],
    ['given twice, differing', `${SECURE}=${TOKEN}; ${SECURE}=${OTHER}`],
    ['in a header that is too long', `a=${'b'.repeat(8192)}; ${SECURE}=${TOKEN}`],
    ['under the plain name over TLS', `${PLAIN}=${TOKEN}`],
  ])('refuses one %s', (_, cookie) => {
    expect(read(cookie)).toBeNull();
  });

  it('takes both names over plain HTTP, the secure one first', () => {
    expect(read(`${PLAIN}=${TOKEN}`, false)).toBe(TOKEN);
    expect(read(`${PLAIN}=${TOKEN}; ${SECURE}=${OTHER}`, false)).toBe(OTHER);
    expect(readSessionCookie(requestOf({}), 'a1b2')).toBeNull();
  });

  test.prop([fc.string({ unit: 'binary-ascii', maxLength: 300 })])(
    'reads nothing but tokens out of any header',
    (noise) => {
      expect(read(noise) ?? TOKEN).toMatch(/^[A-Za-z0-9_-]{20,128}$/);
    },
  );
});

describe('sessionCookie', () => {
  it('is __Host-, Secure, HttpOnly and strict over TLS', () => {
    expect(sessionCookie(requestOf({}), 'a1b2', TOKEN)).toEqual([
      'Set-Cookie',
      `${SECURE}=${TOKEN}; Path=/; HttpOnly; SameSite=Strict; Secure`,
    ]);
    expect(sessionCookie(requestOf({}), 'a1b2', null)).toEqual([
      'Set-Cookie',
      `${SECURE}=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0`,
    ]);
  });

  it('has the bare name over plain HTTP, unless the browser itself is on HTTPS', () => {
    expect(sessionCookie(requestOf({ origin: 'http://127.0.0.1:8080' }, false), 'a1b2', TOKEN)).toEqual([
      'Set-Cookie',
      `${PLAIN}=${TOKEN}; Path=/; HttpOnly; SameSite=Strict`,
    ]);
    expect(sessionCookie(requestOf({ origin: 'https://panel.example' }, false), 'a1b2', TOKEN)[1]).toContain(
      '; Secure',
    );
  });

  it('clears both names over plain HTTP', () => {
    const cookies = sessionCookie(requestOf({}, false), 'a1b2', null).filter((part) => part !== 'Set-Cookie');
    expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual([PLAIN, SECURE]);
    for (const cookie of cookies) expect(cookie).toContain('Max-Age=0');
  });
});
