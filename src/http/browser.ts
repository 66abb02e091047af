// What a browser says of itself: which page sends a request, whose session it carries, and what it is called.
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { SESSION_HEADER } from '../contract/access/session.ts';

/** Whether the connection itself is encrypted; behind a reverse proxy it is not, whatever the browser uses. */
export function isEncrypted(request: IncomingMessage): boolean {
  return (request.socket as Partial<TLSSocket>).encrypted === true;
}

/**
 * Whether a request that may change something comes from the panel's own pages, or was begun by the user (a navigation from
 * the address bar). Browsers say so in Sec-Fetch-Site; where that is missing, Origin must be the panel's own.
 */
export function isOwnRequest(request: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode } = request.headers;
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && mode === 'navigate');
  return isOwnOrigin(request);
}

/** Whether what a browser reads here may be read by the page that asks. Programs that send neither header may. */
export function isOwnRead(request: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers;
  return site === undefined && origin === undefined ? true : isOwnRequest(request);
}

/** The host has passed the allow-list. Over plain HTTP a reverse proxy may have taken the encryption off. */
function isOwnOrigin(request: IncomingMessage): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined || host === undefined) return false;
  const own = `://${host.toLowerCase()}`;
  return origin === `https${own}` || (origin === `http${own}` && !isEncrypted(request));
}

/** Longer headers hold no session of ours; Node itself stops at 16 KiB of headers. */
const MAX_HEADER = 8192;
const TOKEN = /^[A-Za-z0-9_-]{20,128}$/;

/** The panel's two cookies: of the session, and of a browser that signed in before. */
type CookieKind = 'panel' | 'panel-browser';
/** Browsers keep no cookie for longer (RFC 6265bis section 5.5). */
const LONGEST_AGE_S = 400 * 86_400;

/**
 * `__Host-` where the browser's side is encrypted: then no other host and no plain connection can set it. Browsers take that
 * prefix over TLS only, so plain HTTP on loopback has the bare name.
 */
function buildCookieName(kind: CookieKind, instanceId: string, isSecure: boolean): string {
  return isSecure ? `__Host-${kind}-${instanceId}` : `${kind}-${instanceId}`;
}

/**
 * The session's token: the half in the cookie and the half that the page sends in `Panel-Session`. Cookies do not distinguish
 * ports: what else serves pages on this host gets the cookie, never the page's half, which belongs to the origin. null where one
 * is missing or malformed, or where two different cookies came. Over plain HTTP the secure name counts first: a reverse proxy may
 * have taken the encryption off.
 */
export function readSession(
  request: IncomingMessage,
  instanceId: string,
  pageHalf: unknown = request.headers[SESSION_HEADER.toLowerCase()],
): string | null {
  const cookieHalf = readCookie(request, 'panel', instanceId);
  if (cookieHalf === null || typeof pageHalf !== 'string' || !TOKEN.test(pageHalf)) return null;
  return cookieHalf + pageHalf;
}

/** The halves of a session's token: for the cookie and for the page. */
export function splitToken(token: string): readonly [cookieHalf: string, pageHalf: string] {
  const middle = Math.ceil(token.length / 2);
  return [token.slice(0, middle), token.slice(middle)];
}

/** The token of a browser in which the administrator signed in before, by the same rules. */
export function readBrowserCookie(request: IncomingMessage, instanceId: string): string | null {
  return readCookie(request, 'panel-browser', instanceId);
}

function readCookie(request: IncomingMessage, kind: CookieKind, instanceId: string): string | null {
  const header = request.headers.cookie;
  if (header === undefined || header.length > MAX_HEADER) return null;
  const secure = valueIn(header, buildCookieName(kind, instanceId, true));
  if (secure !== null || isEncrypted(request)) return secure;
  return valueIn(header, buildCookieName(kind, instanceId, false));
}

function valueIn(header: string, name: string): string | null {
  let found: string | null = null;
  for (const part of header.split(';')) {
    const pair = part.trim();
    if (!pair.startsWith(name) || pair.charCodeAt(name.length) !== 0x3d) continue;
    const value = pair.slice(name.length + 1);
    if (!TOKEN.test(value) || (found !== null && found !== value)) return null;
    found = value;
  }
  return found;
}

/** The headers, names and values by turns, that give a browser the two halves of its session or (null) take them back. */
export function sessionHeaders(request: IncomingMessage, instanceId: string, token: string | null): readonly string[] {
  const isSecure = isSecureFor(request);
  const age = token === null ? 0 : null;
  const [cookieHalf, pageHalf] = splitToken(token ?? '');
  const cookies = [cookie(buildCookieName('panel', instanceId, isSecure), cookieHalf, isSecure, age)];
  // A browser that signs out over plain HTTP may hold either.
  if (token === null && !isEncrypted(request)) {
    cookies.push(cookie(buildCookieName('panel', instanceId, !isSecure), '', !isSecure, age));
  }
  return [...cookies.flatMap((value) => ['Set-Cookie', value]), SESSION_HEADER, pageHalf];
}

/** The Set-Cookie header of a browser in which the administrator has signed in. */
export function browserCookie(request: IncomingMessage, instanceId: string, token: string): readonly string[] {
  const isSecure = isSecureFor(request);
  return ['Set-Cookie', cookie(buildCookieName('panel-browser', instanceId, isSecure), token, isSecure, LONGEST_AGE_S)];
}

function isSecureFor(request: IncomingMessage): boolean {
  return isEncrypted(request) || request.headers.origin?.startsWith('https://') === true;
}

/** `age` in seconds; null: until the browser ends. */
function cookie(name: string, value: string, isSecure: boolean, age: number | null): string {
  const end = age === null ? '' : `; Max-Age=${age}`;
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}${end}`;
}

const BROWSERS: readonly (readonly [name: string, mark: RegExp])[] = [
  ['Edge', /\bEdg(?:A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Yandex Browser', /\bYaBrowser\//],
  ['Vivaldi', /\bVivaldi\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|Chromium)\//],
  ['Safari', /\bVersion\/[\d.]+ .*Safari\//],
];
const SYSTEMS: readonly (readonly [name: string, mark: RegExp])[] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];
const MAX_LENGTH = 60;

/** The browser and system behind a User-Agent; its first word where it is no browser, empty where there is none. */
export function deviceName(userAgent: string | undefined): string {
  const text = (userAgent ?? '').slice(0, 512);
  const browser = BROWSERS.find(([, mark]) => mark.test(text))?.[0];
  const system = SYSTEMS.find(([, mark]) => mark.test(text))?.[0];
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  const [program = ''] = text
    .replace(/[^\x20-\x7e]/g, '')
    .trim()
    .split(' ');
  return program.slice(0, MAX_LENGTH);
}
