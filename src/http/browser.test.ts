// Which session cookies, requesting pages and device names of a browser the panel accepts.
import type { IncomingMessage } from 'node:http';
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import {
  browserCookie,
  deviceName,
  isOwnRead,
  isOwnRequest,
  readBrowserCookie,
  readSession,
  sessionHeaders,
  splitToken,
} from './browser.ts';

const TOKEN = 'kJ3_-xQ9'.repeat(5);
const OTHER = 'zZ0_-yY8'.repeat(5);
const HALF = 'hH1_-xX7'.repeat(5);
const SECURE = '__Host-panel-a1b2';
const PLAIN = 'panel-a1b2';

/** The values of Set-Cookie without their attributes. */
function listCookies(request: IncomingMessage, instanceId: string, cookieHalf: string | null): readonly string[] {
  return sessionHeaders(request, instanceId, cookieHalf === null ? null : cookieHalf + HALF).slice(0, -2);
}
function buildRequest(headers: Record<string, string>, encrypted = true): IncomingMessage {
  return { headers, socket: { encrypted } } as unknown as IncomingMessage;
}
/** The cookie's half of the token, with a valid half from the page. */
function read(cookie: string, encrypted = true): string | null {
  const token = readSession(buildRequest({ cookie, 'panel-session': HALF }, encrypted), 'a1b2');
  if (token !== null && !token.endsWith(HALF)) throw new Error('without the half of the page');
  return token === null ? null : token.slice(0, -HALF.length);
}

describe('readSession', () => {
  it.each<[string, Record<string, string>]>([
    ['missing', {}],
    ['empty', { 'panel-session': '' }],
    ['too short', { 'panel-session': 'abc' }],
    ['too long', { 'panel-session': 'a'.repeat(129) }],
    ['of other characters', { 'panel-session': HALF.replace('_', '%') }],
    ['sent twice', { 'panel-session': `${HALF}, ${HALF}` }],
  ])('refuses a page’s half that is %s', (_, headers) => {
    expect(readSession(buildRequest({ cookie: `${SECURE}=${TOKEN}`, ...headers }), 'a1b2')).toBeNull();
  });

  it('takes the page’s half from elsewhere where it is given, and from there alone', () => {
    const request = buildRequest({ cookie: `${SECURE}=${TOKEN}`, 'panel-session': HALF });
    expect(readSession(request, 'a1b2', OTHER)).toBe(TOKEN + OTHER);
    expect(readSession(request, 'a1b2', null)).toBeNull();
  });

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
    expect(readSession(buildRequest({ 'panel-session': HALF }), 'a1b2')).toBeNull();
  });

  test.prop([fc.string({ unit: 'binary-ascii', maxLength: 300 })])(
    'reads nothing but tokens out of any header',
    (noise) => {
      expect(read(noise) ?? TOKEN).toMatch(/^[A-Za-z0-9_-]{20,128}$/);
    },
  );
});

describe('sessionHeaders', () => {
  it('puts one half into the cookie and the other into a header of the page', () => {
    const token = `${TOKEN}${HALF}`;
    expect(splitToken(token)).toEqual([TOKEN, HALF]);
    const headers = sessionHeaders(buildRequest({}), 'a1b2', token);
    expect(headers.slice(-2)).toEqual(['Panel-Session', HALF]);
    expect(headers.filter((part) => part.includes(HALF))).toEqual([HALF]);
    expect(headers.filter((part) => part.includes(TOKEN))).toHaveLength(1);
  });

  it('is __Host-, Secure, HttpOnly and strict over TLS', () => {
    expect(listCookies(buildRequest({}), 'a1b2', TOKEN)).toEqual([
      'Set-Cookie',
      `${SECURE}=${TOKEN}; Path=/; HttpOnly; SameSite=Strict; Secure`,
    ]);
    expect(listCookies(buildRequest({}), 'a1b2', null)).toEqual([
      'Set-Cookie',
      `${SECURE}=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0`,
    ]);
  });

  it('has the bare name over plain HTTP, unless the browser itself is on HTTPS', () => {
    expect(listCookies(buildRequest({ origin: 'http://127.0.0.1:8080' }, false), 'a1b2', TOKEN)).toEqual([
      'Set-Cookie',
      `${PLAIN}=${TOKEN}; Path=/; HttpOnly; SameSite=Strict`,
    ]);
    expect(listCookies(buildRequest({ origin: 'https://panel.example' }, false), 'a1b2', TOKEN)[1]).toContain(
      '; Secure',
    );
  });

  it('clears both names over plain HTTP', () => {
    const cookies = listCookies(buildRequest({}, false), 'a1b2', null).filter((part) => part !== 'Set-Cookie');
    expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual([PLAIN, SECURE]);
    for (const cookie of cookies) expect(cookie).toContain('Max-Age=0');
  });
});

