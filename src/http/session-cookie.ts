// The administrator's cookie: named after the instance, since cookies do not tell ports apart, and read strictly.
import type { IncomingMessage } from 'node:http';
import { isEncrypted } from './same-origin.ts';

/** Longer headers hold no session of ours; Node itself stops at 16 KiB of headers. */
const MAX_HEADER = 8192;
const TOKEN = /^[A-Za-z0-9_-]{20,128}$/;

/**
 * `__Host-` where the browser's side is encrypted: then no other host and no plain connection can set it. Browsers take that
 * prefix over TLS only, so plain HTTP on loopback has the bare name.
 */
function nameOf(instanceId: string, isSecure: boolean): string {
  return isSecure ? `__Host-panel-${instanceId}` : `panel-${instanceId}`;
}

/**
 * The session's token as the browser sent it; null where there is none, where it is malformed, or where two different ones
 * came. Over plain HTTP the secure name counts first: a reverse proxy may have taken the encryption off.
 */
export function readSessionCookie(request: IncomingMessage, instanceId: string): string | null {
  const header = request.headers.cookie;
  if (header === undefined || header.length > MAX_HEADER) return null;
  const secure = valueIn(header, nameOf(instanceId, true));
  if (secure !== null || isEncrypted(request)) return secure;
  return valueIn(header, nameOf(instanceId, false));
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

/** The Set-Cookie headers, names and values by turns, that begin a session or (null) end it. */
export function sessionCookie(request: IncomingMessage, instanceId: string, token: string | null): readonly string[] {
  const isSecure = isEncrypted(request) || request.headers.origin?.startsWith('https://') === true;
  const cookies = [cookie(nameOf(instanceId, isSecure), token, isSecure)];
  // Whoever signs out over plain HTTP may hold either.
  if (token === null && !isEncrypted(request)) cookies.push(cookie(nameOf(instanceId, !isSecure), null, !isSecure));
  return cookies.flatMap((value) => ['Set-Cookie', value]);
}

function cookie(name: string, token: string | null, isSecure: boolean): string {
  const end = token === null ? '; Max-Age=0' : '';
  return `${name}=${token ?? ''}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}${end}`;
}
