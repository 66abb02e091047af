// Request properties of browsers: the requesting page, the session, and the device name.
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { SESSION_HEADER } from '../contract/access/session.ts';

/** Whether the connection itself is encrypted; behind a reverse proxy it is not, even if the browser uses TLS. */
export function isEncrypted(request: IncomingMessage): boolean {
  return (request.socket as Partial<TLSSocket>).encrypted === true;
}

/**
 * Whether a state-changing request comes from the panel's own pages, or from the user (navigation by the address bar). Browsers send Sec-Fetch-Site;
 * without it, Origin must be the panel's own.
 */
export function isOwnRequest(request: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode } = request.headers;
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && mode === 'navigate');
  return isOwnOrigin(request);
}

/** Whether the requesting page may read the reply. Programs that send neither header may. */
export function isOwnRead(request: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers;
  return site === undefined && origin === undefined ? true : isOwnRequest(request);
}

/** The Host was validated before. Over plain HTTP, a reverse proxy may have terminated TLS. */
function isOwnOrigin(request: IncomingMessage): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined || host === undefined) return false;
  const own = `://${host.toLowerCase()}`;
  return origin === `https${own}` || (origin === `http${own}` && !isEncrypted(request));
}

/** Longer cookie headers are ignored; Node itself limits headers to 16 KiB. */
const MAX_HEADER = 8192;
const TOKEN = /^[A-Za-z0-9_-]{20,128}$/;

/** The panel's cookies: the session, and the known browser. */
type CookieKind = 'panel' | 'panel-browser';
/** Maximum cookie lifetime in browsers (RFC 6265bis section 5.5). */
const LONGEST_AGE_S = 400 * 86_400;

/**
 * Prefixed with `__Host-` if the browser uses TLS, so that no other host or plain connection can set it. Browsers accept the prefix over TLS only, so
 * plain HTTP on loopback uses the bare name.
 */
function buildCookieName(kind: CookieKind, instanceId: string, isSecure: boolean): string {
  return isSecure ? `__Host-${kind}-${instanceId}` : `${kind}-${instanceId}`;
}

/**
 * The session token: one half from the cookie, the other from the `Panel-Session` header of the page. Cookies do not distinguish ports: other servers
 * on this host receive the cookie, but never the page's half, which belongs to the origin. null if a half is missing or malformed, or if two
 * different cookies were sent. Over plain HTTP the secure name takes precedence, since a reverse proxy may have terminated TLS.
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

/** The halves of a session token, for the cookie and the page. */
export function splitToken(token: string): readonly [cookieHalf: string, pageHalf: string] {
  const middle = Math.ceil(token.length / 2);
  return [token.slice(0, middle), token.slice(middle)];
}

/** The token of a known browser, by the same rules. */
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

/** Headers (alternating names and values) that store both halves of a session, or (null) delete them. */
export function sessionHeaders(request: IncomingMessage, instanceId: string, token: string | null): readonly string[] {
  const isSecure = isSecureFor(request);
  const age = token === null ? 0 : null;
  const [cookieHalf, pageHalf] = splitToken(token ?? '');
  const cookies = [cookie(buildCookieName('panel', instanceId, isSecure), cookieHalf, isSecure, age)];
  // A browser that signs out over plain HTTP may have either cookie.
  if (token === null && !isEncrypted(request)) {
    cookies.push(cookie(buildCookieName('panel', instanceId, !isSecure), '', !isSecure, age));
  }
  return [...cookies.flatMap((value) => ['Set-Cookie', value]), SESSION_HEADER, pageHalf];
}

/** The Set-Cookie header of a known browser. */
export function browserCookie(request: IncomingMessage, instanceId: string, token: string): readonly string[] {
  const isSecure = isSecureFor(request);
  return ['Set-Cookie', cookie(buildCookieName('panel-browser', instanceId, isSecure), token, isSecure, LONGEST_AGE_S)];
}

function isSecureFor(request: IncomingMessage): boolean {
  return isEncrypted(request) || request.headers.origin?.startsWith('https://') === true;
}

/** `age` in seconds; null: a session cookie. */
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

/** Browser and system of a User-Agent; its first word for other programs, empty if missing. */
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