describe('the cookie of a browser that signed in before', () => {
  const BROWSER = '__Host-panel-browser-a1b2';
  it('outlives the session, and is neither read nor written as one', () => {
    expect(browserCookie(buildRequest({}), 'a1b2', TOKEN)).toEqual([
      'Set-Cookie',
      `${BROWSER}=${TOKEN}; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=34560000`,
    ]);
    const request = buildRequest({ cookie: `${BROWSER}=${TOKEN}; ${SECURE}=${OTHER}` });
    expect([readBrowserCookie(request, 'a1b2'), readSession(request, 'a1b2', HALF)]).toEqual([TOKEN, OTHER + HALF]);
    expect(readBrowserCookie(buildRequest({ cookie: `${SECURE}=${OTHER}` }), 'a1b2')).toBeNull();
  });
});

/** A request to the panel's own host. */
function requestTo(headers: Record<string, string>, encrypted = true): IncomingMessage {
  return buildRequest({ host: '192.168.1.10:8443', ...headers }, encrypted);
}

describe('isOwnRequest', () => {
  it.each<[string, Record<string, string>, boolean]>([
    ['from the own page', { 'sec-fetch-site': 'same-origin' }, true],
    ['from the address bar', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, true],
    ['from nowhere, by a script', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'cors' }, false],
    ['from another port of this machine', { 'sec-fetch-site': 'same-site' }, false],
    ['from another site', { 'sec-fetch-site': 'cross-site' }, false],
    [
      'from another site that names our Origin',
      { 'sec-fetch-site': 'cross-site', origin: 'https://192.168.1.10:8443' },
      false,
    ],
    ['of an old browser, own Origin', { origin: 'https://192.168.1.10:8443' }, true],
    ['of an old browser, another port', { origin: 'https://192.168.1.10:3000' }, false],
    ['of an old browser, plain HTTP', { origin: 'http://192.168.1.10:8443' }, false],
    ['of an old browser, a longer name', { origin: 'https://192.168.1.10:8443.evil.example' }, false],
    ['of an old browser, two Origins', { origin: 'https://192.168.1.10:8443, https://evil.example' }, false],
    ['of an old browser, Origin null', { origin: 'null' }, false],
    ['that says nothing', {}, false],
  ])('judges one %s', (_, headers, isOwn) => {
    expect(isOwnRequest(requestTo(headers))).toBe(isOwn);
  });

  it('takes both schemes where a reverse proxy may have taken the encryption off', () => {
    for (const scheme of ['http', 'https']) {
      expect(isOwnRequest(requestTo({ origin: `${scheme}://192.168.1.10:8443` }, false))).toBe(true);
    }
  });
});

describe('isOwnRead', () => {
  it('lets programs read that send neither header, and no foreign page', () => {
    expect(isOwnRead(requestTo({}))).toBe(true);
    expect(isOwnRead(requestTo({ 'sec-fetch-site': 'same-origin' }))).toBe(true);
    expect(isOwnRead(requestTo({ 'sec-fetch-site': 'same-site' }))).toBe(false);
    expect(isOwnRead(requestTo({ origin: 'https://evil.example' }))).toBe(false);
  });
});

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('deviceName', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:152.0) Gecko/20100101 Firefox/152.0', 'Firefox on Linux'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/150.0.0.0 Safari/537.36`, 'Chrome on Windows'],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0`,
      'Edge on Windows',
    ],
    [`Mozilla/5.0 (Linux; Android 16; Pixel 10) ${WEBKIT} Chrome/150.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15',
      'Safari on macOS',
    ],
    ['curl/8.14.1', 'curl/8.14.1'],
    ['', ''],
    [undefined, ''],
  ])('%s', (userAgent, name) => {
    expect(deviceName(userAgent)).toBe(name);
  });

  test.prop([fc.string({ unit: 'binary', maxLength: 2000 })])(
    'is short printable text whatever was sent',
    (userAgent) => {
      expect(deviceName(userAgent)).toMatch(/^[\x20-\x7e]{0,60}$/);
    },
  );
});
